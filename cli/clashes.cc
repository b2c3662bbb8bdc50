#include "clashes.h"

#include <fnmatch.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/sketch_file.h>

#include "errors.h"
#include "index_folder.h"
#include "options.h"
#include "what_if.h"

namespace nearkin::cli {
namespace {

struct Named {
  const char* flag;
  std::string path;
};

/// What is read as a collection of items, and not as two of them or a text.
constexpr unsigned kCollections =
    kPairs | kCluster | kDedup | kDistinct | kSketch | kQuery | kEvaluate | kTune | kIndex | kPassages | kDecontaminate;
constexpr std::string_view kInput = "INPUT";

/// What a name stands for, as far as it can be known before anything is opened.
struct OutputPlace {
  std::string path;                                  ///< the real one
  bool device = false;                               ///< /dev/null and the like, which several may share
  std::optional<std::pair<dev_t, ino_t>> file = {};  ///< of a regular file that is there
};

bool is_one_of(std::string_view path, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), path) != names.end();
}

bool is_stdin(std::string_view path) { return is_one_of(path, {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}); }
bool is_stdout(std::string_view path) { return is_one_of(path, {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}); }

OutputPlace place_of_stream(int descriptor) {
  OutputPlace place{fmt::format("/dev/fd/{}", descriptor)};
  struct stat s {};
  if (::fstat(descriptor, &s) != 0 || !S_ISREG(s.st_mode)) return place;
  place.file = {s.st_dev, s.st_ino};
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(place.path, error);
  if (!error) place.path = real.string();
  return place;
}

OutputPlace place_of_path(const std::string& path) {
  std::error_code error;
  OutputPlace place{std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error).string()};
  if (error) place.path = path;
  struct stat s {};
  if (::stat(path.c_str(), &s) != 0) return place;
  place.device = S_ISCHR(s.st_mode);
  if (S_ISREG(s.st_mode)) place.file = {s.st_dev, s.st_ino};
  return place;
}

OutputPlace place_of_output(const std::string& path) { return is_stdout(path) ? place_of_stream(STDOUT_FILENO) : place_of_path(path); }
OutputPlace place_of_input(const std::string& path) { return is_stdin(path) ? place_of_stream(STDIN_FILENO) : place_of_path(path); }

bool same(const OutputPlace& a, const OutputPlace& b) {
  if (a.file && b.file) return *a.file == *b.file;
  return a.path == b.path && !a.device;
}

void add(std::vector<Named>& names, const char* flag, const ParsedArgs::Text& path) {
  if (path) names.push_back({flag, *path});
}

/// The output proper comes first.
std::vector<Named> outputs_of(const ParsedArgs& typed) {
  std::vector<Named> names{{"--output", output_of(typed)}};
  add(names, "--removed", typed.removed);
  add(names, "--hits", typed.hits);
  add(names, "--skipped", typed.skipped);
  add(names, "--ignored", typed.ignored);
  add(names, "--summary", typed.summary);
  add(names, "--stats", typed.stats);
  add(names, "--plot", typed.plot);
  add(names, "--report", typed.report);
  return names;
}

