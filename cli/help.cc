// The help of one command: the common flags first, the others by group, and an example for each task.
#include <unistd.h>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "colour.h"
#include "flags.h"

namespace nearkin::cli {
namespace {

constexpr unsigned kPairing = kPairs | kCluster | kDedup;

/// What most people who use a command need of it, in this order.
struct CommonFlag {
  std::string_view name;
  unsigned commands;  ///< CommandBits
};
constexpr CommonFlag kCommon[] = {
    {"--output", ~0u},
    {"--text", kPairing | kPassages | kDecontaminate | kTune | kIndex | kSketch | kDistinct},
    {"--id", kPairing | kPassages | kIndex},
    {"--threshold", kPairing | kQuery | kTune | kIndex},
    {"--shingle", kPairing | kTune | kCompare | kExplain},
    {"--measure", kQuery | kEvaluate},
    {"--limit", kQuery | kEvaluate},
    {"--least", kPassages},
    {"--against", kPairs | kDedup | kPassages | kDecontaminate},
    {"--do", kDecontaminate},
    {"--keep", kDedup},
    {"--removed", kDedup},
    {"--hits", kDecontaminate},
    {"--linkage", kCluster},
    {"--min-size", kCluster},
    {"--one-to-one", kPairs},
    {"--recall", kPairs | kTune},
    {"--truth", kEvaluate | kTune},
    {"--bands", kCurve | kExplain},
    {"--rows", kCurve | kExplain},
    {"--at", kCurve},
    {"--plan", kSketch},
    {"--listen", kServe},
    {"--token-file", kServe},
    {"--store-texts", kIndex},
    {"--report", kPairing},
    {"--json", kPairs | kCluster | kQuery | kPassages | kCompare},
    {"--help", ~0u},
};

std::string flag_line(const FlagText& flag) {
  std::string name = flag.short_name.empty() ? "    " : fmt::format("{}, ", flag.short_name);
  name += flag.name;
  if (!flag.value.empty()) name += fmt::format(" {}", flag.value);
  std::string text;
  for (const char c : flag.text) text += c == '\n' ? '\n' + std::string(30, ' ') : std::string(1, c);
  return fmt::format("  {:<26}  {}\n", name, text);
}

std::string indented(std::string_view lines) {
  std::string out = "  ";
  for (const char c : lines) out += c == '\n' ? "\n  " : std::string(1, c);
  return out + '\n';
}

/// Takes the common flags out of the others.
std::vector<FlagText> take_common(const Command& command, std::vector<FlagText>& flags) {
  std::vector<FlagText> common;
  for (const CommonFlag& wanted : kCommon) {
    const auto found = std::find_if(flags.begin(), flags.end(), [&](const FlagText& flag) { return flag.name == wanted.name; });
    if (!(wanted.commands & command.bit) || found == flags.end()) continue;
    common.push_back(*found);
    flags.erase(found);
  }
  return common;
}

}  // namespace

std::string help(const Command& command) {
  const bool colours = shows_colours(STDOUT_FILENO);
  const auto heading = [&](std::string_view text) {
    return fmt::format("\n{}\n", coloured(fmt::format("{}:", text), Colour::bold, colours));
  };
  std::string out =
      fmt::format("Usage: nearkin {}{}{} [flags]\n\n{}\n", command.name, *command.arguments ? " " : "", command.arguments, command.about);
  std::vector<FlagText> flags = flags_of(command);
  out += heading("Common flags");
  for (const FlagText& flag : take_common(command, flags)) out += flag_line(flag);
  std::string_view group;
  for (const FlagText& flag : flags) {
    if (flag.group != group) out += heading(flag.group);
    group = flag.group;
    out += flag_line(flag);
  }
  return out + heading("Examples") + indented(command.examples);
}

}  // namespace nearkin::cli
