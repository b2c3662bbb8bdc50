// JSON as simdjson reads it: documents, values as they are spelled, and the metadata of an item, an object of some of its record's fields.
#pragma once

#include <simdjson.h>

#include <nearkin/index.h>

#include "io/formats/records.h"

namespace nearkin {

/// A copy with kChunkPadding bytes behind it. Good until the next call in this thread.
std::string_view padded_json(std::string_view text);

/// One document. Numbers too large for the parser are not a fault: the text is then parsed again without its numbers. Only one of these per
/// thread at a time: they share the thread's parser.
struct ParsedJson {
  simdjson::dom::element root;
  simdjson::error_code error;
  bool numbers = true;  ///< false: every number reads as 0, and has its value in the text's bytes only

  /// In place: kChunkPadding bytes behind the text may be read.
  explicit ParsedJson(std::string_view json);
  ~ParsedJson();
  ParsedJson(const ParsedJson&) = delete;
  ParsedJson& operator=(const ParsedJson&) = delete;
};

/// The values of an object by their fields. A key that contains dots itself takes precedence over the path that they spell; of two fields
/// with the same name, the first counts. Only one of these per thread at a time.
class JsonValues {
 public:
  /// A valid object, with kChunkPadding bytes behind it that may be read.
  explicit JsonValues(std::string_view json);

  /// As it is spelled; absent without such a field. Part of the text given.
  std::optional<std::string_view> spelling(const FieldPath& path);
  /// What a string says; absent without such a field, or where it is none.
  std::optional<std::string> text(const FieldPath& path);
  /// All of it, from its beginning. False: it cannot be read.
  bool whole(simdjson::ondemand::object& object);
  /// Whether the object itself has a key of this name, dots and all.
  bool has(const std::string& name);

 private:
  bool find(const FieldPath& path, simdjson::ondemand::value& value);

  simdjson::ondemand::document document_;
  bool readable_ = false;
};

/// Valid JSON, an object, valid UTF-8, nothing behind it but blanks. Numbers may have any size.
bool is_json_object(std::string_view text);

/// The fields of a record that is a valid JSON object, with kChunkPadding bytes behind it that may be read: {"lang":"en","a.b":[1,2]}, each
/// value as the record spells it. Fields that it lacks are left out; empty where it has none.
std::string json_metadata(std::string_view record, const std::vector<FieldPath>& fields);

/// Begins the next field of an object: {"name": or ,"name":
void add_json_field(std::string& object, std::string_view name);

}  // namespace nearkin
