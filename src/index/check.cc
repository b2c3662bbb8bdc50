// What an index is like, and whether it is sound.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>

#include <nearkin/error.h>
#include <nearkin/index.h>

#include "index/folder.h"
#include "index/meta.h"
#include "index/pages.h"
#include "index/record.h"
#include "index/seal.h"
#include "index/state.h"
#include "query/meter.h"

namespace nearkin {
namespace {

constexpr std::size_t kNamedProblems = 100;

// Calls use(page) for the pages that were in use once.
template <typename Use>
void for_each_free_page(const Transaction& transaction, Use use) {
  constexpr MDB_dbi kFreeList = 0;
  Cursor cursor(transaction, kFreeList);
  for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT)) {
    std::size_t count = 0;
    std::string_view pages = cursor.value();
    if (pages.size() < sizeof count) fail_damaged(transaction, "the list of free pages is damaged");
    std::memcpy(&count, pages.data(), sizeof count);
    pages.remove_prefix(sizeof count);
    if (count > pages.size() / sizeof(std::size_t)) fail_damaged(transaction, "the list of free pages is damaged");
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t page = 0;
      std::memcpy(&page, pages.data() + i * sizeof page, sizeof page);
      use(page);
    }
  }
}

// Absent where something went away meanwhile, as a compaction does it.
std::optional<std::uint64_t> bytes_within(const std::string& folder, std::error_code& error) {
  namespace fs = std::filesystem;
  std::uint64_t bytes = 0;
  for (fs::recursive_directory_iterator entry(folder, error); !error && entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    const bool file = entry->is_regular_file(error);
    const std::uint64_t size = file && !error ? entry->file_size(error) : 0;
    if (error) break;
    bytes += size;
  }
  return error ? std::nullopt : std::optional(bytes);
}

std::uint64_t bytes_on_disk(const std::string& folder) {
  constexpr int kAttempts = 100;
  std::error_code error;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (const std::optional<std::uint64_t> bytes = bytes_within(folder, error)) return *bytes;
  }
  throw Error(ErrorCode::file, folder, "cannot be listed (" + error.message() + ")");
}

// Looks up what users look up, by its key, and walks over every table: the two must agree.
class Checker {
 public:
  Checker(const Transaction& transaction, const Index::State& state)
      : transaction_(transaction), state_(state), preparer_(state.plan), buckets_(transaction) {}

  /// False: the state that is to be checked is too long past; begin again.
  bool check_pages_first() {
    bool there = true;
    attempt([&] { there = check_pages(transaction_, [&](const std::string& text) { problem(text); }); });
    return there;
  }

  IndexCheck run() {
    // What cannot be read at all ends one part of the check.
    attempt([&] { check_items(); });
    attempt([&] { check_ids(); });
    attempt([&] { check_entries(); });
    attempt([&] { check_texts(); });
    attempt([&] {
      same("items counted", number_in(transaction_, meta::kItems), check_.items);
      same("EMPTY items counted", number_in(transaction_, meta::kEmpty), empty_);
      text_in(transaction_, meta::kVectors);
      plan_in(transaction_);
      unit_in(transaction_);
      directed_in(transaction_);
      questions_in(transaction_);
    });
    return std::move(check_);
  }

 private:
  static std::string named(Row row) { return "item " + std::to_string(row); }

  template <typename Part>
  void attempt(Part part) {
    try {
      part();
    } catch (const Error& error) {
      problem(error.message().substr(0, error.message().find(';')));
    }
  }

  void problem(const std::string& text) {
    if (check_.problem_count++ < kNamedProblems) check_.problems.push_back(text);
  }

  void same(const std::string& what, std::uint64_t there, std::uint64_t wanted) {
    if (there != wanted) problem(what + ": " + std::to_string(there) + ", and there should be " + std::to_string(wanted));
  }

