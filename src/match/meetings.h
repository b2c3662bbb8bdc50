// Meetings: a random sample of the pairs that meet in large buckets. The rule for these compares few of them, so that what it leaves out
// can only be estimated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/items.h>

#include "match/pair_rule.h"

namespace nearkin {

/// How many pairs of these rows are looked for.
std::uint64_t pairs_among(std::span<const Row> rows, const PairRule& pairs);

/// Two rows in one large bucket, packed as a << 32 | b with a < b. Of all meetings those of the least priorities are a random sample.
struct Meeting {
  double priority;
  std::uint64_t pair;
};

/// The kMost meetings of the least priorities. What it holds in the end does not depend on the order in which buckets and samples are
/// added.
class MeetingSample {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 14;

  /// The pairs of a bucket that are looked for. `seed` must be the bucket's own.
  void add_bucket(std::span<const Row> rows, const PairRule& pairs, std::uint64_t seed);
  void add(const MeetingSample& other);
  /// As words, and back.
  std::vector<std::uint64_t> packed() const;
  static MeetingSample unpacked(std::span<const std::uint64_t> words);

  /// Pairs in the buckets that were added, each as often as it meets.
  std::uint64_t in_all() const { return in_all_; }
  /// By priority.
  std::span<const Meeting> drawn();

 private:
  template <typename Drawn>
  void add_drawing(const Drawn& drawing, std::uint64_t seed);
  void draw(const Meeting& meeting);
  void trim();

  std::uint64_t in_all_ = 0;
  std::vector<Meeting> drawn_;  // up to twice kMost
  double limit_ = 1e300;        // a meeting of a higher priority will not stay
};

/// Meetings that passed a test, each of which stands for `each` of them.
struct TestedMeetings {
  std::vector<std::uint64_t> pairs;  ///< a pair may be there more than once
  double each = 0;
  static constexpr std::size_t kMost = 2048;
};

/// The first that pass: is_likely(pair) is false for pairs that are certainly not similar.
template <typename IsLikely>
TestedMeetings tested(MeetingSample& sample, IsLikely&& is_likely) {
  TestedMeetings out;
  std::size_t looked_at = 0;
  for (const Meeting& meeting : sample.drawn()) {
    if (out.pairs.size() == TestedMeetings::kMost) break;
    ++looked_at;
    if (is_likely(meeting.pair)) out.pairs.push_back(meeting.pair);
  }
  if (looked_at > 0) out.each = static_cast<double>(sample.in_all()) / static_cast<double>(looked_at);
  return out;
}

}  // namespace nearkin
