// How the pairs of a collection are spread over similarity, from a part of it.
#include <algorithm>
#include <optional>

#include <nearkin/run.h>
#include <nearkin/tools/sample.h>

#include "analysis/sample_join.h"
#include "analysis/sample_rows.h"
#include "analysis/scan.h"
#include "analysis/spread.h"
#include "collect/collect.h"
#include "feature/shingler.h"
#include "io/source/inputs.h"
#include "io/source/sample_records.h"
#include "match/shared_counter.h"
#include "query/points.h"
#include "theory/plan_rules.h"

namespace nearkin {
namespace {

// Random items, each against all that were sampled: fewer where they are so large that looking up their features would take much memory.
constexpr std::uint64_t kAsked = 256, kFewestAsked = 16;
constexpr double kAskedFeatures = 1 << 18;  // of all of them

// The features of all texts that have any.
Features features_of(const Strings& texts, const ShinglePlan& plan, double& bytes) {
  Shingler shingler(plan);
  Features features;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::span<const std::uint64_t> shingles = shingler.features(texts[i]);
    if (shingles.empty()) continue;
    features.hashes.insert(features.hashes.end(), shingles.begin(), shingles.end());
    features.ends.push_back(features.hashes.size());
    bytes += static_cast<double>(texts[i].size());
  }
  return features;
}

Spread spread_of(const Features& features, const std::vector<Row>& asked, const Plan& plan) {
  std::vector<std::span<const std::uint64_t>> items;
  for (const Row i : asked) items.push_back(features[i]);
  const SharedCounter counter(items);
  SharedCounter::Scratch scratch;
  const std::vector<std::uint8_t> parts = parts_of(asked, Spread::kParts);
  Spread spread(plan.measure, plan.radius);
  for (std::uint32_t j = 0; j < features.size(); ++j) {
    counter.count(features[j], scratch);
    for (const std::uint32_t i : scratch.touched) {
      if (asked[i] == j) continue;
      const double shared = scratch.shared[i];
      spread.add(shared / (static_cast<double>(items[i].size() + features[j].size()) - shared), parts[i]);
    }
    const std::uint64_t others = asked.size() - scratch.touched.size();
    spread.add(0, others, others * Spread::kDifferent, j);
  }
  return spread;
}

// Items of a collection that goes on behind its sample. How much of it there is cannot be told of every container alike, and a plan must
// not depend on the container; plans for ten times more or less differ little.
constexpr std::uint64_t kItemsOfLarge = 1'000'000;

// An item has as many relatives in a large collection as in a part of it; those that are alike by chance grow with the collection.
void keep_relatives(std::vector<PairsAt>& pairs, double share) {
  for (PairsAt& step : pairs) {
    if (step.at >= kRelated) step.pairs *= share;
  }
}

DataSample sample_part(const Input& input, const Plan& plan, std::uint64_t seed) {
  const RecordSample records = sample_records(input, seed);
  const auto seen = static_cast<double>(records.records), in_all = records.all ? seen : std::max<double>(seen, kItemsOfLarge);
  DataSample sample{.items = static_cast<std::uint64_t>(records.records == 0 ? 0 : in_all)};
  double bytes = 0;
  const Features features = features_of(records.texts, plan.shingle, bytes);
  if (features.size() < 2) return sample;
  const auto count = static_cast<double>(features.size());
  sample.shingles = static_cast<double>(features.hashes.size()) / count;
  sample.text_bytes = bytes / count;
  const auto fitting = static_cast<std::uint64_t>(kAskedFeatures / std::max(1.0, sample.shingles));
  const std::vector<Row> asked = sample_rows(features.size(), std::clamp(fitting, kFewestAsked, kAsked), seed);
  const double comparable = in_all * count / static_cast<double>(records.texts.size());
  const double pairs = comparable * (comparable - 1) / 2;
  const Spread spread = spread_of(features, asked, plan);
  sample.pairs = spread.scaled_to(pairs);
  sample.parts = spread.parts_scaled_to(pairs, std::min(Spread::kParts, asked.size()));
  keep_relatives(sample.pairs, seen / in_all);
  for (std::vector<PairsAt>& part : sample.parts) keep_relatives(part, seen / in_all);
  sample.asked = asked.size();
  sample.complete = records.all && sample.asked == features.size();
  sample.against = features.size();
  return sample;
}

constexpr std::uint64_t kMostVectorBytes = std::uint64_t{8} << 20, kMostBytesRead = std::uint64_t{16} << 20;  // of a look before a run

// Nothing is to be hashed.
Plan without_hashes(const Plan& plan) {
  Plan reading = plan;
  reading.sketch.hashes = 0;
  reading.band = {};
  return reading;
}

// All records are read once to know them, and once more to compare each with those asked for.
DataSample sample_whole(const Input& input, const Plan& plan, std::uint64_t seed) {
  Plan reading = plan;
  reading.sketch = {};
  reading.band = {};
  // Equal texts are told apart by one hash each; the answers of a table depend on its measure.
  if (plan.kind == Kind::shingles && plan.measure != Measure::hamming) reading.measure = Measure::exact;
  const RunOptions options;
  const Rows rows = collect(input, nullptr, reading, options);
  const Stage stage(plan, options);
  const SearchResult folded = fold_copies(rows, stage, {});
  DataSample sample = scan(rows, stage, folded, rows_to_ask(rows, folded, usual_questions(rows), seed)).sample;
  if (plan.exact_join() && plan.kind == Kind::shingles) sample.joined = sample_join(rows, stage, folded, seed);
  return sample;
}

DataSample sample_all_vectors(const Input& input, const Plan& plan, std::uint64_t seed) {
  const LoadedPoints loaded = load_points(input, plan, {});
  const auto* vectors = std::get_if<Vectors>(&loaded.points);
  if (vectors == nullptr) return {.items = loaded.ids.size(), .dimensions = loaded.columns};
  DataSample sample = sample_data(*vectors, plan.measure, seed);
  if (border_of(plan) <= 0) return sample;
  if (plan.exact_join()) sample.joined = sample_join(*vectors, plan, seed);
  DataSample scanned = sample_whole(input, plan, seed);
  sample.pairs = std::move(scanned.pairs);
  sample.parts = std::move(scanned.parts);
  sample.asked = scanned.asked;
  sample.complete = scanned.complete;
  sample.against = scanned.against;
  return sample;
}

}  // namespace

