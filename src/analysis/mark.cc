#include <algorithm>
#include <unordered_set>

#include <nearkin/stages.h>
#include <nearkin/tools/compare.h>

#include "base/unicode.h"
#include "feature/fold_table.h"
#include "feature/normalise.h"
#include "feature/tokens.h"

namespace nearkin {
namespace {

using Stretch = MarkedText::Stretch;

bool only_white_space(std::string_view text) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    if (!is_white_space(next_code_point(p, end))) return false;
  }
  return true;
}

// Normalises a text piece by piece and remembers where each piece came from. A piece is a code point, or, where the text is folded, a safe
// one with the unsafe ones behind it (fold_table.h), whose folding does not depend on what stands around it.
class Trace {
 public:
  // Follows the text to the end of the first piece behind byte `most` that is more than white space: all before it is settled then.
  Trace(std::string_view text, const ShinglePlan& plan, std::size_t most)
      : begin_(text.data()),
        stop_(begin_ + std::min(most, text.size())),
        reached_(begin_),
        fold_(plan.normalise == Normalise::text),
        collapse_(plan.normalise != Normalise::none && plan.token != Token::word && plan.token != Token::code) {
    if (plan.token == Token::line) {
      for_each_line(text, [&](const char* begin, const char* end) { follow_line(begin, end); });
    } else {
      follow(begin_, begin_ + text.size());
    }
    if (!settled_) take_back_blank();
    set_anchor(reached_);
  }

  // Whether the text was understood as the shingler understands it.
  bool agrees_with(std::string_view normalised) const { return settled_ ? normalised.starts_with(out_) : normalised == out_; }

  // Bytes of the normalised text that were followed.
  std::size_t size() const { return out_.size(); }

  // The pieces of the text that `stretch` of the normalised one, which is not empty and ends within size(), was made from.
  Stretch origin(Stretch stretch) const {
    const auto holder = [&](std::size_t byte) {
      const auto after = [](std::size_t at, const Anchor& anchor) { return at < anchor.normalised; };
      return std::upper_bound(anchors_.begin(), anchors_.end(), byte, after);  // the anchor behind the piece
    };
    return {std::prev(holder(stretch.begin))->original, holder(stretch.end - 1)->original};
  }

 private:
  // A piece begins here in the text, and its share of the normalised text there; both end where the next ones begin.
  struct Anchor {
    std::size_t original, normalised;
  };

  void set_anchor(const char* at) { anchors_.push_back({static_cast<std::size_t>(at - begin_), out_.size()}); }

  void follow_line(const char* begin, const char* end) {
    if (settled_) return;
    if (end[-1] == '\r') --end;
    line_ = out_.size();
    follow(begin, end);
    if (settled_) return;
    take_back_blank();
    reached_ = end;
    set_anchor(end);
    out_ += '\n';
  }

