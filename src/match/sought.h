// Searches for texts in other texts, in whole or in part: for places that hold a given share of their grams.
//
// A gram is `size` consecutive tokens. The grams of a text are its different ones. A gram is common if more than 20 items of its group have
// it, and more than 1/1000 of them; or if at least three have it, and more than half of them. (Items with equal texts count as one item;
// items without grams do not count.) A text of n tokens is found by grams that count:
//   - If it has no common gram, or at least five others, these others count. Let m of its tokens lie in them. It is found at a range of
//     grams of a record that lies within 2n consecutive tokens, is at least `share` of m tokens long, and holds `share` or more of them,
//     and at least five (all, if there are fewer). (The length matters for texts in which grams repeat: "0 0 0 0" is not half of forty
//     zeros.)
//   - If it has common grams, and one to four others, all of them count, and m is n; for the few others may be a phrase of any record. The
//     range must hold each of these few.
//   - If it has only common grams, all of them count, and the range must hold all and be at least n tokens long.
// A record is divided first where one copy of the text ends and another begins: between two consecutive grams g and h of the text, if all
// of this holds:
//   - They share no token, and h is before g in the text.
//   - The range of 2n tokens that ends with g, and that which begins with h, are each such a range.
//   - Of the grams of the range with fewer, at least a third are also in the other.
// In each part, from left to right:
//   1. Let a be the first gram from which such a range reaches that.
//   2. Of the ranges that begin within 2n tokens from a on, that one is taken which holds most of the text's grams; of these the shortest;
//      of these the first.
//   3. It grows by grams of the text that follow at once, to the right and then to the left, as far as 2n tokens.
//   4. The same is done with what lies to its left and to its right, as far as they share no token with it.
// A text of fewer than `size` tokens is found where all of its tokens follow one another; a text of fewer than `least` tokens is not
// searched for. With `edited`, short texts are also found where they were edited (edited.h), at places that share no token with the others.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <nearkin/plan.h>

#include "match/edited.h"
#include "match/gram_table.h"

namespace nearkin {

struct SoughtPlan {
  std::uint32_t size;   ///< tokens of a gram
  std::uint32_t least;  ///< tokens of a text
  Ratio share;
  bool edited = false;
};

struct SoughtText {
  std::uint64_t first = 0;  ///< of SoughtTexts::tokens
  std::uint32_t tokens = 0;
  std::uint32_t group = 0;    ///< texts of the same group are consecutive
  std::uint32_t item = 0;     ///< and so are the texts of the same item, by its number in the group
  std::uint32_t grams = 0;    ///< number of grams that count; 0: the text is not searched for
  std::uint32_t needed = 0;   ///< number of grams that reach the share
  std::uint32_t least = 0;    ///< least number of tokens of a range
  std::uint32_t own = 0;      ///< if common grams count: number of the others, which a range must hold
  std::uint32_t met = 0;      ///< number of grams of the table that a record must have at least
  bool has_common = false;    ///< it has common grams
  bool common_count = false;  ///< they count; the table has only the others, or one gram if there are none
};

/// All texts that are looked for. `add` them, then `finish`.
class SoughtTexts {
 public:
  explicit SoughtTexts(const SoughtPlan& plan) : plan_(plan) {}
  void add(std::span<const std::uint64_t> tokens, std::uint32_t group, std::uint32_t item);
  void finish();

  const SoughtPlan& plan() const { return plan_; }
  std::size_t size() const { return texts_.size(); }
  const SoughtText& operator[](std::size_t text) const { return texts_[text]; }
  std::span<const std::uint64_t> tokens(std::size_t text) const {
    return std::span(tokens_).subspan(texts_[text].first, texts_[text].tokens);
  }
  /// Grams of a group that do not count, because too many of its texts have them.
  std::uint64_t common(std::uint32_t group) const { return group < common_.size() ? common_[group] : 0; }
  const GramTable& grams() const { return grams_; }
  /// For texts shorter than a gram: their first tokens, as many as the shortest text has.
  const GramTable& beginnings() const { return beginnings_; }
  std::uint32_t beginning() const { return beginning_; }
  const EditedTexts& edited() const { return edited_; }

 private:
  struct Items {
    std::vector<std::uint32_t> of_text;   // of each text the number of its item; items of a group with equal texts have the same
    std::vector<std::uint64_t> of_group;  // different ones with grams
    std::uint32_t count = 0;
  };
  bool has_grams(const SoughtText& text) const { return text.tokens >= std::max(plan_.least, plan_.size); }
  std::vector<GramPlace> all_grams() const;
  Items different_items() const;
  std::vector<std::uint32_t> common_places(std::span<const GramPlace> places);
  void leave_out_common(std::vector<GramPlace>& places);
  std::uint32_t tokens_in_grams_but(std::size_t text, std::span<const std::uint64_t> common) const;
  void set_needs(std::size_t number, std::span<const std::uint64_t> common);
  void add_short_texts();
  struct TextCount {
    std::size_t texts = 0, last = 0;  // the number behind that of the last one counted
  };
  using TextsWith = std::unordered_map<std::uint64_t, TextCount>;
  bool needs_rare(std::size_t text) const;
  bool is_edited(std::size_t text) const;
  void count_texts_with(std::size_t begin, std::size_t end, TextsWith& texts_with) const;
  void add_edited_texts();

