#include "io/formats/result_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <nearkin/tools/front_end.h>
#include <nearkin/tools/spelling.h>

#include "io/bytes/output.h"
#include "io/formats/csv.h"
#include "io/formats/json_text.h"

namespace nearkin {
namespace {

void append_measured_tsv(std::string& out, const Match& match, const Shown& shown) {
  if (!is_known(match, shown)) {
    out += '?';
    return;
  }
  if (shown.verify == Verify::estimate) out += '~';
  out += measured_text(match, shown.measure);
}

// units / 10^digits as a decimal number without zeros at its end.
std::string decimal(std::uint64_t units, int digits = 6) {
  std::uint64_t scale = 1;
  for (int i = 0; i < digits; ++i) scale *= 10;
  std::string text = std::to_string(units / scale);
  if (units % scale == 0) return text;
  text += '.' + std::to_string(scale + units % scale).substr(1);  // "1dddddd"
  return text.substr(0, text.find_last_not_of('0') + 1);
}

// Six decimals, and so many more that a small distance keeps six digits.
std::string distance_text(double value) {
  constexpr double kLargest = 1e12;  // beyond it doubles have no millionths
  if (value > kLargest || (value < 1e-12 && value > 0)) return fmt::format("{}", value);
  int digits = 6;
  double scale = 1e6;
  for (; value > 0 && value * scale < 1e5 && digits < 18; ++digits) scale *= 10;
  // Sums are good to about 1e-12 of their size, which must not make the next unit of a whole number.
  const double units = value * scale;
  return decimal(static_cast<std::uint64_t>(std::ceil(units - 1e-6 - units * 1e-12)), digits);
}

// A name can be spelled in quotes as it is, or by escapes: most records show neither and need not be parsed.
bool may_have_key(std::string_view record, std::span<const std::string> fields) {
  const auto holds = [&](std::string_view text) { return record.find(text) != std::string_view::npos; };
  const auto is_plain = [](char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  const bool plain = std::all_of(fields.begin(), fields.end(),
                                 [&](const std::string& field) { return std::all_of(field.begin(), field.end(), is_plain); });
  return holds(plain ? "\\u" : "\\") ||
         std::any_of(fields.begin(), fields.end(), [&](const std::string& field) { return holds('"' + field + '"'); });
}

}  // namespace

bool is_known(const Match& match, const Shown& shown) { return shown.verify != Verify::none || match.total != 0; }

const char* measured_name(const Shown& shown) {
  return shown.verify == Verify::estimate ? "estimate" : is_distance(shown.measure) ? "distance" : "similarity";
}

std::string similarity_text(const Match& match) {
  return match.total == 0 ? "0" : decimal(std::min<std::uint64_t>(match.shared * std::uint64_t{1'000'000} / match.total, 1'000'000));
}

std::string measured_text(const Match& match, Measure measure) {
  if (match.total != 0 && !is_distance(measure)) return similarity_text(match);
  const double value = measured(match, measure);
  if (is_distance(measure)) return distance_text(value);
  const double millionths = std::floor(std::abs(value) * 1e6 * (1 + 1e-12) + 1e-6);
  return (value < 0 && millionths > 0 ? "-" : "") + decimal(static_cast<std::uint64_t>(millionths));
}

std::string number_text(const Match& match, Measure measure) {
  const double value = measured(match, measure);
  // Sums are good to about 1e-12 of their size: fifteen digits of them, so that a tie at the border does not read as if it were beyond.
  return match.total != 0 ? fmt::format("{}", value) : fmt::format("{:.15g}", value);
}

bool nearer(const Match& x, const Match& y, Measure measure) {
  if (is_distance(measure)) return measured(x, measure) < measured(y, measure);
  if (x.total == 0 || y.total == 0) return x.similarity() > y.similarity();
  return std::uint64_t{x.shared} * y.total > std::uint64_t{y.shared} * x.total;
}

void append_measured_json(std::string& out, const Match& match, const Shown& shown) {
  if (!is_known(match, shown)) return;
  out.append(",\"").append(measured_name(shown)).append("\":").append(number_text(match, shown.measure));
}

void append_row(std::string& out, std::string_view first, std::string_view second, const Match& match, const Shown& shown, RowStyle style,
                std::pair<const char*, const char*> names) {
  if (style == RowStyle::tsv) {
    append_tsv_field(out, first);
    out += '\t';
    append_tsv_field(out, second);
    out += '\t';
    append_measured_tsv(out, match, shown);
    out += '\n';
    return;
  }
  out.append("{\"").append(names.first).append("\":");
  append_json_string(out, first);
  out.append(",\"").append(names.second).append("\":");
  append_json_string(out, second);
  append_measured_json(out, match, shown);
  out += "}\n";
}

void append_rest(std::string& out, std::string_view first, const Shown& shown, RowStyle style, std::pair<const char*, const char*> names) {
  if (style == RowStyle::tsv) {
    append_tsv_field(out, first);
    out += "\t\t\n";
    return;
  }
  out.append("{\"").append(names.first).append("\":");
  append_json_string(out, first);
  out.append(",\"").append(names.second).append("\":null");
  if (shown.verify != Verify::none) out.append(",\"").append(measured_name(shown)).append("\":null");
  out += "}\n";
}

void append_hit(std::string& out, const HitRow& row, const Match& match, const Shown& shown, RowStyle style) {
  append_row(out, row.query, row.id, match, shown, style, {"query", "id"});
  if (style != RowStyle::json) return;
  std::string more;
  if (!row.metadata.empty()) append_json_safely(more += ",\"metadata\":", row.metadata);
  if (row.stopped_early) more += ",\"stopped_early\":true";
  if (!more.empty()) out.replace(out.size() - 2, 2, more + "}\n");
}

void append_cluster_row(std::string& out, std::string_view id, std::uint32_t cluster, std::string_view keeper, const Match& to_keeper,
                        const Shown& shown, RowStyle style) {
  if (style == RowStyle::tsv) {
    append_tsv_field(out, id);
    out += '\t' + std::to_string(cluster) + '\n';
    return;
  }
  out += "{\"id\":";
  append_json_string(out, id);
  out += ",\"cluster\":" + std::to_string(cluster) + ",\"keeper\":";
  append_json_string(out, keeper);
  append_measured_json(out, to_keeper, shown);
  out += "}\n";
}

void append_summary_row(std::string& out, std::uint32_t cluster, std::uint32_t size, std::string_view keeper, const Match& smallest,
                        const Shown& shown, RowStyle style) {
  if (style == RowStyle::tsv) {
    out += std::to_string(cluster) + '\t' + std::to_string(size) + '\t';
    append_tsv_field(out, keeper);
    out += '\t';
    append_measured_tsv(out, smallest, shown);
    out += '\n';
    return;
  }
  out += "{\"cluster\":" + std::to_string(cluster) + ",\"size\":" + std::to_string(size) + ",\"keeper\":";
  append_json_string(out, keeper);
  append_measured_json(out, smallest, shown);
  out += "}\n";
}

void append_passage(std::string& out, std::string_view id, std::string_view in, const Passage& passage, bool similarity, RowStyle style) {
  const Match shared{.a = 0, .b = 0, .shared = passage.tokens, .total = passage.of};
  const std::string share = !similarity ? "" : style == RowStyle::json ? number_text(shared, Measure::jaccard) : similarity_text(shared);
  if (style == RowStyle::tsv) {
    append_tsv_field(out, id);
    out += '\t' + std::to_string(passage.begin) + '\t' + std::to_string(passage.end) + '\t';
    append_tsv_field(out, in);
    out += '\t' + std::to_string(passage.in_begin) + '\t' + std::to_string(passage.in_end) + '\t' + std::to_string(passage.tokens);
    out += (similarity ? '\t' + share : "") + '\n';
    return;
  }
  out += "{\"id\":";
  append_json_string(out, id);
  out += ",\"begin\":" + std::to_string(passage.begin) + ",\"end\":" + std::to_string(passage.end) + ",\"in\":";
  append_json_string(out, in);
  out += ",\"in_begin\":" + std::to_string(passage.in_begin) + ",\"in_end\":" + std::to_string(passage.in_end);
  out += ",\"tokens\":" + std::to_string(passage.tokens) + (similarity ? ",\"similarity\":" + share : "") + "}\n";
}

void append_rest_passage(std::string& out, std::string_view id, std::uint64_t begin, std::uint64_t end, RowStyle style) {
  if (style == RowStyle::tsv) {
    append_tsv_field(out, id);
    out += '\t' + std::to_string(begin) + '\t' + std::to_string(end) + "\t\t\t\t\n";
    return;
  }
  out += "{\"id\":";
  append_json_string(out, id);
  out += ",\"begin\":" + std::to_string(begin) + ",\"end\":" + std::to_string(end);
  out += ",\"in\":null,\"in_begin\":null,\"in_end\":null,\"tokens\":null}\n";
}

void append_contamination(std::string& out, const ContaminationNames& names, const Contamination& hit, RowStyle style) {
  const Match covered{.a = 0, .b = 0, .shared = hit.covered, .total = hit.grams};
  const std::string share = style == RowStyle::json ? number_text(covered, Measure::jaccard) : similarity_text(covered);
  const auto number = [&](const char* name, std::uint64_t value) {
    out += (style == RowStyle::json ? std::string(name) : "\t") + std::to_string(value);
  };
  const auto text = [&](const char* name, const char* between, std::string_view value) {
    out += style == RowStyle::json ? name : between;
    style == RowStyle::json ? append_json_string(out, value) : append_tsv_field(out, value);
  };
  text("{\"id\":", "", names.id);
  text(",\"suite\":", "\t", names.suite);
  text(",\"item\":", "\t", names.item);
  out += (style == RowStyle::json ? ",\"share\":" : "\t") + share;
  number(",\"run\":", hit.run);
  number(",\"begin\":", hit.begin);
  number(",\"end\":", hit.end);
  number(",\"item_begin\":", hit.item_begin);
  number(",\"item_end\":", hit.item_end);
  if (!names.field.empty()) text(",\"field\":", "\t", names.field);
  out += style == RowStyle::json ? "}\n" : "\n";
}

void note_smallest(Match& known, const Match& match, const Shown& shown) {
  // Where nothing was verified the farthest is not known either.
  if (!is_known(match, shown) || nearer(known, match, shown.measure)) known = match;
}

void check_output(const std::string& path) { OutputFile file(path); }

void write_text(const std::string& text, const std::string& path) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

std::optional<std::string> field_in_json(std::string_view record, std::span<const std::string> fields) {
  if (!may_have_key(record, fields)) return std::nullopt;
  JsonValues values(padded_json(record));
  for (const std::string& field : fields) {
    if (values.has(field)) return field;
  }
  return std::nullopt;
}

std::optional<std::string> field_in_header(std::string_view header, std::span<const std::string> fields, char separator,
                                           const std::string& source) {
  const std::vector<std::string> names = csv_names(header, separator, false, source);
  for (const std::string& field : fields) {
    if (std::find(names.begin(), names.end(), field) != names.end()) return field;
  }
  return std::nullopt;
}

std::string with_json_fields(std::string_view record, std::span<const std::string> fields, std::span<const AddedValue> values) {
  const std::size_t brace = record.rfind('}');
  const std::size_t last = record.find_last_not_of(" \t\r\n", brace - 1);
  std::string out(record.substr(0, brace));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0 || record[last] != '{') out += ',';
    append_json_string(out, fields[i]);
    out += ':';
    if (const auto* number = std::get_if<std::uint64_t>(&values[i])) {
      out += std::to_string(*number);
    } else if (const auto* spelled = std::get_if<SpelledNumber>(&values[i])) {
      out += spelled->digits;
    } else {
      append_json_string(out, std::get<std::string_view>(values[i]));
    }
  }
  out += record.substr(brace);
  return out;
}

std::string with_csv_columns(std::string_view record, char separator, std::span<const AddedValue> values) {
  const std::string_view end = line_end(record);
  std::string out(record.substr(0, record.size() - end.size()));
  for (const AddedValue& value : values) {
    out += separator;
    if (const auto* number = std::get_if<std::uint64_t>(&value)) {
      out += std::to_string(*number);
    } else if (const auto* spelled = std::get_if<SpelledNumber>(&value)) {
      out += spelled->digits;
    } else {
      append_csv_field(out, std::string(std::get<std::string_view>(value)), separator);
    }
  }
  out += end;
  return out;
}

std::string_view line_end(std::string_view record) {
  if (record.ends_with("\r\n")) return "\r\n";
  return record.ends_with("\n") ? "\n" : "";
}

}  // namespace nearkin
