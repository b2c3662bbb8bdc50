// Whole runs over items in memory.
#include <array>
#include <string>
#include <utility>

#include <nearkin/nearkin.h>
#include <nearkin/tools/compare.h>
#include <nearkin/tools/names.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bind.h"
#include "choices.h"
#include "interrupt.h"
#include "items.h"
#include "values.h"

namespace nearkin::python {
namespace {

// What all runs are given.
struct Asked {
  std::shared_ptr<GivenItems> items, against;
  Input input;
  std::optional<Input> against_input;
  RunOptions options;
};

using Given = std::shared_ptr<GivenItems>;

Asked asked(const Given& items, const Given& against, const Plan& plan, unsigned threads, std::uint64_t audit, const py::object& numbers) {
  Asked result;
  result.items = items;
  require_fitting(*result.items, plan);
  result.input = result.items->input();
  if (!numbers.is_none()) {
    const auto values = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(numbers);
    if (!values || values.ndim() != 1) throw py::value_error("numbers: one number per item is needed");
    if (static_cast<std::size_t>(values.size()) != result.items->size()) {
      throw py::value_error("numbers: " + std::to_string(values.size()) + " of them, and " + std::to_string(result.items->size()) +
                            " items; give one per item");
    }
    // Of this run alone: others may be looking at the same items.
    auto own = std::make_shared<MemoryItems>(result.items->items);
    own->numbers.assign(values.data(), values.data() + values.size());
    result.input.memory = std::move(own);
  }
  if (against) {
    result.against = against;
    require_fitting(*result.against, plan);
    result.against_input = result.against->input();
  }
  result.options.threads = threads;
  result.options.audit = audit;
  return result;
}

// Of this run alone: others may be looking at the same items.
void set_scopes(Input& input, const GivenItems& given, const Scope& scope, const py::handle& values, const char* what) {
  if (given.items.vectors) throw Error(ErrorCode::plan, scope.rule == Scope::Rule::within ? "within" : "across", "vectors have no scopes");
  auto own = std::make_shared<MemoryItems>(*input.memory);
  own->scopes.clear();
  for (const py::handle& value : py::cast<py::sequence>(values)) own->scopes.push_back(value.is_none() ? "" : py::str(value));
  if (own->scopes.size() != given.size()) {
    throw py::value_error(std::string(what) + ": " + std::to_string(own->scopes.size()) + " of them, and " + std::to_string(given.size()) +
                          " items; give one per item");
  }
  input.memory = std::move(own);
  input.scope = scope;
}

// `scope`: None, or the rule, the values of the items, and those of `against`.
void take_scope(Asked& run, const py::object& scope) {
  if (scope.is_none()) return;
  const auto [rule, own, others] = scope.cast<std::tuple<std::string, py::object, py::object>>();
  const Scope asked{rule == "within" ? Scope::Rule::within : Scope::Rule::across, rule};
  set_scopes(run.input, *run.items, asked, own, rule.c_str());
  if (!run.against_input) return;
  if (others.is_none()) throw py::value_error("against_scopes: " + rule + " is given for the items alone; give that of against too");
  set_scopes(*run.against_input, *run.against, asked, others, "against_scopes");
}

// The rows of `against` are counted from 0 again, as its owner counts them.
py::tuple pairs_run(const Given& items, const Plan& plan, const Given& against, unsigned threads, std::uint64_t max_pairs,
                    std::uint64_t audit, const py::object& scope, const std::string& rule, std::uint32_t most, const Decided& decisions,
                    const py::object& progress) {
  Asked run = asked(items, against, plan, threads, audit, py::none());
  take_scope(run, scope);
  run.options.max_pairs = max_pairs;
  const auto split = run.against ? static_cast<Row>(run.items->size()) : Row{0};
  struct Found {
    std::vector<std::int64_t> a, b;
    std::vector<double> similarity;
    RunStats stats;
  };
  Found found = interruptibly(progress, [&](const Progress& tell) {
    PairsResult result = nearkin::pairs(run.input, plan, with(run.options, tell), run.against_input ? &*run.against_input : nullptr,
                                        partners_of(rule, most, decisions));
    Found out{.a = {}, .b = {}, .similarity = {}, .stats = std::move(result.stats)};
    out.a.reserve(result.matches.size());
    out.b.reserve(result.matches.size());
    out.similarity.reserve(result.matches.size());
    for (const Match& match : result.matches) {
      out.a.push_back(match.a);
      out.b.push_back(std::int64_t{match.b} - split);
      out.similarity.push_back(measured(match, result.measure));
    }
    return out;
  });
  const py::dict stats = stats_of(found.stats, plan);
  return py::make_tuple(array_of(std::move(found.a)), array_of(std::move(found.b)), array_of(std::move(found.similarity)), stats);
}

std::vector<double> measured_all(const std::vector<Match>& matches, Measure measure) {
  std::vector<double> values(matches.size());
  for (std::size_t i = 0; i < matches.size(); ++i) values[i] = measured(matches[i], measure);
  return values;
}

DedupOptions dedup_options(const std::string& linkage, const std::string& keep) {
  DedupOptions options;
  options.linkage = parse_linkage(linkage);
  options.keep = parse_keep(keep);
  return options;
}

// cluster, keeper and similarity of each row. With `against` there are no clusters, and keepers are rows of it, −1 where a row stays.
py::tuple groups_run(const Given& items, const Plan& plan, const std::string& linkage, const std::string& keep, const py::object& numbers,
                     const Given& against, unsigned threads, std::uint64_t audit, const py::object& scope, const Decided& decisions,
                     const py::object& progress) {
  Asked run = asked(items, against, plan, threads, audit, numbers);
  take_scope(run, scope);
  DedupOptions options = dedup_options(linkage, keep);
  options.decisions = decisions_of(decisions);
  options.against = run.against_input;
  struct Grouped {
    DedupRows rows;
    std::vector<std::int64_t> keeper;
    std::vector<double> similarity;
  };
  Grouped grouped = interruptibly(progress, [&](const Progress& tell) {
    Grouped out{.rows = dedup_rows(run.input, plan, options, with(run.options, tell)), .keeper = {}, .similarity = {}};
    const auto split = static_cast<Row>(out.rows.keeper.size());
    out.similarity = measured_all(out.rows.to_keeper, out.rows.measure);
    out.keeper.resize(split);
    for (Row row = 0; row < split; ++row) {
      const Row keeper = out.rows.keeper[row];
      out.keeper[row] = !run.against ? keeper : keeper == row ? -1 : std::int64_t{keeper} - split;
    }
    return out;
  });
  const py::dict stats = stats_of(grouped.rows.stats, plan);
  stats["clusters"] = grouped.rows.clusters;
  std::vector<std::int64_t> cluster(grouped.rows.cluster.begin(), grouped.rows.cluster.end());
  return py::make_tuple(array_of(std::move(cluster)), array_of(std::move(grouped.keeper)), array_of(std::move(grouped.similarity)), stats);
}

// query, row and similarity of each hit, by query, the best first; and figures.
py::tuple query_run(const Given& items, const Given& queries, const Plan& plan, std::uint32_t limit, const std::optional<double>& threshold,
                    unsigned threads, const py::object& progress) {
  const Asked run = asked(items, queries, plan, threads, 0, py::none());
  const Ask ask{.limit = limit, .threshold = threshold};
  struct Found {
    std::vector<std::int64_t> query, row;
    std::vector<double> similarity;
    RunStats stats;
  };
  Found found = interruptibly(progress, [&](const Progress& tell) {
    QueryResult result = nearkin::query(run.input, *run.against_input, plan, ask, with(run.options, tell));
    Found out{.query = {}, .row = {}, .similarity = measured_all(result.hits, result.measure), .stats = std::move(result.stats)};
    for (const Match& hit : result.hits) {
      out.query.push_back(hit.a);
      out.row.push_back(hit.b);
    }
    return out;
  });
  py::dict stats = stats_of(found.stats, plan);
  stats["queries"] = queries->size();
  return py::make_tuple(array_of(std::move(found.query)), array_of(std::move(found.row)), array_of(std::move(found.similarity)), stats);
}

void require_texts(const GivenItems& given, const std::string& what) {
  if (given.size() == 0 || (!given.items.vectors && !given.sets)) return;
  throw Error(ErrorCode::plan, given.items.name, what + " are looked for in texts, not in sets or vectors");
}

// Of each passage: row, begin, end, in, in_begin, in_end, tokens, and the tokens of its longer place.
constexpr std::size_t kPassageColumns = 8;
using PassageColumns = std::array<std::vector<std::int64_t>, kPassageColumns>;

PassageColumns columns_of(const std::vector<Passage>& passages) {
  PassageColumns columns;
  for (auto& column : columns) column.reserve(passages.size());
  for (const Passage& p : passages) {
    const std::array<std::int64_t, kPassageColumns> values{p.row, p.begin, p.end, p.in, p.in_begin, p.in_end, p.tokens, p.of};
    for (std::size_t i = 0; i < kPassageColumns; ++i) columns[i].push_back(values[i]);
  }
  return columns;
}

py::tuple passages_run(const Given& items, const Given& against, std::uint32_t least, const std::optional<std::uint32_t>& gap,
                       const std::string& shingle, const std::string& normalise, const Given& ignore, unsigned threads,
                       const py::object& progress) {
  require_texts(*items, "passages");
  if (ignore) require_texts(*ignore, "templates");
  PassageOptions options{.least = least, .gap = gap};
  options.token = parse_shingle(shingle + ":1").token;
  options.normalise = parse_normalise(normalise);
  if (against) {
    require_texts(*against, "passages");
    options.against = against->input();
  }
  const Input input = items->input();
  std::pair<PassageColumns, PassageStats> found = interruptibly(progress, [&](const Progress& tell) {
    PassageOptions with_templates = options;
    if (ignore) with_templates.ignored = passage_templates(options, {ignore->input()}, {.threads = threads}).ignored;
    const PassagesResult result = nearkin::passages(input, with_templates, with({.threads = threads}, tell));
    return std::pair(columns_of(result.passages), result.stats);
  });
  py::dict stats;
  stats["items"] = found.second.stats.items;
  stats["tokens"] = found.second.tokens;
  stats["passages"] = found.second.passages;
  stats["records"] = found.second.records;
  stats["ignored"] = found.second.ignored;
  stats["repeated"] = found.second.repeated;
  py::list columns;
  for (auto& column : found.first) columns.append(array_of(std::move(column)));
  return py::make_tuple(columns, stats);
}

// Of each hit: row, suite, item, covered, grams, run, begin, end, item_begin, item_end, field.
constexpr std::size_t kHitColumns = 11;
using HitColumns = std::array<std::vector<std::int64_t>, kHitColumns>;

HitColumns columns_of(const std::vector<Contamination>& hits) {
  HitColumns columns;
  for (const Contamination& h : hits) {
    const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    const std::array<std::int64_t, kHitColumns> values{
        h.row,  h.suite, h.item, h.covered, h.grams, h.run, number(h.begin), number(h.end), number(h.item_begin), number(h.item_end),
        h.field};
    for (std::size_t i = 0; i < kHitColumns; ++i) columns[i].push_back(values[i]);
  }
  return columns;
}

py::dict suite_dict(const SuiteStats& suite) {
  py::dict out;
  out["suite"] = suite.name;
  out["items"] = suite.items;
  out["too_short"] = suite.too_short;
  out["shared"] = suite.shared;
  out["common"] = suite.common;
  out["lacking"] = suite.lacking;
  out["found"] = suite.found();
  out["whole"] = suite.whole;
  out["most"] = suite.most;
  out["half"] = suite.half;
  out["less"] = suite.less;
  out["records"] = suite.records;
  return out;
}

// What is looked for, and when it counts as found.
struct Sought {
  std::vector<Suite> suites;
  DecontaminateOptions options;
};

// A suite is items in memory, or a file of JSON lines and the names of its text fields.
Suite suite_of(const std::string& name, const py::handle& given) {
  if (py::isinstance<GivenItems>(given)) {
    const auto items = given.cast<Given>();
    require_texts(*items, "benchmark items");
    return {.name = name, .input = items->input()};
  }
  const auto [path, fields] = given.cast<std::pair<std::string, std::string>>();
  Input input;
  input.paths = {path};
  input.format = Format::jsonl;
  input.text = fields;
  input.strict = true;
  return {.name = name, .input = std::move(input)};
}

Sought sought_of(const py::list& against, const std::string& shingle, double share, std::uint32_t least_item, const std::string& normalise,
                 const std::vector<std::string>& need) {
  const ShinglePlan grams = parse_shingle(shingle);
  Sought sought{.suites = {},
                .options = {.size = grams.size, .share = ratio(share), .least_item = least_item, .token = grams.token, .need = need}};
  sought.options.normalise = parse_normalise(normalise);
  for (const py::handle& suite : against) sought.suites.push_back(suite_of(suite[py::int_(0)].cast<std::string>(), suite[py::int_(1)]));
  return sought;
}

py::list suite_dicts(const std::vector<SuiteStats>& suites) {
  py::list dicts;
  for (const SuiteStats& suite : suites) dicts.append(suite_dict(suite));
  return dicts;
}

py::tuple decontaminate_run(const Given& items, const py::list& against, const std::string& shingle, double share, std::uint32_t least_item,
                            const std::string& normalise, const std::vector<std::string>& need, unsigned threads,
                            const py::object& progress) {
  require_texts(*items, "benchmark items");
  const Sought sought = sought_of(against, shingle, share, least_item, normalise, need);
  const Input input = items->input();
  std::pair<HitColumns, DecontaminateStats> found = interruptibly(progress, [&](const Progress& tell) {
    const DecontaminateResult result = nearkin::decontaminate(input, sought.suites, sought.options, with({.threads = threads}, tell));
    return std::pair(columns_of(result.hits), result.stats);
  });
  py::dict stats;
  stats["items"] = found.second.stats.items;
  stats["hits"] = found.second.hits;
  stats["records"] = found.second.records;
  stats["suites"] = suite_dicts(found.second.suites);
  py::list columns;
  for (auto& column : found.first) columns.append(array_of(std::move(column)));
  return py::make_tuple(columns, stats);
}

// Form, planted and found; then what is told of the records as they came.
py::tuple inject_run(const Given& items, const py::list& against, const std::string& shingle, double share, std::uint32_t least_item,
                     const std::string& normalise, const std::vector<std::string>& need, std::uint64_t planted, double changed,
                     std::uint64_t seed, unsigned threads, const py::object& progress) {
  require_texts(*items, "benchmark items");
  const Sought sought = sought_of(against, shingle, share, least_item, normalise, need);
  const Input input = items->input();
  const InjectOptions options{.items = planted, .changed = changed, .seed = seed};
  const InjectResult result = interruptibly(progress, [&](const Progress& tell) {
    return nearkin::inject(input, sought.suites, sought.options, options, with({.threads = threads}, tell));
  });
  py::list forms;
  for (const InjectedForm& form : result.forms) forms.append(py::make_tuple(form.name, form.planted, form.found));
  py::dict stats;
  stats["clean"] = result.clean;
  stats["flagged"] = result.flagged;
  stats["suites"] = suite_dicts(result.suites);
  return py::make_tuple(forms, stats);
}

py::dict compare_run(const py::object& a, const py::object& b, const Plan& plan, std::size_t passages) {
  py::list one, other;
  one.append(a);
  other.append(b);
  const auto x = items_of(one, "a"), y = items_of(other, "b");
  for (const auto& side : {x, y}) {
    require_fitting(*side, plan);
    require_finite(*side);
  }
  if ((x->items.vectors != nullptr) != (y->items.vectors != nullptr) || x->sets != y->sets) {
    throw py::type_error("a and b are of two kinds; compare texts with texts, sets with sets, vectors with vectors");
  }
  const Comparison result = interruptibly(py::none(), [&](const Progress&) {
    return x->items.vectors ? nearkin::compare(prepare(*x->items.vectors, plan), 0, prepare(*y->items.vectors, plan), 0, plan)
                            : nearkin::compare(x->items.texts[0], y->items.texts[0], plan, passages);
  });
  py::dict out;
  out[is_distance(plan.measure) ? "distance" : "similarity"] = result.similarity;
  out["estimate"] = result.estimate;
  out["shared"] = result.shared;
  out["total"] = result.total;
  out["found"] = result.found;
  out["candidate"] = result.candidate;
  out["passages"] = result.passages;
  return out;
}

}  // namespace

void bind_runs(py::module_& module) {
  module.def("pairs", &pairs_run, py::arg("items"), py::arg("plan"), py::arg("against"), py::arg("threads"), py::arg("max_pairs"),
             py::arg("audit"), py::arg("scope"), py::arg("rule"), py::arg("most"), py::arg("decisions"), py::arg("progress"));
  module.def("groups", &groups_run, py::arg("items"), py::arg("plan"), py::arg("linkage"), py::arg("keep"), py::arg("numbers"),
             py::arg("against"), py::arg("threads"), py::arg("audit"), py::arg("scope"), py::arg("decisions"), py::arg("progress"));
  module.def("query", &query_run, py::arg("items"), py::arg("queries"), py::arg("plan"), py::arg("limit"), py::arg("threshold"),
             py::arg("threads"), py::arg("progress"));
  module.def("passages", &passages_run, py::arg("items"), py::arg("against"), py::arg("least"), py::arg("gap"), py::arg("shingle"),
             py::arg("normalise"), py::arg("ignore"), py::arg("threads"), py::arg("progress"));
  module.def("decontaminate", &decontaminate_run, py::arg("items"), py::arg("against"), py::arg("shingle"), py::arg("share"),
             py::arg("least_item"), py::arg("normalise"), py::arg("need"), py::arg("threads"), py::arg("progress"));
  module.def("inject", &inject_run, py::arg("items"), py::arg("against"), py::arg("shingle"), py::arg("share"), py::arg("least_item"),
             py::arg("normalise"), py::arg("need"), py::arg("planted"), py::arg("changed"), py::arg("seed"), py::arg("threads"),
             py::arg("progress"));
  module.def("compare", &compare_run, py::arg("a"), py::arg("b"), py::arg("plan"), py::arg("passages"));
}

}  // namespace nearkin::python
