#include "index/store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include <nearkin/error.h>

#include "io/bytes/descriptor.h"

namespace nearkin {
namespace {

constexpr const char* kMagic = "nearkin-index ";
constexpr const char* kCurrent = "/CURRENT";
// Address space, not memory: the file grows as it is written to. Where so much is not to be had, half is tried, and so on.
constexpr std::size_t kLargestMap = std::size_t{1} << 40, kLeastMap = std::size_t{1} << 26;
constexpr unsigned kReaders = 1022;

[[noreturn]] void fail_with(const std::string& subject, const std::string& message) { throw Error(ErrorCode::file, subject, message); }

[[noreturn]] void fail_by_errno(const std::string& subject, int code) {
  if (code == ENOSPC || code == EDQUOT) fail_with(subject, "no space left on the disk; nothing was changed, make room and try again");
  if (code == EACCES || code == EPERM || code == EROFS)
    fail_with(subject, "may not be written to (" + std::generic_category().message(code) + ")");
  fail_with(subject, std::generic_category().message(code));
}

// What can be listed of a folder: for leftovers, which the next one who looks will find too.
template <typename Use>
void for_each_entry(const std::filesystem::path& folder, Use use) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error); !error && entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    use(entry->path());
  }
}

// So that a name that was made or changed is on the disk.
void sync_folder(const std::string& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor || (::fsync(descriptor.get()) != 0 && errno != EINVAL)) fail_by_errno(folder, errno);
}

// A copy that LMDB made, before the only other one may go.
void sync_copy(const std::string& path) {
  const Descriptor file(::open((path + "/data.mdb").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || ::fsync(file.get()) != 0) fail_by_errno(path, errno);
  sync_folder(path);
}

void take_owner_of(const std::string& old, const std::string& made) {
  struct stat s {};
  if (::stat(old.c_str(), &s) == 0 && ::chown(made.c_str(), s.st_uid, s.st_gid) == 0) ::chmod(made.c_str(), s.st_mode & 07777);
}

// So that whoever could use the old tables can use the new ones: one user may compact what another serves. What may not be changed stays.
void take_owner(const std::string& old, const std::string& path) {
  const Descriptor lock(
      ::open((path + "/lock.mdb").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));  // else made by the first who opens them
  for (const char* const name : {"", "/data.mdb", "/lock.mdb"}) take_owner_of(old + name, path + name);
}

void write_file(const std::string& path, const std::string& bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) fail_by_errno(path, errno);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t wrote = ::write(file.get(), bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail_by_errno(path, errno);
    done += static_cast<std::size_t>(wrote);
  }
  if (::fsync(file.get()) != 0) fail_by_errno(path, errno);
}

void write_current(const std::string& folder, const std::string& generation) {
  const std::string path = folder + kCurrent;
  write_file(path + ".new", kMagic + std::to_string(kIndexFormat) + "\n" + generation + "\n");
  take_owner_of(path, path + ".new");
  if (std::rename((path + ".new").c_str(), path.c_str()) != 0) fail_by_errno(folder, errno);
  sync_folder(folder);
}

// The generation that CURRENT names.
std::string read_current(const std::string& folder) {
  std::ifstream file(folder + kCurrent, std::ios::binary);
  std::string magic, generation;
  std::getline(file, magic);
  std::getline(file, generation);
  if (!file || !magic.starts_with(kMagic)) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(folder, error);
    if (status.type() == std::filesystem::file_type::none) fail_with(folder, "cannot be opened (" + error.message() + ")");
    if (!std::filesystem::exists(status)) fail_with(folder, "no such index; make one with 'nearkin index create'");
    fail_with(folder, "is not an index; make one with 'nearkin index create'");
  }
  if (magic != kMagic + std::to_string(kIndexFormat)) {
    fail_with(folder, "has format " + magic.substr(std::strlen(kMagic)) + ", this nearkin knows format " + std::to_string(kIndexFormat) +
                          "; use the version that made it, or make the index again");
  }
  const bool plain = !generation.empty() && generation.find_first_not_of("abcdefghijklmnopqrstuvwxyz-0123456789") == std::string::npos;
  if (!plain) fail_with(folder, "CURRENT is damaged; restore it from a backup");
  return generation;
}

using FileKey = std::pair<dev_t, ino_t>;
std::optional<FileKey> key_of(const std::string& path) {
  struct stat s {};
  if (::stat((path + "/data.mdb").c_str(), &s) != 0) return std::nullopt;
  return FileKey{s.st_dev, s.st_ino};
}

// An entry stays until its environment is closed, which is a while after the last owner let go of it.
struct OpenEnvironments {
  std::mutex mutex;
  std::map<FileKey, std::weak_ptr<Environment>> by_file;
};
OpenEnvironments& open_environments() {
  static OpenEnvironments all;
  return all;
}

