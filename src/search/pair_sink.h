// Pairs on their way to a file: gathered, sorted, written as runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/radix_sort.h"
#include "io/run_file/run_file.h"

namespace nearkin {

class PairSink {
 public:
  /// Runs of at most `most` pairs become sections of this kind, numbered from 0.
  PairSink(RunFileWriter& writer, std::uint32_t section, std::size_t most) : writer_(writer), section_(section), most_(most) {}
  /// Packed as a << 32 | b.
  void add(std::uint64_t pair) {
    pairs_.push_back(pair);
    if (pairs_.size() >= most_) flush();
  }
  void flush() {
    if (pairs_.empty()) return;
    radix_sort(pairs_, scratch_);
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    writer_.section(section_, runs_++, pairs_);
    pairs_.clear();
  }

 private:
  RunFileWriter& writer_;
  std::uint32_t section_;
  std::size_t most_;
  std::uint32_t runs_ = 0;
  std::vector<std::uint64_t> pairs_, scratch_;
};

}  // namespace nearkin
