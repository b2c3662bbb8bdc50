// Whole runs: from files to results, in one call each. The answer does not depend on the number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/plan.h>
#include <nearkin/stages.h>
#include <nearkin/theory.h>
#include <nearkin/vectors.h>

namespace nearkin {

struct Report;

struct RunOptions {
  unsigned threads = 0;  ///< 0: one for each core
  /// Called from time to time by one thread at a time, with the stage's name, what is done and what is to be done (0: not known).
  std::function<void(const char* stage, std::uint64_t done, std::uint64_t total)> progress = {};
  /// `pairs` refuses to list more than this many: a thousand copies of one text alone make half a million pairs.
  std::uint64_t max_pairs = 100'000'000;
  /// Compare so many random items with the whole collection, exactly, and say what share of their pairs was found (RunStats::audit). The
  /// input is read once more.
  std::uint64_t audit = 0;
  /// Filled with what a page about the run shows (report.h), where it is given. The input is read once more.
  Report* report = nullptr;
  double planned_seconds = 0;  ///< what choosing the plan took, where that is to be told among the seconds of the run
  /// Of runs that write files: called when everything is known and before an output is put in place; what throws here leaves them as
  /// they were.
  std::function<void()> before_output = {};
  /// Bound on the memory of the process in bytes; 0: `default_memory()`. Runs over sets and texts keep in files what does not fit, and give
  /// the same answer. Runs over vectors, over items in memory, and containment by sketches hold their rows in memory, and throw
  /// Error(plan) naming `memory` and what they need where that is more than a bound that was given.
  std::uint64_t memory = 0;
  /// Folder for these files; each run makes a folder of its own in it, by a name that inputs, plan and options decide, and removes it at
  /// the end. Absent: $TMPDIR, else /var/tmp, and only where memory does not suffice. Given: files are used from the start, so that a run
  /// that is ended in its middle can be resumed.
  std::optional<std::string> scratch = std::nullopt;
  /// Go on with the files of the same run that was ended before, where there are any. Without it such files are an Error(file).
  bool resume = false;
};

/// Half of the memory that is free now, within the limits set for this process from outside (cgroup, address space).
std::uint64_t default_memory();
/// The least bound that a run can keep, whatever the input: buffers and one unit of work for each thread.
std::uint64_t least_memory(unsigned threads);
/// "2GiB", "512MiB", "1.5GB", "4096": bytes. Throws Error(plan) naming `subject`.
std::uint64_t parse_bytes(std::string_view text, const std::string& subject = "memory");
/// "1.5 GiB"
std::string bytes_text(std::uint64_t bytes);

/// What an audit found: random items, each compared with all others.
struct Audit {
  Recall recall;
  std::uint64_t items = 0;       ///< asked for
  std::uint64_t true_pairs = 0;  ///< of these items, at or above the threshold
  std::uint64_t found = 0;       ///< of these pairs, found by the run
};

/// What a run read, did and took.
struct RunStats {
  std::uint64_t items = 0;       ///< records that became items
  std::uint64_t empty = 0;       ///< EMPTY among them
  std::uint64_t numbers = 0;     ///< items with a number in the field that a keep rule reads
  std::uint64_t copies = 0;      ///< items with the same shingles as an earlier one, folded before the search
  std::uint64_t candidates = 0;  ///< pairs looked at, after folding (one that meets in several large buckets counts each time)
  std::uint64_t pairs = 0;       ///< pairs at or above the threshold, copies counted
  /// False: `cluster` and `dedup` by an exact join look for no more pairs than their groups need, and `candidates` and `pairs` are not to
  /// be told.
  bool every_pair = true;
  BucketNotes buckets;
  Faults faults;
  /// Of the pairs at or above the threshold, the share that was found: 1 for exact runs, else an estimate from the pairs found. Absent
  /// where it cannot be known: pairs not verified exactly, large buckets in which not all pairs were compared, nothing found.
  std::optional<Recall> recall = std::nullopt;
  std::optional<Audit> audit = std::nullopt;  ///< where RunOptions asked for one, and there were items to ask for
  /// Containment by sketches: the recall at the threshold that the worst pair of size classes has; lower than the plan's where documents
  /// are so much larger than the passages that the sketch cannot tell.
  std::optional<double> least_recall = std::nullopt;
  /// The highest similarity seen below the threshold (0: none). Counting a pair stops when the threshold is out of its reach, so that this
  /// is the highest of all candidates only where nothing matched and the plan has sketches.
  double closest_below = 0;
  std::vector<std::pair<std::string, double>> seconds;  ///< by stage, in order
  std::uint64_t peak_bytes = 0;                         ///< of the whole process
  std::uint64_t scratch_bytes = 0;                      ///< the most that the run had in files at a time; 0: it was held in memory
  std::uint64_t resumed = 0;                            ///< units of work taken over from a run that was ended before
};

enum class RowStyle { tsv, json };

struct PairsResult {
  Strings ids;      ///< of the input, then of `against`
  Matches matches;  ///< ascending by (a, b); `b` counts on into `against` where it was given
  Verify verify;    ///< what the matches hold
  Measure measure = Measure::jaccard;
  RunStats stats = {};
};

/// Memory of a run over plain files for each item, about, the id's own bytes apart. To it come 8 bytes for each shingle of the candidates
/// (of all items, where the plan joins exactly).
std::uint64_t bytes_an_item(const Plan& plan);

/// Every pair of the input at or above the threshold. With `against`: only the pairs between the two.
PairsResult pairs(const Input& input, const Plan& plan, const RunOptions& options = {}, const Input* against = nullptr);

/// As `pairs`, with the rows written to a file ("-": standard output) and not held in memory.
struct PairsOutput {
  std::string path = "-";
  RowStyle style = RowStyle::tsv;
};
RunStats list_pairs(const Input& input, const Plan& plan, const PairsOutput& output, const RunOptions& options = {},
                    const Input* against = nullptr);

/// Which member of a group stays.
struct Keep {
  enum class Rule { first, last, longest, shortest, max, min } rule = Rule::first;
  std::string field = {};  ///< for max and min: a field read as a number; items without one come last
};
/// "first", "max:score" … Throws Error(plan) naming `subject`.
Keep parse_keep(std::string_view text, const std::string& subject = "keep");
std::string to_string(const Keep& keep);

struct ClusterOptions {
  Linkage linkage = Linkage::connected;
  Keep keep = {};
};

struct ClusterResult {
  Strings ids;
  Clusters clusters;
  std::vector<Match> to_keeper;  ///< for each item its pair with its keeper (a: item, b: keeper); a keeper has shared == total
  Verify verify;
  Measure measure = Measure::jaccard;
  RunStats stats = {};
};

ClusterResult cluster(const Input& input, const Plan& plan, const ClusterOptions& options = {}, const RunOptions& run = {});

/// As `cluster`, with the rows written to files and not held in memory.
struct ClustersOutput {
  std::string path = "-";
  RowStyle style = RowStyle::tsv;
  std::uint32_t least = 1;                            ///< clusters of fewer members are left out
  std::optional<std::string> summary = std::nullopt;  ///< file with one row a cluster of two (or `least`) and more members
};
struct ClustersListed {
  std::uint64_t clusters = 0;  ///< of two or more
  RunStats stats;
};
ClustersListed list_clusters(const Input& input, const Plan& plan, const ClustersOutput& output, const ClusterOptions& options = {},
                             const RunOptions& run = {});

struct DedupOptions {
  Linkage linkage = Linkage::star;
  Keep keep = {};
  std::optional<Input> against = {};        ///< remove from the input what is similar to an item here, and nothing else
  std::optional<std::string> removed = {};  ///< file that lists each removed item, its keeper and their similarity
  bool removed_as_json = false;
  bool annotate = false;                    ///< write every record, with fields "cluster" and "keeper" added (jsonl, csv, tsv)
  std::optional<std::string> skipped = {};  ///< file that takes the records at fault, bytes unchanged
  std::optional<double> bloom = {};         ///< measure exact only: use a Bloom filter with this rate of false removals
};

struct DedupResult {
  std::uint64_t kept = 0;
  std::uint64_t removed = 0;   ///< kept + removed == stats.items
  std::uint64_t clusters = 0;  ///< groups of two or more
  std::uint64_t bloom_bytes = 0;
  double bloom_rate = 0;  ///< share of the different items that the Bloom filter is expected to remove wrongly
  RunStats stats;
};

/// Writes the records kept to `output` ("-": standard output), bytes unchanged, in input order. Of `files` inputs the paths are written.
/// A name ending in .gz or .zst is compressed. Outputs appear under their names only when complete.
DedupResult dedup(const Input& input, const std::string& output, const Plan& plan, const DedupOptions& options = {},
                  const RunOptions& run = {});

/// The same decision without a record being written: for items in memory. Held in memory; of the options: linkage, keep and against.
struct DedupRows {
  std::vector<Row> keeper;  ///< for each row of the input the one that stays for it: itself, where it stays; with `against`, whose rows
                            ///< count on behind those of the input, the one that is there already
  std::vector<Match> to_keeper;        ///< its pair with its keeper, as in ClusterResult
  std::vector<std::uint32_t> cluster;  ///< as in Clusters; empty with `against`
  std::uint64_t kept = 0;              ///< rows that are their own keeper
  std::uint64_t clusters = 0;          ///< groups of two or more
  Verify verify;
  Measure measure = Measure::jaccard;
  RunStats stats = {};
};
DedupRows dedup_rows(const Input& input, const Plan& plan, const DedupOptions& options = {}, const RunOptions& run = {});

/// Calls work(). Once `stop` is true, the run of this library that is under way in it ends with Error(stopped) within a fraction of a
/// second, as by any other error: nothing half-written.
void stoppable(const std::atomic<bool>& stop, const std::function<void()>& work);

/// Sketches of an input in a file, which `list_pairs`, `list_clusters`, `dedup` and `pairs`, `cluster` take in place of the input or beside
/// it: Input::paths may name sketch files, known by their content. Each stands for the files it was made of, which must be where they were,
/// unchanged, since candidates and kept records are read from them (of standard input and compressed files the sketch file
/// holds the records). A file that is named beside its sketch is read once. Plans with sketches of sets only.
RunStats write_sketches(const Input& input, const std::string& output, const Plan& plan, const RunOptions& options = {});
/// The plan of the sketch files among the paths; absent where there are none. Throws Error(plan) where two differ.
std::optional<Plan> plan_of_sketches(const Input& input);
/// The files that a run over the input reads, as far as no stream need be read to know them: those of folders, patterns and lists, sketch
/// files and the files that these were made of. Throws what a run would where they cannot be told, and Error(file) for a file that is named
/// and ends as sketch files do without beginning so: read as a text, a damaged one would be noise.
std::vector<std::string> files_of(const Input& input);

/// What another threshold, or radius, would give.
struct WhatIf {
  double border = 0;
  std::uint64_t pairs = 0;                      ///< copies counted
  std::uint64_t clusters = 0;                   ///< groups of two or more
  std::uint64_t removed = 0;                    ///< items that are not the keeper of their group
  std::optional<Recall> recall = std::nullopt;  ///< as RunStats::recall, of the pairs within this border
};
struct WhatIfOptions {
  std::vector<double> borders = {};  ///< thresholds, or radii; each within the plan's own
  Linkage linkage = Linkage::star;
  Keep keep = {};
};
struct WhatIfResult {
  std::vector<WhatIf> rows;  ///< in the order of the borders
  RunStats stats;
};
/// One search by the plan, and for each border what it would give: how many pairs, groups and removals. Writes nothing.
/// Throws Error(plan) for a border beyond the plan's, and for plans that do not verify exactly.
WhatIfResult what_if(const Input& input, const Plan& plan, const WhatIfOptions& options, const RunOptions& run = {},
                     const Input* against = nullptr);

/// For `tune`: how the pairs of a collection of sets are spread over similarity, from random items of it compared exactly with others.
/// Of a large input no more than a part is read, here and there, so that a run that tunes for its own input pays little; with `whole` all
/// of it is read and every item compared with those asked for. Deterministic: input, shingles and seed decide.
/// Absent where the input can be read only once (standard input).
std::optional<DataSample> sample_sets(const Input& input, const Plan& plan, std::uint64_t seed = 1, bool whole = false);

/// What the parts of a run take on this machine, one thread: nanoseconds.
struct MachineCosts {
  double byte = 0;      ///< to read and shingle a byte of text
  double slot = 0;      ///< to fill and keep a slot of a sketch
  double band = 0;      ///< to key and sort an item in a band
  double dropped = 0;   ///< a candidate that its signature rules out
  double compared = 0;  ///< a candidate whose shingles are compared
};
/// Measured now, in less than a second, on texts made up for it. For telling time only: no plan depends on it.
MachineCosts calibrate();

/// What a run by the plan is expected to need.
struct Forecast {
  std::uint64_t items = 0;
  Expectation expected;
  /// With `threads` threads (0: one for each core); 0 where it is not known: exact joins of vectors, or where the sample has no `joined`;
  /// containment by sketches; queries.
  double seconds = 0;
  double memory_bytes = 0;
  double scratch_bytes = 0;  ///< on disk
};
/// For a collection of `items` items that are like those of the sample (or like nominal ones, where there is none): pairs grow with the
/// square of the items. Nominal sets have the same neighbours each in a collection of any size; what is similar among them is not known,
/// and 0. Candidates of an exact join are those of a run that wants all pairs, which is the most.
Forecast forecast(const Plan& plan, const Choices& choices, std::uint64_t items, const MachineCosts& costs, unsigned threads = 1);

/// One pair in full.
struct Comparison {
  std::uint64_t a_size = 0, b_size = 0;  ///< shingles
  std::uint64_t shared = 0, total = 0;
  double similarity = 0;   ///< or the distance
  double estimate = 0;     ///< by the plan's sketch (0 where the plan has none): the similarity; for vectors the share of equal hashes
  double found = 0;        ///< probability that the plan's bands meet the pair
  bool candidate = false;  ///< whether they do with the plan's seed
  std::vector<std::string> passages;  ///< the longest shared stretches of the normalised texts, longest first
};
Comparison compare(std::string_view a, std::string_view b, const Plan& plan, std::size_t passages = 5);
/// Vector i of `a` and j of `b`, prepared: `value` in place of the counts; a_size and b_size are dimensions, or entries of sparse vectors.
Comparison compare(const Vectors& a, std::size_t i, const Vectors& b, std::size_t j, const Plan& plan);

/// How many different items there are, by HyperLogLog over the normalised texts.
struct Distinct {
  double distinct = 0;
  double error = 0;  ///< standard error, as a share
  RunStats stats;
};
Distinct distinct(const Input& input, Normalise normalise, unsigned precision = 14, const RunOptions& run = {});

/// How often a shingle of one item stands in another, for each size K of shingle, measured on a seeded sample of the input.
struct ShingleChance {
  std::uint32_t size;
  double chance;  ///< mean share of an item's shingles found in another, unrelated item
};
struct ShingleAdvice {
  std::vector<ShingleChance> chances;
  std::uint32_t recommended = 0;  ///< the least size whose chance is at most `kRare`
  std::uint64_t sampled = 0;      ///< items in the sample
  std::uint64_t compared = 0;     ///< pairs of different, unrelated ones that the chances rest on
  static constexpr double kRare = 0.01;
};
ShingleAdvice advise_shingle(const Input& input, const ShinglePlan& shingle, std::uint64_t seed = 1, RunStats* stats = nullptr);

/// Throws Error(file) when no file can be written at `path`; touches nothing. For outputs that are written after a long run.
void check_output(const std::string& path);
/// For a handler of signals that ends the process: removes the temporary files with names that outputs of this process still have (most
/// file systems know files without a name, of which nothing stays). Async-signal-safe; outputs that are not yet in place never will be.
void remove_unfinished_outputs() noexcept;
/// Where a run of this process has its files now.
struct ScratchInUse {
  std::string folder;    ///< its own
  bool resumed = false;  ///< some of its files were there when it began
};
/// Of several runs at a time the latest; absent: none is in files. Any thread may ask while a run lasts, for telling how to go on with it.
std::optional<ScratchInUse> scratch_in_use();
/// "-" is standard output. A closed pipe is not an error.
void write_text(const std::string& text, const std::string& path);

/// "0.8", "0.833333": six decimals, cut, not rounded, so that nothing below a threshold reads as if it reached it.
std::string similarity_text(const Match& match);
/// The similarity, or the distance: whole where it is whole, else six decimals (six digits, where it is small), rounded up, so that nothing
/// outside a radius reads as inside.
std::string measured_text(const Match& match, Measure measure);

}  // namespace nearkin
