// The encoding that a page, or a header of HTTP, says a text is in.
#include <algorithm>
#include <utility>

#include "base/trimmed.h"
#include "io/formats/encoding.h"
#include "io/formats/formats.h"
#include "io/formats/html.h"
#include "io/formats/html_syntax.h"

namespace nearkin {
namespace page {
namespace {

/// Labels that mean another encoding on the web than their names say, or that iconv does not know.
constexpr std::pair<std::string_view, const char*> kLabels[] = {{"ansi_x3.4-1968", "windows-1252"},
                                                                {"ascii", "windows-1252"},
                                                                {"iso-8859-1", "windows-1252"},
                                                                {"iso8859-1", "windows-1252"},
                                                                {"iso_8859-1", "windows-1252"},
                                                                {"l1", "windows-1252"},
                                                                {"latin-1", "windows-1252"},
                                                                {"latin1", "windows-1252"},
                                                                {"us-ascii", "windows-1252"},
                                                                {"x-cp1252", "windows-1252"},
                                                                {"iso-8859-9", "windows-1254"},
                                                                {"latin5", "windows-1254"},
                                                                {"iso-8859-11", "CP874"},
                                                                {"tis-620", "CP874"},
                                                                {"windows-874", "CP874"},
                                                                {"x-cp1250", "windows-1250"},
                                                                {"x-cp1251", "windows-1251"},
                                                                {"gb2312", "GB18030"},
                                                                {"gb_2312-80", "GB18030"},
                                                                {"gbk", "GB18030"},
                                                                {"x-gbk", "GB18030"},
                                                                {"big5", "BIG5-HKSCS"},
                                                                {"x-x-big5", "BIG5-HKSCS"},
                                                                {"euc-kr", "CP949"},
                                                                {"ks_c_5601-1987", "CP949"},
                                                                {"shift_jis", "CP932"},
                                                                {"shift-jis", "CP932"},
                                                                {"sjis", "CP932"},
                                                                {"x-sjis", "CP932"},
                                                                {"windows-31j", "CP932"},
                                                                {"x-euc-jp", "EUC-JP"},
                                                                {"iso-8859-8-i", "iso-8859-8"},
                                                                {"iso-8859-8-e", "iso-8859-8"},
                                                                {"macintosh", "MACINTOSH"},
                                                                {"x-mac-roman", "MACINTOSH"},
                                                                {"unicode-1-1-utf-8", "utf-8"},
                                                                {"utf8", "utf-8"},
                                                                {"utf-8", "utf-8"},
                                                                {"x-user-defined", "windows-1252"}};

/// The value of charset= in what a <meta> says about its content, or a header of HTTP.
std::string_view charset_in(std::string_view content) {
  const std::string small = lower(content);
  for (std::size_t at = small.find("charset"); at != std::string::npos; at = small.find("charset", at)) {
    at += 7;
    while (at < small.size() && is_blank(small[at])) ++at;
    if (at == small.size() || small[at] != '=') continue;
    for (++at; at < small.size() && is_blank(small[at]);) ++at;
    const bool quoted = at < small.size() && (small[at] == '"' || small[at] == '\'');
    const std::size_t begin = quoted ? at + 1 : at;
    const std::size_t end = quoted ? small.find(small[at], begin) : small.find_first_of(" \t\r\n\f;,", begin);
    return content.substr(begin, std::min(end, content.size()) - begin);
  }
  return {};
}

/// What the attributes of a <meta> declare.
std::string meta_encoding(const char* at, const char* end) {
  std::string_view charset, content;
  bool about_content = false;
  while (at < end && *at != '>') {
    if (is_blank(*at) || *at == '/') {
      ++at;
      continue;
    }
    const Attribute found = take_attribute(at, end);
    const std::string name = lower(found.name);
    if (name == "charset" && charset.empty()) charset = found.value;
    if (name == "content" && content.empty()) content = found.value;
    about_content = about_content || (name == "http-equiv" && lower(found.value) == "content-type");
  }
  if (charset.empty() && about_content) charset = charset_in(content);
  std::string encoding = charset.empty() ? std::string() : encoding_of_label(charset);
  // A page whose <meta> can be read byte by byte is not UTF-16, whatever it says.
  return encoding.starts_with("utf-16") ? "utf-8" : encoding;
}

}  // namespace
}  // namespace page

std::string declared_encoding(std::string_view html) {
  html = html.substr(0, 1024);
  for (std::size_t at = html.find('<'); at != html.npos; at = html.find('<', at + 1)) {
    if (html.substr(at).starts_with("<!--")) {
      at = std::min(html.find("-->", at + 2), html.size());
      continue;
    }
    if (lower(html.substr(at, 5)) != "<meta" || at + 5 >= html.size() || !page::ends_name(html[at + 5])) continue;
    std::string declared = page::meta_encoding(html.data() + at + 5, html.data() + html.size());
    if (!declared.empty()) return declared;
  }
  return {};
}

std::string encoding_of_label(std::string_view label) {
  const std::string name = lower(trimmed(label, " \t\r\n\f"));
  for (const auto& [known, encoding] : page::kLabels) {
    if (known == name) return encoding;
  }
  return name != "auto" && is_known_encoding(name) ? name : std::string();
}

std::string charset_of(std::string_view content_type) {
  const std::string_view charset = page::charset_in(content_type);
  return charset.empty() ? std::string() : encoding_of_label(charset);
}

}  // namespace nearkin
