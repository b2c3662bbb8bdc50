// Changes to the tables of an index, within one transaction, and the ids of an index that is being made.
#pragma once

#include <span>
#include <vector>

#include <nearkin/index.h>
#include <nearkin/items.h>

#include "index/band_blocks.h"
#include "index/id_blocks.h"
#include "index/record.h"
#include "index/store.h"
#include "io/bytes/output.h"

namespace nearkin {

/// Sorts keys: about `bytes_in_memory` bytes of them in memory, the rest in sorted files that are merged at the end.
class IdRuns {
 public:
  /// `folder`: where the files go. `name`: how their names begin.
  IdRuns(std::string folder, std::size_t bytes_in_memory, std::string name = "ids-")
      : folder_(std::move(folder)), name_(std::move(name)), most_(bytes_in_memory) {}
  ~IdRuns();
  IdRuns(const IdRuns&) = delete;
  IdRuns& operator=(const IdRuns&) = delete;

  /// Rows are ascending. Throws Error(file) where a file cannot be written.
  void add(std::string_view key, Row row);
  /// Calls use(key, rows) for each key once, in bytewise order, with its rows ascending. Removes everything.
  using Use = std::function<void(std::string_view key, std::span<const Row> rows)>;
  void drain(const Use& use);

 private:
  std::vector<std::uint32_t> sorted() const;
  void spill();
  void drain_memory(const Use& use);
  void drain_files(const Use& use);
  void remove_files();
  std::string path(std::size_t number) const { return folder_ + "/" + name_ + std::to_string(number); }

  std::string folder_, name_;
  std::size_t most_;
  Strings keys_;
  std::vector<Row> rows_;
  std::size_t files_ = 0;
  std::vector<Unfinished> unfinished_;  // the files
};

struct RecordView;
/// The record of a row. Throws Error(file) if there is none, or it is damaged.
RecordView record_of(const Transaction& transaction, Row row);
/// The record of the row that the table of ids names for this id. Also throws Error(file) if it is the record of another item.
RecordView record_of(const Transaction& transaction, Row row, std::string_view id);
/// Both throw Error(file) if the text is missing or damaged; the second checks only the checksum.
std::string stored_text(const Transaction& transaction, Row row);
void require_text(const Transaction& transaction, Row row);
/// Appends the content of a record to `points`; with `first`, makes `points` an empty collection of its kind before. Throws Error(file) if
/// the record is damaged.
void append_item(const Transaction& transaction, Row row, const RecordView& record, bool first, Points& points);

/// One per transaction. The plan and the preparer must outlive it.
class IndexWriter {
 public:
  IndexWriter(Transaction& transaction, const Plan& plan, Preparer& preparer);

  /// Among items with the same id, the last one counts. The bucket entries go to `entries`, which the caller writes before the transaction
  /// ends.
  IndexPut put(const Prepared& items, BandEntries& entries);
  /// Appends items to an index that is not published yet, each under a new row. Their ids go to `ids`; the caller writes them, and calls
  /// `fold` for ids that occur several times.
  void append(const Prepared& items, BandEntries& entries, IdRuns& ids);
  /// `rows`: the rows of one id, ascending. The last item replaces the first, and the other rows are removed. Their bucket entries must
  /// have been written.
  void fold(std::span<const Row> rows, BandEntries& entries);
  /// False if there is no such item.
  bool erase(std::string_view id);
  /// Erases the parts of a record for which erased(part) is true, and returns their number. Their bucket entries must have been written.
  std::uint64_t erase_parts(std::string_view owner, const std::function<bool(const PartEntry&)>& erased);
  /// An item, or in an index of parts a record with all its parts; false: there is neither.
  bool erase_item_or_parts(std::string_view id, const Unit& unit);
  /// Erases parts that records had before and do not have among `items`, which were put. If a record occurs several times among them, the
  /// last counts. The bucket entries must have been written.
  std::uint64_t erase_outdated(const Prepared& items);
  /// Writes the counts. Call once, at the end.
  void finish();
  /// Throws Error(data) unless the vectors have the kind and length ("dense 128") of the vectors of the index. In an
  /// index without items, they decide it.
  void require_vectors(const Vectors& vectors);
  Row next() const { return static_cast<Row>(next_); }

 private:
  Points points_of(Row row) const;
  void take_out(Row row, const Points& points);
  Row next_row();
  void put_content(Row row, const Prepared& items, std::size_t i, unsigned flags);
  std::vector<std::optional<Row>> known_rows(const Prepared& items, const std::vector<std::uint32_t>& by_id);
  void put_new_ids(const Prepared& items, const std::vector<std::uint32_t>& by_id, const std::vector<Row>& rows,
                   const std::vector<bool>& fresh);

  Transaction& transaction_;
  const Plan& plan_;
  Preparer& preparer_;
  std::uint64_t next_, items_, empty_;
};

/// In bytes. A block that claims more is damaged.
inline constexpr std::size_t kLongestText = std::size_t{1} << 32;

/// Writes the contents of an index without items: settings, counts, and, unless `filled_next` (a BulkWriter writes them), the first blocks.
void write_first_tables(Transaction& transaction, const Plan& plan, const IndexOptions& options, bool filled_next);

/// Puts items, of the kind of `vectors` where they are given, and commits.
IndexPut put_in_one_step(Transaction transaction, const Plan& plan, Preparer& preparer, const Prepared& items,
                         const Vectors* vectors = nullptr);
/// Erases items, or in an index of parts also records: all their parts. Says of each id whether it was there.
std::vector<bool> erase_in_one_step(Transaction transaction, const Plan& plan, const Unit& unit, std::span<const std::string> ids);

}  // namespace nearkin