  void follow(const char* p, const char* end) {
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

  static bool begins_piece(const char* p, const char* end) {
    return static_cast<unsigned char>(*p) < 0x80 || fold_safe(fold_table(), next_code_point(p, end));
  }

  void put_plain(const char* begin, const char* end) {
    set_anchor(begin);
    if (collapse_)
      put_collapsed({begin, static_cast<std::size_t>(end - begin)});
    else
      out_.append(begin, end);
  }

  void put_folded(const char* begin, const char* end) {
    fold_text({begin, static_cast<std::size_t>(end - begin)}, folded_);
    if (fold_each(begin, end) != folded_) parts_.assign(1, {begin, folded_.size()});
    std::size_t put = 0;
    for (const Part& part : parts_) {
      set_anchor(part.begin);
      const std::string_view share = std::string_view(folded_).substr(put, part.end - put);
      if (collapse_)
        put_collapsed(share);
      else
        out_ += share;
      put = part.end;
    }
  }

  // Code points that fold to the same together as each alone are pieces of their own.
  const std::string& fold_each(const char* begin, const char* end) {
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

  void put_collapsed(std::string_view text) {
    const char* const end = text.data() + text.size();
    for (const char* p = text.data(); p != end;) {
      const char32_t c = next_code_point(p, end);
      if (!is_white_space(c))
        append_code_point(out_, c);
      else if (out_.size() > line_ && out_.back() != ' ')
        out_ += ' ';
    }
  }

  void take_back_blank() {
    if (collapse_ && out_.size() > line_ && out_.back() == ' ') out_.pop_back();
  }

  const char* const begin_;
  const char* const stop_;
  const char* reached_;
  const bool fold_, collapse_;
  bool settled_ = false;
  std::string out_;       // the normalised text
  std::size_t line_ = 0;  // where its line begins: no blank is put there
  std::vector<Anchor> anchors_;
  // Of the piece at hand.
  struct Part {
    const char* begin;
    std::size_t end;  // of its share of folded_
  };
  std::string folded_, each_, alone_;
  std::vector<Part> parts_;
};

using Shingles = std::unordered_set<std::uint64_t>;

Shingles shingles_of(const ShingleSpans& spans) {
  Shingles shingles;
  shingles.reserve(spans.spans.size());
  for (const ShingleSpans::Span& span : spans.spans) shingles.insert(span.feature);
  return shingles;
}

// Stretches of the normalised text. White space between two shared shingles goes with them, unless it is itself what shingles are made of.
std::vector<Stretch> covered(const ShingleSpans& spans, const Shingles& others, Token token) {
  std::vector<Stretch> stretches;
  for (const ShingleSpans::Span& span : spans.spans) {
    if (!others.contains(span.feature)) continue;
    const auto joins = [&](std::size_t end) {
      if (span.begin <= end) return true;
      return token != Token::character && only_white_space(std::string_view(spans.normalised).substr(end, span.begin - end));
    };
    if (!stretches.empty() && joins(stretches.back().end))
      stretches.back().end = std::max<std::size_t>(stretches.back().end, span.end);
    else
      stretches.push_back({span.begin, span.end});
  }
  return stretches;
}

// The last border of characters within the first `most` bytes.
std::size_t border_within(std::string_view text, std::size_t most) {
  if (most >= text.size()) return text.size();
  const char* const end = text.data() + text.size();
  const char* border = text.data();
  for (const char* p = border; p <= text.data() + most; next_code_point(p, end)) border = p;
  return static_cast<std::size_t>(border - text.data());
}

void add(std::vector<Stretch>& stretches, Stretch next, std::size_t shown) {
  next.end = std::min(next.end, shown);
  if (next.begin >= next.end) return;
  if (!stretches.empty() && next.begin <= stretches.back().end)
    stretches.back().end = std::max(stretches.back().end, next.end);
  else
    stretches.push_back(next);
}

MarkedText marked(std::string_view text, const ShingleSpans& spans, const Shingles& others, const ShinglePlan& plan, std::size_t most) {
  MarkedText result;
  const Trace trace(text, plan, most);
  result.normalised = !trace.agrees_with(spans.normalised);
  const std::string_view source = result.normalised ? std::string_view(spans.normalised) : text;
  const std::size_t shown = border_within(source, most);
  result.text = source.substr(0, shown);
  result.left_out = source.size() - shown;
  for (Stretch stretch : covered(spans, others, plan.token)) {
    if (!result.normalised) {
      stretch.end = std::min(stretch.end, trace.size());
      if (stretch.begin >= stretch.end) break;
      stretch = trace.origin(stretch);
    }
    add(result.shared, stretch, shown);
  }
  return result;
}

}  // namespace

MarkedPair mark_shared(std::string_view a, std::string_view b, const ShinglePlan& plan, std::size_t most) {
  const ShingleSpans of_a = shingle_spans(a, plan), of_b = shingle_spans(b, plan);
  const Shingles in_a = shingles_of(of_a), in_b = shingles_of(of_b);
  return {marked(a, of_a, in_b, plan, most), marked(b, of_b, in_a, plan, most)};
}

}  // namespace nearkin
