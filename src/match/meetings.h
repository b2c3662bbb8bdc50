// Meetings: a random sample of the pairs that meet in large buckets. The rule for large buckets compares only few of them; what it leaves
// out is estimated from this sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/items.h>

#include "match/pair_rule.h"

namespace nearkin {

/// The number of pairs of these rows that are searched for.
std::uint64_t pairs_among(std::span<const Row> rows, const PairRule& pairs);

/// Two rows in one large bucket, packed as a << 32 | b with a < b. The meetings with the least priorities are a random sample of all
/// meetings.
struct Meeting {
  double priority;
  std::uint64_t pair;
};

/// The kMost meetings of the least priorities. The result does not depend on the order in which buckets and samples are added.
class MeetingSample {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 14;

  /// Adds the pairs of a bucket that are searched for. `seed` must be different for each bucket.
  void add_bucket(std::span<const Row> rows, const PairRule& pairs, std::uint64_t seed);
  void add(const MeetingSample& other);
  /// Conversion to words and back.
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
  double limit_ = 1e300;        // a meeting with a higher priority would not be kept
};

/// Meetings that passed a test. Each represents `each` meetings.
struct TestedMeetings {
  std::vector<std::uint64_t> pairs;  ///< a pair may occur more than once
  double each = 0;
  static constexpr std::size_t kMost = 2048;
};

/// The first meetings that pass; is_likely(pair) is false for pairs that are certainly not similar.
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
