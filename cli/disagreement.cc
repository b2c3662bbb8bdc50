#include "disagreement.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include <nearkin/tools/names.h>

#include "errors.h"

namespace nearkin::cli {
namespace {

/// What is compared with one plan.
struct Comparer {
  const Disagreement& message;

  void agree(bool same, std::string_view flag, std::string_view value, std::string_view planned) const {
    if (!same) throw UsageError(message(flag, value, planned));
  }
  void agree(const ParsedArgs::Text& typed, const char* flag, std::uint64_t least, std::uint64_t planned) const {
    if (typed) agree(whole(*typed, flag, least) == planned, flag, *typed, std::to_string(planned));
  }
  void agree(const ParsedArgs::Text& typed, const char* flag, double planned) const {
    if (typed) agree(positive(*typed, flag) == planned, flag, *typed, fmt::format("{}", planned));
  }
};

void compare_goal(const ParsedArgs& typed, const Plan& plan, const Comparer& comparer) {
  if (typed.measure) {
    const Measure measure = parse_measure(*typed.measure);
    const bool counted = typed.bag && measure == Measure::jaccard;  // of bags: weighted
    comparer.agree((counted ? Measure::weighted_jaccard : measure) == plan.measure, "--measure", *typed.measure, name(plan.measure));
  }
  if (typed.threshold) {
    const bool same = parse_ratio(*typed.threshold, "threshold").value() == plan.threshold.value();
    comparer.agree(same && !is_distance(plan.measure), "--threshold", *typed.threshold,
                   is_distance(plan.measure) ? fmt::format("radius={}", plan.radius) : to_string(plan.threshold));
  }
  if (typed.radius && !is_distance(plan.measure)) {
    comparer.agree(false, "--radius", *typed.radius, fmt::format("threshold={}", to_string(plan.threshold)));
  }
  comparer.agree(typed.radius, "--radius", plan.radius);
  if (typed.recall) {
    // Containment finds all, whatever is asked for.
    const bool same = parse_ratio(*typed.recall, "recall").value() == plan.recall || plan.measure == Measure::containment;
    comparer.agree(same, "--recall", *typed.recall, fmt::format("{}", plan.recall));
  }
  if (typed.recall_at) {
    comparer.agree(parse_recall_at(*typed.recall_at) == plan.recall_at, "--recall-at", *typed.recall_at, name(plan.recall_at));
  }
}

void compare_features(const ParsedArgs& typed, const Plan& plan, const Comparer& comparer) {
  if (typed.binarise) {
    const BinariseChoice choice = parse_binarise(*typed.binarise);
    comparer.agree(choice.binarise == plan.binarise && choice.levels == plan.levels, "--binarise", *typed.binarise, name(plan.binarise));
  }
  if (typed.features) {
    const FeaturesChoice choice = parse_features(*typed.features);
    comparer.agree(choice.kind == plan.kind && choice.tfidf == plan.tfidf, "--features", *typed.features, features_name(plan));
  }
  if (typed.shingle) {
    const ShinglePlan shingle = parse_shingle(*typed.shingle);
    const bool same = shingle.token == plan.shingle.token && shingle.size == plan.shingle.size;
    comparer.agree(same, "--shingle", *typed.shingle, shingle_name(plan.shingle));
  }
  if (typed.bag) comparer.agree(plan.shingle.bag, "--bag", "", "sets");
  if (typed.normalise) {
    comparer.agree(parse_normalise(*typed.normalise) == plan.shingle.normalise, "--normalise", *typed.normalise,
                   name(plan.shingle.normalise));
  }
}

[[noreturn]] void refuse(const Made& made, std::string_view made_with, std::string_view typed) {
  throw UsageError(fmt::format("{}: made with {}; {} cannot change that; {}", made.name(), made_with, typed, made.way_out));
}

/// Cuts the first word off.
std::string_view next_word(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), word.size() + 1));
  return word;
}

}  // namespace

void refuse_disagreement(const ParsedArgs& typed, const Plan& plan, const Disagreement& message) {
  const Comparer comparer{message};
  compare_goal(typed, plan, comparer);
  compare_features(typed, plan, comparer);
  comparer.agree(typed.width, "--width", plan.sketch.width);
  comparer.agree(typed.hashes, "--hashes", 1, plan.sketch.hashes);
  comparer.agree(typed.bands, "--bands", 1, plan.band.bands);
  comparer.agree(typed.rows, "--rows", 1, plan.band.rows);
  comparer.agree(typed.probes, "--probes", 1, plan.band.probes);
  comparer.agree(typed.large_bucket, "--large-bucket", 1, plan.band.large_bucket);
  if (typed.verify) comparer.agree(parse_verify(*typed.verify) == plan.verify, "--verify", *typed.verify, name(plan.verify));
  comparer.agree(typed.seed, "--seed", 0, plan.sketch.seed);
}

void refuse_change(const ParsedArgs& typed, const Plan& plan, const Made& made) {
  refuse_disagreement(typed, plan, [&](std::string_view flag, std::string_view value, std::string_view planned) -> std::string {
    if (value.empty()) refuse(made, planned, flag);
    const bool named = planned.find('=') != std::string_view::npos;  // another part of the plan stands for it
    refuse(made, named ? std::string(planned) : fmt::format("{}={}", flag.substr(2), planned), fmt::format("{} {}", flag, value));
  });
}

void refuse_other_plan(const Plan& given, const Plan& plan, const Made& made) {
  if (given == plan) return;
  const std::string ours = to_string(plan), theirs = to_string(given);
  std::string_view rest = ours, given_rest = theirs;
  std::string_view part, given_part;
  do {
    part = next_word(rest);
    given_part = next_word(given_rest);
  } while (part == given_part && !rest.empty() && !given_rest.empty());
  refuse(made, part, fmt::format("--plan with {}", given_part));
}

}  // namespace nearkin::cli
