// LoadedText: the tokens of a text that was read again, or of a piece of it that was kept, and how far two of them agree.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collect/features_again.h"
#include "search/passage_tokens.h"
#include "search/text_pieces.h"

namespace nearkin {

class LoadedText {
 public:
  /// In place of the text before, if any.
  void load(Row row, std::string_view text, PassageTokeniser& tokeniser);
  /// The same with a piece, which must outlive it. `masks`: tokens of it may be masked.
  void view(const TextPiece& piece, bool masks);

  Row row() const { return row_; }
  bool is_whole() const { return piece_ == nullptr; }
  const TextPiece* piece() const { return piece_; }
  /// The loaded tokens: begin … end - 1 of the text.
  std::span<const std::uint64_t> tokens() const { return tokens_; }
  std::size_t begin() const { return piece_ ? piece_->begin : 0; }
  std::size_t end() const { return begin() + tokens().size(); }
  bool has(std::size_t token) const { return token >= begin() && token < end(); }
  /// Whether the text continues beyond the loaded tokens.
  bool is_cut_before(std::size_t token) const { return token == begin() && token > 0; }
  bool is_cut_behind(std::size_t token) const { return piece_ != nullptr && token == end() && !piece_->ends_text; }
  const std::uint64_t* token(std::size_t number) const { return tokens().data() + (number - begin()); }

  /// Those of a whole text are made when first asked for.
  TextSpan span(std::size_t token, PassageTokeniser& tokeniser);
  /// A hash of the tokens first … first + count - 1. The first call takes time for all of them.
  std::uint64_t hash(std::size_t first, std::size_t count);
  /// The number of tokens from `first` on, or before `last`, up to the first that is masked.
  std::size_t plain_ahead(std::size_t first);
  std::size_t plain_behind(std::size_t last);
  std::size_t bytes() const { return text_.size() + tokens_.size() * sizeof(std::uint64_t); }

 private:
  void hash_prefixes();
  const std::vector<std::size_t>& masked();

  Row row_ = 0;
  const TextPiece* piece_ = nullptr;  // of which the tokens are; it has their spans, too
  std::string text_;
  std::vector<std::uint64_t> tokens_;
  std::vector<TextSpan> spans_;
  std::vector<std::uint64_t> prefixes_, powers_;
  bool masks_ = false;                              // tokens may be masked
  std::optional<std::vector<std::size_t>> masked_;  // which of the tokens at hand are, ascending, when it was asked for
};

/// How many tokens of `a` from i on agree with those of `b` from j on. Takes logarithmic time beyond the first thousand.
std::size_t equal_ahead(LoadedText& a, std::size_t i, LoadedText& b, std::size_t j);
/// The same to the left, the tokens before i and j.
std::size_t equal_behind(LoadedText& a, std::size_t i, LoadedText& b, std::size_t j);

/// Reads texts again, and remembers those that were read last. One thread.
class TextLoader {
 public:
  TextLoader(const Rows& rows, const ShinglePlan& plan) : reader_(rows), tokeniser_(plan) {}
  /// Good until the next call.
  LoadedText& operator()(Row row);
  /// Loads a text into storage of the caller.
  void load(Row row, LoadedText& to) { to.load(row, reader_(row), tokeniser_); }
  PassageTokeniser& tokeniser() { return tokeniser_; }

 private:
  static constexpr std::size_t kTexts = 16;
  static constexpr std::size_t kBytes = std::size_t{4} << 20;  ///< above this size, fewer than kTexts texts are kept

  TextReader reader_;
  PassageTokeniser tokeniser_;
  std::vector<std::unique_ptr<LoadedText>> texts_;  ///< the last one in front
};

}  // namespace nearkin
