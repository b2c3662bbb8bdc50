// Store: the folder of an index. The tables are one LMDB environment, in a folder of their own inside it that CURRENT names, so that
// a compacted copy can take its place while others read and write.
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

/// FROZEN for each version of the format, with what the headers named here put into them.
struct IndexTables {
  MDB_dbi meta = 0;   ///< name → value and checksum (meta.h)
  MDB_dbi ids = 0;    ///< blocks of ids and their rows (id_blocks.h)
  MDB_dbi items = 0;  ///< row → record (record.h)
  MDB_dbi bands = 0;  ///< blocks of places in buckets (band_blocks.h)
  MDB_dbi texts = 0;  ///< row → checksum and compressed text
};

/// One LMDB environment. It may be open only once in a process, so that all who open it share it.
class Environment : public std::enable_shared_from_this<Environment> {
 public:
  /// How `open` finds the tables.
  enum class Mode {
    existing,
    fresh,  ///< they are made, and commits do not wait for the disk before `make_durable`
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
  /// Gives back the places of readers that were killed: what they looked at could not be used again. The folder must be writable.
  void forget_dead_readers() const;
  /// Every state of the tables says which commit made it.
  bool numbers_commits() const { return !fresh_ && !older_; }
  /// These are the tables that the folder's CURRENT names. Takes no lock: a writer asks when it has its turn.
  bool is_current() const;
  /// All that was committed is on the disk, and every commit is from now on.
  void make_durable();
  /// The name that messages give the index.
  void call(const std::string& folder) { folder_ = folder; }
  /// Throws Error(file) where the page that a value of the tables stands in is another page's copy. LMDB's pages begin with their number,
  /// which LMDB does not look at.
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
  /// False: it was not there.
  bool erase(MDB_dbi table, std::string_view key);
  bool erase(MDB_dbi table, std::uint32_t key) { return erase(table, bytes_of(key)); }
  std::uint64_t entries(MDB_dbi table) const;
  /// To be called before each read of a key and each change that goes to LMDB in another way than by `find`, `put` and `erase`.
  void before_read(MDB_dbi table, std::string_view key) const;
  void before_put(MDB_dbi table, std::string_view key) const;

  /// Everything is on the disk when it returns; the transaction has ended.
  void commit();
  /// Of a reader: gives up its view, and takes up that of now.
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

/// Where the tables' file is in memory, by a value that stands in it. LMDB does not say, but each page begins with its own number. If this
/// one is wrong about it, all others disagree.
const char* map_around(std::string_view value, std::size_t page_bytes);

/// A walk over a table. The transaction must outlive it.
class Cursor {
 public:
  Cursor(const Transaction& transaction, MDB_dbi table);
  ~Cursor() { mdb_cursor_close(cursor_); }
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  /// False: there is nothing there.
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

/// The folder, and which generation of the tables is the current one. For any number of threads.
class Store {
 public:
  /// An index without items, under another name until `publish`, and removed without that. Its commits do not wait for the disk.
  /// Throws Error(file) where `folder` is there and is not an empty folder.
  static Store create(const std::string& folder);
  void publish();
  static Store open(const std::string& folder);
  /// Removes what compactions left that were killed, as far as it is certain without waiting for a writer.
  void remove_abandoned() const;

  const std::string& folder() const { return folder_; }
  /// Where its files are: before `publish` that is another folder.
  std::string place() const;
  Transaction read() const { return {environment(), Transaction::Kind::read}; }
  /// Waits for other writers. Throws Error(file) where the folder cannot be written to.
  Transaction write() const;
  /// The tables that are current now.
  std::shared_ptr<Environment> environment() const;
  /// Writes everything once more, to a new generation, and makes that the current one.
  void compact();
  /// The same to a folder of its own, which is not within this one.
  void backup(const std::string& folder) const;
  /// Brings an index of an older format to today's. False: it has that.
  static bool upgrade(const std::string& folder);

 private:
  explicit Store(std::string folder);
  struct Seen;
  std::string folder_;  // its name once it is published
  std::shared_ptr<Seen> seen_;
};

// Calls into LMDB that may meet a page which is not what it should be. LMDB says so to a callback, and ends the process when that returns.

/// Where this thread goes on when what it reads is damaged; null while it is not within `reading`.
extern constinit thread_local std::jmp_buf* way_out_of_read;

/// For mdb_env_set_assert. Within `reading` it leaves LMDB, else it names the index on standard error and ends the process by abort():
/// LMDB is then in the middle of a change, with addresses of its callers' variables in the transaction, and can only be given up as a
/// whole.
void meet_damage(MDB_env* env, const char* what);

/// Calls an LMDB function that changes nothing, and returns what it returns, or MDB_CORRUPTED where it meets damage. A read holds no lock
/// and has nothing to undo, and neither it nor `read` may have anything to destroy: so it can be left by longjmp, which no exception
/// could do, because frames of C need not be made for those.
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
