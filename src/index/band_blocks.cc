#include "index/band_blocks.h"

#include <algorithm>
#include <array>

#include "base/radix_sort.h"
#include "index/meta.h"

namespace nearkin {
namespace {

constexpr std::size_t kEntriesABlock = kBlockBytes / sizeof(std::uint64_t);
constexpr std::size_t kBound = sizeof(std::uint32_t) + sizeof(std::uint64_t);

// A key of the table.
class Bound {
 public:
  Bound(std::uint32_t band, std::uint64_t entry) {
    for (std::size_t i = 0; i < 4; ++i) bytes_[i] = static_cast<char>(band >> (24 - 8 * i));
    for (std::size_t i = 0; i < 8; ++i) bytes_[4 + i] = static_cast<char>(entry >> (56 - 8 * i));
  }
  operator std::string_view() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::array<char, kBound> bytes_;
};

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}
std::uint32_t band_of(std::string_view bound) { return static_cast<std::uint32_t>(big_endian(bound.substr(0, 4))); }
std::uint64_t entry_of(std::string_view bound) { return big_endian(bound.substr(4)); }

std::string_view bytes_of(std::span<const std::uint64_t> entries) {
  return {reinterpret_cast<const char*>(entries.data()), entries.size_bytes()};
}

}  // namespace

std::uint64_t Buckets::Stretch::operator[](std::size_t i) const {
  std::uint64_t entry = 0;
  std::memcpy(&entry, entries.data() + i * sizeof entry, sizeof entry);
  return entry;
}

