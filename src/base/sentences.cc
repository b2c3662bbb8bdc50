#include "base/sentences.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "base/unicode.h"

namespace nearkin {
namespace {

/// The property Sentence_Break; the order is that of the table.
enum class Break : std::uint8_t { other, cr, lf, sep, extend, format, sp, lower, upper, oletter, numeric, aterm, scontinue, sterm, close };

constexpr std::uint32_t kStretches[] = {
#include "base/sentence_table.inc"
};

Break look_up(char32_t c) {
  const auto* const behind = std::upper_bound(std::begin(kStretches), std::end(kStretches), c << 4 | 15);
  return behind == std::begin(kStretches) ? Break::other : static_cast<Break>(behind[-1] & 15);
}

Break break_of(char32_t c) {
  static const auto ascii = [] {
    std::array<Break, 128> table{};
    for (char32_t i = 0; i < table.size(); ++i) table[i] = look_up(i);
    return table;
  }();
  return c < ascii.size() ? ascii[c] : look_up(c);
}

bool ends_paragraph(Break kind) { return kind == Break::cr || kind == Break::lf || kind == Break::sep; }
bool is_term(Break kind) { return kind == Break::aterm || kind == Break::sterm; }
bool is_letter(Break kind) { return kind == Break::lower || kind == Break::upper || kind == Break::oletter; }

/// Goes through a text, character by character. SB3 … SB11 are the names of the rules.
class Rules {
 public:
  explicit Rules(const char* end) : end_(end) {}

  /// Whether a sentence ends before the next character, which is of this kind.
  bool breaks_before(Break kind) const {
    if (!begun_ || (previous_ == Break::cr && kind == Break::lf)) return false;  // SB3
    if (ends_paragraph(previous_)) return true;                                  // SB4
    return !is_ignored(kind) && tail_ != Tail::none && ends_term(kind);
  }

  void pass(Break kind, const char* behind) {
    if (is_ignored(kind)) return;
    if (is_term(kind)) {
      tail_ = Tail::term;
      term_ = kind;
      lower_follows_ = kind == Break::aterm && lower_follows(behind);
    } else if (kind == Break::sp && tail_ != Tail::none) {
      tail_ = Tail::space;
    } else if (kind == Break::close && (tail_ == Tail::term || tail_ == Tail::close)) {
      tail_ = Tail::close;
    } else {
      tail_ = Tail::none;
    }
    before_ = previous_;
    previous_ = kind;
    begun_ = true;
  }

 private:
  enum class Tail : std::uint8_t { none, term, close, space };  // SATerm, SATerm Close+, SATerm Close* Sp+

  // SB5; those at the beginning of a text or paragraph have nothing to belong to.
  bool is_ignored(Break kind) const { return (kind == Break::extend || kind == Break::format) && begun_ && !ends_paragraph(previous_); }

  bool ends_term(Break kind) const {
    if (term_ == Break::aterm) {
      if (tail_ == Tail::term && kind == Break::numeric) return false;                                                        // SB6
      if (tail_ == Tail::term && kind == Break::upper && (before_ == Break::upper || before_ == Break::lower)) return false;  // SB7
      if (lower_follows_) return false;                                                                                       // SB8
    }
    if (kind == Break::scontinue || is_term(kind)) return false;     // SB8a
    if (kind == Break::close && tail_ != Tail::space) return false;  // SB9
    return kind != Break::sp && !ends_paragraph(kind);               // SB9, SB10, SB11
  }

  // ( ¬(OLetter | Upper | Lower | ParaSep | SATerm) )* Lower. It ends at the next term at the latest, so that all of them take linear time.
  bool lower_follows(const char* at) const {
    while (at < end_) {
      const Break kind = break_of(next_code_point(at, end_));
      if (kind == Break::lower) return true;
      if (is_letter(kind) || ends_paragraph(kind) || is_term(kind)) return false;
    }
    return false;
  }

  const char* end_;
  bool begun_ = false, lower_follows_ = false;
  Break before_ = Break::other, previous_ = Break::other, term_ = Break::other;
  Tail tail_ = Tail::none;
};

}  // namespace

void for_each_sentence(std::string_view text, const std::function<void(std::size_t begin, std::size_t end)>& emit) {
  const char *begin = text.data(), *const end = begin + text.size();
  Rules rules(end);
  for (const char* p = begin; p < end;) {
    const char* const at = p;
    const Break kind = break_of(next_code_point(p, end));
    if (rules.breaks_before(kind)) {
      emit(static_cast<std::size_t>(begin - text.data()), static_cast<std::size_t>(at - text.data()));
      begin = at;
    }
    rules.pass(kind, p);
  }
  if (begin < end) emit(static_cast<std::size_t>(begin - text.data()), text.size());
}

}  // namespace nearkin
