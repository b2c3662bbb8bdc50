#include "runs/shown_passages.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <nearkin/tools/compare.h>

#include "collect/features_again.h"
#include "runs/excerpt.h"

namespace nearkin {
namespace {

constexpr std::size_t kShownPassages = 200;

// One side; the whole place is marked.
MarkedText side_of(std::string_view text, std::size_t begin, std::size_t end) {
  const std::size_t left_out = end - begin > kMostShownBytes ? end - begin - kMostShownBytes : 0;
  const Excerpt excerpt = excerpt_of(text, begin, end - left_out);
  return {.text = excerpt.text,
          .shared = {{excerpt.begin, excerpt.end}},
          .parts = {{excerpt.begin, excerpt.end, 0}},
          .normalised = false,
          .left_out = left_out};
}

std::string percent_of(std::uint64_t part, std::uint64_t all) {
  std::array<char, 32> text{};
  const double share = all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
  std::snprintf(text.data(), text.size(), "%.3g %%", share);
  return text.data();
}

}  // namespace

void ShownPassages::add(const Passage& passage) {
  const auto longer = [](const Passage& one, const Passage& other) { return one.tokens > other.tokens; };
  const auto place = std::upper_bound(shown_.begin(), shown_.end(), passage, longer);
  if (place == shown_.end() && shown_.size() == kShownPassages) return;
  shown_.insert(place, passage);
  if (shown_.size() > kShownPassages) shown_.pop_back();
}

void ShownPassages::fill(Report& report, const Input& input, const PassageOptions& options, const PassageSearch& search,
                         const PassageStats& stats) const {
  report.command = "passages";
  report.inputs = input.paths;
  if (options.against) report.against = options.against->paths;
  report.pairs_in_all = stats.passages;
  report.skipped = stats.stats.faults.count;
  report.figures = {
      {"records read", std::to_string(stats.stats.items)},
      {options.against ? "records with a passage of the other collection" : "records that repeat a passage", std::to_string(stats.records)},
      {"passages", std::to_string(stats.passages)},
      {options.against ? "share of the text that both have" : "share of the text that repeats", percent_of(stats.repeated, stats.tokens)},
      {"records that could not be read", std::to_string(stats.stats.faults.count)}};
  TextReader text(search.rows);
  RowReader id(search.rows);
  for (const Passage& passage : shown_) {
    ShownPair& pair = report.pairs.emplace_back();
    const Row row = passage.row + search.rows.split;
    pair.a = std::string(id.id(row));
    pair.b = std::string(id.id(passage.in));
    pair.why = "the longest passages";
    pair.comparison.shared = passage.tokens;
    pair.comparison.total = passage.of;
    pair.comparison.similarity = static_cast<double>(passage.tokens) / static_cast<double>(passage.of);
    pair.texts.a = side_of(text(row), passage.begin, passage.end);
    pair.texts.b = side_of(text(passage.in), passage.in_begin, passage.in_end);
  }
}

}  // namespace nearkin
