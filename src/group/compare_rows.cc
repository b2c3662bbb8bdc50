#include "group/compare_rows.h"

#include <algorithm>

#include "collect/features_again.h"
#include "collect/sketcher.h"
#include "match/verify.h"

namespace nearkin {
namespace {

constexpr std::size_t kAtATime = 1024;  // pairs whose texts are read together

Row first_of(std::uint64_t pair) { return static_cast<Row>(pair >> 32); }
Row second_of(std::uint64_t pair) { return static_cast<Row>(pair); }

// Rows, and their features by row.
class LoadedRows {
 public:
  LoadedRows(const Rows& rows, const Stage& stage, std::span<const std::uint64_t> pairs) {
    for (const std::uint64_t pair : pairs) {
      wanted_.push_back(first_of(pair));
      wanted_.push_back(second_of(pair));
    }
    std::sort(wanted_.begin(), wanted_.end());
    wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
    features_ = load_features(rows, wanted_, stage.plan.shingle, stage.threads, false);
  }
  FeatureSpan operator[](Row row) const {
    return features_.items[static_cast<std::size_t>(std::lower_bound(wanted_.begin(), wanted_.end(), row) - wanted_.begin())];
  }

 private:
  std::vector<Row> wanted_;
  FeatureBlocks features_;
};

// EMPTY items share nothing of 1.
ComparedRows compare_sets(Row a, Row b, FeatureSpan of_a, FeatureSpan of_b) {
  const auto at_least_1 = [](std::size_t size) { return static_cast<std::uint32_t>(std::max<std::size_t>(1, size)); };
  ComparedRows compared{exact_match(a, b, of_a, of_b), at_least_1(of_a.size()), at_least_1(of_b.size())};
  compared.match.total = at_least_1(compared.match.total);
  return compared;
}

}  // namespace

Match ComparedRows::contained(Row member) const {
  Match share = match;
  if (member == match.b) std::swap(share.a, share.b);
  if (size_a != 0) share.total = member == match.b ? size_b : size_a;
  return share;
}

std::vector<ComparedRows> compare_rows(const Rows& rows, const Stage& stage, const SearchResult& found,
                                       std::span<const std::uint64_t> pairs) {
  const Plan& plan = stage.plan;
  std::vector<ComparedRows> compared(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) compared[i].match = {first_of(pairs[i]), second_of(pairs[i]), 0, 0};
  if (plan.measure == Measure::exact) {
    RowReader reader(rows);
    for (ComparedRows& one : compared) {
      const Hash128 content = reader.content(one.match.a);
      one.match.shared = found.empty[one.match.a] == 0 && content == reader.content(one.match.b);
      one.match.total = 1;
    }
  } else if (found.compare || (plan.verify != Verify::none && (compares_vectors(plan) || plan.verify == Verify::estimate))) {
    match_pairs(rows, stage, found, pairs, [&](std::size_t i, const Match& match) { compared[i].match = match; });
  } else if (plan.verify != Verify::none) {
    for (std::size_t begin = 0; begin < pairs.size(); begin += kAtATime) {
      const std::size_t end = std::min(pairs.size(), begin + kAtATime);
      const LoadedRows loaded(rows, stage, pairs.subspan(begin, end - begin));
      for (std::size_t i = begin; i < end; ++i) {
        const Row a = first_of(pairs[i]), b = second_of(pairs[i]);
        compared[i] = compare_sets(a, b, loaded[a], loaded[b]);
      }
    }
  }
  return compared;
}

}  // namespace nearkin
