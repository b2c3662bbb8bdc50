#include "index/id_blocks.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/units.h"
#include "index/meta.h"

namespace nearkin {
namespace {

constexpr std::size_t kLongestPlainKey = 495;

struct IdView {
  std::string_view key;
  Row row = 0;
};

// False: that was the last.
bool take_id(Blocks& blocks, std::string_view& rest, IdView& id) {
  std::uint16_t length = 0;
  if (rest.empty()) return false;
  if (rest.size() < sizeof length) blocks.fail();
  std::memcpy(&length, rest.data(), sizeof length);
  rest.remove_prefix(sizeof length);
  if (rest.size() < length + sizeof id.row) blocks.fail();
  id.key = rest.substr(0, length);
  std::memcpy(&id.row, rest.data() + length, sizeof id.row);
  rest.remove_prefix(length + sizeof id.row);
  return true;
}

std::size_t bytes_of_entry(std::string_view key) { return sizeof(std::uint16_t) + key.size() + sizeof(Row); }

Blocks id_blocks(const Transaction& transaction) { return {transaction, transaction.tables().ids, Sealed::ids}; }

// The shortest key that is above `left` and not above `right`.
std::string between(std::string_view left, std::string_view right) {
  const std::size_t most = std::min(left.size(), right.size());
  std::size_t common = 0;
  while (common < most && left[common] == right[common]) ++common;
  return std::string(right.substr(0, common + 1));
}

// The block at `lower` again, with other entries, as several where they are too many for one.
void put_again(Blocks& blocks, const std::string& lower, const std::string& upper, const std::vector<IdEntry>& entries, bool fill) {
  std::size_t bytes = 0;
  for (const IdEntry& entry : entries) bytes += bytes_of_entry(entry.key);
  const std::size_t parts = (bytes + kBlockBytes - 1) / kBlockBytes;
  const std::size_t most = fill || parts < 2 ? kBlockBytes : (bytes + parts - 1) / parts;
  IdPacker packer(lower, most, [&](std::string_view from, std::string_view to, std::string_view packed) { blocks.put(from, to, packed); });
  for (const IdEntry& entry : entries) packer.add(entry.key, entry.row);
  packer.finish(upper);
}

std::vector<IdEntry> entries_of(Blocks& blocks, const Block& block) {
  std::vector<IdEntry> entries;
  std::string_view rest = block.entries;
  for (IdView id; take_id(blocks, rest, id);) entries.push_back({std::string(id.key), id.row});
  return entries;
}

bool before(const IdEntry& a, const IdEntry& b) { return a.key < b.key; }

}  // namespace

std::string id_key(std::string_view id) {
  if (id.size() <= kLongestPlainKey) return std::string(id);
  const XXH128_canonical_t hash = [&] {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(id.data(), id.size()));
    return canonical;
  }();
  std::string key(id.substr(0, kLongestPlainKey));
  key.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  return key;
}

std::optional<Row> find_row(const Transaction& transaction, std::string_view id) {
  if (id.empty()) return std::nullopt;
  const std::string key = id_key(id);
  Blocks blocks = id_blocks(transaction);
  std::string_view rest = blocks.at(key).entries;
  for (IdView entry; take_id(blocks, rest, entry);) {
    if (entry.key == key) return entry.row;
  }
  return std::nullopt;
}

void put_ids(Transaction& transaction, const std::vector<IdEntry>& added) {
  Blocks blocks = id_blocks(transaction);
  for (auto next = added.begin(); next != added.end();) {
    const Block block = blocks.at(next->key);
    const std::string lower(block.lower), upper(block.upper);
    const auto end = upper.empty() ? added.end() : std::lower_bound(next, added.end(), IdEntry{upper, 0}, before);
    const std::vector<IdEntry> known = entries_of(blocks, block);
    std::vector<IdEntry> merged;
    std::merge(known.begin(), known.end(), next, end, std::back_inserter(merged), before);
    const auto twice = std::adjacent_find(merged.begin(), merged.end(), [](const IdEntry& a, const IdEntry& b) { return a.key == b.key; });
    if (twice != merged.end()) blocks.fail();
    put_again(blocks, lower, upper, merged, known.empty() || before(known.back(), *next));
    next = end;
  }
}

void erase_id(Transaction& transaction, std::string_view id) {
  const std::string key = id_key(id);
  Blocks blocks = id_blocks(transaction);
  const Block block = blocks.at(key);
  const std::string lower(block.lower), upper(block.upper);
  std::vector<IdEntry> entries = entries_of(blocks, block);
  if (std::erase_if(entries, [&](const IdEntry& entry) { return entry.key == key; }) != 1) blocks.fail();
  put_again(blocks, lower, upper, entries, true);
}

void for_each_id(const Transaction& transaction, std::string_view after, const std::function<bool(std::string_view, Row)>& use) {
  Blocks blocks = id_blocks(transaction);
  Block block = after.empty() ? blocks.first(kFirstId) : blocks.at(after);
  do {
    std::string_view rest = block.entries;
    for (IdView id; take_id(blocks, rest, id);) {
      if (id.key > after && !use(id.key, id.row)) return;
    }
  } while (blocks.next(block));
}

std::vector<PartEntry> parts_of(const Transaction& transaction, std::string_view owner, const std::function<std::string(Row)>& id_at) {
  const std::string named = std::string(owner) + ":";
  const std::string_view prefix = std::string_view(named).substr(0, kLongestPlainKey);
  std::vector<PartEntry> parts;
  for_each_id(transaction, prefix, [&](std::string_view key, Row row) {
    if (!key.starts_with(prefix)) return false;
    std::string id = key.size() < kHashedKey ? std::string(key) : id_at(row);
    if (is_unit_of(id, owner)) parts.push_back({std::move(id), row});
    return true;
  });
  return parts;
}

void IdPacker::add(std::string_view key, Row row) {
  if (!entries_.empty() && entries_.size() + bytes_of_entry(key) > most_) {
    const std::string upper = between(last_, key);
    put_(lower_, upper, entries_);
    lower_ = upper;
    entries_.clear();
  }
  const auto length = static_cast<std::uint16_t>(key.size());
  entries_.append(reinterpret_cast<const char*>(&length), sizeof length);
  entries_.append(key);
  entries_.append(reinterpret_cast<const char*>(&row), sizeof row);
  last_ = key;
}

void IdPacker::finish(std::string_view upper) { put_(lower_, upper, entries_); }

}  // namespace nearkin
