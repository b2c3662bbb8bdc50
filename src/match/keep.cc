#include "match/keep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

namespace nearkin {
namespace {

struct RuleName {
  Keep::Rule rule;
  std::string_view name;
};
constexpr std::array<RuleName, 6> kRules{{{Keep::Rule::first, "first"},
                                          {Keep::Rule::last, "last"},
                                          {Keep::Rule::longest, "longest"},
                                          {Keep::Rule::shortest, "shortest"},
                                          {Keep::Rule::max, "max"},
                                          {Keep::Rule::min, "min"}}};

}  // namespace

std::vector<Row> keep_order(const Keep& keep, std::span<const std::uint64_t> text_sizes, std::span<const double> numbers) {
  std::vector<Row> order(text_sizes.size());
  std::iota(order.begin(), order.end(), Row{0});
  // A number that is not there is worse than any; -∞ and +∞ are fine numbers.
  const auto better_number = [&](Row a, Row b, double sign) {
    const bool a_absent = std::isnan(numbers[a]), b_absent = std::isnan(numbers[b]);
    return a_absent || b_absent ? !a_absent && b_absent : sign * numbers[a] > sign * numbers[b];
  };
  switch (keep.rule) {
    case Keep::Rule::first: break;
    case Keep::Rule::last: std::reverse(order.begin(), order.end()); break;
    case Keep::Rule::longest:
      std::stable_sort(order.begin(), order.end(), [&](Row a, Row b) { return text_sizes[a] > text_sizes[b]; });
      break;
    case Keep::Rule::shortest:
      std::stable_sort(order.begin(), order.end(), [&](Row a, Row b) { return text_sizes[a] < text_sizes[b]; });
      break;
    case Keep::Rule::max: std::stable_sort(order.begin(), order.end(), [&](Row a, Row b) { return better_number(a, b, 1); }); break;
    case Keep::Rule::min: std::stable_sort(order.begin(), order.end(), [&](Row a, Row b) { return better_number(a, b, -1); }); break;
  }
  return order;
}

Keep parse_keep(std::string_view text, const std::string& subject) {
  const std::string_view rule_name = text.substr(0, text.find(':'));
  const bool has_field = rule_name.size() < text.size();
  for (const auto& [rule, name] : kRules) {
    if (name != rule_name) continue;
    const bool needs_field = rule == Keep::Rule::max || rule == Keep::Rule::min;
    if (needs_field && (!has_field || rule_name.size() + 1 == text.size())) {
      throw Error(ErrorCode::plan, subject, "\"" + std::string(text) + "\" names no field; write " + std::string(name) + ":FIELD");
    }
    if (!needs_field && has_field) break;
    return {.rule = rule, .field = has_field ? std::string(text.substr(rule_name.size() + 1)) : ""};
  }
  throw Error(ErrorCode::plan, subject, "\"" + std::string(text) + "\" is not first, last, longest, shortest, max:FIELD or min:FIELD");
}

std::string to_string(const Keep& keep) {
  const auto rule = std::find_if(kRules.begin(), kRules.end(), [&](const RuleName& r) { return r.rule == keep.rule; });
  return std::string(rule->name) + (keep.field.empty() ? "" : ":" + keep.field);
}

}  // namespace nearkin
