// The lecture in tables, and as JSON.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "json.h"
#include "layout.h"
#include "lecture.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

/// A slot as its permutation or function is written: the place, the hash, or of an order the row itself.
std::string slot_text(const RowFunction& function, const Slot& slot) {
  if (!slot) return "∞";
  return function.order.empty() ? fmt::format("{}", *slot) : function.order[*slot - 1];
}

std::string matrix_step(const Lecture& lecture, const ExplainLimits& limits) {
  const Matrix& matrix = lecture.matrix;
  std::vector<Cells> rows{{"row"}};
  rows[0].insert(rows[0].end(), matrix.columns.begin(), matrix.columns.end());
  for (const RowFunction& function : lecture.functions) rows[0].push_back(function.name);
  for (std::size_t row = 0; row < std::min(limits.rows, matrix.rows.size()); ++row) {
    Cells& cells = rows.emplace_back(Cells{matrix.rows[row]});
    for (const bool cell : matrix.cells[row]) cells.emplace_back(cell ? "1" : "0");
    for (const RowFunction& function : lecture.functions) cells.push_back(fmt::format("{}", function.values[row]));
  }
  return table(rows) + left_out(matrix.rows.size(), limits.rows);
}

bool is_permutation(const RowFunction& function) {
  return std::set<std::uint64_t>(function.values.begin(), function.values.end()).size() == function.values.size();
}

/// What a permutation or hash function is, a line each.
std::string functions_step(const Lecture& lecture) {
  std::vector<Cells> rows;
  for (const RowFunction& function : lecture.functions) {
    const bool hash = !function.text.empty();
    const std::string what = hash                     ? function.text
                             : function.order.empty() ? "a permutation: the place of each row"
                                                      : fmt::format("the order {}", fmt::join(function.order, " "));
    rows.push_back({function.name, what, !hash ? "" : is_permutation(function) ? "no two rows agree: a permutation" : "some rows agree"});
  }
  return table(rows);
}

std::string columns_with(const Matrix& matrix, std::size_t row) {
  std::string out;
  for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
    if (matrix.cells[row][c]) out += (out.empty() ? "" : " ") + matrix.columns[c];
  }
  return out;
}

/// The slots of one column, function after function.
std::string column_slots(const Lecture& lecture, const Signatures& signatures, std::size_t column) {
  std::string out;
  for (std::size_t f = 0; f < lecture.functions.size(); ++f) {
    out += (f == 0 ? "" : " ") + slot_text(lecture.functions[f], signatures[f][column]);
  }
  return out;
}

std::string pass_words(const Lecture& lecture) {
  const bool orders =
      std::any_of(lecture.functions.begin(), lecture.functions.end(), [](const RowFunction& f) { return !f.order.empty(); });
  return std::string(
             "Every slot begins at ∞. A row changes only the columns that it is in: each of its numbers replaces the number in that "
             "slot ") +
         "if it is less." + (orders ? " For an order, the slot shows the row instead of its number." : "");
}

std::string pass_step(const Lecture& lecture, const ExplainLimits& limits) {
  const Matrix& matrix = lecture.matrix;
  std::vector<Cells> rows{{"row", "is in"}};
  rows[0].insert(rows[0].end(), matrix.columns.begin(), matrix.columns.end());
  const std::size_t shown = std::min(limits.rows, matrix.rows.size());
  for (std::size_t step = 0; step <= shown; ++step) {
    Cells& cells = rows.emplace_back(step == 0 ? Cells{"", ""} : Cells{matrix.rows[step - 1], columns_with(matrix, step - 1)});
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) cells.push_back(column_slots(lecture, lecture.steps[step], c));
  }
  return table(rows) + left_out(matrix.rows.size(), shown);
}

std::string signature_step(const Lecture& lecture) {
  std::vector<Cells> rows{{""}};
  rows[0].insert(rows[0].end(), lecture.matrix.columns.begin(), lecture.matrix.columns.end());
  for (std::size_t f = 0; f < lecture.functions.size(); ++f) {
    Cells& cells = rows.emplace_back(Cells{lecture.functions[f].name});
    for (const Slot& slot : lecture.signatures()[f]) cells.push_back(slot_text(lecture.functions[f], slot));
  }
  return table(rows);
}

double share(std::size_t part, std::size_t all) { return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all); }

/// Calls `use(a, b)` for each pair of columns, a before b.
template <typename Use>
void each_pair(const Lecture& lecture, Use use) {
  for (std::size_t a = 0; a < lecture.matrix.columns.size(); ++a) {
    for (std::size_t b = a + 1; b < lecture.matrix.columns.size(); ++b) use(a, b);
  }
}

