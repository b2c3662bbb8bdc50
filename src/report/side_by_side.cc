#include "report/side_by_side.h"

#include <algorithm>
#include <string_view>

#include <nearkin/tools/compare.h>
#include <nearkin/tools/report.h>

#include "report/html.h"
#include "report/text.h"
#include "report/words.h"

namespace nearkin::page {
namespace {

std::string side(const std::string& id, const MarkedText& text, bool code) {
  std::string out = paragraph(named(id_text(id)), " class=\"id\"");
  if (text.text.empty()) {
    out += paragraph("No text.", " class=\"soft\"");
  } else {
    const std::string label = " role=\"region\" tabindex=\"0\" dir=\"auto\" aria-label=\"Text of " + escape(id_text(id)) + '"';
    out += element_of("div", marked(text), (code ? " class=\"text code\"" : " class=\"text\"") + label) + '\n';
  }
  if (text.left_out > 0)
    out += paragraph(counted(text.left_out, "byte") + (text.left_out == 1 ? " more is" : " more are") + " not shown.", " class=\"soft\"");
  if (text.normalised) out += paragraph("Shown as it was compared, not as it was written.", " class=\"soft\"");
  return "<div class=\"side\">\n" + out + "</div>\n";
}

}  // namespace

std::string marked(const MarkedText& text) {
  const std::string_view whole = text.text;
  std::string out;
  std::size_t at = 0;
  for (const auto& [begin, end] : text.shared) {
    if (begin < at || end <= begin || begin >= whole.size()) continue;
    const std::size_t last = std::min(end, whole.size());
    out += escape_lines(whole.substr(at, begin - at)) + element_of("mark", escape_lines(whole.substr(begin, last - begin)));
    at = last;
  }
  return out + escape_lines(whole.substr(at));
}

std::string side_by_side(const ShownPair& pair, bool code) {
  if (pair.texts.a.text.empty() && pair.texts.b.text.empty()) return "";
  return paragraph("What both have is " + element_of("mark", "marked and underlined") + ".", " class=\"soft\"") +
         "<div class=\"sides\">\n" + side(pair.a, pair.texts.a, code) + side(pair.b, pair.texts.b, code) + "</div>\n";
}

}  // namespace nearkin::page
