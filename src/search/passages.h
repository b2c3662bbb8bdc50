// Passages: rows and the anchors of their texts → every run of equal tokens that occurs in two places.
//
// Equal windows have equal anchors at equal offsets. So the first window that is equal to one at hand has an anchor in the same group, that
// of all anchors with the same key. In rounds:
//   1. Each place of a group but the first is linked to the first.
//   2. Both texts are read again, but for the pieces of them that were kept, and the run of equal tokens around the two places is
//      measured. Windows of the place that lie within it have their first source there for certain, because an earlier one would have an
//      earlier place in the group.
//   3. The other windows of the place have their source elsewhere, or none. Those that begin before the run all have the token in front of
//      it, and those that end behind it the one that follows: they are the places of the next round, under a hash of the anchor's gram as
//      far as that token, until none is left. Two that agree in that hash agree in those tokens, but for a collision that the tokens
//      reveal. Each round settles the first place of every group, so there is an end however often hashes collide.
// A group of a million places costs a million comparisons with its first.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <nearkin/passages.h>

#include "collect/collect.h"
#include "collect/stage.h"
#include "match/winnow.h"
#include "search/parted.h"
#include "search/passage_tokens.h"
#include "search/piece_maker.h"
#include "search/text_pieces.h"

namespace nearkin {

/// A token of a record.
struct TokenPlace {
  Row row;
  std::uint32_t token;
  auto operator<=>(const TokenPlace&) const = default;
};

/// Tokens that some windows have in common, and these windows, by their first tokens.
struct WindowsPlace : TokenPlace {
  std::uint32_t tokens;
  std::uint32_t first, last;
};

/// A place, with the key of the tokens at that place.
template <typename Place>
struct Keyed {
  std::uint64_t key;
  Place place;
};

/// A place, and the first of its group.
template <typename Place>
struct Link {
  Place place;
  TokenPlace first;
};

/// A run of equal tokens, in tokens and in bytes.
struct EqualRun {
  TokenPlace place, source;
  std::uint32_t tokens = 0;
  std::uint32_t begin = 0, end = 0, in_begin = 0, in_end = 0;
  auto operator<=>(const EqualRun&) const = default;
};

/// Keys are spread evenly: by their highest bits.
struct KeyPart {
  static constexpr unsigned kBits = 10;
  static constexpr std::uint32_t kParts = 1u << kBits;
  template <typename Place>
  std::uint32_t operator()(const Keyed<Place>& record) const {
    return static_cast<std::uint32_t>(record.key >> (64 - kBits));
  }
};

/// Rows one after the other: part after part they are in order.
struct RowPart {
  explicit RowPart(std::uint64_t rows) : width(rows / 1024 + 1), parts(static_cast<std::uint32_t>(rows / width + 1)) {}
  std::uint64_t width;  ///< rows of a part
  std::uint32_t parts;
  template <typename Place>
  std::uint32_t operator()(const Link<Place>& link) const {
    return static_cast<std::uint32_t>(link.place.row / width);
  }
  std::uint32_t operator()(const EqualRun& run) const { return static_cast<std::uint32_t>(run.place.row / width); }
};

template <typename Place>
using KeyedPlaces = Parted<Keyed<Place>, KeyPart>;
template <typename Place>
using Links = Parted<Link<Place>, RowPart>;
using Anchors = KeyedPlaces<TokenPlace>;
using EqualRuns = Parted<EqualRun, RowPart>;

/// What the stages of the search share.
struct PassagePlan {
  ShinglePlan tokens;  ///< with the shingles whose tokens are masked
  WinnowPlan winnow;
  unsigned threads;
  std::uint64_t share;  ///< bytes of each kind of record that may be in memory; two or three kinds live at a time, and pieces of texts
  OwnScratch& scratch;
  std::uint64_t memory;  ///< the bound of the run

  PartedOptions parted(std::uint32_t parts, const std::string& kind) const { return {parts, share, kind, &scratch}; }
};

/// Collects the anchors of all texts while they are read.
class AnchorGatherer : public TextVisitor {
 public:
  explicit AnchorGatherer(const PassagePlan& plan);
  void begin_input() override { tokens_ = masked_ = 0; }
  void begin_source(Format format, const std::string& path) override;
  void read(unsigned worker, const Items& items) override;
  void keep(unsigned worker, Row item, Row row) override;

  /// All of them, once.
  std::unique_ptr<Anchors> take();
  const TextPieces& pieces() const { return pieces_; }
  /// The number of tokens in the rows of the last input.
  std::uint64_t tokens() const { return tokens_; }
  /// Those of them that are masked.
  std::uint64_t masked() const { return masked_; }

 private:
  struct Worker {
    Worker(const PassagePlan& plan, TextPieces& room) : tokeniser(plan.tokens), winnower(plan.winnow), pieces(plan.winnow, room) {}
    PassageTokeniser tokeniser;
    Winnower winnower;
    PieceMaker pieces;
    std::vector<KeyedAnchor> anchors;  // of a chunk
    std::vector<std::size_t> ends;     // of each text's anchors
    std::vector<std::size_t> tokens;   // of each text
    std::vector<std::size_t> masked;   // of each text, where templates are ignored
  };
  // Throws Error(data) for a text that is longer than the bound of memory allows.
  void require_room(std::string_view id, std::uint64_t size) const;

  const PassagePlan& plan_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<Anchors> places_;
  CommonKeys common_;
  TextPieces pieces_;
  std::uint64_t tokens_ = 0, masked_ = 0;
};

/// All runs, unordered, some of them several times. If `split` rows of another input come before the input's rows, only they are sources.
/// Consumes the anchors.
std::unique_ptr<EqualRuns> find_equal_runs(const Rows& rows, std::unique_ptr<Anchors> anchors, const TextPieces& pieces,
                                           const PassagePlan& plan, const Stage& stage);

/// A run, or several that were joined.
struct JoinedRun : EqualRun {
  std::uint32_t of = 0;  ///< tokens of the longer place
};
/// Calls use(row, runs) for each record with a passage, in order: its runs as PassagesResult orders them, joined where `gap` says so.
void for_each_record_with_runs(const EqualRuns& runs, std::optional<std::uint32_t> gap,
                               const std::function<void(Row row, std::span<const JoinedRun> runs)>& use);

/// The part of a text that occurred before: its tokens that are in repeating windows.
struct RepeatedText {
  std::vector<TextSpan> spans;  ///< bytes of the text as it was read; ascending, apart from one another
  std::uint64_t tokens = 0;
};
/// Calls use(row, repeated) for each record in which something repeats, in order.
void for_each_repeated_text(const EqualRuns& runs, const std::function<void(Row row, const RepeatedText& repeated)>& use);
/// What repeats in one record. `runs` are those of the record, in order.
RepeatedText repeated_text(std::span<const EqualRun> runs);

}  // namespace nearkin
