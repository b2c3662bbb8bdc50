// Goal → Plan. A Goal is what a person wants; a Plan holds every number that a run depends on.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

enum class Measure {
  jaccard,           ///< |A∩B| / |A∪B| over sets of shingles
  weighted_jaccard,  ///< Σmin / Σmax over bags of shingles, or over the weights of sparse vectors
  containment,       ///< |A∩B| / |A|: how much of A stands in B; directed
  cosine,            ///< a·b / (|a||b|)
  hamming,           ///< places in which two bit strings, or two rows of a table, differ
  euclidean,         ///< √Σ(a−b)²
  manhattan,         ///< Σ|a−b|
  exact,             ///< equal normalised texts, nothing else
};
/// hamming, euclidean, manhattan: the goal is a radius (at most so far), not a threshold (at least so similar).
constexpr bool is_distance(Measure measure) {
  return measure == Measure::hamming || measure == Measure::euclidean || measure == Measure::manhattan;
}

/// What the items of a run are compared by.
enum class Kind {
  shingles,  ///< sets or bags of hashes: texts, sets, graphs, tables
  numbers,   ///< vectors of numbers, dense or sparse
  tfidf,     ///< texts as sparse vectors: how often a shingle occurs, times how rare it is in the collection
  bits,      ///< strings of bits, all of one length
};

/// How vectors of numbers become bits.
enum class Binarise {
  none,
  median,  ///< 1 where the number is above the median of its place over the collection
  mean,    ///< 1 where the number is above the mean of its place over the collection
  sign,    ///< 1 where the number is above 0
  unary,   ///< N bits a number: bit i is 1 where it is above the i-th of N steps between the least and the greatest of the collection
};

/// How an item is hashed, and with that the probability that one hash of two items agrees.
enum class Family {
  minhash,           ///< sets: the Jaccard similarity
  weighted_minhash,  ///< weights: the weighted Jaccard similarity
  hyperplane,        ///< one bit a hash: 1 − θ/π
  bit_sampling,      ///< one bit a hash: 1 − d/D
  gaussian,          ///< ⌊(a·x+b)/w⌋ with Gaussian a: Euclidean distance
  cauchy,            ///< ⌊(a·x+b)/w⌋ with Cauchy a: Manhattan distance
};

/// What a shingle is made of.
enum class Unit { character, word, code, line, element };

enum class Normalise {
  text,  ///< NFKC case fold, white space collapsed
  none,  ///< code points as they are
  code,  ///< case kept, white space collapsed
};

/// Over which pairs a recall is promised.
enum class RecallAt {
  threshold,  ///< every pair at the threshold, or beyond it, is found with this probability at least
  average,    ///< on average over the pairs that the collection is expected to have at or above the threshold; needs data to tune for
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
  double threshold = 0.8;  ///< at least so similar; the similarity measures
  double recall = 0.95;    ///< share of the pairs exactly at the threshold that must be found; 1 asks for the exact join
  /// At most so far; the distances, which cannot do without it. Hamming: below 1 it is a share of the bits.
  std::optional<double> radius = std::nullopt;
  /// For queries: the so many nearest, whatever their similarity, in place of threshold and radius. 0: not asked for.
  std::uint32_t nearest = 0;
  RecallAt recall_at = RecallAt::threshold;
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
  Family family = Family::minhash;
  double width = 0;              ///< gaussian, cauchy: w, the width of a slot, in units of distance
  std::uint32_t dimensions = 0;  ///< hamming: D, the bits or columns of an item; 0 elsewhere, and where the radius is a share and D unknown
  /// Of plans for an input without items, which tells no number of places: items of any number may be compared.
  static constexpr std::uint32_t kAnyDimensions = 2147483647;
  bool operator==(const SketchPlan&) const = default;
};

struct BandPlan {
  std::uint32_t bands = 0;
  std::uint32_t rows = 0;
  /// Buckets with more items than this follow the linear rule (docs/architecture.md, large buckets).
  std::uint32_t large_bucket = 128;
  /// The bound for lists of pairs, which should be whole where that is affordable; groups need far fewer pairs.
  static constexpr std::uint32_t kLargeBucketOfPairs = 10'000;
  /// Queries with family gaussian: buckets looked at in each band, the query's own and then the likeliest neighbours (1: its own alone).
  std::uint32_t probes = 1;
  bool operator==(const BandPlan&) const = default;
};

/// Every number a run depends on. Prints as one line and parses back to the same value:
/// `jaccard>=0.8 recall=0.95 shingle=word:5 normalise=text sketch=minhash:136 bands=17x8 bucket=128 verify=exact seed=1 unicode=15.0.0`
/// `euclidean<=3.5 recall=0.95 features=numbers sketch=gaussian:2145 width=10.5 bands=165x13 bucket=128 verify=exact seed=1`
/// `cosine recall=0.95 nearest=10 features=numbers sketch=hyperplane:1536 tables=64 verify=exact seed=1`
/// The family follows from measure and kind. What a plan has no use for (a threshold beside a radius or `nearest`, a sketch beside an exact
/// join) keeps its default, so that equal plans compare equal.
struct Plan {
  Measure measure = Measure::jaccard;
  Ratio threshold{8, 10};
  double recall = 0.95;
  ShinglePlan shingle;
  SketchPlan sketch;
  BandPlan band;
  Verify verify = Verify::exact;
  Kind kind = Kind::shingles;
  Binarise binarise = Binarise::none;
  std::uint32_t levels = 0;   ///< Binarise::unary: bits a number
  double radius = 0;          ///< the distances; hamming: a count, or a share where it is below 1
  std::uint32_t nearest = 0;  ///< queries for the so many nearest: band.rows is 0 then, unless fixed bands and rows were asked for
  RecallAt recall_at = RecallAt::threshold;

