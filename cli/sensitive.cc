#include "sensitive.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/plot.h>
#include <nearkin/tools/sensitive.h>
#include <nearkin/tools/theory.h>

#include "curve_text.h"
#include "errors.h"
#include "family_plan.h"
#include "json.h"
#include "layout.h"
#include "options.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

/// A distance as it was typed, and its value.
struct TypedDistance {
  std::string text;
  double value;
};

struct StudiedFamily {
  Plan plan;
  TypedDistance near, far;
  Sensitivity one_hash;
  std::optional<std::uint64_t> items;
  double recall = 0;  ///< of --recall; 0: the textbook's number of tables
  std::optional<TextbookTables> tables = {};
};

/// A way to combine hashes: its name, and the probability that it makes of p.
struct Construction {
  std::string name;
  std::function<double(double)> of;
};

/// A number, or of the cosine an angle: 30deg, 30°.
TypedDistance distance_of(const std::string& word, Measure measure) {
  for (const std::string unit : {"deg", "°"}) {
    if (!word.ends_with(unit)) continue;
    if (measure != Measure::cosine)
      throw UsageError(fmt::format(
          "--sensitive: {} is an angle, which {} does not have; give --measure cosine, or distances such as 0.2,0.6", word, name(measure)));
    const double degrees = positive(word.substr(0, word.size() - unit.size()), "--sensitive");
    if (degrees > 180) throw UsageError(fmt::format("--sensitive: {} is more than 180 degrees", word));
    return {word, 1 - std::cos(degrees * std::numbers::pi / 180)};
  }
  return {word, positive(word, "--sensitive")};
}

/// Similarities in place of distances are a common slip: what was meant is said.
void refuse_similarities(const TypedDistance& near, const TypedDistance& far, Measure measure) {
  if (near.value < far.value) return;
  const bool meant = !is_distance(measure) && near.value <= 1 && far.value < near.value;
  throw UsageError(
      fmt::format("--sensitive: {},{} is not a near distance and a farther one{}", near.text, far.text,
                  meant ? fmt::format("; a distance is 1 - similarity, so {:.6g},{:.6g} may be meant", 1 - near.value, 1 - far.value)
                        : ", such as 0.2,0.6"));
}

}  // namespace

void refuse_beside_sensitive(const ParsedArgs& typed) {
  if (!typed.sensitive) return;
  constexpr std::string_view kUsed[] = {"--sensitive", "--measure", "--features", "--binarise", "--dimensions", "--width", "--items",
                                        "--recall",    "--rows",    "--bands",    "--output",   "--json",       "--plot",  "--quiet"};
  std::vector<std::string_view> given = given_flags(kTuneCommand, typed);
  if (!typed.inputs.empty()) given.insert(given.begin(), "INPUT");
  for (const std::string_view flag : given) {
    if (std::find(std::begin(kUsed), std::end(kUsed), flag) != std::end(kUsed)) continue;
    throw UsageError(fmt::format("{}: has no use with --sensitive, which is about one hash; leave one of them out", flag));
  }
}

namespace {

std::optional<TextbookTables> tables_of(const ParsedArgs& typed, const StudiedFamily& family) {
  const auto given = [](const std::string& text, const char* flag) { return static_cast<std::uint32_t>(whole(text, flag, 1, 1'000'000)); };
  if (!family.items && !typed.rows) {
    if (typed.recall)
      throw UsageError("--recall: needs --items or --rows, which say how many hashes a table has; give one, or leave it out");
    if (!typed.bands) return {};
    throw UsageError("--bands: needs --rows or --items, which say how many hashes a table has");
  }
  if (typed.recall && typed.bands) throw UsageError("--recall: decides the number of tables, and --bands gives it; leave one of them out");
  TextbookTables tables;
  tables.k = typed.rows ? given(*typed.rows, "--rows") : hashes_in_table(family.one_hash, static_cast<double>(*family.items));
  tables.l = typed.bands ? given(*typed.bands, "--bands") : tables_needed(family.one_hash, tables.k, family.recall);
  return tables;
}

StudiedFamily family_of_typed(const ParsedArgs& typed, std::optional<std::uint64_t> items) {
  const Plan plan = family_plan(typed);
  const std::string& text = *typed.sensitive;
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) {
    const bool angle = text.ends_with("deg") || text.ends_with("°");
    throw UsageError(
        fmt::format("--sensitive: \"{}\" is not two distances, such as {}", text, angle ? "30deg,60deg with --measure cosine" : "0.2,0.6"));
  }
  if (text.find(',', comma + 1) != std::string::npos)
    throw UsageError(fmt::format("--sensitive: \"{}\" is more than two distances; give a near one and a far one, such as 0.2,0.6", text));
  TypedDistance near = distance_of(text.substr(0, comma), plan.measure), far = distance_of(text.substr(comma + 1), plan.measure);
  if (plan.measure == Measure::hamming) {
    if ((near.value < 1) != (far.value < 1) && near.value > 0)
      throw UsageError(fmt::format("--sensitive: one of {},{} is a share of the places, the other a number of them; give both as one",
                                   near.text, far.text));
    for (TypedDistance* distance : {&near, &far}) distance->value *= distance->value < 1 ? plan.sketch.dimensions : 1;
  }
  refuse_similarities(near, far, plan.measure);
  StudiedFamily family{.plan = plan, .near = near, .far = far, .one_hash = sensitivity(plan, near.value, far.value), .items = items};
  if (typed.recall) family.recall = open_share(*typed.recall, "--recall");
  family.tables = tables_of(typed, family);
  return family;
}

