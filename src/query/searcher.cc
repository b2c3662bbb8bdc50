#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/query.h>

#include "base/misuse.h"
#include "base/probe_sequence.h"
#include "kernel/kernel.h"
#include "match/band.h"
#include "query/asking.h"
#include "query/code_search.h"
#include "query/points.h"
#include "query/tables.h"
#include "theory/chances.h"

namespace nearkin {

/// What a Searcher does, also for tables that are not finished.
class TableSearch final : public ItemSource {
 public:
  explicit TableSearch(const TableParts& built);

  Answer find(const Points& queries, Row row, const Ask& asked);
  std::uint64_t long_codes() const { return by_codes_->long_codes(); }

  bool meet_bucket(Asking& asking, std::uint32_t band, std::uint32_t key) override;
  bool meet_all(Asking& asking) override;
  void sift(std::vector<Row>& rows, const Plan& asked, const BestMatches& best) override;
  HeldItems hold(std::span<const Row> rows) override;

 private:
  void sift_bits(std::vector<Row>& rows, double limit);
  void look_by_features(std::span<const std::uint64_t> query);
  void look_by_counts(std::span<const std::uint64_t> query, bool trust);
  void look_at_others();
  void look_in_buckets(const Points& queries, Row row);
  void look_in_probed_buckets(const Points& queries, Row row);
  void look_by_prefixes(const Points& queries, Row row);
  bool may_stop(std::uint32_t depth, std::uint32_t done);

  const TableParts& tables_;
  Asking asking_;
  std::optional<PointHasher> hasher_;
  std::optional<AngleSieve> sieve_;
  std::optional<CodeSearch> by_codes_;  // Road::codes
  PrefixWalk walk_;
  std::optional<SharedCounts> counts_;         // Road::features
  std::span<const std::uint64_t> query_bits_;  // Road::all over bits: the query's words
  std::vector<std::uint32_t> slots_, shifted_, keys_, distances_;
  std::vector<std::uint64_t> codes_;
  std::vector<double> fractions_;
  std::vector<ProbeSequence> probes_;  // of each band
  std::optional<double> known_bar_;
  double known_agreement_ = 0;  // at that bar
};

TableSearch::TableSearch(const TableParts& built) : tables_(built), asking_(built.plan) {
  if (built.road == Road::buckets || built.road == Road::prefixes) hasher_.emplace(built.plan.sketch);
  if (built.road == Road::features) counts_.emplace(*built.features);
  if (built.codes) by_codes_.emplace(*built.codes, built.members);
  if (built.angles) sieve_.emplace(*built.angles);
  slots_.resize(built.plan.sketch.hashes);
  keys_.resize(built.plan.band.bands);
  codes_.resize(built.plan.band.bands);
}

// --- What the tables hold

bool TableSearch::meet_bucket(Asking& asking, std::uint32_t band, std::uint32_t key) {
  return asking.meet(tables_.buckets->bucket(band, key));
}

bool TableSearch::meet_all(Asking& asking) {
  constexpr std::size_t kBlock = 4096;
  for (std::span<const Row> rest = tables_.members; !rest.empty();) {
    const std::size_t count = std::min(rest.size(), kBlock);
    if (!asking.meet_each_once(rest.first(count))) return false;
    rest = rest.subspan(count);
  }
  return true;
}

HeldItems TableSearch::hold(std::span<const Row> rows) {
  const bool sketched = tables_.road == Road::buckets || tables_.road == Road::prefixes;  // else there is nothing to estimate by
  return {.points = tables_.points.get(),
          .norms = &tables_.norms,
          .count = rows.size(),
          .by_row = true,
          .verify = sketched ? tables_.plan.verify : Verify::exact,
          .sketches = &tables_.sketches};
}

void TableSearch::sift(std::vector<Row>& rows, const Plan& asked, const BestMatches& best) {
  const bool within = asked.nearest == 0;
  if (!within && !best.full()) return;
  if (sieve_) return sieve_->sift(rows, best.bar());
  if (!query_bits_.empty()) sift_bits(rows, within ? Border(asked, std::get<Vectors>(*tables_.points).dimensions).limit() : best.bar());
}

// Bits of rows that follow one another are counted in one go.
void TableSearch::sift_bits(std::vector<Row>& rows, double limit) {
  if (rows.size() < 2 || rows.back() - rows.front() + 1 != rows.size()) return;
  const Vectors& vectors = std::get<Vectors>(*tables_.points);
  distances_.resize(rows.size());
  kernel::bit_distances(query_bits_.data(), vectors.bits(rows.front()).data(), vectors.word_count(), rows.size(), distances_.data());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (distances_[i] <= limit) rows[kept++] = rows[i];
  }
  rows.resize(kept);
}

// --- The roads to them

void TableSearch::look_by_features(std::span<const std::uint64_t> query) {
  // Counts are too high only where two features share a key. So what was found by counts is compared once, at the end.
  const bool trust = tables_.plan.nearest != 0;
  look_by_counts(query, trust);
  if (trust && !asking_.confirmed()) look_by_counts(query, false);
}

void TableSearch::look_by_counts(std::span<const std::uint64_t> query, bool trust) {
  SharedBound bound = asking_.shared_bound();
  bool go_on = true;
  const auto compare = [&](Row row, std::uint64_t shared) {
    if (!asking_.may_answer(row, shared)) return true;
    go_on = asking_.compare(row, shared, trust);
    bound = asking_.shared_bound();
    return go_on;
  };
  const bool all = counts_->visit(query, bound, compare);
  if (!all && go_on && (tables_.plan.nearest != 0 || bound.passes(0, 1))) look_at_others();
}

