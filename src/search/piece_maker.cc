#include "search/piece_maker.h"

#include <algorithm>

namespace nearkin {
namespace {

constexpr std::uint32_t kMargin = 4;                // tokens of a piece on either side of what it is kept for
constexpr std::uint32_t kLongestStretch = 1 << 12;  // tokens

constexpr auto kBeginsFirst = [](const auto& a, const auto& b) { return a.piece.from < b.piece.from; };

bool same_token(std::uint64_t a, std::uint64_t b) { return a == b && a != kMaskedToken; }

}  // namespace

void PieceMaker::begin_chunk() {
  made_.clear();
  ends_.clear();
  data_.clear();
}

void PieceMaker::add(std::string_view text, std::span<const std::uint64_t> tokens, std::span<const KeyedAnchor> anchors,
                     PassageTokeniser& tokeniser) {
  Text at_hand{text, tokens, anchors, &tokeniser};
  first_ = made_.size();
  stretches_.clear();
  refer_to_earlier(at_hand);
  for (const Stretch& stretch : stretches_) make_common(at_hand, stretch);
  std::sort(begin_of_text(), made_.end(), kBeginsFirst);
  ends_.push_back(made_.size());
}

void PieceMaker::keep(Row item, Row row, TextPieces& pieces) const {
  for (std::size_t i = item == 0 ? 0 : ends_[item - 1]; i < ends_[item]; ++i) {
    TextPiece piece = made_[i].piece;
    piece.data = data_.data() + made_[i].data;
    pieces.add(row, piece);
  }
}

// Makes pieces of what common texts have, as far as there are such; what is left around common anchors are stretches.
void PieceMaker::refer_to_earlier(Text& text) {
  loose_.clear();
  std::uint32_t reach = 0;  // the pieces that begin before the anchor have its gram if they reach so far
  for (const KeyedAnchor& anchor : text.anchors) {
    if (!anchor.common || anchor.anchor.at + plan_.gram <= reach) continue;
    const std::uint32_t end = refer(text, anchor);
    if (end == 0) loose_.push_back(anchor.anchor);
    reach = std::max(reach, end);
  }
  std::sort(begin_of_text(), made_.end(), kBeginsFirst);
  reach = 0;
  auto next = begin_of_text();
  for (const Anchor& anchor : loose_) {
    for (; next != made_.end() && next->piece.from <= anchor.at; ++next) reach = std::max(reach, next->piece.to);
    if (anchor.at + plan_.gram > reach) stretch_to(anchor, text.tokens.size());
  }
}

// Makes a piece of what the text has in common with an earlier one around the anchor, and returns its last common token + 1; 0 for none.
std::uint32_t PieceMaker::refer(Text& text, const KeyedAnchor& anchor) {
  const CommonTexts::Place* const place = texts_.find(anchor.key);
  if (place == nullptr) return 0;
  const std::vector<std::uint64_t>& there = place->text->tokens;
  std::uint32_t from = anchor.anchor.at, to = from, at = place->token, end = at;
  for (; to < text.tokens.size() && end < there.size() && same_token(text.tokens[to], there[end]); ++to) ++end;
  if (to - from < plan_.gram) return 0;  // another gram with the same key
  for (; from > 0 && at > 0 && same_token(text.tokens[from - 1], there[at - 1]); --from) --at;
  const auto tokens = static_cast<std::uint32_t>(text.tokens.size());
  TextPiece piece{.begin = from - std::min(from, kMargin), .end = std::min(tokens, to + kMargin), .from = from, .to = to};
  piece.common = place->text;
  piece.at = at;
  const std::span<const TextSpan> before = spans_of(text, piece.begin, from + 1, before_);
  piece.base = static_cast<std::uint32_t>(before.back().begin);
  if (!same_spans(text, piece)) return 0;
  finish(text, piece, before.first(from - piece.begin), spans_of(text, to, piece.end, behind_));
  return to;
}

bool PieceMaker::same_spans(Text& text, const TextPiece& piece) {
  const std::uint32_t count = piece.to - piece.from;
  if (text.spans.empty() && piece.common->plain) {
    const std::string_view bytes = piece.common->bytes_of(piece.at, piece.at + count);
    return text.text.substr(piece.base, bytes.size()) == bytes;
  }
  if (text.spans.empty()) text.spans = text.tokeniser->spans(text.text);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (text.spans[piece.from + i] != piece.span(piece.from + i)) return false;
  }
  return true;
}

