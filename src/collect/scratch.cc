#include "collect/scratch.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <nearkin/error.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>

namespace nearkin {
namespace {

namespace fs = std::filesystem;

std::string default_folder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/var/tmp";  // its files survive a restart of the machine
}

[[noreturn]] void refuse_unfinished(const std::string& folder) {
  throw Error(ErrorCode::file, folder,
              "contains an unfinished run of this command; continue with resume, or delete the folder and start again");
}

/// Without what does not change its meaning: "./a//b/" is "a/b".
fs::path tidy(const std::string& folder) {
  const fs::path path = fs::path(folder).lexically_normal();
  return path.has_filename() || !path.has_relative_path() ? path : path.parent_path();
}

/// A folder that is not there is more likely a slip than a wish, unless it was named and all but its last part is there. Returns whether it
/// has to be made.
bool must_be_made(const fs::path& folder, bool named) {
  std::error_code error, ignored;
  const bool there = fs::exists(folder, error);
  if (error) return false;  // making a folder in it will tell why
  if (there && !fs::is_directory(folder, ignored))
    throw Error(ErrorCode::file, folder.string(), "is not a folder; name another folder with scratch");
  if (there) return false;
  if (named && fs::is_directory(fs::absolute(folder).parent_path(), ignored)) return true;
  throw Error(ErrorCode::file, folder.string(),
              named ? "no such folder, and the folder above it does not exist either; create it, or name another folder with scratch"
                    : "no such folder, and the run needs one for its files; set TMPDIR to an existing one, or name a folder with scratch");
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(ErrorCode::file, folder, "cannot be made: " + error.message() + "; name another folder with scratch");
}

/// Whether a unit of work was done in it, or may have been: where it cannot be read.
bool holds_units(const std::string& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  return error || std::any_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
           return entry.path().filename() != "lock" && entry.path().extension() != ".part";
         });
}

/// What a folder is called while it is being removed.
std::string done_folder(const std::string& folder) { return folder + ".done"; }

Descriptor lock_folder(const std::string& folder) {
  const std::string path = folder + "/lock";
  Descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock) throw Error(ErrorCode::file, path, reason("cannot be made", errno));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    throw Error(ErrorCode::file, folder, "is in use by another process that runs the same command; wait for it");
  return lock;
}

/// Whether the folder that this one is in was made for it: told in its lock, so that a run that goes on knows it too.
bool note_made(const Descriptor& lock, bool made) {
  const std::string_view mark = "made";
  struct stat state {};
  if (::fstat(lock.get(), &state) == 0 && state.st_size > 0) return true;
  return made && ::write(lock.get(), mark.data(), mark.size()) > 0;
}

/// The scratch folders of all runs of this process that can be continued, the latest last.
struct InUse {
  std::mutex mutex;
  std::vector<std::pair<const Scratch*, ScratchInUse>> all;
  std::optional<std::string> left;
};
InUse& in_use() {
  static InUse folders;
  return folders;
}

}  // namespace

Scratch::Scratch(const Options& options) : run_(options.run), plan_(options.plan), keep_(options.keep) {
  const fs::path parent = tidy(options.folder ? *options.folder : default_folder());
  parent_ = parent.string();
  folder_ = (parent / fmt::format("nearkin-{:016x}", run_.low ^ run_.high)).lexically_normal().string();
  const bool made = must_be_made(parent, options.folder.has_value());
  make_folder(folder_);
  lock_ = lock_folder(folder_);
  unfinished_ = Unfinished(folder_, options.keep ? Unfinished::Kind::spare_folder : Unfinished::Kind::folder_of_files);
  parent_made_ = note_made(lock_, made);
  const bool holds = holds_units(folder_);
  if (!options.resume && holds) refuse_unfinished(folder_);
  std::error_code ignored;
  fs::remove_all(done_folder(folder_), ignored);  // of a process that was ended while it removed it
  if (!options.keep) return;
  const std::lock_guard guard(in_use().mutex);
  in_use().all.emplace_back(this, ScratchInUse{folder_, holds});
}

