#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/system.h"
#include "index/folder.h"
#include "index/id_blocks.h"
#include "index/meta.h"
#include "index/page_format.h"
#include "index/store.h"
#include "io/bytes/descriptor.h"

namespace nearkin {
namespace {

// Address space, not memory: the file grows as it is written to. Where so much is not to be had, half is tried, and so on.
constexpr std::size_t kLargestMap = std::size_t{1} << 40, kLeastMap = std::size_t{1} << 26;
constexpr unsigned kReaders = 1022;

using FileKey = std::pair<dev_t, ino_t>;
std::optional<FileKey> key_of(const std::string& path) {
  struct stat s {};
  if (::stat((path + "/data.mdb").c_str(), &s) != 0) return std::nullopt;
  return FileKey{s.st_dev, s.st_ino};
}

// An entry stays until its environment is closed, which is a while after the last owner let go of it.
struct OpenEnvironments {
  std::mutex mutex;
  std::condition_variable closed;
  std::map<FileKey, std::weak_ptr<Environment>> by_file;
};
OpenEnvironments& open_environments() {
  static OpenEnvironments all;
  return all;
}

// LMDB says EIO of a write that was cut short, which is what a disk without room and a limit on the size of files do.
[[noreturn]] void fail_to_write(const std::string& folder) {
  constexpr std::uintmax_t kLittle = 1 << 20;
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(folder, unknown);
  if (!unknown && space.available < kLittle) fail_by_errno(folder, ENOSPC);
  fail_with(folder, "could not be written to (" + std::generic_category().message(EIO) +
                        "); nothing was changed; check the free space on the disk and the limit on file sizes (ulimit -f)");
}

}  // namespace

std::shared_ptr<Environment> Environment::open(const std::string& folder, const std::string& generation, Mode mode) {
  const std::string path = folder + "/" + generation;
  OpenEnvironments& all = open_environments();
  std::shared_ptr<Environment> opened;  // before the lock, which its end would wait for
  std::unique_lock lock(all.mutex);
  for (;;) {
    const std::optional<FileKey> key = key_of(path);
    if (!key && mode != Mode::fresh)
      fail_with(folder, generation + "/data.mdb cannot be opened (" + std::generic_category().message(errno) +
                            "); restore the index from a backup");
    const auto known = key ? all.by_file.find(*key) : all.by_file.end();
    if (known == all.by_file.end()) break;
    if (std::shared_ptr<Environment> shared = known->second.lock()) return shared;
    all.closed.wait(lock);  // its last owner has let go of it, and is about to close it
  }
  opened.reset(new Environment(folder, path, mode));
  opened->key_ = key_of(path).value_or(FileKey{});
  all.by_file[opened->key_] = opened;
  return opened;
}

Environment::Environment(std::string folder, const std::string& path, Mode mode) : folder_(std::move(folder)) {
  fresh_ = mode == Mode::fresh;
  older_ = mode == Mode::older;
  try {
    open_at(path, mode);
    require_whole(path);
    if (mode != Mode::fresh) require_last_state(path);
    open_tables(mode);
  } catch (...) {
    if (env_ != nullptr) mdb_env_close(env_);
    throw;
  }
}

Environment::~Environment() {
  OpenEnvironments& all = open_environments();
  const std::lock_guard lock(all.mutex);
  mdb_env_close(env_);
  all.by_file.erase(key_);
  all.closed.notify_all();
}

void Environment::require_writable() const {
  if (!writable_) fail(EACCES);
}

void Environment::forget_dead_readers() const {
  int dead = 0;
  check(mdb_reader_check(env_, &dead));
}

// LMDB would make new tables of an empty file, whatever it is opened for.
static void require_not_empty(const std::string& folder, const std::string& path) {
  struct stat s {};
  if (::stat((path + "/data.mdb").c_str(), &s) != 0 || s.st_size > 0) return;
  fail_with(folder, "data.mdb has 0 bytes: it was cut short; restore the index from a backup");
}

// LMDB maps its lock file, which has holes. To write into a hole when the disk is full ends the process, or looks like damage. A file that
// exists keeps its size, by which others know how many readers it has room for.
static void fill_lock_file(const std::string& path) {
  const Descriptor lock(::open((path + "/lock.mdb").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  struct stat s {};
  if (!lock || ::fstat(lock.get(), &s) != 0) return;    // LMDB will say so, or need none
  constexpr off_t kWhole = off_t{64} * (kReaders + 4);  // a cache line for each reader, and the head
  if (take_room(lock.get(), s.st_size > 0 ? s.st_size : kWhole) != 0 && (errno == ENOSPC || errno == EDQUOT)) fail_by_errno(path, errno);
}

void Environment::open_at(const std::string& path, Mode mode) {
  if (mode != Mode::fresh) require_not_empty(folder_, path);
  fill_lock_file(path);
  const unsigned flags = MDB_NOTLS | (mode == Mode::fresh ? MDB_NOSYNC | MDB_NOMETASYNC : 0u);
  int code = MDB_SUCCESS;
  for (std::size_t size = kLargestMap; size >= kLeastMap; size /= 2) {
    for (const unsigned access : {0u, static_cast<unsigned>(MDB_RDONLY)}) {
      check(mdb_env_create(&env_));
      mdb_env_set_maxdbs(env_, 8);
      mdb_env_set_maxreaders(env_, kReaders);
      mdb_env_set_mapsize(env_, size);
      mdb_env_set_userctx(env_, this);
      mdb_env_set_assert(env_, meet_damage);
      code = mdb_env_open(env_, path.c_str(), flags | access, 0666);
      writable_ = access == 0;
      if (code == MDB_SUCCESS) return;
      mdb_env_close(std::exchange(env_, nullptr));
      if ((code != EACCES && code != EROFS && code != EPERM) || mode == Mode::fresh) break;
    }
    if (code != ENOMEM && code != EINVAL) break;
  }
  if (code == EACCES) fail_with(folder_, "cannot be opened (permission denied); readers need write permission for its lock.mdb, too");
  fail(code);
}

// LMDB reads pages from a mapping: one that is not in the file would end the process.
void Environment::require_whole(const std::string& path) const {
  MDB_envinfo info{};
  MDB_stat stat{};
  check(mdb_env_info(env_, &info));
  check(mdb_env_stat(env_, &stat));
  struct stat s {};
  if (::stat((path + "/data.mdb").c_str(), &s) != 0) fail_by_errno(folder_, errno);
  const std::uint64_t pages = info.me_last_pgno + 1, needed = pages * stat.ms_psize;
  // An environment that nothing was written to has its first two pages only on paper.
  if (info.me_last_pgno > 1 && static_cast<std::uint64_t>(s.st_size) < needed) {
    fail_with(folder_, "data.mdb has " + std::to_string(s.st_size) + " bytes of " + std::to_string(needed) +
                           ": it was cut short; restore the index from a backup");
  }
}

// The first two pages hold the last state and the one before it, numbered one after the other, the even number first. LMDB takes that with
// the higher number: were this damaged, it would take the state before the last one, and not say so. Another process may be writing one.
void Environment::require_last_state(const std::string& path) const {
  constexpr int kTries = 5;
  MDB_stat stat{};
  check(mdb_env_stat(env_, &stat));
  const Descriptor file(::open((path + "/data.mdb").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) fail_by_errno(folder_, errno);
  std::string pages(2 * std::size_t{stat.ms_psize}, '\0');
  for (int tried = 1;; ++tried) {
    if (read_fully_at(file.get(), pages.data(), pages.size(), 0, folder_) < pages.size()) return;  // nothing was written yet
    const std::uint64_t even = MetaPage(pages.data()).commit, odd = MetaPage(pages.data() + stat.ms_psize).commit;
    if ((even == 0 && odd == 0) || (even % 2 == 0 && (even == odd + 1 || even + 1 == odd))) return;
    if (tried == kTries)
      fail_damaged_page(even > odd ? 1 : 0,
                        "has number " + std::to_string(std::min(even, odd)) + ", the other state " + std::to_string(std::max(even, odd)));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void Environment::open_tables(Mode mode) {
  const unsigned make = mode == Mode::fresh ? MDB_CREATE : 0;
  if (writable_) forget_dead_readers();
  MDB_txn* transaction = nullptr;
  check(mdb_txn_begin(env_, nullptr, mode == Mode::fresh ? 0 : MDB_RDONLY, &transaction));
  const auto open = [&](const char* name, unsigned flags, MDB_dbi& table) {
    const auto call = [&] { return mdb_dbi_open(transaction, name, flags | make, &table); };
    return mode == Mode::fresh ? call() : reading(call);
  };
  int code = open("meta", 0, tables_.meta);
  if (code == MDB_SUCCESS) code = open("ids", 0, tables_.ids);
  if (code == MDB_SUCCESS) code = open("items", MDB_INTEGERKEY, tables_.items);
  if (code == MDB_SUCCESS) code = open("bands", 0, tables_.bands);
  if (code == MDB_SUCCESS) code = open("texts", MDB_INTEGERKEY, tables_.texts);
  if (code == MDB_SUCCESS) {
    if (mode == Mode::existing) code = find_map(transaction);
  }
  if (code == MDB_SUCCESS) {
    code = mdb_txn_commit(transaction);
  } else {
    mdb_txn_abort(transaction);
  }
  check(code);
}

const char* map_around(std::string_view value, std::size_t page_bytes) {
  const char* const page = value.data() - reinterpret_cast<std::uintptr_t>(value.data()) % page_bytes;
  std::uint64_t number = 0;
  std::memcpy(&number, page, sizeof number);
  if (number > reinterpret_cast<std::uintptr_t>(page) / page_bytes) return nullptr;  // of no page that could be in memory
  return page - number * page_bytes;
}

// MDB_CORRUPTED: pages disagree about where they are.
int Environment::find_map(MDB_txn* transaction) {
  MDB_val key = value_of(meta::kPlan), plan{}, first = value_of(kFirstId), ids{};
  if (reading([&] { return mdb_get(transaction, tables_.meta, &key, &plan); }) != MDB_SUCCESS)
    return MDB_SUCCESS;  // who needs it will say so
  MDB_stat stat{};
  MDB_envinfo info{};
  if (mdb_env_stat(env_, &stat) != MDB_SUCCESS || mdb_env_info(env_, &info) != MDB_SUCCESS) return MDB_SUCCESS;
  const char* const map = map_around(view_of(plan), stat.ms_psize);
  if (map == nullptr) return MDB_CORRUPTED;
  const int code = reading([&] { return mdb_get(transaction, tables_.ids, &first, &ids); });
  if (code == MDB_SUCCESS && map_around(view_of(ids), stat.ms_psize) != map) return MDB_CORRUPTED;
  map_ = map;
  map_bytes_ = info.me_mapsize;
  page_bytes_ = stat.ms_psize;
  return MDB_SUCCESS;
}

void Environment::require_in_place(const void* value) const {
  const auto address = reinterpret_cast<std::uintptr_t>(value), map = reinterpret_cast<std::uintptr_t>(map_);
  if (map_ == nullptr || address - map >= map_bytes_) return;  // what a writer has changed is elsewhere
  const std::uintptr_t page = address - address % page_bytes_;
  std::uint64_t number = 0;
  std::memcpy(&number, static_cast<const char*>(value) - address % page_bytes_, sizeof number);
  if (number == (page - map) / page_bytes_) return;
  fail_damaged_page((page - map) / page_bytes_, "holds another page, " + std::to_string(number));
}

void Environment::fail_damaged_page(std::uint64_t page, const std::string& what) const {
  fail_with(folder_, "is damaged (page " + std::to_string(page) + " " + what + "); restore it from a backup, or create the index again");
}

bool Environment::is_current() const { return fresh_ || key_of(folder_ + "/" + read_any_current(folder_).generation) == key_; }

void Environment::make_durable() {
  check(mdb_env_sync(env_, 1));
  check(mdb_env_set_flags(env_, MDB_NOSYNC | MDB_NOMETASYNC, 0));
  MDB_txn* transaction = nullptr;
  check(mdb_txn_begin(env_, nullptr, MDB_RDONLY, &transaction));
  const int code = find_map(transaction);
  mdb_txn_abort(transaction);
  check(code);
  fresh_ = false;
}

void Environment::fail(int code) const {
  switch (code) {
    case MDB_NOTFOUND:
    case MDB_PAGE_NOTFOUND:
    case MDB_CORRUPTED:
    case MDB_PANIC:
    case MDB_INVALID:
    case MDB_INCOMPATIBLE:
    case MDB_BAD_TXN:
      fail_with(folder_, std::string("is damaged (") + mdb_strerror(code) + "); restore it from a backup, or create the index again");
    case MDB_VERSION_MISMATCH: fail_with(folder_, "was written by another version of LMDB, or is damaged; restore it from a backup");
    case MDB_MAP_FULL: {
      MDB_envinfo info{};
      mdb_env_info(env_, &info);
      fail_with(folder_, "has reached the " + std::to_string(info.me_mapsize >> 20) +
                             " MiB of address space that this process may use for it; nothing was changed; raise the limit (ulimit -v)");
    }
    case MDB_READERS_FULL:
      fail_with(folder_, "already has " + std::to_string(kReaders) + " readers, the most that are possible; end some of them");
    default: break;
  }
  if (code == EIO || code == EFBIG) fail_to_write(folder_);
  if (code > 0) fail_by_errno(folder_, code);
  fail_with(folder_, mdb_strerror(code));
}

}  // namespace nearkin
