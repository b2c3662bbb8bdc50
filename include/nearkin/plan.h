// Goal → Plan. A Goal is what you want; a Plan holds every number that a run depends on. tune() turns one into the other.
// Set measure, threshold (or radius) and recall, and leave the rest to tune().
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

/// How two items are compared.
enum class Measure {
  jaccard,           ///< similarity |A∩B| / |A∪B| of two sets of shingles
  weighted_jaccard,  ///< similarity Σmin / Σmax of two bags of shingles, or of the weights of two vectors
  containment,       ///< similarity |A∩B| / |A|: how much of A occurs in B; not symmetric
  cosine,            ///< similarity a·b / (|a||b|) of two vectors
  hamming,           ///< distance: number of places in which two bit strings, or two rows of a table, differ
  euclidean,         ///< distance √Σ(a−b)² of two vectors
  manhattan,         ///< distance Σ|a−b| of two vectors
  exact,             ///< equal after normalising, or not; texts only
};
/// True for hamming, euclidean and manhattan. Their goal is a radius; the goal of the others is a threshold.
constexpr bool is_distance(Measure measure) {
  return measure == Measure::hamming || measure == Measure::euclidean || measure == Measure::manhattan;
}

/// What items are compared by. `tune` derives it from the measure.
enum class Kind {
  shingles,  ///< sets or bags of hashes: texts, sets, graphs, tables
  numbers,   ///< vectors of numbers, dense or sparse
  tfidf,     ///< texts as sparse vectors: how often a shingle occurs, times how rare it is in the collection
  bits,      ///< bit strings, all of one length
};

/// How vectors of numbers become bit strings, for Measure::hamming.
enum class Binarise {
  none,    ///< they do not
  median,  ///< 1 where a number is above the median of its place in the collection
  mean,    ///< 1 where a number is above the mean of its place in the collection
  sign,    ///< 1 where a number is above 0
  unary,   ///< Plan::levels bits per number; bit i is 1 where the number is above step i of equal steps from the least to the greatest
};

/// How items are hashed. It follows from measure and kind, and decides how likely one hash of two items agrees.
enum class Family {
  minhash,           ///< sets; agrees with probability equal to the Jaccard similarity
  weighted_minhash,  ///< weights; agrees with probability equal to the weighted Jaccard similarity
  hyperplane,        ///< vectors, one bit per hash; 1 − θ/π for the angle θ
  bit_sampling,      ///< bit strings, one bit per hash; 1 − d/D for d different bits out of D
  gaussian,          ///< vectors, ⌊(a·x+b)/w⌋ with Gaussian a; for Euclidean distance
  cauchy,            ///< vectors, ⌊(a·x+b)/w⌋ with Cauchy a; for Manhattan distance
};

/// What a shingle is made of: characters, words, tokens of program code, lines, or the elements of a set.
enum class Token { character, word, code, line, element };

/// What is done to a text before it is cut into shingles. The values from code_no_comments on are for programs; without a language in
/// its name, a value recognises the language from the text. docs/reference.md, "Programs that were disguised", has the rules.
enum class Normalise {
  text,              ///< Unicode NFKC case folding; runs of white space become one blank
  none,              ///< nothing
  code,              ///< case is kept; runs of white space become one blank
  code_no_comments,  ///< like code, without comments
  code_no_comments_c,
  code_no_comments_cpp,
  code_no_comments_java,
  code_no_comments_python,
  code_no_comments_javascript,
  code_no_comments_go,
  code_no_comments_rust,
  code_identifiers,  ///< like code_no_comments, and every identifier is the same, and every literal the same as others of its kind
  code_identifiers_c,
  code_identifiers_cpp,
  code_identifiers_java,
  code_identifiers_python,
  code_identifiers_javascript,
  code_identifiers_go,
  code_identifiers_rust,
};

/// Which pairs a recall is promised for.
enum class RecallAt {
  threshold,  ///< each pair at the threshold, or beyond it, is found with at least this probability
  average,    ///< the average over all pairs that the collection is expected to have; needs Choices::sample
};

/// What a reported similarity is.
enum class Verify {
  exact,     ///< the true one; pairs below the threshold are dropped
  estimate,  ///< the share of equal hashes in the sketches: faster, less precise
  none,      ///< not computed; every candidate is reported
};

/// The share of the pairs at or above the threshold that a run found, with a 95 % interval. Each from 0 to 1.
struct Recall {
  double estimate = 1, low = 1, high = 1;
};

/// A share from 0 to 1 as a decimal fraction. Thresholds are compared in integers, so a pair exactly at 0.8 is inside.
struct Ratio {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;  ///< a power of ten, at most 10^9

  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  bool operator==(const Ratio&) const = default;
};