// Items that share nothing are near enough only where there are too few others, or if they are small and their distance counts.
void TableSearch::look_at_others() {
  const bool distance = is_distance(tables_.plan.measure);
  const BestMatches& best = asking_.best();
  if (!distance && best.full() && best.last().shared > 0) return;
  const std::vector<Row>& met = counts_->met();
  auto next = met.begin();
  for (const Row row : tables_.members) {
    if (next != met.end() && *next == row) {
      ++next;
    } else if (asking_.may_answer(row, 0)) {
      if (!asking_.compare(row, 0, tables_.plan.nearest != 0)) return;
    } else if (!distance) {
      return;  // all that share nothing are equally near, and the first rows come first
    }
  }
}

void TableSearch::look_in_buckets(const Points& queries, Row row) {
  const BandPlan& band = tables_.plan.band;
  hasher_->sketch(queries, row, slots_.data());
  asking_.compare_by(slots_);
  if (band.probes > 1 && tables_.plan.sketch.family == Family::gaussian) return look_in_probed_buckets(queries, row);
  band_keys(slots_.data(), band, keys_.data());
  asking_.look_in_buckets(keys_);
}

void TableSearch::look_in_probed_buckets(const Points& queries, Row row) {
  const BandPlan& band = tables_.plan.band;
  hasher_->positions(std::get<Vectors>(queries), row, fractions_);
  probes_.resize(band.bands);
  for (std::size_t i = 0; i < band.bands; ++i) probes_[i].find(std::span(fractions_).subspan(i * band.rows, band.rows), band.probes);
  for (std::size_t probe = 0; probe < probes_[0].size(); ++probe) {
    shifted_ = slots_;
    for (std::size_t i = 0; i < band.bands; ++i) {
      for (const Shift& shift : probes_[i][probe]) shifted_[i * band.rows + shift.row] += static_cast<std::uint32_t>(shift.step);
    }
    band_keys(shifted_.data(), band, keys_.data());
    if (!asking_.look_in_buckets(keys_)) return;
  }
}

bool TableSearch::may_stop(std::uint32_t depth, std::uint32_t done) {
  if (!asking_.best().full()) return false;
  const double bar = asking_.best().bar();
  if (known_bar_ != bar) known_agreement_ = portable_agreement(tables_.plan, bar);
  known_bar_ = bar;
  return known_agreement_ >= tables_.stop->least_agreement(depth, done);
}

void TableSearch::look_by_prefixes(const Points& queries, Row row) {
  const PrefixShape& shape = tables_.prefixes->shape();
  hasher_->sketch(queries, row, slots_.data());
  prefix_codes(slots_.data(), shape, tables_.plan.sketch.family, codes_.data());
  if (sieve_) sieve_->aim(std::get<Vectors>(queries), row);
  walk_.start(*tables_.prefixes, codes_);
  for (std::uint32_t depth = shape.depth; depth > 0; --depth) {
    for (std::uint32_t table = 0; table < shape.tables; ++table) {
      const PrefixWalk::Added added = walk_.extend(table, depth);
      const bool go_on = asking_.meet(added.before) && asking_.meet(added.behind);
      asking_.look();
      if (!go_on || may_stop(depth, table + 1)) return;
    }
  }
  asking_.look_at_all();
}

Answer TableSearch::find(const Points& queries, Row row, const Ask& asked) {
  std::visit([&](const auto& points) { require_item(points, row); }, queries);
  if (!asked.where.empty() || asked.metadata) throw Error(ErrorCode::plan, "where", "tables in memory hold no metadata; ask an index");
  require_same_kind(*tables_.points, queries);
  if (!asking_.start(queries, row, asked, *this) || tables_.members.empty()) return {};
  const auto* vectors = std::get_if<Vectors>(&queries);
  const bool counts_bits = tables_.road == Road::all && vectors != nullptr && vectors->kind == Vectors::Kind::bits;
  query_bits_ = counts_bits ? vectors->bits(row) : std::span<const std::uint64_t>();
  switch (tables_.road) {
    case Road::all: asking_.look_at_all(); break;
    case Road::features: look_by_features(std::get<Features>(queries)[row]); break;
    case Road::buckets: look_in_buckets(queries, row); break;
    case Road::codes: by_codes_->look(asking_, std::get<Vectors>(queries), row); break;
    case Road::prefixes: look_by_prefixes(queries, row); break;
  }
  return asking_.finish();
}

CodeWork code_work(const TableParts& parts) {
  constexpr std::size_t kQueries = 16;
  const std::size_t count = std::min(kQueries, parts.members.size());
  TableSearch search(parts);
  CodeWork work;
  for (std::size_t i = 0; i < count; ++i) {
    const Row row = parts.members[i * parts.members.size() / count];
    work.looked_at += static_cast<double>(search.find(*parts.points, row, {.except = row}).looked_at) / static_cast<double>(count);
  }
  work.long_codes = static_cast<double>(search.long_codes()) / static_cast<double>(count);
  return work;
}

// --- Searcher

struct Searcher::State {
  TableSearch search;
};

Searcher::Searcher(const Tables& tables) : state_(std::make_unique<State>(State{TableSearch(*tables.state_)})) {}
Searcher::~Searcher() = default;
Searcher::Searcher(Searcher&&) noexcept = default;

Answer Searcher::find(const Points& queries, Row row, const Ask& ask) { return state_->search.find(queries, row, ask); }

}  // namespace nearkin
