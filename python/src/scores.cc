// Runs by a score of several fields. The records are lines of JSON in a file, which is read several times; their ids are their rows.
#include <string>
#include <utility>

#include <nearkin/nearkin.h>
#include <nearkin/tools/names.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bind.h"
#include "choices.h"
#include "interrupt.h"
#include "values.h"

namespace nearkin::python {
namespace {

constexpr const char *kIdField = "#row", *kScopeField = "#scope";

/// What all of these are given, as one value that Python can hold.
struct ScoreRun {
  Score score;
  Input input;
  std::optional<Input> against;
  ScoreOptions by;
  RunOptions options;

  const Input* other() const { return against ? &*against : nullptr; }
};

Input lines_in(const std::string& path, const std::optional<std::string>& scope) {
  Input input;
  input.paths = {path};
  input.format = Format::jsonl;
  input.id = kIdField;
  if (scope) input.scope = {*scope == "within" ? Scope::Rule::within : Scope::Rule::across, kScopeField};
  return input;
}

ScoreRun score_run(const std::string& score, const std::string& path, const std::optional<std::string>& against,
                   const std::optional<std::string>& scope, double threshold, double recall, std::uint64_t seed, unsigned threads,
                   std::uint64_t max_pairs) {
  ScoreRun run{.score = parse_score(score), .input = lines_in(path, scope), .against = {}, .by = {}, .options = {}};
  if (against) run.against = lines_in(*against, scope);
  run.by = {.threshold = threshold, .recall = recall, .seed = seed};
  run.options.threads = threads;
  run.options.max_pairs = max_pairs;
  return run;
}

py::dict figures(const ScoreRun& run, const RunStats& stats, const std::vector<SearchedPart>& searched) {
  if (stats.faults.count > 0) throw py::value_error(stats.faults.first.front().message);
  py::dict out = stats_of(stats, Plan{});
  out.attr("pop")("plan");
  out["score"] = to_string(run.score);
  py::list fields;
  for (const SearchedPart& part : searched) fields.append(run.score.parts[part.part].text);
  out["searched"] = fields;
  return out;
}

py::tuple pairs_by_score(const ScoreRun& run, const std::string& rule, std::uint32_t most, const Decided& decisions,
                         const py::object& progress) {
  struct Found {
    std::vector<std::int64_t> a, b;
    std::vector<double> similarity;
    ScoreResult result;
  };
  Found found = interruptibly(progress, [&](const Progress& tell) {
    ScoreOptions by = run.by;
    by.partners = partners_of(rule, most, decisions);
    Found out{.a = {}, .b = {}, .similarity = {}, .result = score_pairs(run.input, run.score, by, with(run.options, tell), run.other())};
    for (const Match& match : out.result.matches) {
      out.a.push_back(std::stoll(std::string(out.result.ids[match.a])));
      out.b.push_back(std::stoll(std::string(out.result.ids[match.b])));
      out.similarity.push_back(match.similarity());
    }
    return out;
  });
  const py::dict stats = figures(run, found.result.stats, found.result.searched);
  return py::make_tuple(array_of(std::move(found.a)), array_of(std::move(found.b)), array_of(std::move(found.similarity)),
                        array_of(std::move(found.result.values)), stats);
}

// As groups of items in memory: with `against` there are no clusters, and keepers are rows of it, −1 where a row stays.
py::tuple groups_by_score(const ScoreRun& run, const std::string& linkage, const std::string& keep, const Decided& decisions,
                          const py::object& progress) {
  DedupOptions options;
  options.linkage = parse_linkage(linkage);
  options.keep = parse_keep(keep);
  options.against = run.against;
  options.decisions = decisions_of(decisions);
  ScoreDedupRows found = interruptibly(
      progress, [&](const Progress& tell) { return dedup_rows_by_score(run.input, run.score, run.by, options, with(run.options, tell)); });
  const DedupRows& rows = found.rows;
  std::vector<std::int64_t> cluster(rows.cluster.begin(), rows.cluster.end()), keeper;
  std::vector<double> similarity;
  const auto split = static_cast<Row>(rows.keeper.size());
  for (Row row = 0; row < split; ++row) {
    keeper.push_back(!run.against ? rows.keeper[row] : rows.keeper[row] == row ? -1 : std::int64_t{rows.keeper[row]} - split);
    similarity.push_back(rows.to_keeper[row].similarity());
  }
  const py::dict stats = figures(run, rows.stats, found.searched);
  stats["clusters"] = rows.clusters;
  return py::make_tuple(array_of(std::move(cluster)), array_of(std::move(keeper)), array_of(std::move(similarity)), stats);
}

}  // namespace

void bind_scores(py::module_& module) {
  py::class_<ScoreRun>(module, "ScoreRun", "A score, files with its records, and what a run may use.")
      .def(py::init(&score_run), py::arg("score"), py::arg("path"), py::arg("against"), py::arg("scope"), py::arg("threshold"),
           py::arg("recall"), py::arg("seed"), py::arg("threads"), py::arg("max_pairs"))
      .def_property_readonly("parts", [](const ScoreRun& run) { return run.score.parts.size(); });
  module.def(
      "score_fields", [](const std::string& score, bool against) { return fields_of(parse_score(score), against); }, py::arg("score"),
      py::arg("against"));
  module.def("score_pairs", &pairs_by_score, py::arg("run"), py::arg("rule"), py::arg("most"), py::arg("decisions"), py::arg("progress"));
  module.def("score_groups", &groups_by_score, py::arg("run"), py::arg("linkage"), py::arg("keep"), py::arg("decisions"),
             py::arg("progress"));
}

}  // namespace nearkin::python
