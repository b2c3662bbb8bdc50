#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "errors.h"
#include "shell.h"
#include "values.h"
#include "warnings.h"
#include "written.h"

namespace nearkin::cli {
namespace {

bool names_path(std::string_view value) {
  return value.starts_with("FILE") || value == "DIR" || value == "PATH" || value.ends_with("SUITE");
}

/// The words that a flag takes, each up to what the user adds to it.
std::vector<std::string> choices_of(const FlagText& flag) {
  std::vector<std::string> choices;
  for (const std::string& value : flag.values) choices.push_back(beginning_of_value(value));
  return choices;
}

std::string names_of(std::span<const Command* const> commands) {
  std::vector<std::string_view> names;
  for (const Command* command : commands) names.emplace_back(command->name);
  return fmt::format("{}", fmt::join(names, " "));
}

struct Topic {
  const char* name;
  const char* about;
};
// What is typed in place of a command.
constexpr Topic kTopics[] = {{"help", "explain a command or a warning"},
                             {"man", "print a man page"},
                             {"completion", "print a completion script for bash, zsh or fish"}};

// The words that may follow a command or topic at once; none where files or flags do.
std::string second_words(std::span<const Command* const> commands, std::string_view first) {
  if (first == "completion") return "bash zsh fish";
  if (first == "man") return names_of(commands);
  if (first != "help") return {};
  std::string words = names_of(commands) + " warnings";
  for (const WarningText& warning : warnings()) words += fmt::format(" {}", warning.name);
  return words;
}

// "create|add|remove INDEX": the words that the first argument may be.
std::string actions_of(const Command& command) {
  const std::string_view arguments = command.arguments, first = arguments.substr(0, arguments.find(' '));
  if (first.find('|') == std::string_view::npos || first.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string_view::npos) return {};
  std::string words(first);
  std::replace(words.begin(), words.end(), '|', ' ');
  return words;
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

// Offers the words in place of the second argument.
std::string bash_second(const std::string& words) {
  return words.empty()
             ? ""
             : fmt::format("      if [ \"$COMP_CWORD\" -eq 2 ]; then COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return; fi\n", words);
}

std::string bash_case(const Command& command) {
  std::vector<std::string> words, values;
  for (const FlagText& flag : flags_of(command)) {
    words.emplace_back(flag.name);
    if (!flag.short_name.empty()) words.emplace_back(flag.short_name);
    if (!flag.values.empty())
      values.push_back(fmt::format("        {}) _nearkin_offer '{}'; return ;;\n", flag.name, fmt::join(choices_of(flag), " ")));
  }
  return fmt::format(
      "    {})\n{}      case \"$prev\" in\n{}      esac\n      [[ $cur != -* ]] || COMPREPLY=($(compgen -W '{}' -- \"$cur\")) ;;\n",
      command.name, bash_second(actions_of(command)), fmt::join(values, ""), fmt::join(words, " "));
}

// Bash may break what was typed at = and :, so `--measure=eu` and `code:id` are joined again; a reply has only what bash puts in the place
// of its own last part.
constexpr const char* kBashBeginning = R"(# bash completion for nearkin; source it, or put it into the folder of bash-completion
_nearkin_offer() {
  local word
  for word in $(compgen -W "$1" -- "$cur"); do
    word=$lead$word
    COMPREPLY+=("${word#"$before"}")
  done
  if [ "${#COMPREPLY[@]}" -eq 1 ] && [[ ${COMPREPLY[0]} == *[:=] ]]; then compopt -o nospace 2> /dev/null; fi
}
_nearkin() {
  local i=$COMP_CWORD last=${COMP_WORDS[COMP_CWORD]} word=${COMP_WORDS[COMP_CWORD]} cur prev lead= before
  COMPREPLY=()
  while [ "$i" -gt 2 ] && [[ ${COMP_WORDS[i]} == [:=] || ${COMP_WORDS[i-1]} == [:=] ]]; do
    i=$((i - 1))
    word=${COMP_WORDS[i]}$word
  done
  [[ $last != [:=] ]] || last=
  before=${word%"$last"} cur=$word prev=${COMP_WORDS[i-1]}
  if [[ $word == --*=* ]]; then lead=${word%%=*}= prev=${word%%=*} cur=${word#*=}; fi
)";

// What is no flag is a file, by the default of `complete`.
std::string bash(std::span<const Command* const> commands) {
  std::string out = kBashBeginning;
  out += fmt::format(
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W '{} help man completion --version --help' -- \"$cur\"))\n    "
      "return\n  fi\n",
      names_of(commands));
  out += "  case \"${COMP_WORDS[1]}\" in\n";
  for (const Command* command : commands) out += bash_case(*command);
  for (const Topic& topic : kTopics)
    out += fmt::format("    {})\n{}      ;;\n", topic.name, bash_second(second_words(commands, topic.name)));
  out += "  esac\n}\n";
  return out + "complete -o default -o bashdefault -F _nearkin nearkin\n";
}

std::string fish_line(const Command& command, const FlagText& flag) {
  std::string out = fmt::format("complete -c nearkin -n '__fish_seen_subcommand_from {}' -l {}", command.name, flag.name.substr(2));
  if (!flag.short_name.empty()) out += fmt::format(" -s {}", flag.short_name.substr(1));
  if (names_path(flag.value)) {
    out += " -r -F";
  } else if (!flag.value.empty()) {
    out += " -x";
    if (!flag.values.empty()) out += fmt::format(" -a '{}'", fmt::join(choices_of(flag), " "));
  }
  return out + fmt::format(" -d {}\n", shell_word(first_line(flag.text)));
}

std::string fish(std::span<const Command* const> commands) {
  std::string out = "# fish completion for nearkin; put it into ~/.config/fish/completions/nearkin.fish\n";
  for (const Command* command : commands) {
    out += fmt::format("complete -c nearkin -n __fish_use_subcommand -f -a {} -d {}\n", command->name, shell_word(command->summary));
    for (const FlagText& flag : flags_of(*command)) out += fish_line(*command, flag);
    if (const std::string actions = actions_of(*command); !actions.empty())
      out += fmt::format("complete -c nearkin -n '__fish_seen_subcommand_from {}' -a '{}'\n", command->name, actions);
  }
  for (const Topic& topic : kTopics) {
    out += fmt::format("complete -c nearkin -n __fish_use_subcommand -f -a {} -d {}\n", topic.name, shell_word(topic.about));
    out +=
        fmt::format("complete -c nearkin -n '__fish_seen_subcommand_from {}' -f -a '{}'\n", topic.name, second_words(commands, topic.name));
  }
  return out;
}

// In a specification of _arguments, brackets end the text and colons begin the value.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : first_line(text)) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_line(const FlagText& flag) {
  std::string value;
  if (!flag.value.empty()) {
    const std::vector<std::string> choices = choices_of(flag);
    const std::string action = choices.empty() ? " " : fmt::format("({})", zsh_text(fmt::format("{}", fmt::join(choices, " "))));
    value = fmt::format(":{}:{}", zsh_text(flag.value), names_path(flag.value) ? "_files" : action);
  }
  return fmt::format("        {} \\\n",
                     shell_word(fmt::format("*{}{}[{}]{}", flag.name, value.empty() ? "" : "=", zsh_text(flag.text), value)));
}

std::string zsh(std::span<const Command* const> commands) {
  std::string out = "#compdef nearkin\n_nearkin() {\n  local -a commands\n  commands=(\n";
  for (const Command* command : commands) out += fmt::format("    {}\n", shell_word(fmt::format("{}:{}", command->name, command->summary)));
  for (const Topic& topic : kTopics) out += fmt::format("    {}\n", shell_word(fmt::format("{}:{}", topic.name, topic.about)));
  out += "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  case \"$words[2]\" in\n";
  for (const Command* command : commands) {
    out += fmt::format("    {})\n", command->name);
    if (const std::string actions = actions_of(*command); !actions.empty())
      out += fmt::format("      if (( CURRENT == 3 )); then compadd {}; return; fi\n", actions);
    out += "      _arguments \\\n";
    for (const FlagText& flag : flags_of(*command)) out += zsh_line(flag);
    out += "        '*:input:_files' ;;\n";
  }
  for (const Topic& topic : kTopics) out += fmt::format("    {}) compadd {} ;;\n", topic.name, second_words(commands, topic.name));
  return out + "  esac\n}\n_nearkin \"$@\"\n";
}

}  // namespace

std::string completion(std::span<const Command* const> commands, const std::string& shell) {
  if (shell == "bash") return bash(commands);
  if (shell == "fish") return fish(commands);
  if (shell == "zsh") return zsh(commands);
  throw UsageError(fmt::format("completion: \"{}\" is not bash, zsh or fish", shell));
}

}  // namespace nearkin::cli
