#include "report/html.h"

#include <algorithm>

#include "base/unicode.h"
#include "report/text.h"

namespace nearkin::page {
namespace {

std::string heading_cell(const Table::Column& column) {
  return element_of("th", column.heading, column.number ? " scope=\"col\"" : " scope=\"col\" class=\"name\"");
}

std::string row_of(const Table& table, const std::vector<std::string>& cells) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool number = i < table.columns.size() && table.columns[i].number;
    const std::string attributes = std::string(i == 0 ? " scope=\"row\"" : "") + (number ? "" : " class=\"name\"");
    out += element_of(i == 0 ? "th" : "td", cells[i], attributes);
  }
  return element_of("tr", out) + '\n';
}

}  // namespace

std::string element_of(std::string_view name, std::string_view inner, std::string_view attributes) {
  std::string out = "<";
  out.append(name).append(attributes).append(">").append(inner).append("</").append(name).append(">");
  return out;
}

std::string paragraph(std::string_view inner, std::string_view attributes) { return element_of("p", inner, attributes) + '\n'; }

std::string named(std::string_view text) { return element_of("code", escape(text)); }

std::string escape_lines(std::string_view text) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != '\n' && text[i] != '\t' && text[i] != '\r') continue;
    out += escape(text.substr(begin, i - begin));
    // A line break is \n, \r\n or \r.
    if (i < text.size() && !(text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n')) out += text[i] == '\t' ? '\t' : '\n';
    begin = i + 1;
  }
  return out;
}

std::string table_of(const Table& table) {
  std::string head, body;
  for (const Table::Column& column : table.columns) head += heading_cell(column);
  for (const auto& row : table.rows) body += row_of(table, row);
  const std::string id = table.id.empty() ? "" : " id=\"" + table.id + '"';
  return "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + escape(table.label) + "\">\n<table" + id + ">\n<thead>" +
         element_of("tr", head) + "</thead>\n<tbody>\n" + body + "</tbody>\n</table>\n</div>\n";
}

std::string fold(std::string_view summary, std::string_view inner, std::string_view attributes) {
  return element_of("details", '\n' + element_of("summary", summary) + '\n' + std::string(inner), attributes) + '\n';
}

std::string cards_of(const std::vector<std::string>& cards) {
  constexpr std::size_t kAtOnce = 5, kNotWorthAFold = 2;
  const std::size_t shown = cards.size() <= kAtOnce + kNotWorthAFold ? cards.size() : kAtOnce;
  std::string first, others;
  for (std::size_t i = 0; i < cards.size(); ++i) (i < shown ? first : others) += element_of("li", '\n' + cards[i]) + '\n';
  const auto list = [](const std::string& items) { return element_of("ol", '\n' + items, " class=\"cards\"") + '\n'; };
  return list(first) + (others.empty() ? "" : fold("Show " + std::to_string(cards.size() - shown) + " more", list(others)));
}

std::string terms_of(const Terms& terms, std::string_view kind) {
  std::string out = "\n";
  for (const auto& [term, text] : terms) out += "<div>" + element_of("dt", term) + element_of("dd", text) + "</div>\n";
  return element_of("dl", out, " class=\"" + std::string(kind) + '"') + '\n';
}

std::string bar_of(double share) {
  const std::string width = coordinate(share > 0 ? 100 * std::min(share, 1.0) : 0);  // also where it is no number
  return "<svg class=\"across\" aria-hidden=\"true\"><rect width=\"" + width + "%\" height=\"100%\"/></svg>";
}

}  // namespace nearkin::page
