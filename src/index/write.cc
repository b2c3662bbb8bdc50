#include "index/write.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include <nearkin/error.h>
#include <nearkin/ignore.h>

#include "base/units.h"
#include "index/meta.h"
#include "index/record.h"
#include "index/seal.h"
#include "io/bytes/compression.h"
#include "query/meter.h"

namespace nearkin {
namespace {

constexpr std::uint64_t kMostRows = UINT32_MAX;  // rows are 32 bits; the last is not given

// Indices of the items that count, in order of their ids: of equal ids the last.
std::vector<std::uint32_t> order_by_id(const Prepared& items) {
  std::vector<std::uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int compared = items.ids[a].compare(items.ids[b]);
    return compared != 0 ? compared < 0 : a < b;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + 1 < order.size() && items.ids[order[i]] == items.ids[order[i + 1]]) continue;
    order[kept++] = order[i];
  }
  order.resize(kept);
  return order;
}

}  // namespace

[[noreturn]] static void fail_damaged_item(const Transaction& transaction, Row row) {
  fail_damaged(transaction, "item " + std::to_string(row) + " is damaged");
}

RecordView record_of(const Transaction& transaction, Row row) {
  const std::optional<std::string_view> bytes = transaction.find(transaction.tables().items, row);
  const std::optional<RecordView> record = bytes ? read_record(*bytes, mark_of(Sealed::record, row)) : std::nullopt;
  if (!record) fail_damaged_item(transaction, row);
  return *record;
}

RecordView record_of(const Transaction& transaction, Row row, std::string_view id) {
  const RecordView record = record_of(transaction, row);
  if (record.id == id) return record;
  fail_damaged(transaction, "the table of ids is damaged: \"" + std::string(id.substr(0, 100)) + "\" leads to item " + std::to_string(row) +
                                ", which is \"" + std::string(record.id.substr(0, 100)) + "\"");
}

[[noreturn]] static void fail_damaged_text(const Transaction& transaction, Row row) {
  fail_damaged(transaction, "the text of item " + std::to_string(row) + " is damaged");
}

// Compressed, and what was put.
static std::string_view text_block(const Transaction& transaction, Row row) {
  const std::optional<std::string_view> bytes = transaction.find(transaction.tables().texts, row);
  if (!bytes || bytes->size() < kSealBytes) fail_damaged_text(transaction, row);
  const std::optional<std::string_view> record = transaction.find(transaction.tables().items, row);
  if (!record || record->size() < kSealBytes) fail_damaged_item(transaction, row);
  const std::string_view block = bytes->substr(kSealBytes);
  const std::uint32_t of_record = seal_in(*record) ^ mark_of(Sealed::record, row);
  if ((checksum32(block) ^ of_record ^ mark_of(Sealed::text, row)) != seal_in(*bytes)) fail_damaged_text(transaction, row);
  return block;
}

void require_text(const Transaction& transaction, Row row) { text_block(transaction, row); }

std::string stored_text(const Transaction& transaction, Row row) {
  std::optional<std::string> text = decompress_block(text_block(transaction, row), kLongestText);
  if (!text) fail_damaged_text(transaction, row);
  return *std::move(text);
}

void append_item(const Transaction& transaction, Row row, const RecordView& record, bool first, Points& points) {
  if (first) clear_for(record, points);
  if (!append_content(record, points)) fail_damaged_item(transaction, row);
}

// --- IndexWriter

IndexWriter::IndexWriter(Transaction& transaction, const Plan& plan, Preparer& preparer)
    : transaction_(transaction),
      plan_(plan),
      preparer_(preparer),
      next_(number_in(transaction, meta::kNext)),
      items_(number_in(transaction, meta::kItems)),
      empty_(number_in(transaction, meta::kEmpty)) {}

void IndexWriter::finish() {
  set_number(transaction_, meta::kNext, next_);
  set_number(transaction_, meta::kItems, items_);
  set_number(transaction_, meta::kEmpty, empty_);
  if (items_ == 0 && plan_.kind != Kind::shingles) set_text(transaction_, meta::kVectors, "");  // the next vectors decide
}

void IndexWriter::require_vectors(const Vectors& vectors) {
  const std::string has = described(vectors), known = text_in(transaction_, meta::kVectors);
  if (known.empty() || items_ == 0) return set_text(transaction_, meta::kVectors, has);
  if (known == has) return;
  throw Error(ErrorCode::data, "vectors",
              "these are " + vectors_in_words(has, false) + "; the index has " + vectors_in_words(known, false));
}

Points IndexWriter::points_of(Row row) const {
  Points points;
  append_item(transaction_, row, record_of(transaction_, row), true, points);
  return points;
}

