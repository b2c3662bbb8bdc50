#include "decode.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <nearkin/tools/names.h>

#include "http.h"
#include "json_in.h"
#include "raw_json.h"

namespace nearkin::server {
namespace {

namespace json = boost::json;

/// Conditions of a query. Each item that is near enough is held against all of them.
constexpr std::size_t kMostWhere = 64;
constexpr std::size_t kMostErased = 10'000;

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

std::string described(const json::value& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_double()) return fmt::format("{}", value.get_double());  // not 1.3E0
  return value.is_string() ? shown(view(value.get_string())) : json::serialize(value);
}

[[noreturn]] void refuse(std::string_view field, const json::value& value, std::string_view right) {
  throw Problem(422, fmt::format("{}: {} is not {}", field, described(value), right));
}

std::string_view text_of(const json::value& value, std::string_view field) {
  if (!value.is_string()) refuse(field, value, "a string");
  return view(value.get_string());
}

double number_of(const json::value& value, std::string_view field) {
  if (!value.is_number()) refuse(field, value, "a number");
  return value.to_number<double>();
}

std::uint64_t whole_of(const json::value& value, std::string_view field, std::uint64_t most) {
  json::error_code error;
  const auto number = value.is_number() ? value.to_number<std::uint64_t>(error) : 0;
  if (!value.is_number() || error || number > most) refuse(field, value, fmt::format("a whole number from 0 to {}", most));
  return number;
}

bool flag_of(const json::value& value, std::string_view field) {
  if (!value.is_bool()) refuse(field, value, "true or false");
  return value.get_bool();
}

/// Elements stand behind one another, separated by blanks, as a line of a file of sets has them.
std::string set_text(const json::value& value) {
  if (!value.is_array()) refuse("set", value, "an array of strings");
  std::string text;
  for (const json::value& element : value.get_array()) {
    if (!element.is_string() && !element.is_int64() && !element.is_uint64()) refuse("set", element, "a string or a whole number");
    const std::string spelled = element.is_string() ? std::string(view(element.get_string())) : json::serialize(element);
    if (spelled.empty() || spelled.find_first_of(" \t\r\n\v\f") != std::string::npos) {
      throw Problem(422, fmt::format("set: {} is empty or has a blank in it; elements are separated by blanks, use another character",
                                     shown(spelled)));
    }
    text.append(text.empty() ? "" : " ").append(spelled);
  }
  return text;
}

Vectors dense_vector(const json::array& numbers) {
  if (numbers.empty()) throw Problem(422, "vector: it has no numbers; at least one is expected");
  Vectors vector{.kind = Vectors::Kind::dense, .dimensions = static_cast<std::uint32_t>(numbers.size()), .count = 1};
  vector.numbers.reserve(numbers.size());
  for (const json::value& number : numbers) {
    const double value = number_of(number, "vector");
    if (!(std::abs(value) <= std::numeric_limits<float>::max())) refuse("vector", number, "within what 32 bits can hold");
    vector.numbers.push_back(static_cast<float>(value));
  }
  return vector;
}

std::uint64_t index_of(std::string_view text) {
  std::uint64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Problem(422,
                  fmt::format("vector: {} is not an index; whole numbers of 0 and more name the places of a sparse vector", shown(text)));
  }
  return index;
}

Vectors sparse_vector(const json::object& entries) {
  std::vector<std::pair<std::uint64_t, double>> sorted;
  for (const auto& entry : entries) {
    const double value = number_of(entry.value(), "vector");
    if (!std::isfinite(value)) refuse("vector", entry.value(), "finite");
    if (value != 0) sorted.emplace_back(index_of(entry.key()), value);
  }
  std::sort(sorted.begin(), sorted.end());
  Vectors vector{.kind = Vectors::Kind::sparse, .dimensions = 0, .count = 1};
  for (const auto& [index, value] : sorted) {
    if (!vector.indices.empty() && vector.indices.back() == index) throw Problem(422, fmt::format("vector: index {} occurs twice", index));
    vector.indices.push_back(index);
    vector.values.push_back(value);
  }
  vector.ends = {vector.indices.size()};
  return vector;
}

