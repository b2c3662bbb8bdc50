// What the rules that choose pairs share.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "collect/sketcher.h"
#include "group/copy_groups.h"
#include "group/decisions.h"
#include "io/formats/result_rows.h"
#include "search/match_sorter.h"
#include "search/search.h"

namespace nearkin {

/// What every rule needs to know of a search.
struct Choosing {
  Rows& rows;
  const Stage& stage;
  const SearchResult& found;
  CopyGroups copies;
  const Plan& plan;  ///< has the border
  bool directed;     ///< a match is one of its first row alone
  bool symmetric;    ///< either row of a match may be called first

  /// `narrower`: a plan with a narrower border than that of the search; only matches within it count. It must outlive this.
  Choosing(Rows& of, const Stage& by, const SearchResult& searched, const Plan* narrower = nullptr)
      : rows(of),
        stage(by),
        found(searched),
        copies(searched.representative),
        plan(narrower != nullptr ? *narrower : by.plan),
        directed(by.plan.measure == Measure::containment),
        symmetric(!directed && !of.across()) {
    if (narrower != nullptr) within_.emplace(plan, of);
  }

  void for_each_match(const std::function<void(const Match&)>& use) const {
    found.matches.for_each([&](const Match& match) {
      if (!within_ || (*within_)(match)) use(match);
    });
  }
  /// What the rows and what is known of each of them leave of the memory.
  std::uint64_t memory() const { return share_of(rows, stage, 41); }
  /// Up to three of them are in use at one time, beside half of the memory.
  MatchSorter sorter(const char* kind, MatchOrder before = {}) const {
    return {rows, memory() / 8, compares_vectors(stage.plan), kind, std::move(before)};
  }
  /// Copies are similar to one another, where they can be pairs: each of a group of them with itself.
  void add_copies(MatchSorter& sorter) const {
    if (rows.across()) return;
    for (Row row = 0; row < found.items(); ++row) {
      if (copies[row].size() < 2) continue;
      const Match match{row, row, 1, 1};
      sorter.add(std::span(&match, 1));
    }
  }
  /// Whether x comes before y by what a person accepted, or else by its similarity.
  bool comes_before(const Match& x, const Match& y) const {
    const bool accepted = is_accepted(found, x);
    return accepted == is_accepted(found, y) ? nearer(x, y, stage.plan.measure) : accepted;
  }
  /// Sorts what comes before the rest first, of equals by rows.
  MatchSorter nearest_first(const char* kind) const {
    return sorter(kind, [this](const Match& x, const Match& y) {
      if (comes_before(x, y)) return true;
      return !comes_before(y, x) && by_rows(x, y);
    });
  }
  Match pair(Row a, Row b, const Match& match) const {
    if (symmetric && b < a) std::swap(a, b);
    return {a, b, match.shared, match.total, match.value};
  }

 private:
  std::optional<WithinBorder> within_;
};

}  // namespace nearkin
