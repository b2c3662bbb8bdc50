// Files and folders of an index: CURRENT, which names the generation of its tables that is in use, and where an index is made.
#pragma once

#include <ctime>
#include <filesystem>

#include <sys/types.h>

#include "io/bytes/descriptor.h"
#include "io/bytes/output.h"

namespace nearkin {

[[noreturn]] void fail_with(const std::string& subject, const std::string& message);
[[noreturn]] void fail_by_errno(const std::string& subject, int code);

/// Calls use(path) for each entry of a folder; stops silently at an error.
template <typename Use>
void for_each_entry(const std::filesystem::path& folder, Use use) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error); !error && entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    use(entry->path());
  }
}

/// Makes names that were created or changed in the folder durable.
void sync_folder(const std::string& folder);
/// The same for a whole new file.
void write_file(const std::string& path, const std::string& bytes);
/// Gives `made` the owner and the permissions of `old`, as far as that is allowed.
void take_owner_of(const std::string& old, const std::string& made);

/// The number that CURRENT begins with: the version of everything in the tables.
inline constexpr std::uint32_t kIndexFormat = 2;

/// Replaces CURRENT; durable when it returns.
void write_current(const std::string& folder, const std::string& generation);
/// The generation that CURRENT names. Throws Error(file) if there is no index, or one of another format.
std::string read_current(const std::string& folder);
struct Current {
  std::string format;
  std::string generation;
};
/// The same for every format.
Current read_any_current(const std::string& folder);

/// Identifies one CURRENT file: it is replaced by renaming, so a new one is a different file.
struct CurrentFile {
  ino_t number = 0;
  std::time_t seconds = 0;
  long nanoseconds = 0;
  bool operator==(const CurrentFile&) const = default;
};
CurrentFile current_file(const std::string& folder);

/// Removes the BuildFolders of killed processes within `folder`.
void remove_abandoned_within(const std::string& folder);

/// A folder beside the one that it will become. It holds a lock on a file inside, which the system releases when the process ends, however
/// it ends. So a folder whose lock can be taken was abandoned, on whatever machine or in whatever container it was created.
class BuildFolder {
 public:
  /// Also removes abandoned folders beside it. Throws Error(file) naming `folder`.
  explicit BuildFolder(const std::string& folder);
  /// Removes it, unless it was published.
  ~BuildFolder();
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;

  const std::string& path() const { return path_; }
  /// A file or folder in it, by its name there, that goes with it if a signal ends the process. What is not named here stays behind, until
  /// somebody makes an index beside it.
  void contains(const std::string& name);
  /// Gives it its final name; durable when it returns. Throws Error(file) if something else has that name.
  void publish();

 private:
  bool make(const std::string& path);

  std::string folder_;
  std::string path_;  // empty: published
  std::vector<Unfinished> unfinished_;
  Descriptor lock_;
};

}  // namespace nearkin
