#include "index/new_index.h"

#include <algorithm>
#include <unordered_map>

#include "base/units.h"
#include "index/record.h"

namespace nearkin {
namespace {

constexpr std::size_t kBlocksAStep = std::size_t{1} << 15, kFoldsAStep = std::size_t{1} << 14;

// Appends to the table of ids, in transactions of many.
class IdAppender {
 public:
  explicit IdAppender(const Store& store)
      : store_(store),
        packer_(std::string(kFirstId), kBlockBytes,
                [this](std::string_view lower, std::string_view upper, std::string_view entries) { put(lower, upper, entries); }) {}
  void add(std::string_view key, Row row) { packer_.add(key, row); }
  void finish() {
    packer_.finish("");
    commit();
  }

 private:
  void put(std::string_view lower, std::string_view upper, std::string_view entries) {
    if (!transaction_) {
      transaction_.emplace(store_.write());
      blocks_.emplace(*transaction_, transaction_->tables().ids, Sealed::ids);
    }
    blocks_->put(lower, upper, entries, MDB_APPEND);
    if (++count_ % kBlocksAStep == 0) commit();
  }
  void commit() {
    blocks_.reset();
    if (transaction_) transaction_->commit();
    transaction_.reset();
  }

  const Store& store_;
  std::optional<Transaction> transaction_;
  std::optional<Blocks> blocks_;
  std::size_t count_ = 0;
  IdPacker packer_;
};

}  // namespace

void BulkWriter::put(const Prepared& items, const Vectors* vectors) {
  Transaction transaction = store_.write();
  IndexWriter writer(transaction, plan_, preparer_);
  if (vectors != nullptr) writer.require_vectors(*vectors);
  for (std::size_t begin = 0; const std::size_t end : items.record_ends) {
    owners_.add(id_key(owner_of(items.ids[begin])), writer.next() + static_cast<Row>(begin));
    begin = end;
  }
  writer.append(items, entries_, ids_);
  if (entries_.bytes() >= most_) write_entries(transaction);
  writer.finish();
  transaction.commit();
  put_.added += items.size();
}

IndexPut BulkWriter::finish(const Vectors* vectors) {
  {
    Transaction transaction = store_.write();
    IndexWriter writer(transaction, plan_, preparer_);
    if (vectors != nullptr) writer.require_vectors(*vectors);
    write_entries(transaction);
    transaction.commit();
  }
  const Repeated repeated = put_ids();
  const std::vector<RecordAgain> records = records_again();
  fold(repeated);
  erase_outdated(records, repeated);
  return put_;
}

void BulkWriter::write_entries(Transaction& transaction) {
  if (std::exchange(entries_written_, true)) {
    entries_.write(transaction);
  } else {
    entries_.write_first(transaction);
  }
}

BulkWriter::Repeated BulkWriter::put_ids() {
  Repeated repeated;
  IdAppender appender(store_);
  ids_.drain([&](std::string_view key, std::span<const Row> rows) {
    appender.add(key, rows.front());
    if (rows.size() == 1) return;
    repeated.rows.insert(repeated.rows.end(), rows.begin(), rows.end());
    repeated.ends.push_back(repeated.rows.size());
  });
  appender.finish();
  return repeated;
}

std::vector<BulkWriter::RecordAgain> BulkWriter::records_again() {
  std::vector<RecordAgain> records;
  const Transaction transaction = store_.read();
  owners_.drain([&](std::string_view, std::span<const Row> rows) {
    if (rows.size() > 1) records.push_back({std::string(owner_of(record_of(transaction, rows.back()).id)), rows.back()});
  });
  return records;
}

// An item is outdated if no row of it, before rows were folded, is of the last time that its record was put.
void BulkWriter::erase_outdated(const std::vector<RecordAgain>& records, const Repeated& repeated) {
  if (records.empty()) return;
  std::unordered_map<Row, Row> last_of;  // by the first row, of items that were put several times
  for (std::size_t begin = 0; const std::size_t end : repeated.ends) {
    last_of.emplace(repeated.rows[begin], repeated.rows[end - 1]);
    begin = end;
  }
  for (std::size_t next = 0; next < records.size();) {
    Transaction transaction = store_.write();
    IndexWriter writer(transaction, plan_, preparer_);
    for (const std::size_t end = std::min(records.size(), next + kFoldsAStep); next < end; ++next) {
      put_.outdated += writer.erase_parts(records[next].owner, [&](const PartEntry& part) {
        const auto found = last_of.find(part.row);
        return (found == last_of.end() ? part.row : found->second) < records[next].begin;
      });
    }
    writer.finish();
    transaction.commit();
  }
}

void BulkWriter::fold(const Repeated& repeated) {
  const std::span<const Row> rows(repeated.rows);
  for (std::size_t next = 0, begin = 0; next < repeated.ends.size();) {
    Transaction transaction = store_.write();
    IndexWriter writer(transaction, plan_, preparer_);
    for (const std::size_t end = std::min(repeated.ends.size(), next + kFoldsAStep); next < end; ++next) {
      const std::span<const Row> same = rows.subspan(begin, repeated.ends[next] - begin);
      writer.fold(same, entries_);
      put_.added -= same.size() - 1;
      put_.replaced += same.size() - 1;
      begin = repeated.ends[next];
    }
    entries_.write(transaction);
    writer.finish();
    transaction.commit();
  }
}

}  // namespace nearkin
