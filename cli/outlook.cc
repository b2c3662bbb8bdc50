#include "outlook.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <nearkin/tools/forecast.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/theory.h>

#include "talk.h"

namespace nearkin::cli {
namespace {

/// A number of pairs that is an estimate: three digits of it, or one decimal.
std::string about(double number) {
  if (number < 0.05) return "none";
  if (number < 9.95) return fmt::format("about {:.1f}", number);
  const double scale = std::pow(10, std::max(0.0, std::floor(std::log10(number)) - 2));
  const double rounded = std::round(number / scale) * scale;
  return "about " + (rounded < 1e18 ? counted(static_cast<std::uint64_t>(rounded)) : fmt::format("{:.2g}", rounded));
}

std::string without_about(const std::string& text) { return text.starts_with("about ") ? text.substr(6) : text; }

/// "95 % interval 51,000 to 103,000", or nothing where the figure is certain or nobody knows.
template <typename Text>
std::string interval_text(const Forecast& forecast, Interval ForecastIntervals::*figure, Text&& text) {
  if (!forecast.intervals) return "";
  const Interval& interval = (*forecast.intervals).*figure;
  if (!(interval.low < interval.high)) return "";
  return fmt::format("95 % interval {} to {}", text(interval.low), text(interval.high));
}

std::string in_brackets(const std::string& text) { return text.empty() ? "" : fmt::format(" ({})", text); }

std::string pairs_interval(const Forecast& forecast, Interval ForecastIntervals::*figure) {
  return interval_text(forecast, figure, [](double pairs) { return without_about(about(pairs)); });
}

std::string seconds_text(double seconds) {
  if (seconds < 0.095) return fmt::format("{:.2f} s", std::max(seconds, 0.01));
  if (seconds < 99.5) return fmt::format("{:.{}f} s", seconds, seconds < 9.95 ? 1 : 0);
  if (seconds < 99.5 * 60) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 99.5 * 3600) return fmt::format("{:.0f} h", seconds / 3600);
  return counted(static_cast<std::uint64_t>(seconds / 86400), "day");
}

double border_of(const Plan& plan) { return is_distance(plan.measure) ? plan.radius : plan.threshold.value(); }
/// "at or above 0.8", "within 3.5"
std::string border_text(const Plan& plan) {
  return is_distance(plan.measure) ? fmt::format("within {}", plan.radius) : "at or above " + to_string(plan.threshold);
}
std::string beyond_text(const Plan& plan) {
  return is_distance(plan.measure) ? fmt::format("beyond {}", plan.radius) : "below " + to_string(plan.threshold);
}

bool has_curve(const Plan& plan) { return plan.band.bands > 0 && plan.band.rows > 0; }
bool knows_candidates(const Outlook& outlook) {
  return has_curve(outlook.plan) || (outlook.plan.exact_join() && outlook.sample && !outlook.sample->joined.empty());
}
bool knows_pairs(const Outlook& outlook) { return outlook.sample && (!outlook.sample->pairs.empty() || !outlook.sample->values.empty()); }

/// The pairs of the sample that the figure of similar pairs rests on. In a small collection the same pair is met again and again.
std::uint64_t seen(const Outlook& outlook) {
  const Plan& plan = outlook.plan;
  const DataSample& sample = *outlook.sample;
  const double radius = plan.measure == Measure::hamming && plan.radius < 1 ? plan.radius * sample.dimensions : plan.radius;
  const auto similar = [&](double x) { return is_distance(plan.measure) ? x <= radius * (1 + 1e-9) : x >= plan.threshold.value() - 1e-9; };
  std::uint64_t count = 0;
  for (const PairsAt& step : sample.pairs) count += similar(step.at) ? step.seen : 0;
  if (sample.pairs.empty()) count = static_cast<std::uint64_t>(std::count_if(sample.values.begin(), sample.values.end(), similar));
  return std::min(count, static_cast<std::uint64_t>(std::ceil(expect(plan, sample).similar - 1e-6)));
}

std::string missed_text(double pairs) { return pairs < 0.05 ? "fewer than one similar pair" : about(pairs) + " similar pairs on average"; }

std::string collection_text(const Outlook& outlook) {
  std::string text = counted(outlook.items, "item");
  if (!outlook.sample) return text + "; no input is given, so a typical collection is assumed";
  const DataSample& sample = *outlook.sample;
  if (sample.items != outlook.items) text += fmt::format(" like the {} of the input", counted(sample.items));
  if (sample.shingles > 0) text += fmt::format(", {:.{}f} shingles each on average", sample.shingles, sample.shingles < 9.95 ? 1 : 0);
  if (sample.asked > 0 && sample.asked < sample.items) {
    text += fmt::format("; sample: {}, each compared with {}", counted(sample.asked, "item"),
                        sample.against >= sample.items ? "all others" : counted(sample.against, "item"));
  } else if (!sample.values.empty()) {
    text += fmt::format("; sample: {}", counted(sample.values.size(), "random pair"));
  }
  return text;
}

/// Every item was compared with every other: the figures are counts, not estimates.
bool is_counted(const Outlook& outlook) { return outlook.sample->asked >= outlook.sample->items && outlook.items == outlook.sample->items; }

std::string similar_text(const Outlook& outlook) {
  const Expectation& expected = outlook.forecast.expected;
  const std::uint64_t rests_on = seen(outlook);
  const std::string interval = pairs_interval(outlook.forecast, &ForecastIntervals::similar);
  if (is_counted(outlook) && rests_on == 0) return "none " + border_text(outlook.plan);
  if (rests_on == 0) return fmt::format("none seen {}{}", border_text(outlook.plan), in_brackets(interval));
  const auto number = [&](double pairs) {
    return is_counted(outlook) ? counted(static_cast<std::uint64_t>(std::llround(pairs))) : about(pairs);
  };
  std::string text = number(expected.similar) + (number(expected.similar) == "1" ? " pair " : " pairs ") + border_text(outlook.plan);
  if (!is_counted(outlook)) text += fmt::format(" ({} seen in the sample{}{})", counted(rests_on), interval.empty() ? "" : "; ", interval);
  if (expected.copies >= 0.5)
    text += fmt::format(", including {} {} of equal items", number(expected.copies), number(expected.copies) == "1" ? "pair" : "pairs");
  return text;
}

std::string scratch_text(const Outlook& outlook) {
  const std::string bound = bytes_text(outlook.memory);
  if (outlook.forecast.scratch_bytes == 0) {
    const bool fits =
        outlook.memory == 0 || can_use_files(outlook.plan) || outlook.forecast.memory_bytes <= static_cast<double>(outlook.memory);
    return fits ? "none, because the run stays in memory"
                : fmt::format("none: all is held in memory, so a run with --memory {} is refused", bound);
  }
  return fmt::format("about {} in files", size_text(outlook.forecast.scratch_bytes)) +
         (outlook.memory == 0 ? ", because that much memory is not free"
                              : fmt::format(", because without files it might need more than --memory {}", bound));
}

std::vector<std::string> row_of(const Outlook& outlook, const Neighbour& neighbour, double chosen_work) {
  const Plan& plan = neighbour.planned.plan;
  std::vector<std::string> row = {fmt::format("{}x{}", plan.band.bands, plan.band.rows),
                                  std::to_string(plan.sketch.hashes),
                                  fmt::format("{:.6f}", found_probability(plan, border_of(plan))),
                                  without_about(about(neighbour.forecast.expected.candidates)),
                                  size_text(neighbour.forecast.memory_bytes),
                                  fmt::format("{:.2f}", neighbour.planned.work.total() / chosen_work),
                                  seconds_text(neighbour.forecast.seconds)};
  if (plan == outlook.plan) row.push_back(outlook.given ? "<- given" : "<- chosen");
  return row;
}

double work_of_chosen(const Outlook& outlook) {
  for (const Neighbour& neighbour : outlook.neighbours) {
    if (neighbour.planned.plan == outlook.plan) return neighbour.planned.work.total();
  }
  return 1;
}

/// Why a plan that costs less was not chosen.
std::string why_not_cheaper(const Outlook& outlook, double chosen) {
  if (outlook.given) return "";
  const auto is_cheaper = [&](bool larger) {
    return std::any_of(outlook.neighbours.begin(), outlook.neighbours.end(), [&](const Neighbour& neighbour) {
      const bool takes_more = neighbour.planned.plan.sketch.hashes > outlook.plan.sketch.hashes;
      return neighbour.planned.work.total() < 0.995 * chosen && takes_more == larger;
    });
  };
  std::string out;
  if (is_cheaper(false)) out += "a cheaper plan was not chosen, because the sample may have missed some neighbours\n";
  if (is_cheaper(true)) out += "there are cheaper plans with more hashes, but they take more memory; --rows R chooses one of them\n";
  return out;
}

std::string neighbours_table(const Outlook& outlook) {
  if (outlook.neighbours.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"bands", "hashes", "found", "candidates", "memory", "cost", "time"}};
  const double chosen = work_of_chosen(outlook);
  for (const Neighbour& neighbour : outlook.neighbours) rows.push_back(row_of(outlook, neighbour, chosen));
  std::vector<std::size_t> widths(8);
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out = fmt::format("\nfewer and more rows: found at the {}, and cost of hashing and comparing relative to the {} plan\n",
                                is_distance(outlook.plan.measure) ? "radius" : "threshold", outlook.given ? "given" : "chosen");
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out + why_not_cheaper(outlook, chosen);
}

