// A file of labels → two values of each record.
#include <algorithm>
#include <array>
#include <unordered_map>

#include <simdjson.h>

#include <nearkin/error.h>
#include <nearkin/tools/truth.h>

#include "base/in_quotes.h"
#include "base/trimmed.h"
#include "io/formats/csv.h"
#include "io/formats/json_fault.h"
#include "io/formats/json_text.h"
#include "io/formats/whole_file.h"

namespace nearkin {
namespace {

using Names = std::pair<std::string, std::string>;

/// Pairs of names that the columns may have, those of pairs first.
std::vector<Names> usual_names(const TruthFile& file) {
  if (file.fields) return {*file.fields};
  std::vector<Names> names;
  if (file.kind != TruthKind::clusters) names = {{"a", "b"}, {"unique_id_l", "unique_id_r"}};
  if (file.kind != TruthKind::pairs) {
    for (const char* const id : {file.id.c_str(), "id", "unique_id"}) {
      names.emplace_back(id, "cluster");
      names.emplace_back(id, "cluster_id");
    }
  }
  return names;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<Names> known_names(const TruthFile& file, const std::vector<std::string>& columns) {
  for (const Names& names : usual_names(file)) {
    if (has(columns, names.first) && has(columns, names.second)) return names;
  }
  return {};
}

bool names_clusters(const std::string& column) { return column == "cluster" || column == "cluster_id"; }

class TruthReader {
 public:
  explicit TruthReader(const TruthFile& file) : file_(file) {
    table_.path = file.path == "-" ? "standard input" : file.path;
    table_.kind = file.kind.value_or(TruthKind::pairs);
  }

  TruthTable read() {
    std::string bytes = read_whole_file(file_.path);
    const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos) refuse("is empty; it should hold the ids of two items in each line, or an id and its cluster");
    if (!is_utf8(bytes)) refuse("is not UTF-8");
    const std::size_t size = bytes.size();
    bytes.resize(size + kChunkPadding);
    const std::string_view text(bytes.data(), size);
    if (bytes[begin] == '{')
      read_json(text);
    else
      read_csv(text);
    if (table_.first.size() == 0 && any_rejected_) refuse("has no accepted pair, and rejected ones are no labels");
    if (table_.first.size() == 0) refuse("has a header and no labels");
    return std::move(table_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const { throw Error(ErrorCode::data, table_.path, message); }
  [[noreturn]] void refuse_line(const std::string& message) const {
    throw Error(ErrorCode::data, table_.path + ":" + std::to_string(line_), message);
  }

  void take_names(const std::vector<std::string>& columns, bool certain) {
    const std::optional<Names> names = known_names(file_, columns);
    if (!names && file_.fields) {
      std::string list;
      for (const std::string& column : columns) list += (list.empty() ? "" : ", ") + column;
      std::string missing;
      for (const std::string& field : {file_.fields->first, file_.fields->second}) {
        const bool there = std::find(columns.begin(), columns.end(), field) != columns.end();
        if (!there) missing += (missing.empty() ? "" : " and ") + in_quotes(field);
      }
      refuse("no column " + missing + "; the columns are " + list + "; choose two of them");
    }
    if (columns.size() < 2) {
      refuse_line("has one column, " + in_quotes(columns.empty() ? "" : columns.front()) +
                  "; two are needed: the ids of two items, or an id and its cluster (name the separator if it is not one of tab , ; |)");
    }
    table_.named = names || certain;
    names_ = names.value_or(Names{columns[0], columns[1]});
    if (!file_.kind && table_.named && names_clusters(names_.second)) table_.kind = TruthKind::clusters;
  }

  void add(std::string_view first, std::string_view second) {
    if (first.empty() || second.empty())
      refuse_line(std::string("the ") + (first.empty() ? "first" : "second") + " of the two values is missing");
    const bool label = table_.named || table_.first.size() > 0;  // the first may be a header, which the run will tell
    if (label && table_.kind == TruthKind::pairs && first == second && !file_.between) {
      refuse_line("a pair of " + in_quotes(first) + " with itself; a label says that two items are the same");
    }
    if (table_.kind == TruthKind::clusters) {
      const auto [known, is_new] = clusters_.emplace(first, second);
      if (!is_new && known->second != second) {
        refuse_line(in_quotes(first) + " is in the cluster " + in_quotes(second) + ", and above in " + in_quotes(known->second) +
                    "; an item has one cluster");
      }
    }
    table_.first.add(first);
    table_.second.add(second);
  }

  char separator(std::string_view first_line) const {
    if (file_.separator && first_line.find(*file_.separator) != std::string_view::npos) return *file_.separator;
    for (const char c : {'\t', ',', ';', '|'}) {
      if (first_line.find(c) != std::string_view::npos) return c;
    }
    return file_.separator.value_or(',');
  }

  void read_csv(std::string_view text) {
    const char delimiter = separator(text.substr(0, text.find('\n')));
    std::vector<CsvField> fields;
    bool first = true;
    for (line_ = 1; !text.empty();) {
      fields.clear();
      const CsvRecord found = csv_record(text, delimiter, true, &fields);
      const std::string_view record = text.substr(0, found.length);
      if (found.state != CsvRecord::State::whole) refuse_line("a quote is not closed where a field ends");
      const bool blank = trimmed(record).empty();
      const bool header = !blank && std::exchange(first, false) && is_csv_header(record, fields);
      if (!blank && !header) add_csv(record, fields);
      line_ += static_cast<std::uint64_t>(std::count(record.begin(), record.end(), '\n'));
      text.remove_prefix(record.size());
    }
  }

  /// The first record: chooses the columns.
  bool is_csv_header(std::string_view record, const std::vector<CsvField>& fields) {
    std::string scratch;
    std::vector<std::string> names;
    for (const CsvField& field : fields) names.emplace_back(trimmed(csv_value(record, field, scratch)));
    take_names(names, false);
    const auto place = [&](const std::string& name) {
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    if (table_.named) columns_ = {place(names_.first), place(names_.second)};
    return table_.named;
  }

  void add_csv(std::string_view record, const std::vector<CsvField>& fields) {
    if (fields.size() <= std::max(columns_[0], columns_[1])) {
      refuse_line("has " + std::to_string(fields.size()) + (fields.size() == 1 ? " field" : " fields") +
                  ", and the labels are in columns " + std::to_string(columns_[0] + 1) + " and " + std::to_string(columns_[1] + 1));
    }
    std::array<std::string, 2> scratch;
    if (fields.size() == 3 && is_rejected(csv_value(record, fields[2], scratch[0]))) return;
    add(csv_value(record, fields[columns_[0]], scratch[0]), csv_value(record, fields[columns_[1]], scratch[1]));
  }

  /// A line of decisions about pairs says in its third field what was decided, with or without a header above.
  bool is_rejected(std::string_view third) {
    const bool rejected = table_.kind == TruthKind::pairs && third == "reject";
    any_rejected_ = any_rejected_ || rejected;
    return rejected;
  }

  void read_json(std::string_view text) {
    std::optional<std::pair<FieldPath, FieldPath>> paths;
    for (line_ = 1; !text.empty(); ++line_) {
      const std::string_view whole_line = text.substr(0, text.find('\n'));
      const std::string_view line = trimmed(whole_line);
      text.remove_prefix(std::min(text.size(), whole_line.size() + 1));
      if (line.empty()) continue;
      if (!is_json_object(padded_json(line))) {
        const std::string fault = json_fault(line);
        refuse_line(fault.empty() ? "is not a JSON object" : "broken JSON " + fault);
      }
      if (!paths) {
        take_names(json_names(line), true);
        paths = {field_path(names_.first), field_path(names_.second)};
      }
      const std::string first = json_value(line, paths->first), second = json_value(line, paths->second);
      add(first, second);
    }
  }

  std::vector<std::string> json_names(std::string_view line) const {
    const ParsedJson parsed(padded_json(line));
    std::vector<std::string> names;
    simdjson::dom::object object;
    if (parsed.root.get(object) == simdjson::SUCCESS) {
      for (const simdjson::dom::key_value_pair field : object) names.emplace_back(field.key);
    }
    return names;
  }

  /// A string, or a number as it is spelled.
  std::string json_value(std::string_view line, const FieldPath& path) const {
    if (const std::optional<std::string> text = JsonValues(padded_json(line)).text(path)) return *text;
    const std::optional<std::string_view> spelled = JsonValues(padded_json(line)).spelling(path);
    if (!spelled) refuse_line("no field \"" + path.name + "\"");
    if (spelled->find_first_of("{[\"") != std::string_view::npos || *spelled == "null")
      refuse_line("field \"" + path.name + "\" is not a string or number");
    return std::string(trimmed(*spelled));
  }

  const TruthFile& file_;
  TruthTable table_;
  Names names_;
  std::array<std::size_t, 2> columns_{0, 1};  // csv
  std::unordered_map<std::string, std::string> clusters_;
  std::uint64_t line_ = 1;
  bool any_rejected_ = false;
};

}  // namespace

std::string_view name(TruthKind kind) { return kind == TruthKind::pairs ? "pairs" : "clusters"; }

TruthKind parse_truth_kind(std::string_view word) {
  for (const TruthKind kind : {TruthKind::pairs, TruthKind::clusters}) {
    if (word == name(kind)) return kind;
  }
  throw Error(ErrorCode::plan, "truth_kind", in_quotes(word) + " is not pairs or clusters");
}

TruthTable read_truth(const TruthFile& file) { return TruthReader(file).read(); }

}  // namespace nearkin
