#include <limits>
#include <ostream>

#include <nearkin/error.h>
#include <nearkin/plan.h>
#include <nearkin/tools/names.h>

#include "base/in_quotes.h"
#include "base/unicode.h"
#include "theory/numbers.h"
#include "theory/plan_rules.h"

namespace nearkin {
namespace {

/// In the order of their declaration.
constexpr std::string_view kMeasures[] = {"jaccard", "weighted-jaccard", "containment", "cosine",
                                          "hamming", "euclidean",        "manhattan",   "exact"};
constexpr std::string_view kKinds[] = {"shingles", "numbers", "tfidf", "bits"};
constexpr std::string_view kSublinear = "sublinear", kCap = "cap=";  // behind tfidf
constexpr std::string_view kBinarises[] = {"none", "median", "mean", "sign", "unary"};
constexpr std::string_view kFamilies[] = {"minhash", "weighted-minhash", "hyperplane", "bit-sampling", "gaussian", "cauchy"};
constexpr std::string_view kTokens[] = {"char", "word", "code", "line", "element"};
constexpr std::string_view kNormalises[] = {"text",
                                            "none",
                                            "code",
                                            "code:no-comments",
                                            "code:no-comments:c",
                                            "code:no-comments:c++",
                                            "code:no-comments:java",
                                            "code:no-comments:python",
                                            "code:no-comments:javascript",
                                            "code:no-comments:go",
                                            "code:no-comments:rust",
                                            "code:identifiers",
                                            "code:identifiers:c",
                                            "code:identifiers:c++",
                                            "code:identifiers:java",
                                            "code:identifiers:python",
                                            "code:identifiers:javascript",
                                            "code:identifiers:go",
                                            "code:identifiers:rust"};
constexpr std::string_view kVerifies[] = {"exact", "estimate", "none"};
constexpr std::string_view kSharesOf[] = {"query", "item"};
constexpr std::string_view kRecallAts[] = {"threshold", "average"};
static_assert(std::size(kMeasures) == std::size_t(Measure::exact) + 1 && std::size(kKinds) == std::size_t(Kind::bits) + 1 &&
              std::size(kBinarises) == std::size_t(Binarise::unary) + 1 && std::size(kFamilies) == std::size_t(Family::cauchy) + 1 &&
              std::size(kTokens) == std::size_t(Token::element) + 1 &&
              std::size(kNormalises) == std::size_t(Normalise::code_identifiers_rust) + 1 &&
              std::size(kVerifies) == std::size_t(Verify::none) + 1 && std::size(kRecallAts) == std::size_t(RecallAt::average) + 1);

std::string listed(Names names, std::string_view suffix) {
  std::string list;
  for (const std::string_view& name : names) {
    list += &name == &names.front() ? "" : &name == &names.back() ? " or " : ", ";
    list.append(name).append(suffix);
  }
  return list;
}

template <typename Value>
Value parse_name(std::string_view text, Names names, const std::string& subject) {
  const std::optional<Value> value = find_name<Value>(text, names);
  if (!value) throw Error(ErrorCode::plan, subject, in_quotes(text) + " is not " + listed(names, ""));
  return *value;
}

Normalise usual_normalise(Token token) {
  if (token == Token::code) return Normalise::code;
  return token == Token::element ? Normalise::none : Normalise::text;
}

std::string goal_text(const Plan& plan) {
  std::string line(name(plan.measure));
  if (plan.nearest == 0) line += is_distance(plan.measure) ? "<=" + shortest(plan.radius) : ">=" + to_string(plan.threshold);
  line += " recall=" + shortest(plan.recall);
  if (plan.recall_at != RecallAt::threshold) line += " recall_at=" + std::string(name(plan.recall_at));
  if (plan.nearest > 0) line += " nearest=" + std::to_string(plan.nearest);
  return line;
}

std::string feature_text(const Plan& plan) {
  std::string line;
  if (is_vector(plan.kind) || usual_kind(plan.measure) != plan.kind) line += " features=" + features_name(plan);
  if (is_text(plan.kind)) line += " shingle=" + shingle_name(plan.shingle) + " normalise=" + std::string(name(plan.shingle.normalise));
  if (plan.shingle.ignore != 0) line += " ignore=" + hex_of(plan.shingle.ignore);
  if (plan.binarise != Binarise::none) line += " binarise=" + std::string(name(plan.binarise));
  if (plan.binarise == Binarise::unary) line += ":" + std::to_string(plan.levels);
  return line;
}

std::string search_text(const Plan& plan) {
  const auto& [hashes, seed, family, width, dimensions] = plan.sketch;
  if (hashes == 0) return " join=exact";
  std::string line = " sketch=" + std::string(name(family)) + ":" + std::to_string(hashes);
  if (width > 0) line += " width=" + shortest(width);
  if (dimensions > 0) line += " dimensions=" + std::to_string(dimensions);
  if (plan.band.rows == 0) return line + " tables=" + std::to_string(plan.band.bands);
  line += " bands=" + std::to_string(plan.band.bands) + "x" + std::to_string(plan.band.rows);
  if (plan.band.probes > 1) line += " probes=" + std::to_string(plan.band.probes);
  return line + " bucket=" + std::to_string(plan.band.large_bucket);
}

}  // namespace

std::string_view name(Measure measure) { return name_of(measure, kMeasures); }
std::string_view name(Kind kind) { return name_of(kind, kKinds); }
std::string_view name(Binarise binarise) { return name_of(binarise, kBinarises); }
std::string_view name(Family family) { return name_of(family, kFamilies); }
std::string_view name(Token token) { return name_of(token, kTokens); }
std::string_view name(Normalise normalise) { return name_of(normalise, kNormalises); }
std::string_view name(Verify verify) { return name_of(verify, kVerifies); }
std::string_view name(RecallAt recall_at) { return name_of(recall_at, kRecallAts); }

Measure parse_measure(std::string_view text, const std::string& subject) { return parse_name<Measure>(text, kMeasures, subject); }
Normalise parse_normalise(std::string_view text, const std::string& subject) {
  if (const std::optional<Normalise> value = find_name<Normalise>(text, kNormalises)) return *value;
  throw Error(ErrorCode::plan, subject,
              in_quotes(text) +
                  " is not text, none, code, code:no-comments or code:identifiers; the last two may name a language, such as "
                  "code:identifiers:java (c, c++, java, python, javascript, go or rust)");
}
Verify parse_verify(std::string_view text, const std::string& subject) { return parse_name<Verify>(text, kVerifies, subject); }
RecallAt parse_recall_at(std::string_view text, const std::string& subject) { return parse_name<RecallAt>(text, kRecallAts, subject); }

ShareOf parse_share_of(std::string_view text, const std::string& subject) { return parse_name<ShareOf>(text, kSharesOf, subject); }

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

FeaturesChoice parse_features(std::string_view text, const std::string& subject) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  FeaturesChoice choice{.kind = parse_name<Kind>(text.substr(0, colon), kKinds, subject)};
  TfidfPlan& tfidf = choice.tfidf;
  for (std::size_t begin = colon; begin < text.size();) {
    const std::size_t end = std::min(text.find(':', begin + 1), text.size());
    const std::string_view word = text.substr(begin + 1, end - begin - 1);
    const std::uint64_t cap = word.starts_with(kCap) ? parse_whole(word.substr(kCap.size())).value_or(0) : 0;
    const bool sublinear = word == kSublinear && !tfidf.sublinear;
    if (choice.kind != Kind::tfidf || (!sublinear && (cap == 0 || tfidf.cap > 0))) {
      throw Error(
          ErrorCode::plan, subject,
          in_quotes(text) + " is not " + listed(kKinds, "") + "; tfidf may be tfidf:sublinear, tfidf:cap=3 or tfidf:sublinear:cap=3");
    }
    tfidf.sublinear = tfidf.sublinear || sublinear;
    if (cap > 0) require_between(cap, 1, std::numeric_limits<std::uint32_t>::max(), subject);
    if (cap > 0) tfidf.cap = static_cast<std::uint32_t>(cap);
    begin = end;
  }
  return choice;
}

