#include "layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "talk.h"

namespace nearkin::cli {
namespace {

constexpr std::size_t kColumns = 110;

/// How many columns a terminal needs, by fmt's own estimate.
std::size_t columns_of(const std::string& text) {
  const std::size_t padded = text.size() + 1;
  return padded - (fmt::format("{:<{}}", text, padded).size() - text.size());
}

}  // namespace

std::string table(const std::vector<Cells>& rows, const char* indent) {
  std::vector<std::size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string out;
  for (const Cells& row : rows) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}", row[i], widths[i] + 2);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string paragraph(const std::string& text) {
  std::string out, line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && line.size() + 1 + word.size() > kColumns - std::string(kIndent).size()) {
      out += kIndent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return out + kIndent + line + "\n";
}

std::string heading(int number, const char* title) { return fmt::format("\n{}. {}\n", number, title); }

std::string left_out(std::size_t all, std::size_t shown) {
  return all > shown ? fmt::format("{}… and {} more\n", kIndent, counted(all - shown)) : "";
}

}  // namespace nearkin::cli