// The last stretch reaches as far as the windows of the anchor, where they meet it; else they begin another.
void PieceMaker::stretch_to(const Anchor& anchor, std::size_t tokens) {
  const std::uint32_t begin = anchor.first - std::min(anchor.first, kMargin);
  const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(tokens, std::size_t{anchor.last} + plan_.least + kMargin));
  if (stretches_.empty() || begin > stretches_.back().end) stretches_.push_back({begin, end});
  stretches_.back().end = end;
}

void PieceMaker::make_common(Text& text, const Stretch& stretch) {
  if (stretch.end - stretch.begin > kLongestStretch) return;
  CommonText common;
  const std::span<const std::uint64_t> tokens = text.tokens.subspan(stretch.begin, stretch.end - stretch.begin);
  const std::span<const TextSpan> spans = spans_of(text, stretch.begin, stretch.end, before_);
  const std::span<const KeyedAnchor> anchors = anchors_in(text, stretch.begin, stretch.end);
  common.tokens.assign(tokens.begin(), tokens.end());
  common.spans.assign(spans.begin(), spans.end());
  common.bytes = text.text.substr(spans.front().begin, spans.back().end - spans.front().begin);
  common.plain = text.spans.empty();
  if (!room_.reserve(common.memory() + anchors.size() * CommonTexts::kPlaceBytes)) return;
  TextPiece piece{.begin = stretch.begin, .end = stretch.end, .from = stretch.begin, .to = stretch.end};
  piece.base = static_cast<std::uint32_t>(spans.front().begin);
  piece.common = &texts_.add(std::move(common));
  for (const KeyedAnchor& anchor : anchors) texts_.note(anchor.key, {piece.common, anchor.anchor.at - stretch.begin});
  finish(text, piece, {}, {});
}

// `before` and `behind`: the spans of its own tokens.
void PieceMaker::finish(Text& text, TextPiece piece, std::span<const TextSpan> before, std::span<const TextSpan> behind) {
  const std::size_t data = data_.size();
  const std::span<const std::uint64_t>&all = text.tokens, first = all.subspan(piece.begin, piece.from - piece.begin),
                        last = all.subspan(piece.to, piece.end - piece.to);
  data_.insert(data_.end(), first.begin(), first.end());
  data_.insert(data_.end(), last.begin(), last.end());
  for (const TextSpan& span : before) append_span(data_, span);
  for (const TextSpan& span : behind) append_span(data_, span);
  const std::span<const KeyedAnchor> anchors = anchors_in(text, piece.from, piece.to);
  for (const KeyedAnchor& anchor : anchors) append_anchor(data_, anchor.anchor);
  piece.anchors = static_cast<std::uint32_t>(anchors.size());
  piece.ends_text = piece.end == all.size();
  made_.push_back({piece, data});
}

// Those of which all of the gram is in from … to - 1.
std::span<const KeyedAnchor> PieceMaker::anchors_in(const Text& text, std::uint32_t from, std::uint32_t to) const {
  const auto before = [](const KeyedAnchor& anchor, std::size_t token) { return anchor.anchor.at < token; };
  const auto first = std::lower_bound(text.anchors.begin(), text.anchors.end(), std::size_t{from}, before);
  const std::size_t end = to < plan_.gram ? 0 : to - plan_.gram + std::size_t{1};
  const auto last = std::lower_bound(first, text.anchors.end(), end, before);
  return {first, last};
}

// The spans of the tokens first … last - 1. If the text has to be read again for them, the spans of all its tokens are kept.
std::span<const TextSpan> PieceMaker::spans_of(Text& text, std::size_t first, std::size_t last, std::vector<TextSpan>& some) {
  if (text.spans.empty() && text.tokeniser->spans_of_last(first, last, some)) return some;
  if (text.spans.empty()) text.spans = text.tokeniser->spans(text.text);
  return std::span<const TextSpan>(text.spans).subspan(first, last - first);
}

}  // namespace nearkin
