// Pieces of texts that are kept while all are read: the tokens around anchors that many texts have.
//
// A text that shares a passage is read again to measure the passage. Where a passage is in every record, that would be every record, more
// than once. What most comparisons need of it is a piece; one that needs more reads the text, so no answer depends on what was kept. What a
// piece has in common with an earlier one is kept once: a piece of a page with the usual footer is a few words, and where the footer is.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nearkin/items.h>

#include "feature/text_span.h"
#include "match/winnow.h"

namespace nearkin {

/// An anchor is common if its key was seen this often. Tests change it.
inline std::uint32_t common_in_tests = 4;

/// Which keys are seen again and again, by counts of a fixed number of them. A key that is met where another is counted takes one off that
/// count, and the place of a count of 0. By many threads at once, which may lose a count.
class CommonKeys {
 public:
  CommonKeys() : counts_(kCounts) {}
  /// Counts the key; true if it is common.
  bool see(std::uint64_t key) {
    std::atomic<std::uint64_t>& count = counts_[key % kCounts];
    const std::uint64_t was = count.load(std::memory_order_relaxed), seen = was % kCounts, name = key - key % kCounts;
    const bool same = was - seen == name, add = same ? seen + 1 < kCounts : false;
    const std::uint64_t now = same ? was + (add ? 1 : 0) : seen > 1 ? was - 1 : name + 1;
    count.store(now, std::memory_order_relaxed);
    return now - now % kCounts == name && now % kCounts >= common_in_tests;
  }

 private:
  static constexpr std::uint64_t kCounts = std::uint64_t{1} << 13;  // a count is in the bits of a key that its place tells
  std::vector<std::atomic<std::uint64_t>> counts_;
};

/// Consecutive tokens of a text that others have parts of. Does not change once it is made.
struct CommonText {
  std::vector<std::uint64_t> tokens;
  std::vector<TextSpan> spans;  ///< of the tokens, in the text that they were taken from
  std::string bytes;            ///< of that text, from the first token to the last
  bool plain = false;           ///< where its bytes are the same, so are its tokens and their spans

  std::size_t size() const { return tokens.size(); }
  /// The bytes of the tokens first … last - 1.
  std::string_view bytes_of(std::size_t first, std::size_t last) const {
    const std::size_t base = spans.front().begin;
    return std::string_view(bytes).substr(spans[first].begin - base, spans[last - 1].end - spans[first].begin);
  }
  std::size_t memory() const { return sizeof *this + tokens.size() * (sizeof(std::uint64_t) + sizeof(TextSpan)) + bytes.size(); }
};

/// The common texts that one thread made, and where in them the grams of anchors are.
class CommonTexts {
 public:
  struct Place {
    const CommonText* text;
    std::uint32_t token;
  };
  const Place* find(std::uint64_t key) const {
    const auto found = places_.find(key);
    return found == places_.end() ? nullptr : &found->second;
  }
  const CommonText& add(CommonText text) { return texts_.emplace_back(std::move(text)); }
  /// The first with a key stays.
  void note(std::uint64_t key, Place place) { places_.try_emplace(key, place); }
  static constexpr std::size_t kPlaceBytes = 64;  // about what one takes in the table

 private:
  struct Same {
    std::size_t operator()(std::uint64_t key) const { return static_cast<std::size_t>(key); }
  };
  std::deque<CommonText> texts_;  // they stay where they are
  std::unordered_map<std::uint64_t, Place, Same> places_;
};

/// Consecutive tokens of a text: some of its own, then those from … to - 1, which a common text has as well, then some of its own. Places
/// are those in the whole text.
struct TextPiece {
  Row row = 0;
  std::uint32_t begin = 0, end = 0;  ///< tokens of the text
  std::uint32_t from = 0, to = 0;
  const CommonText* common = nullptr;
  std::uint32_t at = 0;                 ///< the token of the common text that is `from`
  std::uint32_t base = 0;               ///< the byte that `from` begins with
  std::uint32_t anchors = 0;            ///< those of which all of the gram is in from … to - 1
  bool ends_text = false;               ///< the text has no tokens behind it
  const std::uint64_t* data = nullptr;  ///< its own tokens, their spans, the anchors

  std::size_t size() const { return end - begin; }
  std::size_t own() const { return size() - (to - from); }
  /// Numbers of the data.
  std::size_t numbers() const { return 2 * (own() + anchors); }
  TextSpan span(std::uint32_t token) const;
  /// The anchor whose gram begins with this token.
  std::optional<Anchor> anchor_at(std::uint32_t token) const;
  void copy_tokens(std::vector<std::uint64_t>& out) const;
};
/// Appends what TextPiece::data points to, in this order.
void append_span(std::vector<std::uint64_t>& data, TextSpan span);
void append_anchor(std::vector<std::uint64_t>& data, const Anchor& anchor);

/// In memory, as many as its bound allows; ascending by row and place.
class TextPieces {
 public:
  explicit TextPieces(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}
  /// Takes room for what others keep; false where there is none. By many threads at once.
  bool reserve(std::uint64_t bytes);
  /// Copies the data. Rows ascend.
  void add(Row row, TextPiece piece);
  /// The pieces of a row. By many threads at once when all are added.
  std::span<const TextPiece> of(Row row) const;

 private:
  std::uint64_t* room_for(std::size_t numbers);

  static constexpr std::size_t kLeastBlock = std::size_t{1} << 16, kMostBlock = std::size_t{1} << 21;  // numbers; each twice the one before
  std::uint64_t most_bytes_;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
  std::size_t room_ = 0, used_ = 0;  // of the last block
  std::vector<TextPiece> pieces_;
  static constexpr Row kRows = 8;
  std::vector<std::uint32_t> firsts_;  // the first piece of every eight rows, or the next one behind them; as far as rows have pieces
};

}  // namespace nearkin
