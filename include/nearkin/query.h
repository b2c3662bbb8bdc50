// Queries: the near neighbours of one item, from tables that are built once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nearkin/run.h>
#include <nearkin/stages.h>
#include <nearkin/vectors.h>

namespace nearkin {

/// What tables are made of, and what they are asked with.
using Points = std::variant<Features, Vectors>;

/// The items of a collection and their hash tables. Const once built: any number of threads may ask at once, each with its Searcher.
class Tables {
 public:
  /// `points` as the plan compares them (see `prepare`). By the plan:
  ///  - bands of rows: buckets, 8 to 10 bytes an item and band;
  ///  - `nearest` without rows: sorted prefixes, 12 bytes an item and table (band.bands), and for wide vectors compared by cosine or
  ///    Euclidean distance 64 to 72 bytes an item of sign bits, by which those too far are passed over;
  ///  - no sketch (recall 1): no tables, every item is looked at. Containment, and sets without a sketch, go by an index of the
  ///    features instead, 8 to 10 bytes a feature: everything is found then.
  /// Throws Error(plan) for a plan that does not fit the points, or that asks for the nearest without verifying exactly.
  /// The same whatever the number of threads (0: one for each core).
  Tables(Points points, const Plan& plan, unsigned threads = 1);
  /// The same over points that are shared, not copied.
  Tables(std::shared_ptr<const Points> points, const Plan& plan, unsigned threads = 1);
  ~Tables();
  Tables(Tables&&) noexcept;
  Tables& operator=(Tables&&) noexcept;

  const Plan& plan() const;
  const Points& points() const;
  std::size_t size() const;

 private:
  friend class Searcher;
  struct State;
  std::unique_ptr<const State> state_;
};

/// A field of the metadata and what it must be: a text is compared with JSON strings as it is, with numbers, true, false and null by their
/// spelling. Dots reach into objects. An item without the field is no answer.
struct MetadataTest {
  std::string field, value;
};

/// What is asked: of tables, of files, of an index. The plan says the rest.
struct Ask {
  std::uint32_t limit = 0;  ///< maximum number of answers, the best; 0 = unlimited
  /// Answers with this similarity or more (at this distance or less), in place of the plan's threshold (radius). Throws Error(plan) beyond
  /// that one, and where the plan asks for the nearest.
  std::optional<double> threshold = {};
  /// Stop after so many items were looked at. Order: the query's own bucket of each band, bands ascending, rows ascending within a bucket,
  /// then the second probe of each band, and so on; longest prefixes first; without sketches by row.
  std::optional<std::uint64_t> max_candidates = {};
  std::optional<Row> except = {};        ///< an item that is no answer: the query itself, where it is in the collection
  std::vector<MetadataTest> where = {};  ///< of an index: all of them must hold
  bool metadata = false;                 ///< of an index: fill Hit::metadata
};

struct Answer {
  Matches hits;                 ///< a: the query's row, b: the item's; best first, ties by row; by row where nothing is verified
  std::uint64_t looked_at = 0;  ///< items met in the tables, each once, whether or not their distance had to be computed
  bool stopped_early = false;   ///< by max_candidates: there was a further item to look at
};

/// One a thread: it owns the scratch. The tables must outlive it; they may be moved.
class Searcher {
 public:
  explicit Searcher(const Tables& tables);
  ~Searcher();
  Searcher(Searcher&&) noexcept;

  /// The neighbours of queries[row] within the plan's threshold or radius, each found with the plan's recall at least; or its `nearest`
  /// ones, each of them among the answers with the plan's recall at least: the search goes on until that is reached for this query.
  /// A function of points, plan, query and `ask` alone. EMPTY queries have no answers, EMPTY items are none. Throws Error(data) when the
  /// query is of another kind, or has other dimensions, than the items.
  Answer find(const Points& queries, Row row, const Ask& ask = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct QueryResult {
  Strings ids;  ///< of the collection
  Strings query_ids;
  Matches hits;                             ///< a: row of the query, b: row in the collection; by query, best first
  std::vector<std::uint8_t> stopped_early;  ///< for each query
  std::vector<std::uint64_t> looked_at;     ///< for each query
  Measure measure = Measure::jaccard;
  Verify verify = Verify::exact;
  RunStats stats;        ///< of the collection; candidates: items looked at by all queries
  RunStats query_stats;  ///< of the queries
};
/// Asks with every item of `queries`. Throws Error(plan) for an `ask` that is for an index only.
QueryResult query(const Input& collection, const Input& queries, const Plan& plan, const Ask& ask = {}, const RunOptions& run = {});
/// query <tab> id <tab> similarity (distance, for the distances). JSON adds "stopped_early":true to hits of queries that were stopped.
void write_hits(const QueryResult& result, const std::string& path, RowStyle style);

/// A plan against the exact answer.
struct Evaluation {
  Plan plan;
  std::optional<std::uint64_t> max_candidates = {};
  /// Of the true neighbours (within the threshold or radius, or the `limit` nearest, where as near as the last of them counts), of all
  /// queries together, the share found; 1 where there are none.
  double recall = 0;
  double precision = 0;      ///< of the answers, the share that are true neighbours
  double search_length = 0;  ///< items looked at, a query
  /// Mean of distance of the best answer / distance of the true nearest (1 − s for similarities), over the queries that have an answer and
  /// a true nearest at a distance above 0; 1 where there are none.
  double error = 0;
  double no_answer = 0;      ///< share of the queries that got none although there was one
  double stopped_early = 0;  ///< share of the queries
  double build_seconds = 0;
  double query_seconds = 0;  ///< a query
  double exact_seconds = 0;  ///< a query, by looking at every item (sets: at every item that shares a feature)
};
struct EvaluateOptions {
  std::uint64_t queries = 1000;  ///< at most; a seeded sample of the queries, or of the input where there are none
  std::uint32_t limit = 10;      ///< for plans without threshold or radius
};
/// One plan, or one of a sweep.
struct EvaluationPoint {
  Plan plan;
  std::optional<std::uint64_t> max_candidates = {};
};
struct EvaluationResult {
  std::vector<Evaluation> rows;  ///< in the order of the points
  std::uint64_t items = 0, queries = 0;
  RunStats stats;
};
/// All points must agree in measure, kind, threshold or radius, and shingles: the exact answer is computed once. Without `queries`, items
/// of the input are the queries, and are no answers to themselves.
EvaluationResult evaluate(const Input& input, const std::optional<Input>& queries, const std::vector<EvaluationPoint>& points,
                          const EvaluateOptions& options = {}, const RunOptions& run = {});

/// Curves as a picture.
struct PlotSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;
};
struct Plot {
  std::string title, x, y;
  std::vector<PlotSeries> series;
};
/// One picture for each plot, under one another: an SVG file, or an HTML page with the same pictures, by the path's extension.
/// Throws Error(plan) naming `plot` for any other extension.
std::string plot_text(const std::vector<Plot>& plots, const std::string& path);

}  // namespace nearkin
