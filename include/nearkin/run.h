// Whole runs: from files to results, in one call each. The result does not depend on the number of threads or on the memory allowed.
// Every run throws Error(plan) for a plan or option that it cannot carry out, Error(file) for files that cannot be read or written.
// nearkin/tools/ has more: lists.h writes pairs and clusters to files, what_if.h tries other thresholds, sketch_file.h keeps sketches.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/plan.h>
#include <nearkin/stages.h>
#include <nearkin/vectors.h>

namespace nearkin {

struct Report;

/// What a run may use, and what it does besides its result. The defaults suit most programs.
struct RunOptions {
  unsigned threads = 0;  ///< 0 = one per core
  /// Called from time to time, by one thread at a time: the stage's name, how much of it is done, and how much there is to do (0 = not
  /// known).
  std::function<void(const char* stage, std::uint64_t done, std::uint64_t total)> progress = {};
  /// `pairs` throws Error(plan) if there are more pairs to list: a thousand copies of one text alone make half a million.
  std::uint64_t max_pairs = 100'000'000;
  /// Compare this many random items with the whole collection, exactly, and report the share of their pairs that was found
  /// (RunStats::audit). Reads the input once more. 0 = no audit.
  std::uint64_t audit = 0;
  /// Bytes of memory that the process may use; 0 = half of what is free. A run keeps in files what does not fit, and gives the same answer.
  /// Runs over MemoryItems, with tfidf features, or with bits cut by median, mean or levels need their items in memory; they throw
  /// Error(plan) naming the bytes they need if you set a lower bound.
  std::uint64_t memory = 0;
  /// Folder for these files. Each run makes its own folder inside and removes it at the end. Absent: $TMPDIR or /var/tmp, used only when
  /// memory is short. Given: files are used from the start, so an interrupted run can be resumed.
  std::optional<std::string> scratch = std::nullopt;
  bool resume = false;  ///< continue an interrupted run from its files, if there are any; false: such files are an Error(file)