/// The decimal fraction nearest to `value`, with at most nine digits. Throws Error(plan) outside 0..1.
Ratio ratio(double value);
/// The shortest spelling: "0.8", "1".
std::string to_string(Ratio ratio);

/// What you want to find. A similarity measure needs `threshold`, a distance needs `radius`; for queries `nearest` replaces both.
struct Goal {
  Measure measure = Measure::jaccard;
  double threshold = 0.8;                       ///< report pairs with this similarity or more; above 0, at most 1
  double recall = 0.95;                         ///< share of the pairs at the threshold to find; 1 compares exactly, without sketches
  std::optional<double> radius = std::nullopt;  ///< report pairs at this distance or less; for hamming, below 1 it is a share of the bits
  std::uint32_t nearest = 0;                    ///< queries only: find this many nearest items, whatever their distance; 0 = not used
  RecallAt recall_at = RecallAt::threshold;     ///< leave alone unless you tune for a sample
};

/// Shingles that do not count (ignore.h).
class IgnoredShingles;

/// How texts become sets. The default suits prose; use word:1 or character:3 for very short texts, code:5 for programs.
struct ShinglePlan {
  Token token = Token::word;
  std::uint32_t size = 5;  ///< tokens per shingle, 1 to 1000
  bool bag = false;        ///< true: a repeated shingle counts each time (weighted_jaccard); false: once
  Normalise normalise = Normalise::text;
  std::uint64_t ignore = 0;                             ///< identifies the ignored shingles by a hash of them; 0 = none are ignored
  std::shared_ptr<const IgnoredShingles> ignored = {};  ///< the ignored shingles, which a plan line does not contain; runs need them
  bool operator==(const ShinglePlan& other) const {
    return token == other.token && size == other.size && bag == other.bag && normalise == other.normalise && ignore == other.ignore;
  }
};

/// How items are hashed into sketches. `tune` fills it in.
struct SketchPlan {
  std::uint32_t hashes = 0;  ///< slots per sketch, up to 4096; 0 = no sketches (recall 1, measure exact)
  std::uint64_t seed = 1;    ///< of all random numbers; any value
  Family family = Family::minhash;
  double width = 0;              ///< gaussian and cauchy: the width w of a slot, a distance above 0; otherwise 0
  std::uint32_t dimensions = 0;  ///< hamming: bits or columns per item; 0 = unknown, or not needed
  static constexpr std::uint32_t kAnyDimensions = 2147483647;  ///< `dimensions` of a plan that was tuned for an empty input
  bool operator==(const SketchPlan&) const = default;
};

/// How sketches are compared: two items are candidates where all `rows` hashes of at least one band agree. `tune` fills it in.
struct BandPlan {
  std::uint32_t bands = 0;  ///< up to 4096; bands × rows is at most SketchPlan::hashes
  std::uint32_t rows = 0;   ///< hashes per band; 0 in plans for `nearest`, whose bands are tables of prefixes
  /// In a bucket with more items than this, not every pair is compared (docs/architecture.md, "Large buckets"). At least 2. Raise it
  /// only for complete lists of pairs: the work grows with its square.
  std::uint32_t large_bucket = 128;
  static constexpr std::uint32_t kLargeBucketOfPairs = 10'000;  ///< a good value of large_bucket for lists of pairs
  std::uint32_t probes = 1;  ///< queries, family gaussian: buckets that a query looks into per band, 1 to 256
  bool operator==(const BandPlan&) const = default;
};

/// How often a shingle counts in an item, for Kind::tfidf.
struct TfidfPlan {
  bool sublinear = false;  ///< n occurrences count 1 + ln n times
  std::uint32_t cap = 0;   ///< occurrences beyond this number do not count; 0 = all count
  bool operator==(const TfidfPlan&) const = default;
};

/// Every number a run depends on. Make it with tune() or parse_plan(). It prints as one line and parses back to the same value:
/// `jaccard>=0.8 recall=0.95 shingle=word:5 normalise=text sketch=minhash:136 bands=17x8 bucket=128 verify=exact seed=1 unicode=15.0.0`
/// `euclidean<=3.5 recall=0.95 features=numbers sketch=gaussian:2145 width=10.5 bands=165x13 bucket=128 verify=exact seed=1`
/// `cosine recall=0.95 nearest=10 features=numbers sketch=hyperplane:1536 tables=64 verify=exact seed=1`
/// Fields that a plan does not use keep their defaults, so equal plans compare equal. Runs, Tables and Index::create throw Error(plan)
/// for a plan whose numbers contradict each other, such as more bands × rows than hashes.
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
  std::uint32_t levels = 0;   ///< bits per number with Binarise::unary, 1 to 1000; otherwise 0
  TfidfPlan tfidf;            ///< Kind::tfidf
  double radius = 0;          ///< distances; as Goal::radius
  std::uint32_t nearest = 0;  ///< as Goal::nearest
  RecallAt recall_at = RecallAt::threshold;

  /// True when every pair is found by an exact all-pairs join, without sketches.
  bool exact_join() const { return sketch.hashes == 0 && measure != Measure::exact; }
  bool operator==(const Plan&) const = default;
};