/// In the order in which they are complained about: the one that a message names comes after the one it meets.
std::vector<Named> inputs_of(const Command& command, const ParsedArgs& typed) {
  std::vector<Named> names;
  const bool texts = command.bit == kExplain && typed.text;  // then OTHER is no file
  for (const std::string& path : typed.inputs) {
    if (!texts) names.push_back({"INPUT", path});
  }
  const bool changes_index = command.bit == kIndex && (typed.action == "add" || typed.action == "remove");
  const bool reads_by_default =
      changes_index || (command.bit & (kPairs | kCluster | kDedup | kDistinct | kSketch | kPassages | kDecontaminate)) != 0;
  if (names.empty() && !typed.files_from && reads_by_default) names.push_back({"INPUT", "-"});
  add(names, "--files-from", typed.files_from);
  if (typed.plan && typed.plan->starts_with('@')) names.push_back({"--plan", typed.plan->substr(1)});
  add(names, "--against", typed.against);
  add(names, "--truth", typed.truth);
  add(names, "--decisions", typed.decisions);
  for (const std::string& suite : typed.suites) names.push_back({"--against", named_suite(suite).path});
  for (const std::string& path : typed.ignore) names.push_back({"--ignore", path});
  add(names, command.bit == kDedup ? "--index" : "INDEX", typed.index);
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

/// A pipe can be read once: its second reader would wait for ever.
void refuse_second_pipe(const std::vector<Named>& inputs) {
  std::vector<std::pair<dev_t, ino_t>> read;
  for (const auto& [flag, path] : inputs) {
    struct stat s {};
    if (is_stdin(path) || ::stat(path.c_str(), &s) != 0 || !S_ISFIFO(s.st_mode)) continue;
    const std::pair<dev_t, ino_t> pipe{s.st_dev, s.st_ino};
    if (std::find(read.begin(), read.end(), pipe) != read.end())
      throw UsageError(fmt::format("{}: {} is a pipe that is read already; name a file", flag, path));
    read.push_back(pipe);
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

void refuse_shared_outputs(const std::vector<Named>& outputs, const std::vector<OutputPlace>& places) {
  for (std::size_t second = 1; second < outputs.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      if (same(places[first], places[second])) refuse_output(outputs[second], outputs[first], first == 0);
    }
  }
}

/// The files that a quoted pattern stands for; the path itself where it is none.
std::vector<std::string> expanded(const std::string& path) {
  if (!is_pattern(path)) return {path};
  std::vector<std::string> paths;
  glob_t found{};
  if (::glob(path.c_str(), GLOB_NOSORT, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return paths;
}

/// A file, there already, that an output would take the place of.
struct Threatened {
  Named output;
  OutputPlace place;
  bool is_result = false;  ///< -o
};

std::vector<Threatened> threatened_by(const std::vector<Named>& outputs, const std::vector<OutputPlace>& places) {
  std::vector<Threatened> files;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (places[i].file) files.push_back({outputs[i], places[i], i == 0});
  }
  return files;
}

/// `why`: how it comes to be read, where that was not typed.
[[noreturn]] void refuse_replaced(const Threatened& file, std::string_view flag, const std::string& why = {}) {
  const std::string role = flag == kInput ? "also an input" : fmt::format("read as {}", flag);
  throw UsageError(fmt::format("{}: {} is {}{}; name another file", file.output.flag,
                               is_stdout(file.output.path) ? "standard output" : file.output.path, role, why));
}

Input alone(const ParsedArgs& typed, const std::string& path) {
  Input input;
  input.paths = {path};
  if (typed.format) input.format = parse_format(*typed.format);
  return input;
}

bool is_sketch_file(const ParsedArgs& typed, const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && plan_of_sketches(alone(typed, path));
}

/// The result of dedup, or of decontaminate --do, holds all that is wanted of a file of records: it may take its place when it is complete.
/// Not that of a file that is one item, of which only the path is written, or of a graph, whose nodes are.
bool may_take_place(const Command& command, const ParsedArgs& typed, const Threatened& file, const Named& input) {
  const bool writes_records =
      (command.bit == kDedup && !asks_what_if(typed)) || (command.bit == kDecontaminate && typed.act && !typed.inject);
  if (!writes_records || !file.is_result || is_stdout(file.output.path) || input.flag != kInput) return false;
  if (is_sketch_file(typed, input.path)) return false;
  const std::optional<Format> format = format_of(alone(typed, input.path));
  return format != Format::files && format != Format::edges;
}

/// As a folder is walked: what is hidden in it is not read.
bool is_in(const OutputPlace& folder, const OutputPlace& file) {
  const std::string begin = folder.path.ends_with('/') ? folder.path : folder.path + '/';
  return file.path.starts_with(begin) && file.path.find("/.", begin.size() - 1) == std::string::npos;
}

void refuse_replaced_sources(const ParsedArgs& typed, const std::vector<Threatened>& files, const Named& sketch) {
  if (!is_sketch_file(typed, sketch.path)) return;
  for (const std::string& source : files_of(alone(typed, sketch.path))) {
    const OutputPlace place = place_of_path(source);
    for (const Threatened& file : files) {
      if (same(file.place, place)) refuse_replaced(file, sketch.flag, fmt::format(", because {} was made from it", sketch.path));
    }
  }
}

/// One path that is read; `why` as above.
void refuse_replaced(const Command& command, const ParsedArgs& typed, const std::vector<Threatened>& files, const Named& input,
                     const std::string& why = {}) {
  const OutputPlace place = place_of_input(input.path);
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(place.path, ignored);
  for (const Threatened& file : files) {
    if (folder && is_in(place, file.place)) refuse_replaced(file, input.flag, fmt::format(", as it is in {}", input.path));
    if (!same(file.place, place)) continue;
    const bool allowed = why.empty() && may_take_place(command, typed, file, input);
    if (!allowed) refuse_replaced(file, input.flag, why);
  }
  const bool collection = (command.bit & kCollections) != 0 && (input.flag == kInput || input.flag == std::string_view("--against"));
  if (collection && place.file && !is_stdin(input.path)) refuse_replaced_sources(typed, files, input);
}

/// The paths in a list that is a file; none of a pipe, which can be read only once, and that is for the run to do.
std::vector<std::string> paths_in_list(const std::string& list) {
  if (is_stdin(list) || !place_of_path(list).file) return {};
  Input input;
  input.paths = {list};
  input.format = Format::lines;
  const Items lines = read_items(input);
  std::vector<std::string> paths;
  for (Row i = 0; i < lines.size(); ++i) paths.emplace_back(lines.text(i));
  return paths;
}

void refuse_replaced_in_list(const Command& command, const ParsedArgs& typed, const std::vector<Threatened>& files,
                             const std::string& list) {
  for (const std::string& path : paths_in_list(list))
    refuse_replaced(command, typed, files, {kInput.data(), path}, fmt::format(", because {} lists it", list));
}

void refuse_replaced_inputs(const Command& command, const ParsedArgs& typed, const std::vector<Threatened>& files,
                            const std::vector<Named>& inputs) {
  if (files.empty()) return;
  for (const auto& [flag, pattern] : inputs) {
    for (const std::string& path : expanded(pattern)) refuse_replaced(command, typed, files, {flag, path});
  }
  if (typed.files_from) refuse_replaced_in_list(command, typed, files, *typed.files_from);
}

/// By looking at the files that are named; a folder takes time to walk and holds what it holds.
void refuse_damaged_sketches(const Command& command, const ParsedArgs& typed) {
  if ((command.bit & kCollections) == 0) return;
  const auto look = [&](const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) files_of(alone(typed, path));
  };
  for (const std::string& pattern : typed.inputs) {
    for (const std::string& path : expanded(pattern)) look(path);
  }
  if (typed.against) {
    for (const std::string& path : expanded(*typed.against)) look(path);
  }
  for (const std::string& suite : typed.suites) {
    for (const std::string& path : expanded(named_suite(suite).path)) look(path);
  }
  if (!typed.files_from) return;
  Input listed;
  listed.files_from = typed.files_from;
  files_of(listed);
}

/// A file that cannot be written is better known before a long run than after it. Pipes are left alone: their readers would see them end.
void check_writable(const std::vector<Named>& outputs) {
  for (const auto& [flag, path] : outputs) {
    std::error_code ignored;
    // A folder cannot be written at all, which is what is said of it.
    const bool is_file = !std::filesystem::exists(path, ignored) || std::filesystem::is_regular_file(path, ignored) ||
                         std::filesystem::is_directory(path, ignored);
    if (!is_stdout(path) && is_file) check_output(path);
  }
}

/// What is read as records: not an index, nor nothing.
std::optional<Input> records_of(const Command& command, ParsedArgs typed) {
  if (command.bit == kQuery && !typed.inputs.empty() && is_index(typed.inputs[0])) typed.inputs.erase(typed.inputs.begin());
  const std::vector<Named> inputs = inputs_of(command, typed);
  const bool any = typed.files_from || std::any_of(inputs.begin(), inputs.end(), [](const Named& input) { return input.flag == kInput; });
  return any && (command.bit & kCollections) != 0 ? std::optional(input_of(typed)) : std::nullopt;
}

/// A folder that is read would hold the output, and the next run would read that as an item.
void refuse_output_in(const Named& folder, const OutputPlace& place, const std::vector<Named>& outputs,
                      const std::vector<OutputPlace>& places) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (is_stdout(outputs[i].path) || places[i].device || !is_in(place, places[i])) continue;
    throw UsageError(fmt::format("{}: {} is in {}, a folder that is read, and would be an item of the next run; name a file outside of it",
                                 outputs[i].flag, outputs[i].path, folder.path));
  }
}