// What tells one CURRENT from another: it is put in place by renaming, so that another one is another file.
struct CurrentFile {
  ino_t number = 0;
  std::time_t seconds = 0;
  long nanoseconds = 0;
  bool operator==(const CurrentFile&) const = default;
};
CurrentFile current_file(const std::string& folder) {
  struct stat s {};
  if (::stat((folder + kCurrent).c_str(), &s) != 0) return {};
  return {s.st_ino, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
}

// LMDB says EIO of a write that was cut short, which is what a disk without room and a limit on the size of files do.
[[noreturn]] void fail_to_write(const std::string& folder) {
  constexpr std::uintmax_t kLittle = 1 << 20;
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(folder, unknown);
  if (!unknown && space.available < kLittle) fail_by_errno(folder, ENOSPC);
  fail_with(folder, "could not be written to (" + std::generic_category().message(EIO) +
                        "); nothing was changed, look for room on the disk and for a limit on the size of files (ulimit -f)");
}

// LMDB ends the process where a page is not what it should be, unless this throws.
void throw_damaged(MDB_env* env, const char* what) {
  const auto* environment = static_cast<const Environment*>(mdb_env_get_userctx(env));
  fail_with(environment->folder(), std::string("is damaged (") + what + "); restore it from a backup, or make the index again");
}

// Beside the folder, and not in use.
std::string unpublished_name(const std::string& folder) {
  std::string plain = folder;
  while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  static std::atomic<unsigned> made{0};
  return plain + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(made++);
}

// What processes left that were killed while they made an index of this name.
void remove_abandoned(const std::string& folder) {
  const std::filesystem::path own = unpublished_name(folder);
  const std::string name = own.filename().string(), begin = name.substr(0, name.rfind(".part-") + 6);
  for_each_entry(own.parent_path().empty() ? "." : own.parent_path(), [&](const std::filesystem::path& path) {
    const std::string found = path.filename().string();
    if (!found.starts_with(begin) || found.find_first_not_of("0123456789-", begin.size()) != std::string::npos) return;
    const int process = std::atoi(found.c_str() + begin.size());
    if (process <= 0 || ::kill(process, 0) == 0 || errno != ESRCH) return;
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  });
}

// Puts a folder that was made under another name in its place.
void publish_folder(const std::string& made, const std::string& folder) {
  if (std::rename(made.c_str(), folder.c_str()) != 0) {
    if (errno == ENOTEMPTY || errno == EEXIST) fail_with(folder, "is there already; take another name, or remove it");
    if (errno == ENOTDIR) fail_with(folder, "is a file; take another name");
    fail_by_errno(folder, errno);
  }
  const std::filesystem::path parent = std::filesystem::path(folder).parent_path();
  sync_folder(parent.empty() ? "." : parent.string());
}

}  // namespace

// --- Environment

std::shared_ptr<Environment> Environment::open(const std::string& folder, const std::string& generation, Mode mode) {
  const std::string path = folder + "/" + generation;
  OpenEnvironments& all = open_environments();
  for (;;) {
    const std::lock_guard lock(all.mutex);
    const std::optional<FileKey> key = key_of(path);
    const auto known = key ? all.by_file.find(*key) : all.by_file.end();
    if (known != all.by_file.end()) {
      if (std::shared_ptr<Environment> shared = known->second.lock()) return shared;
    } else {
      if (!key && mode == Mode::existing)
        fail_with(folder, generation + "/data.mdb cannot be opened (" + std::generic_category().message(errno) +
                              "); restore the index from a backup");
      std::shared_ptr<Environment> opened(new Environment(folder, path, mode));
      opened->key_ = key_of(path).value_or(FileKey{});
      all.by_file[opened->key_] = opened;
      return opened;
    }
    std::this_thread::yield();  // it is being closed
  }
}

