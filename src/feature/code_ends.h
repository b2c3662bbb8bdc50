// Where literals and comments of a program end.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "feature/code_language.h"

namespace nearkin {

/// Each function takes the place after an opener and returns the place after its end, or null if there is no end. The opener is then an
/// ordinary character, and so is every later one of its kind up to where the search gave up: the end of the line for what must end there,
/// otherwise the end of the text. So no byte is searched twice for one kind, and the time is linear.
class CodeEnds {
 public:
  explicit CodeEnds(std::string_view text) : end_(text.data() + text.size()) { given_up_.fill(text.data()); }

  /// "..." or '...'. A backslash takes the character behind it, a line end too. `over_lines`: may contain other line ends.
  const char* quoted(const char* p, char quote, bool over_lines);
  /// """...""" or '''...'''.
  const char* triple(const char* p, char quote);
  /// R"x(...)x", from after the quote. Also null if x( is missing.
  const char* raw_parentheses(const char* p);
  /// r##"..."##, from after the r. Also null if ##" is missing.
  const char* raw_hashes(const char* p);
  /// `...` of Go: no character is special.
  const char* raw_backtick(const char* p);
  /// `...` of JavaScript with all that is in its ${ }, up to kDepth templates within one another.
  const char* template_string(const char* p);
  /// /.../flags of JavaScript: on one line, a slash within [ ] does not end it.
  const char* regex(const char* p);
  /// <...> of #include: on one line.
  const char* header(const char* p);
  /// /* ... */. `nested`: counts comments within it; if they are not balanced, the first end counts, here and later.
  const char* block_comment(const char* p, bool nested);
  /// The place before the line's end. `continued`: a backslash continues the line.
  const char* line_comment(const char* p, bool continued) const;

  static constexpr std::size_t kDepth = 32;

 private:
  enum Kind { quote, apostrophe, triple_quote, triple_apostrophe, raw, backtick, slash, angle, comment, nested, kKinds };

  bool hopeless(Kind kind, const char* p) const { return p < given_up_[kind]; }
  const char* give_up(Kind kind, const char* at) {
    given_up_[kind] = at;
    return nullptr;
  }
  // The place after the character that a backslash at p escapes; the end of the text if there is none.
  const char* behind_escape(const char* p) const;
  const char* find(const char* p, std::string_view what, Kind kind);
  const char* nested_comment(const char* p);

  const char* const end_;
  std::array<const char*, kKinds> given_up_;
};

}  // namespace nearkin
