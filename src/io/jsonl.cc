// One JSON object a line.
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "io/records.h"

namespace nearkin {

namespace {

namespace dom = simdjson::dom;
namespace ondemand = simdjson::ondemand;

static_assert(kChunkPadding >= simdjson::SIMDJSON_PADDING);

// A parser keeps room for the longest line it has met; beyond this the room is given back.
constexpr std::size_t kKeptCapacity = std::size_t{16} << 20;

dom::parser& parser_of_this_thread() {
  static thread_local dom::parser parser;
  if (parser.capacity() > kKeptCapacity) parser = dom::parser();
  return parser;
}

/// The simdjson message as the middle of a sentence.
std::string spoken(simdjson::error_code error) {
  std::string message = simdjson::error_message(error);
  if (!message.empty()) message.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(message.front())));
  while (message.ends_with('.') || message.ends_with(' ')) message.pop_back();
  return message;
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
std::string spelling(std::string_view line, const dom::object& object, const FieldPath& path) {
  static thread_local ondemand::parser parser;
  ondemand::document document;
  if (parser.iterate(line.data(), line.size(), line.size() + simdjson::SIMDJSON_PADDING).get(document) != simdjson::SUCCESS) return {};
  const bool literal = object.at_key(path.name).error() == simdjson::SUCCESS;
  auto value = document.find_field_unordered(literal ? path.name : path.parts.front());
  for (std::size_t i = 1; !literal && i < path.parts.size(); ++i) value = value.find_field_unordered(path.parts[i]);
  std::string_view token;
  if (value.raw_json_token().get(token) != simdjson::SUCCESS) return {};
  return std::string(token.substr(0, token.find_first_of(" \t\r\n,}]")));
}

/// One record, parsed well as JSON.
class JsonRecord {
 public:
  JsonRecord(std::string_view line, const dom::object& object, const Fields& fields, const Location& location, RecordSink& sink)
      : line_(line), object_(object), fields_(fields), location_(location), sink_(sink) {}

  void add() {
    std::string_view id, text;
    if (!read_text(text) || !read_id(id)) return;
    sink_.item(id, text, location_, fields_.number ? number() : kNoNumber);
  }

 private:
  bool refuse(const std::string& message) {
    sink_.fault(location_, message);
    return false;
  }

  bool read_string(const FieldPath& path, std::string_view& text) {
    dom::element value;
    if (!find(object_, path, value)) return refuse("no field \"" + path.name + "\"");
    if (value.get(text) == simdjson::SUCCESS) return true;
    return refuse("field \"" + path.name + "\" is " + kind(value) + ", not a string");
  }

  bool read_text(std::string_view& text) {
    if (fields_.texts.size() == 1) return read_string(fields_.texts.front(), text);
    for (std::size_t i = 0; i < fields_.texts.size(); ++i) {
      if (!read_string(fields_.texts[i], text)) return false;
      if (i > 0) joined_ += '\n';
      joined_ += text;
    }
    text = joined_;
    return true;
  }

  bool read_id(std::string_view& id) {
    dom::element value;
    const bool found = find(object_, fields_.id, value);
    if (!found || value.is_null()) {
      id = sink_.place(location_);
      return true;
    }
    if (value.get(id) == simdjson::SUCCESS) return true;
    if (bool flag = false; value.get(flag) == simdjson::SUCCESS) {
      id = flag ? "true" : "false";
      return true;
    }
    // Zero is left to its spelling, which may be "-0".
    if (std::int64_t whole = 0; value.get(whole) == simdjson::SUCCESS && whole != 0) {
      id_ = std::to_string(whole);
      id = id_;
      return true;
    }
    if (!value.is_number()) return refuse("field \"" + fields_.id.name + "\" is " + kind(value) + ", not a string or number");
    id_ = spelling(line_, object_, fields_.id);
    id = id_;
    return true;
  }

  double number() const {
    dom::element value;
    std::string_view text;
    double result = 0;
    if (!find(object_, *fields_.number, value)) return kNoNumber;
    if (value.is_number() && value.get(result) == simdjson::SUCCESS) return result;
    return value.get(text) == simdjson::SUCCESS ? number_of(text) : kNoNumber;
  }

  std::string_view line_;
  const dom::object& object_;
  const Fields& fields_;
  const Location& location_;
  RecordSink& sink_;
  std::string joined_, id_;
};

void report(simdjson::error_code error, std::string_view record, const Location& location, RecordSink& sink) {
  if (const auto bad = first_invalid_utf8(record)) return sink.invalid_utf8(location, *bad);
  sink.fault(location, "broken JSON: " + spoken(error));
}

}  // namespace

void parse_jsonl(const Chunk& chunk, const Fields& fields, RecordSink& sink) {
  for_each_line(chunk, [&](std::string_view record, std::string_view line, const Location& location) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    dom::element root;
    // In place: the bytes past the line are the next line or the chunk's padding.
    const simdjson::error_code error = parser_of_this_thread().parse(line.data(), line.size(), false).get(root);
    if (error != simdjson::SUCCESS) return report(error, record, location, sink);
    dom::object object;
    if (root.get(object) != simdjson::SUCCESS) return sink.fault(location, std::string("the line is ") + kind(root) + ", not an object");
    JsonRecord(line, object, fields, location, sink).add();
  });
}

}  // namespace nearkin
