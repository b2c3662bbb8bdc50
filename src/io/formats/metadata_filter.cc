#include "io/formats/metadata_filter.h"

#include <algorithm>
#include <utility>

namespace nearkin {
namespace {

namespace ondemand = simdjson::ondemand;

/// No document that can be read is deeper.
constexpr std::ptrdiff_t kDeepest = simdjson::DEFAULT_MAX_DEPTH;

}  // namespace

struct MetadataFilter::Said {
  std::string_view text;
  bool is_string = false;
};

/// What a string says, or how a number, true, false or null is spelt; absent for others.
std::optional<MetadataFilter::Said> MetadataFilter::said_by(ondemand::value& value, ondemand::json_type type) {
  std::string_view said;
  const bool is_string = type == ondemand::json_type::string;
  const bool plain = type != ondemand::json_type::array && type != ondemand::json_type::object;
  const auto error = !plain      ? simdjson::INCORRECT_TYPE
                     : is_string ? value.get_string().get(said)
                                 : simdjson::to_json_string(value).get(said);
  return error == simdjson::SUCCESS ? std::optional(Said{said, is_string}) : std::nullopt;
}

bool MetadataFilter::meets(const std::optional<Said>& said, const Test& test) {
  if (!said || said->text != test.value) return false;
  return test.type == MetadataTest::Type::any || said->is_string == (test.type == MetadataTest::Type::string);
}

MetadataFilter::MetadataFilter(const std::vector<MetadataTest>& tests) {
  for (const MetadataTest& test : tests) {
    const auto number = static_cast<std::uint32_t>(tests_.size());
    tests_.push_back({.value = test.value, .type = test.type});
    if (test.field.find('.') != std::string::npos) dotted_[test.field].tests.push_back(number);
    if (std::count(test.field.begin(), test.field.end(), '.') < kDeepest) add_path(test.field, number);
  }
}

void MetadataFilter::add_path(std::string_view field, std::uint32_t test) {
  std::uint32_t node = 0;
  for (bool more = true; more;) {
    const std::size_t dot = field.find('.');
    more = dot != std::string_view::npos;
    const auto [place, fresh] =
        nodes_[node].below.try_emplace(std::string(field.substr(0, dot)), static_cast<std::uint32_t>(nodes_.size()));
    node = place->second;
    if (fresh) nodes_.emplace_back();
    if (more) field.remove_prefix(dot + 1);
  }
  nodes_[node].tests.push_back(test);
}

bool MetadataFilter::holds(std::string_view metadata) {
  if (tests_.empty()) return true;
  if (metadata.empty()) return false;
  ++document_;
  for (Test& test : tests_) test.held = test.decided = false;
  JsonValues read(padded_json(metadata));
  ondemand::object object;
  if (read.whole(object)) visit(object, 0);
  return std::all_of(tests_.begin(), tests_.end(), [](const Test& test) { return test.held; });
}

void MetadataFilter::visit(ondemand::object& object, std::uint32_t node) {
  for (auto entry : object) {
    ondemand::field field;
    std::string_view key;
    if (std::move(entry).get(field) != simdjson::SUCCESS || field.unescaped_key().get(key) != simdjson::SUCCESS) return;
    ondemand::value value = field.value();
    if (node == 0 && visit_dotted(key, value)) continue;
    const auto below = nodes_[node].below.find(key);
    if (below == nodes_[node].below.end() || std::exchange(nodes_[below->second].met, document_) == document_) continue;
    visit_value(value, below->second);
  }
}

/// A key with dots begins no path, which is made of the names between them.
bool MetadataFilter::visit_dotted(std::string_view key, ondemand::value& value) {
  const auto place = dotted_.find(key);
  if (place == dotted_.end()) return false;
  if (std::exchange(place->second.met, document_) == document_) return true;
  ondemand::json_type type;
  const auto said = value.type().get(type) == simdjson::SUCCESS ? said_by(value, type) : std::nullopt;
  for (const std::uint32_t number : place->second.tests) {
    tests_[number].decided = true;
    tests_[number].held = meets(said, tests_[number]);
  }
  return true;
}

void MetadataFilter::visit_value(ondemand::value& value, std::uint32_t node) {
  ondemand::json_type type;
  if (value.type().get(type) != simdjson::SUCCESS) return;
  ondemand::object object;
  if (type == ondemand::json_type::object) {
    if (!nodes_[node].below.empty() && value.get_object().get(object) == simdjson::SUCCESS) visit(object, node);
    return;
  }
  if (nodes_[node].tests.empty()) return;
  const auto said = said_by(value, type);
  for (const std::uint32_t number : nodes_[node].tests) {
    Test& test = tests_[number];
    if (!test.decided) test.held = meets(said, test);
  }
}

static void append_values_of(const simdjson::dom::element& value, std::string& out) {
  if (simdjson::dom::object object; value.get(object) == simdjson::SUCCESS) {
    for (const auto& field : object) append_values_of(field.value, out);
  } else if (simdjson::dom::array array; value.get(array) == simdjson::SUCCESS) {
    for (const simdjson::dom::element& element : array) append_values_of(element, out);
  } else if (value.is_string()) {
    out.append(value.get_string().value_unsafe()).append("\n");
  } else {
    out.append(simdjson::minify(value)).append("\n");
  }
}

void append_values(std::string_view metadata, std::string& out) {
  if (metadata.empty()) return;
  const ParsedJson parsed(padded_json(metadata));
  if (parsed.error == simdjson::SUCCESS) append_values_of(parsed.root, out);
}

}  // namespace nearkin
