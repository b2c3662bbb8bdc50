#include "feature/fold_table.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include <utf8proc.h>

#include "base/unicode.h"

namespace nearkin {

namespace {

constexpr auto kFoldOptions =
    static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
constexpr auto kCanonicalOptions = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
constexpr char32_t kCodePoints = 0x110000;
constexpr char32_t kDecomposable = 0x30000;  // no code point from here on has a canonical decomposition (held by a test)

void append_decomposed_by(utf8proc_option_t options, char32_t c, std::vector<std::int32_t>& code_points) {
  constexpr utf8proc_ssize_t kEnough = 24;
  const std::size_t before = code_points.size();
  const auto write = [&](utf8proc_ssize_t room) {
    int boundary = 0;
    code_points.resize(before + static_cast<std::size_t>(room));
    return utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), code_points.data() + before, room, options, &boundary);
  };
  utf8proc_ssize_t length = write(kEnough);
  if (length > kEnough) length = write(length);
  code_points.resize(before + static_cast<std::size_t>(std::max<utf8proc_ssize_t>(length, 0)));
}

// Step 3 meets fully decomposed code points only, so whatever composes there is a later element of some full canonical decomposition,
// or a vowel or final jamo, which compose by arithmetic.
std::vector<bool> possible_seconds() {
  std::vector<bool> seconds(kCodePoints);
  std::vector<std::int32_t> decomposed;
  for (char32_t c = 0x80; c < kDecomposable; ++c) {
    const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
    if (property->decomp_seqindex == 0xFFFF || property->decomp_type != 0) continue;
    decomposed.clear();
    append_decomposed_by(kCanonicalOptions, c, decomposed);
    for (std::size_t i = 1; i < decomposed.size(); ++i) seconds[static_cast<std::size_t>(decomposed[i])] = true;
  }
  std::fill(seconds.begin() + 0x1160, seconds.begin() + 0x1200, true);
  return seconds;
}

bool safe_first(const std::vector<bool>& seconds, std::int32_t first) {
  return combining_class(static_cast<char32_t>(first)) == 0 && !seconds[static_cast<std::size_t>(first)];
}

FoldEntry entry_of(std::string_view bytes, unsigned flags) {
  FoldEntry entry{};
  std::copy(bytes.begin(), bytes.end(), entry.bytes);
  entry.info = static_cast<std::uint8_t>(bytes.size() | flags);
  return entry;
}

FoldEntry longer_entry(FoldTable& table, const std::vector<std::int32_t>& result, unsigned flags) {
  const std::size_t index = table.longer.size();
  table.longer.emplace_back(result.begin(), result.end());
  FoldEntry entry = entry_of({}, kFoldLonger | flags);
  entry.bytes[0] = static_cast<char>(index & 0xFF);
  entry.bytes[1] = static_cast<char>(index >> 8);
  return entry;
}

FoldEntry make_entry(FoldTable& table, char32_t c, std::vector<std::int32_t>& scratch, std::string& bytes) {
  bytes.clear();
  scratch.clear();
  append_decomposed(c, scratch);
  if (scratch.empty()) return entry_of({}, kFoldUnsafe);
  if (!safe_first(table.seconds, scratch[0])) {
    const bool inert = scratch.size() == 1 && scratch[0] == static_cast<std::int32_t>(c) && !table.seconds[c];
    if (!inert) return entry_of({}, kFoldUnsafe);
    append_code_point(bytes, c);
    return entry_of(bytes, kFoldInert);
  }
  const unsigned open = combining_class(static_cast<char32_t>(scratch.back())) != 0 ? kFoldOpen : 0;
  if (scratch.size() > 1) order_and_compose(scratch);
  const auto white = [](std::int32_t x) { return is_white_space(static_cast<char32_t>(x)); };
  for (const std::int32_t x : scratch) append_code_point(bytes, static_cast<char32_t>(x));
  if (scratch.size() == 1 && white(scratch[0])) return entry_of(bytes, kFoldWhite | open);
  if (bytes.size() > 3 || std::any_of(scratch.begin(), scratch.end(), white)) return longer_entry(table, scratch, open);
  return entry_of(bytes, open);
}

// Whether nothing is done to the code point, which most are like: a shortcut through make_entry. Hangul syllables are taken apart and
// joined again.
bool folds_to_itself(const FoldTable& table, char32_t c) {
  const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
  return property->decomp_seqindex == 0xFFFF && property->casefold_seqindex == 0xFFFF && property->combining_class == 0 &&
         !property->ignorable && !table.seconds[c] && !is_white_space(c);
}

FoldTable build() {
  FoldTable table;
  table.seconds = possible_seconds();
  table.bmp.resize(0x10000);
  std::vector<std::int32_t> scratch;
  std::string bytes;
  for (char32_t c = 0; c < 0x10000; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) {
      table.bmp[c] = entry_of({}, kFoldUnsafe);
    } else if (folds_to_itself(table, c)) {
      bytes.clear();
      append_code_point(bytes, c);
      table.bmp[c] = entry_of(bytes, 0);
    } else {
      table.bmp[c] = make_entry(table, c, scratch, bytes);
    }
  }
  return table;
}

}  // namespace

const FoldTable& fold_table() {
  static const FoldTable table = build();
  return table;
}

bool fold_safe(const FoldTable& table, char32_t c) {
  if (c < 0x10000) return (table.bmp[c].info & (kFoldInert | kFoldUnsafe)) == 0;
  std::int32_t decomposed[32];
  int boundary = 0;
  const auto length = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), decomposed, std::size(decomposed), kFoldOptions, &boundary);
  return length > 0 && safe_first(table.seconds, decomposed[0]);
}

int combining_class(char32_t c) { return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class; }

void append_decomposed(char32_t c, std::vector<std::int32_t>& code_points) { append_decomposed_by(kFoldOptions, c, code_points); }

void order_and_compose(std::vector<std::int32_t>& code_points) {
  const auto class_of = [](std::int32_t c) { return combining_class(static_cast<char32_t>(c)); };
  const auto before = [&](std::int32_t a, std::int32_t b) { return class_of(a) < class_of(b); };
  for (auto run = code_points.begin(); run != code_points.end();) {
    run = std::find_if(run, code_points.end(), [&](std::int32_t c) { return class_of(c) != 0; });
    const auto end = std::find_if(run, code_points.end(), [&](std::int32_t c) { return class_of(c) == 0; });
    if (!std::is_sorted(run, end, before)) std::stable_sort(run, end, before);
    run = end;
  }
  const auto length = static_cast<utf8proc_ssize_t>(code_points.size());
  code_points.resize(static_cast<std::size_t>(utf8proc_normalize_utf32(code_points.data(), length, kFoldOptions)));
}

}  // namespace nearkin
