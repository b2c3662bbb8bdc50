#include "io/formats/cut_text.h"

#include <algorithm>

#include "base/blanks.h"
#include "io/formats/json_text.h"
#include "io/formats/result_rows.h"

namespace nearkin {
namespace {

/// A text field of a record: what it says, and where it stands, quotes and all.
struct TextField {
  std::string value;
  std::size_t begin = 0, end = 0;
};

// Those of the cuts that meet the text which begins at `from`, counted from there.
std::vector<Span> cuts_within(std::span<const Span> cuts, std::uint64_t from, std::uint64_t size) {
  std::vector<Span> within;
  for (const Span& cut : cuts) {
    const std::uint64_t begin = std::max(cut.begin, from), end = std::min(cut.end, from + size);
    if (begin < end) within.push_back({begin - from, end - from});
  }
  return within;
}

constexpr std::string_view kMarks = ".,;:!?";

// What is in front of a cut is `left`, which may lose the blanks at its end; returns where the text goes on behind it.
std::size_t close_cut(std::string_view text, std::size_t end, std::string& left) {
  const std::size_t front = before_blanks(left);  // where the blanks in front of the cut begin
  const std::size_t ends_in_front = count_line_ends(std::string_view(left).substr(front));
  const bool begins = front == 0 || ends_in_front > 0 || kMarks.find(left[front - 1]) != std::string_view::npos;
  if (begins) end = std::min(text.find_first_not_of(kMarks, end), text.size());
  const bool mark_stays = end < text.size() && kMarks.find(text[end]) != std::string_view::npos;
  const std::size_t next = behind_blanks(text, end);
  const bool blanks_stay = front > 0 && next < text.size() && count_line_ends(text.substr(end, next - end)) > ends_in_front;
  if (mark_stays || blanks_stay || next == text.size()) left.resize(front);
  return mark_stays || blanks_stay ? end : next;
}

// The record with each of its fields spelled anew where something is cut out of it.
template <typename Spell>
std::string respelled(std::string_view record, const std::vector<TextField>& fields, std::span<const Span> cuts, Spell spell) {
  struct Change {
    std::size_t begin, end;
    std::string text;
  };
  std::vector<Change> changes;
  std::uint64_t from = 0;
  for (const TextField& field : fields) {
    const std::vector<Span> within = cuts_within(cuts, from, field.value.size());
    if (!within.empty()) changes.push_back({field.begin, field.end, spell(without(field.value, within))});
    from += field.value.size() + 1;
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.begin < b.begin; });
  std::string out;
  std::size_t at = 0;
  for (const Change& change : changes) {
    out.append(record, at, change.begin - at).append(change.text);
    at = change.end;
  }
  return out.append(record, at);
}

}  // namespace

std::string without(std::string_view text, std::span<const Span> cuts) {
  std::string left;
  std::size_t at = 0;
  for (const Span& cut : cuts) {
    if (cut.begin > at) left.append(text, at, cut.begin - at);
    at = std::max(at, close_cut(text, cut.end, left));
  }
  return left.append(text, std::min(at, text.size()));
}

std::string cut_jsonl(std::string_view record, const Fields& fields, std::span<const Span> cuts) {
  std::vector<TextField> texts;
  JsonValues values(record);
  for (const FieldPath& path : fields.texts) {
    const std::string_view spelled = values.spelling(path).value_or(record.substr(0, 0));
    const auto begin = static_cast<std::size_t>(spelled.data() - record.data());
    texts.push_back({values.text(path).value_or(""), begin, begin + spelled.size()});
  }
  return respelled(record, texts, cuts, [](const std::string& text) {
    // Not json_string: what is not cut stays as it was, without more escapes.
    std::string spelled = "\"";
    append_json_escaped(spelled, text);
    return spelled + '"';
  });
}

std::string cut_csv(std::string_view record, const CsvColumns& columns, std::span<const Span> cuts) {
  std::vector<CsvField> fields;
  csv_record(record, columns.delimiter, true, &fields);
  std::vector<TextField> texts;
  std::string scratch;
  for (const std::size_t column : columns.texts) {
    const CsvField& field = fields.at(column);
    const bool quoted = field.begin > 0 && record[field.begin - 1] == '"' && field.end < record.size() && record[field.end] == '"';
    texts.push_back({std::string(csv_value(record, field, scratch)), field.begin - quoted, field.end + quoted});
  }
  return respelled(record, texts, cuts, [&](const std::string& text) {
    std::string spelled;
    append_csv_field(spelled, text, columns.delimiter);
    // A line without anything in it is no record.
    return spelled.empty() && fields.size() == 1 ? "\"\"" : spelled;
  });
}

std::string cut_line(std::string_view record, const Fields& fields, std::span<const Span> cuts) {
  std::string_view text = record.substr(0, record.size() - line_end(record).size());
  if (fields.first_word) text = behind_first_word(text);
  const auto begin = static_cast<std::size_t>(text.data() - record.data());
  return respelled(record, {{std::string(text), begin, begin + text.size()}}, cuts, [](const std::string& left) { return left; });
}

}  // namespace nearkin
