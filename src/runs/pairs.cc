#include <algorithm>
#include <string>

#include <nearkin/error.h>
#include <nearkin/run.h>

#include "analysis/examine.h"
#include "collect/collect.h"
#include "runs/runs.h"
#include "search/search.h"

namespace nearkin {
namespace {

// Rows by representative: group(row) are all rows with the content of the representative `row`, ascending.
class CopyGroups {
 public:
  explicit CopyGroups(std::span<const Row> representative) : starts_(representative.size() + 1), rows_(representative.size()) {
    for (const Row row : representative) ++starts_[row + 1];
    for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    std::vector<Row> next(starts_.begin(), starts_.end() - 1);
    for (Row row = 0; row < representative.size(); ++row) rows_[next[representative[row]]++] = row;
  }
  std::span<const Row> operator[](Row row) const { return {rows_.data() + starts_[row], rows_.data() + starts_[row + 1]}; }

 private:
  std::vector<Row> starts_;
  std::vector<Row> rows_;
};

}  // namespace

void require_listable(std::uint64_t pairs, const RunOptions& options) {
  if (pairs <= options.max_pairs) return;
  throw Error(ErrorCode::plan, "max_pairs",
              std::to_string(pairs) + " pairs to list, the limit is " + std::to_string(options.max_pairs) +
                  "; use 'cluster' or 'dedup', which do not list pairs, or raise the limit");
}

PairsResult pairs(const Input& input, const Plan& plan, const RunOptions& options, const Input* against) {
  require_border(plan);
  Collection collection = collect(input, against, plan, options);
  return pairs_of(collection, input, against, plan, options);
}

PairsResult pairs_of(Collection& collection, const Input& input, const Input* against, const Plan& plan, const RunOptions& options) {
  const SearchResult found = search(collection, plan, {}, options);
  examine(collection, found, plan, Linkage::connected, options);
  StageClock clock;
  const bool across = against != nullptr, directed = plan.measure == Measure::containment;
  const CopyGroups groups(found.representative);
  PairsResult result{.ids = {}, .matches = {}, .verify = plan.verify, .measure = plan.measure, .stats = {}};
  const std::uint64_t count = count_pairs(found, across, plan.measure);
  require_listable(count, options);
  result.matches.reserve(count);
  for (Row row = 0; !across && row < found.representative.size(); ++row) {
    const std::span<const Row> copies = groups[row];
    for (std::size_t i = 0; i < copies.size(); ++i) {
      for (std::size_t j = directed ? 0 : i + 1; j < copies.size(); ++j) {
        if (i != j) result.matches.push_back({copies[i], copies[j], 1, 1});
      }
    }
  }
  for (const Match& match : found.matches) {
    for (const Row a : groups[match.a]) {
      for (const Row b : groups[match.b]) {
        const bool turn = !directed && b < a;
        result.matches.push_back({turn ? b : a, turn ? a : b, match.shared, match.total, match.value});
      }
    }
  }
  std::sort(result.matches.begin(), result.matches.end(), [](const Match& x, const Match& y) { return Pair{x.a, x.b} < Pair{y.a, y.b}; });
  result.ids = std::move(collection.ids);
  result.stats = std::move(collection.stats);
  result.stats.pairs = count;
  result.stats.seconds.emplace_back("list", clock.lap());
  result.stats.peak_bytes = peak_memory();
  finish_report("pairs", input, against, result.stats, options);
  return result;
}

}  // namespace nearkin
