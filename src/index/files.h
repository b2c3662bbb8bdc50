// Files and folders of an index, and what is said where they fail.
#pragma once

#include <filesystem>
#include <string>

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

}  // namespace nearkin
