// The inputs of a score, read by some of their fields.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nearkin/score.h>

#include "collect/rows.h"

namespace nearkin {

/// The two inputs of a run, or the one that there is.
struct ScoreInputs {
  Input input;
  std::optional<Input> against = {};
  const Input* other() const { return against ? &*against : nullptr; }
};

/// Throws Error(plan) for an input whose fields cannot be read one after the other.
void require_rereadable(const Input& input);
/// Throws Error(plan) for a part that has another name in another input.
void require_one_name(const Score& score);
/// Throws Error(plan) for inputs whose records have no fields.
void require_fields(const Rows& rows);
/// Throws Error(data) where no record has anything in the field of a part. Columns of tables are there, or the run has ended.
void require_values(const Rows& rows, const ScorePart& part);

/// The same inputs, read by all fields of a score, each once; or by those of a part.
ScoreInputs reading_all(const ScoreInputs& inputs, const Score& score);
ScoreInputs reading_part(const ScoreInputs& inputs, const ScorePart& part);

/// For each of `from` the row of the same record among `to`; kNoRow where it is not there. Both are in the order of the input.
std::vector<Row> same_records(const Rows& from, const Rows& to);

/// Pairs of records with the same content, between the two inputs where there are two.
double equal_pairs(const Rows& rows);

}  // namespace nearkin