Vectors bit_vector(std::string_view digits) {
  if (digits.empty() || digits.find_first_not_of("01") != std::string_view::npos) {
    throw Problem(422, fmt::format("bits: {} is not a string of 0 and 1", shown(digits)));
  }
  Vectors vector{.kind = Vectors::Kind::bits, .dimensions = static_cast<std::uint32_t>(digits.size()), .count = 1};
  vector.words.resize(vector.word_count());
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] == '1') vector.words[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  return vector;
}

const char* expected(const Plan& plan) {
  if (plan.kind == Kind::bits && plan.binarise == Binarise::none) return "bits";
  if (plan.kind == Kind::numbers || plan.kind == Kind::bits) return "vector";
  return plan.shingle.token == Token::element ? "set" : "text";
}

/// The one of text, set, vector and bits that is given, as the index wants it. A set may be given as a text too.
Content content_of(const json::object& object, const Plan& plan) {
  const std::string_view wanted = expected(plan);
  std::string_view given;
  for (const std::string_view name : {"text", "set", "vector", "bits"}) {
    if (!object.contains(name)) continue;
    if (!given.empty()) throw Problem(422, fmt::format("body: it has both {} and {}; one of them is expected", given, name));
    given = name;
  }
  if (given.empty()) throw Problem(422, fmt::format("body: no field \"{}\"; it is what this index compares", wanted));
  if (given != wanted && !(wanted == "set" && given == "text")) {
    throw Problem(422, fmt::format("{}: this index compares by {}; give \"{}\"", given, to_string(plan), wanted));
  }
  const json::value& value = object.at(given);
  if (given == "text") return std::string(text_of(value, "text"));
  if (given == "set") return set_text(value);
  if (given == "bits") return bit_vector(text_of(value, "bits"));
  if (value.is_object()) return sparse_vector(value.get_object());
  if (!value.is_array()) refuse("vector", value, "an array of numbers, or an object of indices and numbers");
  return dense_vector(value.get_array());
}

/// The item that a question is asked with; empty where it brings what to ask with.
std::string like_of(const json::object& object) {
  const json::value* id = object.if_contains("id");
  if (id == nullptr) return {};
  for (const std::string_view name : {"text", "set", "vector", "bits"}) {
    if (object.contains(name)) throw Problem(422, fmt::format("body: it has both id and {}; one of them is expected", name));
  }
  std::string like(text_of(*id, "id"));
  check_id(like);
  return like;
}

/// The field as it was written.
std::string_view plainly_named(std::string_view text, std::string_view field) {
  const std::string_view raw = raw_field(text, field);
  if (raw.empty()) throw Problem(400, fmt::format("{}: its name is written with escapes; write it without", field));
  return raw;
}

std::string metadata_of(const json::object& object, std::string_view text) {
  const json::value* metadata = object.if_contains("metadata");
  if (metadata == nullptr || metadata->is_null()) return {};
  if (!metadata->is_object()) refuse("metadata", *metadata, "an object");
  return std::string(plainly_named(text, "metadata"));
}

/// Numbers, true, false and null by the spelling they came with; a string is met by a string alone.
std::vector<MetadataTest> tests_of(const json::value& where, std::string_view raw) {
  if (!where.is_object()) refuse("where", where, "an object of fields and values");
  const json::object& object = where.get_object();
  const auto spelled = raw_fields(raw);
  if (spelled.size() > kMostWhere)
    throw Problem(400, fmt::format("where: it has {} fields; at most {} are allowed", spelled.size(), kMostWhere));
  std::vector<MetadataTest> tests;
  for (std::size_t i = 0; i < object.size(); ++i) {  // fields keep their order
    const auto& field = object.begin()[static_cast<std::ptrdiff_t>(i)];
    const json::value& value = field.value();
    if (value.is_object() || value.is_array()) refuse("where", value, "a string, number, true, false or null; dots reach into objects");
    const bool is_string = value.is_string();
    tests.push_back({.field = std::string(field.key()),
                     .value = std::string(is_string ? view(value.get_string()) : spelled[i].second),
                     .type = is_string ? MetadataTest::Type::string : MetadataTest::Type::literal});
  }
  return tests;
}

