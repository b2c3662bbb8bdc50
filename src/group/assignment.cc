// Shortest augmenting paths with prices (Kuhn 1955, Munkres 1957; sparse and with amounts as in a minimum cost flow).
//
// Every left and right has a price of 0 or more, and no offer gains more than its two prices together. Where an offer is taken it gains
// just that much, and whoever has some left costs 0: then no other choice can gain more (duality). One left after the other gets its
// partners. Each time, the cheapest way is looked for: over offers that are not taken, and back over ones that are, to a right that has
// some left, or to a left that had better stay alone. Then the prices of all who were nearer than the end of that way change by the
// difference.
#include "group/assignment.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

namespace nearkin {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

class Assignment {
 public:
  Assignment(std::span<const Offer> offers, std::span<const std::uint32_t> left, std::span<const std::uint32_t> right,
             std::uint64_t most_steps)
      : offers_(offers),
        steps_left_(most_steps),
        first_(left.size() + 1),
        left_free_(left.begin(), left.end()),
        right_free_(right.begin(), right.end()),
        left_price_(left.size()),
        right_price_(right.size()),
        taken_(offers.size()),
        takers_(right.size()),
        lefts_(left.size()),
        rights_(right.size()) {
    for (const Offer& offer : offers) ++first_[offer.left + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  }

  /// False: too many steps.
  bool solve() {
    for (std::uint32_t left = 0; left < left_free_.size(); ++left) {
      for (std::uint32_t at = first_[left]; at < first_[left + 1]; ++at)
        left_price_[left] = std::max(left_price_[left], offers_[at].gain - right_price_[offers_[at].right]);
      while (left_free_[left] > 0 && left_price_[left] > 0) {
        const std::optional<End> end = cheapest_way(left);
        if (!end) return false;
        change_prices(end->cost);
        take(left, *end);
        forget();
      }
    }
    return true;
  }

  std::vector<std::uint32_t> taken() && { return std::move(taken_); }

 private:
  struct Reached {
    std::int64_t cost = kFar;
    std::uint32_t by = kNone;  // the offer
  };
  /// Where a way ends: at a right that has some left, or (right: kNone) at a left that gives up a partner.
  struct End {
    std::int64_t cost;
    std::uint32_t left, right;
  };
  struct Next {
    std::int64_t cost;
    std::uint32_t right;
    bool is_full;
    /// If two are equally cheap, the one that has some left comes first: the way ends there.
    bool operator>(const Next& other) const { return std::tie(cost, is_full, right) > std::tie(other.cost, other.is_full, other.right); }
  };

  std::optional<End> cheapest_way(std::uint32_t from) {
    End end{left_price_[from], from, kNone};
    reach(from, {0, kNone});
    if (!look_from(from, end)) return std::nullopt;
    while (!next_.empty()) {
      const auto [cost, right, is_full] = next_.top();
      next_.pop();
      if (cost >= end.cost) break;
      if (cost > rights_[right].cost) continue;  // a cheaper way was found since
      if (!is_full) return End{cost, kNone, right};
      for (const std::uint32_t offer : takers_[right]) {
        const std::uint32_t left = offers_[offer].left;
        if (lefts_[left].cost != kFar) continue;
        reach(left, {cost, offer});
        if (cost + left_price_[left] < end.cost) end = {cost + left_price_[left], left, kNone};
        if (!look_from(left, end)) return std::nullopt;
      }
    }
    return end;
  }

  void reach(std::uint32_t left, Reached how) {
    lefts_[left] = how;
    met_lefts_.push_back(left);
  }

  bool look_from(std::uint32_t left, const End& end) {
    const std::uint64_t steps = first_[left + 1] - first_[left];
    if (steps > steps_left_) return false;
    steps_left_ -= steps;
    const std::int64_t so_far = lefts_[left].cost + left_price_[left];
    for (std::uint32_t at = first_[left]; at < first_[left + 1]; ++at) {
      const std::uint32_t right = offers_[at].right;
      const std::int64_t cost = so_far + right_price_[right] - offers_[at].gain;
      if (cost >= end.cost || cost >= rights_[right].cost) continue;
      if (rights_[right].cost == kFar) met_rights_.push_back(right);
      rights_[right] = {cost, at};
      next_.push({cost, right, right_free_[right] == 0});
    }
    return true;
  }

  void change_prices(std::int64_t cost) {
    for (const std::uint32_t left : met_lefts_) left_price_[left] -= std::max<std::int64_t>(0, cost - lefts_[left].cost);
    for (const std::uint32_t right : met_rights_) right_price_[right] += std::max<std::int64_t>(0, cost - rights_[right].cost);
  }

  /// As many as the way lets through.
  void take(std::uint32_t from, const End& end) {
    std::uint32_t many = left_free_[from];
    if (end.right != kNone) many = std::min(many, right_free_[end.right]);
    along(end, [&](std::uint32_t offer, bool back) { many = back ? std::min(many, taken_[offer]) : many; });
    along(end, [&](std::uint32_t offer, bool back) { back ? give_up(offer, many) : take_more(offer, many); });
    left_free_[from] -= many;
    if (end.right != kNone) right_free_[end.right] -= many;
    if (end.right == kNone) left_free_[end.left] += many;
  }

  /// The offers of the way, the last one first.
  template <typename Use>
  void along(const End& end, Use&& use) const {
    std::uint32_t right = end.right;
    if (right == kNone) {
      const std::uint32_t offer = lefts_[end.left].by;
      if (offer == kNone) return;
      use(offer, true);
      right = offers_[offer].right;
    }
    for (;;) {
      const std::uint32_t offer = rights_[right].by;
      use(offer, false);
      const std::uint32_t back = lefts_[offers_[offer].left].by;
      if (back == kNone) return;
      use(back, true);
      right = offers_[back].right;
    }
  }

  void take_more(std::uint32_t offer, std::uint32_t many) {
    if (taken_[offer] == 0) takers_[offers_[offer].right].push_back(offer);
    taken_[offer] += many;
  }
  void give_up(std::uint32_t offer, std::uint32_t many) {
    taken_[offer] -= many;
    if (taken_[offer] == 0) std::erase(takers_[offers_[offer].right], offer);
  }

  void forget() {
    for (const std::uint32_t left : met_lefts_) lefts_[left] = {};
    for (const std::uint32_t right : met_rights_) rights_[right] = {};
    met_lefts_.clear();
    met_rights_.clear();
    next_ = {};
  }

  std::span<const Offer> offers_;
  std::uint64_t steps_left_;
  std::vector<std::uint32_t> first_;  // of each left, its first offer
  std::vector<std::uint32_t> left_free_, right_free_;
  std::vector<std::int64_t> left_price_, right_price_;
  std::vector<std::uint32_t> taken_;                // of each offer, how often
  std::vector<std::vector<std::uint32_t>> takers_;  // of each right, the offers that are taken
  // State of the search for a way:
  std::vector<Reached> lefts_, rights_;
  std::vector<std::uint32_t> met_lefts_, met_rights_;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next_;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> greatest_sum(std::span<const Offer> offers, std::span<const std::uint32_t> left,
                                                       std::span<const std::uint32_t> right, std::uint64_t most_steps) {
  Assignment assignment(offers, left, right, most_steps);
  if (!assignment.solve()) return std::nullopt;
  return std::move(assignment).taken();
}

}  // namespace nearkin