Environment::Environment(std::string folder, const std::string& path, Mode mode) : folder_(std::move(folder)) {
  fresh_ = mode == Mode::fresh;
  try {
    open_at(path, mode);
    require_whole(path);
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
}

void Environment::require_writable() const {
  if (!writable_) fail(EACCES);
  if (given_up_) fail_with(folder_, "is damaged, and a write to it was given up; restore it from a backup, or make the index again");
}

// LMDB would make new tables of an empty file, whatever it is opened for.
static void require_not_empty(const std::string& folder, const std::string& path) {
  struct stat s {};
  if (::stat((path + "/data.mdb").c_str(), &s) != 0 || s.st_size > 0) return;
  fail_with(folder, "data.mdb has 0 bytes: it was cut; restore the index from a backup");
}

void Environment::open_at(const std::string& path, Mode mode) {
  if (mode == Mode::existing) require_not_empty(folder_, path);
  const unsigned flags = MDB_NOTLS | (mode == Mode::fresh ? MDB_NOSYNC | MDB_NOMETASYNC : 0u);
  int code = MDB_SUCCESS;
  for (std::size_t size = kLargestMap; size >= kLeastMap; size /= 2) {
    for (const unsigned access : {0u, static_cast<unsigned>(MDB_RDONLY)}) {
      check(mdb_env_create(&env_));
      mdb_env_set_maxdbs(env_, 8);
      mdb_env_set_maxreaders(env_, kReaders);
      mdb_env_set_mapsize(env_, size);
      mdb_env_set_userctx(env_, this);
      mdb_env_set_assert(env_, throw_damaged);
      code = mdb_env_open(env_, path.c_str(), flags | access, 0666);
      writable_ = access == 0;
      if (code == MDB_SUCCESS) return;
      mdb_env_close(std::exchange(env_, nullptr));
      if ((code != EACCES && code != EROFS && code != EPERM) || mode == Mode::fresh) break;
    }
    if (code != ENOMEM && code != EINVAL) break;
  }
  if (code == EACCES) fail_with(folder_, "cannot be opened (permission denied); those who read it write to its lock.mdb too");
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
                           ": it was cut; restore the index from a backup");
  }
}

void Environment::open_tables(Mode mode) {
  const unsigned make = mode == Mode::fresh ? MDB_CREATE : 0;
  int dead = 0;
  if (writable_) mdb_reader_check(env_, &dead);  // places of readers that were killed
  MDB_txn* transaction = nullptr;
  check(mdb_txn_begin(env_, nullptr, mode == Mode::fresh ? 0 : MDB_RDONLY, &transaction));
  const auto open = [&](const char* name, unsigned flags, MDB_dbi& table) { return mdb_dbi_open(transaction, name, flags | make, &table); };
  int code = open("meta", 0, tables_.meta);
  if (code == MDB_SUCCESS) code = open("ids", 0, tables_.ids);
  if (code == MDB_SUCCESS) code = open("items", MDB_INTEGERKEY, tables_.items);
  if (code == MDB_SUCCESS) code = open("bands", MDB_INTEGERKEY | MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP, tables_.bands);
  if (code == MDB_SUCCESS) code = open("texts", MDB_INTEGERKEY, tables_.texts);
  if (code == MDB_SUCCESS) {
    code = mdb_txn_commit(transaction);
  } else {
    mdb_txn_abort(transaction);
  }
  check(code);
}

bool Environment::is_current() const { return fresh_ || key_of(folder_ + "/" + read_current(folder_)) == key_; }

void Environment::make_durable() {
  check(mdb_env_sync(env_, 1));
  check(mdb_env_set_flags(env_, MDB_NOSYNC | MDB_NOMETASYNC, 0));
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
      fail_with(folder_, std::string("is damaged (") + mdb_strerror(code) + "); restore it from a backup, or make the index again");
    case MDB_VERSION_MISMATCH: fail_with(folder_, "was written by another version of LMDB, or is damaged; restore it from a backup");
    case MDB_MAP_FULL: {
      MDB_envinfo info{};
      mdb_env_info(env_, &info);
      fail_with(folder_, "has reached the " + std::to_string(info.me_mapsize >> 20) +
                             " MiB of address space that this process may have for it; nothing was changed, raise the limit (ulimit -v)");
    }
    case MDB_READERS_FULL: fail_with(folder_, "is read by " + std::to_string(kReaders) + " at a time, which is as many as can; end some");
    default: break;
  }
  if (code == EIO || code == EFBIG) fail_to_write(folder_);
  if (code > 0) fail_by_errno(folder_, code);
  fail_with(folder_, mdb_strerror(code));
}

// --- Store

struct Store::Seen {
  ~Seen() {
    environment.reset();
    std::error_code ignored;
    if (unpublished) std::filesystem::remove_all(*unpublished, ignored);
  }

  std::mutex mutex;
  std::shared_ptr<Environment> environment;
  CurrentFile current;
  std::optional<std::string> unpublished;  // where the index is before it has its name
};

Store::Store(std::string folder) : folder_(std::move(folder)), seen_(std::make_shared<Seen>()) {}

Store Store::create(const std::string& folder) {
  std::error_code ignored;
  if (std::filesystem::exists(folder, ignored) &&
      !(std::filesystem::is_directory(folder, ignored) && std::filesystem::is_empty(folder, ignored))) {
    fail_with(folder, "is there already; take another name, or remove it");
  }
  const std::string made = unpublished_name(folder);
  remove_abandoned(folder);
  if (::mkdir(made.c_str(), 0777) != 0) fail_by_errno(folder, errno);
  Store store(folder);
  store.seen_->unpublished = made;
  if (::mkdir((made + "/tables-1").c_str(), 0777) != 0) fail_by_errno(folder, errno);
  store.seen_->environment = Environment::open(made, "tables-1", Environment::Mode::fresh);
  store.seen_->environment->call(folder);
  write_current(made, "tables-1");
  return store;
}

