// What the fuzz targets share: a file to read from, and a check that ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace nearkin::fuzz {

/// Ends the process, which libFuzzer takes for a crash, with the broken rule on standard error.
inline void require(bool holds, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", rule);
  std::abort();
}

inline std::string_view bytes_of(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

/// A file of a given name in a folder of its own under TMPDIR, written anew for each input and removed at the end.
class InputFile {
 public:
  explicit InputFile(const char* name)
      : folder_(std::filesystem::temp_directory_path() / ("nearkin-fuzz-" + std::to_string(::getpid()))), path_((folder_ / name).string()) {
    std::filesystem::create_directories(folder_);
  }
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }

  void write(std::string_view bytes) const {
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(file >= 0 && ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "the input can be written");
    ::close(file);
  }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

}  // namespace nearkin::fuzz
