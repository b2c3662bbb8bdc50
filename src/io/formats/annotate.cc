#include "io/formats/annotate.h"

#include <algorithm>
#include <vector>

#include <nearkin/tools/spelling.h>

#include "io/formats/csv.h"
#include "io/formats/json_text.h"

namespace nearkin {
namespace {

constexpr std::string_view kAdded[] = {"cluster", "keeper"};

// Letters can be spelled in quotes as they are, or by \u escapes: most records show neither and need not be parsed.
bool may_have_key(std::string_view record) {
  const auto holds = [&](std::string_view text) { return record.find(text) != std::string_view::npos; };
  return holds("\\u") || holds("\"cluster\"") || holds("\"keeper\"");
}

}  // namespace

std::optional<std::string_view> annotation_in_json(std::string_view record) {
  if (!may_have_key(record)) return std::nullopt;
  JsonValues values(padded_json(record));
  for (const std::string_view field : kAdded) {
    if (values.has(std::string(field))) return field;
  }
  return std::nullopt;
}

std::optional<std::string_view> annotation_in_header(std::string_view header, char separator, const std::string& source) {
  const std::vector<std::string> names = csv_names(header, separator, false, source);
  for (const std::string_view field : kAdded) {
    if (std::find(names.begin(), names.end(), field) != names.end()) return field;
  }
  return std::nullopt;
}

std::string annotated_json(std::string_view record, std::uint32_t cluster, std::string_view keeper) {
  const std::size_t brace = record.rfind('}');
  const std::size_t last = record.find_last_not_of(" \t\r\n", brace - 1);
  std::string out(record.substr(0, brace));
  out += record[last] == '{' ? "\"cluster\":" : ",\"cluster\":";
  out += std::to_string(cluster) + ",\"keeper\":";
  append_json_string(out, keeper);
  out += record.substr(brace);
  return out;
}

std::string annotated_csv(std::string_view record, char separator, std::string_view cluster, std::string_view keeper) {
  const std::string_view end = line_end(record);
  std::string out(record.substr(0, record.size() - end.size()));
  out += separator;
  out += cluster;
  out += separator;
  append_csv_field(out, keeper, separator);
  out += end;
  return out;
}

std::string_view line_end(std::string_view record) {
  if (record.ends_with("\r\n")) return "\r\n";
  return record.ends_with("\n") ? "\n" : "";
}

}  // namespace nearkin
