// One JSON object a line.
#include <algorithm>
#include <cctype>
#include <utility>

#include <simdjson.h>

#include "base/in_quotes.h"
#include "io/formats/json_fault.h"
#include "io/formats/json_text.h"
#include "io/formats/records.h"

namespace nearkin {
namespace {

namespace dom = simdjson::dom;

/// Where and why a line is broken that the parser refused; or else what the parser says.
std::string where_broken(std::string_view line, simdjson::error_code error) {
  if (const std::string found = json_fault(line); !found.empty()) return " " + found;
  if (const auto at = error == simdjson::DEPTH_ERROR ? json_deeper_than(kDeepestJson, line) : std::nullopt)
    return " at byte " + std::to_string(*at + 1) + ": more than " + std::to_string(kDeepestJson) + " objects and arrays within one another";
  std::string message = simdjson::error_message(error);
  if (!message.empty()) message.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(message.front())));
  while (message.ends_with('.') || message.ends_with(' ')) message.pop_back();
  return ": " + message;
}

const char* kind(const dom::element& value) {
  switch (value.type()) {
    case dom::element_type::ARRAY: return "an array";
    case dom::element_type::OBJECT: return "an object";
    case dom::element_type::STRING: return "a string";
    case dom::element_type::BOOL: return "true or false";
    case dom::element_type::NULL_VALUE: return "null";
    default: return "a number";
  }
}

/// False when there is no such field. A key that holds the dots itself comes before the path that they spell.
bool find(const dom::object& object, const FieldPath& path, dom::element& value) {
  if (object.at_key(path.name).get(value) == simdjson::SUCCESS) return true;
  if (path.parts.size() < 2) return false;
  dom::object inner = object;
  for (std::size_t i = 0; i < path.parts.size(); ++i) {
    if (inner.at_key(path.parts[i]).get(value) != simdjson::SUCCESS) return false;
    if (i + 1 < path.parts.size() && value.get(inner) != simdjson::SUCCESS) return false;
  }
  return true;
}

/// The number at `path` in its own spelling, which the parsed document no longer has.
std::string spelling(std::string_view line, const FieldPath& path) { return std::string(JsonValues(line).spelling(path).value_or("")); }

/// One record, parsed well as JSON.
class JsonRecord {
 public:
  JsonRecord(std::string_view line, const dom::object& object, bool numbers, const Fields& fields, const Location& location,
             RecordSink& sink)
      : line_(line), object_(object), numbers_(numbers), fields_(fields), location_(location), sink_(sink) {}

  void add() {
    std::string_view id, text;
    if (!read_text(text) || !read_id(id)) return;
    if (fields_.scope) read_scope();
    if (!fields_.metadata.empty()) read_metadata();
    sink_.item(id, text, location_, fields_.number ? number() : kNoNumber, metadata_, ends_);
  }

 private:
  bool refuse(const std::string& message) {
    sink_.fault(location_, message);
    return false;
  }

  /// If a name has two values, some readers take the first and some the last.
  bool is_there_twice(std::string_view name) const {
    std::size_t count = 0;
    for (const dom::key_value_pair field : object_) count += field.key == name;
    return count > 1;
  }
  bool refuse_twice(const FieldPath& path) { return refuse("field \"" + path.name + "\" is there twice; leave one of them out"); }

  /// "; the fields are id, body"
  std::string fields_there() const {
    constexpr std::size_t kMost = 8;
    std::string names;
    std::size_t count = 0;
    for (const dom::key_value_pair field : object_) {
      if (++count > kMost) break;
      names.append(names.empty() ? "" : ", ").append(field.key);
    }
    if (count == 0) return "; the record has no fields";
    return "; the fields are " + names + (count > kMost ? ", …" : "");
  }

  /// The same behind what was most likely meant: "; did you mean "body"? the fields are id, body"
  std::string fields_there(const std::string& wanted) const {
    std::vector<std::string> names;
    for (const dom::key_value_pair field : object_) names.emplace_back(field.key);
    const std::optional<std::string> near = nearest_name(wanted, names);
    return near ? "; did you mean " + in_quotes(*near) + "?" + fields_there().substr(1) : fields_there();
  }

  bool read_string(const FieldPath& path, std::string_view& text) {
    dom::element value;
    if (fields_.loose) return read_loosely(path, text);
    if (!find(object_, path, value)) return refuse("no field \"" + path.name + "\"" + fields_there(path.name));
    if (is_there_twice(path.name)) return refuse_twice(path);
    if (value.get(text) == simdjson::SUCCESS) return true;
    return refuse("field \"" + path.name + "\" is " + kind(value) + ", not a string");
  }

  bool read_loosely(const FieldPath& path, std::string_view& text) {
    dom::element value;
    text = {};
    if (is_there_twice(path.name)) return refuse_twice(path);
    const bool found = find(object_, path, value);
    sink_.text_field(found, location_, [&] { return fields_there(path.name); });
    if (!found || value.is_null() || value.get(text) == simdjson::SUCCESS) return true;
    text = spelled_ = value.is_number() ? number_text(value, path) : spelling(line_, path);
    return true;
  }

  bool read_text(std::string_view& text) {
    if (fields_.texts.size() == 1 && fields_.other_texts == 0) return read_string(fields_.texts.front(), text);
    for (const FieldPath& path : fields_.texts) {
      if (!read_string(path, text)) return false;
      join(text);
    }
    if (fields_.other_texts > 0) join_others();
    text = joined_;
    return true;
  }

