// Tables of format 1, which had no checksums but those of records: meta: name → value; ids: id_key → row; items: row → record, its
// checksum without a mark; bands: band → key << 32 | row, sorted duplicates; texts: row → block.
#include <nearkin/plan.h>

#include "index/meta.h"
#include "index/rewrite.h"
#include "index/write.h"

namespace nearkin {
namespace {

std::string old_text(const Transaction& from, std::string_view name) {
  const std::optional<std::string_view> value = from.find(from.tables().meta, name);
  if (!value) fail_damaged(from, "the setting \"" + std::string(name) + "\" is missing");
  return std::string(*value);
}

std::uint64_t old_number(const Transaction& from, std::string_view name) { return number_of_setting(from, name, old_text(from, name)); }

template <typename Number>
Number number_from(const Transaction& from, std::string_view bytes) {
  Number number = 0;
  if (bytes.size() != sizeof number) fail_damaged(from, "a table has entries of a wrong size");
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

RecordView old_record(const Transaction& from, Row row) {
  const std::optional<std::string_view> bytes = from.find(from.tables().items, row);
  const std::optional<RecordView> record = bytes ? read_record(*bytes) : std::nullopt;
  if (!record) fail_damaged(from, "item " + std::to_string(row) + " is damaged");
  return *record;
}

// Calls use(row, value) and counts.
template <typename Use>
std::uint64_t for_each_row(const Transaction& from, MDB_dbi table, Use use) {
  Cursor cursor(from, table);
  std::uint64_t count = 0;
  for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT), ++count) {
    use(number_from<Row>(from, cursor.key()), cursor.value());
  }
  return count;
}

std::uint64_t take_items(const Transaction& from, Filler& filler) {
  return for_each_row(from, from.tables().items, [&](Row row, std::string_view bytes) {
    old_record(from, row);
    filler.append_marked(filler.transaction().tables().items, row, bytes, mark_of(Sealed::record, row));
  });
}

std::uint64_t take_texts(const Transaction& from, Filler& filler) {
  std::string sealed;
  return for_each_row(from, from.tables().texts, [&](Row row, std::string_view block) {
    const std::optional<std::string_view> record = from.find(from.tables().items, row);
    if (!record || record->size() < kSealBytes) fail_damaged(from, "item " + std::to_string(row) + " is missing, and its text is there");
    sealed.clear();
    append_seal(sealed, checksum32(block) ^ seal_in(*record));
    sealed += block;
    filler.append_marked(filler.transaction().tables().texts, row, sealed, mark_of(Sealed::text, row));
  });
}

std::uint64_t take_ids(const Transaction& from, Filler& filler) {
  IdPacker packer(std::string(kFirstId), kBlockBytes, [&](std::string_view lower, std::string_view upper, std::string_view entries) {
    filler.append_block(filler.transaction().tables().ids, Sealed::ids, lower, upper, entries);
  });
  Cursor cursor(from, from.tables().ids);
  std::uint64_t count = 0;
  for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT), ++count) {
    const Row row = number_from<Row>(from, cursor.value());
    if (id_key(old_record(from, row).id) != cursor.key()) fail_damaged(from, "the table of ids is damaged");
    packer.add(cursor.key(), row);
  }
  packer.finish("");
  return count;
}

std::uint64_t take_buckets(const Transaction& from, Filler& filler, std::uint32_t bands) {
  BandPacker packer(bands, [&](std::string_view lower, std::string_view upper, std::string_view entries) {
    filler.append_block(filler.transaction().tables().bands, Sealed::buckets, lower, upper, entries);
  });
  Cursor cursor(from, from.tables().bands);
  std::uint64_t count = 0, last = 0;
  std::uint32_t last_band = 0;
  for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT), ++count) {
    const auto band = number_from<std::uint32_t>(from, cursor.key());
    const auto entry = number_from<std::uint64_t>(from, cursor.value());
    const bool behind = count == 0 || band > last_band || (band == last_band && entry > last);
    if (band >= bands || !behind) fail_damaged(from, "the buckets are damaged");
    packer.add(band, entry);
    last_band = band;
    last = entry;
  }
  packer.finish();
  return count;
}

}  // namespace

void rewrite_format_1(const Transaction& from, Environment& to) {
  const std::string plan_line = old_text(from, meta::kPlan);
  const Plan plan = parse_plan(plan_line);
  const std::uint64_t items = old_number(from, meta::kItems), empty = old_number(from, meta::kEmpty);
  const std::optional<std::string_view> vectors = from.find(from.tables().meta, meta::kVectors);
  Filler filler(to);
  set_text(filler.transaction(), meta::kPlan, plan_line);
  set_text(filler.transaction(), meta::kVectors, vectors.value_or(""));
  for (const std::string_view name : {meta::kTexts, meta::kNext, meta::kItems, meta::kEmpty}) {
    set_number(filler.transaction(), name, old_number(from, name));
  }
  const bool whole = take_items(from, filler) == items && take_texts(from, filler) == (old_number(from, meta::kTexts) != 0 ? items : 0) &&
                     take_ids(from, filler) == items && take_buckets(from, filler, plan.band.bands) == (items - empty) * plan.band.bands;
  if (!whole) fail_damaged(from, "its tables do not agree");
  filler.finish();
}

}  // namespace nearkin
