#include "runs/shown_hits.h"

#include <algorithm>

#include <nearkin/tools/compare.h>

#include "io/formats/result_rows.h"
#include "runs/excerpt.h"

namespace nearkin {
namespace {

constexpr std::size_t kShownHits = 40;

Match share_of_item(const Contamination& hit) { return {.a = 0, .b = 0, .shared = hit.covered, .total = hit.grams}; }

std::vector<std::vector<std::string>> table_of_suites(const std::vector<SuiteStats>& suites) {
  std::vector<std::vector<std::string>> rows{
      {"suite", "items", "too short", "items found", "in whole", "0.8 to below 1", "0.5 to below 0.8", "below 0.5", "records"}};
  for (const SuiteStats& suite : suites) {
    std::vector<std::string>& row = rows.emplace_back(std::vector<std::string>{suite.name});
    for (const std::uint64_t count :
         {suite.items, suite.too_short, suite.found(), suite.whole, suite.most, suite.half, suite.less, suite.records}) {
      row.push_back(std::to_string(count));
    }
  }
  return rows;
}

}  // namespace

void ShownHits::add(std::string_view id, std::string_view text, std::span<const Contamination> hits) {
  for (const Contamination& hit : hits) {
    const auto before = [](const Contamination& one, const Shown& other) {
      return nearer(share_of_item(one), share_of_item(other.hit), Measure::jaccard);
    };
    const auto place = std::upper_bound(shown_.begin(), shown_.end(), hit, before);
    if (place == shown_.end() && shown_.size() == kShownHits) continue;
    shown_.insert(place, {hit, std::string(id), excerpt_of(text, hit.begin, hit.end).text});
    if (shown_.size() > kShownHits) shown_.pop_back();
  }
}

void ShownHits::fill(Report& report, const Input& input, const DecontaminateStats& stats) const {
  ShinglePlan plan = suites_.tokens;
  plan.size = suites_.sought.plan().size;
  report.command = "decontaminate";
  report.inputs = input.paths;
  report.table = table_of_suites(stats.suites);
  report.pairs_in_all = stats.hits;
  report.skipped = stats.stats.faults.count - stats.stats.faults.kept;
  report.kept_unusable = stats.stats.faults.kept;
  report.figures = {{"records read", std::to_string(stats.stats.items)},
                    {"records with an item", std::to_string(stats.records)},
                    {"places", std::to_string(stats.hits)},
                    {"records that could not be read", std::to_string(stats.stats.faults.count)}};
  for (const Shown& shown : shown_) {
    ShownPair& pair = report.pairs.emplace_back();
    const Items& items = suites_.items[shown.hit.suite];
    pair.a = shown.id;
    pair.b = std::string(items.id(shown.hit.item));
    pair.why = "items of " + suites_.stats[shown.hit.suite].name;
    pair.comparison.shared = shown.hit.covered;
    pair.comparison.total = shown.hit.grams;
    pair.comparison.similarity = share_of_item(shown.hit).similarity();
    pair.texts = mark_shared(shown.excerpt, items.text(shown.hit.item), plan, kMostShownBytes);
  }
}

}  // namespace nearkin