  SoughtPlan plan_;
  std::vector<std::uint64_t> tokens_;
  std::vector<SoughtText> texts_;
  std::vector<std::uint64_t> common_;
  GramTable grams_, beginnings_;
  std::uint32_t beginning_ = 0;
  EditedTexts edited_;
};

/// A text that was found, in tokens of the record and of the text.
struct FoundText {
  std::uint32_t text = 0;
  std::uint32_t covered = 0, grams = 0;    ///< the share of its grams; 1 of 1 for a text shorter than a gram
  std::uint32_t run = 0;                   ///< tokens of the longest run that both have
  std::uint32_t begin = 0, end = 0;        ///< of the record
  std::uint32_t in_begin = 0, in_end = 0;  ///< of the text: from its first gram that was found to its last
  bool edited = false;                     ///< found token by token: `covered` and `grams` count tokens
  bool operator==(const FoundText&) const = default;
};

/// How often grams of a text are in two ranges of a record, and how many are in both.
class SharedGrams {
 public:
  enum Side { left, right };
  /// Grams have numbers below `most`.
  explicit SharedGrams(std::size_t most) : seen_{std::vector<std::uint32_t>(most), std::vector<std::uint32_t>(most)} {}

  void add(Side side, std::uint32_t gram, bool own) {
    if (seen_[side][gram]++ > 0) return;
    ++different_[side];
    own_[side] += own;
    shared_ += seen_[1 - side][gram] > 0;
  }
  void remove(Side side, std::uint32_t gram, bool own) {
    if (--seen_[side][gram] > 0) return;
    --different_[side];
    own_[side] -= own;
    shared_ -= seen_[1 - side][gram] > 0;
  }
  std::uint32_t different(Side side) const { return different_[side]; }
  std::uint32_t own(Side side) const { return own_[side]; }
  std::uint32_t shared() const { return shared_; }

 private:
  std::array<std::vector<std::uint32_t>, 2> seen_;
  std::array<std::uint32_t, 2> different_{}, own_{};
  std::uint32_t shared_ = 0;
};

/// One for each thread; it owns the scratch. The texts must outlive it.
class SoughtSearch {
 public:
  explicit SoughtSearch(const SoughtTexts& texts);
  /// What is found in a record, ascending by text and place. Good until the next call.
  const std::vector<FoundText>& find(std::span<const std::uint64_t> tokens);

 private:
  struct Hit {
    std::uint32_t text, position, at;
    bool own;  // counts for SoughtText::own
  };
  struct Meeting {
    std::uint32_t position;
    std::span<const GramPlace> places;
  };
  struct Range {
    std::size_t first, last;  // hits, both inside
    std::uint32_t covered;
  };
  bool meet(std::span<const std::uint64_t> tokens);
  void gather_hits();
  void find_copies(std::span<const Hit> hits, std::span<const std::uint64_t> tokens);
  std::span<const Hit> with_common(std::span<const Hit> hits);
  std::vector<GramPlace> sorted_grams(std::uint32_t text) const;
  bool holds_enough(const SoughtText& text) const { return covered_ >= text.needed && own_ >= text.own; }
  const std::vector<std::size_t>& copies_in(std::span<const Hit> hits, const SoughtText& text);
  void find_in(std::span<const Hit> hits, std::span<const std::uint64_t> tokens);
  std::optional<Range> best_range(std::span<const Hit> hits, const SoughtText& text);
  Range shortest_range(std::span<const Hit> hits, std::size_t start, const SoughtText& text, std::uint32_t covered);
  std::uint32_t reach_of(const SoughtText& text) const { return 2 * text.tokens - texts_.plan().size; }
  static void grow(Range& range, std::span<const Hit> hits, std::uint32_t reach);
  void add_found(std::span<const Hit> hits, const Range& range, std::span<const std::uint64_t> tokens);
  std::uint32_t longest_run(std::uint32_t text, std::span<const std::uint64_t> stretch);
  void find_short(std::span<const std::uint64_t> tokens);
  void find_edited(std::span<const std::uint64_t> tokens);
  void count(const Hit& hit) {
    const bool added = seen_[hit.at]++ == 0;
    covered_ += added;
    own_ += added && hit.own;
  }
  void uncount(const Hit& hit) {
    const bool gone = --seen_[hit.at] == 0;
    covered_ -= gone;
    own_ -= gone && hit.own;
  }

  const SoughtTexts& texts_;
  std::vector<std::uint32_t> met_;         // of each text: grams of the record that it has
  std::vector<std::uint32_t> touched_;     // texts of which it is not 0
  std::vector<std::uint64_t> grams_;       // of the record
  std::vector<std::uint64_t> beginnings_;  // as many tokens as the shortest text has
  std::vector<Meeting> meetings_;
  std::vector<Hit> hits_, more_hits_;
  std::vector<std::uint32_t> seen_;      // of each gram of a text: how often the range at hand holds it
  std::uint32_t covered_ = 0, own_ = 0;  // grams that it holds, and those of them that count for SoughtText::own
  SharedGrams around_;
  std::vector<std::size_t> copies_;
  std::vector<FoundText> found_;
  EditedSearch edited_;
};

}  // namespace nearkin