  void check_items() {
    Cursor cursor(transaction_, transaction_.tables().items);
    const std::uint64_t next = number_in(transaction_, meta::kNext);
    for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT)) {
      Row row = 0;
      if (cursor.key().size() != sizeof row) {
        problem("an item has no row number");
        continue;
      }
      std::memcpy(&row, cursor.key().data(), sizeof row);
      ++check_.items;
      if (row >= next) problem(named(row) + " is beyond the last row given, " + std::to_string(next));
      attempt([&] { check_item(row, cursor.value()); });
    }
  }

  void check_item(Row row, std::string_view bytes) {
    const std::optional<std::string_view> found = transaction_.find(transaction_.tables().items, row);
    if (!found || found->data() != bytes.data()) problem(named(row) + " is not found by its number");
    const std::optional<RecordView> record = read_record(bytes, mark_of(Sealed::record, row));
    if (!record) return problem(named(row) + " is damaged");
    if (find_row(transaction_, record->id) != row)
      problem(named(row) + " is not found by its id \"" + std::string(record->id.substr(0, 100)) + "\"");
    Points points;
    clear_for(*record, points);
    if (!append_content(*record, points)) return problem(named(row) + " is damaged");
    if (state_.texts) stored_text(transaction_, row);
    check_places(row, points);
  }

  void check_places(Row row, const Points& points) {
    if (is_empty(points, 0, state_.plan.measure)) {
      ++empty_;
      return;
    }
    const std::vector<std::uint32_t>& keys = preparer_.keys_of(points, 0);
    check_.entries += keys.size();
    for (std::uint32_t band = 0; band < keys.size(); ++band) {
      if (!buckets_.contains(band, keys[band], row)) problem(named(row) + " is missing from its bucket in band " + std::to_string(band));
    }
  }

  // Every item was found by its id: if there are as many ids as items, each once, no other is there.
  void check_ids() {
    std::uint64_t count = 0;
    std::string last;
    for_each_id(transaction_, {}, [&](std::string_view key, Row) {
      if (key <= last) problem("the table of ids is out of order");
      last = key;
      ++count;
      return true;
    });
    same("ids", count, check_.items);
  }

  void check_entries() {
    std::uint64_t count = 0;
    std::uint32_t last_band = 0;
    std::uint64_t last = 0;
    for_each_entry_of_bands(transaction_, state_.plan.band.bands, [&](std::uint32_t band, std::uint64_t entry) {
      if (count > 0 && (band < last_band || (band == last_band && entry <= last))) problem("the buckets are out of order");
      last_band = band;
      last = entry;
      ++count;
    });
    same("places in buckets", count, check_.entries);
  }

  void check_texts() {
    Cursor cursor(transaction_, transaction_.tables().texts);
    std::uint64_t count = 0;
    for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT)) ++count;
    same("texts", count, state_.texts ? check_.items : 0);
  }

  const Transaction& transaction_;
  const Index::State& state_;
  Preparer preparer_;
  Buckets buckets_;
  IndexCheck check_;
  std::uint64_t empty_ = 0;
};

}  // namespace

IndexInfo Index::info() const {
  const Lease lease(*state_);
  const Transaction& transaction = lease.transaction();
  MDB_stat stat{};
  transaction.check(mdb_env_stat(transaction.environment().get(), &stat));
  IndexInfo info{.format = kIndexFormat, .plan = state_->plan, .texts = state_->texts};
  info.items = number_in(transaction, meta::kItems);
  info.empty = number_in(transaction, meta::kEmpty);
  for_each_free_page(transaction, [&](std::uint64_t) { info.free_bytes += stat.ms_psize; });
  info.vectors = text_in(transaction, meta::kVectors);
  info.unit = unit_in(transaction);
  info.directed = directed_in(transaction);
  info.bytes = bytes_on_disk(folder());
  return info;
}

IndexCheck Index::verify() const {
  constexpr int kAttempts = 1000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Lease lease(*state_);
    Checker checker(lease.transaction(), *state_);
    if (checker.check_pages_first()) return checker.run();
  }
  throw Error(ErrorCode::file, folder(), "is written to faster than it can be checked; check a backup of it");
}

}  // namespace nearkin
