// The lecture of min-hashing, for `explain --permutations` and `--hash`: a characteristic matrix, permutations or hash functions of its
// rows, and the signatures after each row of one pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/tools/theory.h>

#include "explanation.h"

namespace nearkin::cli {

/// Rows are elements, columns are sets.
struct Matrix {
  std::vector<std::string> rows, columns;      ///< their names
  std::vector<std::vector<bool>> cells;        ///< [row][column]: the element is in the set
  std::vector<std::uint32_t> numbers = {};     ///< the x of each row in a hash function: its name where all names are numbers, else from 0
  std::vector<std::string> column_notes = {};  ///< what a column stands for, where its name does not say it: a file
};

/// What gives each row a number, of which a slot keeps the least.
struct RowFunction {
  std::string name;                     ///< "π1", "h1"
  std::string text;                     ///< "3x+1 mod 5"; empty for a permutation
  std::vector<std::uint64_t> values;    ///< of each row
  std::vector<std::string> order = {};  ///< of a permutation that was given as an order of rows: their names
};

using Slot = std::optional<std::uint64_t>;  ///< nothing yet: ∞
using Signatures = std::vector<std::vector<Slot>>;

/// The functions in groups: the first `rows` of them are the first band, and so on.
struct Banding {
  std::size_t bands = 0, rows = 0;
};

struct Lecture {
  Matrix matrix;
  std::vector<RowFunction> functions;
  std::vector<Signatures> steps;  ///< [0]: before the first row; then after each row: [function][column]
  std::optional<Banding> banding = {};

  const Signatures& signatures() const { return steps.back(); }
  std::size_t equal(std::size_t a, std::size_t b) const;  ///< functions that agree for two columns; an empty column agrees with none
  bool meet(std::size_t band, std::size_t a, std::size_t b) const;  ///< whether two columns agree in all rows of a band
  std::size_t shared(std::size_t a, std::size_t b) const;           ///< rows in both
  std::size_t all(std::size_t a, std::size_t b) const;              ///< rows in either
};

/// A matrix as it is written: a row a line, of 0 and 1 with or without blanks or commas between them. The first line may name the columns,
/// and the first word of each line the row. Lines that begin with # do not count. Throws UsageError naming --matrix and the line.
Matrix parse_matrix(const std::string& text);
/// The shingles of texts: a row for each different one, a column for each text.
Matrix matrix_of(const std::vector<NamedText>& texts, const ShinglePlan& plan);

/// "3x+1 mod 5", "(3*x + 1) % 5". Throws UsageError naming --hash.
LinearHash parse_hash(const std::string& text);
/// A permutation a line: the place of each row ("2 3 1"), or after "order:" the rows as they are looked at. Throws UsageError naming
/// --permutations and the line.
std::vector<RowFunction> parse_permutations(const std::string& text, const Matrix& matrix);
/// The same permutations for the same seed on every machine.
std::vector<RowFunction> random_permutations(std::size_t count, std::size_t rows, std::uint64_t seed);
std::vector<RowFunction> hash_functions(const std::vector<std::string>& texts, const Matrix& matrix);

/// The one pass over the rows.
Lecture lecture(Matrix matrix, std::vector<RowFunction> functions);

std::string lecture_text(const Lecture& lecture, const ExplainLimits& limits);
std::string lecture_json(const Lecture& lecture);

}  // namespace nearkin::cli
