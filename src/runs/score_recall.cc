#include "runs/score_recall.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <nearkin/tools/theory.h>

#include "analysis/recall_basis.h"

namespace nearkin {
namespace {

/// Two contents that some of the matches are between.
struct ContentPair {
  Row a, b;  // numbers of contents
  double probability, count;
};

/// That one of the searches finds a pair with these values.
double chance_of(const SearchedScore& search, std::span<const double> values, std::span<const Plan> plans) {
  double missed = 1;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const SearchedPart& searched = search.searched[k];
    const double value = values[searched.part];
    const bool equal = search.score.parts[searched.part].how == ScorePart::How::equal;
    if (value >= searched.level) missed *= equal ? 0 : 1 - found_probability(plans[k], value);
  }
  return 1 - missed;
}

/// Those that may be missed, each once: records that agree in what was searched are found or missed together.
std::vector<ContentPair> different_pairs(const SearchedScore& search, const SearchResult& found) {
  std::vector<Plan> plans;
  for (const SearchedPart& searched : search.searched)
    plans.push_back(plan_of_part(search.score.parts[searched.part], searched.level, search.options));
  std::vector<std::uint64_t> contents(search.contents.begin(), search.contents.end());
  std::sort(contents.begin(), contents.end());
  contents.erase(std::unique(contents.begin(), contents.end()), contents.end());
  const auto number = [&](Row row) {
    return static_cast<Row>(std::lower_bound(contents.begin(), contents.end(), search.contents[row]) - contents.begin());
  };
  const std::vector<std::uint32_t> copies = copies_of(found);
  const std::size_t parts = search.score.parts.size();
  std::map<std::pair<Row, Row>, ContentPair> pairs;
  std::size_t i = 0;
  found.matches.for_each([&](const Match& match) {
    const std::pair<Row, Row> key = std::minmax(number(match.a), number(match.b));
    const double chance = chance_of(search, search.values.subspan(parts * i++, parts), plans);
    const double count = static_cast<double>(copies[match.a]) * copies[match.b];
    if (chance < 1) pairs.try_emplace(key, ContentPair{key.first, key.second, std::max(chance, 1e-6), 0}).first->second.count += count;
  });
  std::vector<ContentPair> all;
  for (const auto& [key, pair] : pairs) all.push_back(pair);
  return all;
}

}  // namespace

Plan plan_of_part(const ScorePart& part, double level, const ScoreOptions& options) {
  if (part.how == ScorePart::How::equal) {
    Plan plan = tune({.measure = Measure::exact}, {});
    plan.shingle.normalise = part.shingle.normalise;
    return plan;
  }
  const double threshold = std::max(1e-6, std::floor(level * 1e6) / 1e6);
  return tune({.measure = Measure::jaccard, .threshold = threshold, .recall = options.recall},
              {.shingle = part.shingle, .large_bucket = BandPlan::kLargeBucketOfPairs, .seed = options.seed});
}

bool SearchedScore::finds_all() const {
  const auto is_certain = [&](const SearchedPart& one) { return score.parts[one.part].how == ScorePart::How::equal; };
  return options.recall >= 1 || std::all_of(searched.begin(), searched.end(), is_certain);
}

std::optional<Recall> recall_of_score(const SearchedScore& search, const SearchResult& found) {
  if (search.finds_all()) return Recall{};
  const std::vector<ContentPair> different = different_pairs(search, found);
  if (different.empty()) return std::nullopt;
  Matches distinct;
  for (const ContentPair& pair : different) distinct.push_back({pair.a, pair.b, 0, 1});
  const std::vector<std::uint32_t> groups = groups_of(distinct);
  std::vector<FoundPairs> pairs;
  for (std::size_t i = 0; i < different.size(); ++i)
    pairs.push_back({.probability = different[i].probability, .count = different[i].count, .group = groups[i]});
  return estimate_recall(pairs, {.at_threshold = search.options.recall});
}

}  // namespace nearkin
