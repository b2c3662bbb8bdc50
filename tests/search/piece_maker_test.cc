// What is kept of texts that share a passage: the tokens and the spans of the text itself, and the passage once.
#include "search/piece_maker.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/random.h"

namespace nearkin {
namespace {

std::string words(test::Random& random, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "w" : " w") + std::to_string(random.below(100'000));
  return out;
}

class PieceMakers : public testing::Test {
 protected:
  /// A text in which every anchor is one that many texts have.
  void read(const std::string& text) {
    const std::span<const std::uint64_t> tokens = tokeniser_.tokens(text);
    tokens_.assign(tokens.begin(), tokens.end());
    std::vector<KeyedAnchor> anchors;
    winnower_.anchors(tokens, [&](const Anchor& anchor, std::uint64_t key) { anchors.push_back({anchor, key, true}); });
    maker_.begin_chunk();
    maker_.add(text, tokens, anchors, tokeniser_);
    maker_.keep(0, row_, pieces_);
    spans_ = PassageTokeniser(plan_).spans(text);
    anchors_ = anchors.size();
    for (const TextPiece& piece : pieces_.of(row_)) expect_equal_to_text(piece);
    ++row_;
  }
  /// Of the text that was read last.
  std::span<const TextPiece> pieces() const { return pieces_.of(row_ - 1); }
  std::size_t anchors_in_pieces() const {
    std::size_t count = 0;
    for (const TextPiece& piece : pieces()) count += piece.anchors;
    return count;
  }

  ShinglePlan plan_{};
  PassageTokeniser tokeniser_{plan_};
  Winnower winnower_{WinnowPlan(20)};
  TextPieces pieces_{1 << 20};
  PieceMaker maker_{WinnowPlan(20), pieces_};
  Row row_ = 0;
  std::vector<std::uint64_t> tokens_;
  std::vector<TextSpan> spans_;
  std::size_t anchors_ = 0;

 private:
  void expect_equal_to_text(const TextPiece& piece) const {
    std::vector<std::uint64_t> tokens;
    piece.copy_tokens(tokens);
    ASSERT_EQ(tokens.size(), piece.size());
    ASSERT_LE(piece.end, tokens_.size());
    EXPECT_EQ(piece.ends_text, piece.end == tokens_.size());
    for (std::uint32_t token = piece.begin; token < piece.end; ++token) {
      EXPECT_EQ(tokens[token - piece.begin], tokens_[token]) << "token " << token;
      EXPECT_EQ(piece.span(token), spans_[token]) << "token " << token;
    }
  }
};

TEST_F(PieceMakers, KeepAPassageOnceHoweverManyTextsHaveIt) {
  test::Random random(1);
  const std::string passage = words(random, 100);
  read(passage);
  ASSERT_EQ(pieces().size(), 1u);
  const CommonText* const kept = pieces()[0].common;
  for (int i = 0; i < 20; ++i) {
    const std::size_t before = random.below(6);
    read(words(random, before) + " " + passage + " " + words(random, 3));
    // Where an anchor's gram is only partly in the passage, there is another piece.
    const auto piece = std::find_if(pieces().begin(), pieces().end(), [&](const TextPiece& one) { return one.common == kept; });
    ASSERT_NE(piece, pieces().end());
    EXPECT_EQ(piece->from, before);
    EXPECT_EQ(piece->to, before + 100);
    EXPECT_LE(piece->own(), 8u) << "a few words on each side";
  }
}

TEST_F(PieceMakers, HaveAllAnchorsAndEachPlaceOfRandomTexts) {
  test::Random random(2);
  std::vector<std::string> passages;
  for (std::size_t i = 0; i < 4; ++i) passages.push_back(words(random, random.between(20, 80)));
  passages.push_back("na\u00EFve caf\u00E9s " + words(random, 40) + " \u00DCber alles");
  passages.push_back("One  TWO\tthree " + words(random, 30));
  for (int i = 0; i < 200; ++i) {
    std::string text;
    for (std::size_t part = random.between(1, 5); part > 0; --part) {
      text += random.chance(60) ? random.pick(passages) : words(random, random.between(1, 60));
      text += random.chance(20) ? "\n  " : " ";
    }
    if (random.chance(20)) std::replace(text.begin(), text.end(), ' ', '\n');
    read(text);
    EXPECT_GE(anchors_in_pieces(), anchors_) << "every anchor of a text is common here, so a piece has it";
  }
}

TEST_F(PieceMakers, MakeNoPieceBeyondTheRoom) {
  TextPieces none(1000);
  PieceMaker maker(WinnowPlan(20), none);
  test::Random random(3);
  const std::string text = words(random, 100);
  const std::span<const std::uint64_t> tokens = tokeniser_.tokens(text);
  std::vector<KeyedAnchor> anchors;
  winnower_.anchors(tokens, [&](const Anchor& anchor, std::uint64_t key) { anchors.push_back({anchor, key, true}); });
  maker.begin_chunk();
  maker.add(text, tokens, anchors, tokeniser_);
  maker.keep(0, 0, none);
  EXPECT_TRUE(none.of(0).empty());
}

}  // namespace
}  // namespace nearkin