  void join(std::string_view text) {
    if (std::exchange(any_joined_, true)) joined_ += '\n';
    joined_ += text;
    ends_.push_back(joined_.size());
  }

  /// The other strings and numbers of the record itself, in the order of their names.
  void join_others() {
    std::vector<std::pair<std::string_view, dom::element>> others;
    for (const dom::key_value_pair field : object_) {
      if (!field.value.is_string() && !field.value.is_number()) continue;
      if (!std::binary_search(fields_.no_texts.begin(), fields_.no_texts.end(), field.key)) others.emplace_back(field.key, field.value);
    }
    std::stable_sort(others.begin(), others.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    for (const auto& [name, value] : others) {
      std::string_view text;
      std::string digits;
      if (value.get(text) != simdjson::SUCCESS) text = digits = number_text(value, {std::string(name), {std::string(name)}});
      for (std::uint32_t i = 0; i < fields_.other_texts; ++i) join(text);
    }
  }

  /// As it is spelled. Zero is left to its spelling, which may be "-0" or, without numbers, anything.
  std::string number_text(const dom::element& value, const FieldPath& path) const {
    if (std::int64_t whole = 0; value.get(whole) == simdjson::SUCCESS && whole != 0) return std::to_string(whole);
    return spelling(line_, path);
  }

  bool read_id(std::string_view& id) {
    if (fields_.no_id) {
      id = sink_.place(location_);
      return true;
    }
    dom::element value;
    const bool found = find(object_, fields_.id, value);
    sink_.id_field(found, location_, [&] { return fields_there(fields_.id.name); });
    if (is_there_twice(fields_.id.name)) return refuse_twice(fields_.id);
    if (!found || value.is_null() || (value.get(id) == simdjson::SUCCESS && id.empty())) {
      id = sink_.place(location_);
      return true;
    }
    if (value.is_string()) return true;
    if (bool flag = false; value.get(flag) == simdjson::SUCCESS) {
      id = flag ? "true" : "false";
      return true;
    }
    if (!value.is_number()) return refuse("field \"" + fields_.id.name + "\" is " + kind(value) + ", not a string or number");
    id_ = number_text(value, fields_.id);
    id = id_;
    return true;
  }

  /// A text as it is, anything else as it is spelled; empty where there is none.
  void read_scope() {
    dom::element value;
    const bool found = find(object_, *fields_.scope, value);
    sink_.scope_field(found, location_, [&] { return fields_there(fields_.scope->name); });
    std::string_view text;
    if (!found || value.is_null()) return sink_.scope({});
    if (value.get(text) == simdjson::SUCCESS) return sink_.scope(text);
    sink_.scope(spelling(line_, *fields_.scope));
  }

  void read_metadata() {
    metadata_ = json_metadata(line_, fields_.metadata);
    for (std::size_t i = 0; i < fields_.metadata.size(); ++i) {
      const auto found = [&] {
        dom::element value;
        return find(object_, fields_.metadata[i], value);
      };
      sink_.metadata_field(i, found, location_, [&] { return fields_there(fields_.metadata[i].name); });
    }
  }

  double number() const {
    dom::element value;
    std::string_view text;
    double result = 0;
    if (!find(object_, *fields_.number, value)) return kNoNumber;
    if (value.is_number() && !numbers_) return number_of(spelling(line_, *fields_.number));
    if (value.is_number() && value.get(result) == simdjson::SUCCESS) return result;
    return value.get(text) == simdjson::SUCCESS ? number_of(text) : kNoNumber;
  }

  std::string_view line_;
  const dom::object& object_;
  bool numbers_;
  const Fields& fields_;
  const Location& location_;
  RecordSink& sink_;
  std::string joined_, id_, metadata_, spelled_;
  bool any_joined_ = false;
  std::vector<std::size_t> ends_;  // of the fields in joined_
};

/// What the first record of a source may tell about all of it: that the whole is one JSON document over many lines, or one array.
std::string advice(std::string_view first) {
  const std::string_view begin = first.substr(first.find_first_not_of(" \t\r"));
  if (begin.starts_with('[')) return "; one object per line is expected (jq -c '.[]' makes it so)";
  const bool alone = begin.starts_with('{') && begin.find_first_not_of(" \t\r", 1) == std::string_view::npos;
  return alone ? "; one object per line is expected (jq -c . makes it so)" : "";
}

}  // namespace

void parse_jsonl(const Chunk& chunk, const Fields& fields, RecordSink& sink) {
  bool first = chunk.first_line == 1;
  for_each_line(chunk, [&](std::string_view record, std::string_view line, const Location& location) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    const bool advise = std::exchange(first, false);
    const ParsedJson parsed(line);  // in place: behind the line is the next one, or the chunk's padding
    dom::object object;
    if (parsed.error == simdjson::SUCCESS && parsed.root.get(object) == simdjson::SUCCESS) {
      return JsonRecord(line, object, parsed.numbers, fields, location, sink).add();
    }
    if (const auto bad = first_invalid_utf8(record)) return sink.invalid_utf8(location, *bad);
    const bool broken = parsed.error != simdjson::SUCCESS;
    const std::string what = broken ? "broken JSON" + where_broken(line, parsed.error) : std::string("the line is ") + kind(parsed.root);
    sink.fault(location, what + (broken ? "" : ", not an object") + (advise ? advice(line) : ""));
  });
}

}  // namespace nearkin