/// The tables first: an OR of ANDs.
std::vector<Construction> constructions_of(const TextbookTables& tables) {
  const auto [k, l] = tables;
  return {{fmt::format("AND of {}, OR of {}", k, l), [tables](double p) { return and_then_or(p, tables); }},
          {"one hash", [](double p) { return p; }},
          {fmt::format("AND of {}", k), [tables](double p) { return and_of(p, tables.k); }},
          {fmt::format("OR of {}", l), [tables](double p) { return or_of(p, tables.l); }},
          {fmt::format("OR of {}, AND of {}", l, k), [tables](double p) { return or_then_and(p, tables); }}};
}

std::string sensitive_name(const StudiedFamily& family) {
  return fmt::format("({}, {}, {:.4g}, {:.4g})-sensitive", family.near.text, family.far.text, family.one_hash.p1, family.one_hash.p2);
}

std::string hash_name(const StudiedFamily& family) {
  return fmt::format("{} for {}{}", name(family.plan.sketch.family), name(family.plan.measure),
                     is_distance(family.plan.measure) ? "" : ", distance 1 - similarity");
}

std::string hash_words(const StudiedFamily& family, bool given) {
  if (given) return "hashes in a table (--rows)";
  const double exact = std::log(static_cast<double>(*family.items)) / -std::log(family.one_hash.p2);
  return fmt::format("ln n / ln(1/p2) = {:.2f}, rounded up: hashes in a table (--rows)", exact);
}

std::string table_words(const StudiedFamily& family, bool given) {
  if (given) return "tables (--bands)";
  const double p = and_of(family.one_hash.p1, family.tables->k);
  if (family.recall > 0) {
    return fmt::format("ln(1 - {}) / ln(1 - p1^k) = {:.2f}, rounded up: tables (--bands)", family.recall,
                       std::log1p(-family.recall) / std::log1p(-p));
  }
  return fmt::format(
      "1 / p1^k = {:.2f}, rounded up: tables (--bands){}", 1 / p,
      family.items ? fmt::format("; n^rho = {:.2f}", std::pow(static_cast<double>(*family.items), rho(family.one_hash))) : "");
}

std::vector<Cells> figures_of(const StudiedFamily& family, const ParsedArgs& typed) {
  const Sensitivity& one = family.one_hash;
  std::vector<Cells> rows{
      {"p1", fmt::format("{:.6f}", one.p1), fmt::format("one hash agrees at distance {}, or more often when nearer", family.near.text)},
      {"p2", fmt::format("{:.6f}", one.p2), fmt::format("one hash agrees at distance {}, or less often when farther", family.far.text)},
      {"rho", fmt::format("{:.6f}", rho(one)), "ln(1/p1) / ln(1/p2)"}};
  if (family.items) rows.push_back({"n", fmt::format("{}", *family.items), "items"});
  if (!family.tables) return rows;
  rows.push_back({"k", fmt::format("{}", family.tables->k), hash_words(family, typed.rows.has_value())});
  rows.push_back({"L", fmt::format("{}", family.tables->l), table_words(family, typed.bands.has_value())});
  return rows;
}

