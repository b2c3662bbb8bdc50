#include "pipeline/scratch.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <nearkin/error.h>

namespace nearkin {
namespace {

namespace fs = std::filesystem;

std::string default_folder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/var/tmp";  // what is there survives a restart of the machine
}

[[noreturn]] void refuse_unfinished(const std::string& folder) {
  throw Error(ErrorCode::file, folder, "holds the files of this run, which was ended before it was done; go on with resume, or remove the folder and start again");
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(ErrorCode::file, folder, "cannot be made: " + error.message() + "; name another folder by scratch");
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
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) throw Error(ErrorCode::file, folder, "is in use by another process that does the same run; wait for it");
  return lock;
}

}  // namespace

Scratch::Scratch(const Options& options) : run_(options.run), plan_(options.plan) {
  const std::string parent = options.folder ? *options.folder : default_folder();
  folder_ = fmt::format("{}/nearkin-{:016x}", parent, run_.low ^ run_.high);
  make_folder(folder_);
  lock_ = lock_folder(folder_);
  if (!options.resume && holds_units(folder_)) refuse_unfinished(folder_);
  std::error_code ignored;
  fs::remove_all(done_folder(folder_), ignored);  // of a process that was ended while it removed it
}

Scratch::~Scratch() {
  std::error_code ignored;
  if (!holds_units(folder_)) fs::remove_all(folder_, ignored);
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
  if (file != nullptr) ++taken_over_;
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
  struct statvfs room{};
  if (::statvfs(folder_.c_str(), &room) != 0) return;  // what cannot be told may still be enough
  const std::uint64_t free = std::uint64_t{room.f_bavail} * room.f_frsize;
  if (free >= bytes) return;
  throw Error(ErrorCode::file, folder_, "the run needs about " + bytes_text(bytes) + " more here, " + bytes_text(free) +
                                            " are free; make room and go on with resume, or name another folder by scratch");
}

}  // namespace nearkin
