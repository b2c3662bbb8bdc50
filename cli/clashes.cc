#include "clashes.h"

#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "errors.h"
#include "options.h"

namespace nearkin::cli {
namespace {

struct Named {
  const char* flag;
  std::string path;
};

/// What a name stands for, as far as it can be known before anything is opened.
struct Place {
  std::string path;                                  ///< the real one
  bool device = false;                               ///< /dev/null and the like, which several may share
  std::optional<std::pair<dev_t, ino_t>> file = {};  ///< of a regular file that is there
};

bool is_one_of(std::string_view path, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), path) != names.end();
}

bool is_stdin(std::string_view path) { return is_one_of(path, {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}); }
bool is_stdout(std::string_view path) { return is_one_of(path, {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}); }

Place place_of_stream(int descriptor) {
  Place place{fmt::format("/dev/fd/{}", descriptor)};
  struct stat s {};
  if (::fstat(descriptor, &s) == 0 && S_ISREG(s.st_mode)) place.file = {s.st_dev, s.st_ino};
  return place;
}

Place place_of_path(const std::string& path) {
  std::error_code error;
  Place place{std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error).string()};
  if (error) place.path = path;
  struct stat s {};
  if (::stat(path.c_str(), &s) != 0) return place;
  place.device = S_ISCHR(s.st_mode);
  if (S_ISREG(s.st_mode)) place.file = {s.st_dev, s.st_ino};
  return place;
}

Place place_of_output(const std::string& path) { return is_stdout(path) ? place_of_stream(STDOUT_FILENO) : place_of_path(path); }
Place place_of_input(const std::string& path) { return is_stdin(path) ? place_of_stream(STDIN_FILENO) : place_of_path(path); }

bool same(const Place& a, const Place& b) {
  if (a.file && b.file) return *a.file == *b.file;
  return a.path == b.path && !a.device;
}

void add(std::vector<Named>& names, const char* flag, const Typed::Text& path) {
  if (path) names.push_back({flag, *path});
}

/// The output proper comes first.
std::vector<Named> outputs_of(const Typed& typed) {
  std::vector<Named> names{{"--output", output_of(typed)}};
  add(names, "--removed", typed.removed);
  add(names, "--skipped", typed.skipped);
  add(names, "--summary", typed.summary);
  add(names, "--stats", typed.stats);
  add(names, "--plot", typed.plot);
  add(names, "--report", typed.report);
  return names;
}

/// In the order in which they are complained about: the one that a message names comes after the one it meets.
std::vector<Named> inputs_of(const Command& command, const Typed& typed) {
  std::vector<Named> names;
  const bool texts = command.bit == kExplain && typed.text;  // then OTHER is no file
  for (const std::string& path : typed.inputs) {
    if (!texts) names.push_back({"INPUT", path});
  }
  const bool reads_by_default = (command.bit & (kPairs | kCluster | kDedup | kDistinct | kSketch)) != 0;
  if (names.empty() && !typed.files_from && reads_by_default) names.push_back({"INPUT", "-"});
  add(names, "--files-from", typed.files_from);
  if (typed.plan && typed.plan->starts_with('@')) names.push_back({"--plan", typed.plan->substr(1)});
  add(names, "--against", typed.against);
  return names;
}

void refuse_empty(const std::vector<Named>& names, const char* way_out) {
  for (const auto& [flag, path] : names) {
    if (path.empty()) throw UsageError(fmt::format("{}: an empty name; {}", flag, way_out));
  }
}

void refuse_second_stdin(const std::vector<Named>& inputs) {
  bool read = false;
  for (const auto& [flag, path] : inputs) {
    if (!is_stdin(path)) continue;
    if (read) throw UsageError(fmt::format("{}: standard input is read already; name a file", flag));
    read = true;
  }
}

[[noreturn]] void refuse_output(const Named& second, const Named& first, bool first_is_result) {
  if (is_stdout(second.path) && first_is_result && is_stdout(first.path)) {
    throw UsageError(fmt::format("{}: standard output already takes the result; name a file, or give -o FILE", second.flag));
  }
  throw UsageError(fmt::format("{}: {} is the {} already; name another file", second.flag,
                               is_stdout(second.path) ? "standard output" : second.path,
                               first_is_result ? "output" : fmt::format("{} file", first.flag)));
}

void refuse_shared_outputs(const std::vector<Named>& outputs, const std::vector<Place>& places) {
  for (std::size_t second = 1; second < outputs.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      if (same(places[first], places[second])) refuse_output(outputs[second], outputs[first], first == 0);
    }
  }
}

/// The files that a quoted pattern stands for; the path itself where it is none.
std::vector<std::string> expanded(const std::string& path) {
  std::error_code ignored;
  if (path.find_first_of("*?[") == std::string::npos || std::filesystem::exists(path, ignored)) return {path};
  std::vector<std::string> paths;
  glob_t found{};
  if (::glob(path.c_str(), GLOB_NOSORT, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return paths;
}

/// The outputs from the `first` on.
void refuse_replaced_inputs(const std::vector<Named>& outputs, const std::vector<Place>& places, const std::vector<Named>& inputs,
                            std::size_t first) {
  for (const auto& [flag, pattern] : inputs) {
    for (const std::string& path : expanded(pattern)) {
      const Place input = place_of_input(path);
      for (std::size_t i = first; i < outputs.size(); ++i) {
        if (!same(places[i], input)) continue;
        throw UsageError(fmt::format("{}: {} is read as {}; name another file", outputs[i].flag, outputs[i].path, flag));
      }
    }
  }
}

/// A file that cannot be written is better known before a long run than after it. Pipes are left alone: their readers would see them end.
void check_writable(const std::vector<Named>& outputs) {
  for (const auto& [flag, path] : outputs) {
    std::error_code ignored;
    const bool is_file = !std::filesystem::exists(path, ignored) || std::filesystem::is_regular_file(path, ignored);
    if (!is_stdout(path) && is_file) check_output(path);
  }
}

}  // namespace

void refuse_clashes(const Command& command, const Typed& typed) {
  const std::vector<Named> inputs = inputs_of(command, typed);
  const std::vector<Named> outputs = outputs_of(typed);
  refuse_empty(inputs, "name a file, or - for standard input");
  refuse_empty(outputs, "name a file, or - for standard output");
  if (typed.scratch) refuse_empty({{"--scratch", *typed.scratch}}, "name a folder");
  refuse_second_stdin(inputs);
  std::vector<Place> places;
  for (const Named& output : outputs) places.push_back(place_of_output(output.path));
  refuse_shared_outputs(outputs, places);
  // A sketch file needs the files that it was made of.
  const std::size_t first = command.bit == kSketch ? 0 : 1;
  if (outputs.size() > first) refuse_replaced_inputs(outputs, places, inputs, first);
  check_writable(outputs);
}

}  // namespace nearkin::cli
