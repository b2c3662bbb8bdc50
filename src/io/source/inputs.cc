#include "io/source/inputs.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nearkin/error.h>
#include <nearkin/tools/front_end.h>

#include "io/bytes/byte_stream.h"
#include "io/formats/formats.h"
#include "io/source/extract.h"
#include "io/source/memory_items.h"

namespace nearkin {
namespace {

namespace fs = std::filesystem;

std::string read_whole(const std::string& path, bool ahead) {
  OpenedFile file = OpenedFile::open(path, ahead);
  if (!file) throw Error(ErrorCode::file, path, reason("cannot be read", errno));
  ByteStream stream(std::move(file), path);
  std::string all;
  std::size_t size = 0;
  do {
    size = all.size();
    all.resize(std::max<std::size_t>(size * 2, 64 << 10));
    all.resize(size + stream.read(all.data() + size, all.size() - size));
  } while (all.size() > size);
  return all;
}

std::vector<std::string> listed_paths(const std::string& list, bool ahead) {
  const std::string all = read_whole(list, ahead);
  std::vector<std::string> paths;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    std::string line = all.substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_not_of(" \t") != std::string::npos) paths.push_back(std::move(line));
    begin = end + 1;
  }
  return paths;
}

bool is_plain_file(const std::string& path) { return file_state_at(path).value_or(FileState{}).regular; }

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  const int status = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> paths;
  if (status == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (paths.empty()) throw Error(ErrorCode::file, pattern, "no file matches this pattern");
  // Not by glob itself, whose order follows the locale.
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> named_paths(const Input& input, bool ahead) {
  std::vector<std::string> paths;
  for (const std::string& path : input.paths) {
    if (path.find_first_of("*?[") == std::string::npos || file_state_at(path)) {
      paths.push_back(path);
    } else {
      for (std::string& match : matches_of(path)) paths.push_back(std::move(match));
    }
  }
  if (input.files_from) {
    for (std::string& path : listed_paths(*input.files_from, ahead)) paths.push_back(std::move(path));
  } else if (input.paths.empty()) {
    paths.emplace_back("-");
  }
  const auto streams = std::count(paths.begin(), paths.end(), "-") + (input.files_from == "-" ? 1 : 0);
  if (streams > 1) throw Error(ErrorCode::plan, "-", "standard input is named more than once; it can be read only once");
  return paths;
}

InputPath problem_at(const fs::path& path, const std::error_code& error) {
  return {path.string(), false, false, 0, reason("cannot be listed", error.value())};
}

/// One folder's own entries; the folders among them go to `folders`.
void list_folder(const fs::path& folder, bool named, std::vector<InputPath>& files, std::vector<fs::path>& folders) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  if (error && named) throw Error(ErrorCode::file, folder.string(), reason("cannot be listed", error.value()));
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code ignored;
    const fs::file_status status = entry->symlink_status(ignored);
    if (fs::is_directory(status)) folders.push_back(entry->path());
    if (!fs::is_regular_file(status)) continue;
    const std::uintmax_t size = entry->file_size(ignored);
    files.push_back({entry->path().string(), false, true, ignored ? 0 : size, {}});
  }
  if (error) files.push_back(problem_at(folder, error));
}

std::vector<InputPath> walk(const std::string& root) {
  std::vector<InputPath> files;
  std::vector<fs::path> folders;
  list_folder(root, true, files, folders);
  while (!folders.empty()) {
    const fs::path folder = std::move(folders.back());
    folders.pop_back();
    list_folder(folder, false, files, folders);
  }
  std::sort(files.begin(), files.end(), [](const InputPath& a, const InputPath& b) { return a.path < b.path; });
  return files;
}

InputPath named_file(const std::string& path, const struct stat& s) {
  const bool regular = S_ISREG(s.st_mode);
  return {path, true, regular, regular ? static_cast<std::uint64_t>(s.st_size) : 0, {}};
}

/// Standard input by a name that leads to the file behind it.
std::string real_name(const std::string& path) { return path == "-" ? "/dev/stdin" : path; }

/// Notices a file that was named before, by the same name or another: its records would count as copies of themselves. Two hard links are
/// two files.
class NamedFiles {
 public:
  void check(InputPath& file, const struct stat& s) {
    if (!S_ISREG(s.st_mode)) return;
    const auto [earlier, is_new] = first_.try_emplace({s.st_dev, s.st_ino}, file.path);
    if (is_new) return;
    std::error_code error;
    const fs::path real = fs::canonical(real_name(file.path), error);
    if (error || real != fs::canonical(real_name(earlier->second), error)) return;
    const std::string before = earlier->second == "-" ? "standard input" : earlier->second;
    file.problem = earlier->second == file.path ? "is given twice and was read once; name it once"
                                                : "is the same file as " + before + ", which was named before; name it once";
  }

 private:
  std::map<std::pair<dev_t, ino_t>, std::string> first_;
};

struct NamedSketch {
  std::string path;
  FileState state;
};

void add_sketch(std::vector<NamedSketch>& sketches, const std::string& path) {
  const std::optional<FileState> state = file_state_at(path);
  const auto same = [&](const NamedSketch& other) {
    return state && other.state.device == state->device && other.state.inode == state->inode;
  };
  if (std::any_of(sketches.begin(), sketches.end(), same)) {
    throw Error(ErrorCode::plan, path, "is named more than once; name a sketch file once");
  }
  sketches.push_back({path, state.value_or(FileState{})});
}

