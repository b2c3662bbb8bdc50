// Where the bytes of a normalised text come from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nearkin/plan.h>

#include "feature/reduce_code.h"

namespace nearkin {

bool only_white_space(std::string_view text);

/// Normalises a text piece by piece and remembers where each piece came from. A piece is a code point, or, where the text is folded, a safe
/// one with the unsafe ones behind it (fold_table.h), whose folding does not depend on its surroundings. A program is reduced first
/// (reduce_code.h), and the pieces are those of the reduced text. The text must outlive it.
class Trace {
 public:
  /// Follows the text to the end of the first piece after byte `most` that is not only white space: everything before it is final then.
  Trace(std::string_view text, const ShinglePlan& plan, std::size_t most = SIZE_MAX);

  /// Whether the trace agrees with the shingler's normalisation of the text.
  bool agrees_with(std::string_view normalised) const { return settled_ ? normalised.starts_with(out_) : normalised == out_; }

  /// Bytes of the normalised text that were followed.
  std::size_t size() const { return out_.size(); }

  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// The pieces of the text that a span of the normalised one, which is not empty and ends within size(), was made from.
  TextSpan origin(TextSpan normalised) const;

 private:
  // A piece begins here in the text, and its share of the normalised text there; both end where the next ones begin.
  struct Piece {
    std::size_t original, normalised;
  };

  void begin_piece(const char* at) { pieces_.push_back({static_cast<std::size_t>(at - begin_), out_.size()}); }
  void follow_line(const char* begin, const char* end);
  void follow(const char* p, const char* end);
  void put_plain(const char* begin, const char* end);
  void put_folded(const char* begin, const char* end);
  void put_ascii(const char* at);
  const std::string& fold_each(const char* begin, const char* end);
  void put_collapsed(std::string_view text);
  void take_back_blank();

  // The text that is followed: the one given, or the reduced one.
  std::string_view followed(std::string_view text, Normalise normalise);

  std::string reduced_;
  std::vector<CodeStretch> stretches_;  // empty where nothing was reduced
  const std::string_view text_;
  const char* const begin_;
  const char* const stop_;
  const char* reached_;
  const bool fold_, collapse_;
  bool settled_ = false;
  std::string out_;       // the normalised text
  std::size_t line_ = 0;  // where its line begins: no blank is put there
  std::vector<Piece> pieces_;
  // A part of the piece at hand.
  struct Part {
    const char* begin;
    std::size_t end;  // of its share of folded_
  };
  std::string folded_, each_, alone_;
  std::vector<Part> parts_;
};

}  // namespace nearkin
