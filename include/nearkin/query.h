// Queries: the neighbours of an item, from tables in memory that are built once. For a collection that changes or stays on disk: index.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nearkin/run.h>
#include <nearkin/stages.h>
#include <nearkin/vectors.h>

namespace nearkin {

/// The items of a collection, or the queries: sets (`shingle`) or vectors (`prepare`).
using Points = std::variant<Features, Vectors>;

/// A collection and its hash tables. It does not change once it is built, so any number of threads may use it, each with its own Searcher.
class Tables {
 public:
  /// Memory besides the points themselves, by the plan:
  ///  - bands of rows: 8 to 10 bytes per item and band;
  ///  - `nearest` vectors without rows: 12 bytes per item and table (plan.band.bands of them), and 64 to 72 bytes per item for wide vectors
  ///    compared by cosine or Euclidean distance; or, for dense vectors by these measures where that is faster, codes of 92 to 220 bytes
  ///    per item instead, with which everything is found;
  ///  - containment, `nearest` sets without rows, and sets without a sketch (recall 1): up to 10 bytes per feature, and 4 per item;
  ///    everything is found;
  ///  - vectors without a sketch (recall 1): such codes where they are faster; otherwise none, and a query looks at every item.
  /// Throws Error(plan) for points whose arrays do not fit together, for a plan that does not fit the points, and for one that asks for
  /// the nearest without exact verification. `threads`: 0 = one per core; the tables do not depend on it.
  Tables(Points points, const Plan& plan, unsigned threads = 1);
  Tables(std::shared_ptr<const Points> points, const Plan& plan, unsigned threads = 1);  ///< the points are shared, not copied; not null
  ~Tables();
  Tables(Tables&&) noexcept;
  Tables& operator=(Tables&&) noexcept;

  const Plan& plan() const;
  const Points& points() const;
  std::size_t size() const;  ///< number of items

 private:
  friend class Searcher;
  struct State;
  std::unique_ptr<const State> state_;
};

/// A condition on the metadata of an item in an index. Dots in `field` reach into objects. `value` is compared with JSON strings as they
/// are, with numbers, true, false and null as they are spelt. An item without the field does not match.
struct MetadataTest {
  /// What `value` is compared with.
  enum class Type {
    any,      ///< strings, and all that is spelt like it
    string,   ///< strings alone
    literal,  ///< numbers, true, false and null alone
  };
  std::string field, value;
  Type type = Type::any;
};

/// Containment: which of the two is measured.
enum class ShareOf {
  query,  ///< how much of the query is in the item
  item,   ///< how much of the item is in the query
};

/// What a query asks for, besides the plan. The defaults ask for everything within the plan's threshold or radius.
struct Ask {
  std::uint32_t limit = 0;  ///< maximum number of answers, the best ones; 0 = unlimited
  std::optional<double> threshold =
      {};  ///< a stricter threshold, or radius, than the plan's; Error(plan) for a looser one or with `nearest`
  /// Stop after looking at this many items. They come in this order: the query's own bucket of each band, by band and then by row; then the
  /// second probe of each band, and so on. Plans for `nearest` vectors: longest shared prefixes first. Without sketches: by row; of sets,
  /// only those that share enough to be an answer. With codes of dense vectors: those that the codes do not rule out, nearest codes first.
  std::optional<std::uint64_t> max_candidates = {};
  ShareOf share_of = ShareOf::query;     ///< Measure::containment
  std::optional<Row> except = {};        ///< tables: a row that is no answer, such as the query itself
  std::vector<MetadataTest> where = {};  ///< index: conditions that all answers meet
  bool metadata = false;                 ///< index: fill Hit::metadata
  /// Asked every few hundred items; once it returns true, the search ends with what was found so far. Empty: never.
  std::function<bool()> stop = {};
  /// index: told how many bytes an answer takes before it is added to the others. What it throws ends the query.
  std::function<void(std::size_t bytes)> before_hit = {};
};

struct Answer {
  Matches hits;                 ///< a: the query's row, b: the item's; best first, then by row; by row if nothing is verified
  std::uint64_t looked_at = 0;  ///< different items met in the tables; sets without a sketch: those that share enough to be an answer;
                                ///< codes: those that were compared in full
  bool stopped_early = false;   ///< max_candidates or `stop` ended the search before its end
  bool stopped = false;         ///< `stop` did
};

/// Answers queries, one at a time. Make one per thread: it owns working memory. The Tables must outlive it, and may be moved.
class Searcher {
 public:
  explicit Searcher(const Tables& tables);
  ~Searcher();
  Searcher(Searcher&&) noexcept;

  /// The neighbours of queries[row] within the plan's threshold or radius, or its plan.nearest nearest items. Each is found with at least
  /// the plan's recall as probability. EMPTY queries have no answers; EMPTY items are never answers.
  /// Throws Error(plan) if there is no such row or the arrays of `queries` do not fit together, Error(data) if the queries are of another
  /// kind or length than the items.
  Answer find(const Points& queries, Row row, const Ask& ask = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct QueryResult {
  Strings ids;                              ///< of the collection
  Strings query_ids;                        ///< of the queries
  Matches hits;                             ///< a: row of the query, b: row in the collection; by query, best first
  std::vector<std::uint8_t> stopped_early;  ///< for each query, 0 or 1: as Answer::stopped_early
  std::vector<std::uint64_t> looked_at;     ///< for each query: as Answer::looked_at
  Measure measure = Measure::jaccard;
  Verify verify = Verify::exact;
  RunStats stats;        ///< of the collection; `candidates` is the sum of looked_at
  RunStats query_stats;  ///< of the queries
};
/// Asks with every item of `queries`. Both inputs are held in memory. Throws Error(plan) for the parts of `ask` that only an index has.
QueryResult query(const Input& collection, const Input& queries, const Plan& plan, const Ask& ask = {}, const RunOptions& run = {});

}  // namespace nearkin
