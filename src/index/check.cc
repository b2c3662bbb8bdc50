// What an index is like, and whether it is sound.
#include <cstring>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>

#include <nearkin/error.h>
#include <nearkin/index.h>

#include "index/folder.h"
#include "index/record.h"
#include "index/state.h"
#include "io/bytes/compression.h"
#include "query/meter.h"

namespace nearkin {
namespace {

constexpr std::size_t kNamedProblems = 100;

// Pages that were in use once.
std::uint64_t free_pages(const Transaction& transaction) {
  constexpr MDB_dbi kFreeList = 0;
  Cursor cursor(transaction, kFreeList);
  std::uint64_t pages = 0;
  for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT)) {
    std::size_t count = 0;
    std::memcpy(&count, cursor.value().data(), std::min(cursor.value().size(), sizeof count));
    pages += count;
  }
  return pages;
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

class Checker {
 public:
  Checker(const Transaction& transaction, const Index::State& state) : transaction_(transaction), state_(state), preparer_(state.plan) {}

  IndexCheck run() {
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
      check_item(row, cursor.value());
    }
    check_counts();
    return std::move(check_);
  }

 private:
  static std::string named(Row row) { return "item " + std::to_string(row); }

  void problem(const std::string& text) {
    if (check_.problem_count++ < kNamedProblems) check_.problems.push_back(text);
  }

  void check_item(Row row, std::string_view bytes) {
    const std::optional<RecordView> record = read_record(bytes);
    if (!record) return problem(named(row) + " is damaged");
    if (find_row(transaction_, record->id) != row)
      problem(named(row) + " is not found by its id \"" + std::string(record->id.substr(0, 100)) + "\"");
    Points points;
    clear_for(*record, points);
    if (!append_content(*record, points)) return problem(named(row) + " is damaged");
    check_buckets(row, points);
    if (state_.texts) check_text(row);
  }

  void check_buckets(Row row, const Points& points) {
    if (is_empty(points, 0, state_.plan.measure)) {
      ++empty_;
      return;
    }
    const std::vector<std::uint32_t>& keys = preparer_.keys_of(points, 0);
    Cursor cursor(transaction_, transaction_.tables().bands);
    for (std::uint32_t band = 0; band < keys.size(); ++band) {
      const std::uint64_t entry = std::uint64_t{keys[band]} << 32 | row;
      const std::string_view value(reinterpret_cast<const char*>(&entry), sizeof entry);
      ++check_.entries;
      if (!cursor.move(MDB_GET_BOTH, Transaction::bytes_of(band), value)) {
        problem(named(row) + " is missing from its bucket in band " + std::to_string(band));
      }
    }
  }

  void check_text(Row row) {
    const std::optional<std::string_view> block = transaction_.find(transaction_.tables().texts, row);
    if (!block) return problem(named(row) + " has no text");
    const std::optional<std::string> text = decompress_block(*block, kLongestText);
    if (!text) return problem("the text of " + named(row) + " is damaged");
  }

  void check_counts() {
    const auto same = [&](const std::string& what, std::uint64_t there, std::uint64_t wanted) {
      if (there != wanted) problem(what + ": " + std::to_string(there) + ", and there should be " + std::to_string(wanted));
    };
    same("ids", transaction_.entries(transaction_.tables().ids), check_.items);
    same("places in buckets", transaction_.entries(transaction_.tables().bands), check_.entries);
    same("texts", transaction_.entries(transaction_.tables().texts), state_.texts ? check_.items : 0);
    same("items counted", number_in(transaction_, meta::kItems), check_.items);
    same("EMPTY items counted", number_in(transaction_, meta::kEmpty), empty_);
  }

  const Transaction& transaction_;
  const Index::State& state_;
  Preparer preparer_;
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
  info.free_bytes = free_pages(transaction) * stat.ms_psize;
  if (const auto vectors = transaction.find(transaction.tables().meta, meta::kVectors)) info.vectors = *vectors;
  info.bytes = bytes_on_disk(folder());
  return info;
}

IndexCheck Index::verify() const {
  const Lease lease(*state_);
  return Checker(lease.transaction(), *state_).run();
}

}  // namespace nearkin
