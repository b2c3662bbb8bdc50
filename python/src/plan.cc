// Goal → Plan.
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include <nearkin/nearkin.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/sample.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "arguments.h"
#include "bind.h"
#include "interrupt.h"
#include "items.h"

namespace nearkin::python {
namespace {

struct Wishes {
  std::optional<std::string> shingle, normalise, verify, features, binarise;
  std::shared_ptr<GivenItems> ignore;
  std::optional<double> ignore_common;
  bool bag = false;
  std::optional<std::uint32_t> hashes, bands, rows, large_bucket, dimensions, probes;
  std::optional<double> width;
  std::optional<std::uint64_t> seed;
};

std::optional<ShinglePlan> shingle_of(const Wishes& wishes, bool sets) {
  const bool ignores = wishes.ignore || wishes.ignore_common;
  const bool words = wishes.features && parse_features(*wishes.features).kind == Kind::tfidf;
  if (!wishes.shingle && !wishes.normalise && !wishes.bag && !sets && !ignores && !words) return {};
  ShinglePlan shingle = parse_shingle(wishes.shingle ? *wishes.shingle : sets ? "element:1" : words ? "word:1" : "word:5");
  if (wishes.normalise) shingle.normalise = parse_normalise(*wishes.normalise);
  shingle.bag = wishes.bag;
  return shingle;
}

Choices choices_of(const Wishes& wishes, bool sets) {
  Choices choices;
  choices.shingle = shingle_of(wishes, sets);
  choices.hashes = wishes.hashes;
  choices.bands = wishes.bands;
  choices.rows = wishes.rows;
  choices.large_bucket = wishes.large_bucket;
  choices.dimensions = wishes.dimensions;
  choices.probes = wishes.probes;
  choices.width = wishes.width;
  choices.seed = wishes.seed;
  if (wishes.verify) choices.verify = parse_verify(*wishes.verify);
  if (wishes.features) {
    const FeaturesChoice features = parse_features(*wishes.features);
    choices.kind = features.kind;
    choices.tfidf = features.tfidf;
  }
  if (wishes.binarise) {
    const BinariseChoice binarise = parse_binarise(*wishes.binarise);
    choices.binarise = binarise.binarise;
    choices.levels = binarise.levels;
  }
  return choices;
}

Kind kind_of(const Choices& choices, const GivenItems& sample) {
  if (choices.kind) return *choices.kind;
  if (!sample.items.vectors) return Kind::shingles;
  return sample.items.vectors->kind == Vectors::Kind::bits || choices.binarise ? Kind::bits : Kind::numbers;
}

// As the command line looks at its input before a run.
std::optional<DataSample> sample_of(const GivenItems& given, const Goal& goal, Choices& choices) {
  if (given.size() == 0) return {};
  Plan outline;
  outline.measure = goal.measure;
  outline.kind = kind_of(choices, given);
  if (choices.shingle) outline.shingle = *choices.shingle;
  outline.shingle.bag = outline.shingle.bag || (outline.measure == Measure::weighted_jaccard && outline.kind == Kind::shingles);
  if (choices.tfidf) outline.tfidf = *choices.tfidf;
  if (choices.binarise) outline.binarise = *choices.binarise;
  if (choices.levels) outline.levels = *choices.levels;
  require_fitting(given, outline);
  if (outline.kind != Kind::shingles) choices.kind = outline.kind;
  const Input input = given.input();
  if (outline.kind != Kind::shingles || outline.measure == Measure::hamming) return sample_data(input, outline, choices.seed);
  const bool shape_given = choices.bands && choices.rows;
  if (shape_given || goal.recall == 1) return {};
  return sample_sets(input, outline, choices.seed.value_or(1));
}

// A whole number of items, or a share of them below 1.
CommonLimit common_limit(double limit) {
  if (limit > 0 && limit < 1) return {.share = ratio(limit)};
  if (limit >= 1 && limit <= 0x1p53 && limit == std::floor(limit)) return {.items = static_cast<std::uint64_t>(limit)};
  throw Error(ErrorCode::plan, "ignore_common", std::to_string(limit) + " is not a number of items, or a share of them below 1");
}

ShinglePlan ignoring(const Wishes& wishes, const std::shared_ptr<GivenItems>& sample, ShinglePlan shingle) {
  if (wishes.ignore) shingle = ignore_templates(shingle, wishes.ignore->input());
  if (!wishes.ignore_common) return shingle;
  if (!sample) throw Error(ErrorCode::plan, "ignore_common", "what is common must be counted; give the items as sample");
  return ignore_common(shingle, sample->input(), nullptr, common_limit(*wishes.ignore_common));
}

Plan tuned(const Goal& goal, const Wishes& wishes, const std::shared_ptr<GivenItems>& given) {
  return interruptibly(py::none(), [&](const Progress&) {
    Choices choices = choices_of(wishes, given && given->sets);
    if (wishes.ignore || wishes.ignore_common) choices.shingle = ignoring(wishes, given, *choices.shingle);
    if (!given) return tune(goal, choices);
    choices.sample = sample_of(*given, goal, choices);
    Plan plan = tune(goal, choices);
    require_fitting(*given, plan);
    return plan;
  });
}

Goal goal_of(const std::string& measure, double threshold, double recall, std::optional<double> radius, std::uint32_t nearest,
             const std::string& recall_at) {
  Goal goal;
  goal.measure = parse_measure(measure);
  goal.threshold = threshold;
  goal.recall = recall;
  goal.radius = radius;
  goal.nearest = nearest;
  goal.recall_at = parse_recall_at(recall_at);
  return goal;
}

template <typename T>
std::string named(T value) {
  return std::string(name(value));
}

}  // namespace

void bind_plan(py::module_& module) {
  module.attr("large_bucket_of_pairs") = BandPlan::kLargeBucketOfPairs;
  py::class_<Plan>(module, "Plan", "Every number that a run depends on. str(plan) is one line; Plan(line) is the same plan again.")
      .def(py::init([](const py::object& line) { return parse_plan(text_argument(line, "plan")); }), py::arg("line"))
      .def("__str__", [](const Plan& plan) { return to_string(plan); })
      .def("__repr__", [](const Plan& plan) { return "nearkin.Plan('" + to_string(plan) + "')"; })
      .def("__eq__", [](const Plan& a, const Plan& b) { return a == b; })
      .def("__eq__", [](const Plan&, const py::object&) { return py::reinterpret_borrow<py::object>(Py_NotImplemented); })
      .def("__hash__", [](const Plan& plan) { return py::hash(py::str(to_string(plan))); })
      .def(py::pickle(
          [](const Plan& plan) {
            const std::vector<std::uint64_t> ignored = ignored_hashes(plan.shingle);
            return py::make_tuple(to_string(plan),
                                  py::bytes(reinterpret_cast<const char*>(ignored.data()), ignored.size() * sizeof ignored[0]));
          },
          [](const py::tuple& state) {
            Plan plan = parse_plan(state[0].cast<std::string>());
            const auto bytes = state[1].cast<std::string>();
            std::vector<std::uint64_t> ignored(bytes.size() / sizeof(std::uint64_t));
            std::memcpy(ignored.data(), bytes.data(), ignored.size() * sizeof ignored[0]);
            if (!ignored.empty()) plan.shingle = ignore_hashes(plan.shingle, std::move(ignored));
            return plan;
          }))
      .def_property_readonly("ignored", [](const Plan& plan) { return ignored_count(plan.shingle); })
      .def(
          "with_large_bucket",
          [](Plan plan, const py::object& items) {
            plan.band.large_bucket = static_cast<std::uint32_t>(whole_number(items, "large_bucket", 2, UINT32_MAX));
            return plan;
          },
          py::arg("items"), "The same plan with another limit for large buckets.")
      .def_property_readonly("measure", [](const Plan& plan) { return named(plan.measure); })
      .def_property_readonly("threshold", [](const Plan& plan) { return plan.threshold.value(); })
      .def_readonly("radius", &Plan::radius)
      .def_readonly("recall", &Plan::recall)
      .def_readonly("nearest", &Plan::nearest)
      .def_property_readonly("shingle", [](const Plan& plan) { return shingle_name(plan.shingle); })
      .def_property_readonly("normalise", [](const Plan& plan) { return named(plan.shingle.normalise); })
      .def_property_readonly("bag", [](const Plan& plan) { return plan.shingle.bag; })
      .def_property_readonly("features", [](const Plan& plan) { return features_name(plan); })
      .def_property_readonly("family", [](const Plan& plan) { return named(plan.sketch.family); })
      .def_property_readonly("hashes", [](const Plan& plan) { return plan.sketch.hashes; })
      .def_property_readonly("bands", [](const Plan& plan) { return plan.band.bands; })
      .def_property_readonly("rows", [](const Plan& plan) { return plan.band.rows; })
      .def_property_readonly("large_bucket", [](const Plan& plan) { return plan.band.large_bucket; })
      .def_property_readonly("verify", [](const Plan& plan) { return named(plan.verify); })
      .def_property_readonly("seed", [](const Plan& plan) { return plan.sketch.seed; })
      .def_property_readonly("exact_join", &Plan::exact_join);

  module.def(
      "tune",
      [](const std::string& measure, double threshold, double recall, std::optional<double> radius,
         const std::shared_ptr<GivenItems>& sample, std::uint32_t nearest, const std::string& recall_at, std::optional<std::string> shingle,
         std::optional<std::string> normalise, bool bag, std::optional<std::string> features, std::optional<std::string> binarise,
         std::optional<std::uint32_t> hashes, std::optional<std::uint32_t> bands, std::optional<std::uint32_t> rows,
         std::optional<std::string> verify, std::optional<std::uint64_t> seed, std::optional<std::uint32_t> large_bucket,
         std::optional<std::uint32_t> dimensions, std::optional<double> width, std::optional<std::uint32_t> probes,
         const std::shared_ptr<GivenItems>& ignore, std::optional<double> ignore_common) {
        const Wishes wishes{.shingle = shingle,
                            .normalise = normalise,
                            .verify = verify,
                            .features = features,
                            .binarise = binarise,
                            .ignore = ignore,
                            .ignore_common = ignore_common,
                            .bag = bag,
                            .hashes = hashes,
                            .bands = bands,
                            .rows = rows,
                            .large_bucket = large_bucket,
                            .dimensions = dimensions,
                            .probes = probes,
                            .width = width,
                            .seed = seed};
        return tuned(goal_of(measure, threshold, recall, radius, nearest, recall_at), wishes, sample);
      },
      py::kw_only(), py::arg("measure") = "jaccard", py::arg("threshold") = 0.8, py::arg("recall") = 0.95, py::arg("radius") = py::none(),
      py::arg("sample") = py::none(), py::arg("nearest") = 0, py::arg("recall_at") = "threshold", py::arg("shingle") = py::none(),
      py::arg("normalise") = py::none(), py::arg("bag") = false, py::arg("features") = py::none(), py::arg("binarise") = py::none(),
      py::arg("hashes") = py::none(), py::arg("bands") = py::none(), py::arg("rows") = py::none(), py::arg("verify") = py::none(),
      py::arg("seed") = py::none(), py::arg("large_bucket") = py::none(), py::arg("dimensions") = py::none(), py::arg("width") = py::none(),
      py::arg("probes") = py::none(), py::arg("ignore") = py::none(), py::arg("ignore_common") = py::none());
}

}  // namespace nearkin::python
