// Files and folders of an index: CURRENT, which names the generation of its tables that is in use, and where an index is made.
#pragma once

#include <ctime>
#include <filesystem>

#include <sys/types.h>

#include "io/bytes/descriptor.h"

namespace nearkin {

[[noreturn]] void fail_with(const std::string& subject, const std::string& message);
[[noreturn]] void fail_by_errno(const std::string& subject, int code);

/// Calls use(path) for what can be listed of a folder; stops silently at what cannot.
template <typename Use>
void for_each_entry(const std::filesystem::path& folder, Use use) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error); !error && entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    use(entry->path());
  }
}

/// Names that were made or changed in the folder are on the disk when it returns.
void sync_folder(const std::string& folder);
/// The same for a whole new file.
void write_file(const std::string& path, const std::string& bytes);
/// Gives `made` the owner and the permissions of `old`, as far as that is allowed.
void take_owner_of(const std::string& old, const std::string& made);

/// What CURRENT begins with, and the version of all that stands in the tables.
inline constexpr std::uint32_t kIndexFormat = 2;

/// Puts a new one in its place, on the disk when it returns.
void write_current(const std::string& folder, const std::string& generation);
/// The generation that it names. Throws Error(file) where there is no index, or one of another format.
std::string read_current(const std::string& folder);
struct Current {
  std::string format;
  std::string generation;
};
/// The same for every format.
Current read_any_current(const std::string& folder);

/// What tells one CURRENT from another: it is put in place by renaming, so that another one is another file.
struct CurrentFile {
  ino_t number = 0;
  std::time_t seconds = 0;
  long nanoseconds = 0;
  bool operator==(const CurrentFile&) const = default;
};
CurrentFile current_file(const std::string& folder);

/// Removes what BuildFolders left within `folder` whose process was killed.
void remove_abandoned_within(const std::string& folder);

/// A folder beside the one that it will become. As long as it lives it holds a lock on a file inside, which the system gives back when the
/// process ends, however it ends: a folder whose lock can be taken was abandoned, on whatever machine, and in whatever container, it was
/// begun.
class BuildFolder {
 public:
  /// Removes what was abandoned beside it. Throws Error(file) naming `folder`.
  explicit BuildFolder(const std::string& folder);
  /// Removes it, unless it was published.
  ~BuildFolder();
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Gives it its name, on the disk when this returns. Throws Error(file) where there is something else of that name.
  void publish();

 private:
  bool make(const std::string& path);

  std::string folder_;
  std::string path_;  // empty: published
  Descriptor lock_;
};

}  // namespace nearkin
