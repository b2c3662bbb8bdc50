#include "index/new_index.h"

#include <algorithm>

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
  fold(put_ids());
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
