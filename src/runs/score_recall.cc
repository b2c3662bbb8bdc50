#include "runs/score_recall.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <nearkin/tools/theory.h>

#include "analysis/recall_basis.h"
#include "group/linkage.h"

namespace nearkin {
namespace {

/// Two contents that some of the matches are between.
struct ContentPair {
  Row a, b;  // numbers of contents
  double probability, count;
};

/// Whether a pair with these values is equal in a field that was searched: no search can miss it.
bool is_certain(const SearchedScore& search, std::span<const double> values) {
  return std::any_of(search.searched.begin(), search.searched.end(), [&](const SearchedPart& one) { return values[one.part] == 1; });
}

/// That one of the searches finds a pair with these values, which may be missed.
double chance_of(const SearchedScore& search, std::span<const double> values, std::span<const Plan> plans) {
  double missed = 1;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const SearchedPart& searched = search.searched[k];
    const double value = values[searched.part];
    const bool equal = search.score.parts[searched.part].how == ScorePart::How::equal;
    if (value >= searched.level && !equal) missed *= 1 - found_probability(plans[k], value);
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
    const std::span<const double> values = search.values.subspan(parts * i++, parts);
    if (is_certain(search, values)) return;
    const double chance = chance_of(search, values, plans);
    const double count = static_cast<double>(copies[match.a]) * copies[match.b];
    pairs.try_emplace(key, ContentPair{key.first, key.second, std::max(chance, 1e-6), 0}).first->second.count += count;
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
              {.shingle = part.shingle, .large_bucket = options.large_bucket, .seed = options.seed});
}

bool SearchedScore::finds_all() const {
  const auto is_certain = [&](const SearchedPart& one) { return score.parts[one.part].how == ScorePart::How::equal; };
  return options.recall >= 1 || std::all_of(searched.begin(), searched.end(), is_certain);
}

void LeftOutOfScore::add(const Rows& own, const Stage& stage, const SearchResult& found, std::span<const Row> common) {
  const LeftOut left_out = left_out_of({own, stage, found, copies_of(found)});
  each += left_out.each;
  if (left_out.matches.empty()) return;
  std::vector<Row> member(found.items(), kNoRow);  // of each representative, one of the records that it stands for
  for (Row row = 0; row < found.items(); ++row) {
    Row& chosen = member[found.representative[row]];
    if (common[row] != kNoRow && (chosen == kNoRow || mix64(row) < mix64(chosen))) chosen = row;
  }
  for (std::size_t i = 0; i < left_out.matches.size(); ++i) {
    const Row a = member[left_out.matches[i].a], b = member[left_out.matches[i].b];
    if (a == kNoRow || b == kNoRow) continue;
    const auto [first, second] = std::minmax(common[a], common[b]);
    pairs.push_back(std::uint64_t{first} << 32 | second);
    counts.push_back(left_out.counts[i]);
  }
}

LeftOut LeftOutOfScore::reaching(Ratio threshold, const SearchResult& found) const {
  LeftOut out{.matches = {}, .counts = {}, .each = each};
  if (pairs.empty()) return out;
  const Matches& known = *found.matches.in_memory();
  const Matches scored = found.compare(pairs);
  for (std::size_t i = 0; i < scored.size(); ++i) {
    const auto [a, b] = std::minmax(found.representative[scored[i].a], found.representative[scored[i].b]);
    const bool reaches = scored[i].shared * threshold.denominator >= threshold.numerator * scored[i].total;
    if (!reaches || a == b || std::binary_search(known.begin(), known.end(), Match{a, b, 0, 1}, by_rows)) continue;
    out.matches.push_back(scored[i]);
    out.counts.push_back(counts[i]);
  }
  return out;
}

std::optional<Recall> recall_of_score(const SearchedScore& search, const SearchResult& found) {
  if (search.finds_all()) return Recall{};
  const LeftOut left_out = search.left_out.reaching(ratio(search.options.threshold), found);
  const std::vector<ContentPair> different = different_pairs(search, found);
  if (different.empty()) return left_out.matches.empty() ? std::nullopt : std::optional(recall_with(left_out, 0, {}));
  Matches distinct;
  for (const ContentPair& pair : different) distinct.push_back({pair.a, pair.b, 0, 1});
  const std::vector<std::uint32_t> groups = groups_of(distinct);
  std::vector<FoundPairs> pairs;
  for (std::size_t i = 0; i < different.size(); ++i)
    pairs.push_back({.probability = different[i].probability, .count = different[i].count, .group = groups[i]});
  const Recall met = estimate_recall(pairs, {.at_threshold = search.options.recall});
  if (left_out.each == 0) return met;
  double count = 0;
  for (const ContentPair& pair : different) count += pair.count;
  return recall_with(left_out, count, met);
}

}  // namespace nearkin