std::optional<DataSample> sample_sets(const Input& input, const Plan& plan, std::uint64_t seed, bool whole) {
  if (plan.measure == Measure::exact || plan.kind != Kind::shingles) return std::nullopt;
  if (whole) return can_be_read_again(input) ? std::optional(sample_whole(input, plan, seed)) : std::nullopt;
  if (always_exact(plan.measure) || finds_nearest_sets(plan) || plan.measure == Measure::hamming) return std::nullopt;
  return sample_part(input, plan, seed);
}

std::optional<DataSample> sample_data(const Input& input, const Plan& plan, const std::optional<std::uint64_t>& seed, bool whole) {
  if (plan.measure == Measure::exact) return std::nullopt;
  if (whole) return can_be_read_again(input) ? std::optional(sample_all_vectors(input, plan, seed.value_or(1))) : std::nullopt;
  const CollectedBeginning first = collect_beginning(
      input, without_hashes(plan), {.items = kSampledRecords, .vector_bytes = kMostVectorBytes, .bytes_read = kMostBytesRead});
  DataSample sample{.items = first.rows.size(), .dimensions = first.rows.columns};
  if (compares_vectors(plan)) sample = sample_data(first.rows.arrays.vectors, plan.measure, seed.value_or(1));
  if (!first.all) sample.items = std::max<std::uint64_t>(sample.items, kItemsOfLarge);
  return sample;
}

}  // namespace nearkin