/// One step of a histogram: the collection is expected to have `pairs` pairs of about this similarity or distance.
struct PairsAt {
  double at = 0;
  double pairs = 0;
  std::uint64_t seen = 0;  ///< pairs in the sample that the expectation rests on
  double repeated = 0;     ///< of `pairs`, those between copies of the items of another pair, which add no information
};

/// What an exact join did with a random part of a collection.
struct JoinedPart {
  double items = 0;      ///< in the part; copies that were left out of it count
  double looked_at = 0;  ///< pairs compared
  double passed = 0;     ///< entries of its index that were visited to find them
};

/// What `tune` knows about the data. sample_sets and sample_data (tools/sample.h) fill it in.
struct DataSample {
  std::uint64_t items = 0;               ///< in the collection; an estimate for a large one
  std::uint32_t dimensions = 0;          ///< of dense vectors and bit strings; 0 for others
  std::vector<double> values = {};       ///< vectors: similarity or distance of random pairs, ascending
  std::vector<double> nearest = {};      ///< vectors: similarity or distance of sampled items to their nearest neighbour, ascending
  double shingles = 0;                   ///< sets: different shingles per item, on average
  double text_bytes = 0;                 ///< sets: bytes of text per item, on average
  double longest_text = 0;               ///< sets: bytes of the longest text; 0 = not known
  double compared_shingles = 0;          ///< sets: `shingles` of items that resemble another, which a run compares; 0 = not known
  std::vector<PairsAt> pairs = {};       ///< sets: how the pairs of the collection are spread, ascending; steps of 0.01 for similarities
  std::uint64_t asked = 0, against = 0;  ///< `pairs` comes from this many random items, each compared with this many others
  bool complete = false;                 ///< these are all items, so `pairs` are counts and no estimates
  /// `pairs` as each part of the asked items alone estimates it, at the same steps. How far the parts differ shows how certain a forecast
  /// is.
  std::vector<std::vector<PairsAt>> parts = {};
  std::vector<JoinedPart> joined = {};  ///< for the forecast of an exact join: parts of the collection, the smaller first
};

/// What you have already decided. `tune` chooses everything that is absent.
struct Choices {
  std::optional<ShinglePlan> shingle = std::nullopt;
  std::optional<std::uint32_t> hashes = std::nullopt;
  std::optional<std::uint32_t> bands = std::nullopt;
  std::optional<std::uint32_t> rows = std::nullopt;
  std::optional<std::uint32_t> large_bucket = std::nullopt;
  std::optional<Verify> verify = std::nullopt;
  std::optional<std::uint64_t> seed = std::nullopt;
  std::optional<Kind> kind = std::nullopt;
  std::optional<Binarise> binarise = std::nullopt;
  std::optional<std::uint32_t> levels = std::nullopt;
  std::optional<TfidfPlan> tfidf = std::nullopt;
  std::optional<std::uint32_t> dimensions = std::nullopt;  ///< of the items (after binarising), for hamming without a sample
  std::optional<double> width = std::nullopt;
  std::optional<std::uint32_t> probes = std::nullopt;
  std::optional<DataSample> sample = std::nullopt;  ///< tune for this data; absent: for typical data
};

/// The cheapest plan that finds a pair exactly at the threshold with at least the goal's recall. The same goal and choices give the same
/// plan on every machine.
/// With RecallAt::average the recall is the average over the pairs that the sample predicts. If fewer than 30 of these were seen in the
/// sample, the plan promises the recall at the threshold instead, and its `recall_at` says so.
/// With `nearest` the plan has tables of prefixes, unless you chose both bands and rows.
/// Throws Error(plan) for a goal out of range, for choices that contradict each other, and where something about the data must be known
/// and is not: the dimensions for hamming, the width for the nearest by euclidean or manhattan, a sample for an average.
Plan tune(const Goal& goal, const Choices& choices = {});

/// The plan as one line; `parse_plan(to_string(p)) == p`.
std::string to_string(const Plan& plan);
std::ostream& operator<<(std::ostream& out, const Plan& plan);
/// Parts that the line does not name keep their defaults. Throws Error(plan) naming the part that is wrong, and for a plan that was made
/// with other Unicode tables than this build's.
Plan parse_plan(std::string_view line);

}  // namespace nearkin
