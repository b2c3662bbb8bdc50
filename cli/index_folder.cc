#include "index_folder.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "disagreement.h"
#include "errors.h"
#include "ignore.h"
#include "options.h"
#include "signals.h"

namespace nearkin::cli {
namespace {

namespace fs = std::filesystem;

bool begins_as_index(const fs::path& folder) {
  std::ifstream file(folder / "CURRENT", std::ios::binary);
  std::string line;
  return std::getline(file, line) && line.starts_with("nearkin-index");
}

/// The tables of an index whose CURRENT is lost or damaged: read as a folder of files, they would be passed over without a word.
bool holds_tables(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (fs::exists(entry->path() / "data.mdb", ignored) && fs::exists(entry->path() / "lock.mdb", ignored)) return true;
  }
  return false;
}

std::string taken(std::vector<std::string>& inputs) {
  std::string first = inputs.front();
  inputs.erase(inputs.begin());
  return first;
}

}  // namespace

bool is_index(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) &&
         (begins_as_index(path) || (fs::exists(fs::path(path) / "CURRENT", ignored) && holds_tables(path)));
}

void take_leading_arguments(const Command& command, ParsedArgs& typed) {
  if ((command.bit & (kIndex | kServe)) == 0) return;
  if (command.bit == kIndex) {
    if (typed.inputs.empty())
      throw UsageError("index: takes create, add, remove, info, compact or verify, and INDEX; see 'nearkin help index'");
    typed.action = taken(typed.inputs);
  }
  const std::string name = command.bit == kIndex ? fmt::format("index {}", *typed.action) : command.name;
  if (typed.inputs.empty()) throw UsageError(fmt::format("{}: takes INDEX, a folder, none given", name));
  typed.index = taken(typed.inputs);
  if (typed.index->empty()) throw UsageError("INDEX: an empty name; name a folder");
}

void refuse_indexes(const Command& command, const ParsedArgs& typed) {
  for (std::size_t i = 0; i < typed.inputs.size(); ++i) {
    if ((command.bit == kQuery && i == 0) || !is_index(typed.inputs[i])) continue;
    throw UsageError(
        fmt::format("{}: is an index, which query, dedup --index, index and serve take; name the files of its items", typed.inputs[i]));
  }
}

Index open_index(const std::string& folder, Index::Access access) {
  end_on_damage(folder);
  return Index::open(folder, access);
}

void refuse_other_plan_than(const ParsedArgs& typed, const Index& index) {
  const Made made{[&index] { return index.folder(); }, "leave it out, or create another index"};
  if (typed.plan) refuse_other_plan(parsed_plan(*typed.plan), index.plan(), made);
  refuse_change(typed, index.plan(), made);
  if (asks_to_ignore(typed) || typed.ignored) {
    const char* const flag = !typed.ignore.empty() ? "--ignore" : typed.ignore_common ? "--ignore-common" : "--ignored";
    throw UsageError(fmt::format("{}: what is ignored was decided when the index was created; leave {} out", made.name(), flag));
  }
  const std::uint32_t dimensions = index.plan().sketch.dimensions;
  if (!typed.dimensions || dimensions == 0 || whole(*typed.dimensions, "--dimensions", 1) == dimensions) return;
  throw UsageError(fmt::format("{}: made with dimensions={}; --dimensions {} cannot change that; {}", made.name(), dimensions,
                               *typed.dimensions, made.way_out));
}

}  // namespace nearkin::cli
