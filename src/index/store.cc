#include "index/store.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nearkin/error.h>

#include "index/folder.h"
#include "index/rewrite.h"
#include "io/bytes/descriptor.h"

namespace nearkin {
namespace {

// Gives the new tables to the users of the old ones: one user may compact what another serves. What may not be changed stays.
void take_owner(const std::string& old, const std::string& path) {
  const Descriptor lock(
      ::open((path + "/lock.mdb").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));  // else made by the first who opens them
  for (const char* const name : {"", "/data.mdb", "/lock.mdb"}) take_owner_of(old + name, path + name);
}

// The folder of a generation that is made in the other.
void make_tables(BuildFolder& build, const std::string& generation, const std::string& subject) {
  if (::mkdir((build.path() + "/" + generation).c_str(), 0777) != 0) fail_by_errno(subject, errno);
  for (const char* const name : {"", "/data.mdb", "/lock.mdb"}) build.contains(generation + name);
}

}  // namespace

struct Store::Seen {
  std::mutex mutex;
  std::optional<BuildFolder> build;  // until it is published; outlives the environment in it
  std::shared_ptr<Environment> environment;
  CurrentFile current;
  std::atomic<bool> swept{false};  // what killed compactions left
};

Store::Store(std::string folder) : folder_(std::move(folder)), seen_(std::make_shared<Seen>()) {}

Store Store::create(const std::string& folder) {
  std::error_code ignored;
  if (std::filesystem::exists(folder, ignored) &&
      !(std::filesystem::is_directory(folder, ignored) && std::filesystem::is_empty(folder, ignored))) {
    fail_with(folder, "already exists; choose another name, or remove it");
  }
  Store store(folder);
  store.seen_->build.emplace(folder);
  const std::string& made = store.seen_->build->path();
  make_tables(*store.seen_->build, "tables-1", folder);
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

// Removes generations that are not in use. The caller has the writers' turn, so nobody else is making one.
static void remove_other_generations(const std::string& folder, const std::string& current) {
  for_each_entry(folder, [&](const std::filesystem::path& path) {
    std::error_code ignored;
    const std::string name = path.filename().string();
    if (name.starts_with("tables-") && name != current) std::filesystem::remove_all(path, ignored);
  });
}

Transaction Store::write() const {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::shared_ptr<Environment> tables = environment();
    Transaction transaction(tables, Transaction::Kind::write);
    if (!tables->is_current()) continue;  // it was compacted while we waited for our turn
    if (tables->numbers_commits() && !seen_->swept.exchange(true)) remove_other_generations(folder_, read_current(folder_));
    return transaction;
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

// The tables once more in a folder that is there; on the disk when it returns.
static void write_again(const Transaction& from, BuildFolder& build, const std::string& generation, bool older) {
  const std::string& folder = build.path();
  const std::string path = folder + "/" + generation;
  make_tables(build, generation, path);
  const std::shared_ptr<Environment> to = Environment::open(folder, generation, Environment::Mode::fresh);
  to->call(path + "/data.mdb");
  if (older) {
    rewrite_format_1(from, *to);
  } else {
    rewrite_tables(from, *to);
  }
  to->make_durable();
  sync_folder(path);
}

// With the writers' turn: what is written again becomes the current generation.
static void replace_generation(const Transaction& turn, const std::string& folder, const std::string& old, bool older) {
  const std::string next = generation_after(folder, old);
  remove_other_generations(folder, old);
  {
    BuildFolder build(folder + "/" + next);
    write_again(turn, build, next, older);
    take_owner(folder + "/" + old, build.path() + "/" + next);
    if (std::rename((build.path() + "/" + next).c_str(), (folder + "/" + next).c_str()) != 0) fail_by_errno(folder + "/" + next, errno);
  }
  sync_folder(folder);  // CURRENT must not reach the disk before the folder that it names
  write_current(folder, next);
  remove_other_generations(folder, next);  // those who have the old one open keep it until they look at CURRENT again
}

void Store::compact() {
  const Transaction turn = write();  // writers wait until the copy is the current one
  replace_generation(turn, folder_, read_current(folder_), false);
}

bool Store::upgrade(const std::string& folder) {
  const auto [format, generation] = read_any_current(folder);
  if (format != "1") return false;
  const std::shared_ptr<Environment> tables = Environment::open(folder, generation, Environment::Mode::older);
  const Transaction turn(tables, Transaction::Kind::write);
  if (!tables->is_current()) return upgrade(folder);  // others did something meanwhile
  replace_generation(turn, folder, generation, true);
  return true;
}

void Store::remove_abandoned() const {
  if (environment()->writable()) remove_abandoned_within(folder_);
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
  const Transaction view = read();
  BuildFolder build(folder);
  write_again(view, build, "tables-1", false);
  ::unlink((build.path() + "/tables-1/lock.mdb").c_str());  // the first to open the copy makes it
  write_current(build.path(), "tables-1");
  build.publish();
}

}  // namespace nearkin
