#include <algorithm>
#include <initializer_list>
#include <limits>

#include <nearkin/error.h>
#include <nearkin/plan.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/theory.h>

#include "base/in_quotes.h"
#include "base/unicode.h"
#include "theory/chances.h"
#include "theory/numbers.h"
#include "theory/plan_rules.h"

namespace nearkin {
namespace {

constexpr std::string_view kParts[] = {"recall",   "recall_at", "nearest", "features",   "shingle", "normalise", "ignore",
                                       "binarise", "sketch",    "width",   "dimensions", "bands",   "tables",    "probes",
                                       "bucket",   "join",      "verify",  "seed",       "unicode"};

/// The parts of a line by name; the measure is kept under the empty name.
using Parts = std::map<std::string_view, std::string_view>;

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
  if (equals == std::string_view::npos || !known)
    refuse_plan("plan", in_quotes(token) + " is not a part of a plan as tune prints it; the parts are " + part_names());
  const std::string_view value = token.substr(equals + 1);
  if (!parts.emplace(key, value).second) {
    refuse_plan(key, "given twice, as " + in_quotes(parts[key]) + " and " + in_quotes(value) + "; remove one");
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
  if (parts.empty()) refuse_plan("plan", "the line is empty; a plan begins with its measure, such as jaccard>=0.8");
  return parts;
}

void refuse_parts(const Parts& parts, std::initializer_list<std::string_view> names, const std::string& where) {
  for (const std::string_view part : names) {
    if (parts.contains(part)) refuse_plan(part, in_quotes(parts.at(part)) + " has no place in a plan with " + where + "; remove it");
  }
}

std::uint64_t parse_count(std::string_view text, const char* subject, const char* example) {
  const std::optional<std::uint64_t> value = parse_whole(text);
  if (!value) refuse_plan(subject, in_quotes(text) + " is not a whole number, such as " + example);
  return *value;
}

/// The part as a whole number of at least 1 in 32 bits; `otherwise` where it is absent.
std::uint32_t count_of(const Parts& parts, const char* part, const char* example, std::uint32_t otherwise) {
  if (!parts.contains(part)) return otherwise;
  const std::uint64_t value = parse_count(parts.at(part), part, example);
  require_between(value, 1, std::numeric_limits<std::uint32_t>::max(), part);
  return static_cast<std::uint32_t>(value);
}

double parse_distance(std::string_view text, const char* subject) {
  const std::optional<double> value = parse_number(text);
  if (!value) refuse_plan(subject, in_quotes(text) + " is not a number, such as 3.5");
  return *value;
}

void read_border(Plan& plan, std::string_view sign, std::string_view value) {
  const std::string measure(name(plan.measure));
  if (plan.measure == Measure::exact) refuse_plan("threshold", "measure exact has none; write exact alone");
  if (plan.nearest > 0) {
    refuse_plan(sign == "<=" ? "radius" : "threshold", in_quotes(value) + " has no place in a plan with nearest=" +
                                                           std::to_string(plan.nearest) + "; write " + measure + " alone");
  }
  if (is_distance(plan.measure) != (sign == "<=")) {
    refuse_plan(sign == "<=" ? "radius" : "threshold",
                measure + (is_distance(plan.measure) ? " is a distance and has a radius; write " + measure + "<=RADIUS"
                                                     : " is a similarity and has a threshold; write " + measure + ">=0.8"));
  }
  if (is_distance(plan.measure)) {
    plan.radius = parse_distance(value, "radius");
    require_radius(plan.measure, plan.radius);
  } else {
    plan.threshold = parse_ratio(value, "threshold");
    require_threshold(plan.threshold.value());
  }
}

void read_goal(Plan& plan, const Parts& parts) {
  const std::string_view text = parts.at("");
  const std::size_t sign = std::min(text.find(">="), text.find("<="));
  plan.measure = parse_measure(text.substr(0, sign));
  if (plan.measure != Measure::exact) plan.nearest = count_of(parts, "nearest", "10", 0);
  if (sign != std::string_view::npos)
    read_border(plan, text.substr(sign, 2), text.substr(sign + 2));
  else if (is_distance(plan.measure) && plan.nearest == 0) {
    const std::string measure(name(plan.measure));
    refuse_plan("radius", "absent, and " + measure + " needs one; write " + measure + "<=RADIUS, or add nearest=10");
  }
}

void read_recall(Plan& plan, std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value) refuse_plan("recall", in_quotes(text) + " is not a number between 0 and 1, such as 0.95");
  require_recall(*value);
  plan.recall = *value;
}

void read_unicode(std::string_view text) {
  const std::string ours = unicode_version();
  if (text == ours) return;
  const std::string theirs(text);
  const bool plain = !text.empty() && text.size() <= 20 && text.find_first_not_of("0123456789.") == std::string_view::npos;
  refuse_plan("plan", "made with Unicode " + (plain ? theirs : in_quotes(text)) + ", this build has " + ours +
                          "; tune a new plan, or use a build of nearkin with the same Unicode tables");
}

std::uint64_t parse_ignore(std::string_view text) {
  const std::optional<std::uint64_t> value = parse_hex(text);
  if (!value || *value == 0) refuse_plan("ignore", in_quotes(text) + " is not 16 hexadecimal digits, as a plan that ignores shingles has");
  return *value;
}

void read_features(Plan& plan, const Parts& parts) {
  plan.kind = usual_kind(plan.measure);
  if (parts.contains("features")) {
    const FeaturesChoice features = parse_features(parts.at("features"));
    plan.kind = features.kind;
    plan.tfidf = features.tfidf;
  }
  require_kind(plan.measure, plan.kind);
  if (!is_text(plan.kind)) refuse_parts(parts, {"shingle", "normalise", "ignore", "unicode"}, "features=" + std::string(name(plan.kind)));
  plan.shingle = parts.contains("shingle") ? parse_shingle(parts.at("shingle")) : usual_shingle(plan.measure, plan.kind);
  if (parts.contains("normalise")) plan.shingle.normalise = parse_normalise(parts.at("normalise"));
  require_normalise(plan.shingle);
  plan.shingle.bag = plan.measure == Measure::weighted_jaccard && plan.kind == Kind::shingles;
  if (parts.contains("ignore")) plan.shingle.ignore = parse_ignore(parts.at("ignore"));
  require_ignoring(plan);
  if (!parts.contains("binarise")) return;
  const auto [binarise, levels] = parse_binarise(parts.at("binarise"));
  require_binarise(plan.kind, binarise, levels);
  plan.binarise = binarise;
  plan.levels = levels;
}

void read_sketch(Plan& plan, std::string_view text) {
  const std::string family(name(plan.sketch.family));
  std::optional<std::uint64_t> hashes;
  if (text.starts_with(family + ":")) hashes = parse_whole(text.substr(family.size() + 1));
  if (!hashes) refuse_plan("sketch", in_quotes(text) + " is not " + family + ":K, such as " + family + ":128");
  const std::uint64_t count = hashes.value_or(0);  // g++ 12 does not see that refuse never returns, and warns of *hashes
  require_hashes(count);
  plan.sketch.hashes = static_cast<std::uint32_t>(count);
}

void read_bands(Plan& plan, std::string_view text) {
  const std::size_t times = text.find('x');
  const std::optional<std::uint64_t> bands = parse_whole(text.substr(0, times));
  const std::optional<std::uint64_t> rows = times == std::string_view::npos ? std::nullopt : parse_whole(text.substr(times + 1));
  if (!bands || !rows) refuse_plan("bands", in_quotes(text) + " is not BxR, bands times rows, such as 17x8");
  require_bands(*bands);
  require_rows(*rows);
  plan.band.bands = static_cast<std::uint32_t>(*bands);
  plan.band.rows = static_cast<std::uint32_t>(*rows);
}

/// What the family must know of the space.
void read_family(Plan& plan, const Parts& parts) {
  const std::string measure(name(plan.measure));
  if (plan.sketch.family == Family::gaussian || plan.sketch.family == Family::cauchy) {
    if (!parts.contains("width")) refuse_plan("width", "absent, and " + measure + " needs one; add width=W, such as four times the radius");
    plan.sketch.width = parse_distance(parts.at("width"), "width");
    require_width(plan.sketch.width);
  } else {
    refuse_parts(parts, {"width"}, "measure " + measure);
  }
  if (plan.measure != Measure::hamming) refuse_parts(parts, {"dimensions"}, "measure " + measure);
  plan.sketch.dimensions = count_of(parts, "dimensions", "256", 0);
  require_dimensions(plan, plan.sketch.dimensions, true);
}

void read_tables(Plan& plan, const Parts& parts) {
  refuse_parts(parts, {"bands", "probes", "bucket"}, "tables=" + std::string(parts.at("tables")));
  if (plan.nearest == 0)
    refuse_plan("tables", in_quotes(parts.at("tables")) + " are for a plan with nearest; add nearest=10, or use bands=BxR");
  const std::uint64_t tables = parse_count(parts.at("tables"), "tables", "64");
  require_bands(tables);
  plan.band.bands = static_cast<std::uint32_t>(tables);
  plan.sketch.hashes = std::min(plan.band.bands * prefix_depth(plan.sketch.family), kMostHashes);
  if (parts.contains("sketch")) read_sketch(plan, parts.at("sketch"));
  require_tables_fit(plan.band.bands, plan.sketch.family, plan.sketch.hashes);
}

void read_shape(Plan& plan, const Parts& parts) {
  if (!parts.contains("bands")) {
    const std::string tables = plan.nearest > 0 ? ", or tables=64" : "";
    refuse_plan("bands", "absent, and recall " + shortest(plan.recall) + " needs them; add bands=BxR, such as bands=17x8" + tables +
                             ", or recall=1");
  }
  read_bands(plan, parts.at("bands"));
  plan.sketch.hashes = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{plan.band.bands} * plan.band.rows, kMostHashes));
  if (parts.contains("sketch")) read_sketch(plan, parts.at("sketch"));
  require_fit(plan.band.bands, plan.band.rows, plan.sketch.hashes);
  plan.band.probes = count_of(parts, "probes", "8", 1);
  require_probes(plan.band.probes);
  require_probing(plan);
  if (!parts.contains("bucket")) return;
  const std::uint64_t bucket = parse_count(parts.at("bucket"), "bucket", "128");
  require_large_bucket(bucket);
  plan.band.large_bucket = static_cast<std::uint32_t>(bucket);
}

