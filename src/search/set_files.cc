#include "search/set_files.h"

#include <algorithm>
#include <optional>
#include <string>

#include <nearkin/error.h>

#include "base/parallel.h"
#include "base/rice.h"
#include "collect/features_again.h"

namespace nearkin {
namespace {

enum SetSection : std::uint32_t { kSetBytes = kFirstFreeSection, kSetEnds, kSetLengths, kSetRows };

constexpr std::size_t kUnitRows = std::size_t{1} << 16;        // of a unit, at the most
constexpr std::uint64_t kUnitBytes = std::uint64_t{16} << 20;  // of records in a unit, about

struct Block {
  std::string bytes;
  std::vector<std::uint64_t> ends;
  std::vector<std::uint32_t> sizes;
};

std::vector<Block> make_blocks(const Rows& rows, const Stage& stage, std::span<const Row> wanted) {
  std::vector<Block> blocks((wanted.size() + kFeatureBlock - 1) / kFeatureBlock);
  for_each_features(rows, wanted, stage.plan.shingle, stage.threads, [&](unsigned, std::size_t i, std::span<const std::uint64_t> features) {
    Block& block = blocks[i / kFeatureBlock];
    append_rice(block.bytes, features);
    block.ends.push_back(block.bytes.size());
    block.sizes.push_back(static_cast<std::uint32_t>(features.size()));
  });
  return blocks;
}

void write_unit(RunFileWriter& writer, const std::vector<Block>& blocks, std::span<const Row> rows) {
  writer.begin(kSetBytes);
  std::vector<std::uint64_t> ends;
  std::vector<std::uint32_t> sizes;
  std::uint64_t base = 0;
  for (const Block& block : blocks) {
    writer.write(block.bytes.data(), block.bytes.size());
    for (const std::uint64_t end : block.ends) ends.push_back(base + end);
    base += block.bytes.size();
    sizes.insert(sizes.end(), block.sizes.begin(), block.sizes.end());
  }
  writer.section(kSetEnds, 0, ends);
  writer.section(kSetLengths, 0, sizes);
  writer.begin(kSetRows);
  writer.write(rows);
  writer.finish();
}

[[noreturn]] void refuse_damaged(const RunFile& file) {
  throw Error(ErrorCode::file, file.path(), "damaged: a shingle set cannot be decoded");
}

// Sets of one unit, mostly in ascending order.
class UnitReader {
 public:
  explicit UnitReader(const RunFile& file) : file_(file), ends_(file, file.at(kSetEnds)), bytes_(file, file.at(kSetBytes)) {}
  std::span<const std::uint64_t> set(std::uint32_t within) {
    const std::uint64_t begin = within == 0 ? 0 : ends_.value<std::uint64_t>(within - 1), end = ends_.value<std::uint64_t>(within);
    if (end < begin) refuse_damaged(file_);
    set_.clear();
    if (!decode_rice(bytes_.bytes(begin, static_cast<std::size_t>(end - begin)), set_)) refuse_damaged(file_);
    return set_;
  }

 private:
  const RunFile& file_;
  BlockReader ends_, bytes_;
  std::vector<std::uint64_t> set_;
};

}  // namespace

void SetFiles::add_unit(const Rows& rows, const Stage& stage, std::span<const Row> wanted) {
  const auto number = static_cast<std::uint32_t>(units_.size());
  std::shared_ptr<const RunFile> file = rows.scratch->open("sets", number);
  const auto same_rows = [&] {
    const auto rows_there = file->read_all<Row>(file->at(kSetRows));
    return std::equal(rows_there.begin(), rows_there.end(), wanted.begin(), wanted.end());
  };
  if (file != nullptr && same_rows()) {
    rows.scratch->count_resumed();
  } else {
    RunFileWriter writer = rows.scratch->create("sets", number);
    write_unit(writer, make_blocks(rows, stage, wanted), wanted);
    file = rows.scratch->open("sets", number);
  }
  const std::vector<std::uint32_t> sizes = file->read_all<std::uint32_t>(file->at(kSetLengths));
  if (sizes.size() != wanted.size()) refuse_damaged(*file);
  units_.push_back({static_cast<std::uint32_t>(sizes_.size()), std::move(file)});
  sizes_.insert(sizes_.end(), sizes.begin(), sizes.end());
}

void SetFiles::write(const Rows& rows, const Stage& stage, RowSet wanted) {
  rows_ = std::move(wanted);
  rows_.count();
  sizes_.reserve(rows_.size());
  constexpr double kBytes = 7.5;  // a shingle, compressed
  const double shingles = static_cast<double>(rows.shingles) / static_cast<double>(std::max<std::size_t>(1, rows.size()));
  rows.scratch->require_room(static_cast<std::uint64_t>(kBytes * shingles * rows_.size()));
  RowReader reader(rows);
  std::vector<Row> stretch;
  std::uint64_t bytes = 0;
  const auto finish = [&] {
    if (!stretch.empty()) add_unit(rows, stage, stretch);
    stretch.clear();
    bytes = 0;
    stage.progress("shingle candidates", sizes_.size(), rows_.size());
  };
  const std::uint64_t most = std::min(kUnitBytes, 2 * share_of(rows, stage, 18));
  rows_.for_each([&](Row row) {
    stretch.push_back(row);
    bytes += reader.location(row).length;
    if (bytes >= most || stretch.size() == kUnitRows) finish();
  });
  finish();
}

void SetFiles::read(std::span<const Row> rows, unsigned threads, const RowBytes::Use& use) const {
  parallel_for(rows.size(), kFeatureBlock, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
    std::optional<UnitReader> reader;
    std::uint32_t unit_first = 0, unit_end = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t member = rows_.rank(rows[i]);
      if (!reader || member >= unit_end) {
        const auto behind = std::upper_bound(units_.begin(), units_.end(), member,
                                             [](std::uint32_t wanted, const Unit& unit) { return wanted < unit.first; });
        unit_first = (behind - 1)->first;
        unit_end = behind == units_.end() ? rows_.size() : behind->first;
        reader.emplace(*(behind - 1)->file);
      }
      use(worker, i, std::as_bytes(reader->set(member - unit_first)));
    }
  });
}

RowBytes SetFiles::bytes(unsigned threads) const {
  return {.size = [this](Row row) { return sizeof(std::uint64_t) * std::uint64_t{sizes_[rows_.rank(row)]}; },
          .read = [this, threads](std::span<const Row> rows, const RowBytes::Use& use) { read(rows, threads, use); }};
}

}  // namespace nearkin