// Takes the item's places in buckets away. Its hashes are computed again: that is rare, and to keep them would cost every item.
void IndexWriter::take_out(Row row, const Points& points) {
  if (is_empty(points, 0, plan_.measure)) {
    --empty_;
    return;
  }
  const std::vector<std::uint32_t>& keys = preparer_.keys_of(points, 0);
  Buckets buckets(transaction_);
  for (std::uint32_t band = 0; band < keys.size(); ++band) buckets.erase(band, keys[band], row);
}

bool IndexWriter::erase(std::string_view id) {
  const std::optional<Row> row = find_row(transaction_, id);
  if (!row) return false;
  record_of(transaction_, *row, id);
  take_out(*row, points_of(*row));
  erase_id(transaction_, id);
  transaction_.erase(transaction_.tables().items, *row);
  transaction_.erase(transaction_.tables().texts, *row);
  --items_;
  return true;
}

std::uint64_t IndexWriter::erase_parts(std::string_view owner, const std::function<bool(const PartEntry&)>& erased) {
  std::uint64_t count = 0;
  for (const PartEntry& part : parts_of(transaction_, owner, [&](Row row) { return std::string(record_of(transaction_, row).id); })) {
    if (erased(part)) count += erase(part.id);
  }
  return count;
}

bool IndexWriter::erase_item_or_parts(std::string_view id, const Unit& unit) {
  return erase(id) || (unit.divides() && erase_parts(id, [](const PartEntry&) { return true; }) > 0);
}

std::uint64_t IndexWriter::erase_outdated(const Prepared& items) {
  std::map<std::string_view, std::size_t> last;  // record of each owner
  const auto begin_of = [&](std::size_t record) { return record == 0 ? 0 : items.record_ends[record - 1]; };
  for (std::size_t record = 0; record < items.record_ends.size(); ++record) last[owner_of(items.ids[begin_of(record)])] = record;
  std::uint64_t count = 0;
  for (const auto& [owner, record] : last) {
    std::set<std::string_view> now;
    for (std::size_t i = begin_of(record); i < items.record_ends[record]; ++i) now.insert(items.ids[i]);
    count += erase_parts(owner, [&](const PartEntry& part) { return !now.contains(part.id); });
  }
  return count;
}

std::vector<std::optional<Row>> IndexWriter::known_rows(const Prepared& items, const std::vector<std::uint32_t>& by_id) {
  std::vector<std::optional<Row>> rows(items.size());
  if (items_ == 0) return rows;
  for (const std::uint32_t i : by_id) {
    rows[i] = find_row(transaction_, items.ids[i]);
    if (rows[i]) record_of(transaction_, *rows[i], items.ids[i]);
  }
  return rows;
}

void IndexWriter::put_new_ids(const Prepared& items, const std::vector<std::uint32_t>& by_id, const std::vector<Row>& rows,
                              const std::vector<bool>& fresh) {
  std::vector<IdEntry> added;
  for (const std::uint32_t i : by_id) {
    if (fresh[i]) added.push_back({id_key(items.ids[i]), rows[i]});
  }
  // Keys of long ids are not in the order of their ids.
  std::sort(added.begin(), added.end(), [](const IdEntry& a, const IdEntry& b) { return a.key < b.key; });
  put_ids(transaction_, added);
}

Row IndexWriter::next_row() {
  if (next_ == kMostRows) throw Error(ErrorCode::data, "index", "has used all 4,294,967,295 row numbers; create it again");
  return static_cast<Row>(next_++);
}

// Bytes that begin with their checksum, which becomes that of this row.
static void put_marked(Transaction& transaction, MDB_dbi table, Row row, std::string_view bytes, std::uint32_t mark, unsigned flags) {
  transaction.before_put(table, Transaction::bytes_of(row));
  MDB_val key = value_of(Transaction::bytes_of(row)), value{bytes.size(), nullptr};
  transaction.check(mdb_put(transaction.get(), table, &key, &value, flags | MDB_RESERVE));
  const std::uint32_t seal = seal_in(bytes) ^ mark;
  std::memcpy(value.mv_data, &seal, kSealBytes);
  std::memcpy(static_cast<char*>(value.mv_data) + kSealBytes, bytes.data() + kSealBytes, bytes.size() - kSealBytes);
}

void IndexWriter::put_content(Row row, const Prepared& items, std::size_t i, unsigned flags) {
  put_marked(transaction_, transaction_.tables().items, row, items.records[i], mark_of(Sealed::record, row), flags);
  if (items.texts.size() == 0) return;
  put_marked(transaction_, transaction_.tables().texts, row, items.texts[i], mark_of(Sealed::text, row), flags);
}

