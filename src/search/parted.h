// Parted: collects any number of records and returns them part by part; in memory while they fit, else in files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/system.h"
#include "collect/scratch.h"
#include "io/run_file/run_file.h"
#include "io/source/source_records.h"

namespace nearkin {

/// Where records go, and how many of them may stay in memory.
struct PartedOptions {
  std::uint32_t parts = 1;
  std::uint64_t memory = 0;       ///< bytes of records in memory; a quarter more while they are put in order
  std::string kind = {};          ///< name of the files; different for objects that exist at the same time
  OwnScratch* scratch = nullptr;  ///< for the files; must outlive the records
};

/// `PartOf`: the number of a record's part, as part_of(record).
template <typename Record, typename PartOf>
class Parted {
 public:
  Parted(PartedOptions options, PartOf part_of) : options_(std::move(options)), part_of_(part_of) {
    block_ = static_cast<std::size_t>(std::clamp<std::uint64_t>(options_.memory / 8 / sizeof(Record), 64, std::uint64_t{1} << 22));
    reserve_pages(open_, block_);
  }
  ~Parted() {
    blocks_.clear();
    for (std::uint32_t file = 0; file < files_; ++file) options_.scratch->folder().remove(options_.kind, file);
  }
  Parted(const Parted&) = delete;
  Parted& operator=(const Parted&) = delete;

  void add(const Record& record) {
    open_.push_back(record);
    if (open_.size() >= block_) close_block();
  }
  void add(std::span<const Record> records) {
    for (const Record& record : records) add(record);
  }
  /// Call after the last `add`.
  void finish() {
    if (!open_.empty()) close_block();
    std::vector<Record>().swap(open_);
  }

  std::uint32_t parts() const { return options_.parts; }
  std::uint64_t size() const { return size_; }
  /// The records of one part, in the order in which they were added. After `finish`; by many threads at once.
  std::vector<Record> part(std::uint32_t number) const {
    std::size_t count = 0;
    for (const Block& block : blocks_) count += block.begins[number + 1] - block.begins[number];
    std::vector<Record> records(count);
    std::span<Record> left = records;
    for (const Block& block : blocks_) {
      const std::span<Record> to = left.first(block.begins[number + 1] - block.begins[number]);
      if (block.file) {
        block.file->read(block.file->at(kFirstFreeSection), block.begins[number], to);
      } else {
        std::copy_n(block.records.begin() + block.begins[number], to.size(), to.begin());
      }
      left = left.subspan(to.size());
    }
    return records;
  }

 private:
  // Records in the order of their parts.
  struct Block {
    std::vector<std::uint32_t> begins;  ///< of each part, and the end
    std::vector<Record> records;
    std::shared_ptr<const RunFile> file;  ///< in place of `records`
  };

  void close_block() {
    Block block{std::vector<std::uint32_t>(options_.parts + std::size_t{2}), {}, nullptr};
    reserve_pages(block.records, open_.size());
    block.records.resize(open_.size());
    // Each begin is counted two places late, moves on by the records of its part, and ends where the next part begins.
    for (const Record& record : open_) ++block.begins[part_of_(record) + std::size_t{2}];
    std::partial_sum(block.begins.begin(), block.begins.end(), block.begins.begin());
    for (const Record& record : open_) block.records[block.begins[part_of_(record) + std::size_t{1}]++] = record;
    block.begins.pop_back();
    size_ += open_.size();
    open_.clear();
    const std::uint64_t bytes = block.records.size() * sizeof(Record);
    if (held_ + bytes > options_.memory) {
      write(block);
    } else {
      held_ += bytes;
    }
    blocks_.push_back(std::move(block));
  }

  void write(Block& block) {
    RunFileWriter writer = options_.scratch->folder().create(options_.kind, files_);
    writer.section(kFirstFreeSection, 0, block.records);
    writer.finish();
    block.file = options_.scratch->folder().open(options_.kind, files_++);
    options_.scratch->folder().note_size();
    std::vector<Record>().swap(block.records);
  }

  PartedOptions options_;
  PartOf part_of_;
  std::size_t block_;         // records that are put in order together
  std::vector<Record> open_;  // not yet in order
  std::vector<Block> blocks_;
  std::uint32_t files_ = 0;
  std::uint64_t size_ = 0, held_ = 0;
};

}  // namespace nearkin
