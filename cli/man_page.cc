#include <fmt/format.h>
#include <nearkin/nearkin.h>

#include "written.h"

namespace nearkin::cli {
namespace {

// The code point of the UTF-8 character that begins there.
std::uint32_t code_point_at(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  std::uint32_t code = first & (0xFFu >> (size + 1));
  for (std::size_t i = 1; i < size && at + i < text.size(); ++i) code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
  return code;
}

// Text as troff takes it: no letter of it is a command.
std::string plain(std::string_view text) {
  std::string out;
  bool begins_line = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    begins_line = c == '\n';
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;  // the rest of a character that was written already
    if (static_cast<unsigned char>(c) >= 0x80) {
      out += fmt::format("\\[u{:04X}]", code_point_at(text, at));
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string title(const std::string& name) {
  return fmt::format(".TH {} 1 \"\" \"nearkin {}\" \"User Commands\"\n", plain(name), version());
}

// Lines are joined and filled, but for lists, whose lines are indented.
std::string paragraphs(std::string_view text) {
  std::string out;
  bool listed = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (line.starts_with("  ") != listed) out += listed ? ".fi\n.PP\n" : ".PP\n.nf\n";
    listed = line.starts_with("  ");
    if (line.starts_with("INPUT:")) out += ".PP\n";
    out += plain(line) + "\n";
    begin = end + 1;
  }
  return out + (listed ? ".fi\n" : "");
}

std::string flag_paragraph(const FlagText& flag) {
  std::string head = flag.short_name.empty() ? "" : fmt::format("\\fB{}\\fR, ", plain(flag.short_name));
  head += fmt::format("\\fB{}\\fR", plain(flag.name));
  if (!flag.value.empty()) head += fmt::format(" \\fI{}\\fR", plain(flag.value));
  return fmt::format(".TP\n{}\n{}\n", head, plain(flag.text));
}

std::string of_command(const Command& command) {
  std::string out = title(fmt::format("nearkin-{}", command.name));
  out += fmt::format(".SH NAME\nnearkin\\-{} \\- {}\n", plain(command.name), plain(command.summary));
  const std::string arguments = plain(command.arguments);
  out += fmt::format(".SH SYNOPSIS\n.B nearkin {}\n{}{}[flags]\n", plain(command.name), arguments, arguments.empty() ? "" : " ");
  out += ".SH DESCRIPTION\n" + paragraphs(command.about);
  std::string_view group;
  for (const FlagText& flag : flags_of(command)) {
    if (flag.group != group) out += fmt::format(".SH {}\n", flag.group);
    group = flag.group;
    out += flag_paragraph(flag);
  }
  out += fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", plain(command.examples));
  return out +
         ".SH EXIT STATUS\n0 done; 1 done, but unusable records were skipped (with --faults skip: 0); 2 failed.\n.SH SEE ALSO\n.BR nearkin "
         "(1)\n";
}

std::string overview(std::span<const Command* const> commands) {
  std::string out = title("nearkin");
  out += ".SH NAME\nnearkin \\- finds the items of a collection that are nearly the same\n";
  out += ".SH SYNOPSIS\n.B nearkin\n\\fIcommand\\fR [INPUT ...] [flags]\n.SH COMMANDS\n";
  for (const Command* command : commands) out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", plain(command->name), plain(command->summary));
  out += ".SH EXIT STATUS\n0 done; 1 done, but unusable records were skipped (with --faults skip: 0); 2 failed.\n.SH SEE ALSO\n";
  for (const Command* command : commands)
    out += fmt::format(".BR nearkin\\-{} (1){}\n", plain(command->name), command == commands.back() ? "" : ",");
  return out;
}

}  // namespace

std::string man_page(std::span<const Command* const> commands, const Command* command) {
  return command == nullptr ? overview(commands) : of_command(*command);
}

}  // namespace nearkin::cli