/// The next run would read the output for the pattern, too. `pattern`: of a folder that is there.
void refuse_output_matched(const Named& pattern, const std::vector<Named>& outputs, const std::vector<OutputPlace>& places) {
  const std::filesystem::path whole = pattern.path;
  const std::string parent = whole.parent_path().empty() ? "." : whole.parent_path().string();
  for (const std::string& folder : expanded(parent)) {
    const std::filesystem::path there = place_of_path(folder).path;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::filesystem::path output = places[i].path;
      if (is_stdout(outputs[i].path) || places[i].device || output.parent_path() != there) continue;
      if (::fnmatch(whole.filename().c_str(), output.filename().c_str(), FNM_PERIOD) != 0) continue;
      throw UsageError(fmt::format("{}: {} is one of {}, and would be read by the next run; give it another name", outputs[i].flag,
                                   outputs[i].path, pattern.path));
    }
  }
}

void refuse_outputs_in_inputs(const std::vector<Named>& inputs, const std::vector<Named>& outputs, const std::vector<OutputPlace>& places) {
  for (const Named& input : inputs) {
    for (const std::string& path : expanded(input.path)) {
      std::error_code ignored;
      if (std::filesystem::is_directory(path, ignored)) refuse_output_in({input.flag, path}, place_of_path(path), outputs, places);
    }
    if (is_pattern(input.path)) refuse_output_matched(input, outputs, places);
  }
}

