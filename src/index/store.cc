#include "index/store.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nearkin/error.h>

#include "index/folder.h"
#include "io/bytes/descriptor.h"

namespace nearkin {
namespace {

// A copy that LMDB made, before the only other one may go.
void sync_copy(const std::string& path) {
  const Descriptor file(::open((path + "/data.mdb").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || ::fsync(file.get()) != 0) fail_by_errno(path, errno);
  sync_folder(path);
}

// So that whoever could use the old tables can use the new ones: one user may compact what another serves. What may not be changed stays.
void take_owner(const std::string& old, const std::string& path) {
  const Descriptor lock(
      ::open((path + "/lock.mdb").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));  // else made by the first who opens them
  for (const char* const name : {"", "/data.mdb", "/lock.mdb"}) take_owner_of(old + name, path + name);
}

}  // namespace

struct Store::Seen {
  std::mutex mutex;
  std::optional<BuildFolder> build;  // until it is published; outlives the environment in it
  std::shared_ptr<Environment> environment;
  CurrentFile current;
};

Store::Store(std::string folder) : folder_(std::move(folder)), seen_(std::make_shared<Seen>()) {}

Store Store::create(const std::string& folder) {
  std::error_code ignored;
  if (std::filesystem::exists(folder, ignored) &&
      !(std::filesystem::is_directory(folder, ignored) && std::filesystem::is_empty(folder, ignored))) {
    fail_with(folder, "is there already; take another name, or remove it");
  }
  Store store(folder);
  store.seen_->build.emplace(folder);
  const std::string& made = store.seen_->build->path();
  if (::mkdir((made + "/tables-1").c_str(), 0777) != 0) fail_by_errno(folder, errno);
  store.seen_->environment = Environment::open(made, "tables-1", Environment::Mode::fresh);
  store.seen_->environment->call(folder);
  write_current(made, "tables-1");
  return store;
}

void Store::publish() {
  const std::lock_guard lock(seen_->mutex);
  seen_->environment->make_durable();
  sync_folder(seen_->build->path() + "/tables-1");  // the names of its files
  seen_->build->publish();
  seen_->build.reset();
  seen_->current = current_file(folder_);
}

std::string Store::place() const {
  const std::lock_guard lock(seen_->mutex);
  return seen_->build ? seen_->build->path() : folder_;
}

Store Store::open(const std::string& folder) {
  Store store(folder);
  store.environment();
  return store;
}

std::shared_ptr<Environment> Store::environment() const {
  const std::lock_guard lock(seen_->mutex);
  if (seen_->build) return seen_->environment;
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
    sync_folder(folder);  // CURRENT must not reach the disk before the folder that it names
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
  BuildFolder build(folder);
  const std::string path = build.path() + "/tables-1";
  if (::mkdir(path.c_str(), 0777) != 0) fail_by_errno(folder, errno);
  tables->check(mdb_env_copy2(tables->get(), path.c_str(), MDB_CP_COMPACT));
  sync_copy(path);
  write_current(build.path(), "tables-1");
  build.publish();
}

}  // namespace nearkin
