#include <algorithm>
#include <initializer_list>
#include <map>
#include <ostream>
#include <utility>

#include <nearkin/error.h>
#include <nearkin/plan.h>

#include "base/unicode.h"
#include "theory/numbers.h"
#include "theory/plan_rules.h"

namespace nearkin {
namespace {

constexpr std::string_view kParts[] = {"recall", "shingle", "normalise", "sketch", "bands", "bucket", "join", "verify", "seed", "unicode"};

/// The parts of a line by name; the measure is kept under the empty name.
using Parts = std::map<std::string_view, std::string_view>;

[[noreturn]] void refuse(std::string_view subject, const std::string& message) {
  throw Error(ErrorCode::plan, std::string(subject), message);
}

std::string part_names() {
  std::string names;
  for (const std::string_view part : kParts) {
    names += part == kParts[0] ? "" : part == kParts[std::size(kParts) - 1] ? " and " : ", ";
    names += part;
  }
  return names;
}

void add_part(Parts& parts, std::string_view token) {
  const std::size_t equals = token.find('=');
  const std::string_view key = token.substr(0, equals);
  bool known = false;
  for (const std::string_view part : kParts) known = known || part == key;
  if (equals == std::string_view::npos || !known) refuse("plan", quoted(token) + " is not a part of a plan; the parts are " + part_names());
  const std::string_view value = token.substr(equals + 1);
  if (!parts.emplace(key, value).second) {
    refuse(key, "given twice, as " + quoted(parts[key]) + " and " + quoted(value) + "; remove one");
  }
}

Parts split(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\n";
  Parts parts;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;
       begin = line.find_first_not_of(kBlanks, begin)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    const std::string_view token = line.substr(begin, end - begin);
    if (parts.empty()) {
      parts.emplace("", token);
    } else {
      add_part(parts, token);
    }
    begin = end;
  }
  if (parts.empty()) refuse("plan", "the line is empty; a plan begins with its measure, such as jaccard>=0.8");
  return parts;
}

std::uint64_t parse_count(std::string_view text, const char* subject, const char* example) {
  const std::optional<std::uint64_t> value = parse_whole(text);
  if (!value) refuse(subject, quoted(text) + " is not a whole number, such as " + example);
  return *value;
}

void read_measure(Plan& plan, std::string_view text) {
  const std::size_t sign = text.find(">=");
  plan.measure = parse_measure(text.substr(0, sign));
  if (sign == std::string_view::npos) return;
  if (plan.measure == Measure::exact) refuse("threshold", "measure exact has none; write exact alone");
  plan.threshold = parse_ratio(text.substr(sign + 2), "threshold");
  require_threshold(plan.threshold.value());
}

void read_recall(Plan& plan, std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value) refuse("recall", quoted(text) + " is not a number between 0 and 1, such as 0.95");
  require_recall(*value);
  plan.recall = *value;
}

void read_unicode(std::string_view text) {
  const std::string ours = unicode_version();
  if (text == ours) return;
  const std::string theirs(text);
  const bool plain = !text.empty() && text.size() <= 20 && text.find_first_not_of("0123456789.") == std::string_view::npos;
  refuse("plan", "made with Unicode " + (plain ? theirs : quoted(text)) + ", this build has " + ours +
                     "; tune a new plan, or use a build of nearkin with the same Unicode tables");
}

void read_sketch(Plan& plan, std::string_view text) {
  constexpr std::string_view kFamily = "minhash:";
  const std::optional<std::uint64_t> hashes = text.starts_with(kFamily) ? parse_whole(text.substr(kFamily.size())) : std::nullopt;
  if (!hashes) refuse("sketch", quoted(text) + " is not minhash:K, such as minhash:128");
  require_hashes(*hashes);
  plan.sketch.hashes = static_cast<std::uint32_t>(*hashes);
}

void read_bands(Plan& plan, std::string_view text) {
  const std::size_t times = text.find('x');
  const std::optional<std::uint64_t> bands = parse_whole(text.substr(0, times));
  const std::optional<std::uint64_t> rows = times == std::string_view::npos ? std::nullopt : parse_whole(text.substr(times + 1));
  if (!bands || !rows) refuse("bands", quoted(text) + " is not BxR, bands times rows, such as 17x8");
  require_bands(*bands);
  require_rows(*rows);
  plan.band.bands = static_cast<std::uint32_t>(*bands);
  plan.band.rows = static_cast<std::uint32_t>(*rows);
}

