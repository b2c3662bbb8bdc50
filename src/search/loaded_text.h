// LoadedText: the tokens of a text that was read again, and how far two of them agree.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collect/features_again.h"
#include "feature/tokeniser.h"

namespace nearkin {

class LoadedText {
 public:
  /// In place of the text before, if any.
  void load(Row row, std::string_view text, Tokeniser& tokeniser);

  Row row() const { return row_; }
  std::span<const std::uint64_t> tokens() const { return tokens_; }
  /// Made when first asked for.
  const std::vector<TextSpan>& spans(Tokeniser& tokeniser);
  /// A hash of the tokens first … first + count - 1. The first call takes time for all of them.
  std::uint64_t hash(std::size_t first, std::size_t count);
  std::size_t bytes() const { return text_.size() + tokens_.size() * sizeof(std::uint64_t); }

 private:
  void hash_prefixes();

  Row row_ = 0;
  std::string text_;
  std::vector<std::uint64_t> tokens_;
  std::vector<TextSpan> spans_;
  std::vector<std::uint64_t> prefixes_, powers_;
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
  /// A text that is remembered elsewhere.
  void load(Row row, LoadedText& to) { to.load(row, reader_(row), tokeniser_); }
  Tokeniser& tokeniser() { return tokeniser_; }

 private:
  static constexpr std::size_t kTexts = 16;
  static constexpr std::size_t kBytes = std::size_t{4} << 20;  ///< beyond which fewer are remembered

  TextReader reader_;
  Tokeniser tokeniser_;
  std::vector<std::unique_ptr<LoadedText>> texts_;  ///< the last one in front
};

}  // namespace nearkin
