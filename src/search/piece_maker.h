// PieceMaker: texts as they are read → the pieces of them that are kept. One for each thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "match/winnow.h"
#include "search/passage_tokens.h"
#include "search/text_pieces.h"

namespace nearkin {

/// An anchor with the key of its gram.
struct KeyedAnchor {
  Anchor anchor;
  std::uint64_t key;
  bool common;  ///< many texts have it
};

class PieceMaker {
 public:
  /// `room` bounds the common texts; its pieces need the maker as long as they live.
  PieceMaker(const WinnowPlan& plan, TextPieces& room) : plan_(plan), room_(room) {}

  void begin_chunk();
  /// Makes the pieces of the next text of the chunk, which the tokeniser read last.
  void add(std::string_view text, std::span<const std::uint64_t> tokens, std::span<const KeyedAnchor> anchors, PassageTokeniser& tokeniser);
  /// Adds the pieces of a text of the chunk to `pieces`, as those of a row.
  void keep(Row item, Row row, TextPieces& pieces) const;

 private:
  struct Made {
    TextPiece piece;
    std::size_t data;  // where in data_
  };
  // Tokens that are to be a common text.
  struct Stretch {
    std::uint32_t begin, end;
  };
  // The text at hand.
  struct Text {
    std::string_view text;
    std::span<const std::uint64_t> tokens;
    std::span<const KeyedAnchor> anchors;
    PassageTokeniser* tokeniser;
    std::vector<TextSpan> spans = {};  // of all tokens, where they were needed
  };

  void refer_to_earlier(Text& text);
  std::uint32_t refer(Text& text, const KeyedAnchor& anchor);
  bool same_spans(Text& text, const TextPiece& piece);
  std::vector<Made>::iterator begin_of_text() { return made_.begin() + static_cast<std::ptrdiff_t>(first_); }
  void stretch_to(const Anchor& anchor, std::size_t tokens);
  void make_common(Text& text, const Stretch& stretch);
  void finish(Text& text, TextPiece piece, std::span<const TextSpan> before, std::span<const TextSpan> behind);
  std::span<const KeyedAnchor> anchors_in(const Text& text, std::uint32_t from, std::uint32_t to) const;
  std::span<const TextSpan> spans_of(Text& text, std::size_t first, std::size_t last, std::vector<TextSpan>& some);

  WinnowPlan plan_;
  TextPieces& room_;
  CommonTexts texts_;
  std::vector<Made> made_;         // of the chunk
  std::vector<std::size_t> ends_;  // of the pieces of each text
  std::vector<std::uint64_t> data_;
  std::vector<Stretch> stretches_;  // of the text at hand
  std::vector<Anchor> loose_;       // common anchors of it that no piece has
  std::vector<TextSpan> before_, behind_;
  std::size_t first_ = 0;  // piece of the text at hand
};

}  // namespace nearkin