std::size_t Buckets::Stretch::place_of(std::uint64_t entry) const {
  std::size_t from = 0, to = size();
  while (from < to) {
    const std::size_t middle = (from + to) / 2;
    if ((*this)[middle] < entry) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

Block Buckets::at(std::uint32_t band, std::uint64_t entry) {
  const Block block = blocks_.at(Bound(band, entry));
  if (block.lower.size() != kBound || (!block.upper.empty() && block.upper.size() != kBound)) blocks_.fail();
  return block;
}

// The block ends within the band, and not behind this entry.
bool Buckets::continues(const Block& block, std::uint32_t band, std::uint64_t last) const {
  return !block.upper.empty() && band_of(block.upper) == band && entry_of(block.upper) <= last;
}

bool Buckets::contains(std::uint32_t band, std::uint32_t key, Row row) {
  const std::uint64_t entry = std::uint64_t{key} << 32 | row;
  const Stretch stretch{at(band, entry).entries};
  const std::size_t place = stretch.place_of(entry);
  return place < stretch.size() && stretch[place] == entry;
}

// The block at `lower` with the entries in entries_, as several where they are too many for one.
void Buckets::put_again(std::uint32_t band, const std::string& lower, const std::string& upper) {
  const std::size_t parts = std::max<std::size_t>(1, (entries_.size() + kEntriesABlock - 1) / kEntriesABlock);
  std::string from = lower;
  for (std::size_t part = 0, begin = 0; part < parts; ++part) {
    const std::size_t end = entries_.size() * (part + 1) / parts;
    const std::string to = part + 1 == parts ? upper : std::string(std::string_view(Bound(band, entries_[end])));
    blocks_.put(from, to, bytes_of(std::span(entries_).subspan(begin, end - begin)));
    from = to;
    begin = end;
  }
}

void Buckets::erase(std::uint32_t band, std::uint32_t key, Row row) {
  const std::uint64_t entry = std::uint64_t{key} << 32 | row;
  const Block block = at(band, entry);
  const Stretch stretch{block.entries};
  const std::size_t place = stretch.place_of(entry);
  if (place == stretch.size() || stretch[place] != entry) blocks_.fail();
  std::string left(block.entries.substr(0, place * sizeof entry));
  left.append(block.entries.substr((place + 1) * sizeof entry));
  blocks_.put(std::string(block.lower), std::string(block.upper), left);
}

void Buckets::merge(std::uint32_t band, std::span<const std::uint64_t> added) {
  while (!added.empty()) {
    const Block block = at(band, added.front());
    const bool whole = block.upper.empty() || band_of(block.upper) != band;
    const auto end = whole ? added.end() : std::lower_bound(added.begin(), added.end(), entry_of(block.upper));
    const auto count = static_cast<std::size_t>(end - added.begin());
    const Stretch known{block.entries};
    entries_.resize(known.size() + count);
    std::memcpy(entries_.data(), known.entries.data(), known.size() * sizeof(std::uint64_t));
    std::copy(added.begin(), end, entries_.begin() + static_cast<std::ptrdiff_t>(known.size()));
    std::inplace_merge(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(known.size()), entries_.end());
    if (std::adjacent_find(entries_.begin(), entries_.end()) != entries_.end()) blocks_.fail();
    put_again(band, std::string(block.lower), std::string(block.upper));
    added = added.subspan(count);
  }
}

// --- BandPacker

BandPacker::BandPacker(std::uint32_t bands, Put put) : bands_(bands), lower_(std::string_view(Bound(0, 0))), put_(std::move(put)) {}

void BandPacker::emit(std::string_view upper) {
  put_(lower_, upper, entries_);
  lower_ = upper;
  entries_.clear();
}

void BandPacker::go_to(std::uint32_t band) {
  while (band_ < band) emit(Bound(++band_, 0));
}

void BandPacker::add(std::uint32_t band, std::uint64_t entry) {
  go_to(band);
  if (entries_.size() == kEntriesABlock * sizeof entry) emit(Bound(band, entry));
  entries_.append(reinterpret_cast<const char*>(&entry), sizeof entry);
}

void BandPacker::finish() {
  if (bands_ == 0) return;
  go_to(bands_ - 1);
  emit({});
}

void for_each_entry_of_bands(const Transaction& transaction, std::uint32_t bands,
                             const std::function<void(std::uint32_t, std::uint64_t)>& use) {
  if (bands == 0) return;
  Blocks blocks(transaction, transaction.tables().bands, Sealed::buckets);
  Block block = blocks.first(Bound(0, 0));
  std::uint32_t band = 0;
  do {
    if (block.lower.size() != kBound || band_of(block.lower) >= bands) blocks.fail();
    band = band_of(block.lower);
    for (std::string_view rest = block.entries; rest.size() >= sizeof(std::uint64_t); rest.remove_prefix(sizeof(std::uint64_t))) {
      std::uint64_t entry = 0;
      std::memcpy(&entry, rest.data(), sizeof entry);
      use(band, entry);
    }
  } while (blocks.next(block));
}

// --- BandEntries

void BandEntries::add(Row row, const std::uint32_t* keys) {
  for (std::size_t band = 0; band < bands_.size(); ++band) bands_[band].push_back(std::uint64_t{keys[band]} << 32 | row);
  count_ += bands_.size();
}

void BandEntries::clear() {
  for (std::vector<std::uint64_t>& entries : bands_) entries.clear();
  count_ = 0;
}

void BandEntries::write(Transaction& transaction) {
  if (count_ == 0) return;
  Buckets buckets(transaction);
  for (std::uint32_t band = 0; band < bands_.size(); ++band) {
    radix_sort(bands_[band], scratch_);
    buckets.merge(band, bands_[band]);
  }
  clear();
}

void BandEntries::write_first(Transaction& transaction) {
  Blocks blocks(transaction, transaction.tables().bands, Sealed::buckets);
  const auto append = [&](std::string_view lower, std::string_view upper, std::string_view entries) {
    blocks.put(lower, upper, entries, MDB_APPEND);
  };
  BandPacker packer(static_cast<std::uint32_t>(bands_.size()), append);
  for (std::uint32_t band = 0; band < bands_.size(); ++band) {
    radix_sort(bands_[band], scratch_);
    for (const std::uint64_t entry : bands_[band]) packer.add(band, entry);
  }
  packer.finish();
  clear();
}

}  // namespace nearkin
