#include "report/words.h"

#include <charconv>
#include <cmath>

#include "base/unicode.h"
#include "theory/numbers.h"

namespace nearkin::page {
namespace {

constexpr std::size_t kMostOfId = 200;  // bytes
constexpr std::string_view kPercent = "\u00A0%";

std::string fixed(double value, int decimals) {
  char buffer[400];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals);
  return {buffer, result.ptr};
}

std::string without_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

/// Three digits, or all before the point.
std::string three_digits(double value) { return without_zeros(fixed(value, value < 10 ? 2 : value < 100 ? 1 : 0)); }

/// The share in percent, cut to so many decimals: nothing reads as if it reached what it does not.
std::string percent_digits(double share) {
  if (!(share > 0)) return "0";
  if (share >= 1) return "100";
  const int decimals = share < 1e-5 ? 5 : share < 0.01 || share >= 0.999 ? 3 : 1;
  double scale = 100;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  // A share written with so many decimals may be a last digit below them.
  return without_zeros(fixed(std::floor(share * scale * (1 + 1e-12)) / scale * 100, decimals));
}

std::string rounded_digits(double share) {
  if (share < 0.0005 || share >= 0.9995) return percent_digits(share);
  return fixed(100 * share, 1);
}

/// `measure` with its article.
std::string goal_of(const Plan& plan, const std::string& measure) {
  if (plan.measure == Measure::exact) return "with equal texts";
  if (!is_distance(plan.measure)) return "with " + measure + " of " + border_text(plan) + (plan.threshold.value() < 1 ? " or more" : "");
  const bool share = plan.measure == Measure::hamming && plan.radius < 1;
  return "within " + measure + " of " +
         (share ? percent_text(plan.radius) + (plan.kind == Kind::bits ? " of the bits" : " of the columns") : border_text(plan));
}

}  // namespace

std::string whole_text(std::uint64_t number) { return grouped(std::to_string(number)); }

std::string decimals_text(double value, int decimals) { return std::isfinite(value) ? grouped(fixed(value, decimals)) : "unknown"; }

std::string about_text(double number) {
  if (!std::isfinite(number)) return "unknown";
  if (number < 0.005) return number > 0 ? "less than 0.01" : "0";
  if (number < 1000) return three_digits(number);
  if (number < 1e6) {
    const double unit = number < 1e4 ? 10 : number < 1e5 ? 100 : 1000;
    const double round = std::floor(number / unit + 0.5) * unit;
    if (round < 1e6) return grouped(fixed(round, 0));
  }
  static constexpr std::string_view kNames[] = {" million", " billion", " trillion"};
  double scale = 1e6;
  for (const std::string_view name : kNames) {
    if (number < 999.5 * scale) return three_digits(number / scale) + std::string(name);
    scale *= 1000;
  }
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific, 2);
  return {buffer, result.ptr};
}

std::string roughly(double number) {
  if (!std::isfinite(number)) return "an unknown number of";
  return number < 0.005 ? about_text(number) : "about " + about_text(number);
}

std::string roughly(double number, const std::string& one) { return roughly(number) + ' ' + one + (about_text(number) == "1" ? "" : "s"); }

std::string missed_words(double missed, double all) {
  if (missed < 0.005) return "fewer than one (less than 0.01 on average)";
  if (missed < 1) return "fewer than one (" + about_text(missed) + " on average)";
  return roughly(missed) + (all > 0 ? " (" + percent_text(missed / all) + ")" : "");
}

std::string percent_text(double share) { return percent_digits(share) + std::string(kPercent); }

std::string rounded_percent(double share) { return rounded_digits(share) + std::string(kPercent); }

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
  static constexpr std::string_view kNames[] = {"kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t i = 0;
  for (; value >= 999.5 && i + 1 < std::size(kNames); ++i) value /= 1000;
  return three_digits(value) + "\u00A0" + std::string(kNames[i]);
}

std::string seconds_text(double seconds) {
  if (!std::isfinite(seconds) || seconds > 1e12) return "unknown";
  if (seconds < 0.001) return "under 0.001\u00A0s";
  if (seconds < 99.5) return without_zeros(fixed(seconds, seconds < 1 ? 3 : seconds < 10 ? 2 : 1)) + "\u00A0s";
  const auto minutes = static_cast<std::uint64_t>(std::floor(seconds / 60));
  if (minutes >= 120) return whole_text(minutes / 60) + "\u00A0h " + std::to_string(minutes % 60) + "\u00A0min";
  return std::to_string(minutes) + "\u00A0min " + fixed(std::floor(seconds - 60 * static_cast<double>(minutes)), 0) + "\u00A0s";
}

std::string recall_text(const Recall& recall) {
  if (recall.low == recall.high) return rounded_percent(recall.estimate);
  return rounded_percent(recall.estimate) + " (95\u00A0% interval " + interval_text(recall) + ")";
}

std::string interval_text(const Recall& recall) { return rounded_digits(recall.low) + " to " + rounded_percent(recall.high); }

std::string measure_text(Measure measure) {
  switch (measure) {
    case Measure::jaccard: return "Jaccard similarity";
    case Measure::weighted_jaccard: return "weighted Jaccard similarity";
    case Measure::containment: return "containment";
    case Measure::cosine: return "cosine similarity";
    case Measure::hamming: return "Hamming distance";
    case Measure::euclidean: return "Euclidean distance";
    case Measure::manhattan: return "Manhattan distance";
    case Measure::exact: return "equality";
  }
  return {};
}