std::string neighbour_json(const Outlook& outlook, const Neighbour& neighbour) {
  const Plan& plan = neighbour.planned.plan;
  JsonObject object;
  object.add("bands", plan.band.bands).add("rows", plan.band.rows).add("hashes", plan.sketch.hashes);
  object.add("probability", found_probability(plan, border_of(plan))).add("candidates", neighbour.forecast.expected.candidates);
  object.add("memory_bytes", neighbour.forecast.memory_bytes).add("cost", neighbour.planned.work.total() / work_of_chosen(outlook));
  return object.add("seconds", neighbour.forecast.seconds).add("chosen", plan == outlook.plan).text();
}

/// The figure, and as NAME_low and NAME_high what is known of it.
void add_figure(JsonObject& object, const std::string& name, double value, const Forecast& forecast, Interval ForecastIntervals::*figure) {
  object.add(name.c_str(), value);
  if (!forecast.intervals) return;
  const Interval& interval = (*forecast.intervals).*figure;
  object.add((name + "_low").c_str(), interval.low).add((name + "_high").c_str(), interval.high);
}

std::string expected_json(const Outlook& outlook) {
  const Forecast& forecast = outlook.forecast;
  const Expectation& expected = forecast.expected;
  JsonObject object;
  if (knows_pairs(outlook)) {
    add_figure(object, "similar", expected.similar, forecast, &ForecastIntervals::similar);
    object.add("copies", expected.copies).add("missed", expected.missed);
  }
  if (knows_candidates(outlook)) {
    add_figure(object, "candidates", expected.candidates, forecast, &ForecastIntervals::candidates);
    add_figure(object, "dropped", expected.dropped, forecast, &ForecastIntervals::dropped);
  }
  return object.text();
}

}  // namespace

