#include <algorithm>
#include <cstring>

#include <nearkin/error.h>

#include "index/meta.h"
#include "index/record.h"
#include "index/state.h"
#include "index/write.h"
#include "io/formats/metadata_filter.h"

namespace nearkin {
namespace {

constexpr std::size_t kBatch = 256;  // items that are read together

// For one query.
class IndexSource final : public ItemSource {
 public:
  IndexSource(const Transaction& transaction, const Plan& plan, const Ask& ask, Finder::Batch& batch)
      : transaction_(transaction), plan_(plan), batch_(batch), where_(ask.where), buckets_(transaction) {}

  bool meet_bucket(Asking& asking, std::uint32_t band, std::uint32_t key) override {
    return buckets_.for_each(band, key, [&](Row row) { return asking.meet(std::span(&row, 1)); });
  }

  bool meet_all(Asking& asking) override {
    Cursor items(transaction_, transaction_.tables().items);
    std::uint64_t met = 0;
    for (bool more = items.move(MDB_FIRST); more; more = items.move(MDB_NEXT), ++met) {
      Row row = 0;
      std::memcpy(&row, items.key().data(), std::min(items.key().size(), sizeof row));
      if (!asking.meet_each_once(std::span(&row, 1))) return false;
    }
    // By the table's own count: that of the index is written when a step that adds items is committed.
    if (met != transaction_.entries(transaction_.tables().items))
      fail_damaged(transaction_, "the table of items is damaged: some are missing");
    return true;
  }

  HeldItems hold(std::span<const Row> rows) override {
    rows = rows.first(std::min(rows.size(), kBatch));
    batch_.metadata.clear();
    for (const Row row : rows) {
      const RecordView record = record_of(transaction_, row);
      append_item(transaction_, row, record, batch_.metadata.empty(), batch_.points);
      batch_.metadata.push_back(record.metadata);
    }
    const auto* vectors = std::get_if<Vectors>(&batch_.points);
    batch_.norms = vectors != nullptr ? norms_of(*vectors, plan_.measure) : Norms{};
    return {.points = &batch_.points, .norms = &batch_.norms, .count = rows.size()};
  }

  bool may_answer(std::size_t i) override { return !is_empty(batch_.points, i, plan_.measure) && where_.holds(batch_.metadata[i]); }

 private:
  const Transaction& transaction_;
  const Plan& plan_;
  Finder::Batch& batch_;
  MetadataFilter where_;
  Buckets buckets_;
};

void require_no_row(const Ask& ask) {
  if (ask.except) throw Error(ErrorCode::plan, "except", "an index has no row numbers; leave it out");
}

}  // namespace

IndexAnswer Finder::find(const Transaction& transaction, const Points& query, const Ask& ask) {
  require_no_row(ask);
  return answer(transaction, query, ask);
}

IndexAnswer Finder::find_like(const Transaction& transaction, Row row, std::string_view id, const Ask& ask) {
  require_no_row(ask);
  Points item;
  append_item(transaction, row, record_of(transaction, row, id), true, item);
  Ask of_others = ask;
  of_others.except = row;
  return answer(transaction, item, of_others);
}

IndexAnswer Finder::answer(const Transaction& transaction, const Points& query, const Ask& ask) {
  IndexSource source(transaction, plan_, ask, batch_);
  if (!asking_.start(query, 0, ask, source)) return {};
  if (plan_.band.bands == 0) {
    asking_.look_at_all();
  } else {
    asking_.look_in_buckets(preparer_.keys_of(query, 0));
  }
  const Answer found = asking_.finish();
  IndexAnswer answer{.hits = {}, .looked_at = found.looked_at, .stopped_early = found.stopped_early, .stopped = found.stopped};
  for (const Match& match : found.hits) {
    const RecordView record = record_of(transaction, match.b);
    if (ask.before_hit) ask.before_hit(sizeof(Hit) + record.id.size() + (ask.metadata ? record.metadata.size() : 0));
    answer.hits.push_back({.id = std::string(record.id), .match = match, .similarity = measured(match, plan_.measure)});
    if (ask.metadata) answer.hits.back().metadata = record.metadata;
  }
  return answer;
}

}  // namespace nearkin
