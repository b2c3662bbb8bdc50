// Finds edited short texts in others. One changed word changes most of a short text's grams, so these texts are searched for word by word.
//
// A text of 5 to 14 tokens is found if a record contains it with at most one edit, a text of 15 to 19 tokens with at most two. An edit
// replaces one token of the text, or none, by up to three others, which may be none. A text of up to 7 tokens, or with common grams
// (sought.h), must also have two rare tokens among the equal ones; a token is rare if at most 2 texts of its group, or at most one in
// fifty, have it. A place reaches from the first equal token to the last. Among overlapping places of one text, the one with the fewest
// edits is kept; of these the one with the most equal tokens, then the shortest, then the first.
//
// Search: if a text is cut into one block more than there are edits, at least one block has no edit. The blocks (or their first four
// tokens) are looked up, and the rest is compared from there.
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
  bool needs_rare = false;  ///< two rare tokens must be equal
  std::uint32_t rare = 0;   ///< a bit for each rare token, where they are needed
  static constexpr std::uint32_t kLeast = 5, kMost = 19;
  static bool is_one(std::size_t tokens) { return tokens >= kLeast && tokens <= kMost; }
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
  /// Calls use(position, size, places) wherever `size` tokens of a record, from a position on, are the first tokens of a block.
  /// GramPlace::text is the number of the text here, GramPlace::at the number of its token. `grams` is scratch.
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
  std::vector<Reach> here_, further_;  // the reaches before and after the current token of the text
  std::vector<EditedPlace> places_;
};

}  // namespace nearkin