std::string features_name(const Plan& plan) {
  std::string text(name(plan.kind));
  if (plan.tfidf.sublinear) text.append(":").append(kSublinear);
  if (plan.tfidf.cap > 0) text.append(":").append(kCap) += std::to_string(plan.tfidf.cap);
  return text;
}

ShinglePlan parse_shingle(std::string_view text, const std::string& subject) {
  const std::size_t colon = text.find(':');
  const std::optional<Token> token = find_name<Token>(text.substr(0, colon), kTokens);
  const std::string_view digits = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (!token || digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    throw Error(ErrorCode::plan, subject, in_quotes(text) + " is not " + listed(kTokens, ":K"));
  }
  const std::optional<std::uint64_t> size = parse_whole(digits);
  if (!size || *size < 1 || *size > kMostShingleSize) {
    throw Error(ErrorCode::plan, subject, "the size of " + in_quotes(text) + " is not between 1 and " + std::to_string(kMostShingleSize));
  }
  return {.token = *token, .size = static_cast<std::uint32_t>(*size), .bag = false, .normalise = usual_normalise(*token)};
}

std::string shingle_name(const ShinglePlan& shingle) { return std::string(name(shingle.token)) + ":" + std::to_string(shingle.size); }

std::string to_string(const Plan& plan) {
  const std::string unicode = " unicode=" + unicode_version();
  if (plan.measure == Measure::exact) return "exact normalise=" + std::string(name(plan.shingle.normalise)) + unicode;
  std::string line = goal_text(plan) + feature_text(plan) + search_text(plan) + " verify=" + std::string(name(plan.verify));
  if (plan.sketch.hashes > 0) line += " seed=" + std::to_string(plan.sketch.seed);
  return is_text(plan.kind) ? line + unicode : line;
}

std::ostream& operator<<(std::ostream& out, const Plan& plan) { return out << to_string(plan); }

}  // namespace nearkin