void Store::publish() {
  const std::lock_guard lock(seen_->mutex);
  seen_->environment->make_durable();
  publish_folder(*seen_->unpublished, folder_);
  seen_->unpublished.reset();
  seen_->current = current_file(folder_);
}

std::string Store::place() const {
  const std::lock_guard lock(seen_->mutex);
  return seen_->unpublished.value_or(folder_);
}

Store Store::open(const std::string& folder) {
  Store store(folder);
  store.environment();
  return store;
}

std::shared_ptr<Environment> Store::environment() const {
  const std::lock_guard lock(seen_->mutex);
  if (seen_->unpublished) return seen_->environment;
  if (seen_->environment && seen_->current == current_file(folder_)) return seen_->environment;
  for (int attempt = 0;; ++attempt) {
    const CurrentFile before = current_file(folder_);
    try {
      seen_->environment = Environment::open(folder_, read_current(folder_), Environment::Mode::existing);
      seen_->current = before;
      return seen_->environment;
    } catch (const Error&) {
      // Between the two steps another process may have put a compacted generation in its place.
      if (attempt == 3 || before == current_file(folder_)) throw;
    }
  }
}

Transaction Store::write() const {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::shared_ptr<Environment> tables = environment();
    Transaction transaction(tables, Transaction::Kind::write);
    if (tables->is_current()) return transaction;  // else it was compacted while we waited for our turn
  }
  fail_with(folder_, "its files were replaced by something else; open it again");
}

// The name of the generation behind this one.
static std::string generation_after(const std::string& folder, const std::string& old) {
  const std::string digits = old.substr(old.find('-') + 1);
  constexpr std::size_t kMostDigits = 18;
  if (digits.empty() || digits.size() > kMostDigits || digits.find_first_not_of("0123456789") != std::string::npos) {
    fail_with(folder, "CURRENT is damaged: it names \"" + old + "\"; restore it from a backup");
  }
  return "tables-" + std::to_string(std::stoull(digits) + 1);
}

// What was copied to `path` is the current generation when this returns, or gone when it throws.
static void copy_tables(const Transaction& turn, const std::string& folder, const std::string& old, const std::string& next) {
  const std::string path = folder + "/" + next;
  std::error_code error;
  std::filesystem::remove_all(path, error);  // what a compaction left that was killed
  if (::mkdir(path.c_str(), 0777) != 0) fail_by_errno(folder, errno);
  try {
    turn.check(mdb_env_copy2(turn.environment().get(), path.c_str(), MDB_CP_COMPACT));
    sync_copy(path);
    take_owner(folder + "/" + old, path);
    write_current(folder, next);
  } catch (...) {
    std::filesystem::remove_all(path, error);
    throw;
  }
}

void Store::compact() {
  const Transaction turn = write();  // writers wait until the copy is the current one
  const std::string old = read_current(folder_), next = generation_after(folder_, old);
  copy_tables(turn, folder_, old, next);
  // Those who have the old one open keep it until they look at CURRENT again.
  for_each_entry(folder_, [&](const std::filesystem::path& path) {
    std::error_code ignored;
    const std::string name = path.filename().string();
    if (name.starts_with("tables-") && name != next) std::filesystem::remove_all(path, ignored);
  });
}

// A copy within the index would be part of it, and gone with its next compaction.
static void require_outside(const std::string& copy, const std::string& index) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::canonical(index, error);
  const std::filesystem::path target = std::filesystem::weakly_canonical(std::filesystem::absolute(copy, error), error);
  if (error || std::mismatch(own.begin(), own.end(), target.begin(), target.end()).first != own.end()) return;
  fail_with(copy, "is in the folder of the index itself, " + index + "; name one beside it");
}

void Store::backup(const std::string& folder) const {
  require_outside(folder, folder_);
  const std::shared_ptr<Environment> tables = environment();
  const std::string made = unpublished_name(folder), path = made + "/tables-1";
  remove_abandoned(folder);
  if (::mkdir(made.c_str(), 0777) != 0 || ::mkdir(path.c_str(), 0777) != 0) fail_by_errno(folder, errno);
  try {
    tables->check(mdb_env_copy2(tables->get(), path.c_str(), MDB_CP_COMPACT));
    sync_copy(path);
    write_current(made, "tables-1");
    publish_folder(made, folder);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(made, ignored);
    throw;
  }
}

bool is_index(const std::string& folder) {
  std::ifstream file(folder + kCurrent, std::ios::binary);
  std::string magic;
  std::getline(file, magic);
  return file && magic.starts_with(kMagic);
}

}  // namespace nearkin
