#include "index/write.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <nearkin/error.h>

#include "base/radix_sort.h"
#include "index/record.h"
#include "query/meter.h"

namespace nearkin {
namespace {

constexpr std::size_t kLongestPlainKey = 495;
constexpr std::uint64_t kMostRows = UINT32_MAX;  // rows are 32 bits; the last is not given

std::uint64_t entry_of(std::uint32_t key, Row row) { return std::uint64_t{key} << 32 | row; }

std::string_view bytes_of(const std::uint64_t& number) { return {reinterpret_cast<const char*>(&number), sizeof number}; }

Row row_of(std::string_view value) {
  Row row = 0;
  std::memcpy(&row, value.data(), std::min(value.size(), sizeof row));
  return row;
}

[[noreturn]] void fail_damaged(const Transaction& transaction, const std::string& what) {
  throw Error(ErrorCode::file, transaction.environment().folder(),
              what + "; see 'nearkin index verify', and restore the index from a backup");
}

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

std::string id_key(std::string_view id) {
  if (id.size() <= kLongestPlainKey) return std::string(id);
  const XXH128_canonical_t hash = [&] {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(id.data(), id.size()));
    return canonical;
  }();
  std::string key(id.substr(0, kLongestPlainKey));
  key.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  return key;
}

std::optional<Row> find_row(const Transaction& transaction, std::string_view id) {
  if (id.empty()) return std::nullopt;
  const std::optional<std::string_view> value = transaction.find(transaction.tables().ids, id_key(id));
  return value ? std::optional<Row>(row_of(*value)) : std::nullopt;
}

static void fail_damaged_item(const Transaction& transaction, Row row) {
  fail_damaged(transaction, "item " + std::to_string(row) + " is damaged");
}

RecordView record_of(const Transaction& transaction, Row row) {
  const std::optional<std::string_view> bytes = transaction.find(transaction.tables().items, row);
  const std::optional<RecordView> record = bytes ? read_record(*bytes) : std::nullopt;
  if (!record) fail_damaged_item(transaction, row);
  return *record;
}

void append_item(const Transaction& transaction, Row row, const RecordView& record, bool first, Points& points) {
  if (first) clear_for(record, points);
  if (!append_content(record, points)) fail_damaged_item(transaction, row);
}

std::uint64_t number_in(const Transaction& transaction, std::string_view name) {
  const std::optional<std::string_view> value = transaction.find(transaction.tables().meta, name);
  std::uint64_t number = 0;
  if (!value || value->size() != sizeof number) fail_damaged(transaction, "has no number \"" + std::string(name) + "\"");
  std::memcpy(&number, value->data(), sizeof number);
  return number;
}

void set_number(Transaction& transaction, std::string_view name, std::uint64_t number) {
  transaction.put(transaction.tables().meta, name, bytes_of(number));
}

std::string described(const Vectors& vectors) {
  switch (vectors.kind) {
    case Vectors::Kind::dense: return "dense " + std::to_string(vectors.dimensions);
    case Vectors::Kind::bits: return "bits " + std::to_string(vectors.dimensions);
    case Vectors::Kind::sparse: break;
  }
  return "sparse";
}

bool require_vectors_like(const Transaction& transaction, const Vectors& asked) {
  const std::optional<std::string_view> known = transaction.find(transaction.tables().meta, meta::kVectors);
  if (!known || asked.size() == 0) return known.has_value();
  if (*known == described(asked)) return true;
  throw Error(ErrorCode::data, "vector",
              "is " + described(asked) + ", those of the index are " + std::string(*known) + "; ask with the same");
}

// --- BandEntries

void BandEntries::add(Row row, const std::uint32_t* keys) {
  for (std::size_t band = 0; band < bands_.size(); ++band) bands_[band].push_back(entry_of(keys[band], row));
  count_ += bands_.size();
}

void BandEntries::write(Transaction& transaction) {
  Cursor cursor(transaction, transaction.tables().bands);
  for (std::uint32_t band = 0; band < bands_.size(); ++band) {
    std::vector<std::uint64_t>& entries = bands_[band];
    if (entries.empty()) continue;
    radix_sort(entries, scratch_);
    const std::string_view key = Transaction::bytes_of(band);
    std::uint64_t last = 0;
    const bool any = cursor.move(MDB_SET_KEY, key) && cursor.move(MDB_LAST_DUP);
    if (any) std::memcpy(&last, cursor.value().data(), sizeof last);
    if (!any || last < entries.front()) {
      cursor.put_many(key, entries, MDB_APPENDDUP);
    } else {
      for (const std::uint64_t& entry : entries) cursor.put(key, bytes_of(entry), MDB_NODUPDATA);
    }
    entries.clear();
  }
  count_ = 0;
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
}

void IndexWriter::require_vectors(const Vectors& vectors) {
  const std::string has = described(vectors);
  const std::optional<std::string_view> known = transaction_.find(transaction_.tables().meta, meta::kVectors);
  if (!known) return transaction_.put(transaction_.tables().meta, meta::kVectors, has);
  if (*known == has) return;
  throw Error(ErrorCode::data, "vectors", "are " + has + ", those of the index are " + std::string(*known) + "; put the same");
}

Points IndexWriter::points_of(Row row) const {
  Points points;
  append_item(transaction_, row, record_of(transaction_, row), true, points);
  return points;
}

// Takes the item's places in buckets away. Its hashes are computed again: that is rare, and to keep them would cost every item.
void IndexWriter::take_out(Row row) {
  const Points points = points_of(row);
  if (is_empty(points, 0, plan_.measure)) {
    --empty_;
    return;
  }
  const std::vector<std::uint32_t>& keys = preparer_.keys_of(points, 0);
  Cursor cursor(transaction_, transaction_.tables().bands);
  for (std::uint32_t band = 0; band < keys.size(); ++band) {
    const std::uint64_t entry = entry_of(keys[band], row);
    if (!cursor.move(MDB_GET_BOTH, Transaction::bytes_of(band), bytes_of(entry))) {
      fail_damaged(transaction_, "item " + std::to_string(row) + " is missing from a bucket");
    }
    cursor.erase_here();
  }
}

bool IndexWriter::erase(std::string_view id) {
  const std::optional<Row> row = find_row(transaction_, id);
  if (!row) return false;
  take_out(*row);
  transaction_.erase(transaction_.tables().ids, id_key(id));
  transaction_.erase(transaction_.tables().items, *row);
  transaction_.erase(transaction_.tables().texts, *row);
  --items_;
  return true;
}

std::vector<std::optional<Row>> IndexWriter::known_rows(const Prepared& items, const std::vector<std::uint32_t>& by_id) {
  std::vector<std::optional<Row>> rows(items.size());
  if (items_ == 0) return rows;
  for (const std::uint32_t i : by_id) rows[i] = find_row(transaction_, items.ids[i]);
  return rows;
}

void IndexWriter::put_ids(const Prepared& items, const std::vector<std::uint32_t>& by_id, const std::vector<Row>& rows,
                          const std::vector<bool>& fresh) {
  Cursor cursor(transaction_, transaction_.tables().ids);
  // Keys of long ids are not in the order of their ids.
  const bool append =
      items_ == 0 && std::none_of(by_id.begin(), by_id.end(), [&](std::uint32_t i) { return items.ids[i].size() > kLongestPlainKey; });
  for (const std::uint32_t i : by_id) {
    if (fresh[i]) cursor.put(id_key(items.ids[i]), Transaction::bytes_of(rows[i]), append ? MDB_APPEND : 0);
  }
}

Row IndexWriter::next_row() {
  if (next_ == kMostRows) throw Error(ErrorCode::data, "index", "has given all 4,294,967,295 row numbers; make it again");
  return static_cast<Row>(next_++);
}

void IndexWriter::put_content(Row row, const Prepared& items, std::size_t i, unsigned flags) {
  transaction_.put(transaction_.tables().items, row, items.records[i], flags);
  if (items.texts.size() != 0) transaction_.put(transaction_.tables().texts, row, items.texts[i], flags);
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
  for (const Row row : rows) take_out(row);
  const Points points = points_of(last);
  if (is_empty(points, 0, plan_.measure)) {
    ++empty_;
  } else {
    entries.add(first, preparer_.keys_of(points, 0).data());
  }
  for (const MDB_dbi table : {transaction_.tables().items, transaction_.tables().texts}) {
    const std::optional<std::string_view> bytes = transaction_.find(table, last);
    if (bytes) transaction_.put(table, first, std::string(*bytes));
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
    if (!fresh[i]) take_out(*known[i]);
    rows[i] = fresh[i] ? next_row() : *known[i];
    put_content(rows[i], items, i, fresh[i] ? MDB_APPEND : 0);
    if (items.empty[i] == 0) entries.add(rows[i], items.keys.data() + i * plan_.band.bands);
    empty_ += items.empty[i];
    ++(fresh[i] ? done.added : done.replaced);
  }
  put_ids(items, by_id, rows, fresh);
  items_ += done.added;
  return done;
}

IndexPut put_in_one_step(Transaction transaction, const Plan& plan, Preparer& preparer, const Prepared& items, const Vectors* vectors) {
  IndexWriter writer(transaction, plan, preparer);
  if (vectors != nullptr) writer.require_vectors(*vectors);
  BandEntries entries(plan.band.bands);
  const IndexPut done = writer.put(items, entries);
  entries.write(transaction);
  writer.finish();
  transaction.commit();
  return done;
}

}  // namespace nearkin
