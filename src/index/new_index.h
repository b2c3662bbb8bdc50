// Writes a whole new index: rows are appended as they come, ids and bucket entries are sorted first.
#pragma once

#include <nearkin/index.h>

#include "index/store.h"
#include "index/write.h"

namespace nearkin {

/// For a store that is not published yet. Store and plan must outlive it.
class BulkWriter {
 public:
  /// Bytes of bucket entries, and of ids, that are sorted together.
  static constexpr std::size_t kSortedTogether = std::size_t{256} << 20;

  BulkWriter(const Store& store, const Plan& plan, std::size_t sorted_together = kSortedTogether)
      : store_(store),
        plan_(plan),
        most_(sorted_together),
        preparer_(plan),
        entries_(plan.band.bands),
        ids_(store.place(), sorted_together),
        owners_(store.place(), sorted_together, "owners-") {}

  /// Each call is one transaction, which belongs to one thread; another thread may make the next call.
  void put(const Prepared& items, const Vectors* vectors = nullptr);
  /// Among items with the same id, the last one counts, in the row of the first; among records with the same id, the parts of the last.
  IndexPut finish(const Vectors* vectors = nullptr);

 private:
  // Rows of ids that were put several times.
  struct Repeated {
    std::vector<Row> rows;
    std::vector<std::size_t> ends;
  };
  // A record that was put several times, and the first row of its last time.
  struct RecordAgain {
    std::string owner;
    Row begin = 0;
  };
  Repeated put_ids();
  std::vector<RecordAgain> records_again();
  void erase_outdated(const std::vector<RecordAgain>& records, const Repeated& repeated);
  void write_entries(Transaction& transaction);
  void fold(const Repeated& repeated);

  const Store& store_;
  const Plan& plan_;
  std::size_t most_;
  Preparer preparer_;
  BandEntries entries_;
  IdRuns ids_, owners_;
  bool entries_written_ = false;
  IndexPut put_;
};

}  // namespace nearkin