std::string truth_table(const Lecture& lecture, const ExplainLimits& limits) {
  std::vector<Cells> rows{{"pair", "estimate", "", "truth", ""}};
  each_pair(lecture, [&](std::size_t a, std::size_t b) {
    const std::size_t equal = lecture.equal(a, b), shared = lecture.shared(a, b), all = lecture.all(a, b);
    rows.push_back({fmt::format("{} {}", lecture.matrix.columns[a], lecture.matrix.columns[b]),
                    fmt::format("{:.4f}", share(equal, lecture.functions.size())),
                    fmt::format("{} of {}", equal, counted(lecture.functions.size(), "slot")), fmt::format("{:.4f}", share(shared, all)),
                    fmt::format("{} of {}", shared, counted(all, "row"))});
  });
  const std::size_t pairs = rows.size() - 1;
  rows.resize(std::min(limits.rows, pairs) + 1);
  return table(rows) + left_out(pairs, limits.rows);
}

/// The columns that agree in a band, group by group; a column that is alone is in none.
std::vector<std::vector<std::size_t>> buckets_of(const Lecture& lecture, std::size_t band) {
  std::vector<std::vector<std::size_t>> buckets;
  std::set<std::size_t> taken;
  for (std::size_t a = 0; a < lecture.matrix.columns.size(); ++a) {
    std::vector<std::size_t> bucket{a};
    for (std::size_t b = a + 1; b < lecture.matrix.columns.size() && !taken.contains(a); ++b) {
      if (lecture.meet(band, a, b)) bucket.push_back(b);
    }
    if (bucket.size() < 2) continue;
    taken.insert(bucket.begin(), bucket.end());
    buckets.push_back(std::move(bucket));
  }
  return buckets;
}

std::vector<std::string> names_of(const Lecture& lecture, const std::vector<std::size_t>& columns) {
  std::vector<std::string> names;
  for (const std::size_t column : columns) names.push_back(lecture.matrix.columns[column]);
  return names;
}

std::vector<std::string> functions_of(const Lecture& lecture, std::size_t band) {
  std::vector<std::string> names;
  for (std::size_t row = 0; row < lecture.banding->rows; ++row) names.push_back(lecture.functions[band * lecture.banding->rows + row].name);
  return names;
}

std::string bands_table(const Lecture& lecture, const ExplainLimits& limits) {
  std::vector<Cells> rows{{"band", "rows", "buckets of two or more"}};
  for (std::size_t band = 0; band < std::min(limits.rows, lecture.banding->bands); ++band) {
    std::string buckets;
    for (const std::vector<std::size_t>& bucket : buckets_of(lecture, band))
      buckets += fmt::format("{}{}", buckets.empty() ? "" : " | ", fmt::join(names_of(lecture, bucket), " "));
    rows.push_back(
        {fmt::format("{}", band + 1), fmt::format("{}", fmt::join(functions_of(lecture, band), " ")), buckets.empty() ? "none" : buckets});
  }
  return table(rows) + left_out(lecture.banding->bands, limits.rows);
}

std::size_t bands_shared(const Lecture& lecture, std::size_t a, std::size_t b) {
  std::size_t bands = 0;
  for (std::size_t band = 0; band < lecture.banding->bands; ++band) bands += lecture.meet(band, a, b);
  return bands;
}

double chance_of(const Lecture& lecture, std::size_t a, std::size_t b) {
  return found_probability(share(lecture.shared(a, b), lecture.all(a, b)), static_cast<std::uint32_t>(lecture.banding->bands),
                           static_cast<std::uint32_t>(lecture.banding->rows));
}

std::string candidates_table(const Lecture& lecture, const ExplainLimits& limits) {
  std::vector<Cells> rows{{"pair", "truth", "chance", "candidate"}};
  each_pair(lecture, [&](std::size_t a, std::size_t b) {
    const std::size_t bands = bands_shared(lecture, a, b);
    rows.push_back({fmt::format("{} {}", lecture.matrix.columns[a], lecture.matrix.columns[b]),
                    fmt::format("{:.4f}", share(lecture.shared(a, b), lecture.all(a, b))), fmt::format("{:.4f}", chance_of(lecture, a, b)),
                    bands == 0 ? "no" : fmt::format("yes, in {}", counted(bands, "band"))});
  });
  const std::size_t pairs = rows.size() - 1;
  rows.resize(std::min(limits.rows, pairs) + 1);
  return table(rows) + left_out(pairs, limits.rows);
}

