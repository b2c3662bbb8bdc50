#include "match/edited.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "match/winnow.h"

namespace nearkin {
namespace {

constexpr std::uint32_t kMostAdded = 3;  // tokens that stand for one

std::uint32_t rare_between(const EditedText& text, std::uint32_t begin, std::uint32_t size) {
  return static_cast<std::uint32_t>(std::popcount(text.rare >> begin & ((std::uint32_t{1} << size) - 1)));
}

}  // namespace

EditedTexts::EditedTexts(std::vector<EditedText> texts) : texts_(std::move(texts)) {
  std::array<std::vector<GramPlace>, kMostBlock - kLeastBlock + 1> places;
  std::vector<std::uint64_t> gram;
  for (std::uint32_t number = 0; number < texts_.size(); ++number) {
    const EditedText& text = texts_[number];
    const std::size_t blocks = text.edits() + std::size_t{1}, tokens = text.tokens.size();
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t begin = block * tokens / blocks, end = (block + 1) * tokens / blocks;
      const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(end - begin, kMostBlock));
      hash_blocks(text.tokens.subspan(begin, size), size, gram);
      places[size - kLeastBlock].push_back({gram.front(), number, static_cast<std::uint32_t>(begin)});
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    sort_by_gram(places[i]);
    blocks_[i] = GramTable(std::move(places[i]));
  }
}

void EditedTexts::hash_blocks(std::span<const std::uint64_t> tokens, std::uint32_t size, std::vector<std::uint64_t>& grams) {
  grams.clear();
  if (tokens.size() >= size) window_hashes(tokens, size, 0, tokens.size() - size, 1, grams);
}

const std::vector<EditedPlace>& EditedSearch::find(const GramsOfTokens& record) {
  places_.clear();
  texts_.for_each_block(record, grams_, [&](std::size_t position, std::uint32_t size, std::span<const GramPlace> blocks) {
    for (const GramPlace& block : blocks)
      add_places(texts_[block.text], block.at, static_cast<std::uint32_t>(position), size, record.tokens);
  });
  const auto rank = [](const EditedPlace& p) {
    return std::tuple(p.text, p.edits, -static_cast<std::int64_t>(p.equal), p.end - p.begin, p.begin, p.in_begin, p.in_end);
  };
  std::sort(places_.begin(), places_.end(), [&](const EditedPlace& a, const EditedPlace& b) { return rank(a) < rank(b); });
  return places_;
}

// Whether no place needs b: with a in its stead, a place is preferred and lies within that of b, so that whatever overlaps it overlaps
// that of b too.
bool EditedSearch::is_no_worse(const Reach& a, const Reach& b, bool left) {
  if (a.edits > b.edits || a.equal < b.equal || a.rare < b.rare || a.record > b.record) return false;
  if (a.edits < b.edits || a.equal > b.equal || a.record < b.record) return true;
  return left ? a.text >= b.text : a.text <= b.text;
}

void EditedSearch::keep_best(std::vector<Reach>& reaches, const Reach& added, bool left) {
  const auto comparable = [&](const Reach& reach) { return reach.next == added.next; };
  if (std::any_of(reaches.begin(), reaches.end(), [&](const Reach& r) { return comparable(r) && is_no_worse(r, added, left); })) return;
  std::erase_if(reaches, [&](const Reach& r) { return comparable(r) && is_no_worse(added, r, left); });
  reaches.push_back(added);
}

// All that may follow when token i of the text is next.
void EditedSearch::step(const Side& side, std::uint32_t i, const Reach& reach) {
  const std::uint32_t next = reach.next;
  if (next < side.records() && side.equal(i, next)) {
    const std::uint32_t rare = reach.rare + (side.text.rare >> side.in_text(i) & 1);
    keep_best(further_, {reach.edits, reach.equal + 1, rare, i + 1, next + 1, next + 1}, side.left);
  }
  if (reach.edits == side.text.edits()) return;
  Reach edited = reach;
  ++edited.edits;
  for (std::uint32_t added = 0; added <= kMostAdded && next + added <= side.records(); ++added) {
    edited.next = next + added;
    keep_best(further_, edited, side.left);
    if (added > 0) here_.push_back(edited);
  }
}

// The ways in which the text on one side follows from the record. Of ways that have come equally far, those stay that may be preferred:
// a text of one word again and again would have thousands.
void EditedSearch::follow(const Side& side, std::vector<Reach>& out) {
  here_.assign(1, {});
  for (std::uint32_t i = 0; i < side.texts() && !here_.empty(); ++i) {
    further_.clear();
    for (std::size_t k = 0; k < here_.size(); ++k) step(side, i, Reach(here_[k]));  // which adds to them
    here_.swap(further_);
  }
  out.clear();
  for (Reach reach : here_) {
    reach.next = 0;
    keep_best(out, reach, side.left);
  }
}

// `size` tokens of the text from `in` on are those of the record from `at` on, but for a collision of hashes.
void EditedSearch::add_places(const EditedText& text, std::uint32_t in, std::uint32_t at, std::uint32_t size,
                              std::span<const std::uint64_t> tokens) {
  if (!std::equal(text.tokens.begin() + in, text.tokens.begin() + in + size, tokens.begin() + at)) return;
  follow({text, tokens, in, at, true}, left_);
  if (left_.empty()) return;
  follow({text, tokens, in + size, at + size, false}, right_);
  const std::uint32_t needed = text.needs_rare ? 2 : 0;
  for (const Reach& left : left_) {
    for (const Reach& right : right_) {
      const std::uint32_t edits = left.edits + right.edits;
      if (edits > text.edits() || left.rare + rare_between(text, in, size) + right.rare < needed) continue;
      places_.push_back({text.text, edits, left.equal + size + right.equal, at - left.record, at + size + right.record, in - left.text,
                         in + size + right.text});
    }
  }
}

}  // namespace nearkin
