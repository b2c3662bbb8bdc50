#include <initializer_list>

#include <nearkin/error.h>
#include <nearkin/plan.h>
#include <nearkin/tools/names.h>

#include "base/in_quotes.h"
#include "theory/numbers.h"
#include "theory/plan_rules.h"

namespace nearkin {
namespace {

constexpr std::initializer_list<Measure> kMeasures = {Measure::jaccard, Measure::weighted_jaccard, Measure::containment, Measure::cosine,
                                                      Measure::hamming, Measure::euclidean,        Measure::manhattan,   Measure::exact};
constexpr std::initializer_list<Kind> kKinds = {Kind::shingles, Kind::numbers, Kind::tfidf, Kind::bits};
constexpr std::initializer_list<Unit> kUnits = {Unit::character, Unit::word, Unit::code, Unit::line, Unit::element};
constexpr std::initializer_list<Normalise> kNormalises = {Normalise::text, Normalise::none, Normalise::code};
constexpr std::initializer_list<Verify> kVerifies = {Verify::exact, Verify::estimate, Verify::none};
constexpr std::initializer_list<RecallAt> kRecallAts = {RecallAt::threshold, RecallAt::average};

template <typename Value>
std::string listed(std::initializer_list<Value> values, std::string_view suffix) {
  std::string names;
  for (const Value& value : values) {
    names += &value == values.begin() ? "" : &value == values.end() - 1 ? " or " : ", ";
    names += name(value);
    names += suffix;
  }
  return names;
}

template <typename Value>
Value parse_name(std::string_view text, std::initializer_list<Value> values, const std::string& subject) {
  for (const Value value : values) {
    if (text == name(value)) return value;
  }
  throw Error(ErrorCode::plan, subject, in_quotes(text) + " is not " + listed(values, ""));
}

Normalise usual_normalise(Unit unit) {
  if (unit == Unit::code) return Normalise::code;
  return unit == Unit::element ? Normalise::none : Normalise::text;
}

std::optional<Unit> find_unit(std::string_view text) {
  for (const Unit unit : kUnits) {
    if (text == name(unit)) return unit;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(Measure measure) {
  switch (measure) {
    case Measure::jaccard: return "jaccard";
    case Measure::weighted_jaccard: return "weighted-jaccard";
    case Measure::containment: return "containment";
    case Measure::cosine: return "cosine";
    case Measure::hamming: return "hamming";
    case Measure::euclidean: return "euclidean";
    case Measure::manhattan: return "manhattan";
    case Measure::exact: return "exact";
  }
  return "";
}

std::string_view name(Unit unit) {
  switch (unit) {
    case Unit::character: return "char";
    case Unit::word: return "word";
    case Unit::code: return "code";
    case Unit::line: return "line";
    case Unit::element: return "element";
  }
  return "";
}

std::string_view name(Normalise normalise) {
  switch (normalise) {
    case Normalise::text: return "text";
    case Normalise::none: return "none";
    case Normalise::code: return "code";
  }
  return "";
}

std::string_view name(Verify verify) {
  switch (verify) {
    case Verify::exact: return "exact";
    case Verify::estimate: return "estimate";
    case Verify::none: return "none";
  }
  return "";
}

std::string_view name(RecallAt recall_at) {
  switch (recall_at) {
    case RecallAt::threshold: return "threshold";
    case RecallAt::average: return "average";
  }
  return "";
}

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::shingles: return "shingles";
    case Kind::numbers: return "numbers";
    case Kind::tfidf: return "tfidf";
    case Kind::bits: return "bits";
  }
  return "";
}

std::string_view name(Family family) {
  switch (family) {
    case Family::minhash: return "minhash";
    case Family::weighted_minhash: return "weighted-minhash";
    case Family::hyperplane: return "hyperplane";
    case Family::bit_sampling: return "bit-sampling";
    case Family::gaussian: return "gaussian";
    case Family::cauchy: return "cauchy";
  }
  return "";
}

std::string_view name(Binarise binarise) {
  switch (binarise) {
    case Binarise::none: return "none";
    case Binarise::median: return "median";
    case Binarise::mean: return "mean";
    case Binarise::sign: return "sign";
    case Binarise::unary: return "unary";
  }
  return "";
}

Measure parse_measure(std::string_view text, const std::string& subject) { return parse_name(text, kMeasures, subject); }
Kind parse_kind(std::string_view text, const std::string& subject) { return parse_name(text, kKinds, subject); }
Normalise parse_normalise(std::string_view text, const std::string& subject) { return parse_name(text, kNormalises, subject); }
Verify parse_verify(std::string_view text, const std::string& subject) { return parse_name(text, kVerifies, subject); }
RecallAt parse_recall_at(std::string_view text, const std::string& subject) { return parse_name(text, kRecallAts, subject); }

BinariseChoice parse_binarise(std::string_view text, const std::string& subject) {
  constexpr std::string_view kUnary = "unary:";
  for (const Binarise binarise : {Binarise::median, Binarise::mean, Binarise::sign}) {
    if (text == name(binarise)) return {binarise, 0};
  }
  const std::optional<std::uint64_t> levels = text.starts_with(kUnary) ? parse_whole(text.substr(kUnary.size())) : std::nullopt;
  if (!levels) throw Error(ErrorCode::plan, subject, in_quotes(text) + " is not median, mean, sign or unary:N, such as unary:8");
  require_between(*levels, 1, kMostLevels, subject);
  return {Binarise::unary, static_cast<std::uint32_t>(*levels)};
}

ShinglePlan parse_shingle(std::string_view text, const std::string& subject) {
  const std::size_t colon = text.find(':');
  const std::optional<Unit> unit = find_unit(text.substr(0, colon));
  const std::string_view digits = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (!unit || digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    throw Error(ErrorCode::plan, subject, in_quotes(text) + " is not " + listed(kUnits, ":K"));
  }
  const std::optional<std::uint64_t> size = parse_whole(digits);
  if (!size || *size < 1 || *size > kMostShingleSize) {
    throw Error(ErrorCode::plan, subject, "the size of " + in_quotes(text) + " is not between 1 and " + std::to_string(kMostShingleSize));
  }
  return {.unit = *unit, .size = static_cast<std::uint32_t>(*size), .bag = false, .normalise = usual_normalise(*unit)};
}

std::string shingle_name(const ShinglePlan& shingle) { return std::string(name(shingle.unit)) + ":" + std::to_string(shingle.size); }

}  // namespace nearkin
