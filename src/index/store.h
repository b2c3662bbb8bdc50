// Store: the folder of an index. The tables are one LMDB environment, in a subfolder that CURRENT names, so a compacted copy can replace it
// while others read and write.
#pragma once

#include <csetjmp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <lmdb.h>
#include <sys/types.h>

namespace nearkin {

/// FROZEN for each version of the format, together with the contents that the headers named here describe.
struct IndexTables {
  MDB_dbi meta = 0;   ///< name → value and checksum (meta.h)
  MDB_dbi ids = 0;    ///< blocks of ids and their rows (id_blocks.h)
  MDB_dbi items = 0;  ///< row → record (record.h)
  MDB_dbi bands = 0;  ///< blocks of places in buckets (band_blocks.h)
  MDB_dbi texts = 0;  ///< row → checksum and compressed text
};

/// One LMDB environment. LMDB allows it to be open only once per process, so all users share one object.
class Environment : public std::enable_shared_from_this<Environment> {
 public:
  /// How `open` finds the tables.
  enum class Mode {
    existing,
    fresh,  ///< the tables are created, and commits do not wait for the disk until `make_durable`
    older,  ///< of an older format, which is only read
  };
  /// Throws Error(file) naming `folder`, that of the index.
  static std::shared_ptr<Environment> open(const std::string& folder, const std::string& generation, Mode mode);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  MDB_env* get() const { return env_; }
  const IndexTables& tables() const { return tables_; }
  const std::string& folder() const { return folder_; }
  /// Throws Error(file) where nothing may be written.
  void require_writable() const;
  bool writable() const { return writable_; }
  /// Frees the slots of readers that were killed, so the pages they were reading can be reused. The folder must be writable.
  void forget_dead_readers() const;
  /// Whether each state of the tables records the number of its commit.
  bool numbers_commits() const { return !fresh_ && !older_; }
  /// Whether these are the tables that the folder's CURRENT names. Takes no lock: a writer asks after it has taken the write lock.
  bool is_current() const;
  /// Makes everything committed so far durable; from now on every commit is.
  void make_durable();
  /// The name that messages give the index.
  void call(const std::string& folder) { folder_ = folder; }
  /// Throws Error(file) if the page that contains a value of the tables is a copy of another page. LMDB's pages begin with their number,
  /// which LMDB does not check.
  void require_in_place(const void* value) const;
  /// Where the file is in memory; null where that is not known.
  const char* map() const { return map_; }
  std::size_t page_bytes() const { return page_bytes_; }
  [[noreturn]] void fail_damaged_page(std::uint64_t page, const std::string& what) const;
  [[noreturn]] void fail(int code) const;
  void check(int code) const {
    if (code != MDB_SUCCESS) fail(code);
  }

 private:
  Environment(std::string folder, const std::string& path, Mode mode);
  void open_at(const std::string& path, Mode mode);
  void require_whole(const std::string& path) const;
  void require_last_state(const std::string& path) const;
  void open_tables(Mode mode);
  int find_map(MDB_txn* transaction);

  std::string folder_;
  std::pair<dev_t, ino_t> key_;  // of data.mdb
  MDB_env* env_ = nullptr;
  IndexTables tables_;
  const char* map_ = nullptr;  // where the file is in memory; null: not known, because it is being made
  std::size_t map_bytes_ = 0, page_bytes_ = 0;
  bool writable_ = true;
  bool fresh_ = false, older_ = false;
};

class WriteGuard;

/// A view of the tables at one moment; of a writer, with what it has changed. Bytes that it gives stay good until it ends or changes
/// something.
class Transaction {
 public:
  enum class Kind { read, write };
  Transaction(std::shared_ptr<Environment> environment, Kind kind);
  ~Transaction();
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;

  const Environment& environment() const { return *environment_; }
  const IndexTables& tables() const { return environment_->tables(); }
  MDB_txn* get() const { return transaction_; }
  void check(int code) const { environment_->check(code); }

  std::optional<std::string_view> find(MDB_dbi table, std::string_view key) const;
  std::optional<std::string_view> find(MDB_dbi table, std::uint32_t key) const { return find(table, bytes_of(key)); }
  /// All that change something throw Error(file) where they would have LMDB touch a page that is damaged.
  void put(MDB_dbi table, std::string_view key, std::string_view value, unsigned flags = 0);
  void put(MDB_dbi table, std::uint32_t key, std::string_view value, unsigned flags = 0) { put(table, bytes_of(key), value, flags); }
  /// False if the key did not exist.
  bool erase(MDB_dbi table, std::string_view key);
  bool erase(MDB_dbi table, std::uint32_t key) { return erase(table, bytes_of(key)); }
  std::uint64_t entries(MDB_dbi table) const;
  /// To be called before each read of a key and each change that goes to LMDB in another way than by `find`, `put` and `erase`.
  void before_read(MDB_dbi table, std::string_view key) const;
  void before_put(MDB_dbi table, std::string_view key) const;

