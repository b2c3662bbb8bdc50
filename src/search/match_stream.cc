#include "search/match_stream.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>
#include <utility>

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

// Goes through a match file block by block.
class FileCursor {
 public:
  FileCursor(const RunFile& file, std::uint64_t block) : file_(file), size_(size_of(file)), block_(block) {}
  /// The next matches, none at the end. Good until the next call.
  std::span<const Match> next() {
    const auto size = static_cast<std::size_t>(std::min(block_, size_ - at_));
    read_if_there(file_, kMatchPairs, at_, pairs_, size);
    read_if_there(file_, kMatchShared, at_, shared_, size);
    read_if_there(file_, kMatchTotal, at_, total_, size);
    read_if_there(file_, kMatchValues, at_, values_, size);
    matches_.resize(size);
    for (std::size_t i = 0; i < size; ++i)
      matches_[i] = {static_cast<Row>(pairs_[i] >> 32), static_cast<Row>(pairs_[i]), shared_[i], total_[i], values_[i]};
    at_ += size;
    return matches_;
  }

 private:
  const RunFile& file_;
  std::uint64_t size_, block_, at_ = 0;
  std::vector<std::uint64_t> pairs_;
  std::vector<std::uint32_t> shared_, total_;
  std::vector<double> values_;
  Matches matches_;
};

// One of several files that are merged: what is left of its block comes next.
struct MatchRun {
  FileCursor cursor;
  std::span<const Match> left;
};

template <typename Before>
void merge(const MatchStream::Files& files, const Before& before, const std::function<void(std::span<const Match>)>& use) {
  constexpr std::uint64_t kBlock = 4096;
  std::vector<MatchRun> runs;
  for (const std::shared_ptr<const RunFile>& file : files) runs.push_back({FileCursor(*file, kBlock), {}});
  using Next = std::pair<Match, std::size_t>;
  const auto later = [&before](const Next& x, const Next& y) { return before(y.first, x.first); };
  std::priority_queue<Next, std::vector<Next>, decltype(later)> next(later);
  const auto offer = [&](std::size_t i) {
    if (runs[i].left.empty()) runs[i].left = runs[i].cursor.next();
    if (!runs[i].left.empty()) next.push({runs[i].left.front(), i});
  };
  for (std::size_t i = 0; i < runs.size(); ++i) offer(i);
  Matches block;
  while (!next.empty()) {
    const std::size_t i = next.top().second;
    next.pop();
    block.push_back(runs[i].left.front());
    runs[i].left = runs[i].left.subspan(1);
    offer(i);
    if (block.size() < kAtATime && !next.empty()) continue;
    use(block);
    block.clear();
  }
}

}  // namespace

void sort_by_rows(Matches& matches) { std::sort(matches.begin(), matches.end(), by_rows); }

MatchStream MatchStream::where(Test test) const {
  MatchStream narrowed = *this;
  if (more_) {
    Matches left;
    std::copy_if(more_->begin(), more_->end(), std::back_inserter(left), test);
    narrowed.more_ = std::make_shared<const Matches>(std::move(left));
  }
  if (test_) {
    narrowed.test_ = [first = test_, second = std::move(test)](const Match& match) { return first(match) && second(match); };
  } else {
    narrowed.test_ = std::move(test);
  }
  return narrowed;
}

MatchStream MatchStream::with(Matches more) const {
  MatchStream wider = *this;
  if (more_) {
    more.insert(more.end(), more_->begin(), more_->end());
    sort_by_rows(more);
  }
  wider.more_ = std::make_shared<const Matches>(std::move(more));
  return wider;
}

std::uint64_t MatchStream::count() const {
  std::uint64_t count = (matches_ ? matches_->size() : 0) + (more_ ? more_->size() : 0);
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
  if (order_ == Order::merged) return before_ ? merge(files_, before_, use) : merge(files_, by_rows, use);
  for (const std::shared_ptr<const RunFile>& file : files_) {
    FileCursor cursor(*file, kAtATime);
    for (std::span<const Match> block = cursor.next(); !block.empty(); block = cursor.next()) use(block);
  }
}

void write_match_sections(RunFileWriter& writer, std::span<const Match> matches, bool with_values) {
  const auto section = [&]<typename T>(std::uint32_t kind, T (*value)(const Match&)) {
    std::vector<T> values;
    values.reserve(matches.size());
    for (const Match& match : matches) values.push_back(value(match));
    writer.section(kind, 0, values);
  };
  section(
      kMatchPairs, +[](const Match& match) { return std::uint64_t{match.a} << 32 | match.b; });
  section(
      kMatchShared, +[](const Match& match) { return match.shared; });
  section(
      kMatchTotal, +[](const Match& match) { return match.total; });
  if (with_values)
    section(
        kMatchValues, +[](const Match& match) { return match.value; });
}

}  // namespace nearkin
