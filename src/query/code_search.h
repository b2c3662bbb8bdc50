// CodeSearch: the answers to a query by the codes of dense vectors.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "match/direction_codes.h"
#include "query/asking.h"

namespace nearkin {

/// Meets the items that may be an answer, the most promising first. One per thread, for one query after the other.
class CodeSearch {
 public:
  /// `members`: the row of each item of the codes. Both must outlive it.
  CodeSearch(const DirectionCodes& codes, std::span<const Row> members) : codes_(codes), members_(members), aim_(codes) {}

  /// `asking` has been started with this query, whose items are held by row.
  void look(Asking& asking, const Vectors& queries, Row row);
  /// How many codes of the higher levels were compared, over all queries.
  std::uint64_t long_codes() const { return long_codes_; }

 private:
  struct Scored {
    std::int32_t score;
    std::uint32_t item;
    auto operator<=>(const Scored&) const = default;
  };

  bool look_at_lowest(Asking& asking, std::size_t begin);
  bool look_at_near(Asking& asking, std::size_t begin);
  std::int32_t bound_of_lowest(std::size_t most);
  /// places_: the items from `begin` on with scores up to `most`.
  void take_places(std::size_t begin, std::int32_t most);
  /// found_, and places_: those of places_ with scores by longer codes up to `most`.
  void sift_places(std::size_t level, std::int32_t most);
  bool meet(Asking& asking, std::size_t item) { return asking.meet(members_.subspan(item, 1)); }

  const DirectionCodes& codes_;
  std::span<const Row> members_;
  CodeAim aim_;
  std::vector<std::int32_t> scores_, long_scores_, lowest_;
  std::vector<std::uint32_t> room_;
  std::span<std::uint32_t> places_;  // in room_
  std::vector<Scored> found_;
  std::uint64_t long_codes_ = 0;
};

}  // namespace nearkin
