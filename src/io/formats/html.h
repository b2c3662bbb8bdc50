// Pages of HTML: the text that a reader sees, and the encoding that a page says it is in.
#pragma once

#include <string>
#include <string_view>

namespace nearkin {

/// Replaces `text` by the visible text of a page, both in UTF-8. The page is divided into tags, comments and text by the rules of WHATWG's
/// tokeniser, and no tree is built:
/// - character references are decoded; comments, titles, scripts, styles, templates, noscript and embedded frames are left out;
/// - paragraphs, headings, lists, tables and the like begin and end with a blank line, other blocks and <br> with a line end, cells with a
///   tab; other tags separate nothing;
/// - white space is one blank, and kept as it is in pre and textarea. The text does not end with any.
/// Style sheets and attributes are not looked at. Linear in the page, whatever it holds. FROZEN: what comes out is hashed.
void visible_text(std::string_view html, std::string& text);

/// The encoding that a <meta> among the first 1024 bytes declares, by a name that iconv knows; "utf-8" where it says so; empty where there
/// is none.
std::string declared_encoding(std::string_view html);
/// The same of a Content-Type of HTTP, such as "text/html; charset=utf-8".
std::string charset_of(std::string_view content_type);
/// The same of a label such as "ISO-8859-1", which means windows-1252 on the web; empty where it is not known.
std::string encoding_of_label(std::string_view label);

}  // namespace nearkin
