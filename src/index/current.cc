#include "index/current.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "index/files.h"

namespace nearkin {
namespace {

constexpr const char* kMagic = "nearkin-index ";
constexpr const char* kCurrent = "/CURRENT";

}  // namespace

void write_current(const std::string& folder, const std::string& generation) {
  const std::string path = folder + kCurrent;
  write_file(path + ".new", kMagic + std::to_string(kIndexFormat) + "\n" + generation + "\n");
  take_owner_of(path, path + ".new");
  if (std::rename((path + ".new").c_str(), path.c_str()) != 0) fail_by_errno(folder, errno);
  sync_folder(folder);
}

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

CurrentFile current_file(const std::string& folder) {
  struct stat s {};
  if (::stat((folder + kCurrent).c_str(), &s) != 0) return {};
  return {s.st_ino, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
}

}  // namespace nearkin
