#include "sweep.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "errors.h"
#include "split.h"

namespace nearkin::cli {
namespace {

constexpr std::size_t kMostPoints = 10'000;

constexpr std::pair<const char*, ParsedArgs::Text ParsedArgs::*> kNames[] = {
    {"rows", &ParsedArgs::rows},     {"bands", &ParsedArgs::bands},
    {"hashes", &ParsedArgs::hashes}, {"max-candidates", &ParsedArgs::max_candidates},
    {"probes", &ParsedArgs::probes}, {"width", &ParsedArgs::width},
    {"recall", &ParsedArgs::recall}, {"seed", &ParsedArgs::seed},
};

ParsedArgs::Text ParsedArgs::*member_of(const std::string& name) {
  std::string known;
  for (const auto& [word, member] : kNames) {
    if (name == word) return member;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", word);
  }
  throw UsageError(fmt::format("--sweep: \"{}\" cannot be swept; use one of {}", name, known));
}

std::vector<std::string> range(const std::string& text) {
  const std::vector<std::string> ends = split(text, ':');
  if (ends.size() > 3) throw UsageError(fmt::format("--sweep: \"{}\" is not from:to or from:to:step", text));
  const double from = positive(ends[0], "--sweep"), to = positive(ends[1], "--sweep");
  const double step = ends.size() == 3 ? positive(ends[2], "--sweep") : 1;
  if (step <= 0 || to < from) throw UsageError(fmt::format("--sweep: \"{}\" has no values; use from:to:step, such as 8:40:4", text));
  if ((to - from) / step >= kMostPoints) throw UsageError(fmt::format("--sweep: \"{}\" has more than {} values", text, kMostPoints));
  std::vector<std::string> values;
  // Counted, not added up, so that 0.1:0.9:0.1 ends where it should; nine digits take the rounding away.
  for (int i = 0; from + i * step <= to + step * 1e-9; ++i) values.push_back(fmt::format("{:.9g}", from + i * step));
  return values;
}

}  // namespace

std::vector<Sweep> sweeps_of(const ParsedArgs& typed) {
  std::vector<Sweep> sweeps;
  std::size_t points = 1;
  for (const std::string& text : typed.sweeps) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size()) {
      throw UsageError(fmt::format("--sweep: \"{}\" is not NAME=VALUES, such as rows=8:40:4 or bands=5,10,20", text));
    }
    Sweep sweep{.name = text.substr(0, equals), .values = {}};
    const ParsedArgs::Text& given = typed.*member_of(sweep.name);
    if (given) throw UsageError(fmt::format("--{}: given together with --sweep {}; leave one of them out", sweep.name, text));
    const std::string values = text.substr(equals + 1);
    sweep.values = values.find(':') != std::string::npos ? range(values) : split(values, ',');
    points *= sweep.values.size();
    if (points > kMostPoints) throw UsageError(fmt::format("--sweep: more than {} combinations; take fewer values", kMostPoints));
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

std::string fixed_flags(const ParsedArgs& typed, const std::vector<Sweep>& sweeps) {
  std::string out;
  const auto add = [&](const char* name, const ParsedArgs::Text& value) {
    const bool swept = std::any_of(sweeps.begin(), sweeps.end(), [&](const Sweep& sweep) { return sweep.name == name; });
    if (value && !swept) out += fmt::format(", --{} {}", name, *value);
  };
  for (const auto& [name, member] : kNames) add(name, typed.*member);
  add("shingle", typed.shingle);
  add("features", typed.features);
  add("binarise", typed.binarise);
  add("normalise", typed.normalise);
  return out;
}

std::vector<SweepPoint> sweep_points(const ParsedArgs& typed, const std::vector<Sweep>& sweeps) {
  std::vector<SweepPoint> points{{{}, typed}};
  for (const Sweep& sweep : sweeps) {
    std::vector<SweepPoint> next;
    for (const SweepPoint& point : points) {
      for (const std::string& value : sweep.values) {
        next.push_back(point);
        next.back().values.push_back(value);
        next.back().typed.*member_of(sweep.name) = value;
      }
    }
    points = std::move(next);
  }
  return points;
}

}  // namespace nearkin::cli
