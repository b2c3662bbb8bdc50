#include "io/formats/records.h"

#include <charconv>
#include <cmath>
#include <utility>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "base/field_names.h"
#include "base/hash.h"
#include "base/in_quotes.h"
#include "base/library.h"
#include "io/formats/html.h"

namespace nearkin {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// What belongs to item i among entries that stand end to end.
template <typename T>
std::span<const T> part(const std::vector<T>& entries, const std::vector<std::uint64_t>& ends, std::size_t i) {
  const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
  return std::span(entries).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(ends[i] - begin));
}

template <typename T>
void append(std::vector<T>& all, std::span<const T> more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::string counted(std::uint32_t count, Vectors::Kind kind) {
  const char* const what = kind == Vectors::Kind::bits ? " bit" : " number";
  return std::to_string(count) + what + (count == 1 ? "" : "s");
}

template <typename T>
std::optional<double> first_negative(std::span<const T> numbers) {
  const auto found = std::find_if(numbers.begin(), numbers.end(), [](T number) { return number < 0; });
  return found == numbers.end() ? std::nullopt : std::optional(static_cast<double>(*found));
}

/// A part of Input::text: a field, and how often it counts.
struct TextPart {
  FieldPath path;
  std::uint32_t times = 1;
};

TextPart text_part(const std::string& part) {
  constexpr std::uint32_t kMostTimes = 100;
  const bool in_marks = is_quoted(part);
  const std::size_t sign = part.find('^', in_marks ? end_of_quoted(part, 0) : 0);
  // A name in quotation marks is one name, whatever is in it.
  const FieldPath path = in_marks ? FieldPath{unquoted_name(part), {unquoted_name(part)}} : field_path(part.substr(0, sign));
  if (sign == std::string::npos) return {path};
  std::uint32_t times = 0;
  const char* const end = part.data() + part.size();
  const auto [rest, error] = std::from_chars(part.data() + sign + 1, end, times);
  if (sign > 0 && error == std::errc() && rest == end && times >= 1 && times <= kMostTimes) return {path, times};
  throw Error(ErrorCode::plan, "text",
              in_quotes(part) + " does not say how often a field counts; write a whole number from 1 to " + std::to_string(kMostTimes) +
                  " after it, such as title^3");
}

void add_texts(Fields& fields, const std::string& text) {
  std::vector<std::string> parts = text.empty() ? std::vector<std::string>() : split_names(text, "text");
  const auto is_star = [](const std::string& part) { return part == "*" || part.starts_with("*^"); };
  const auto stars = std::count_if(parts.begin(), parts.end(), is_star);
  if (stars > 1) throw Error(ErrorCode::plan, "text", in_quotes(text) + " has every field twice; leave one * out");
  for (const std::string& part : parts) {
    if (is_star(part)) {
      fields.other_texts = text_part(part).times;
    } else if (stars > 0 && part.starts_with('-')) {
      fields.left_out.push_back(is_quoted(part.substr(1)) ? text_part(part.substr(1)).path : field_path(part.substr(1)));
    } else {
      const auto [path, times] = text_part(part);
      fields.texts.insert(fields.texts.end(), times, path);
    }
  }
  if (stars == 0) return;
  if (!fields.no_id) fields.no_texts.push_back(fields.id.name);
  for (const std::vector<FieldPath>* const paths : {&fields.texts, &fields.left_out}) {
    for (const FieldPath& path : *paths) fields.no_texts.push_back(path.name);
  }
  std::sort(fields.no_texts.begin(), fields.no_texts.end());
}

}  // namespace

bool has_weights(const Fields& fields) {
  const auto counts_again = [&](const FieldPath& path) {
    return std::count_if(fields.texts.begin(), fields.texts.end(), [&](const FieldPath& other) { return other.name == path.name; }) > 1;
  };
  return fields.other_texts > 1 || std::any_of(fields.texts.begin(), fields.texts.end(), counts_again);
}

void require_named_texts(const Input& input, const char* what) {
  const Fields fields = fields_of(input);
  if (fields.other_texts == 0 && !has_weights(fields)) return;
  throw Error(ErrorCode::plan, "text",
              in_quotes(input.text) + " does not name each field once, and " + what + "; name the fields, such as title,body");
}

