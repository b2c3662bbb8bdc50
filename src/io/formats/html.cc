#include "io/formats/html.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/library.h"
#include "base/unicode.h"
#include "io/formats/html_elements.h"

namespace nearkin {
namespace page {
namespace {

/// A named character reference: &NAME; and, where it is `bare`, also &NAME.
struct Reference {
  std::string_view name, text;
  bool bare;
};
constexpr Reference kReferences[] = {
#include "io/formats/html_references.inc"
};
constexpr std::size_t kLongestName = 31, kLongestBare = 6;

/// What 128 to 159 mean as numbers of characters: what windows-1252 has there.
constexpr std::array<std::uint16_t, 32> kWindows1252{0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
                                                     0x2039, 0x152,  0x8D,   0x17D,  0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
                                                     0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};

const Reference* find_reference(std::string_view name) {
  const auto* const found = std::lower_bound(std::begin(kReferences), std::end(kReferences), name,
                                             [](const Reference& a, std::string_view b) { return a.name < b; });
  return found != std::end(kReferences) && found->name == name ? found : nullptr;
}

class PageReader {
 public:
  // A reference may be one byte shorter than what it means (&nLt;); a tag is longer than the gap that it makes.
  explicit PageReader(std::string_view html)
      : at_(html.data()), end_(html.data() + html.size()), begin_(unfilled<char>(html.size() + html.size() / 4 + 64)), to_(begin_.get()) {}

  /// Good as long as the reader.
  std::string_view read() {
    while (at_ < end_) *at_ == '<' ? markup() : content();
    trim();
    return {begin_.get(), static_cast<std::size_t>(to_ - begin_.get())};
  }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  std::string_view rest() const { return {at_, left()}; }
  const char* find(char c, const char* from) const {
    const auto* const found = static_cast<const char*>(std::memchr(from, c, static_cast<std::size_t>(end_ - from)));
    return found != nullptr ? found : end_;
  }
  /// Behind the next `c`, or at the end.
  void pass(char c) { at_ = std::min(find(c, at_), end_ - 1) + 1; }

  bool shown() const { return hidden_ == 0 && !noscript_; }
  void separate(Gap gap) { gap_ = std::max(gap_, gap); }

  /// Takes blanks off the end of what was written.
  void trim() {
    while (to_ > begin_.get() && is_blank(to_[-1])) --to_;
  }

  void close_gap() {
    if (gap_ == Gap::none) return;
    if (gap_ >= Gap::cell) trim();
    if (to_ > begin_.get()) {
      if (gap_ == Gap::paragraph) *to_++ = '\n';
      *to_++ = gap_ == Gap::blank ? ' ' : gap_ == Gap::cell ? '\t' : '\n';
    }
    gap_ = Gap::none;
  }

  /// Text up to the next tag.
  void content() {
    if (*at_ == '<') literal();
    if (!shown()) return void(at_ = find('<', at_));
    while (at_ < end_ && *at_ != '<') {
      if (*at_ == '&') {
        reference(end_);
      } else if (pre_ > 0) {
        kept();
      } else {
        collapsed();
      }
    }
  }

  /// One character that looked like the beginning of something and is none.
  void literal() {
    if (shown()) {
      close_gap();
      *to_++ = *at_;
    }
    ++at_;
  }

  /// Words up to the next tag or reference, with one blank between two of them.
  void collapsed() {
    while (at_ < end_) {
      if (is_blank(*at_)) {
        do ++at_;
        while (at_ < end_ && is_blank(*at_));
        separate(Gap::blank);
        continue;
      }
      if (is(*at_, kTextEnd)) return;
      close_gap();
      const char* at = at_;
      char* to = to_;
      do *to++ = *at++;
      while (at < end_ && !is(*at, kTextEnd));
      at_ = at;
      to_ = to;
    }
  }

  /// Everything up to the next tag or reference, as it is.
  void kept() {
    const char* stop = at_;
    while (stop < end_ && *stop != '<' && *stop != '&') ++stop;
    as_it_is(stop);
  }

  /// But for line ends, which are all "\n".
  void as_it_is(const char* stop) {
    close_gap();
    for (; at_ < stop; ++at_) {
      if (*at_ != '\r') {
        *to_++ = *at_;
      } else if (at_ + 1 == end_ || at_[1] != '\n') {
        *to_++ = '\n';
      }
    }
  }

  void put(std::uint32_t c) {
    if (pre_ == 0 && c < 0x80 && is_blank(static_cast<char>(c))) return separate(Gap::blank);
    close_gap();
    to_ += encode_code_point(c, to_);
  }

  void put_byte(char c) {
    if (is_blank(c)) return separate(Gap::blank);
    close_gap();
    *to_++ = c;
  }

