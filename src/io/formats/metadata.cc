#include "io/formats/metadata.h"

#include <algorithm>

#include <nearkin/tools/spelling.h>

#include "io/formats/json_text.h"

namespace nearkin {

bool is_json_object(std::string_view text) {
  const ParsedJson parsed(padded_json(text));
  return parsed.error == simdjson::SUCCESS && parsed.root.is_object();
}

bool metadata_holds(std::string_view metadata, const std::vector<MetadataTest>& tests) {
  if (tests.empty()) return true;
  if (metadata.empty()) return false;
  JsonValues values(padded_json(metadata));
  return std::all_of(tests.begin(), tests.end(), [&](const MetadataTest& test) { return values.is(field_path(test.field), test.value); });
}

void add_json_field(std::string& object, std::string_view name) {
  object += object.empty() ? '{' : ',';
  append_json_string(object, name);
  object += ':';
}

std::string json_metadata(std::string_view record, const std::vector<FieldPath>& fields) {
  JsonValues values(record);
  std::string object;
  for (const FieldPath& field : fields) {
    const auto value = values.spelling(field);
    if (!value) continue;
    add_json_field(object, field.name);
    object += *value;
  }
  if (!object.empty()) object += '}';
  return object;
}

}  // namespace nearkin