FieldPath field_path(const std::string& name) { return {name, split(name, '.')}; }

void Batch::clear() {
  items.ids.clear();
  items.texts.clear();
  locations.clear();
  vectors.count = 0;
  vectors.numbers.clear();
  vectors.words.clear();
  vectors.indices.clear();
  vectors.values.clear();
  vectors.ends.clear();
  vector_lengths.clear();
  numbers.clear();
  scopes.clear();
  metadata.clear();
  faults = {};
  fault_locations.clear();
}

Fields fields_of(const Input& input) {
  Fields fields;
  fields.id = field_path(input.id);
  fields.no_id = input.id == "none";
  fields.loose = input.loose_texts;
  add_texts(fields, input.text);
  if (input.number) fields.number = field_path(*input.number);
  if (input.scope.rule != Scope::Rule::none && !input.memory && !names_place(input.scope.field))
    fields.scope = field_path(input.scope.field);
  for (const std::string& name : input.metadata) {
    const auto same = [&](const FieldPath& field) { return field.name == name; };
    if (std::none_of(fields.metadata.begin(), fields.metadata.end(), same)) fields.metadata.push_back(field_path(name));
  }
  fields.first_word = input.id == "first-word";
  fields.comment = input.id == "comment";
  return fields;
}

std::uint64_t scope_hash(std::string_view value) { return std::max<std::uint64_t>(1, checksum64(value.data(), value.size())); }

double number_of(std::string_view text) {
  text = trimmed(text, " \t");
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [rest, error] = read_decimal(text.data(), text.data() + text.size(), value);
  return error == std::errc() && rest == text.data() + text.size() && std::isfinite(value) ? value : kNoNumber;
}

std::string not_a_float(std::size_t at, double value) {
  const std::string which = "number " + std::to_string(at + 1) + " is ";
  if (std::isnan(value)) return which + "not a number (NaN)";
  if (std::isinf(value)) return which + (value < 0 ? "minus infinite" : "infinite");
  char digits[32];
  return which + std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr) +
         (std::abs(value) > 3.4028235677973366e38 ? ", beyond ±3.4e38" : kTooLong);
}

void RecordSink::item(std::string_view id, std::string_view text, const Location& location, double number, std::string_view metadata,
                      std::span<const std::size_t> fields) {
  if (options_.pages && !text.empty()) {
    visible_text(text, visible_);
    text = visible_;
    fields = {};  // they are one page
  }
  if (!options_.unit.divides() || options_.items_only) return one_item(id, text, location, number, metadata);
  if (options_.scope_each) scope_ = std::max<std::uint64_t>(1, mix64(mix64(mix64(location.source) ^ location.offset) ^ location.line));
  find_units(text, options_.unit, units_, fields);
  for (const Span& span : units_) {
    name_unit(id, span, unit_name_);
    one_item(unit_name_, text.substr(span.begin, span.end - span.begin), location, number, metadata);
  }
}

void RecordSink::one_item(std::string_view id, std::string_view text, const Location& location, double number, std::string_view metadata) {
  batch_.items.add(id, text);
  if (options_.items_only) return;
  batch_.locations.push_back(location);
  if (options_.numbers) batch_.numbers.push_back(number);
  if (options_.scopes) batch_.scopes.push_back(scope_);
  if (options_.metadata) batch_.metadata.add(metadata);
}

void RecordSink::vector(std::string_view id, std::uint32_t length, const Location& location) {
  Vectors& vectors = batch_.vectors;
  ++vectors.count;
  switch (vectors.kind) {
    case Vectors::Kind::dense: vectors.ends.push_back(vectors.numbers.size()); break;
    case Vectors::Kind::bits: vectors.ends.push_back(vectors.words.size()); break;
    case Vectors::Kind::sparse: vectors.ends.push_back(vectors.indices.size()); break;
  }
  if (vectors.kind != Vectors::Kind::sparse) batch_.vector_lengths.push_back(length);
  item(id, {}, location);
}