std::string constructions_table(const StudiedFamily& family) {
  std::vector<Cells> rows{{"construction", "at r1", "at r2"}};
  for (const Construction& construction : constructions_of(*family.tables)) {
    rows.push_back({construction.name, fmt::format("{:.6f}", construction.of(family.one_hash.p1)),
                    fmt::format("{:.6f}", construction.of(family.one_hash.p2))});
  }
  return table(rows, "");
}

std::string errors_table(const StudiedFamily& family) {
  const double missed = 1 - and_then_or(family.one_hash.p1, *family.tables), met = and_then_or(family.one_hash.p2, *family.tables);
  std::string of_all;
  if (family.items) of_all = fmt::format("; if all n are that far, a query meets {:.4g} of them", static_cast<double>(*family.items) * met);
  return table({{"false negatives", fmt::format("{:.6f}", missed), "of the items at r1 are in no bucket of the query"},
                {"false positives", fmt::format("{:.6f}", met), "of the items at r2 are in one" + of_all}},
               "");
}

/// How far the picture reaches.
double reach_of(const StudiedFamily& family) {
  if (family.plan.measure == Measure::hamming) return family.plan.sketch.dimensions;
  if (is_distance(family.plan.measure)) return 2 * family.far.value;
  return family.plan.measure == Measure::cosine ? 2 : 1;
}

Plot picture_of(const StudiedFamily& family) {
  constexpr int kCurveSteps = 200;
  const double far = reach_of(family);
  Plot plot{.title = fmt::format("k = {}, L = {}: what AND and OR make of one hash", family.tables->k, family.tables->l),
            .x = "distance",
            .y = "agrees",
            .series = {},
            .probability = true};
  plot.note = fmt::format("{}: one hash is {}", hash_name(family), sensitive_name(family));
  for (const Construction& construction : constructions_of(*family.tables)) {
    PlotSeries& series = plot.series.emplace_back(PlotSeries{.name = construction.name, .points = {}});
    for (int step = 0; step <= kCurveSteps; ++step) {
      const double x = far * step / kCurveSteps;
      series.points.emplace_back(x, construction.of(agreement(family.plan, as_distance(family.plan.measure, x))));
    }
  }
  plot.marks = {{family.near.value, "r1 = " + family.near.text}, {family.far.value, "r2 = " + family.far.text}};
  return plot;
}

std::string family_text(const StudiedFamily& family, const ParsedArgs& typed) {
  std::string out = fmt::format("{}: one hash is {}\n\n", hash_name(family), sensitive_name(family)) + table(figures_of(family, typed), "");
  if (!family.tables) return out;
  return out + "\n" + constructions_table(family) + "\n" + errors_table(family) + "\n" + plot_characters(picture_of(family));
}

std::string family_json(const StudiedFamily& family) {
  const Sensitivity& one = family.one_hash;
  JsonObject object;
  object.add("measure", name(family.plan.measure)).add("family", name(family.plan.sketch.family));
  object.add("r1", one.r1).add("r2", one.r2).add("p1", one.p1).add("p2", one.p2).add("rho", rho(one));
  if (family.items) object.add("items", *family.items);
  if (!family.tables) return object.text() + "\n";
  object.add("k", family.tables->k).add("L", family.tables->l);
  object.raw("constructions", json_array(constructions_of(*family.tables), [&](const Construction& construction) {
               return JsonObject()
                   .add("name", construction.name)
                   .add("at_r1", construction.of(one.p1))
                   .add("at_r2", construction.of(one.p2))
                   .text();
             }));
  object.add("false_negatives", 1 - and_then_or(one.p1, *family.tables)).add("false_positives", and_then_or(one.p2, *family.tables));
  return object.text() + "\n";
}

}  // namespace

int run_sensitive(const ParsedArgs& typed, std::optional<std::uint64_t> items) {
  const StudiedFamily family = family_of_typed(typed, items);
  if (typed.plot && !family.tables) throw UsageError("--plot: draws ANDs and ORs; give --items, or --rows and --bands (-k, -L)");
  if (typed.plot) write_text(plot_text({picture_of(family)}, *typed.plot), *typed.plot);
  write_text(typed.json ? family_json(family) : family_text(family, typed), output_of(typed));
  if (!family.tables) say(typed, "give --items N for k and L, or -k and -L for tables of your own");
  return 0;
}

}  // namespace nearkin::cli