/// Sketch and bands must agree: both, or neither and then the join is exact.
void read_search(Plan& plan, const Parts& parts) {
  if (parts.contains("join") && parts.at("join") != "exact") refuse_plan("join", in_quotes(parts.at("join")) + " is not exact");
  const bool counted = finds_nearest_sets(plan) && !parts.contains("bands");
  if (always_exact(plan.measure) || counted) plan.recall = 1;
  if (parts.contains("join") || plan.recall == 1) {
    refuse_parts(parts, {"sketch", "width", "dimensions", "bands", "tables", "probes", "bucket", "seed"},
                 always_exact(plan.measure) ? "containment"
                 : counted                  ? "the nearest sets, which are found exactly"
                 : parts.contains("join")   ? "join=exact"
                                            : "recall=1");
    if (plan.verify != Verify::exact) refuse_plan("verify", in_quotes(name(plan.verify)) + " has no place in an exact join; use exact");
    return;
  }
  require_verify(plan);
  plan.sketch.family = family_of(plan.measure, plan.kind);
  if (parts.contains("tables"))
    read_tables(plan, parts);
  else
    read_shape(plan, parts);
  read_family(plan, parts);
  if (parts.contains("seed")) plan.sketch.seed = parse_count(parts.at("seed"), "seed", "1");
}

}  // namespace

Plan parse_plan(std::string_view line) {
  const Parts parts = split(line);
  Plan plan;
  if (parts.contains("unicode")) read_unicode(parts.at("unicode"));
  read_goal(plan, parts);
  if (plan.measure == Measure::exact) {
    refuse_parts(parts,
                 {"recall", "recall_at", "nearest", "features", "shingle", "ignore", "binarise", "sketch", "width", "dimensions", "bands",
                  "tables", "probes", "bucket", "join", "verify", "seed"},
                 "measure exact");
    if (parts.contains("normalise")) plan.shingle.normalise = parse_normalise(parts.at("normalise"));
    settle_exact(plan);
    return plan;
  }
  read_features(plan, parts);
  if (parts.contains("recall")) read_recall(plan, parts.at("recall"));
  if (parts.contains("verify")) plan.verify = parse_verify(parts.at("verify"));
  read_search(plan, parts);
  if (parts.contains("recall_at")) plan.recall_at = parse_recall_at(parts.at("recall_at"));
  require_recall_at(plan, plan.sketch.hashes > 0);
  return plan;
}

}  // namespace nearkin
