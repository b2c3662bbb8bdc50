#include <algorithm>
#include <utility>

#include <nearkin/query.h>

#include "base/probe_sequence.h"
#include "kernel/kernel.h"
#include "match/band.h"
#include "query/best_matches.h"
#include "query/meter.h"
#include "query/sizes.h"
#include "query/tables.h"
#include "theory/portable_agreement.h"

namespace nearkin {
namespace {

bool reaches(const Match& match, Ratio threshold) { return match.shared * threshold.denominator >= match.total * threshold.numerator; }

}  // namespace

struct Searcher::State {
  explicit State(const TableParts& built);

  Answer find(const Points& queries, Row row, const Ask& asked);

 private:
  void start(const Ask& asked);
  bool meet(std::span<const Row> rows);
  void look();
  void look_for_nearest();
  void look_within_border();
  void look_at_all();
  void sift_bits();
  void look_by_features(std::span<const std::uint64_t> query);
  void look_in_buckets(const Points& queries, Row row);
  void look_in_probed_buckets(const Points& queries, Row row);
  void look_by_prefixes(const Points& queries, Row row);
  bool may_stop(std::uint32_t depth, std::uint32_t done);
  std::uint64_t most_shared(Row row) const { return counts_.empty() ? Meter::kAnyNumber : counts_[row]; }

  const TableParts& tables_;
  Meter meter_;
  std::optional<PointHasher> hasher_;
  std::optional<AngleSieve> sieve_;
  PrefixWalk walk_;
  BestMatches best_;
  Answer answer_;
  Ask ask_;
  std::vector<std::uint32_t> stamps_;  // of each item the number of the query that met it last
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> counts_;          // Road::features: of the items met, features shared at most
  std::vector<Row> batch_;                     // met, and not yet looked at
  std::span<const std::uint64_t> query_bits_;  // Road::all over bits: the query's words
  std::vector<std::uint32_t> slots_, shifted_, keys_, distances_;
  std::vector<std::uint64_t> codes_;
  std::vector<double> fractions_;
  std::vector<ProbeSequence> probes_;  // of each band
  double known_bar_ = 0, known_agreement_ = 0;
  bool agreement_known_ = false;
};

Searcher::State::State(const TableParts& built)
    : tables_(built), meter_(*built.points, built.norms, built.plan), stamps_(built.empty.size()) {
  if (built.road == Road::buckets || built.road == Road::prefixes) hasher_.emplace(built.plan.sketch, *built.points);
  if (built.road == Road::features) counts_.resize(built.empty.size());
  if (built.angles) sieve_.emplace(*built.angles);
  slots_.resize(built.plan.sketch.hashes);
  keys_.resize(built.plan.band.bands);
  codes_.resize(built.plan.band.bands);
}

void Searcher::State::start(const Ask& asked) {
  ask_ = asked;
  answer_ = {};
  batch_.clear();
  agreement_known_ = false;
  if (++stamp_ == 0) {
    std::fill(stamps_.begin(), stamps_.end(), 0);
    stamp_ = 1;
  }
  const std::uint32_t nearest = tables_.plan.nearest, limit = asked.limit;
  best_.start(nearest != 0 && limit != 0 ? std::min(nearest, limit) : std::max(nearest, limit), tables_.plan.measure);
}

// Takes up the rows that were not met before. False: as many were looked at as are allowed.
bool Searcher::State::meet(std::span<const Row> rows) {
  for (const Row row : rows) {
    if (stamps_[row] == stamp_) continue;
    if (row == ask_.except) continue;
    if (answer_.looked_at == ask_.max_candidates) {
      answer_.stopped_early = true;
      return false;
    }
    stamps_[row] = stamp_;
    ++answer_.looked_at;
    batch_.push_back(row);
  }
  return true;
}

void Searcher::State::look() {
  if (tables_.plan.nearest != 0) {
    look_for_nearest();
  } else {
    look_within_border();
  }
  batch_.clear();
}

void Searcher::State::look_for_nearest() {
  if (sieve_ && best_.full()) sieve_->sift(batch_, best_.bar());
  for (const Row row : batch_) {
    const std::optional<Match> match = best_.full() ? meter_.nearer_than(row, best_.bar(), most_shared(row)) : meter_.match(row);
    if (match) best_.offer(*match);
  }
}

void Searcher::State::look_within_border() {
  const Plan& plan = tables_.plan;
  const bool exact = plan.verify == Verify::exact || tables_.road == Road::all || tables_.road == Road::features;
  for (const Row row : batch_) {
    if (exact) {
      if (const std::optional<Match> match = meter_.inside(row, most_shared(row))) best_.offer(*match);
    } else if (plan.verify == Verify::none) {
      best_.offer(meter_.unverified(row));
    } else if (const Match match = meter_.estimated(row, slots_, tables_.sketches[row]); reaches(match, plan.threshold)) {
      best_.offer(match);
    }
  }
}

// Bits of rows that follow one another are counted in one go; what is too far leaves the batch.
void Searcher::State::sift_bits() {
  if (query_bits_.empty() || batch_.size() < 2 || batch_.back() - batch_.front() + 1 != batch_.size()) return;
  const Vectors& vectors = std::get<Vectors>(*tables_.points);
  const bool within = tables_.plan.nearest == 0;
  if (!within && !best_.full()) return;
  const double limit = within ? Border(tables_.plan, vectors.dimensions).limit() : best_.bar();
  distances_.resize(batch_.size());
  kernel::bit_distances(query_bits_.data(), vectors.bits(batch_.front()).data(), vectors.word_count(), batch_.size(), distances_.data());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    if (distances_[i] <= limit) batch_[kept++] = batch_[i];
  }
  batch_.resize(kept);
}