  void reference(const char* stop) {
    const char* at = at_ + 1;
    if (at < stop && *at == '#') return numbered(at + 1, stop);
    const std::size_t most = std::min(static_cast<std::size_t>(stop - at), kLongestName + 1);
    std::size_t length = 0;
    while (length < most && (is_letter(at[length]) || is_digit(at[length]))) ++length;
    const bool closed = length < most && at[length] == ';';
    const Reference* found = closed ? find_reference({at, length}) : nullptr;
    if (found != nullptr) return named(*found, length + 2);
    for (std::size_t i = std::min(length, kLongestBare); i >= 2; --i) {
      found = find_reference({at, i});
      if (found != nullptr && found->bare) return named(*found, i + 1);
    }
    literal();
  }

  void named(const Reference& found, std::size_t length) {
    at_ += length;
    if (found.text.size() == 1) return put(static_cast<unsigned char>(found.text[0]));
    close_gap();
    to_ = std::copy(found.text.begin(), found.text.end(), to_);
  }

  void numbered(const char* at, const char* stop) {
    const bool hexadecimal = at < stop && (*at == 'x' || *at == 'X');
    if (hexadecimal) ++at;
    const auto digit = [&](char c) -> std::uint32_t {
      if (is_digit(c)) return static_cast<std::uint32_t>(c - '0');
      const char letter = static_cast<char>(c | 0x20);
      return hexadecimal && letter >= 'a' && letter <= 'f' ? static_cast<std::uint32_t>(letter - 'a' + 10) : 16;
    };
    if (at == stop || digit(*at) == 16) return literal();
    std::uint32_t c = 0;
    for (; at < stop && digit(*at) < 16; ++at) c = std::min<std::uint32_t>(c * (hexadecimal ? 16 : 10) + digit(*at), 0x110000);
    if (at < stop && *at == ';') ++at;
    at_ = at;
    const bool none = c == 0 || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF);
    put(none ? 0xFFFD : c >= 0x80 && c < 0xA0 ? kWindows1252[c - 0x80] : c);
  }

  /// At a '<'.
  void markup() {
    const char next = left() > 1 ? at_[1] : '\0';
    if (is_letter(next)) return start_tag();
    if (next == '!') return declaration();
    if (next == '?') return pass('>');
    if (next != '/') return content();
    const char third = left() > 2 ? at_[2] : '\0';
    if (is_letter(third)) return end_tag();
    // "</" at the end of the page is text; before anything else it begins a comment.
    left() > 2 ? pass('>') : content();
  }

  void declaration() {
    if (rest().starts_with("<!--")) return comment();
    if (foreign_ > 0 && rest().starts_with("<![CDATA[")) return character_data();
    pass('>');
  }

  void comment() {
    // "<!-->" and "<!--->" are whole.
    const char* at = at_ + 4;
    if (at < end_ && *at == '>') return void(at_ = at + 1);
    if (end_ - at > 1 && at[0] == '-' && at[1] == '>') return void(at_ = at + 2);
    for (at = find('-', at); end_ - at > 2; at = find('-', at + 1)) {
      if (at[1] != '-') continue;
      if (at[2] == '>') return void(at_ = at + 3);
      if (at[2] == '!' && end_ - at > 3 && at[3] == '>') return void(at_ = at + 4);
    }
    at_ = end_;
  }

  void character_data() {
    at_ += 9;
    const char* stop = find(']', at_);
    while (end_ - stop > 2 && !(stop[1] == ']' && stop[2] == '>')) stop = find(']', stop + 1);
    const bool closed = end_ - stop > 2;
    if (!closed) stop = end_;
    if (shown() && pre_ > 0) as_it_is(stop);
    for (; shown() && at_ < stop; ++at_) put_byte(*at_);
    at_ = closed ? stop + 3 : end_;
  }

  struct Tag {
    const Element& element;
    bool closed = false;  ///< by "/>"
    bool whole = false;   ///< it has an end
  };
  /// The tag whose name begins at `at`; what follows it is next.
  Tag take_tag(const char* at) {
    const char* const name = at;
    while (at < end_ && !ends_name(*at)) ++at;
    Tag found{kElements.find(tag({name, static_cast<std::size_t>(at - name)}))};
    pass_plain_attributes(at);
    for (;;) {
      while (at < end_ && (is_blank(*at) || *at == '/')) found.closed = *at++ == '/';
      found.whole = at < end_ && *at == '>';
      if (found.whole || at >= end_) break;
      found.closed = false;
      take_attribute(at, end_);
    }
    at_ = found.whole ? at + 1 : end_;
    return found;
  }