Outlook outlook(const Plan& plan, Goal goal, Choices choices, std::uint64_t items, unsigned threads, std::uint64_t memory) {
  const MachineCosts costs = calibrate();
  const bool given = choices.bands && choices.rows;
  Outlook result{.plan = plan,
                 .given = given,
                 .sample = choices.sample,
                 .items = items,
                 .threads = threads,
                 .memory = memory,
                 .forecast = {},
                 .neighbours = {}};
  result.forecast = forecast(plan, choices, items, costs, threads, memory);
  // The plan was chosen already, perhaps by less than is known by now.
  goal.recall_at = plan.recall_at;
  choices.bands = plan.band.bands;
  choices.rows = plan.band.rows;
  choices.sample = choices.sample ? scaled(*choices.sample, items) : DataSample{.items = items};
  if (!has_curve(plan) || plan.nearest > 0) return result;
  bool added = false;
  for (PlanWork& other : alternatives(goal, choices)) {
    if (other.plan.band.bands == plan.band.bands && other.plan.band.rows == plan.band.rows) {
      if (std::exchange(added, true)) continue;
      other = {plan, work_of(plan, choices)};
    }
    result.neighbours.push_back({other, forecast(other.plan, choices, items, costs, threads, memory)});
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> outlook_figures(const Outlook& outlook) {
  const Expectation& expected = outlook.forecast.expected;
  const Plan& plan = outlook.plan;
  std::vector<std::pair<std::string, std::string>> figures = {{"collection", collection_text(outlook)}};
  if (knows_pairs(outlook)) {
    figures.emplace_back("similar", similar_text(outlook));
    if (plan.exact_join()) figures.emplace_back("missed", "none, as the join is exact");
    if (has_curve(plan) && expected.similar > expected.copies)
      figures.emplace_back("missed", missed_text(expected.missed) + " (false negatives)");
  }
  if (knows_candidates(outlook)) {
    figures.emplace_back("candidates", about(expected.candidates) + " to look at" +
                                           in_brackets(pairs_interval(outlook.forecast, &ForecastIntervals::candidates)));
    const char* const verified = plan.verify == Verify::none ? "reported, as nothing is verified" : "removed by verifying";
    if (knows_pairs(outlook)) {
      figures.emplace_back("dropped",
                           fmt::format("{} of them {} (false positives, {})", about(expected.dropped), beyond_text(plan), verified));
    }
  }
  figures.emplace_back("memory", "about " + size_text(outlook.forecast.memory_bytes) +
                                     in_brackets(interval_text(outlook.forecast, &ForecastIntervals::memory_bytes, size_text)));
  figures.emplace_back("scratch", scratch_text(outlook));
  if (outlook.forecast.seconds > 0) {
    const std::string threads = counted(outlook.threads, "thread");
    figures.emplace_back("time", fmt::format("about {} on this machine with {}{}", seconds_text(outlook.forecast.seconds), threads,
                                             in_brackets(interval_text(outlook.forecast, &ForecastIntervals::seconds, seconds_text))));
  }
  return figures;
}

std::string outlook_text(const Outlook& outlook) {
  std::string out = "\n";
  for (const auto& [name, value] : outlook_figures(outlook)) out += fmt::format("{:<10}  {}\n", name, value);
  return out + neighbours_table(outlook);
}

JsonObject outlook_json(const Outlook& outlook) {
  JsonObject object;
  object.add("items", outlook.items);
  if (outlook.sample) {
    const DataSample& sample = *outlook.sample;
    object.raw("sample", JsonObject()
                             .add("items", sample.items)
                             .add("asked", sample.asked)
                             .add("against", sample.against)
                             .add("shingles", sample.shingles)
                             .add("text_bytes", sample.text_bytes)
                             .text());
  }
  if (knows_pairs(outlook) || knows_candidates(outlook)) object.raw("expected", expected_json(outlook));
  add_figure(object, "memory_bytes", outlook.forecast.memory_bytes, outlook.forecast, &ForecastIntervals::memory_bytes);
  if (outlook.memory > 0) object.add("in_files", outlook.forecast.scratch_bytes > 0);
  if (outlook.forecast.scratch_bytes == 0)
    object.add("scratch_bytes", 0);
  else
    object.add("scratch_bytes", outlook.forecast.scratch_bytes);
  if (outlook.forecast.seconds > 0) {
    add_figure(object, "seconds", outlook.forecast.seconds, outlook.forecast, &ForecastIntervals::seconds);
    object.add("threads", outlook.threads);
  }
  object.raw("alternatives",
             json_array(outlook.neighbours, [&](const Neighbour& neighbour) { return neighbour_json(outlook, neighbour); }));
  return object;
}

}  // namespace nearkin::cli
