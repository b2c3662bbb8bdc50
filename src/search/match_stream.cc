#include "search/match_stream.h"

#include <algorithm>

#include "io/source/source.h"

namespace nearkin {
namespace {

static_assert(std::uint32_t{kMatchPairs} == std::uint32_t{kFirstFreeSection});

constexpr std::uint64_t kAtATime = std::uint64_t{1} << 16;  // matches that are read together

template <typename T>
void read_if_there(const RunFile& file, std::uint32_t kind, std::uint64_t at, std::vector<T>& values, std::size_t size) {
  values.assign(size, T{});
  const Section* const section = file.find(kind);
  if (section != nullptr && section->length > 0) file.read(*section, at, std::span(values));
}

std::uint64_t size_of(const RunFile& file) { return file.at(kMatchPairs).length / sizeof(std::uint64_t); }

void read_file(const RunFile& file, const std::function<void(std::span<const Match>)>& use) {
  std::vector<std::uint64_t> pairs;
  std::vector<std::uint32_t> shared, total;
  std::vector<double> values;
  Matches block;
  for (std::uint64_t at = 0; at < size_of(file); at += block.size()) {
    const auto size = static_cast<std::size_t>(std::min(kAtATime, size_of(file) - at));
    read_if_there(file, kMatchPairs, at, pairs, size);
    read_if_there(file, kMatchShared, at, shared, size);
    read_if_there(file, kMatchTotal, at, total, size);
    read_if_there(file, kMatchValues, at, values, size);
    block.resize(size);
    for (std::size_t i = 0; i < size; ++i)
      block[i] = {static_cast<Row>(pairs[i] >> 32), static_cast<Row>(pairs[i]), shared[i], total[i], values[i]};
    use(block);
  }
}

}  // namespace

MatchStream MatchStream::where(Test test) const {
  MatchStream narrowed = *this;
  narrowed.test_ = std::move(test);
  return narrowed;
}

std::uint64_t MatchStream::count() const {
  std::uint64_t count = matches_ ? matches_->size() : 0;
  for (const std::shared_ptr<const RunFile>& file : files_) count += size_of(*file);
  if (!test_) return count;
  count = 0;
  for_each([&](const Match&) { ++count; });
  return count;
}

Matches MatchStream::to_vector() const {
  Matches all;
  for_each([&](const Match& match) { all.push_back(match); });
  return all;
}

void MatchStream::for_each_block(const std::function<void(std::span<const Match>)>& use) const {
  if (matches_) use(*matches_);
  for (const std::shared_ptr<const RunFile>& file : files_) read_file(*file, use);
}

}  // namespace nearkin
