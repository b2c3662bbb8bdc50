#include "feature/reduce_code.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "feature/code_lexer.h"
#include "feature/recognise_language.h"

namespace nearkin {
namespace {

constexpr char letter_of(CodeKind kind) {
  switch (kind) {
    case CodeKind::identifier: return kIdentifier;
    case CodeKind::number: return kNumber;
    case CodeKind::string: return kString;
    case CodeKind::character: return kCharacter;
    case CodeKind::regex: return kRegex;
    case CodeKind::comment: break;
  }
  return ' ';
}

// Between two tokens are mostly a few bytes: two copies of a fixed size, which may overlap, spare a call.
void copy_bytes(char* to, const char* from, std::size_t size) {
  const auto twice = [&](auto part) {
    std::memcpy(to, from, part);
    std::memcpy(to + size - part, from + size - part, part);
  };
  if (size > 16) {
    std::memcpy(to, from, size);
  } else if (size >= 8) {
    twice(std::integral_constant<std::size_t, 8>());
  } else if (size >= 4) {
    twice(std::integral_constant<std::size_t, 4>());
  } else if (size >= 2) {
    twice(std::integral_constant<std::size_t, 2>());
  } else {
    *to = *from;
  }
}

// Takes the tokens of a lexer and copies what lies between them.
template <bool kNames>
class CodeReducer {
 public:
  CodeReducer(std::string_view text, std::string& out, std::vector<CodeStretch>* stretches)
      : text_(text), copied_(text.data()), stretches_(stretches), out_(out) {
    out_.resize(std::max(out_.size(), text.size() + kSlack));
    at_ = out_.data();
  }

  void operator()(CodeKind kind, const char* begin, const char* end) {
    if (!kNames && kind != CodeKind::comment) return;
    copy_to(begin);
    if (kind == CodeKind::comment) {
      if (dropped_ == nullptr) dropped_ = begin;
    } else {
      const char letter = letter_of(kind);
      make_room(2);
      keep_apart(begin, letter);
      note(begin, end);
      *at_++ = letter;
    }
    copied_ = end;
  }

  void finish() {
    const char* const end = text_.data() + text_.size();
    copy_to(end);
    note(end, end);
    out_.resize(static_cast<std::size_t>(at_ - out_.data()));
  }

 private:
  static constexpr std::size_t kSlack = 64;

  // Blanks may make the reduced text longer than the text.
  void make_room(std::size_t bytes) {
    const auto used = static_cast<std::size_t>(at_ - out_.data());
    if (out_.size() - used >= bytes) return;
    out_.resize(used + used / 4 + bytes + kSlack);
    at_ = out_.data() + used;
  }

  void copy_to(const char* end) {
    if (copied_ == end) return;
    const auto size = static_cast<std::size_t>(end - copied_);
    make_room(size + 1);
    keep_apart(copied_, *copied_);
    note(copied_, end);
    copy_bytes(at_, copied_, size);
    at_ += size;
  }

  // The blank stands for the comments that were dropped there, or for the first byte of what follows.
  void keep_apart(const char* next, char first) {
    if (at_ != out_.data() && in_word(at_[-1]) && in_word(first)) {
      dropped_ != nullptr ? note(dropped_, next) : note(next, next + 1);
      *at_++ = ' ';
    }
    dropped_ = nullptr;
  }

  void note(const char* begin, const char* end) {
    if (stretches_ == nullptr) return;
    const char* const base = text_.data();
    const TextSpan original{static_cast<std::size_t>(begin - base), static_cast<std::size_t>(end - base)};
    stretches_->push_back({original, static_cast<std::size_t>(at_ - out_.data())});
  }

  std::string_view text_;
  const char* copied_;             // all before it is in `out`, or was dropped
  const char* dropped_ = nullptr;  // the first comment since something was put into `out`
  char* at_;
  std::vector<CodeStretch>* stretches_;
  std::string& out_;
};

using Stretches = std::vector<CodeStretch>;

// A stretch that is not as long as its original stands for all of it. `stretch` is not the mark at the end.
bool is_copy(Stretches::const_iterator stretch) {
  return std::next(stretch)->reduced - stretch->reduced == stretch->original.end - stretch->original.begin;
}

template <bool kNames>
void reduce(std::string_view text, Language language, std::string& out, std::vector<CodeStretch>* stretches) {
  CodeReducer<kNames> reducer(text, out, stretches);
  CodeLexer<kNames, CodeReducer<kNames>>(text, language, reducer).run();
  reducer.finish();
}

}  // namespace

void reduce_code(std::string_view text, CodeRule rule, std::string& out, std::vector<CodeStretch>* stretches) {
  if (stretches != nullptr) stretches->clear();
  const Language language = rule.language ? *rule.language : recognise_language(text);
  rule.identifiers ? reduce<true>(text, language, out, stretches) : reduce<false>(text, language, out, stretches);
}

TextSpan original_of(const std::vector<CodeStretch>& stretches, TextSpan reduced) {
  const auto holder = [&](std::size_t byte) {
    const auto after = [](std::size_t at, const CodeStretch& stretch) { return at < stretch.reduced; };
    return std::prev(std::upper_bound(stretches.begin(), stretches.end(), byte, after));
  };
  const auto first = holder(reduced.begin), last = holder(reduced.end - 1);
  return {is_copy(first) ? first->original.begin + (reduced.begin - first->reduced) : first->original.begin,
          is_copy(last) ? last->original.begin + (reduced.end - last->reduced) : last->original.end};
}

std::size_t reduced_from(const std::vector<CodeStretch>& stretches, std::size_t original) {
  const auto ends_before = [](const CodeStretch& stretch, std::size_t at) { return stretch.original.end <= at; };
  const auto stretch = std::lower_bound(stretches.begin(), stretches.end(), original, ends_before);
  if (stretch == stretches.end()) return stretches.back().reduced;
  const bool within = original > stretch->original.begin && is_copy(stretch);
  return stretch->reduced + (within ? original - stretch->original.begin : 0);
}

}  // namespace nearkin
