#include "feature/tokeniser.h"

#include <bit>
#include <type_traits>

#include "feature/tokens.h"
#include "kernel/kernel.h"

namespace nearkin {
namespace {

constexpr std::size_t kKeptRoom = std::size_t{16} << 20;

template <typename Container>
void drop_if_large(Container& room) {
  if (room.capacity() * sizeof room[0] > 2 * kKeptRoom) Container().swap(room);
}

std::size_t blocks_of(std::string_view text) { return (text.size() + 63) / 64; }

// Room to spare, so that it need not grow for every text that is a little longer; not for texts that are few.
std::size_t spare_for(std::string_view text) { return text.size() < kKeptRoom ? text.size() : 0; }

// Words begin where a bit is set and the one before it is not.
std::size_t count_words(std::span<const std::uint64_t> masks) {
  std::size_t words = 0;
  std::uint64_t inside = 0;
  for (const std::uint64_t mask : masks) {
    words += static_cast<std::size_t>(std::popcount(mask & ~(mask << 1 | inside)));
    inside = mask >> 63;
  }
  return words;
}

// Calls emit(begin, end) for every word of a text of `size` bytes, the bytes of words being set in `masks`: only the borders of words are
// visited. An emit that returns a bool ends it with false, soon.
template <typename Emit>
void for_each_run(std::span<const std::uint64_t> masks, std::size_t size, Emit&& emit) {
  std::uint64_t inside = 0;  // 1 when the last byte of the block before belongs to a word
  std::size_t begin = 0;
  bool more = true;
  const auto tell = [&](std::size_t first, std::size_t last) {
    if constexpr (std::is_same_v<decltype(emit(first, last)), bool>) {
      more = emit(first, last);
    } else {
      emit(first, last);
    }
  };
  for (std::size_t block = 0; block < masks.size() && more; ++block) {
    const std::uint64_t mask = masks[block];
    const std::size_t base = 64 * block;
    // Set where a word begins or where the byte after a word stands.
    std::uint64_t borders = mask ^ (mask << 1 | inside);
    if (inside != 0 && borders != 0) {
      const std::size_t end = base + static_cast<std::size_t>(std::countr_zero(borders));
      borders &= borders - 1;
      tell(begin, end);
    }
    while (borders != 0) {
      const std::size_t first = base + static_cast<std::size_t>(std::countr_zero(borders));
      borders &= borders - 1;
      if (borders == 0) {
        begin = first;
        break;
      }
      const std::size_t last = base + static_cast<std::size_t>(std::countr_zero(borders));
      borders &= borders - 1;
      tell(first, last);
    }
    inside = mask >> 63;
  }
  if (inside != 0 && more) tell(begin, size);
}

}  // namespace

void prepare_text(std::string_view text, const ShinglePlan& plan, std::string& out) {
  const std::optional<CodeRule> rule = code_rule(plan.normalise);
  if (!rule) return prepare_reduced(text, plan, out);
  std::string reduced;
  reduce_code(text, *rule, reduced);
  prepare_reduced(reduced, plan, out);
}

void prepare_reduced(std::string_view text, const ShinglePlan& plan, std::string& out) {
  const bool layout_counts = plan.token == Token::character || plan.token == Token::element;
  if (plan.token == Token::line) {
    std::string line;
    out.clear();
    const ShinglePlan as_characters{.token = Token::character, .normalise = plan.normalise};
    for_each_line(text, [&](const char* begin, const char* end) {
      if (end > begin && end[-1] == '\r') --end;
      prepare_reduced({begin, static_cast<std::size_t>(end - begin)}, as_characters, line);
      out.append(line).push_back('\n');
    });
  } else if (plan.normalise == Normalise::text) {
    layout_counts ? normalise_text(text, out) : fold_text(text, out);
  } else if (plan.normalise != Normalise::none && layout_counts) {
    collapse_space(text, out);
  } else {
    out.assign(text);
  }
}

// Words of pure ASCII, the common case: 64 characters are classified at a time. False when the text is not ASCII.
bool Tokeniser::scan_ascii_words(std::string_view text) {
  const std::size_t spare = spare_for(text);
  if (buffer_.size() < text.size() + kernel::kOverrun + kTokenPadding)
    buffer_.resize(text.size() + spare + kernel::kOverrun + kTokenPadding);
  if (masks_.size() < blocks_of(text)) masks_.resize(blocks_of(text) + spare / 64);
  return kernel::scan_ascii(text.data(), text.size(), plan_.normalise != Normalise::text, buffer_.data(), masks_.data());
}

std::optional<std::size_t> Tokeniser::hash_ascii_words(std::string_view text, std::vector<TextSpan>* spans) {
  if (!scan_ascii_words(text)) return std::nullopt;
  const std::span<const std::uint64_t> masks(masks_.data(), blocks_of(text));
  const std::size_t words = count_words(masks);
  if (tokens_.size() < words) tokens_.resize(words + (spare_for(text) > 0 ? words / 2 : 0));
  std::uint64_t* out = tokens_.data();
  const char* const base = buffer_.data();
  if (spans == nullptr) {
    for_each_run(masks, text.size(), [&](std::size_t begin, std::size_t end) { *out++ = token_hash(base + begin, end - begin); });
    return words;
  }
  spans->resize(words);
  TextSpan* span = spans->data();
  for_each_run(masks, text.size(), [&](std::size_t begin, std::size_t end) {
    *out++ = token_hash(base + begin, end - begin);
    *span++ = {begin, end};
  });
  return words;
}

std::string_view Tokeniser::reduced(std::string_view text) {
  if (!rule_) return text;
  reduce_code(text, *rule_, reduced_);
  return reduced_;
}

std::size_t Tokeniser::hash_any(std::string_view reduced) {
  prepare_reduced(reduced, plan_, buffer_);
  const std::size_t size = buffer_.size();
  buffer_.append(kTokenPadding, '\0');
  tokens_.clear();
  for_each_token({buffer_.data(), size}, plan_.token,
                 [&](const char* begin, const char* end) { tokens_.push_back(token_hash(begin, static_cast<std::size_t>(end - begin))); });
  return tokens_.size();
}

std::span<const std::uint64_t> Tokeniser::tokens(std::string_view text, std::vector<TextSpan>* spans) {
  if (spans != nullptr) spans->clear();
  text = reduced(text);
  const std::optional<std::size_t> words = plan_.token == Token::word ? hash_ascii_words(text, rule_ ? nullptr : spans) : std::nullopt;
  const std::size_t count = words ? *words : hash_any(text);
  drop_if_large(reduced_);
  drop_if_large(buffer_);
  drop_if_large(masks_);
  masked_ = words && !rule_ && !masks_.empty() ? text.size() : 0;
  return {tokens_.data(), count};
}

bool Tokeniser::spans_of_last(std::size_t first, std::size_t last, std::vector<TextSpan>& spans) const {
  spans.clear();
  if (masked_ == 0) return false;
  std::span<const std::uint64_t> masks(masks_.data(), (masked_ + 63) / 64);
  // Skips the blocks before that in which the first of them begins. A word that goes on there is met as one that begins there.
  std::size_t block = 0, words = 0;
  std::uint64_t inside = 0;
  for (; block < masks.size(); ++block) {
    const std::size_t more = static_cast<std::size_t>(std::popcount(masks[block] & ~(masks[block] << 1 | inside)));
    if (words + more > first) break;
    words += more;
    inside = masks[block] >> 63;
  }
  const std::size_t base = 64 * block;
  std::size_t at = words - (block < masks.size() && inside != 0 && (masks[block] & 1) != 0 ? 1 : 0);
  for_each_run(masks.subspan(block), masked_ - base, [&](std::size_t begin, std::size_t end) {
    if (at >= first && at < last) spans.push_back({base + begin, base + end});
    return ++at < last;
  });
  return true;
}

std::vector<TextSpan> Tokeniser::spans(std::string_view text) {
  std::vector<TextSpan> spans;
  if (!rule_ && plan_.token == Token::word && hash_ascii_words(text, &spans)) return spans;
  prepare_text(text, plan_, buffer_);
  const Trace trace(text, plan_);
  const bool traced = trace.agrees_with(buffer_);
  const char* const base = buffer_.data();
  for_each_token(buffer_, plan_.token, [&](const char* begin, const char* end) {
    const TextSpan token{static_cast<std::size_t>(begin - base), static_cast<std::size_t>(end - base)};
    spans.push_back(traced ? trace.origin(token) : TextSpan{0, text.size()});  // what cannot be traced is somewhere in the text
  });
  return spans;
}

void Tokeniser::give_back() { drop_if_large(tokens_); }

}  // namespace nearkin
