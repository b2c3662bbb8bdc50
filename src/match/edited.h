// Short texts that were edited, in others: one changed word takes most of a short text's grams with it, so they are looked for word by
// word.
//
// A text of 5 to 19 tokens is found where a record has it but for one edit, from 15 tokens on for two. An edit replaces one token of the
// text, or none, by up to three others, which may be none. A text of up to 7 tokens must also have two rare tokens among those that are
// equal: rare is what at most 2, or at most one in fifty, of the texts of its group have. A place reaches from the first equal token to the
// last. Of places of one text that overlap, that with the fewest edits stays; of these that with most equal tokens, of these the shortest,
// of these the first.
//
// Search: cut into one block more than there are edits, a text has a block that no edit touches. The blocks are looked up, or the first
// four tokens of them, and the rest is compared from there.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "match/gram_table.h"

namespace nearkin {

/// A text that is looked for, as it was added.
struct EditedText {
  std::uint32_t text = 0;  ///< its number
  std::span<const std::uint64_t> tokens;
  std::uint32_t rare = 0;  ///< a bit for each rare token, where they are needed
  static constexpr std::uint32_t kLeast = 5, kMost = 19;
  static bool is_one(std::size_t tokens) { return tokens >= kLeast && tokens <= kMost; }
  bool needs_rare() const { return tokens.size() <= 7; }
  std::uint32_t edits() const { return tokens.size() < 15 ? 1 : 2; }
};

/// A place of a text that was found, in tokens.
struct EditedPlace {
  std::uint32_t text = 0;
  std::uint32_t edits = 0, equal = 0;
  std::uint32_t begin = 0, end = 0;        ///< of the record
  std::uint32_t in_begin = 0, in_end = 0;  ///< of the text
};

/// The tokens of a record, and all of its grams of one size.
struct GramsOfTokens {
  std::span<const std::uint64_t> tokens, grams;
  std::uint32_t size;
};

class EditedTexts {
 public:
  EditedTexts() = default;
  /// The tokens must outlive it.
  explicit EditedTexts(std::vector<EditedText> texts);

  const EditedText& operator[](std::size_t number) const { return texts_[number]; }
  bool empty() const { return texts_.empty(); }
  /// Calls use(position, size, places) where so many tokens of a record from a position on are a block's first: GramPlace::text numbers the
  /// texts here, GramPlace::at their tokens. `grams` is scratch.
  template <typename Use>
  void for_each_block(const GramsOfTokens& record, std::vector<std::uint64_t>& grams, Use&& use) const {
    for (std::uint32_t size = kLeastBlock; size <= kMostBlock; ++size) {
      const GramTable& blocks = blocks_[size - kLeastBlock];
      if (blocks.empty()) continue;
      if (size != record.size) hash_blocks(record.tokens, size, grams);
      blocks.find(size == record.size ? record.grams : std::span<const std::uint64_t>(grams),
                  [&](std::size_t position, std::span<const GramPlace> places) { use(position, size, places); });
    }
  }

 private:
  static constexpr std::uint32_t kLeastBlock = 2, kMostBlock = 4;
  static void hash_blocks(std::span<const std::uint64_t> tokens, std::uint32_t size, std::vector<std::uint64_t>& grams);

  std::vector<EditedText> texts_;
  std::array<GramTable, kMostBlock - kLeastBlock + 1> blocks_;
};

/// One for each thread; it owns the scratch. The texts must outlive it.
class EditedSearch {
 public:
  explicit EditedSearch(const EditedTexts& texts) : texts_(texts) {}
  /// All places of all texts in a record, in the order in which they are preferred: ascending by text. Places of one text may overlap.
  /// Good until the next call.
  const std::vector<EditedPlace>& find(const GramsOfTokens& record);

 private:
  // One way in which the tokens on one side of a block agree, as far as it was followed.
  struct Reach {
    std::uint32_t edits = 0, equal = 0, rare = 0;
    std::uint32_t text = 0, record = 0;  // tokens up to the last equal one
    std::uint32_t next = 0;              // token of the record
  };
  // The tokens on one side of a block, away from it.
  struct Side {
    const EditedText& text;
    std::span<const std::uint64_t> record;
    std::uint32_t in, at;  // the first tokens on the right, those behind the last on the left
    bool left;

    std::uint32_t texts() const { return left ? in : static_cast<std::uint32_t>(text.tokens.size()) - in; }
    std::uint32_t records() const { return left ? at : static_cast<std::uint32_t>(record.size()) - at; }
    std::uint32_t in_text(std::uint32_t i) const { return left ? in - 1 - i : in + i; }
    bool equal(std::uint32_t i, std::uint32_t j) const { return text.tokens[in_text(i)] == record[left ? at - 1 - j : at + j]; }
  };
  void follow(const Side& side, std::vector<Reach>& out);
  void step(const Side& side, std::uint32_t i, const Reach& reach);
  static bool is_no_worse(const Reach& a, const Reach& b, bool left);
  static void keep_best(std::vector<Reach>& reaches, const Reach& added, bool left);
  void add_places(const EditedText& text, std::uint32_t in, std::uint32_t at, std::uint32_t size, std::span<const std::uint64_t> tokens);

  const EditedTexts& texts_;
  std::vector<std::uint64_t> grams_;
  std::vector<Reach> left_, right_;
  std::vector<Reach> here_, further_;  // with the token of the text at hand before them, and behind them
  std::vector<EditedPlace> places_;
};

}  // namespace nearkin