  /// Passes attributes that are written as most are, NAME="VALUE" behind blanks and names without values: the quote is behind the only
  /// equals sign since `at`, which has a name before it. So what follows is what take_attribute would come to, in a third of the time.
  void pass_plain_attributes(const char*& at) const {
    for (;;) {
      const char* stop = at;
      const char* equals = nullptr;
      for (; stop < end_ && !is(*stop, kQuoteOrEnd); ++stop) {
        if (*stop != '=') continue;
        if (equals != nullptr) return;
        equals = stop;
      }
      if (stop == end_ || *stop == '>' || equals == nullptr || equals + 1 != stop || ends_name(equals[-1])) return;
      const char* const quote = find(*stop, stop + 1);
      if (quote == end_) return;
      at = quote + 1;
    }
  }

  void start_tag() {
    const Tag found = take_tag(at_ + 1);
    if (!found.whole) return;
    const Content content = found.element.content;
    if (found.element.name == tag("body")) noscript_ = false;
    if (shown()) separate(found.element.gap);
    if (content == Content::markup) return;
    if (found.closed && (foreign_ > 0 || content == Content::foreign)) return;  // elsewhere "/>" says nothing
    switch (content) {
      case Content::markup: break;
      case Content::foreign: ++foreign_; break;
      case Content::hidden: ++hidden_; break;
      case Content::unscript: noscript_ = true; break;
      case Content::dropped: at_ = raw_end(found.element.name); break;
      case Content::script: pass_script(); break;
      case Content::field:
      case Content::sample: raw_text(found.element); break;
      case Content::rest: plain_rest(); break;
      case Content::kept:
        ++pre_;
        pass_first_line_end();
        break;
    }
  }

  void end_tag() {
    const Tag found = take_tag(at_ + 2);
    if (!found.whole) return;
    const auto lower = [](unsigned& depth) { depth -= depth > 0 ? 1 : 0; };
    switch (found.element.content) {
      case Content::kept: lower(pre_); break;
      case Content::foreign: lower(foreign_); break;
      case Content::hidden: lower(hidden_); break;
      case Content::unscript: noscript_ = false; break;
      default: break;
    }
    if (shown()) separate(found.element.gap);
  }

  void pass_first_line_end() {
    if (at_ < end_ && *at_ == '\r') ++at_;
    if (at_ < end_ && *at_ == '\n') ++at_;
  }

  /// Whether an end tag of this name, or with `slash` false a start tag, is at the '<'.
  bool is_tag(const char* at, std::uint64_t name, bool slash) const {
    const char* begin = at + 1;
    if (slash && (begin == end_ || *begin++ != '/')) return false;
    const char* stop = begin;
    while (stop < end_ && stop - begin < 11 && is_letter(*stop)) ++stop;
    return stop < end_ && ends_name(*stop) && tag({begin, static_cast<std::size_t>(stop - begin)}) == name;
  }

  /// Where the end tag of an element begins that holds no markup.
  const char* raw_end(std::uint64_t name) const {
    const char* at = find('<', at_);
    while (at < end_ && !is_tag(at, name, true)) at = find('<', at + 1);
    return at;
  }

  /// A script may hold "<!--", and then whole scripts, up to "-->".
  void pass_script() {
    bool escaped = false, twice = false;
    for (; at_ < end_; ++at_) {
      if (!escaped) at_ = find('<', at_);
      if (at_ == end_) return;
      if (escaped && rest().starts_with("-->")) escaped = twice = false;
      if (*at_ != '<') continue;
      if (is_tag(at_, tag("script"), true)) {
        if (!twice) return;
        twice = false;
      } else if (escaped && is_tag(at_, tag("script"), false)) {
        twice = true;
      } else if (!escaped && rest().starts_with("<!--")) {
        escaped = true;
        at_ += 1;  // its dashes may be those of "-->"
      }
    }
  }

  void raw_text(const Element& element) {
    const bool references = element.content == Content::field;
    if (references) pass_first_line_end();
    const char* const stop = raw_end(element.name);
    if (!shown()) return void(at_ = stop);
    ++pre_;
    while (at_ < stop) references&&* at_ == '&' ? reference(stop) : as_it_is(references ? std::min(find('&', at_), stop) : stop);
    --pre_;
  }

  void plain_rest() {
    if (shown()) as_it_is(end_);
    at_ = end_;
  }

  const char* at_;
  const char* end_;
  std::unique_ptr<char[]> begin_;
  char* to_;
  Gap gap_ = Gap::none;
  unsigned pre_ = 0, hidden_ = 0, foreign_ = 0;  ///< depths
  bool noscript_ = false;
};

}  // namespace
}  // namespace page

void visible_text(std::string_view html, std::string& text) { text = page::PageReader(html).read(); }

}  // namespace nearkin
