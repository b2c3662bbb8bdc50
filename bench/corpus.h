// Generated text: the same bytes for the same options on every machine. A document depends on the options, the seed and its own
// number alone, so that the first half of a corpus of 2n documents is the corpus of n documents.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"

namespace nearkin::bench {

struct CorpusOptions {
  std::uint64_t documents = 300'000;
  std::uint32_t words = 200;       ///< mean of a document
  double spread = 0.5;             ///< lengths are spread evenly over words·(1 ± spread)
  double near = 0.2;               ///< share of documents that are edited copies of an earlier original
  double exact = 0.02;             ///< share that are copies of one, letter for letter
  std::uint32_t boilerplate = 0;   ///< leading words that some originals have in common (copies inherit them)
  double boilerplate_share = 0.5;  ///< share of the originals that begin with them
  std::uint32_t cluster = 0;       ///< above 0: every document is the first one with so many words replaced
  std::uint64_t seed = 1;
};

class Corpus {
 public:
  explicit Corpus(const CorpusOptions& options);

  /// The text of a document: sentences of made-up words from a Zipf vocabulary, 5.3 letters on average.
  void append_text(std::uint64_t document, std::string& out);
  /// The same as a line of JSONL: {"id":"d17","text":"…"}.
  void append_record(std::uint64_t document, std::string& out);

 private:
  static constexpr std::uint32_t kVocabulary = 50'000;
  static constexpr std::size_t kLongest = 16;
  enum class Kind { original, edited, copied };

  struct Word {
    std::array<char, kLongest> letters;
    std::uint32_t size;
  };
  struct Alias {
    std::uint32_t keep;  // of 2^32: how often a draw of this entry means itself
    std::uint32_t other;
  };

  void make_words();
  void make_aliases();
  std::uint32_t draw_word(SplitMix& random) const;
  std::uint32_t draw_length(SplitMix& random) const;
  std::uint64_t stream(std::uint64_t document) const { return mix64(options_.seed * 0x9e3779b97f4a7c15u + mix64(document + 1)); }
  Kind kind(std::uint64_t document) const;
  std::uint64_t earlier_original(std::uint64_t document, SplitMix& random) const;
  void draw_original(std::uint64_t document);
  void edit(SplitMix& random);
  void replace_word(std::size_t place, SplitMix& random);
  void draw_member(std::uint64_t document);
  void make_document(std::uint64_t document);

  CorpusOptions options_;
  std::uint64_t copied_below_, edited_below_, boilerplate_below_;  // of 2^32
  std::vector<Word> words_;
  std::vector<Alias> aliases_;
  std::vector<std::uint32_t> document_;  // the words of the document at hand
};

}  // namespace nearkin::bench