void refuse_parts(const Parts& parts, std::initializer_list<std::string_view> names, const std::string& where) {
  for (const std::string_view part : names) {
    if (parts.contains(part)) refuse(part, quoted(parts.at(part)) + " has no place in a plan with " + where + "; remove it");
  }
}

/// Sketch and bands must agree: both, or neither and then the join is exact.
void read_search(Plan& plan, const Parts& parts) {
  if (parts.contains("join") && parts.at("join") != "exact") refuse("join", quoted(parts.at("join")) + " is not exact");
  if (parts.contains("join") || plan.recall == 1) {
    refuse_parts(parts, {"sketch", "bands", "bucket", "seed"}, parts.contains("join") ? "join=exact" : "recall=1");
    if (plan.verify != Verify::exact) refuse("verify", quoted(name(plan.verify)) + " has no place in an exact join; use exact");
    return;
  }
  if (!parts.contains("bands")) {
    refuse("bands", "absent, and recall " + shortest(plan.recall) + " needs them; add bands=BxR, such as bands=17x8, or recall=1");
  }
  read_bands(plan, parts.at("bands"));
  plan.sketch.hashes = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{plan.band.bands} * plan.band.rows, kMostHashes));
  if (parts.contains("sketch")) read_sketch(plan, parts.at("sketch"));
  require_fit(plan.band.bands, plan.band.rows, plan.sketch.hashes);
  if (parts.contains("bucket")) {
    const std::uint64_t bucket = parse_count(parts.at("bucket"), "bucket", "128");
    require_large_bucket(bucket);
    plan.band.large_bucket = static_cast<std::uint32_t>(bucket);
  }
  if (parts.contains("seed")) plan.sketch.seed = parse_count(parts.at("seed"), "seed", "1");
}

}  // namespace

std::string to_string(const Plan& plan) {
  std::string line(name(plan.measure));
  if (plan.measure != Measure::exact) {
    line += ">=" + to_string(plan.threshold) + " recall=" + shortest(plan.recall) + " shingle=" + shingle_name(plan.shingle);
  }
  line += " normalise=" + std::string(name(plan.shingle.normalise));
  if (plan.exact_join()) line += " join=exact";
  if (plan.sketch.hashes > 0) {
    line += " sketch=minhash:" + std::to_string(plan.sketch.hashes) + " bands=" + std::to_string(plan.band.bands) + "x" +
            std::to_string(plan.band.rows) + " bucket=" + std::to_string(plan.band.large_bucket);
  }
  if (plan.measure != Measure::exact) line += " verify=" + std::string(name(plan.verify));
  if (plan.sketch.hashes > 0) line += " seed=" + std::to_string(plan.sketch.seed);
  return line + " unicode=" + unicode_version();
}

std::ostream& operator<<(std::ostream& out, const Plan& plan) { return out << to_string(plan); }

Plan parse_plan(std::string_view line) {
  const Parts parts = split(line);
  Plan plan;
  if (parts.contains("unicode")) read_unicode(parts.at("unicode"));
  read_measure(plan, parts.at(""));
  if (parts.contains("shingle")) plan.shingle = parse_shingle(parts.at("shingle"));
  if (parts.contains("normalise")) plan.shingle.normalise = parse_normalise(parts.at("normalise"));
  if (plan.measure == Measure::exact) {
    refuse_parts(parts, {"recall", "shingle", "sketch", "bands", "bucket", "join", "verify", "seed"}, "measure exact");
    settle_exact(plan);
    return plan;
  }
  plan.shingle.bag = plan.measure == Measure::weighted_jaccard;
  if (parts.contains("recall")) read_recall(plan, parts.at("recall"));
  if (parts.contains("verify")) plan.verify = parse_verify(parts.at("verify"));
  read_search(plan, parts);
  return plan;
}

}  // namespace nearkin