  /// True when the run compares by an exact all-pairs join instead of by sketches.
  bool exact_join() const { return sketch.hashes == 0 && measure != Measure::exact; }
  bool operator==(const Plan&) const = default;
};

/// So many pairs are expected in the whole collection at about this similarity or distance.
struct PairsAt {
  double at = 0;
  double pairs = 0;
  std::uint64_t seen = 0;  ///< pairs of the sample that the expectation rests on
};

/// What an exact join did with a part of a collection.
struct JoinedPart {
  double items = 0;      ///< of the part; where it is without copies, those that it stands for
  double looked_at = 0;  ///< pairs compared
  double passed = 0;     ///< entries of its index that were gone through to find them
};

/// What `tune` looks at of the data at hand (sample_data in run.h, and in vectors.h).
struct DataSample {
  std::uint64_t items = 0;           ///< of the collection; of a large one an estimate
  std::uint32_t dimensions = 0;      ///< dense and bits; 0 for sparse
  std::vector<double> values = {};   ///< similarity or distance of random pairs, ascending
  std::vector<double> nearest = {};  ///< distance (or similarity) of sampled items to their nearest among the sampled, ascending
  double shingles = 0;               ///< sets: different shingles of an item, on average
  double text_bytes = 0;             ///< sets: bytes of an item's text, on average
  /// How the pairs of the collection are spread over similarity (steps of 0.01, each below its upper end) or distance, ascending: from
  /// `asked` random items, each against `against` items. Sets only; for vectors `values` says the same.
  std::vector<PairsAt> pairs = {};
  std::uint64_t asked = 0, against = 0;
  /// Sets, for the forecast of an exact join: what it did with random parts of the collection, the smaller first.
  std::vector<JoinedPart> joined = {};
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
  std::optional<Kind> kind = std::nullopt;  ///< absent: what the measure implies
  std::optional<Binarise> binarise = std::nullopt;
  std::optional<std::uint32_t> levels = std::nullopt;
  /// Of the items, where there is no sample: numbers, columns, or bits once they are binary.
  std::optional<std::uint32_t> dimensions = std::nullopt;
  std::optional<double> width = std::nullopt;
  std::optional<std::uint32_t> probes = std::nullopt;
  std::optional<DataSample> sample = std::nullopt;  ///< tuned for this data; absent: for nominal data
};

/// The plan of least nominal cost that finds a pair exactly at the threshold with at least the goal's recall.
/// With RecallAt::average: so many of the pairs that the sample leads to expect at or above it; where fewer than 30 of them were seen, or
/// there is nothing to average over, the plan promises the recall at the threshold, and its `recall_at` says so.
/// For a sampled collection of 10,000 sets and more the cost is within 1.3 times the least of any plan of at most 512 hashes; a smaller
/// one is taken for a part of a larger one of its kind.
/// Deterministic: the same goal and choices give the same plan on every machine.
/// A plan with `nearest` has tables of prefixes (`bands` of them) unless both bands and rows were chosen. Bands are as many as a query with
/// the chosen probes needs; a run over all pairs looks into one bucket a band, and its recall is found_probability without probing.
/// Throws Error(plan) for a goal out of range or choices that contradict each other, and for what must be known of the data and is not
/// (the dimensions of a Hamming distance, the slot width for the nearest by Euclidean or Manhattan distance, a sample for an average).
Plan tune(const Goal& goal, const Choices& choices = {});

/// The family that hashes items of this kind for the measure.
Family family_of(Measure measure, Kind kind);

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
RecallAt parse_recall_at(std::string_view text, const std::string& subject = "recall_at");
Measure parse_measure(std::string_view text, const std::string& subject = "measure");
Kind parse_kind(std::string_view text, const std::string& subject = "features");
/// "median", "mean", "sign", "unary:8". Throws Error(plan) naming `subject`.
struct BinariseChoice {
  Binarise binarise = Binarise::none;
  std::uint32_t levels = 0;
};
BinariseChoice parse_binarise(std::string_view text, const std::string& subject = "binarise");
std::string_view name(Measure measure);
std::string_view name(Unit unit);
std::string_view name(Normalise normalise);
std::string_view name(Verify verify);
std::string_view name(RecallAt recall_at);
std::string_view name(Kind kind);
std::string_view name(Family family);  ///< "minhash", "weighted-minhash", "hyperplane", "bit-sampling", "gaussian", "cauchy"
std::string_view name(Binarise binarise);

}  // namespace nearkin
