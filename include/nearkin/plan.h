// Goal → Plan. A Goal is what a person wants; a Plan holds every number that a run depends on.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace nearkin {

enum class Measure {
  jaccard,           ///< |A∩B| / |A∪B| over sets of shingles
  weighted_jaccard,  ///< Σmin / Σmax over bags of shingles
  exact,             ///< equal normalised texts, nothing else
};

/// What a shingle is made of.
enum class Unit { character, word, code, line, element };

enum class Normalise {
  text,  ///< NFKC case fold, white space collapsed
  none,  ///< code points as they are
  code,  ///< case kept, white space collapsed
};

enum class Verify {
  exact,     ///< true similarity from the shingle sets
  estimate,  ///< share of equal hashes in the sketches
  none,      ///< every candidate is reported
};

/// A share from 0 to 1 as a decimal fraction, so that "at least 0.8" can be decided in integers.
struct Ratio {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;  ///< a power of ten, at most 10^9

  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  bool operator==(const Ratio&) const = default;
};

/// The decimal fraction nearest to `value`, with at most nine digits. Throws Error(plan) outside 0..1.
Ratio ratio(double value);
/// "0.8", "1", ".75". Throws Error(plan) naming `subject` for anything that is not a number from 0 to 1.
Ratio parse_ratio(std::string_view text, const std::string& subject);
/// The shortest spelling: "0.8", "1".
std::string to_string(Ratio ratio);

struct Goal {
  Measure measure = Measure::jaccard;
  double threshold = 0.8;  ///< at least so similar
  double recall = 0.95;    ///< share of the pairs exactly at the threshold that must be found; 1 asks for the exact join
};

struct ShinglePlan {
  Unit unit = Unit::word;
  std::uint32_t size = 5;  ///< units in one shingle
  bool bag = false;        ///< count repeated shingles (weighted Jaccard) instead of keeping each once
  Normalise normalise = Normalise::text;
  bool operator==(const ShinglePlan&) const = default;
};

struct SketchPlan {
  std::uint32_t hashes = 0;  ///< slots of the sketch; 0 in plans that need no sketch (recall 1, measure exact)
  std::uint64_t seed = 1;
  bool operator==(const SketchPlan&) const = default;
};

struct BandPlan {
  std::uint32_t bands = 0;
  std::uint32_t rows = 0;
  /// Buckets with more items than this follow the linear rule (docs/architecture.md, large buckets).
  std::uint32_t large_bucket = 128;
  bool operator==(const BandPlan&) const = default;
};

/// Every number a run depends on. Prints as one line and parses back to the same value:
/// `jaccard>=0.8 recall=0.95 shingle=word:5 normalise=text sketch=minhash:136 bands=17x8 bucket=128 verify=exact seed=1 unicode=15.0.0`
struct Plan {
  Measure measure = Measure::jaccard;
  Ratio threshold{8, 10};
  double recall = 0.95;
  ShinglePlan shingle;
  SketchPlan sketch;
  BandPlan band;
  Verify verify = Verify::exact;

  /// True when the run compares by an exact all-pairs join instead of by sketches.
  bool exact_join() const { return sketch.hashes == 0 && measure != Measure::exact; }
  bool operator==(const Plan&) const = default;
};

/// What the caller has already decided; everything absent is chosen by `tune`.
struct Choices {
  std::optional<ShinglePlan> shingle = std::nullopt;
  std::optional<std::uint32_t> hashes = std::nullopt;
  std::optional<std::uint32_t> bands = std::nullopt;
  std::optional<std::uint32_t> rows = std::nullopt;
  std::optional<std::uint32_t> large_bucket = std::nullopt;
  std::optional<Verify> verify = std::nullopt;
  std::optional<std::uint64_t> seed = std::nullopt;
};

/// The plan of least nominal cost that finds a pair exactly at the threshold with at least the goal's recall.
/// Deterministic: the same goal and choices give the same plan on every machine.
/// Throws Error(plan) for a goal out of range or choices that contradict each other.
Plan tune(const Goal& goal, const Choices& choices = {});

/// The plan as one line; `parse_plan(to_string(p)) == p`.
std::string to_string(const Plan& plan);
std::ostream& operator<<(std::ostream& out, const Plan& plan);
/// Throws Error(plan) naming the part of the line at fault. Parts that are absent keep their defaults, except that
/// bands and sketch must agree. A plan made with other Unicode tables than this build's is refused.
Plan parse_plan(std::string_view line);

/// "word:5" → unit and size. Throws Error(plan) naming `subject`.
ShinglePlan parse_shingle(std::string_view text, const std::string& subject = "shingle");
std::string shingle_name(const ShinglePlan& shingle);
Normalise parse_normalise(std::string_view text, const std::string& subject = "normalise");
Verify parse_verify(std::string_view text, const std::string& subject = "verify");
Measure parse_measure(std::string_view text, const std::string& subject = "measure");
std::string_view name(Measure measure);
std::string_view name(Unit unit);
std::string_view name(Normalise normalise);
std::string_view name(Verify verify);

}  // namespace nearkin