  // For front ends; leave alone otherwise.
  Report* report = nullptr;                  ///< fill this (tools/report.h); reads the input once more
  double planned_seconds = 0;                ///< time that choosing the plan took, reported as stage "plan" of RunStats::seconds
  std::function<void()> before_output = {};  ///< called when all results are known and no output is in place yet; may throw to prevent that
};

/// The result of an audit: random items, each compared with all others.
struct Audit {
  Recall recall;
  std::uint64_t items = 0;       ///< items compared
  std::uint64_t true_pairs = 0;  ///< their pairs at or above the threshold
  std::uint64_t found = 0;       ///< those of them that the run found
  /// `dedup` by stars, and with `against`: the share of the items that should be removed that was removed, not counting copies. An item
  /// should be removed if it was removed, or if a kept item before it in the order of keeping (with `against`: any item of it) is similar
  /// to it.
  std::optional<Recall> item_recall = std::nullopt;
  std::uint64_t removable = 0;  ///< items that should be removed
  std::uint64_t removed = 0;    ///< those of them that were
};

/// What a person decided about two items, by their ids. With `against`: an item of the input, and one of `against`.
struct PairDecision {
  std::string a, b;
  bool same = false;  ///< true: they are a match, whatever their similarity; false: they are not
};
/// How many decisions were used.
struct DecisionNotes {
  std::uint64_t accepted = 0, rejected = 0;   ///< pairs of items, each once
  std::uint64_t not_listed = 0;               ///< `pairs`: accepted pairs that Partners::rule left out for another accepted pair of an item
  std::uint64_t unknown = 0;                  ///< decisions that name an item that the input does not have; they are ignored
  std::vector<std::string> unknown_ids = {};  ///< the first few of those ids
  static constexpr std::size_t kNamed = 5;
};

/// Groups of pairs connected by common items that are too large for Partners::Rule::optimal.
struct TooLargeGroups {
  std::uint64_t groups = 0;
  std::uint64_t pairs = 0;  ///< found in them, copies not counted
};

/// What a run read, did and used.
struct RunStats {
  std::uint64_t items = 0;       ///< records, or units of them, that became items
  std::uint64_t records = 0;     ///< where items are units: the records that they are of
  std::uint64_t empty = 0;       ///< EMPTY items among them
  std::uint64_t numbers = 0;     ///< items with a number in the field of the keep rule
  std::uint64_t copies = 0;      ///< items with the same shingles as an earlier one; only the first of them is searched for
  std::uint64_t candidates = 0;  ///< pairs looked at; a pair that meets in several large buckets counts each time
  std::uint64_t pairs = 0;       ///< pairs at or above the threshold, those of copies included
  std::uint64_t found = 0;  ///< of these, the ones found among the candidates; the others are copies, or copies of items that were found
  std::optional<std::uint64_t> listed = std::nullopt;     ///< pairs that Partners left; absent: all of `pairs`
  std::optional<DecisionNotes> decisions = std::nullopt;  ///< if there were any; other figures about pairs describe the search before them
  bool every_pair =
      true;  ///< false: `cluster` or `dedup` did not need all pairs (exact join, exact scopes); candidates and pairs say nothing
  BucketNotes buckets;
  Faults faults;
  /// The share of the pairs at or above the threshold that was found: 1 for exact runs, otherwise an estimate. Absent if it is not known:
  /// nothing was found, or pairs were not verified exactly. What large buckets left out is estimated from a sample.
  std::optional<Recall> recall = std::nullopt;
  /// `dedup` by stars, and with `against`: the share of the items that exact mode would remove that was removed, not counting copies. It is
  /// higher than the recall of pairs, because one found match with a kept item suffices to remove an item. Absent if it is not known:
  /// nothing was removed but copies, pairs were not verified exactly, or many items were removed that never met their keepers.
  std::optional<Recall> item_recall = std::nullopt;
  TooLargeGroups too_large = {};              ///< Partners::Rule::optimal: groups of pairs that were matched greedily
  std::optional<Audit> audit = std::nullopt;  ///< if RunOptions::audit asked for one and there were items
  /// The highest similarity seen below the threshold; 0 = none. It is that of all candidates only if nothing matched and the plan has
  /// sketches: otherwise comparing a pair stops as soon as it cannot reach the threshold.
  double closest_below = 0;
  bool one_scope = false;                               ///< across scopes: all items are in one scope, so nothing was compared
  bool one_side = false;                                ///< with `against`: one of the two has no items, so nothing was compared
  std::vector<std::pair<std::string, double>> seconds;  ///< per stage, in order
  std::uint64_t peak_bytes = 0;                         ///< most memory of the whole process
  std::uint64_t scratch_bytes = 0;                      ///< most disk space used at one time; 0 = memory only
  std::uint64_t resumed = 0;                            ///< units of work taken over from an interrupted run
};

/// Which of the pairs within the threshold `pairs` lists. Copies are treated like other items. Every run orders pairs the same way: (a, b)
/// comes before another pair if it is more similar, or equally similar with earlier rows (a first, then b). Similarities are compared
/// exactly, as fractions of counts or as the same doubles.
struct Partners {
  enum class Rule {
    all,         ///< every pair
    best,        ///< the first `most` pairs of each item; with `against`, of each item of the input
    one_to_one,  ///< goes through the pairs in order and takes each whose two items are not yet in a taken pair
    /// With `against` only: each item in at most one pair, and the sum of the similarities is the greatest. A similarity counts with nine
    /// decimals; a distance counts as 1 at 0, falling evenly to 1/2 at the radius. Of several such matchings it is always the same one.
    /// Pairs that are connected by common items form a group; RunStats::too_large has the groups that are matched as one_to_one does.
    optimal,
  };
  Rule rule = Rule::all;
  /// best: partners per item. Without `against`, a pair is listed if it is among the best of either item; a containment counts only for the
  /// contained item.
  std::uint32_t most = 1;
  /// Rejected pairs are not listed. Accepted pairs are, whatever their similarity, and the rule takes them before all others.
  std::vector<PairDecision> decisions = {};
};

struct PairsResult {
  Strings ids;      ///< of the input, then of `against`
  Matches matches;  ///< ascending by (a, b); rows of `against` are numbered after those of the input
  Verify verify;    ///< what Match::shared and total are
  Measure measure = Measure::jaccard;
  RunStats stats = {};
};

/// Every pair of the input at or above the threshold. With `against`: every pair of an item of the input and an item of `against`.
/// `partners` may leave fewer of them.
PairsResult pairs(const Input& input, const Plan& plan, const RunOptions& options = {}, const Input* against = nullptr,
                  const Partners& partners = {});

/// Which member of a cluster stays.
struct Keep {
  enum class Rule { first, last, longest, shortest, max, min } rule = Rule::first;
  std::string field = {};  ///< max and min: the field to read as a number; items without a number come last
};

struct ClusterOptions {
  Linkage linkage = Linkage::connected;
  Keep keep = {};
  std::vector<PairDecision> decisions = {};  ///< as in DedupOptions
};

struct ClusterResult {
  Strings ids;
  Clusters clusters;
  std::vector<Match> to_keeper;  ///< for each item its match with its keeper (a: item, b: keeper); for a keeper itself shared == total
  Verify verify;                 ///< what Match::shared and total are
  Measure measure = Measure::jaccard;
  RunStats stats = {};
};

/// The clusters of the input. An item that is similar to no other is a cluster of its own.
ClusterResult cluster(const Input& input, const Plan& plan, const ClusterOptions& options = {}, const RunOptions& run = {});

struct DedupResult;

struct DedupOptions {
  Linkage linkage = Linkage::star;  ///< star: every removed item is similar to its keeper; connected removes more
  Keep keep = {};
  std::optional<Input> against = {};        ///< remove only what is similar to an item of this input; all of its items stay
  std::optional<std::string> removed = {};  ///< write a list to this file: each removed item, its keeper and their similarity
  bool removed_as_json = false;             ///< that list as JSON lines; false: TSV
  /// Write all records, with "cluster", "keeper" and "similarity" (or "distance") added (jsonl, csv, tsv); units: with "cut", the spans of
  /// the text that would be cut ("0-26 40-61"), and "cut_share", the share of its words that are in these.
  bool annotate = false;
  bool keep_faults = true;                     ///< write bad records as they came, in their places among the others
  std::optional<std::string> skipped = {};     ///< write bad records to this file, bytes unchanged
  std::uint32_t keep_at_most = 1;              ///< maximum number of items kept per group, the first by the keep rule
  bool drop_repeated = false;                  ///< keep no item of a group of two or more
  std::optional<std::string> size_field = {};  ///< add a field of this name to each record: how many items its group has (jsonl, csv, tsv)
  /// units: add a field of this name to each record: the share of its words, 0 to 1, that are in units similar to another unit
  std::optional<std::string> share_field = {};
  std::uint32_t least_left = 0;      ///< units: a record that is cut to fewer words than this is removed
  double most_cut = 1;               ///< units: a record that would lose more than this share of its words is left unchanged
  std::optional<double> bloom = {};  ///< measure exact: use a Bloom filter with this rate of wrong removals, above 0, below 1
  /// Accepted pairs are added to the matches that the search found, rejected pairs are taken out. With Linkage::connected, an item that was
  /// rejected with the keeper of its group gets the next kept item of the group as keeper, or is kept itself (tools/decisions.h).
  std::vector<PairDecision> decisions = {};
  /// For front ends: called when the result is known and no output is in place yet; may throw to prevent that.
  std::function<void(const DedupResult&)> on_result = {};
};

struct DedupResult {
  std::uint64_t kept = 0;
  std::uint64_t removed = 0;      ///< kept + removed == stats.items
  std::uint64_t clusters = 0;     ///< with two or more members
  std::uint64_t bloom_bytes = 0;  ///< size of the Bloom filter
  double bloom_rate = 0;          ///< share of the distinct items that the Bloom filter is expected to remove wrongly
  /// Units: counts of whole records.
  struct Records {
    std::uint64_t read = 0, cut = 0, removed = 0;
    std::uint64_t left_alone = 0;  ///< by most_cut
    /// Passages: tokens of all texts, and what was cut out of texts that stay: tokens, and bytes from the first token of each cut to its
    /// last.
    std::uint64_t tokens = 0, tokens_cut = 0, bytes_cut = 0;
    std::uint64_t tokens_ignored = 0;  ///< of passages: those that templates have
  };
  Records records;
  RunStats stats;
  std::uint64_t added = 0;  ///< dedup_with_index: to the index; EMPTY records that it has under their ids are kept and not added again
};

/// Writes the records that stay to `output` ("-" = standard output), bytes unchanged, in input order; for Format::files it writes the
/// paths. Names that end in .gz or .zst are compressed. Outputs appear under their names only when all of them are complete.
DedupResult dedup(const Input& input, const std::string& output, const Plan& plan, const DedupOptions& options = {},
                  const RunOptions& run = {});

struct DedupRows {
  /// For each row of the input its keeper: the row itself if it is kept. Rows of `against` are numbered after those of the input.
  std::vector<Row> keeper;
  std::vector<Match> to_keeper;        ///< as in ClusterResult
  std::vector<std::uint32_t> cluster;  ///< as in Clusters; empty with `against`
  std::uint64_t kept = 0;              ///< rows that are their own keeper
  std::uint64_t clusters = 0;          ///< with two or more members
  Verify verify;                       ///< what Match::shared and total are
  Measure measure = Measure::jaccard;
  RunStats stats = {};
};
/// What `dedup` decides, without writing anything, for Input::memory. Uses the options linkage, keep, against and decisions.
DedupRows dedup_rows(const Input& input, const Plan& plan, const DedupOptions& options = {}, const RunOptions& run = {});

/// Calls work(). Once another thread sets `stop`, the run inside work() ends within a fraction of a second with Error(stopped). As with any
/// error, no output is left half-written.
void stoppable(const std::atomic<bool>& stop, const std::function<void()>& work);

}  // namespace nearkin
