// Index: a collection that changes, kept in one folder and asked for neighbours.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/plan.h>
#include <nearkin/query.h>
#include <nearkin/run.h>
#include <nearkin/stages.h>
#include <nearkin/vectors.h>

namespace nearkin {

struct IndexOptions {
  bool texts = false;  ///< keep the texts too, compressed, so that they can be shown again; else only what they are compared by
};

/// What is put: a text, or the elements of a set separated by blanks, as the plan's shingles say.
struct IndexItem {
  std::string_view id;  ///< any bytes but none; up to 65,535
  std::string_view text;
  std::string_view metadata = {};  ///< a JSON object; empty: none
};

struct StoredItem {
  std::string id;
  std::string metadata;             ///< a JSON object; empty: none
  std::optional<std::string> text;  ///< where the index keeps texts
  std::uint64_t size = 0;           ///< shingles; numbers, entries or bits of a vector
};

struct Hit {
  std::string id;
  Match match;                ///< shared and total, or value; rows mean nothing
  double similarity = 0;      ///< or the distance: `measured`
  std::string metadata = {};  ///< where it was asked for
};

struct IndexAnswer {
  std::vector<Hit> hits;        ///< best first, ties in the order of their first putting
  std::uint64_t looked_at = 0;  ///< items met in buckets, each once
  bool stopped_early = false;   ///< by max_candidates: there was a further item to look at
};

struct IndexPut {
  std::uint64_t added = 0, replaced = 0;
};

struct IndexInfo {
  std::uint32_t format = 0;  ///< of the folder
  Plan plan;
  bool texts = false;
  std::uint64_t items = 0;
  std::uint64_t empty = 0;       ///< of them EMPTY: kept, never an answer
  std::uint64_t bytes = 0;       ///< on disk
  std::uint64_t free_bytes = 0;  ///< of these, not in use: `compact` gives them back
  std::string vectors = {};      ///< "dense 128", "sparse", "bits 64"; empty: sets, or nothing was put yet
};

/// What `verify` found. A sound index has no problems.
struct IndexCheck {
  std::uint64_t items = 0, entries = 0;  ///< looked at: items, and their places in buckets
  std::uint64_t problem_count = 0;
  std::vector<std::string> problems;  ///< the first hundred
};

/// The plan is chosen at creation and is the index's own. Objects may be used by any number of threads at once, and any number of processes
/// may have the same folder open: readers see the state of the last write that was done when they began, writers take turns. A write
/// that has returned is on the disk. Throws Error(file) naming the folder: not an index, made by a later version, damaged, full disk
/// (nothing is lost then), no permission.
class Index {
 public:
  enum class Access { read, write };

  /// Makes the folder, which must not be there yet (an empty one may). Plans of verify=exact for sets (jaccard, weighted-jaccard, hamming
  /// of tables) and vectors, with bands, or without a sketch, where every item is looked at; Error(plan) names what an index cannot keep:
  /// tf-idf and medians, which depend on the whole collection, containment, `nearest`, several probes, measure exact.
  static Index create(const std::string& folder, const Plan& plan, const IndexOptions& options = {});
  static Index open(const std::string& folder, Access access = Access::write);
  ~Index();
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;

  const std::string& folder() const;
  const Plan& plan() const;
  bool keeps_texts() const;

  /// Inserts, or replaces by id, all of them in one step: after a crash all are there or none. Of items with the same id the last counts,
  /// and replaces the others. Throws Error(data) naming the id for metadata that is no JSON object, an id that is empty or too long, and
  /// texts given to an index of vectors; nothing is put then.
  IndexPut put(std::span<const IndexItem> items);
  IndexPut put(const IndexItem& item) { return put(std::span(&item, 1)); }
  IndexPut put(std::string_view id, std::string_view text) { return put(IndexItem{id, text}); }
  /// Vectors as they were read; `metadata`: for each, or empty.
  IndexPut put(const Strings& ids, const Vectors& vectors, const Strings& metadata = {});

  /// How many of them were there. One step, as `put`.
  std::uint64_t erase(std::span<const std::string> ids);
  bool erase(const std::string& id) { return erase(std::span(&id, 1)) == 1; }

  std::optional<StoredItem> get(std::string_view id) const;
  /// At most `limit` ids behind `after`, in bytewise order.
  std::vector<std::string> ids(std::string_view after = {}, std::size_t limit = SIZE_MAX) const;

  /// The neighbours within the plan's threshold or radius, each found with the plan's recall at least. EMPTY queries have none.
  IndexAnswer query(std::string_view text, const Ask& ask = {}) const;
  /// Vector i. Throws Error(data) where it is of another kind, or has other dimensions, than those of the index.
  IndexAnswer query(const Vectors& vectors, std::size_t i, const Ask& ask = {}) const;

  IndexInfo info() const;
  /// Every structure against every other: each item has its id, its buckets and its text, and these have no others.
  IndexCheck verify() const;
  /// Gives free space back to the disk. Others may read and write meanwhile: writers wait.
  void compact();
  /// A sound copy, whatever writers do meanwhile; the folder must not be there yet.
  void backup(const std::string& folder) const;

  struct State;  ///< the library's own

 private:
  explicit Index(std::unique_ptr<State> state);
  friend class IndexRuns;
  std::unique_ptr<State> state_;
};

struct IndexAdded {
  IndexPut put;
  RunStats stats;
};
/// A new index of all records of the input, which appears when it is complete. Sorted first and appended. An input of nothing but faults
/// makes none: Error(data).
IndexAdded create_index(const std::string& folder, const Input& input, const Plan& plan, const IndexOptions& options = {},
                        const RunOptions& run = {});
/// Puts all records; Input::metadata says what is kept with them. Each step of some thousand records is on the disk when it is done; what
/// was put before an error stays.
IndexAdded add_to_index(Index& index, const Input& input, const RunOptions& run = {});

struct IndexRemoved {
  std::uint64_t removed = 0, absent = 0;  ///< ids that were there, and that were not
  RunStats stats;
};
/// Erases the items with the ids of the records; of format lines, which plain text files are here, each line is an id.
IndexRemoved remove_from_index(Index& index, const Input& input, const RunOptions& run = {});

struct HitsListed {
  std::uint64_t queries = 0, with_hits = 0, hits = 0, looked_at = 0, stopped_early = 0;
  RunStats stats;  ///< of the queries
};
/// Asks with every record of the input, in order, and writes a row a neighbour as write_hits does.
HitsListed query_index(const Index& index, const Input& queries, const std::string& path, RowStyle style, const Ask& ask = {},
                       const RunOptions& run = {});

/// Keeps the records that the index has nothing like, nor an earlier one of the input, and adds them to it: for streams of new data. In
/// steps of some thousand records, between which others may write. The records kept are on the disk before the index holds them, so that an
/// end in the middle loses none: those of complete steps are then in a file beside the output, with .partial behind its name, and a further
/// run is refused until it is moved away. Of the options: removed, removed_as_json and skipped.
DedupResult dedup_with_index(Index& index, const Input& input, const std::string& output, const DedupOptions& options = {},
                             const RunOptions& run = {});

}  // namespace nearkin
