#include "index/dedup_step.h"

#include <utility>

#include "base/units.h"
#include "index/meta.h"
#include "io/formats/result_rows.h"

namespace nearkin {

void Sifting::list_removed(std::string_view id, const Hit& keeper) {
  if (!outputs.removed) return;
  line.clear();
  append_row(line, id, keeper.id, keeper.match, {state.plan.verify, state.plan.measure},
             options.removed_as_json ? RowStyle::json : RowStyle::tsv, {"id", "keeper"});
  outputs.removed->write(line);
}

void Sifting::list_rest(std::string_view id) {
  if (!outputs.removed) return;
  line.clear();
  append_rest(line, id, {state.plan.verify, state.plan.measure}, options.removed_as_json ? RowStyle::json : RowStyle::tsv,
              {"id", "keeper"});
  outputs.removed->write(line);
}

bool DedupStep::keep_text(std::string_view id, std::string_view text, std::string_view metadata, const Points& points) {
  sifting_.item.clear();
  sifting_.preparer.add(sifting_.item, free_id(id), text, metadata, sifting_.state.texts);
  return keep(id, points, nullptr);
}

bool DedupStep::keep_vector(std::string_view id, const Vectors& vectors, std::size_t i) {
  sifting_.item.clear();
  sifting_.preparer.add(sifting_.item, free_id(id), vectors, i, {});
  return keep(id, one_of(vectors, i), &vectors);
}

void DedupStep::begin_record(std::string_view owner) {
  owner_ = owner;
  is_free_ = false;
  added_.clear();
  waiting_.clear();
}

std::optional<Hit> DedupStep::meet_unit(std::string_view id, std::string_view text, std::string_view metadata, const Points& points) {
  if (std::optional<Hit> hit = nearest(points)) return hit;
  Prepared& item = sifting_.item;
  item.clear();
  sifting_.preparer.add(item, free_name(span_of(id)), text, metadata, sifting_.state.texts);
  if (item.empty.front() != 0) {
    ++sifting_.result.stats.empty;
  } else if (may_overlap(sifting_.state.unit)) {
    waiting_.append(item);  // parts of one record are not compared with each other
  } else {
    put(item);
    added_.push_back(name_);
  }
  return std::nullopt;
}

void DedupStep::end_record(bool stays) {
  if (stays && waiting_.size() > 0) put(waiting_);
  if (stays) return;
  for (const std::string& id : added_) writer_.erase(id);
  sifting_.result.added -= added_.size();
}

void DedupStep::commit() {
  writer_.finish();
  set_questions(transaction_, sifting_.questions.names);
  transaction_.commit();
  sifting_.committed = sifting_.result.kept;
}

bool DedupStep::keep(std::string_view id, const Points& points, const Vectors* vectors) {
  if (const std::optional<Hit> hit = nearest(points)) {
    sifting_.list_removed(id, *hit);
    ++sifting_.result.removed;
    return false;
  }
  ++sifting_.result.kept;
  if (known_empty(id)) return true;
  if (vectors != nullptr) writer_.require_vectors(*vectors);
  put(sifting_.item);
  return true;
}

std::optional<Hit> DedupStep::nearest(const Points& points) {
  IndexAnswer answer = sifting_.finder.find(transaction_, points, {.limit = 1});
  sifting_.result.stats.candidates += answer.looked_at;
  return answer.hits.empty() ? std::nullopt : std::optional(std::move(answer.hits.front()));
}

void DedupStep::put(const Prepared& items) {
  writer_.put(items, sifting_.entries);
  sifting_.entries.write(transaction_);
  sifting_.result.added += items.size();
}

// An EMPTY item is like nothing, and always kept; under one id, the index needs it no second time.
bool DedupStep::known_empty(std::string_view id) const {
  if (sifting_.item.empty.front() == 0) return false;
  const std::optional<Row> row = find_row(transaction_, id);
  if (!row) return false;
  Points known;
  append_item(transaction_, *row, record_of(transaction_, *row, id), true, known);
  return is_empty(known, 0, sifting_.state.plan.measure);
}

// An id that is in use belongs to another item, which stays.
std::string DedupStep::free_id(std::string_view id) const {
  std::string free(id);
  for (std::uint64_t number = writer_.next(); find_row(transaction_, free); ++number) free = std::string(id) + "@" + std::to_string(number);
  return free;
}

// The name of a part of the record. If parts of another record have this record's id, they stay, and this one gets another.
const std::string& DedupStep::free_name(const Span& span) {
  const auto is_used = [&](const std::string& owner) {
    return !parts_of(transaction_, owner, [&](Row row) { return std::string(record_of(transaction_, row).id); }).empty();
  };
  if (!is_free_) {
    const std::string id = owner_;
    for (std::uint64_t number = writer_.next(); is_used(owner_); ++number) owner_ = id + "@" + std::to_string(number);
    is_free_ = true;
  }
  name_unit(owner_, span, name_);
  return name_;
}

}  // namespace nearkin
