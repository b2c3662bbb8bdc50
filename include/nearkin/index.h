// Index: a changing collection in a folder on disk that can be queried for neighbours.
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
  bool texts = false;                ///< keep the texts too, compressed, so get() can return them; false: only what they are compared by
  Unit unit = {};                    ///< which parts of the added records are items; create_index also takes it from Input::unit
  Directed directed = Directed::no;  ///< how edges are read that are added or asked with; create_index also takes it from Input::directed
};

/// An item to put into an index.
struct IndexItem {
  std::string_view id;             ///< 1 to 65,535 bytes, any values
  std::string_view text;           ///< a text, or the elements of a set separated by blanks, as the plan's shingles say
  std::string_view metadata = {};  ///< a JSON object; empty = none
};

struct StoredItem {
  std::string id;
  std::string metadata;             ///< a JSON object; empty = none
  std::optional<std::string> text;  ///< if the index keeps texts
  std::uint64_t size = 0;           ///< number of shingles; for vectors, of numbers, entries or bits
};

/// Which items Index::list lists.
struct ItemsAsk {
  std::string after = {};   ///< only ids after this one, as in Index::ids
  std::size_t limit = 100;  ///< items listed
  /// Only items that have this in their id, in a value of their metadata, or in the first 1,000 bytes of their text, if it is kept. Case,
  /// compatibility forms and the kind of white space do not matter.
  std::string contains = {};
  std::size_t most_read = 20'000;                  ///< items looked at
  std::size_t most_bytes = std::size_t{16} << 20;  ///< of texts looked at; what is listed ends at about a megabyte
};
struct ItemSummary {
  std::string id;
  std::string metadata;     ///< a JSON object; empty = none
  std::string begins = {};  ///< the first 200 bytes of the text, if it is kept
};
struct ItemsPage {
  std::vector<ItemSummary> items;
  std::string last;   ///< the id of the item that was looked at last; the next page comes after it
  bool more = false;  ///< there are items after it
};

struct Hit {
  std::string id;
  Match match;                ///< only shared and total, or value; the rows mean nothing
  double similarity = 0;      ///< or the distance
  std::string metadata = {};  ///< if Ask::metadata
};

struct IndexAnswer {
  std::vector<Hit> hits;        ///< best first, then in the order in which the ids were first put
  std::uint64_t looked_at = 0;  ///< different items met in buckets
  bool stopped_early = false;   ///< Ask::max_candidates or Ask::stop ended the search before its end
  bool stopped = false;         ///< Ask::stop did
};

struct IndexPut {
  std::uint64_t added = 0, replaced = 0;
  std::uint64_t outdated = 0;  ///< parts removed because their record was added again and no longer has them (IndexOptions::unit)
};

struct IndexInfo {
  std::uint32_t format = 0;  ///< version of the folder's format
  Plan plan;
  bool texts = false;                ///< the index keeps texts
  Unit unit = {};                    ///< what its items are
  Directed directed = Directed::no;  ///< how it reads edges
  std::uint64_t items = 0;
  std::uint64_t empty = 0;       ///< EMPTY items among them, which are never answers
  std::uint64_t bytes = 0;       ///< on disk
  std::uint64_t free_bytes = 0;  ///< not in use; `compact` gives them back
  std::string vectors = {};      ///< "dense 128", "sparse", "bits 64"; empty: the index holds sets, or nothing yet
};

/// The result of `verify`. A sound index has no problems.
struct IndexCheck {
  std::uint64_t items = 0, entries = 0;  ///< items checked, and their entries in buckets
  std::uint64_t problem_count = 0;
  std::vector<std::string> problems;  ///< the first hundred
};

/// The plan is fixed when the index is created. Any number of threads may use one object, and any number of processes one folder: a reader
/// sees the last write that was complete when it began, writers wait for each other. A write that has returned is on disk. Everything here
/// throws Error(file) naming the folder if it is not an index, was made by a later version, is damaged, or cannot be written; a full disk
/// loses nothing.
class Index {
 public:
  enum class Access { read, write };

  /// Makes the folder, which must not exist or be empty. An index takes plans with verify=exact for sets (jaccard, weighted_jaccard,
  /// containment, hamming of tables) and for vectors, with bands or without sketches (a query then looks at every item). Throws Error(plan)
  /// naming what an index cannot have: tf-idf, Binarise other than sign, measure exact, `nearest`, more than one probe.
  static Index create(const std::string& folder, const Plan& plan, const IndexOptions& options = {});
  static Index open(const std::string& folder, Access access = Access::write);
  ~Index();
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;

  const std::string& folder() const;
  const Plan& plan() const;
  bool keeps_texts() const;
  /// Which parts of records its items are; of an index of whole records, document.
  const Unit& unit() const;

