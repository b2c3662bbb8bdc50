// Shingler: texts → shingle hashes. One for each thread; it owns the scratch.
#pragma once

#include <span>

#include <nearkin/plan.h>
#include <nearkin/stages.h>

#include "base/hash.h"
#include "feature/tokeniser.h"

namespace nearkin {

class Shingler {
 public:
  /// Throws Error(plan) for a plan that ignores shingles but does not contain them.
  explicit Shingler(const ShinglePlan& plan);

  /// Sets a salt: shingles with different salts never agree, so items of different scopes have nothing in common. 0: no salt.
  void salt(std::uint64_t salt) { salt_ = salt; }

  /// The hash of each shingle that counts, in order of appearance, with repetitions. Empty for an EMPTY text. A text shorter than a shingle
  /// is one shingle. Good until the next call.
  std::span<const std::uint64_t> shingles(std::string_view text);

  /// The same as Features holds them: ascending, distinct; in a bag the n-th occurrence of a shingle is a value of its own.
  /// Good until the next call.
  std::span<const std::uint64_t> features(std::string_view text);

 private:
  void roll(std::span<const std::uint64_t> tokens);

  ShinglePlan plan_;
  std::uint64_t leaving_factor_ = 0;  // kBase^size: what the oldest token of a shingle was multiplied by when it leaves
  std::uint64_t salt_ = 0;
  Tokeniser tokeniser_;
  std::vector<std::uint64_t> shingles_;
  std::vector<std::uint64_t> scratch_;
};

/// The feature of a bag for a shingle that has occurred `earlier` times before in its text.
std::uint64_t occurrence_hash(std::uint64_t shingle, std::uint64_t earlier);

/// A hash of the whole list of shingles, whatever their order: items that agree in it have similarity 1.
Hash128 content_hash(std::span<const std::uint64_t> shingles);

/// Sorts 64-bit hashes (spread evenly over their range) ascending. `scratch` is overwritten.
void sort_hashes(std::vector<std::uint64_t>& hashes, std::vector<std::uint64_t>& scratch);

/// The features of texts. `salts`: one per text, or none.
Features shingle_salted(std::span<const std::string_view> texts, const ShinglePlan& plan, std::span<const std::uint64_t> salts);

}  // namespace nearkin
