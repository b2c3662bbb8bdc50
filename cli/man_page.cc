#include <fmt/format.h>
#include <nearkin/nearkin.h>

#include "written.h"

namespace nearkin::cli {
namespace {

// Text as troff takes it: no letter of it is a command.
std::string plain(std::string_view text) {
  std::string out;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    begins_line = c == '\n';
    if (c == '\\') {
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

std::string flag_paragraph(const FlagText& flag) {
  std::string head = flag.short_name.empty() ? "" : fmt::format("\\fB{}\\fR, ", plain(flag.short_name));
  head += fmt::format("\\fB{}\\fR", plain(flag.name));
  if (!flag.value.empty()) head += fmt::format(" \\fI{}\\fR", plain(flag.value));
  return fmt::format(".TP\n{}\n{}\n", head, plain(flag.text));
}

std::string of_command(const Command& command) {
  std::string out = title(fmt::format("nearkin-{}", command.name));
  out += fmt::format(".SH NAME\nnearkin\\-{} \\- {}\n", plain(command.name), plain(command.summary));
  out += fmt::format(".SH SYNOPSIS\n.B nearkin {}\n{} [flags]\n", plain(command.name), plain(command.arguments));
  out += fmt::format(".SH DESCRIPTION\n.nf\n{}\n.fi\n", plain(command.about));
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
  for (const Command* command : commands) out += fmt::format(".BR nearkin\\-{} (1)\n", plain(command->name));
  return out;
}

}  // namespace

std::string man_page(std::span<const Command* const> commands, const Command* command) {
  return command == nullptr ? overview(commands) : of_command(*command);
}

}  // namespace nearkin::cli
