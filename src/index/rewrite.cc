#include "index/rewrite.h"

#include <nearkin/plan.h>

#include "index/meta.h"
#include "index/write.h"

namespace nearkin {
namespace {

constexpr std::size_t kBytesATransaction = std::size_t{32} << 20;

// A key of the tables by row; they come in ascending order.
Row row_behind(const Transaction& from, std::string_view key, std::optional<Row> before, const char* what) {
  Row row = 0;
  if (key.size() == sizeof row) std::memcpy(&row, key.data(), sizeof row);
  if (key.size() != sizeof row || (before && row <= *before)) fail_damaged(from, std::string(what) + " are out of order");
  return row;
}

void require_count(const Transaction& from, const char* what, std::uint64_t there, std::uint64_t wanted) {
  if (there == wanted) return;
  fail_damaged(from, std::string(what) + ": there are " + std::to_string(there) + " of " + std::to_string(wanted));
}

void copy_items(const Transaction& from, Filler& filler, std::uint64_t items) {
  Cursor cursor(from, from.tables().items);
  std::optional<Row> last;
  std::uint64_t count = 0;
  for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT), ++count) {
    last = row_behind(from, cursor.key(), last, "items");
    record_of(from, *last);
    filler.append(filler.transaction().tables().items, cursor.key(), cursor.value());
  }
  require_count(from, "items", count, items);
}

void copy_texts(const Transaction& from, Filler& filler, std::uint64_t texts) {
  Cursor cursor(from, from.tables().texts);
  std::optional<Row> last;
  std::uint64_t count = 0;
  for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT), ++count) {
    last = row_behind(from, cursor.key(), last, "texts");
    require_text(from, *last);
    filler.append(filler.transaction().tables().texts, cursor.key(), cursor.value());
  }
  require_count(from, "texts", count, texts);
}

void copy_ids(const Transaction& from, Filler& filler, std::uint64_t items) {
  IdPacker packer(std::string(kFirstId), kBlockBytes, [&](std::string_view lower, std::string_view upper, std::string_view entries) {
    filler.append_block(filler.transaction().tables().ids, Sealed::ids, lower, upper, entries);
  });
  std::uint64_t count = 0;
  for_each_id(from, {}, [&](std::string_view key, Row row) {
    packer.add(key, row);
    ++count;
    return true;
  });
  packer.finish("");
  require_count(from, "ids", count, items);
}

void copy_buckets(const Transaction& from, Filler& filler, std::uint32_t bands, std::uint64_t items) {
  BandPacker packer(bands, [&](std::string_view lower, std::string_view upper, std::string_view entries) {
    filler.append_block(filler.transaction().tables().bands, Sealed::buckets, lower, upper, entries);
  });
  std::uint64_t count = 0;
  for_each_entry_of_bands(from, bands, [&](std::uint32_t band, std::uint64_t entry) {
    packer.add(band, entry);
    ++count;
  });
  packer.finish();
  require_count(from, "places in buckets", count, items * bands);
}

}  // namespace

Transaction& Filler::transaction() {
  if (!transaction_) transaction_.emplace(to_.shared_from_this(), Transaction::Kind::write);
  return *transaction_;
}

void Filler::append(MDB_dbi table, std::string_view key, std::string_view value) {
  transaction().put(table, key, value, MDB_APPEND);
  bytes_ += value.size();
  if (bytes_ >= kBytesATransaction) finish();
}

void Filler::append_marked(MDB_dbi table, std::uint32_t row, std::string_view bytes, std::uint32_t mark) {
  const std::uint32_t seal = seal_in(bytes) ^ mark;
  value_ = bytes;
  std::memcpy(value_.data(), &seal, kSealBytes);
  append(table, Transaction::bytes_of(row), value_);
}

void Filler::append_block(MDB_dbi table, Sealed what, std::string_view lower, std::string_view upper, std::string_view entries) {
  value_.clear();
  append_block_value(value_, what, lower, upper, entries);
  append(table, lower, value_);
}

void Filler::finish() {
  if (transaction_) transaction_->commit();
  transaction_.reset();
  bytes_ = 0;
}

void rewrite_tables(const Transaction& from, Environment& to) {
  const Plan plan = plan_in(from);
  const std::uint64_t items = number_in(from, meta::kItems), empty = number_in(from, meta::kEmpty);
  Filler filler(to);
  for (const std::string_view name : {meta::kPlan, meta::kVectors}) set_text(filler.transaction(), name, text_in(from, name));
  set_unit(filler.transaction(), unit_in(from));
  set_directed(filler.transaction(), directed_in(from));
  set_questions(filler.transaction(), questions_in(from));
  if (plan.shingle.ignore != 0) set_text(filler.transaction(), meta::kIgnored, text_in(from, meta::kIgnored));
  for (const std::string_view name : {meta::kTexts, meta::kNext, meta::kItems, meta::kEmpty}) {
    set_number(filler.transaction(), name, number_in(from, name));
  }
  copy_items(from, filler, items);
  copy_texts(from, filler, number_in(from, meta::kTexts) != 0 ? items : 0);
  copy_ids(from, filler, items);
  copy_buckets(from, filler, plan.band.bands, items - empty);
  filler.finish();
}

}  // namespace nearkin
