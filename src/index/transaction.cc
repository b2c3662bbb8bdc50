#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "index/meta.h"
#include "index/store.h"
#include "index/write_guard.h"

namespace nearkin {

constinit thread_local std::jmp_buf* way_out_of_read = nullptr;

void meet_damage(MDB_env* env, const char* what) {
  if (way_out_of_read != nullptr) std::longjmp(*way_out_of_read, 1);
  const auto* environment = static_cast<const Environment*>(mdb_env_get_userctx(env));
  std::fprintf(stderr, "nearkin: %s: is damaged (%s); restore it from a backup, or create the index again\n", environment->folder().c_str(),
               what);
  std::abort();
}

Transaction::Transaction(std::shared_ptr<Environment> environment, Kind kind) : environment_(std::move(environment)), kind_(kind) {
  if (kind == Kind::write) environment_->require_writable();
  if (kind == Kind::write) environment_->forget_dead_readers();
  check(mdb_txn_begin(environment_->get(), nullptr, kind == Kind::read ? MDB_RDONLY : 0, &transaction_));
  try {
    require_last_commit();
    if (kind == Kind::write && environment_->numbers_commits() && environment_->map() != nullptr) {
      guard_ = std::make_unique<WriteGuard>(*environment_, mdb_txn_id(transaction_) - 1);
    }
  } catch (...) {
    mdb_txn_abort(transaction_);
    throw;
  }
}

// LMDB chooses between its first two pages by their numbers alone: one that is damaged would bring back a state that is past. A reader that
// begins while others commit may see a later state than its number says.
void Transaction::require_last_commit() const {
  if (!environment_->numbers_commits()) return;
  const std::uint64_t made = number_in(*this, meta::kCommit), id = mdb_txn_id(transaction_);
  if (kind_ == Kind::read ? made >= id : made + 1 == id) return;
  fail_damaged(*this, "data.mdb: its first pages are damaged");
}

Transaction::~Transaction() {
  if (transaction_ != nullptr) mdb_txn_abort(transaction_);
}

Transaction::Transaction(Transaction&& other) noexcept
    : environment_(std::move(other.environment_)),
      kind_(other.kind_),
      transaction_(std::exchange(other.transaction_, nullptr)),
      guard_(std::move(other.guard_)) {}

std::optional<std::string_view> Transaction::find(MDB_dbi table, std::string_view key) const {
  before_read(table, key);
  MDB_val at = value_of(key), value{};
  const int code = reading([&] { return mdb_get(transaction_, table, &at, &value); });
  if (code == MDB_NOTFOUND) return std::nullopt;
  check(code);
  environment_->require_in_place(value.mv_data);
  return view_of(value);
}

void Transaction::put(MDB_dbi table, std::string_view key, std::string_view value, unsigned flags) {
  before_put(table, key);
  MDB_val at = value_of(key), bytes = value_of(value);
  check(mdb_put(transaction_, table, &at, &bytes, flags));
}

bool Transaction::erase(MDB_dbi table, std::string_view key) {
  if (guard_) guard_->before_erase(table, key);
  MDB_val at = value_of(key);
  const int code = mdb_del(transaction_, table, &at, nullptr);
  if (code == MDB_NOTFOUND) return false;
  check(code);
  return true;
}

void Transaction::before_read(MDB_dbi table, std::string_view key) const {
  if (guard_) guard_->before_read(table, key);
}

void Transaction::before_put(MDB_dbi table, std::string_view key) const {
  if (guard_) guard_->before_put(table, key);
}

std::uint64_t Transaction::entries(MDB_dbi table) const {
  MDB_stat stat{};
  check(reading([&] { return mdb_stat(transaction_, table, &stat); }));
  return stat.ms_entries;
}

void Transaction::commit() {
  set_number(*this, meta::kCommit, mdb_txn_id(transaction_));
  check(mdb_txn_commit(std::exchange(transaction_, nullptr)));
}

void Transaction::reset() { mdb_txn_reset(transaction_); }
void Transaction::renew() {
  check(mdb_txn_renew(transaction_));
  require_last_commit();
}

// --- Cursor

Cursor::Cursor(const Transaction& transaction, MDB_dbi table) : transaction_(transaction) {
  transaction_.check(reading([&] { return mdb_cursor_open(transaction.get(), table, &cursor_); }));
}

bool Cursor::move(MDB_cursor_op op) {
  const int code = reading([&] { return mdb_cursor_get(cursor_, &key_, &value_, op); });
  if (code == MDB_NOTFOUND) return false;
  transaction_.check(code);
  transaction_.environment().require_in_place(value_.mv_data);
  return true;
}

bool Cursor::move(MDB_cursor_op op, std::string_view key, std::string_view value) {
  transaction_.before_read(mdb_cursor_dbi(cursor_), key);
  key_ = value_of(key);
  value_ = value_of(value);
  return move(op);
}

int Cursor::put(std::string_view key, std::string_view value, unsigned flags) {
  transaction_.before_put(mdb_cursor_dbi(cursor_), key);
  MDB_val at = value_of(key), bytes = value_of(value);
  const int code = mdb_cursor_put(cursor_, &at, &bytes, flags);
  if (code != MDB_KEYEXIST) transaction_.check(code);
  return code;
}

}  // namespace nearkin
