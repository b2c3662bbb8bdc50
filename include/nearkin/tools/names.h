// Settings as words: what a front end reads from flags and prints. Each parse function throws Error(plan) naming `subject`, the value and
// what would be right; each name() is the word that the parse function takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nearkin/items.h>
#include <nearkin/plan.h>
#include <nearkin/query.h>
#include <nearkin/stages.h>
#include <nearkin/vectors.h>

namespace nearkin {

struct Keep;

/// "0.8", "1", ".75": a number from 0 to 1.
Ratio parse_ratio(std::string_view text, const std::string& subject);

/// "word:5": token and size; the other fields keep their defaults.
ShinglePlan parse_shingle(std::string_view text, const std::string& subject = "shingle");
std::string shingle_name(const ShinglePlan& shingle);

Measure parse_measure(std::string_view text, const std::string& subject = "measure");
Normalise parse_normalise(std::string_view text, const std::string& subject = "normalise");
Verify parse_verify(std::string_view text, const std::string& subject = "verify");
RecallAt parse_recall_at(std::string_view text, const std::string& subject = "recall_at");
Linkage parse_linkage(std::string_view text, const std::string& subject = "linkage");
/// "query", "item".
ShareOf parse_share_of(std::string_view text, const std::string& subject = "share_of");
Format parse_format(std::string_view text, const std::string& subject = "format");
Html parse_html(std::string_view text, const std::string& subject = "html");  ///< "text", "raw"
Directed parse_directed(std::string_view text, const std::string& subject = "directed");

/// "document", "paragraph", "line", "sentence", "window:100/50".
Unit parse_unit(std::string_view text, const std::string& subject = "unit");
std::string to_string(const Unit& unit);
/// "none", "the usual", "COMMAND for *.pdf *.ps".
std::string to_string(const Extraction& extraction);
/// "within lang", "across site"; "none".
std::string to_string(const Scope& scope);

struct BinariseChoice {
  Binarise binarise = Binarise::none;
  std::uint32_t levels = 0;  ///< as Plan::levels
};
/// "median", "mean", "sign", "unary:8".
BinariseChoice parse_binarise(std::string_view text, const std::string& subject = "binarise");

struct FeaturesChoice {
  Kind kind = Kind::shingles;
  TfidfPlan tfidf = {};
};
/// "shingles", "numbers", "bits", "tfidf", "tfidf:sublinear", "tfidf:cap=3", "tfidf:sublinear:cap=3".
FeaturesChoice parse_features(std::string_view text, const std::string& subject = "features");
std::string features_name(const Plan& plan);

/// "first", "longest", "max:score" …
Keep parse_keep(std::string_view text, const std::string& subject = "keep");
std::string to_string(const Keep& keep);

std::string_view name(Measure measure);
std::string_view name(Token token);
std::string_view name(Normalise normalise);
std::string_view name(Verify verify);
std::string_view name(RecallAt recall_at);
std::string_view name(Kind kind);
std::string_view name(Family family);  ///< "minhash", "weighted-minhash", "hyperplane", "bit-sampling", "gaussian", "cauchy"
std::string_view name(Binarise binarise);
std::string_view name(Linkage linkage);
std::string_view name(Format format);
std::string_view name(Html html);
std::string_view name(Directed directed);
/// For messages: "dense vectors", "sparse vectors", "bits".
constexpr std::string_view name(Vectors::Kind kind) {
  switch (kind) {
    case Vectors::Kind::dense: return "dense vectors";
    case Vectors::Kind::sparse: return "sparse vectors";
    case Vectors::Kind::bits: return "bits";
  }
  return {};
}

/// "2GiB", "512MiB", "1.5GB", "4096": a number of bytes.
std::uint64_t parse_bytes(std::string_view text, const std::string& subject = "memory");
/// For messages: "1.5 GiB".
std::string bytes_text(std::uint64_t bytes);

}  // namespace nearkin
