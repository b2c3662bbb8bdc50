#include "index/find.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nearkin/error.h>

#include "base/hash.h"
#include "index/record.h"
#include "io/formats/metadata.h"
#include "match/space.h"
#include "query/meter.h"

namespace nearkin {
namespace {

constexpr std::size_t kBatch = 256;  // items that are measured together

// The plan with the border that was asked for.
Plan with_border(const Plan& plan, const IndexAsk& ask) {
  Plan asked = plan;
  if (!ask.threshold) return asked;
  if (is_distance(plan.measure)) {
    if (*ask.threshold > plan.radius || !(*ask.threshold >= 0)) {
      throw Error(ErrorCode::plan, "radius",
                  fmt::format("{} is not within the index's own, {}; make an index with a larger one", *ask.threshold, plan.radius));
    }
    asked.radius = *ask.threshold;
    return asked;
  }
  asked.threshold = ratio(*ask.threshold);
  if (asked.threshold.value() < plan.threshold.value()) {
    throw Error(ErrorCode::plan, "threshold",
                to_string(asked.threshold) + " is below the index's own, " + to_string(plan.threshold) +
                    ", and its buckets are not made for that; make an index with a lower one");
  }
  return asked;
}

}  // namespace

bool MetRows::insert(Row row) {
  if (2 * taken_.size() >= slots_.size()) grow();
  const std::uint64_t wanted = std::uint64_t{row} + 1;
  for (std::size_t place = mix64(wanted) & (slots_.size() - 1);; place = (place + 1) & (slots_.size() - 1)) {
    if (slots_[place] == wanted) return false;
    if (slots_[place] != 0) continue;
    slots_[place] = wanted;
    taken_.push_back(place);
    return true;
  }
}

void MetRows::grow() {
  std::vector<std::uint64_t> before(std::max<std::size_t>(64, 2 * slots_.size()));
  before.swap(slots_);
  taken_.clear();
  for (const std::uint64_t held : before) {
    if (held != 0) insert(static_cast<Row>(held - 1));
  }
}

void MetRows::clear() {
  for (const std::size_t place : taken_) slots_[place] = 0;
  taken_.clear();
}

RecordView record_of(const Transaction& transaction, Row row) {
  const std::optional<std::string_view> bytes = transaction.find(transaction.tables().items, row);
  const std::optional<RecordView> record = bytes ? read_record(*bytes) : std::nullopt;
  if (record) return *record;
  throw Error(ErrorCode::file, transaction.environment().folder(),
              "item " + std::to_string(row) + " is damaged; see 'nearkin index verify', and restore the index from a backup");
}

IndexAnswer Finder::find(const Transaction& transaction, const Points& query, const IndexAsk& ask) {
  asked_ = with_border(plan_, ask);
  ask_ = &ask;
  answer_ = {};
  met_.clear();
  batch_.clear();
  best_.start(ask.limit, plan_.measure);
  if (is_empty(query, 0, plan_.measure)) return std::move(answer_);
  if (plan_.band.bands == 0) {
    look_at_all(transaction);
  } else {
    look_in_buckets(transaction, query);
  }
  for (std::span<const Row> rest = batch_; !rest.empty();) {
    const std::size_t count = std::min(rest.size(), kBatch);
    measure(transaction, query, rest.first(count));
    rest = rest.subspan(count);
  }
  answer_.hits = hits(transaction);
  return std::move(answer_);
}

// False: as many were looked at as are allowed.
bool Finder::meet(Row row) {
  if (!met_.insert(row)) return true;
  if (answer_.looked_at == ask_->max_candidates) {
    answer_.stopped_early = true;
    return false;
  }
  ++answer_.looked_at;
  batch_.push_back(row);
  return true;
}

void Finder::look_in_buckets(const Transaction& transaction, const Points& query) {
  const std::vector<std::uint32_t>& keys = preparer_.keys_of(query, 0);
  Cursor cursor(transaction, transaction.tables().bands);
  for (std::uint32_t band = 0; band < keys.size(); ++band) {
    const std::uint64_t first = std::uint64_t{keys[band]} << 32;
    const std::string_view from(reinterpret_cast<const char*>(&first), sizeof first);
    bool more = cursor.move(MDB_GET_BOTH_RANGE, Transaction::bytes_of(band), from);
    for (; more; more = cursor.move(MDB_NEXT_DUP)) {
      std::uint64_t entry = 0;
      std::memcpy(&entry, cursor.value().data(), sizeof entry);
      if (entry >> 32 != keys[band]) break;
      if (!meet(static_cast<Row>(entry))) return;
    }
  }
}

void Finder::look_at_all(const Transaction& transaction) {
  Cursor cursor(transaction, transaction.tables().items);
  for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT)) {
    Row row = 0;
    std::memcpy(&row, cursor.key().data(), sizeof row);
    if (!meet(row)) return;
  }
}

void Finder::measure(const Transaction& transaction, const Points& query, std::span<const Row> rows) {
  bool first = true;
  metadata_.clear();
  for (const Row row : rows) {
    const RecordView record = record_of(transaction, row);
    if (std::exchange(first, false)) clear_for(record, points_);
    if (!append_content(record, points_)) {
      throw Error(ErrorCode::file, transaction.environment().folder(),
                  "item " + std::to_string(row) + " is damaged; see 'nearkin index verify'");
    }
    metadata_.push_back(record.metadata);
  }
  const auto* vectors = std::get_if<Vectors>(&points_);
  const Norms norms = vectors != nullptr ? norms_of(*vectors, asked_.measure) : Norms{};
  Meter meter(points_, norms, asked_);
  meter.aim(query, 0);
  for (Row i = 0; i < rows.size(); ++i) {
    if (is_empty(points_, i, asked_.measure)) continue;
    std::optional<Match> match = meter.inside(i);
    if (!match || (!ask_->where.empty() && !metadata_holds(metadata_[i], ask_->where))) continue;
    match->b = rows[i];
    best_.offer(*match);
  }
}

std::vector<Hit> Finder::hits(const Transaction& transaction) {
  std::vector<Hit> found;
  for (const Match& match : best_.take()) {
    const RecordView record = record_of(transaction, match.b);
    Hit hit{.id = std::string(record.id), .match = match, .similarity = measured(match, plan_.measure)};
    if (ask_->metadata) hit.metadata = record.metadata;
    found.push_back(std::move(hit));
  }
  return found;
}

}  // namespace nearkin
