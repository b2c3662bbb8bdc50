#include "runs/score_fields.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "base/field_names.h"
#include "base/in_quotes.h"
#include "group/linkage.h"
#include "io/formats/result_rows.h"

namespace nearkin {
namespace {

ScoreInputs reading(ScoreInputs inputs, const std::string& text, const std::string& against_text) {
  inputs.input.text = text;
  inputs.input.loose_texts = true;
  if (!inputs.against) return inputs;
  inputs.against->text = against_text;
  inputs.against->loose_texts = true;
  return inputs;
}

void require_values_of(const Rows& rows, std::size_t side, const std::string& field) {
  const Sources& sources = rows.inputs[side];
  const Row begin = side == 0 ? 0 : rows.input_rows(), end = side == 0 ? rows.input_rows() : static_cast<Row>(rows.size());
  const Column<std::uint8_t> empty = rows.empty();
  if (begin == end || std::find(empty.values().begin() + begin, empty.values().begin() + end, 0) != empty.values().begin() + end) return;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources.format(i) != Format::jsonl) return;
  }
  if (const FieldMet& met = sources.text_met(); met.lacking && !met.found) {
    throw Error(ErrorCode::data, "score",
                "no field " + in_quotes(field) + " in " + sources.name(0) + met.lacking->fields + "; no record has this field");
  }
}

bool is_stream(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(path, error).type();
  using enum std::filesystem::file_type;
  return path == "-" || type == fifo || type == character || type == socket;
}

}  // namespace

void require_rereadable(const Input& input) {
  if (input.memory) throw Error(ErrorCode::plan, "score", "items in memory have no fields; use files");
  if (input.unit.divides()) throw Error(ErrorCode::plan, "score", "parts of texts have no fields; leave out the unit");
  const bool none = input.paths.empty() && !input.files_from;
  if (none || std::any_of(input.paths.begin(), input.paths.end(), is_stream) || (input.files_from && is_stream(*input.files_from)))
    throw Error(ErrorCode::plan, "score", "reads its input several times, and standard input or a pipe can be read once; name a file");
}

void require_one_name(const Score& score) {
  for (const ScorePart& part : score.parts) {
    if (part.against_text.empty() || part.against_text == part.text) continue;
    throw Error(ErrorCode::plan, "score",
                in_quotes(part.against_text) + " would be a field of another input, and there is none; leave it out");
  }
}

void require_fields(const Rows& rows) {
  for (const Sources& sources : rows.inputs) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (can_annotate(sources.format(i))) continue;
      throw Error(ErrorCode::plan, "score",
                  sources.name(i) + " is read as format " + std::string(name(sources.format(i))) +
                      ", whose records have no fields; use jsonl, csv or tsv");
    }
  }
}

void require_values(const Rows& rows, const ScorePart& part) {
  require_values_of(rows, 0, part.text);
  if (rows.across()) require_values_of(rows, 1, part.against_text.empty() ? part.text : part.against_text);
}

ScoreInputs reading_all(const ScoreInputs& inputs, const Score& score) {
  std::string text, against_text;
  const auto add = [](std::string& all, const std::string& fields) {
    const std::vector<std::string> known = all.empty() ? std::vector<std::string>() : split_names(all, "score");
    for (const std::string& field : split_names(fields, "score")) {
      if (std::find(known.begin(), known.end(), field) == known.end()) all += (all.empty() ? "" : ",") + field;
    }
  };
  for (const ScorePart& part : score.parts) {
    add(text, part.text);
    add(against_text, part.against_text.empty() ? part.text : part.against_text);
  }
  return reading(inputs, text, against_text);
}

ScoreInputs reading_part(const ScoreInputs& inputs, const ScorePart& part) {
  return reading(inputs, part.text, part.against_text.empty() ? part.text : part.against_text);
}

std::vector<Row> same_records(const Rows& from, const Rows& to) {
  std::vector<Row> result(from.size(), kNoRow);
  RowReader here(from), there(to);
  const auto place = [](const Rows& rows, RowReader& reader, Row row) {
    const Location location = reader.location(row);
    return std::tuple(row >= rows.input_rows(), location.source, location.offset, location.line);
  };
  Row other = 0;
  for (Row row = 0; row < from.size(); ++row) {
    const auto wanted = place(from, here, row);
    while (other < to.size() && place(to, there, other) < wanted) ++other;
    if (other < to.size() && place(to, there, other) == wanted) result[row] = other;
  }
  return result;
}

double equal_pairs(const Rows& rows) {
  std::vector<std::pair<Hash128, bool>> contents;
  RowReader reader(rows);
  const Column<std::uint8_t> empty = rows.empty();
  for (Row row = 0; row < rows.size(); ++row) {
    if (empty[row] == 0) contents.emplace_back(reader.content(row), row >= rows.input_rows());
  }
  std::sort(contents.begin(), contents.end());
  double pairs = 0;
  for (std::size_t i = 0; i < contents.size();) {
    std::size_t end = i;
    double of_other = 0;
    for (; end < contents.size() && contents[end].first == contents[i].first; ++end) of_other += contents[end].second;
    const auto all = static_cast<double>(end - i);
    pairs += rows.across() ? of_other * (all - of_other) : all * (all - 1) / 2;
    i = end;
  }
  return pairs;
}

}  // namespace nearkin
