// A new index, written as a whole: rows are appended as they come, ids and places in buckets sorted first.
#pragma once

#include <nearkin/index.h>

#include "index/store.h"
#include "index/write.h"

namespace nearkin {

/// For a store that is not published yet. Store and plan must outlive it.
class BulkWriter {
 public:
  /// Bytes of places in buckets, and of ids, that are sorted together.
  static constexpr std::size_t kSortedTogether = std::size_t{256} << 20;

  BulkWriter(const Store& store, const Plan& plan, std::size_t sorted_together = kSortedTogether)
      : store_(store),
        plan_(plan),
        most_(sorted_together),
        preparer_(plan),
        entries_(plan.band.bands),
        ids_(store.place(), sorted_together) {}

  /// Each call is a transaction, which belongs to one thread: others may make the next.
  void put(const Prepared& items, const Vectors* vectors = nullptr);
  /// Of items with the same id the last counts, in the place of the first.
  IndexPut finish(const Vectors* vectors = nullptr);

 private:
  // Rows of ids that came several times.
  struct Repeated {
    std::vector<Row> rows;
    std::vector<std::size_t> ends;
  };
  Repeated put_ids();
  void write_entries(Transaction& transaction);
  void fold(const Repeated& repeated);

  const Store& store_;
  const Plan& plan_;
  std::size_t most_;
  Preparer preparer_;
  BandEntries entries_;
  IdRuns ids_;
  bool entries_written_ = false;
  IndexPut put_;
};

}  // namespace nearkin
