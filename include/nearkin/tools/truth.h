// Labels: pairs or clusters that somebody checked, how well matches agree with them, and the settings that agree best.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nearkin/run.h>
#include <nearkin/score.h>

namespace nearkin {

enum class TruthKind {
  pairs,     ///< two ids per record: the items are the same
  clusters,  ///< an id and the name of its cluster per record
};
/// "pairs" or "clusters".
std::string_view name(TruthKind kind);
/// Throws Error(plan) naming `truth_kind`.
TruthKind parse_truth_kind(std::string_view word);

/// A file of labels, and how to read it. JSON lines, TSV or CSV, by extension or else by the first line; gzip and zstd as always; "-" is
/// standard input. Columns: those of `fields`; else "a" and "b", "unique_id_l" and "unique_id_r", or `id` and "cluster" or "cluster_id";
/// else the first two.
struct TruthFile {
  std::string path;
  std::optional<TruthKind> kind = {};  ///< absent: clusters if the second column is called "cluster" or "cluster_id", else pairs
  std::optional<std::pair<std::string, std::string>> fields = {};  ///< the names of the two columns
  std::string id = "id";                                           ///< what the column of ids may be called
  bool between = false;                                            ///< the pairs are between two inputs, which may use the same ids
  std::optional<char> separator = {};                              ///< csv; absent: the first of tab , ; | that the first line has
};

/// The contents of a file of labels. The first record is a header if it has the names of known columns, or if neither of its values is the
/// id of an item. Only a run knows the ids, so the record is kept with the rest.
struct TruthTable {
  TruthKind kind = TruthKind::pairs;
  Strings first, second;  ///< of each record: two ids, or an id and a cluster
  std::string path;
  bool named = false;  ///< the columns were found by their names, so every record is a label
};
/// Throws Error(file) if the file cannot be read. Throws Error(data) for a file without labels, and naming the line for a record without
/// two values, a pair of an item with itself, and an item in two clusters.
TruthTable read_truth(const TruthFile& file);

/// How the records of a file of labels were used.
struct TruthNotes {
  std::uint64_t labels = 0;                   ///< true pairs between items of the input, each once
  std::uint64_t repeated = 0;                 ///< records that repeat another one, in either direction
  std::uint64_t unknown = 0;                  ///< records that name an item that is not in the input; they are left out of all figures
  std::vector<std::string> unknown_ids = {};  ///< the first few of those ids
  std::uint64_t items = 0;                    ///< items that are named
  std::optional<std::pair<std::string, std::string>> header = {};  ///< the first record, if it was taken for a header
  static constexpr std::size_t kNamed = 5;
};

/// The share of what was found that is right, and the share of what is true that was found; 1 if there is nothing to count.
struct Agreement {
  double precision = 1, recall = 1;
  /// The harmonic mean of both, 2·precision·recall / (precision + recall); 0 where both are.
  double f1() const { return precision + recall == 0 ? 0 : 2 * precision * recall / (precision + recall); }
};

/// Clusters by chains of matches (Linkage::connected), against true clusters. An item that the truth does not name is a true cluster of its
/// own.
struct ClusterAgreement {
  Agreement pairs;    ///< of the pairs of items that share a cluster
  Agreement b_cubed;  ///< B-cubed, averaged over items: how much of an item's cluster is of its true cluster, and vice versa
};

struct TruthAt {
  double border = 0;        ///< the threshold or radius
  std::uint64_t found = 0;  ///< pairs within it, each once; under containment by the greater of both directions
  std::uint64_t right = 0;  ///< those of them that are true
  Agreement pairs;
  std::optional<ClusterAgreement> clusters = {};  ///< where the truth is of clusters
};

struct TruthOptions {
  std::vector<double> borders = {};  ///< thresholds that are not below the plan's, or radii that are not above it
  Partners partners = {};            ///< which of the pairs within a border count as found
};
struct TruthResult {
  std::vector<TruthAt> rows;    ///< one per border, in their order
  std::uint64_t not_found = 0;  ///< true pairs that are not within the widest border, or that the plan missed
  TruthNotes notes;
  RunStats stats;
};
/// Searches once by the plan and compares what lies within each border with the truth. A pair of items that is not in the truth counts as
/// wrong, so the truth must be complete. With `against` the truth is pairs of an item of the input and one of `against`.
/// Throws Error(plan) as `what_if` does, and Error(data) where no label is about items of the input.
TruthResult evaluate_truth(const Input& input, const TruthTable& truth, const Plan& plan, const TruthOptions& options,
                           const RunOptions& run = {}, const Input* against = nullptr);

struct ScoreTruth {
  TruthResult result;
  std::vector<SearchedPart> searched;
};
/// The same by a score. The threshold of `by` is the widest border; partners are those of `options`.
ScoreTruth evaluate_truth_by_score(const Input& input, const TruthTable& truth, const Score& score, const ScoreOptions& by,
                                   const TruthOptions& options, const RunOptions& run = {}, const Input* against = nullptr);

/// How texts are compared: what `tune_by_truth` chooses among.
struct Setting {
  Measure measure = Measure::jaccard;
  Kind kind = Kind::shingles;
  ShinglePlan shingle;
  bool operator==(const Setting&) const = default;
};
/// "jaccard word:1 text", "cosine tfidf char:3 none"
std::string to_string(const Setting& setting);
/// Jaccard, containment and the cosine of tf-idf, with word:1 to word:3 and char:2 to char:5, normalised as text and not at all.
std::vector<Setting> usual_settings();

/// The result of a setting.
struct SettingScore {
  Setting setting;
  double threshold = 0;  ///< with the best F1 on all labels, in steps of 0.01
  Agreement all;         ///< on all labels, at that threshold
  double f1 = 0;         ///< mean over folds, each at the threshold that is best on the others
  double spread = 0;     ///< standard deviation of that over folds
};
struct TruthTuneOptions {
  std::vector<Setting> settings = {};  ///< empty: usual_settings()
  std::uint32_t folds = 5;             ///< 2 to 20
  std::uint32_t repeats = 4;           ///< the items are divided into folds this many times
  std::uint64_t most_items = 20'000;   ///< compare at most this many items: the labelled ones, then a random part of the others
  std::uint64_t seed = 1;
  Partners partners = {};  ///< as TruthOptions::partners
};
struct TruthTuned {
  std::vector<SettingScore> scores;  ///< best first, by f1
  /// How far the first setting leads the second: the mean difference of F1 over folds, with a 95 % interval (Nadeau and Bengio's for
  /// repeated folds).
  double lead = 0, lead_low = 0, lead_high = 0;
  std::uint64_t items = 0, compared = 0;  ///< in the collection, and compared
  std::uint32_t folds = 0;                ///< folds used; fewer than asked for if there are too few groups of labelled items
  std::uint64_t groups = 0;               ///< groups of items joined by true pairs; whole groups are divided into folds
  TruthNotes notes;
  RunStats stats;
};
/// Compares texts by each setting, exactly, and cross-validates: items are divided into k folds, and items joined by true pairs go into the
/// same fold, so no item is on both sides. The threshold is chosen on the pairs within the other folds and measured on the pairs within the
/// fold. A fold contains only one in k of the wrong pairs of its items, so wrong pairs count k times. Throws Error(data) for vectors, and
/// where there are fewer than two groups of labelled items.
TruthTuned tune_by_truth(const Input& input, const TruthTable& truth, const TruthTuneOptions& options = {}, const RunOptions& run = {},
                         const Input* against = nullptr);

}  // namespace nearkin