/// The inputs that are collections, with those that a list names.
std::vector<Named> with_listed(const ParsedArgs& typed, const std::vector<Named>& inputs) {
  std::vector<Named> all;
  std::copy_if(inputs.begin(), inputs.end(), std::back_inserter(all),
               [](const Named& input) { return input.flag == kInput || input.flag == std::string_view("--against"); });
  if (!typed.files_from) return all;
  for (std::string& path : paths_in_list(*typed.files_from)) all.push_back({kInput.data(), std::move(path)});
  return all;
}

/// What is not there yet, and would have the place of an output, or hold it: the folder of an index that is made, or of a copy.
void refuse_outputs_in_new_folder(const char* what, const ParsedArgs::Text& path, const std::vector<Named>& outputs,
                                  const std::vector<OutputPlace>& places) {
  if (!path) return;
  const OutputPlace made = place_of_path(*path);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (is_stdout(outputs[i].path) || (places[i].path != made.path && !is_in(made, places[i]))) continue;
    throw UsageError(fmt::format("{}: {} is {} {}; name another file", outputs[i].flag, outputs[i].path,
                                 places[i].path == made.path ? "the folder of" : fmt::format("in {}, the folder of", *path), what));
  }
}

/// A shell makes several words of a pattern: of "--against suites/*.jsonl", all but the first would be inputs.
void refuse_inputs_behind_against(const ParsedArgs& typed) {
  if (typed.inputs.size() + (typed.files_from ? 1 : 0) < 2) return;
  const auto end = std::find(typed.words.begin(), typed.words.end(), "--");
  for (auto word = typed.words.begin(); end - word > 2; ++word) {
    const std::string &value = word[1], &behind = word[2];
    if (*word != "--against" || (behind.size() > 1 && behind[0] == '-')) continue;
    const bool suites = !typed.suites.empty();
    throw UsageError(
        fmt::format("--against: takes one {0}, {1}, so {2} behind it would be read as INPUT; {3}, or write INPUT before --against",
                    suites ? "suite" : "collection", value, behind,
                    suites ? "repeat --against for each suite, or quote a pattern" : "quote a pattern"));
  }
}

}  // namespace

void refuse_idle_reading(const Command& command, const ParsedArgs& typed) {
  const std::optional<Input> input = records_of(command, typed);
  std::optional<Input> against = against_of(typed);
  for (const Suite& suite : suites_of(typed)) {
    if (!against) against = suite.input;
    against->paths.push_back(suite.input.paths.front());
  }
  if (input) require_options_read(*input, against ? &*against : nullptr);
}

void refuse_clashes(const Command& command, const ParsedArgs& typed) {
  const std::vector<Named> inputs = inputs_of(command, typed);
  const std::vector<Named> outputs = outputs_of(typed);
  refuse_empty(inputs, "name a file, or - for standard input");
  refuse_empty(outputs, "name a file, or - for standard output");
  if (typed.scratch) refuse_empty({{"--scratch", *typed.scratch}}, "name a folder");
  refuse_inputs_behind_against(typed);
  refuse_second_stdin(inputs);
  refuse_second_pipe(inputs);
  std::vector<OutputPlace> places;
  for (const Named& output : outputs) places.push_back(place_of_output(output.path));
  refuse_shared_outputs(outputs, places);
  refuse_replaced_inputs(command, typed, threatened_by(outputs, places), inputs);
  refuse_outputs_in_inputs(with_listed(typed, inputs), outputs, places);
  refuse_outputs_in_new_folder("an index", typed.index, outputs, places);
  refuse_outputs_in_new_folder("the copy", typed.backup, outputs, places);
  check_writable(outputs);
  refuse_damaged_sketches(command, typed);
}

}  // namespace nearkin::cli
