#include "feature/normalise.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/unicode.h"
#include "feature/fold_table.h"

namespace nearkin {

namespace {

// --- Eight ASCII bytes in a word. All of this holds for either byte order.

constexpr std::uint64_t kOnes = 0x0101010101010101u;
constexpr std::uint64_t kHighs = 0x80 * kOnes;

std::uint64_t load(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// The high bit of each byte that lies in [low, high]. The bytes of `word` are below 0x80, so no sum carries into the next byte.
std::uint64_t bytes_within(std::uint64_t word, std::uint64_t low, std::uint64_t high) {
  const std::uint64_t from_low = word + (0x80 - low) * kOnes;
  const std::uint64_t above_high = word + (0x7F - high) * kOnes;
  return from_low & ~above_high & kHighs;
}

std::uint64_t lower(std::uint64_t word) { return word | bytes_within(word, 'A', 'Z') >> 2; }

constexpr bool ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
constexpr bool white(char c) { return c == ' ' || (c >= 0x09 && c <= 0x0D); }

// --- The result as it grows. `out` is kept longer than what is written, and cut at the end.

// With kCollapse, white space is written as ' ' unless nothing or a ' ' stands before it. As this looks at the bytes written and nothing
// else, taking back the end of the result (`truncate`) needs no other state restored.
template <bool kFold, bool kCollapse>
class Writer {
 public:
  Writer(std::string& out, std::size_t expected) : out_(out) {
    out_.clear();
    grow(expected);
  }

  std::size_t size() const { return static_cast<std::size_t>(at_ - out_.data()); }
  void truncate(std::size_t size) { at_ = out_.data() + size; }

  void put(const FoldEntry& entry) {
    make_room(sizeof entry);
    std::memcpy(at_, &entry, sizeof entry);
    at_ += entry.info & kFoldLength;
  }

  void put(char32_t c) {
    make_room(4);
    if (kCollapse && is_white_space(c)) {
      put_space();
    } else {
      at_ += encode_code_point(c, at_);
    }
  }

  // Takes the ASCII bytes from `p` on; returns the first other byte.
  const char* put_ascii(const char* p, const char* end) {
    make_room(static_cast<std::size_t>(end - p));
    p = put_words(p, end);
    for (; p != end && ascii(*p); ++p) put_byte(*p);
    return p;
  }

  // The size before `last`, the ASCII byte put last. After white space it may be too large by one ' ' (if that was written), which
  // is no matter: put again, the white space is dropped.
  std::size_t size_before(char last) const { return kCollapse && white(last) ? size() : size() - 1; }

  void finish() {
    if (kCollapse && at_ != out_.data() && at_[-1] == ' ') --at_;
    out_.resize(size());
  }

 private:
  void make_room(std::size_t bytes) {
    if (static_cast<std::size_t>(limit_ - at_) < bytes) grow(bytes);
  }

  void grow(std::size_t bytes) {
    constexpr std::size_t kSlack = 32;
    const std::size_t used = at_ == nullptr ? 0 : size();
    out_.resize(used + std::max(used / 2, bytes + kSlack));
    at_ = out_.data() + used;
    limit_ = out_.data() + out_.size();
  }

  bool after_space() const { return at_ == out_.data() || at_[-1] == ' '; }

  void put_space() {
    if (!after_space()) *at_++ = ' ';
  }

  void put_byte(char c) {
    if (kCollapse && white(c)) {
      put_space();
    } else {
      *at_++ = kFold ? lower(c) : c;
    }
  }

  // Whole words are copied as long as collapsing has nothing to do in them; the others go byte by byte.
  const char* put_words(const char* p, const char* end) {
    bool spaced = kCollapse && after_space();
    for (; end - p >= 8; p += 8) {
      const std::uint64_t word = load(p);
      if ((word & kHighs) != 0) break;
      if constexpr (kCollapse) {
        const std::uint64_t spaces = bytes_within(word, ' ', ' ');
        const std::uint64_t others = bytes_within(word, 0x09, 0x0D);
        if ((others | (spaces & spaces << 8)) != 0 || (spaced & (p[0] == ' '))) {
          for (int i = 0; i < 8; ++i) put_byte(p[i]);
          spaced = after_space();
          continue;
        }
        spaced = p[7] == ' ';
      }
      const std::uint64_t result = kFold ? lower(word) : word;
      std::memcpy(at_, &result, sizeof result);
      at_ += 8;
    }
    return p;
  }

  std::string& out_;
  char* at_ = nullptr;
  char* limit_ = nullptr;
};

// --- Folding. fold_table.h says what is safe, inert and unsafe, and why the pieces may be folded one by one.

// The piece being written: where it begins in the text and in the result, and the class its decomposition ends in (255: some class
// other than 0). It begins at a safe code point or at the start of the text.
struct Piece {
  const char* text;
  std::size_t size;
  int last_class;
};

template <bool kCollapse>
class Folder {
 public:
  using Target = Writer<true, kCollapse>;

  Folder(std::string_view utf8, std::string& out) : p_(utf8.data()), end_(p_ + utf8.size()), piece_{p_, 0, 0}, target_(out, utf8.size()) {}

  void run() {
    while (p_ != end_) {
      if (ascii(*p_)) {
        p_ = target_.put_ascii(p_, end_);
        piece_ = {p_ - 1, target_.size_before(p_[-1]), 0};
      } else {
        run_table();
      }
    }
    target_.finish();
  }

 private:
  void run_table() {
    const FoldTable& table = fold_table();
    const FoldEntry* const bmp = table.bmp.data();
    while (p_ != end_ && !ascii(*p_)) {
      const char* const start = p_;
      const char32_t c = next_code_point(p_, end_);
      if (c >= 0x10000) {
        put_rare(table, c, start);
      } else if (const FoldEntry entry = bmp[c]; entry.info < kFoldWhite) {
        piece_ = {start, target_.size(), (entry.info & kFoldOpen) != 0 ? 255 : 0};
        target_.put(entry);
      } else {
        put_special(table, c, entry, start);
      }
    }
  }

  void put_special(const FoldTable& table, char32_t c, const FoldEntry& entry, const char* start) {
    if ((entry.info & kFoldUnsafe) != 0) return put_piece(table);
    if ((entry.info & kFoldInert) != 0) {
      const int its_class = combining_class(c);
      if (its_class < piece_.last_class) return put_piece(table);
      piece_.last_class = its_class;
      return target_.put(entry);
    }
    piece_ = {start, target_.size(), (entry.info & kFoldOpen) != 0 ? 255 : 0};
    if ((entry.info & kFoldLonger) != 0) {
      const unsigned index = static_cast<unsigned char>(entry.bytes[0]) | static_cast<unsigned char>(entry.bytes[1]) << 8u;
      for (const char32_t x : table.longer[index]) target_.put(x);
    } else {
      const char* bytes = entry.bytes;
      target_.put(next_code_point(bytes, bytes + (entry.info & kFoldLength)));
    }
  }

  // Above the BMP: nothing stored.
  void put_rare(const FoldTable& table, char32_t c, const char* start) {
    if (fold_safe(table, c)) piece_ = {start, target_.size(), 0};
    put_piece(table);
  }

  // Writes the piece up to the next safe code point anew, as a whole.
  void put_piece(const FoldTable& table) {
    static thread_local std::vector<std::int32_t> scratch;
    scratch.clear();
    for (const char* q = piece_.text; q != p_;) append_decomposed(next_code_point(q, p_), scratch);
    while (p_ != end_) {
      const char* q = p_;
      const char32_t c = next_code_point(q, end_);
      if (fold_safe(table, c)) break;
      append_decomposed(c, scratch);
      p_ = q;
    }
    order_and_compose(scratch);
    target_.truncate(piece_.size);
    for (const std::int32_t c : scratch) target_.put(static_cast<char32_t>(c));
    if (scratch.capacity() > kScratchKept) scratch = {};
  }

  static constexpr std::size_t kScratchKept = 1u << 16;

  const char* p_;
  const char* const end_;
  Piece piece_;
  Target target_;
};

}  // namespace

void normalise_text(std::string_view utf8, std::string& out) { Folder<true>(utf8, out).run(); }

void fold_text(std::string_view utf8, std::string& out) { Folder<false>(utf8, out).run(); }

void collapse_space(std::string_view utf8, std::string& out) {
  Writer<false, true> target(out, utf8.size());
  const char* p = utf8.data();
  const char* const end = p + utf8.size();
  while (p != end) {
    if (ascii(*p)) {
      p = target.put_ascii(p, end);
    } else {
      target.put(next_code_point(p, end));
    }
  }
  target.finish();
}

}  // namespace nearkin