/// A sketch file in a folder that is read as well is no item of it.
void drop_found(const std::vector<NamedSketch>& sketches, std::vector<InputPath>& all) {
  std::error_code ignored;
  std::unordered_set<std::string> places;
  for (const NamedSketch& sketch : sketches) places.insert(fs::canonical(sketch.path, ignored).string());
  std::erase_if(all, [&](const InputPath& entry) {
    return !entry.named && entry.problem.empty() && places.contains(fs::canonical(entry.path, ignored).string());
  });
}

/// Leaves out what a folder reaches again: kept by real path, not by inode, because two hard links are two files to the user.
std::vector<InputPath> without_repeats(std::vector<InputPath> all) {
  struct Seen {
    bool found = false, named = false;
  };
  std::unordered_map<std::string, Seen> seen;
  std::vector<InputPath> kept;
  kept.reserve(all.size());
  for (InputPath& entry : all) {
    std::error_code error;
    const fs::path real = entry.path == "-" ? fs::path() : fs::canonical(entry.path, error);
    Seen& before = seen[error ? entry.path : real.string()];
    const bool repeat = entry.named ? before.found && !before.named : before.found || before.named;
    (entry.named ? before.named : before.found) = true;
    if (!repeat) kept.push_back(std::move(entry));
  }
  return kept;
}

}  // namespace

ExpandedInput expand_with_sketches(const Input& input, bool ahead) {
  std::vector<InputPath> all;
  const std::vector<std::string> paths = named_paths(input, ahead);
  bool any_folder = false;
  std::vector<NamedSketch> named;
  NamedFiles files;
  for (const std::string& path : paths) {
    struct stat s {};
    if (path == "-") {
      all.push_back({path, true, false, 0, {}});
      if (::fstat(STDIN_FILENO, &s) == 0) files.check(all.back(), s);
    } else if (::stat(path.c_str(), &s) != 0) {
      throw Error(ErrorCode::file, path, errno == ENOENT ? "no such file or folder" : reason("cannot be read", errno));
    } else if (S_ISDIR(s.st_mode)) {
      any_folder = true;
      for (InputPath& file : walk(path)) all.push_back(std::move(file));
    } else {
      all.push_back(named_file(path, s));
      files.check(all.back(), s);
      const bool sketch = all.back().regular && RunFile::is_one(path);
      // One whose first bytes are damaged must not be read as a text.
      if (!sketch && !input.format && path.ends_with(".sketch")) {
        throw Error(ErrorCode::file, path, "has the name of a sketch file but is not one; make it again, or name its format");
      }
      if (!sketch) continue;
      add_sketch(named, path);
      all.back().sketch = path;
    }
  }
  if (any_folder && !named.empty()) drop_found(named, all);
  if (any_folder && paths.size() > 1) all = without_repeats(std::move(all));
  ExpandedInput expanded;
  for (const NamedSketch& sketch : named) expanded.sketches.push_back(open_sketch_file(sketch.path));
  expanded.paths = named.empty() ? std::move(all) : place_sketches(all, expanded.sketches);
  return expanded;
}

std::vector<InputPath> expand(const Input& input) { return expand_with_sketches(input).paths; }

std::vector<Format> formats_of(const std::vector<InputPath>& sources, const Input& input) {
  std::vector<Format> formats;
  bool texts = false;
  for (const InputPath& source : sources) {
    const Format by_name = source.path == "-" ? Format::lines : format_of_path(source.path, source.named);
    const bool extracted = !source.format && is_extracted(source.path, by_name, input);
    formats.push_back(source.format ? *source.format : extracted ? Format::files : input.format.value_or(by_name));
    texts = texts || (source.problem.empty() && !holds_vectors(formats.back()));
  }
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const bool met = !sources[i].named && !sources[i].format;
    if (texts && !input.format && met && holds_vectors(formats[i])) formats[i] = Format::files;
  }
  return formats;
}

namespace {

/// The formats of all sources, each once; absent where they cannot be told without reading a stream.
std::optional<std::vector<Format>> known_formats(const Input& input) {
  if (input.memory) return std::vector{format_of(*input.memory, input)};
  if (input.format) return std::vector{*input.format};
  // A list from a pipe can be read only once, and that is for the run to do.
  if (input.files_from && (*input.files_from == "-" || !is_plain_file(*input.files_from))) return std::nullopt;
  if (!input.files_from && input.paths.empty()) return std::nullopt;
  if (std::find(input.paths.begin(), input.paths.end(), "-") != input.paths.end()) return std::nullopt;
  const std::vector<InputPath> sources = expand(input);
  const std::vector<Format> formats = formats_of(sources, input);
  std::vector<Format> met;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].path == "-" && !sources[i].format) return std::nullopt;
    if (sources[i].problem.empty() && std::find(met.begin(), met.end(), formats[i]) == met.end()) met.push_back(formats[i]);
  }
  return met;
}

bool is_set(Format format) { return format == Format::sets || format == Format::edges || format == Format::table; }

}  // namespace

bool reads_sets(const Input& input) {
  const auto formats = known_formats(input);
  return formats && !formats->empty() && std::all_of(formats->begin(), formats->end(), is_set);
}

std::optional<Format> format_of(const Input& input) {
  const auto formats = known_formats(input);
  return formats && formats->size() == 1 ? std::optional(formats->front()) : std::nullopt;
}

bool can_be_read_again(const Input& input) {
  if (input.memory) return true;
  std::vector<std::string> paths = input.paths;
  if (input.files_from) {
    if (*input.files_from == "-" || !is_plain_file(*input.files_from)) return false;
    const std::vector<std::string> listed = listed_paths(*input.files_from, false);
    paths.insert(paths.end(), listed.begin(), listed.end());
  }
  return std::none_of(paths.begin(), paths.end(), [](const std::string& path) {
    struct stat s {};
    return path == "-" || (::stat(path.c_str(), &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode));
  });
}

}  // namespace nearkin
