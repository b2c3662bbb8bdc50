#include "feature/trace.h"

#include <algorithm>

#include "base/unicode.h"
#include "feature/fold_table.h"
#include "feature/normalise.h"
#include "feature/tokens.h"

namespace nearkin {
namespace {

bool begins_piece(const char* p, const char* end) {
  return static_cast<unsigned char>(*p) < 0x80 || fold_safe(fold_table(), next_code_point(p, end));
}

}  // namespace

bool only_white_space(std::string_view text) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    if (!is_white_space(next_code_point(p, end))) return false;
  }
  return true;
}

Trace::Trace(std::string_view text, const ShinglePlan& plan, std::size_t most)
    : text_(followed(text, plan.normalise)),
      begin_(text_.data()),
      stop_(begin_ + std::min(stretches_.empty() ? most : reduced_from(stretches_, most), text_.size())),
      reached_(begin_),
      fold_(plan.normalise == Normalise::text),
      collapse_(plan.normalise != Normalise::none && plan.token != Token::word && plan.token != Token::code) {
  if (plan.token == Token::line) {
    for_each_line(text_, [&](const char* begin, const char* end) { follow_line(begin, end); });
  } else {
    follow(begin_, begin_ + text_.size());
  }
  if (!settled_) take_back_blank();
  begin_piece(reached_);
}

TextSpan Trace::origin(TextSpan normalised) const {
  const auto holder = [&](std::size_t byte) {
    const auto after = [](std::size_t at, const Piece& piece) { return at < piece.normalised; };
    return std::upper_bound(pieces_.begin(), pieces_.end(), byte, after);  // the piece behind it
  };
  const TextSpan span{std::prev(holder(normalised.begin))->original, holder(normalised.end - 1)->original};
  return stretches_.empty() ? span : original_of(stretches_, span);
}

std::string_view Trace::followed(std::string_view text, Normalise normalise) {
  const std::optional<CodeRule> rule = code_rule(normalise);
  if (!rule) return text;
  reduce_code(text, *rule, reduced_, &stretches_);
  return reduced_;
}

void Trace::follow_line(const char* begin, const char* end) {
  if (settled_) return;
  if (end[-1] == '\r') --end;
  line_ = out_.size();
  follow(begin, end);
  if (settled_) return;
  take_back_blank();
  reached_ = end;
  begin_piece(end);
  out_ += '\n';
}

void Trace::follow(const char* p, const char* end) {
  while (p != end && !settled_) {
    const char* const piece = p;
    const std::size_t size = out_.size();
    next_code_point(p, end);
    while (fold_ && p != end && !begins_piece(p, end)) next_code_point(p, end);
    fold_ ? put_folded(piece, p) : put_plain(piece, p);
    reached_ = p;
    settled_ = piece >= stop_ && out_.size() > size && !only_white_space(std::string_view(out_).substr(size));
  }
}

void Trace::put_plain(const char* begin, const char* end) {
  begin_piece(begin);
  if (collapse_)
    put_collapsed({begin, static_cast<std::size_t>(end - begin)});
  else
    out_.append(begin, end);
}

void Trace::put_folded(const char* begin, const char* end) {
  if (end - begin == 1 && static_cast<unsigned char>(*begin) < 0x80) return put_ascii(begin);  // an invalid byte is one byte too
  fold_text({begin, static_cast<std::size_t>(end - begin)}, folded_);
  if (fold_each(begin, end) != folded_) parts_.assign(1, {begin, folded_.size()});
  std::size_t put = 0;
  for (const Part& part : parts_) {
    begin_piece(part.begin);
    const std::string_view share = std::string_view(folded_).substr(put, part.end - put);
    if (collapse_)
      put_collapsed(share);
    else
      out_ += share;
    put = part.end;
  }
}

// An ASCII character alone: most of most texts.
void Trace::put_ascii(const char* at) {
  begin_piece(at);
  const char lower = *at >= 'A' && *at <= 'Z' ? static_cast<char>(*at | 0x20) : *at;
  if (collapse_)
    put_collapsed({&lower, 1});
  else
    out_ += lower;
}

// Code points that fold to the same together as each alone are pieces of their own.
const std::string& Trace::fold_each(const char* begin, const char* end) {
  each_.clear();
  parts_.clear();
  for (const char* p = begin; p != end;) {
    const char* const part = p;
    next_code_point(p, end);
    fold_text({part, static_cast<std::size_t>(p - part)}, alone_);
    each_ += alone_;
    parts_.push_back({part, each_.size()});
  }
  return each_;
}

void Trace::put_collapsed(std::string_view text) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const char32_t c = next_code_point(p, end);
    if (!is_white_space(c))
      append_code_point(out_, c);
    else if (out_.size() > line_ && out_.back() != ' ')
      out_ += ' ';
  }
}

void Trace::take_back_blank() {
  if (collapse_ && out_.size() > line_ && out_.back() == ' ') out_.pop_back();
}

}  // namespace nearkin