Scratch::~Scratch() {
  {
    const std::lock_guard guard(in_use().mutex);
    std::erase_if(in_use().all, [this](const auto& entry) { return entry.first == this; });
  }
  if (keep_ && holds_units(folder_)) {
    const std::lock_guard guard(in_use().mutex);
    in_use().left = folder_;
    return;
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  remove_parent();
}

void Scratch::remove_parent() const {
  std::error_code ignored;
  if (parent_made_) fs::remove(parent_, ignored);  // not where another run has a folder in it
}

std::optional<ScratchInUse> scratch_in_use() {
  const std::lock_guard guard(in_use().mutex);
  return in_use().all.empty() ? std::nullopt : std::optional(in_use().all.back().second);
}

std::optional<std::string> scratch_left() {
  const std::lock_guard guard(in_use().mutex);
  return in_use().left;
}

std::string Scratch::path(const std::string& kind, std::uint32_t number) const { return fmt::format("{}/{}-{:06}", folder_, kind, number); }

// With its number: a file that stands in the place of another is no good, even where both are of this run.
RunFileInfo Scratch::info(const std::string& kind, std::uint32_t number) const {
  return {.kind = fmt::format("{}-{:06}", kind, number), .run = run_, .plan = plan_};
}

RunFileWriter Scratch::create(const std::string& kind, std::uint32_t number) const {
  return RunFileWriter(path(kind, number), info(kind, number));
}

std::shared_ptr<const RunFile> Scratch::open(const std::string& kind, std::uint32_t number) const {
  const std::string name = path(kind, number);
  if (!fs::exists(name)) return nullptr;
  return std::make_shared<const RunFile>(name, info(kind, number));
}

std::shared_ptr<const RunFile> Scratch::resume(const std::string& kind, std::uint32_t number) {
  std::shared_ptr<const RunFile> file = open(kind, number);
  if (file != nullptr) ++resumed_;
  return file;
}

void Scratch::remove(const std::string& kind, std::uint32_t number) {
  std::error_code ignored;
  fs::remove(path(kind, number), ignored);
}

void Scratch::remove_from(const std::string& kind, std::uint32_t number) {
  const std::string first = fs::path(path(kind, number)).filename().string();
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kind + "-") && name >= first) files.push_back(entry.path());
  }
  std::error_code ignored;
  for (const fs::path& file : files) fs::remove(file, ignored);
}

// A folder of which a part is removed must not look like one of a run that can be resumed.
void Scratch::remove_folder() {
  note_size();
  std::error_code ignored;
  const std::string done = done_folder(folder_);
  fs::remove_all(done, ignored);
  fs::rename(folder_, done, ignored);
  fs::remove_all(done, ignored);
  remove_parent();
}

void Scratch::note_failure(const Error& error) {
  const bool of_these_files = error.subject().starts_with(folder_);
  const bool asked_for_more = error.code() == ErrorCode::plan && (error.subject() == "memory" || error.subject() == "max_pairs");
  if ((error.code() == ErrorCode::data || error.code() == ErrorCode::plan) && !of_these_files && !asked_for_more) keep_ = false;
}

void Scratch::note_size() {
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored)) {
    const std::uintmax_t size = entry.file_size(ignored);
    if (!ignored) bytes += size;
  }
  most_ = std::max(most_, bytes);
}

void Scratch::require_room(std::uint64_t bytes) const {
  struct statvfs room {};
  if (::statvfs(folder_.c_str(), &room) != 0) return;  // what cannot be told may still be enough
  const std::uint64_t free = std::uint64_t{room.f_bavail} * room.f_frsize;
  if (free >= bytes) return;
  throw Error(ErrorCode::file, folder_,
              "the run needs about " + bytes_text(bytes) + " more here, " + bytes_text(free) +
                  " are free; make room and continue with resume, or name another folder with scratch");
}

Scratch::Options OwnScratch::of_this_process(Scratch::Options options) {
  static std::atomic<std::uint64_t> folders{0};
  options.run.low ^= mix64(static_cast<std::uint64_t>(::getpid()) << 32 | ++folders);
  options.resume = options.keep = false;
  return options;
}

Scratch& OwnScratch::folder() {
  if (!scratch_) scratch_ = std::make_unique<Scratch>(options_);
  return *scratch_;
}

}  // namespace nearkin