std::string value_name(Measure measure) {
  if (measure == Measure::containment) return "containment";
  return is_distance(measure) ? "distance" : "similarity";
}

std::string border_name(Measure measure) { return is_distance(measure) ? "radius" : "threshold"; }

std::string border_text(const Plan& plan) { return is_distance(plan.measure) ? shortest(plan.radius) : to_string(plan.threshold); }

bool has_goal(const Plan& plan) { return !is_distance(plan.measure) || plan.radius > 0 || plan.nearest > 0; }

bool verifies(const Plan& plan) { return plan.verify == Verify::exact || plan.sketch.hashes == 0; }

std::string found_name(const Plan& plan) { return plan.verify == Verify::none && !verifies(plan) ? "candidate" : "pair"; }

std::string found_text(std::uint64_t count, const Plan& plan) {
  const std::string found = counted(count, found_name(plan)), goal = goal_text(plan);
  if (verifies(plan)) return found + ' ' + goal;
  if (plan.verify == Verify::none) return found + " (not verified) that may be " + (count == 1 ? "a pair " : "pairs ") + goal;
  return found + ' ' + estimated_goal_text(plan);
}

std::string goal_text(const Plan& plan) { return goal_of(plan, "a " + measure_text(plan.measure)); }

std::string estimated_goal_text(const Plan& plan) { return goal_of(plan, "an estimated " + measure_text(plan.measure)); }

std::string paths_text(const std::vector<std::string>& paths) {
  if (paths.empty()) return {};
  if (paths.size() > 1) return counted(paths.size(), "input");
  return paths.front() == "-" ? "standard input" : paths.front();
}

std::string id_text(std::string_view id) {
  if (id.size() <= kMostOfId) return std::string(id);
  const char* const end = id.data() + id.size();
  std::size_t fits = 0;
  for (const char* p = id.data(); p != end;) {
    next_code_point(p, end);
    const auto read = static_cast<std::size_t>(p - id.data());
    if (read > kMostOfId) break;
    fits = read;
  }
  return std::string(id.substr(0, fits)) + "\u2026";
}

std::string value_text(const Comparison& comparison, Measure measure) {
  if (measure == Measure::exact) return comparison.similarity >= 1 ? "equal" : "not equal";
  const bool fraction = comparison.total > 0 && comparison.total <= UINT32_MAX && !is_distance(measure);
  if (!fraction) return value_text(comparison.similarity, measure);
  return measured_text({0, 0, static_cast<std::uint32_t>(comparison.shared), static_cast<std::uint32_t>(comparison.total)}, measure);
}

std::string value_text(double value, Measure measure) {
  if (!std::isfinite(value)) return "unknown";
  if (std::abs(value) > 1e12) return shortest(value);  // beyond what has decimals
  return measured_text({0, 0, 0, 0, value}, measure);
}

std::string part_name(const Plan& plan) {
  if (plan.kind != Kind::shingles) return {};
  return plan.shingle.token == Token::element ? "element" : "shingle";
}

std::string wanted_text(const Plan& plan) {
  return plan.nearest == 0 ? "pairs " + goal_text(plan) : "for each query, " + nearest_text(plan);
}

std::string nearest_text(const Plan& plan) {
  return "the " + (plan.nearest == 1 ? std::string("item") : whole_text(plan.nearest) + " items") + " nearest to it by " +
         measure_text(plan.measure);
}

std::string item_name(const Report& report) {
  switch (report.unit.kind) {
    case Unit::Kind::document: return "item";
    case Unit::Kind::paragraph: return "paragraph";
    case Unit::Kind::line: return "line";
    case Unit::Kind::sentence: return "sentence";
    case Unit::Kind::window: return "window";
  }
  return {};
}

std::string scope_text(const Scope& scope) {
  // A field whose name begins with a NUL is a record of its own, which no user named.
  if (scope.rule == Scope::Rule::none || scope.field.empty() || scope.field[0] == '\0') return {};
  const bool within = scope.rule == Scope::Rule::within;
  if (scope.field == "file" || scope.field == "folder") return within ? "of the same " + scope.field : "of different " + scope.field + "s";
  return std::string(within ? "with the same value" : "with different values") + " of the field \u201C" + scope.field + "\u201D";
}

std::string cluster_across(const Report& report) {
  if (report.against.empty()) return {};
  const std::string one = paths_text(report.inputs), other = paths_text(report.against);
  return "Each item of " + one + " that has a match is assigned to the item of " + other + " that is the most similar to it; an item of " +
         other + " and those assigned to it form a cluster.";
}

std::string other_ties(const Report& report) {
  std::vector<std::string> ties;
  if (report.plan && report.plan->measure == Measure::containment) ties.emplace_back("containment in the other direction");
  if (report.decisions) ties.emplace_back("a person\u2019s decision");
  if (report.linkage == Linkage::connected || ties.empty()) ties.emplace_back("a chain of similar pairs");
  std::string out;
  for (const std::string& tie : ties) out += (out.empty() ? "" : " or ") + tie;
  return out;
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace nearkin::page
