// Metadata: a JSON object that is kept with an item, made of the fields of its record, and asked for by its values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nearkin/index.h>

#include "io/formats/records.h"

namespace nearkin {

/// Valid JSON, an object, valid UTF-8, nothing behind it but blanks. Numbers may have any size.
bool is_json_object(std::string_view text);

/// Whether all tests hold of this metadata; empty metadata has no field.
bool metadata_holds(std::string_view metadata, const std::vector<MetadataTest>& tests);

/// The fields of a record that is a valid JSON object, with kChunkPadding bytes behind it that may be read: {"lang":"en","a.b":[1,2]}, each
/// value as the record spells it. Fields that it lacks are left out; empty where it has none.
std::string json_metadata(std::string_view record, const std::vector<FieldPath>& fields);

/// Begins the next field of an object: {"name": or ,"name":
void add_json_field(std::string& object, std::string_view name);

}  // namespace nearkin
