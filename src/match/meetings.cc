#include "match/meetings.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"
#include "base/portable_math.h"

namespace nearkin {
namespace {

bool before(const Meeting& x, const Meeting& y) { return x.priority != y.priority ? x.priority < y.priority : x.pair < y.pair; }

// Above 0, at most 1.
double uniform(SplitMix& random) { return static_cast<double>((random() >> 11) + 1) * 0x1p-53; }

std::uint64_t packed(Row a, Row b) { return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b); }

// The rows of a bucket, from which pairs are drawn: all pairs, or those across the split.
class Drawing {
 public:
  Drawing(std::span<const Row> rows, Row split) : rows_(rows.begin(), rows.end()), across_(split != 0) {
    if (!across_) return;
    std::sort(rows_.begin(), rows_.end());
    below_ = static_cast<std::size_t>(std::lower_bound(rows_.begin(), rows_.end(), split) - rows_.begin());
  }
  std::uint64_t pairs() const {
    const std::uint64_t all = rows_.size();
    return across_ ? below_ * (all - below_) : all * (all - 1) / 2;
  }
  std::uint64_t pair(SplitMix& random) const {
    if (across_) {
      const Row left = rows_[random() % below_];
      return packed(left, rows_[below_ + random() % (rows_.size() - below_)]);
    }
    const std::size_t i = random() % rows_.size(), j = random() % (rows_.size() - 1);
    return packed(rows_[i], rows_[j + (j >= i ? 1 : 0)]);
  }

 private:
  std::vector<Row> rows_;
  bool across_;
  std::size_t below_ = 0;  // rows on the left side
};

// The same of rows of different scopes. Rows that make more pairs are drawn more often.
class ScopedDrawing {
 public:
  ScopedDrawing(std::span<const Row> rows, const PairRule& rule) : scopes_(rule.scopes) {
    for (const Row row : rows) {
      if (rule.split == 0 || row < rule.split) left_.push_back(row);
      if (rule.split == 0 || row >= rule.split) right_.push_back(row);
    }
    std::sort(left_.begin(), left_.end());
    std::sort(right_.begin(), right_.end(), [&](Row x, Row y) { return key(x) < key(y); });
    for (const Row row : left_) {
      const auto [begin, end] = own_scope(row);
      drawn_ += right_.size() - (end - begin);
      drawn_up_to_.push_back(drawn_);
    }
    each_twice_ = rule.split == 0;
  }
  std::uint64_t pairs() const { return each_twice_ ? drawn_ / 2 : drawn_; }
  std::uint64_t pair(SplitMix& random) const {
    const auto at = std::upper_bound(drawn_up_to_.begin(), drawn_up_to_.end(), random() % drawn_);
    const Row row = left_[static_cast<std::size_t>(at - drawn_up_to_.begin())];
    const auto [begin, end] = own_scope(row);
    const std::size_t other = random() % (right_.size() - (end - begin));
    return packed(row, right_[other < begin ? other : other + (end - begin)]);
  }

 private:
  std::pair<std::uint64_t, Row> key(Row row) const { return {scopes_[row], row}; }
  // Where the rows of the same scope stand on the right.
  std::pair<std::size_t, std::size_t> own_scope(Row row) const {
    const auto begin = std::lower_bound(right_.begin(), right_.end(), scopes_[row], [&](Row x, auto scope) { return scopes_[x] < scope; });
    const auto end = std::upper_bound(begin, right_.end(), scopes_[row], [&](auto scope, Row x) { return scope < scopes_[x]; });
    return {static_cast<std::size_t>(begin - right_.begin()), static_cast<std::size_t>(end - right_.begin())};
  }

  std::span<const std::uint64_t> scopes_;
  std::vector<Row> left_, right_;
  std::vector<std::uint64_t> drawn_up_to_;
  std::uint64_t drawn_ = 0;
  bool each_twice_ = false;
};

}  // namespace

std::uint64_t pairs_among(std::span<const Row> rows, const PairRule& pairs) {
  return pairs.scopes.empty() ? Drawing(rows, pairs.split).pairs() : ScopedDrawing(rows, pairs).pairs();
}

void MeetingSample::add_bucket(std::span<const Row> rows, const PairRule& pairs, std::uint64_t seed) {
  if (pairs.scopes.empty()) return add_drawing(Drawing(rows, pairs.split), seed);
  add_drawing(ScopedDrawing(rows, pairs), seed);
}

// Points of a Poisson process whose rate is the number of pairs: the least of all buckets' are as if drawn from all pairs at once.
template <typename Drawn>
void MeetingSample::add_drawing(const Drawn& drawing, std::uint64_t seed) {
  if (drawing.pairs() == 0) return;
  in_all_ += drawing.pairs();
  SplitMix random(seed);
  const auto rate = static_cast<double>(drawing.pairs());
  double priority = 0;
  for (std::size_t count = 0; count < kMost; ++count) {
    priority -= portable::log(uniform(random)) / rate;
    const std::uint64_t pair = drawing.pair(random);
    if (priority > limit_) break;
    draw({priority, pair});
  }
}

void MeetingSample::add(const MeetingSample& other) {
  in_all_ += other.in_all_;
  for (const Meeting& meeting : other.drawn_) {
    if (meeting.priority <= limit_) draw(meeting);
  }
}

void MeetingSample::draw(const Meeting& meeting) {
  drawn_.push_back(meeting);
  if (drawn_.size() == 2 * kMost) trim();
}

void MeetingSample::trim() {
  if (drawn_.size() <= kMost) return;
  std::nth_element(drawn_.begin(), drawn_.begin() + kMost - 1, drawn_.end(), before);
  drawn_.resize(kMost);
  limit_ = drawn_.back().priority;
}

std::span<const Meeting> MeetingSample::drawn() {
  trim();
  std::sort(drawn_.begin(), drawn_.end(), before);
  return drawn_;
}

std::vector<std::uint64_t> MeetingSample::packed() const {
  std::vector<std::uint64_t> words{in_all_};
  for (const Meeting& meeting : drawn_) {
    words.push_back(std::bit_cast<std::uint64_t>(meeting.priority));
    words.push_back(meeting.pair);
  }
  return words;
}

MeetingSample MeetingSample::unpacked(std::span<const std::uint64_t> words) {
  MeetingSample sample;
  if (words.empty()) return sample;
  sample.in_all_ = words[0];
  for (std::size_t at = 1; at + 2 <= words.size(); at += 2) sample.draw({std::bit_cast<double>(words[at]), words[at + 1]});
  return sample;
}

}  // namespace nearkin