std::string bands_step(const Lecture& lecture, const ExplainLimits& limits) {
  const auto [bands, rows] = *lecture.banding;
  return paragraph(
             fmt::format("The slots are divided into {} of {}. Columns that agree in all rows of a band share a bucket there, and two "
                         "columns that share a bucket in any band are a candidate pair. For random functions, a pair of similarity s "
                         "becomes one with the chance 1 - (1 - s^{})^{}.",
                         counted(bands, "band"), counted(rows, "row"), rows, bands)) +
         "\n" + bands_table(lecture, limits) + "\n" + candidates_table(lecture, limits);
}

std::string number_json(const Slot& slot) { return slot ? fmt::format("{}", *slot) : "null"; }

std::string signatures_json(const Signatures& signatures) {
  return json_array(signatures, [](const std::vector<Slot>& slots) { return json_array(slots, number_json); });
}

std::string function_json(const RowFunction& function) {
  JsonObject object;
  object.add("name", function.name);
  if (!function.text.empty()) object.add("hash", function.text);
  return object.raw("values", json_array(function.values, [](std::uint64_t value) { return fmt::format("{}", value); })).text();
}

std::string pairs_json(const Lecture& lecture) {
  std::string out;
  each_pair(lecture, [&](std::size_t a, std::size_t b) {
    JsonObject object;
    object.add("a", lecture.matrix.columns[a]).add("b", lecture.matrix.columns[b]);
    object.add("equal_slots", lecture.equal(a, b)).add("estimate", share(lecture.equal(a, b), lecture.functions.size()));
    object.add("shared", lecture.shared(a, b)).add("total", lecture.all(a, b));
    object.add("similarity", share(lecture.shared(a, b), lecture.all(a, b)));
    if (lecture.banding) object.add("bands", bands_shared(lecture, a, b)).add("chance", chance_of(lecture, a, b));
    out += (out.empty() ? "" : ",") + object.text();
  });
  return "[" + out + "]";
}

std::string names_json(const std::vector<std::string>& names) {
  return json_array(names, [](const std::string& name) { return json_string(name); });
}

std::string bands_json(const Lecture& lecture) {
  std::string out;
  for (std::size_t band = 0; band < lecture.banding->bands; ++band) {
    JsonObject object;
    object.raw("functions", names_json(functions_of(lecture, band)));
    object.raw("buckets", json_array(buckets_of(lecture, band), [&](const auto& bucket) { return names_json(names_of(lecture, bucket)); }));
    out += (out.empty() ? "" : ",") + object.text();
  }
  return "[" + out + "]";
}

}  // namespace

std::string lecture_text(const Lecture& lecture, const ExplainLimits& limits) {
  std::string out;
  for (std::size_t c = 0; c < lecture.matrix.column_notes.size(); ++c) {
    out += fmt::format("{}: {}\n", lecture.matrix.columns[c], lecture.matrix.column_notes[c]);
  }
  if (!out.empty()) out += "\n";
  out += "1. Matrix\n" + paragraph("A column is a set, a row an element; 1: the element is in the set. Beside each row are its numbers.");
  out += "\n" + matrix_step(lecture, limits) + "\n" + functions_step(lecture);
  out += heading(2, "One pass over the rows") + paragraph(pass_words(lecture));
  out += "\n" + pass_step(lecture, limits);
  out += heading(3, "Signatures") + paragraph("What is left in the slots: for each column, the least number of its rows.");
  out += "\n" + signature_step(lecture);
  if (lecture.matrix.columns.size() < 2) return out;
  out += heading(4, "Estimate and truth") +
         paragraph(
             "The estimate is the share of equal slots. The truth is the Jaccard similarity: rows in both columns, divided by rows in "
             "either. Under a random permutation, the slots of two columns are equal with exactly that probability.");
  out += "\n" + truth_table(lecture, limits);
  return lecture.banding ? out + heading(5, "Bands") + bands_step(lecture, limits) : out;
}

std::string lecture_json(const Lecture& lecture) {
  const Matrix& matrix = lecture.matrix;
  JsonObject object;
  object.raw("rows", names_json(matrix.rows)).raw("columns", names_json(matrix.columns));
  object.raw("matrix", json_array(matrix.cells, [](const std::vector<bool>& row) {
               return json_array(row, [](bool cell) { return std::string(cell ? "1" : "0"); });
             }));
  object.raw("functions", json_array(lecture.functions, function_json));
  object.raw("steps", json_array(lecture.steps, signatures_json));
  object.raw("signatures", signatures_json(lecture.signatures()));
  if (lecture.banding) object.raw("bands", bands_json(lecture));
  return object.raw("pairs", pairs_json(lecture)).text() + "\n";
}

}  // namespace nearkin::cli
