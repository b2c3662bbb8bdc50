#include "io/formats/json_text.h"

#include <algorithm>

#include <nearkin/tools/spelling.h>

namespace nearkin {
namespace {

namespace dom = simdjson::dom;
namespace ondemand = simdjson::ondemand;

static_assert(kChunkPadding >= simdjson::SIMDJSON_PADDING);

// A parser keeps room for the longest text it has met; beyond this the room is given back.
constexpr std::size_t kKeptCapacity = std::size_t{16} << 20;

template <typename Parser>
Parser& parser_of_this_thread() {
  static thread_local Parser parser;
  if (parser.capacity() > kKeptCapacity) parser = Parser();
  return parser;
}

/// Length of the number that `bytes` begin with, as JSON writes them; 0 when they begin with none, or something else is joined to it.
std::size_t number_length(std::string_view bytes) {
  std::size_t at = 0;
  const auto next = [&] { return at < bytes.size() ? bytes[at] : '\0'; };
  const auto digits = [&] {
    const std::size_t begin = at;
    while (next() >= '0' && next() <= '9') ++at;
    return at > begin;
  };
  if (next() == '-') ++at;
  const bool zero = next() == '0';
  const std::size_t begin = at;
  if (!digits() || (zero && at - begin > 1)) return 0;
  if (next() == '.' && (++at, !digits())) return 0;
  if (next() == 'e' || next() == 'E') {
    ++at;
    if (next() == '+' || next() == '-') ++at;
    if (!digits()) return 0;
  }
  return at == bytes.size() || std::string_view(" \t\r\n,]}").find(next()) != std::string_view::npos ? at : 0;
}

/// The text with every number made 0; there is room for padding behind it.
std::string without_numbers(std::string_view json) {
  std::string out;
  out.reserve(json.size() + kChunkPadding);
  bool quoted = false, apart = true;  // apart: a value may begin here
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    const std::size_t number = !quoted && apart ? number_length(json.substr(at)) : 0;
    const std::size_t length = number > 0 ? number : quoted && c == '\\' ? std::min<std::size_t>(2, json.size() - at) : 1;
    if (c == '"') quoted = !quoted;
    apart = std::string_view(" \t\r\n,:[").find(c) != std::string_view::npos;
    out += number > 0 ? std::string_view("0") : json.substr(at, length);
    at += length;
  }
  return out;
}

/// False when there is none. Keys are compared by what they say: a file may spell "lang" as "l\u0061ng".
bool field_of(ondemand::object& object, std::string_view key, ondemand::value& value) {
  for (auto entry : object) {
    ondemand::field field;
    std::string_view name;
    if (std::move(entry).get(field) != simdjson::SUCCESS || field.unescaped_key().get(name) != simdjson::SUCCESS) return false;
    if (name != key) continue;
    value = field.value();
    return true;
  }
  return false;
}

bool walk(ondemand::document& document, std::span<const std::string> keys, ondemand::value& value) {
  document.rewind();
  ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS) return false;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!field_of(object, keys[i], value)) return false;
    if (i + 1 < keys.size() && value.get_object().get(object) != simdjson::SUCCESS) return false;
  }
  return true;
}

}  // namespace

std::string_view padded_json(std::string_view text) {
  static thread_local std::string copy;
  copy.assign(text);
  copy.append(kChunkPadding, '\0');
  return std::string_view(copy).substr(0, text.size());
}

ParsedJson::ParsedJson(std::string_view json)
    : error(parser_of_this_thread<dom::parser>().parse(json.data(), json.size(), false).get(root)) {
  // Not for one error code alone, because the parser's releases differ in what they call it.
  if (error == simdjson::SUCCESS || json.find_first_of("0123456789") == std::string_view::npos) return;
  std::string plain = without_numbers(json);
  const std::size_t size = plain.size();
  plain.append(kChunkPadding, '\0');
  error = parser_of_this_thread<dom::parser>().parse(plain.data(), size, false).get(root);
  numbers = false;
}

// What one very long text needed is given back at once.
ParsedJson::~ParsedJson() { parser_of_this_thread<dom::parser>(); }

JsonValues::JsonValues(std::string_view json) {
  auto& parser = parser_of_this_thread<ondemand::parser>();
  readable_ = parser.iterate(json.data(), json.size(), json.size() + kChunkPadding).get(document_) == simdjson::SUCCESS;
}

bool JsonValues::find(const FieldPath& path, ondemand::value& value) {
  if (!readable_) return false;
  return walk(document_, std::span(&path.name, 1), value) || (path.parts.size() > 1 && walk(document_, path.parts, value));
}

std::optional<std::string_view> JsonValues::spelling(const FieldPath& path) {
  ondemand::value value;
  std::string_view text;
  if (!find(path, value) || simdjson::to_json_string(value).get(text) != simdjson::SUCCESS) return std::nullopt;
  return text;
}

std::optional<std::string> JsonValues::text(const FieldPath& path) {
  ondemand::value value;
  std::string_view text;
  if (!find(path, value) || value.get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

bool JsonValues::whole(ondemand::object& object) {
  if (!readable_) return false;
  document_.rewind();
  return document_.get_object().get(object) == simdjson::SUCCESS;
}

bool JsonValues::has(const std::string& name) {
  ondemand::value value;
  return readable_ && walk(document_, std::span(&name, 1), value);
}

bool is_json_object(std::string_view text) {
  const ParsedJson parsed(padded_json(text));
  return parsed.error == simdjson::SUCCESS && parsed.root.is_object();
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
