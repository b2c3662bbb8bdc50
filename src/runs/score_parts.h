// The parts of a score: what each record has in a field, and the value of every part for pairs of records.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nearkin/score.h>

#include "base/hash.h"
#include "runs/score_fields.h"

namespace nearkin {

/// The parts take turns: each has the memory of the run to itself, but for fields that are small beside it. These are read once.
class ScoreParts {
 public:
  ScoreParts(ScoreInputs inputs, const Score& score, RunOptions run);

  /// Reads every field of `rows`, which have all of them together. Throws Error(data) where no record has a field.
  void read(const Rows& rows);
  /// Known once they were read. Of each part, the pairs of records that are equal in it.
  const std::vector<double>& equal_pairs() const { return equal_pairs_; }
  /// A hash for each row; two are equal if all fields are.
  const std::vector<Hash128>& contents() const { return contents_; }

  /// For each pair of rows (a << 32 | b), one value per part.
  std::vector<double> values(const Rows& rows, std::span<const std::uint64_t> pairs);
  /// The same as matches, in units of the score.
  Matches scored(const Rows& rows, std::span<const std::uint64_t> pairs);

 private:
  Rows collect(std::size_t part) const;
  void keep_if_small(std::size_t part, Rows&& own, std::vector<Row>&& place);

  /// A field as it was read, and where each record of all fields is in it.
  struct Field {
    Rows rows;
    std::vector<Row> place;
  };

  ScoreInputs inputs_;
  const Score& score_;
  RunOptions run_;
  std::vector<double> equal_pairs_;
  std::vector<Hash128> contents_;
  std::vector<std::optional<Field>> kept_;  // of each part
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace nearkin