std::optional<double> border_of(const json::object& object, const Plan& plan) {
  const bool distance = is_distance(plan.measure);
  const std::string_view right = distance ? "radius" : "threshold";
  const std::string_view wrong = distance ? "threshold" : "radius";
  if (object.contains(wrong))
    throw Problem(422, fmt::format("{}: {} is a {}; give \"{}\"", wrong, name(plan.measure), distance ? "distance" : "similarity", right));
  const json::value* value = object.if_contains(right);
  if (value == nullptr) return {};
  const double border = number_of(*value, right);
  if (!distance && !(border >= 0 && border <= 1)) refuse(right, *value, "between 0 and 1");
  if (!(border >= 0)) refuse(right, *value, "a number of 0 or more");
  return border;
}

Side side_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr) throw Problem(422, fmt::format("body: no field \"{}\"; give {{\"id\": …}} or {{\"text\": …}}", name));
  if (!value->is_object()) refuse(name, *value, "an object with an id or a text");
  const json::object& side = value->get_object();
  check_fields(side, {"id", "text"});
  if (side.size() != 1) throw Problem(422, fmt::format("{}: it has {} fields; either an id or a text is expected", name, side.size()));
  const bool is_id = side.contains("id");
  return {.is_id = is_id, .value = std::string(text_of(side.begin()->value(), is_id ? "id" : "text"))};
}

}  // namespace

std::size_t bytes_of(const PutItem& item) {
  const std::size_t named = 2 * item.id.size() + item.metadata.size() + sizeof item;
  if (const auto* text = std::get_if<std::string>(&item.content)) return named + text->size();
  const Vectors& vector = std::get<Vectors>(item.content);
  return named + sizeof(float) * vector.numbers.size() + sizeof(std::uint64_t) * (vector.words.size() + 2 * vector.indices.size());
}

void check_id(std::string_view id) {
  constexpr std::size_t kMost = 65'535;
  if (id.empty()) throw Problem(422, "id: it is empty; an item needs a name");
  if (id.size() > kMost) throw Problem(422, fmt::format("id: {} has more than {} bytes", shown(id), kMost));
}

void refuse_absent(std::string_view id) { throw Problem(404, fmt::format("id: there is no item {}; GET /v1/items lists them", shown(id))); }

PutItem decode_item(std::string_view text, const Plan& plan, Charge& charge, const std::optional<std::string>& id) {
  ChargedMemory memory(charge);
  const json::value value = parse_object(text, memory);
  const json::object& object = value.get_object();
  check_fields(object, {"id", "text", "set", "vector", "bits", "metadata"});
  PutItem item{.id = id.value_or(""), .content = {}, .metadata = {}};
  if (const json::value* own = object.if_contains("id")) {
    const std::string_view named = text_of(*own, "id");
    if (id && named != *id)
      throw Problem(422, fmt::format("id: the body has {}, the path {}; leave it out of the body", shown(named), shown(*id)));
    item.id = named;
  } else if (!id) {
    throw Problem(422, "body: no field \"id\"; a line names its item");
  }
  check_id(item.id);
  item.content = content_of(object, plan);
  item.metadata = metadata_of(object, text);
  return item;
}