  /// Durable when it returns; ends the transaction.
  void commit();
  /// For a reader: reset() gives up its view, renew() takes the current one.
  void reset();
  void renew();

  static std::string_view bytes_of(const std::uint32_t& key) { return {reinterpret_cast<const char*>(&key), sizeof key}; }

 private:
  void require_last_commit() const;

  std::shared_ptr<Environment> environment_;
  Kind kind_ = Kind::read;
  MDB_txn* transaction_ = nullptr;
  std::unique_ptr<WriteGuard> guard_;  // of a writer, unless the tables are being made
};

inline MDB_val value_of(std::string_view bytes) { return {bytes.size(), const_cast<char*>(bytes.data())}; }
inline std::string_view view_of(const MDB_val& value) { return {static_cast<const char*>(value.mv_data), value.mv_size}; }

/// Where the tables' file is mapped, computed from a value inside it. LMDB does not tell, but each page begins with its own number. If the
/// number of this page is wrong, all other pages disagree with the result, or it is null.
const char* map_around(std::string_view value, std::size_t page_bytes);

/// Iterates over a table. The transaction must outlive it.
class Cursor {
 public:
  Cursor(const Transaction& transaction, MDB_dbi table);
  ~Cursor() { mdb_cursor_close(cursor_); }
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  /// False if there is no such entry.
  bool move(MDB_cursor_op op);
  bool move(MDB_cursor_op op, std::string_view key, std::string_view value = {});
  std::string_view key() const { return view_of(key_); }
  std::string_view value() const { return view_of(value_); }
  /// Returns MDB_SUCCESS or MDB_KEYEXIST; throws for all else.
  int put(std::string_view key, std::string_view value, unsigned flags);

 private:
  const Transaction& transaction_;
  MDB_cursor* cursor_ = nullptr;
  MDB_val key_{}, value_{};
};

/// The folder of an index and its current generation of tables. Thread-safe.
class Store {
 public:
  /// Makes an index without items. It has a temporary name until `publish`, and is removed if that is not called. Its commits do not wait
  /// for the disk. Throws Error(file) if `folder` exists and is not an empty folder.
  static Store create(const std::string& folder);
  void publish();
  static Store open(const std::string& folder);
  /// Removes what killed compactions left, as far as that is certain without waiting for a writer.
  void remove_abandoned() const;

  const std::string& folder() const { return folder_; }
  /// The folder of its files, which is a temporary one before `publish`.
  std::string place() const;
  Transaction read() const { return {environment(), Transaction::Kind::read}; }
  /// Waits for other writers. Throws Error(file) where the folder cannot be written to.
  Transaction write() const;
  /// The tables that are current now.
  std::shared_ptr<Environment> environment() const;
  /// Writes everything again to a new generation, and makes it the current one.
  void compact();
  /// The same to a folder of its own, which is not within this one.
  void backup(const std::string& folder) const;
  /// Converts an index of an older format. False if it already has the current format.
  static bool upgrade(const std::string& folder);

 private:
  explicit Store(std::string folder);
  struct Seen;
  std::string folder_;  // its name once it is published
  std::shared_ptr<Seen> seen_;
};

// Calls into LMDB that may meet a damaged page. LMDB reports it to a callback, and ends the process when the callback returns.

/// Where this thread continues if it reads damaged data; null outside of `reading`.
extern constinit thread_local std::jmp_buf* way_out_of_read;

/// For mdb_env_set_assert. Within `reading` it leaves LMDB. Otherwise it names the index on standard error and calls abort(): LMDB is then
/// in the middle of a change, with addresses of its callers' variables in the transaction, and cannot be recovered.
void meet_damage(MDB_env* env, const char* what);

/// Calls an LMDB function that changes nothing, and returns its result, or MDB_CORRUPTED if it meets damage. A read holds no lock and has
/// nothing to undo, and `read` must have no destructors to run, so longjmp may leave it. An exception could not, because C code need not
/// have unwind tables.
template <typename Read>
int reading(const Read& read) {
  std::jmp_buf here;
  way_out_of_read = &here;
  if (setjmp(here) != 0) {
    way_out_of_read = nullptr;
    return MDB_CORRUPTED;
  }
  const int code = read();
  way_out_of_read = nullptr;
  return code;
}

}  // namespace nearkin
