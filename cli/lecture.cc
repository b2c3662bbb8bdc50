#include "lecture.h"

#include <algorithm>
#include <random>
#include <unordered_map>

#include <fmt/format.h>
#include <nearkin/tools/compare.h>

#include "errors.h"
#include "safe_text.h"

namespace nearkin::cli {
namespace {

constexpr std::size_t kNameCharacters = 40;

/// "a" … "z", then numbers.
std::string column_name(std::size_t column) {
  return column < 26 ? std::string(1, static_cast<char>('a' + column)) : fmt::format("{}", column + 1);
}

/// The signatures after one more row: in the columns that have it, its numbers replace greater ones.
Signatures after_row(Signatures signatures, const Lecture& lecture, std::size_t row) {
  for (std::size_t f = 0; f < lecture.functions.size(); ++f) {
    const std::uint64_t value = lecture.functions[f].values[row];
    for (std::size_t c = 0; c < lecture.matrix.columns.size(); ++c) {
      Slot& slot = signatures[f][c];
      if (lecture.matrix.cells[row][c] && (!slot || value < *slot)) slot = value;
    }
  }
  return signatures;
}

}  // namespace

Matrix matrix_of(const std::vector<NamedText>& texts, const ShinglePlan& plan) {
  Matrix matrix;
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (std::size_t c = 0; c < texts.size(); ++c) {
    matrix.columns.push_back(column_name(c));
    matrix.column_notes.push_back(safe_text(texts[c].name.empty() ? texts[c].text : texts[c].name, kNameCharacters));
    const ShingleSpans spans = shingle_spans(texts[c].text, plan);
    for (const ShingleSpans::Span& span : spans.spans) {
      if (span.ignored) continue;
      const auto [place, is_new] = places.emplace(span.feature, matrix.rows.size());
      if (is_new) {
        matrix.numbers.push_back(static_cast<std::uint32_t>(matrix.rows.size()));
        matrix.rows.push_back(safe_text(std::string_view(spans.normalised).substr(span.begin, span.end - span.begin), kNameCharacters));
        matrix.cells.emplace_back(texts.size());
      }
      matrix.cells[place->second][c] = true;
    }
  }
  return matrix;
}

std::vector<RowFunction> random_permutations(std::size_t count, std::size_t rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<RowFunction> functions;
  for (std::size_t p = 0; p < count; ++p) {
    RowFunction& function = functions.emplace_back(RowFunction{.name = fmt::format("π{}", p + 1), .text = {}, .values = {}});
    // The standard's shuffle may differ between libraries; this one does not.
    for (std::size_t row = 0; row < rows; ++row) {
      function.values.push_back(row + 1);
      std::swap(function.values[row], function.values[random() % (row + 1)]);
    }
  }
  return functions;
}

std::vector<RowFunction> hash_functions(const std::vector<std::string>& texts, const Matrix& matrix) {
  std::vector<std::vector<std::uint32_t>> single_rows;  // the least hash of one row is its hash
  for (const std::uint32_t number : matrix.numbers) single_rows.push_back({number});
  std::vector<RowFunction> functions;
  for (const std::string& text : texts) {
    const LinearHash hash = parse_hash(text);
    functions.push_back({.name = fmt::format("h{}", functions.size() + 1),
                         .text = text,
                         .values = minhash_by_functions(single_rows, std::span(&hash, 1)).front()});
  }
  return functions;
}

Lecture lecture(Matrix matrix, std::vector<RowFunction> functions) {
  Lecture out{.matrix = std::move(matrix), .functions = std::move(functions), .steps = {}};
  out.steps.emplace_back(out.functions.size(), std::vector<Slot>(out.matrix.columns.size()));
  for (std::size_t row = 0; row < out.matrix.rows.size(); ++row) out.steps.push_back(after_row(out.steps.back(), out, row));
  return out;
}

std::size_t Lecture::equal(std::size_t a, std::size_t b) const {
  return static_cast<std::size_t>(std::count_if(signatures().begin(), signatures().end(),
                                                [&](const std::vector<Slot>& slots) { return slots[a] && slots[a] == slots[b]; }));
}

bool Lecture::meet(std::size_t band, std::size_t a, std::size_t b) const {
  for (std::size_t f = band * banding->rows; f < (band + 1) * banding->rows; ++f) {
    const std::vector<Slot>& slots = signatures()[f];
    if (!slots[a] || slots[a] != slots[b]) return false;
  }
  return true;
}

std::size_t Lecture::shared(std::size_t a, std::size_t b) const {
  return static_cast<std::size_t>(
      std::count_if(matrix.cells.begin(), matrix.cells.end(), [&](const std::vector<bool>& row) { return row[a] && row[b]; }));
}

std::size_t Lecture::all(std::size_t a, std::size_t b) const {
  return static_cast<std::size_t>(
      std::count_if(matrix.cells.begin(), matrix.cells.end(), [&](const std::vector<bool>& row) { return row[a] || row[b]; }));
}

}  // namespace nearkin::cli