void IndexWriter::append(const Prepared& items, BandEntries& entries, IdRuns& ids) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Row row = next_row();
    put_content(row, items, i, MDB_APPEND);
    if (items.empty[i] == 0) entries.add(row, items.keys.data() + i * plan_.band.bands);
    empty_ += items.empty[i];
    ids.add(id_key(items.ids[i]), row);
  }
  items_ += items.size();
}

void IndexWriter::fold(std::span<const Row> rows, BandEntries& entries) {
  const Row first = rows.front(), last = rows.back();
  for (const Row row : rows) take_out(row, points_of(row));
  const Points points = points_of(last);
  if (is_empty(points, 0, plan_.measure)) {
    ++empty_;
  } else {
    entries.add(first, preparer_.keys_of(points, 0).data());
  }
  for (const auto& [table, what] : {std::pair(transaction_.tables().items, Sealed::record), {transaction_.tables().texts, Sealed::text}}) {
    const std::optional<std::string_view> found = transaction_.find(table, last);
    const std::string bytes(found.value_or(""));
    if (found) put_marked(transaction_, table, first, bytes, mark_of(what, last) ^ mark_of(what, first), 0);
    for (const Row row : rows.subspan(1)) transaction_.erase(table, row);
  }
  items_ -= rows.size() - 1;
}

IndexPut IndexWriter::put(const Prepared& items, BandEntries& entries) {
  const std::vector<std::uint32_t> by_id = order_by_id(items);
  const std::vector<std::optional<Row>> known = known_rows(items, by_id);
  // What is taken out must be there: an earlier item of this transaction may still be among the entries.
  if (std::any_of(known.begin(), known.end(), [](const std::optional<Row>& row) { return row.has_value(); })) entries.write(transaction_);
  std::vector<bool> counts(items.size()), fresh(items.size());
  for (const std::uint32_t i : by_id) {
    counts[i] = true;
    fresh[i] = !known[i];
  }
  std::vector<Row> rows(items.size());
  IndexPut done{.added = 0, .replaced = items.size() - by_id.size()};
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!counts[i]) continue;
    if (!fresh[i]) take_out(*known[i], points_of(*known[i]));
    rows[i] = fresh[i] ? next_row() : *known[i];
    put_content(rows[i], items, i, fresh[i] ? MDB_APPEND : 0);
    if (items.empty[i] == 0) entries.add(rows[i], items.keys.data() + i * plan_.band.bands);
    empty_ += items.empty[i];
    ++(fresh[i] ? done.added : done.replaced);
  }
  put_new_ids(items, by_id, rows, fresh);
  items_ += done.added;
  return done;
}

void write_first_tables(Transaction& transaction, const Plan& plan, const IndexOptions& options, bool filled_next) {
  set_text(transaction, meta::kPlan, to_string(plan));
  if (plan.shingle.ignore != 0) {
    const std::vector<std::uint64_t> ignored = ignored_hashes(plan.shingle);
    set_text(transaction, meta::kIgnored, {reinterpret_cast<const char*>(ignored.data()), ignored.size() * sizeof(std::uint64_t)});
  }
  set_unit(transaction, options.unit);
  set_directed(transaction, options.directed);
  set_text(transaction, meta::kVectors, "");
  set_number(transaction, meta::kTexts, options.texts ? 1 : 0);
  for (const std::string_view name : {meta::kNext, meta::kItems, meta::kEmpty}) set_number(transaction, name, 0);
  if (filled_next) return;
  Blocks(transaction, transaction.tables().ids, Sealed::ids).put(kFirstId, "", "");
  BandEntries(plan.band.bands).write_first(transaction);
}

IndexPut put_in_one_step(Transaction transaction, const Plan& plan, Preparer& preparer, const Prepared& items, const Vectors* vectors) {
  IndexWriter writer(transaction, plan, preparer);
  if (vectors != nullptr) writer.require_vectors(*vectors);
  BandEntries entries(plan.band.bands);
  IndexPut done = writer.put(items, entries);
  entries.write(transaction);
  done.outdated = writer.erase_outdated(items);
  writer.finish();
  transaction.commit();
  return done;
}

std::vector<bool> erase_in_one_step(Transaction transaction, const Plan& plan, const Unit& unit, std::span<const std::string> ids) {
  Preparer preparer(plan);
  IndexWriter writer(transaction, plan, preparer);
  std::vector<bool> there;
  for (const std::string& id : ids) there.push_back(writer.erase_item_or_parts(id, unit));
  writer.finish();
  transaction.commit();
  return there;
}

}  // namespace nearkin