  /// Adds items, or replaces those with the same id. If the items of the index are parts of records (IndexOptions::unit), what is given are
  /// records: each is divided, and its parts take the place of those that it had before. All changes happen in one step: after a crash the
  /// index has all of them or none. If an id is given several times, the last counts. Throws Error(data) for an id that is empty or too
  /// long, metadata that is not a JSON object, and for texts given to an index of vectors (or vectors to one of texts); nothing is put
  /// then.
  IndexPut put(std::span<const IndexItem> items);
  IndexPut put(const IndexItem& item) { return put(std::span(&item, 1)); }
  IndexPut put(std::string_view id, std::string_view text) { return put(IndexItem{id, text}); }
  /// Vectors before `prepare`, with one id each, and one metadata each or none at all (else Error(plan)).
  IndexPut put(const Strings& ids, const Vectors& vectors, const Strings& metadata = {});

  /// Removes items, in one step; with the id of a record that is in the index in parts, all its parts. Returns how many of these ids were
  /// in the index.
  std::uint64_t erase(std::span<const std::string> ids);
  bool erase(const std::string& id) { return erase(std::span(&id, 1)) == 1; }

  /// Writes so many bytes to the disk, which is waited for, and removes them again; the items stay as they are. Throws Error(file) as `put`
  /// does where there is no room.
  void try_write(std::size_t bytes);

  std::optional<StoredItem> get(std::string_view id) const;
  /// The ids of the parts of a record, in the order of their keys; none where the index has whole records, or no part of this one.
  std::vector<std::string> parts(std::string_view id) const;
  /// At most `limit` ids, those after `after` in bytewise order. Ids longer than 495 bytes are sorted by their first 495 bytes.
  std::vector<std::string> ids(std::string_view after = {}, std::size_t limit = SIZE_MAX) const;
  /// Items in the order of their ids, with what tells a person which is which. A page ends at the first limit that it meets, so it may have
  /// few items, or none, and yet there are more.
  ItemsPage list(const ItemsAsk& ask = {}) const;

  /// The neighbours within the plan's threshold or radius, each found with at least the plan's recall as probability. EMPTY queries have
  /// none.
  IndexAnswer query(std::string_view text, const Ask& ask = {}) const;
  /// Queries with vector i, before `prepare`. Throws Error(data) if it is of another kind or length than the items of the index.
  IndexAnswer query(const Vectors& vectors, std::size_t i, const Ask& ask = {}) const;
  /// The neighbours of an item of the index, itself left out: it is asked with what the index holds of it, so its text need not be stored.
  /// Absent if there is no item of this id.
  std::optional<IndexAnswer> neighbours(std::string_view id, const Ask& ask = {}) const;

  IndexInfo info() const;
  /// Reads everything, checks every checksum, and looks up every item by its id, its row and its buckets.
  IndexCheck verify() const;
  /// Writes everything once more, in as little space as a new index takes, and removes the old files. Needs room for both meanwhile.
  /// Readers continue; writers wait. Answers stay the same.
  void compact();
  /// Copies the index to a new folder, which must not exist. Others may write meanwhile.
  void backup(const std::string& folder) const;

  struct State;  ///< internal

 private:
  explicit Index(std::unique_ptr<State> state);
  friend class IndexRuns;
  std::unique_ptr<State> state_;
};

/// Rewrites an index that an earlier version of nearkin made, which Index::open refuses, in the format of this version. Returns false, and
/// changes nothing, if it already has that format. Earlier versions cannot read it afterwards.
bool upgrade_index(const std::string& folder);

struct IndexAdded {
  IndexPut put;
  RunStats stats;
};
/// Makes an index of all records of the input: much faster than many puts. The folder appears when it is complete. Throws Error(data) if
/// every record is bad.
IndexAdded create_index(const std::string& folder, const Input& input, const Plan& plan, const IndexOptions& options = {},
                        const RunOptions& run = {});
/// Puts all records of the input, in steps of some thousand; what was put before an error stays. Input::metadata names the fields to keep.
IndexAdded add_to_index(Index& index, const Input& input, const RunOptions& run = {});

/// Keeps the records that resemble nothing in the index and no earlier record of the input, writes them to `output`, and adds them to the
/// index. Works in steps of some thousand records, between which others may write. If the run is interrupted, the records of complete steps
/// are in `output` + ".partial"; move that file away before the next run. Uses the options removed, removed_as_json,
/// keep_faults and skipped.
DedupResult dedup_with_index(Index& index, const Input& input, const std::string& output, const DedupOptions& options = {},
                             const RunOptions& run = {});

}  // namespace nearkin
