#include "feature/code_ends.h"

#include <cstring>

#include "feature/code_bytes.h"

namespace nearkin {

const char* CodeEnds::behind_escape(const char* p) const {
  if (++p == end_) return end_;
  const bool two = *p == '\r' && p + 1 != end_ && p[1] == '\n';
  return p + (two ? 2 : 1);
}

const char* CodeEnds::find(const char* p, std::string_view what, Kind kind) {
  if (hopeless(kind, p)) return nullptr;
  const std::size_t place = std::string_view(p, static_cast<std::size_t>(end_ - p)).find(what);
  return place == std::string_view::npos ? give_up(kind, end_) : p + place + what.size();
}

const char* CodeEnds::quoted(const char* p, char mark, bool over_lines) {
  const Kind kind = mark == '"' ? quote : apostrophe;
  if (hopeless(kind, p)) return nullptr;
  while (p != end_ && *p != mark) {
    if (*p == '\\')
      p = behind_escape(p);
    else if (ends_line(*p) && !over_lines)
      break;
    else
      ++p;
  }
  return p != end_ && *p == mark ? p + 1 : give_up(kind, p);
}

const char* CodeEnds::triple(const char* p, char mark) {
  const Kind kind = mark == '"' ? triple_quote : triple_apostrophe;
  if (hopeless(kind, p)) return nullptr;
  while (p != end_) {
    if (*p == '\\') {
      p = behind_escape(p);
    } else if (*p == mark && end_ - p >= 3 && p[1] == mark && p[2] == mark) {
      return p + 3;
    } else {
      ++p;
    }
  }
  return give_up(kind, end_);
}

const char* CodeEnds::raw_parentheses(const char* p) {
  constexpr std::ptrdiff_t kLongest = 16;
  const char* const begin = p;
  while (p != end_ && p - begin <= kLongest && *p != '(' && *p != ')' && *p != '\\' && *p != '"' && code_byte(*p) != CodeByte::blank) ++p;
  if (p == end_ || *p != '(' || p - begin > kLongest) return nullptr;
  char closing[kLongest + 2] = {')'};
  const auto size = static_cast<std::size_t>(p - begin);
  std::memcpy(closing + 1, begin, size);
  closing[size + 1] = '"';
  return find(p + 1, {closing, size + 2}, raw);
}

const char* CodeEnds::raw_hashes(const char* p) {
  constexpr std::size_t kMost = 255;  // as in Rust
  std::size_t hashes = 0;
  for (; p != end_ && *p == '#' && hashes < kMost; ++p) ++hashes;
  if (p == end_ || *p != '"') return nullptr;
  char closing[kMost + 1];
  std::memset(closing, '#', sizeof closing);
  closing[0] = '"';
  return find(p + 1, {closing, hashes + 1}, raw);
}

const char* CodeEnds::raw_backtick(const char* p) { return find(p, "`", backtick); }

const char* CodeEnds::template_string(const char* p) {
  if (hopeless(backtick, p)) return nullptr;
  // Open braces of the code around each template but the outermost one.
  std::size_t braces[kDepth];
  std::size_t depth = 0;  // even: within the text of a template; odd: within its code
  for (; p != end_; ++p) {
    const bool in_text = depth % 2 == 0;
    if (*p == '\\') {
      p = behind_escape(p) - 1;
    } else if (*p == '`') {
      if (in_text && depth == 0) return p + 1;
      if (!in_text && depth / 2 + 1 == kDepth) return give_up(backtick, p);
      in_text ? --depth : ++depth;
    } else if (in_text && *p == '$' && p + 1 != end_ && p[1] == '{') {
      braces[++depth / 2] = 0;
      ++p;
    } else if (!in_text && *p == '{') {
      ++braces[depth / 2];
    } else if (!in_text && *p == '}' && braces[depth / 2]-- == 0) {
      --depth;
    }
  }
  return give_up(backtick, end_);
}

const char* CodeEnds::regex(const char* p) {
  if (hopeless(slash, p)) return nullptr;
  bool in_class = false;
  for (; p != end_ && !ends_line(*p); ++p) {
    if (*p == '\\' && p + 1 != end_ && !ends_line(p[1]))
      ++p;
    else if (*p == '[')
      in_class = true;
    else if (*p == ']')
      in_class = false;
    else if (*p == '/' && !in_class)
      break;
  }
  if (p == end_ || *p != '/') return give_up(slash, p);
  for (++p; p != end_ && in_word(*p);) ++p;
  return p;
}

const char* CodeEnds::header(const char* p) {
  if (hopeless(angle, p)) return nullptr;
  while (p != end_ && *p != '>' && !ends_line(*p)) ++p;
  return p != end_ && *p == '>' ? p + 1 : give_up(angle, p);
}

const char* CodeEnds::nested_comment(const char* p) {
  if (hopeless(nested, p)) return nullptr;
  std::size_t depth = 1;
  while (end_ - p >= 2) {
    const bool opens = p[0] == '/' && p[1] == '*', closes = p[0] == '*' && p[1] == '/';
    p += opens || closes ? 2 : 1;
    if (opens) ++depth;
    if (closes && --depth == 0) return p;
  }
  return give_up(nested, end_);
}

const char* CodeEnds::block_comment(const char* p, bool count_nested) {
  const char* const end = count_nested ? nested_comment(p) : nullptr;
  return end != nullptr ? end : find(p, "*/", comment);
}

const char* CodeEnds::line_comment(const char* p, bool continued) const {
  while (p != end_) {
    while (p != end_ && !ends_line(*p)) ++p;
    if (!continued || p == end_ || p[-1] != '\\') break;
    p = behind_escape(p - 1);
  }
  return p;
}

}  // namespace nearkin
