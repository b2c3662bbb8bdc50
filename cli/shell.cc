#include "shell.h"

#include <utility>

#include <fmt/format.h>

namespace nearkin::cli {

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string command_line(std::string_view command, const ParsedArgs& typed) {
  std::string line = fmt::format("nearkin {}", command);
  for (const std::string& path : typed.inputs) line += " " + shell_word(path);
  const std::pair<const char*, const ParsedArgs::Text*> flags[] = {{"--files-from", &typed.files_from},
                                                                   {"--against", &typed.against},
                                                                   {"--against-text", &typed.against_text},
                                                                   {"--against-id", &typed.against_id},
                                                                   {"--against-format", &typed.against_format},
                                                                   {"--format", &typed.format},
                                                                   {"--id", &typed.id},
                                                                   {"--text", &typed.text},
                                                                   {"--encoding", &typed.encoding},
                                                                   {"--separator", &typed.separator},
                                                                   {"--unit", &typed.unit},
                                                                   {"--least-unit", &typed.least_unit}};
  for (const auto& [flag, value] : flags) {
    if (*value) line += fmt::format(" {} {}", flag, shell_word(**value));
  }
  return line + (typed.no_header ? " --no-header" : "");
}

}  // namespace nearkin::cli