void Searcher::State::look_at_all() {
  constexpr std::size_t kBatch = 4096;
  for (std::span<const Row> rest = tables_.members; !rest.empty();) {
    const std::size_t count = std::min(rest.size(), kBatch);
    const bool go_on = meet(rest.first(count));
    sift_bits();
    look();
    if (!go_on) return;
    rest = rest.subspan(count);
  }
}

void Searcher::State::look_by_features(std::span<const std::uint64_t> query) {
  std::vector<Row> met;
  for (const std::uint64_t feature : query) {
    for (const Row row : tables_.buckets->bucket(0, feature_key(feature))) {
      if (counts_[row]++ == 0) met.push_back(row);
    }
  }
  std::sort(met.begin(), met.end());
  const bool go_on = meet(met);
  look();
  for (const Row row : met) counts_[row] = 0;
  // Items that share nothing are near enough only where there are no others.
  if (go_on && tables_.plan.nearest != 0 && !best_.full()) look_at_all();
}

void Searcher::State::look_in_buckets(const Points& queries, Row row) {
  const BandPlan& band = tables_.plan.band;
  hasher_->sketch(queries, row, slots_.data());
  if (band.probes > 1 && tables_.plan.sketch.family == Family::gaussian) return look_in_probed_buckets(queries, row);
  band_keys(slots_.data(), band, keys_.data());
  for (std::uint32_t i = 0; i < band.bands; ++i) {
    const bool go_on = meet(tables_.buckets->bucket(i, keys_[i]));
    look();
    if (!go_on) return;
  }
}

void Searcher::State::look_in_probed_buckets(const Points& queries, Row row) {
  const BandPlan& band = tables_.plan.band;
  hasher_->positions(queries, row, fractions_);
  probes_.resize(band.bands);
  for (std::size_t i = 0; i < band.bands; ++i) probes_[i].find(std::span(fractions_).subspan(i * band.rows, band.rows), band.probes);
  for (std::size_t probe = 0; probe < probes_[0].size(); ++probe) {
    shifted_ = slots_;
    for (std::size_t i = 0; i < band.bands; ++i) {
      for (const Shift& shift : probes_[i][probe]) shifted_[i * band.rows + shift.row] += static_cast<std::uint32_t>(shift.step);
    }
    band_keys(shifted_.data(), band, keys_.data());
    for (std::uint32_t i = 0; i < band.bands; ++i) {
      const bool go_on = meet(tables_.buckets->bucket(i, keys_[i]));
      look();
      if (!go_on) return;
    }
  }
}

bool Searcher::State::may_stop(std::uint32_t depth, std::uint32_t done) {
  if (!best_.full()) return false;
  const double bar = best_.bar();
  if (!agreement_known_ || bar != known_bar_) {
    known_bar_ = bar;
    known_agreement_ = portable_agreement(tables_.plan, bar);
    agreement_known_ = true;
  }
  return known_agreement_ >= tables_.stop->least_agreement(depth, done);
}

void Searcher::State::look_by_prefixes(const Points& queries, Row row) {
  const PrefixShape& shape = tables_.prefixes->shape();
  hasher_->sketch(queries, row, slots_.data());
  prefix_codes(slots_.data(), shape, tables_.plan.sketch.family, codes_.data());
  if (sieve_) sieve_->aim(std::get<Vectors>(queries), row);
  walk_.start(*tables_.prefixes, codes_);
  for (std::uint32_t depth = shape.depth; depth > 0; --depth) {
    for (std::uint32_t table = 0; table < shape.tables; ++table) {
      const PrefixWalk::Added added = walk_.extend(table, depth);
      const bool go_on = meet(added.before) && meet(added.behind);
      look();
      if (!go_on || may_stop(depth, table + 1)) return;
    }
  }
  look_at_all();
}

Answer Searcher::State::find(const Points& queries, Row row, const Ask& asked) {
  require_item(queries, row);
  start(asked);
  meter_.aim(queries, row);
  if (meter_.empty()) return {};
  const auto* asked_bits = std::get_if<Vectors>(&queries);
  const bool counts_bits = tables_.road == Road::all && asked_bits != nullptr && asked_bits->kind == Vectors::Kind::bits;
  query_bits_ = counts_bits ? asked_bits->bits(row) : std::span<const std::uint64_t>();
  switch (tables_.road) {
    case Road::all: look_at_all(); break;
    case Road::features: look_by_features(std::get<Features>(queries)[row]); break;
    case Road::buckets: look_in_buckets(queries, row); break;
    case Road::prefixes: look_by_prefixes(queries, row); break;
  }
  answer_.hits = best_.take();
  return std::move(answer_);
}

Searcher::Searcher(const Tables& tables) : state_(std::make_unique<State>(*tables.state_)) {}
Searcher::~Searcher() = default;
Searcher::Searcher(Searcher&&) noexcept = default;

Answer Searcher::find(const Points& queries, Row row, const Ask& ask) { return state_->find(queries, row, ask); }

}  // namespace nearkin