void RecordSink::drop_vector() {
  Vectors& vectors = batch_.vectors;
  const auto end = static_cast<std::size_t>(vectors.ends.empty() ? 0 : vectors.ends.back());
  switch (vectors.kind) {
    case Vectors::Kind::dense: vectors.numbers.resize(end); break;
    case Vectors::Kind::bits: vectors.words.resize(end); break;
    case Vectors::Kind::sparse:
      vectors.indices.resize(end);
      vectors.values.resize(end);
      break;
  }
}

void RecordSink::note(const Location& location, std::string where, std::string message) {
  if (options_.items_only) return;
  ++batch_.faults.count;
  batch_.fault_locations.push_back(location);
  if (batch_.faults.first.size() < Faults::kNamed) batch_.faults.first.push_back({std::move(where), std::move(message)});
}

void RecordSink::fault(const Location& location, const std::string& message) {
  std::string where(options_.whole_file ? std::string_view(name_) : place(location));
  if (options_.strict) throw Error(ErrorCode::data, where, message);
  note(location, std::move(where), message + "; record skipped");
}

void RecordSink::lost_source(std::uint32_t source, std::uint64_t offset, const std::string& message) {
  if (options_.strict) throw Error(ErrorCode::file, name_, message);
  note({source, 1, offset, 0}, name_, message + (offset > 0 ? "; the rest is skipped" : "; skipped"));
}

void RecordSink::begin_decoded(std::string encoding) {
  encoding_ = std::move(encoding);
  first_decoded_ = batch_.locations.size();
  first_fault_ = batch_.fault_locations.size();
}

void RecordSink::invalid_utf8(const Location& location, std::size_t at) {
  if (!encoding_.empty()) return fault(location, "not valid " + encoding_);
  fault(location, "invalid UTF-8 at byte " + std::to_string(at + 1) + " of the record");
}

void RecordSink::binary() {
  if (!options_.items_only) ++batch_.faults.binary;
}

void RecordSink::no_text() {
  if (!options_.items_only) ++batch_.faults.no_texts;
}

std::string_view RecordSink::place(const Location& location) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, location.line).ptr;
  place_.assign(name_);
  place_ += ':';
  place_.append(digits, end);
  return place_;
}

VectorShape shape_of(const Batch& batch, std::size_t i) {
  const Vectors::Kind kind = batch.vectors.kind;
  return {kind, kind == Vectors::Kind::sparse ? 0 : batch.vector_lengths[i]};
}

std::string unlike_first(const std::optional<VectorShape>& first, const Batch& batch, std::size_t i) {
  if (!first) return {};
  const auto [kind, dimensions] = shape_of(batch, i);
  if (kind != first->kind) return std::string(name(kind)) + ", the first items are " + std::string(name(first->kind));
  if (dimensions == first->dimensions) return {};
  return counted(dimensions, kind) + ", the first item has " + std::to_string(first->dimensions);
}

void append_vector(Vectors& all, const Batch& batch, std::size_t i) {
  const Vectors& from = batch.vectors;
  if (all.count == 0) {
    const VectorShape shape = shape_of(batch, i);
    all.kind = shape.kind;
    all.dimensions = shape.dimensions;
  }
  switch (from.kind) {
    case Vectors::Kind::dense: append(all.numbers, part(from.numbers, from.ends, i)); break;
    case Vectors::Kind::bits: append(all.words, part(from.words, from.ends, i)); break;
    case Vectors::Kind::sparse:
      append(all.indices, part(from.indices, from.ends, i));
      append(all.values, part(from.values, from.ends, i));
      all.ends.push_back(all.indices.size());
      break;
  }
  ++all.count;
}

std::optional<double> negative_number(const Batch& batch, std::size_t i) {
  const Vectors& vectors = batch.vectors;
  if (vectors.kind == Vectors::Kind::dense) return first_negative(part(vectors.numbers, vectors.ends, i));
  if (vectors.kind == Vectors::Kind::sparse) return first_negative(part(vectors.values, vectors.ends, i));
  return std::nullopt;
}

}  // namespace nearkin
