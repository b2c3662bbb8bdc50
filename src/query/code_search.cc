#include "query/code_search.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace nearkin {
namespace {

constexpr std::int32_t kAnyScore = std::numeric_limits<std::int32_t>::max();

// The value of the measure that an answer must reach, or for a distance, keep to.
double border_of(const Asking& asking, std::uint32_t dimensions) {
  const Plan& asked = asking.asked();
  double value = is_distance(asked.measure) ? std::numeric_limits<double>::infinity() : -1;
  if (asking.best().full()) value = asking.best().bar();
  if (asked.nearest != 0) return value;
  const double limit = Border(asked, dimensions).limit();
  return better(asked.measure, limit, value) ? limit : value;
}

}  // namespace

void CodeSearch::look(Asking& asking, const Vectors& queries, Row row) {
  constexpr std::size_t kStretch = 1 << 16;  // items whose scores are held
  aim_.aim(queries, row);
  for (std::size_t begin = 0; begin < codes_.size(); begin += kStretch) {
    aim_.score(begin, std::min(codes_.size(), begin + kStretch), scores_);
    if (asking.asked().nearest != 0 && !asking.best().full() && !look_at_lowest(asking, begin)) return;
    if (!look_at_near(asking, begin)) return;
  }
}

// A bound that at least `most` scores keep, and not many more: of the lowest scores of four times as many groups, the `most`-th.
std::int32_t CodeSearch::bound_of_lowest(std::size_t most) {
  if (most >= scores_.size()) return kAnyScore;
  const std::size_t group = std::max<std::size_t>(1, scores_.size() / (4 * most));
  lowest_.clear();
  for (std::size_t at = 0; at < scores_.size(); at += group) {
    lowest_.push_back(kernel::lowest_score(scores_.data() + at, std::min(group, scores_.size() - at)));
  }
  const auto bound = lowest_.begin() + static_cast<std::ptrdiff_t>(most - 1);
  std::nth_element(lowest_.begin(), bound, lowest_.end());
  return *bound;
}

void CodeSearch::take_places(std::size_t begin, std::int32_t most) {
  if (room_.size() < scores_.size()) room_.resize(scores_.size());
  places_ = std::span(room_).first(kernel::places_up_to(scores_.data(), scores_.size(), most, room_.data()));
  for (std::uint32_t& place : places_) place += static_cast<std::uint32_t>(begin);
}

void CodeSearch::sift_places(std::size_t level, std::int32_t most) {
  aim_.score(level, places_, long_scores_);
  long_codes_ += places_.size();
  found_.clear();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (long_scores_[i] <= most) found_.push_back({long_scores_[i], places_[i]});
  }
  for (std::size_t i = 0; i < found_.size(); ++i) places_[i] = found_[i].item;
  places_ = places_.first(found_.size());
}

// Once as many items as are asked for were compared, little else can be as near: so the first to be compared should be near.
bool CodeSearch::look_at_lowest(Asking& asking, std::size_t begin) {
  constexpr std::size_t kTimes = 2;
  const std::size_t most = std::size_t{asking.best().most()} + 1;  // one of them may be the row that is no answer
  take_places(begin, bound_of_lowest(kTimes * most));
  sift_places(1, kAnyScore);
  const std::size_t taken = std::min(found_.size(), most);
  std::partial_sort(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(taken), found_.end());
  found_.resize(taken);
  const bool go_on = std::all_of(found_.begin(), found_.end(), [&](const Scored& own) { return meet(asking, own.item); });
  asking.look();
  return go_on;
}

bool CodeSearch::look_at_near(Asking& asking, std::size_t begin) {
  constexpr std::size_t kTogether = 8;  // items compared before the border is drawn anew
  const auto most = [&](std::size_t level) { return aim_.most(level, aim_.distance_at(border_of(asking, codes_.dimensions()))); };
  const std::size_t last = aim_.levels() - 1;
  take_places(begin, most(0));
  for (std::size_t level = 1; level <= last; ++level) sift_places(level, most(level));
  // Only the first few of the heap are taken out.
  std::make_heap(found_.begin(), found_.end(), std::greater());
  bool go_on = true;
  std::int32_t bound = kAnyScore;
  for (std::size_t taken = 0; !found_.empty() && go_on; ++taken) {
    if (taken % kTogether == 0) {
      asking.look();
      bound = most(last);
    }
    if (found_.front().score > bound) break;
    go_on = meet(asking, found_.front().item);
    std::pop_heap(found_.begin(), found_.end(), std::greater());
    found_.pop_back();
  }
  asking.look();
  return go_on;
}

}  // namespace nearkin