static ShareOf share_of(const json::value& value, const Plan& plan) {
  if (plan.measure != Measure::containment)
    throw Problem(422, fmt::format("share_of: measure {} is the same from both sides; leave it out", name(plan.measure)));
  const std::string_view which = text_of(value, "share_of");
  if (which == "query") return ShareOf::query;
  if (which == "item") return ShareOf::item;
  throw Problem(422, fmt::format("share_of: {} is not \"query\" or \"item\"", shown(which)));
}

Question decode_question(std::string_view text, const Plan& plan, Charge& charge) {
  ChargedMemory memory(charge);
  const json::value value = parse_object(text, memory);
  const json::object& object = value.get_object();
  check_fields(object, {"id", "text", "set", "vector", "bits", "threshold", "radius", "limit", "max_candidates", "where", "metadata",
                        "explain", "share_of"});
  Question question{.content = {}, .like = like_of(object), .ask = {.limit = 10}};
  if (question.like.empty()) question.content = content_of(object, plan);
  question.ask.threshold = border_of(object, plan);
  if (const auto* limit = object.if_contains("limit")) {
    question.ask.limit = static_cast<std::uint32_t>(whole_of(*limit, "limit", std::numeric_limits<std::uint32_t>::max()));
  }
  if (const auto* most = object.if_contains("max_candidates")) {
    question.ask.max_candidates = whole_of(*most, "max_candidates", std::numeric_limits<std::int64_t>::max());
  }
  if (const auto* share = object.if_contains("share_of")) question.ask.share_of = share_of(*share, plan);
  if (const auto* where = object.if_contains("where")) question.ask.where = tests_of(*where, plainly_named(text, "where"));
  if (const auto* metadata = object.if_contains("metadata")) question.ask.metadata = flag_of(*metadata, "metadata");
  if (const auto* explain = object.if_contains("explain")) question.explain = flag_of(*explain, "explain");
  return question;
}

SideBySide decode_sides(std::string_view text, Charge& charge) {
  ChargedMemory memory(charge);
  const json::value value = parse_object(text, memory);
  check_fields(value.get_object(), {"a", "b"});
  return {.a = side_of(value.get_object(), "a"), .b = side_of(value.get_object(), "b")};
}

std::vector<std::string> decode_ids(std::string_view text, Charge& charge) {
  ChargedMemory memory(charge);
  const json::value value = parse_object(text, memory);
  check_fields(value.get_object(), {"ids"});
  const json::value* given = value.get_object().if_contains("ids");
  if (given == nullptr) throw Problem(422, "body: no field \"ids\"; it lists the items to remove");
  if (!given->is_array()) refuse("ids", *given, "an array of strings");
  const json::array& array = given->get_array();
  if (array.empty() || array.size() > kMostErased)
    throw Problem(422, fmt::format("ids: there are {} of them; 1 to {} are expected", array.size(), kMostErased));
  std::vector<std::string> ids;
  for (const json::value& id : array) {
    ids.emplace_back(text_of(id, "ids"));
    check_id(ids.back());
  }
  return ids;
}

std::string decode_backup_name(std::string_view text, Charge& charge) {
  ChargedMemory memory(charge);
  const json::value value = parse_object(text, memory);
  check_fields(value.get_object(), {"name"});
  const json::value* given = value.get_object().if_contains("name");
  if (given == nullptr) throw Problem(422, "body: no field \"name\"; it names the backup");
  const std::string_view name = text_of(*given, "name");
  constexpr std::size_t kLongest = 64;
  const auto plain = [](unsigned char c) { return (c | 32) >= 'a' && (c | 32) <= 'z' ? true : c >= '0' && c <= '9'; };
  const bool right = !name.empty() && name.size() <= kLongest && plain(static_cast<unsigned char>(name.front())) &&
                     std::all_of(name.begin(), name.end(),
                                 [&](char c) { return plain(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-'; });
  if (right) return std::string(name);
  throw Problem(422, fmt::format("name: {} is not 1 to {} letters, digits, dots, underscores and hyphens, a letter or digit first",
                                 shown(name), kLongest));
}

}  // namespace nearkin::server
