#include "arrow_in.h"

#include <cstring>
#include <utility>

namespace nearkin::python {
namespace {

struct NamedFormat {
  std::string_view format;
  const char* name;
};
constexpr NamedFormat kNames[] = {{"n", "null"},    {"b", "bool"},         {"c", "int8"},         {"C", "uint8"},
                                  {"s", "int16"},   {"S", "uint16"},       {"i", "int32"},        {"I", "uint32"},
                                  {"l", "int64"},   {"L", "uint64"},       {"e", "float16"},      {"f", "float32"},
                                  {"g", "float64"}, {"u", "string"},       {"U", "large_string"}, {"vu", "string_view"},
                                  {"z", "binary"},  {"Z", "large_binary"}, {"vz", "binary_view"}, {"+s", "struct"}};

bool is_absent(const std::uint8_t* valid, std::int64_t at) { return valid != nullptr && (valid[at / 8] >> (at % 8) & 1) == 0; }

bool is_one_of(std::string_view format, std::initializer_list<std::string_view> formats) {
  for (const std::string_view one : formats) {
    if (format == one) return true;
  }
  return false;
}

// A view of 16 bytes: length, then the bytes themselves where they are few, else a beginning, a buffer's number and an offset.
struct ViewRecord {
  std::int32_t length;
  union {
    char inlined[12];
    struct {
      char prefix[4];
      std::int32_t buffer, offset;
    } far;
  };
};

std::string_view string_of_view(const ArrowView& view, std::int64_t i) {
  const ViewRecord& record = view.buffer<ViewRecord>(1)[view.begin + i];
  const auto length = static_cast<std::size_t>(record.length);
  if (record.length <= 12) return {record.inlined, length};
  return {static_cast<const char*>(view.array->buffers[2 + record.far.buffer]) + record.far.offset, length};
}

template <typename Offset>
void append_by_offsets(const ArrowView& view, std::vector<std::string_view>& out) {
  const Offset* const offsets = view.buffer<Offset>(1) + view.begin;
  const char* const bytes = view.buffer<char>(2);
  for (std::int64_t i = 0; i < view.length; ++i) {
    if (view.is_null(i)) {
      out.emplace_back();
    } else {
      out.emplace_back(bytes + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    }
  }
}

void append_from_dictionary(const ArrowView& view, std::vector<std::string_view>& out) {
  std::vector<std::string_view> values;
  const ArrowArray& dictionary = *view.array->dictionary;
  append_strings({view.schema->dictionary, &dictionary, dictionary.offset, dictionary.length}, values);
  for (std::int64_t i = 0; i < view.length; ++i) {
    if (view.is_null(i)) {
      out.emplace_back();
      continue;
    }
    const std::int64_t at = integer_at(view, i);
    if (at < 0 || at >= static_cast<std::int64_t>(values.size())) throw py::value_error("a dictionary has no value " + std::to_string(at));
    out.push_back(values[static_cast<std::size_t>(at)]);
  }
}

void* capsule_pointer(const py::handle& capsule, const char* name) {
  void* const pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw py::error_already_set();
  return pointer;
}

double half_to_double(std::uint16_t half) {
  const int exponent = half >> 10 & 31, mantissa = half & 1023, sign = half >> 15;
  double value = exponent == 0    ? mantissa * 0x1p-24
                 : exponent == 31 ? (mantissa != 0 ? __builtin_nan("") : __builtin_inf())
                                  : (1024 + mantissa) * __builtin_ldexp(1, exponent - 25);
  return sign != 0 ? -value : value;
}

}  // namespace

const std::uint8_t* ArrowView::validity() const {
  return array->null_count == 0 || array->n_buffers == 0 ? nullptr : buffer<std::uint8_t>(0);
}

bool ArrowView::is_null(std::int64_t i) const {
  if (format() == "n" || is_absent(outer, outer_begin + i)) return true;
  return is_absent(validity(), begin + i);
}

ArrowView ArrowView::child(int which) const {
  const ArrowArray* const inner = array->children[which];
  return {schema->children[which], inner, inner->offset, inner->length};
}

ArrowData::Owned::~Owned() {
  for (ArrowArray& array : arrays) {
    if (array.release != nullptr) array.release(&array);
  }
  if (schema.release != nullptr) schema.release(&schema);
}

bool ArrowData::is_arrow(const py::handle& object) {
  return py::hasattr(object, "__arrow_c_stream__") || py::hasattr(object, "__arrow_c_array__");
}

ArrowData::ArrowData(const py::handle& object) : owned_(std::make_shared<Owned>()) {
  if (py::hasattr(object, "__arrow_c_stream__")) {
    take_stream(object);
  } else if (py::hasattr(object, "__arrow_c_array__")) {
    take_array(object);
  } else {
    throw py::type_error("expected Arrow data (an object with __arrow_c_array__ or __arrow_c_stream__)");
  }
}

void ArrowData::take_stream(const py::handle& object) {
  const py::object capsule = object.attr("__arrow_c_stream__")();
  auto* const stream = static_cast<ArrowArrayStream*>(capsule_pointer(capsule, "arrow_array_stream"));
  const auto fail = [&](int code) {
    const char* const why = stream->get_last_error(stream);
    throw py::value_error(why != nullptr ? std::string(why) : std::strerror(code));
  };
  if (const int code = stream->get_schema(stream, &owned_->schema)) fail(code);
  for (;;) {
    ArrowArray array{};
    if (const int code = stream->get_next(stream, &array)) fail(code);
    if (array.release == nullptr) return;
    owned_->arrays.push_back(array);
  }
}

void ArrowData::take_array(const py::handle& object) {
  const py::tuple capsules = object.attr("__arrow_c_array__")();
  auto* const schema = static_cast<ArrowSchema*>(capsule_pointer(capsules[0], "arrow_schema"));
  auto* const array = static_cast<ArrowArray*>(capsule_pointer(capsules[1], "arrow_array"));
  owned_->schema = std::exchange(*schema, ArrowSchema{});
  owned_->arrays.push_back(std::exchange(*array, ArrowArray{}));
}

std::vector<ArrowView> ArrowData::chunks() const {
  std::vector<ArrowView> views;
  for (const ArrowArray& array : owned_->arrays) views.push_back({&owned_->schema, &array, array.offset, array.length});
  return views;
}

std::vector<ArrowView> ArrowData::column(const std::string& name) const {
  std::string names;
  for (std::int64_t i = 0; i < schema().n_children; ++i) {
    const std::string_view own = schema().children[i]->name != nullptr ? schema().children[i]->name : "";
    names.append(names.empty() ? "" : ", ").append(own);
    if (own != name) continue;
    std::vector<ArrowView> views;
    for (const ArrowView& chunk : chunks()) {
      ArrowView view = chunk.child(static_cast<int>(i));
      view.begin += chunk.begin;
      view.length = chunk.length;
      view.outer = chunk.validity();
      view.outer_begin = chunk.begin;
      views.push_back(view);
    }
    return views;
  }
  throw py::value_error("there is no column \"" + name + "\"; the table has " + (names.empty() ? "none" : names));
}

bool holds_strings(const ArrowSchema& schema) {
  if (schema.dictionary != nullptr) return holds_strings(*schema.dictionary);
  return is_one_of(schema.format, {"u", "U", "vu", "z", "Z", "vz", "n"});
}

void append_strings(const ArrowView& view, std::vector<std::string_view>& out) {
  if (view.schema->dictionary != nullptr) return append_from_dictionary(view, out);
  const std::string_view format = view.format();
  if (format == "u" || format == "z") return append_by_offsets<std::int32_t>(view, out);
  if (format == "U" || format == "Z") return append_by_offsets<std::int64_t>(view, out);
  if (!is_one_of(format, {"vu", "vz", "n"})) throw py::value_error("expected strings, this is " + type_name(*view.schema));
  for (std::int64_t i = 0; i < view.length; ++i) out.push_back(view.is_null(i) ? std::string_view() : string_of_view(view, i));
}

bool holds_lists(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  return format == "+l" || format == "+L" || format.starts_with("+w:");
}

ListBounds list_bounds(const ArrowView& view, std::int64_t i) {
  const std::string_view format = view.format();
  const std::int64_t at = view.begin + i;
  if (view.is_null(i)) return {};
  if (format == "+l") return {view.buffer<std::int32_t>(1)[at], view.buffer<std::int32_t>(1)[at + 1]};
  if (format == "+L") return {view.buffer<std::int64_t>(1)[at], view.buffer<std::int64_t>(1)[at + 1]};
  const std::int64_t size = std::stoll(std::string(format.substr(3)));
  return {at * size, (at + 1) * size};
}

bool holds_integers(const ArrowSchema& schema) {
  return schema.dictionary == nullptr && is_one_of(schema.format, {"c", "C", "s", "S", "i", "I", "l", "L"});
}
bool is_unsigned(const ArrowSchema& schema) { return std::strchr("CSIL", schema.format[0]) != nullptr; }
bool holds_floats(const ArrowSchema& schema) { return schema.dictionary == nullptr && is_one_of(schema.format, {"e", "f", "g"}); }

std::int64_t integer_at(const ArrowView& view, std::int64_t i) {
  const std::int64_t at = view.begin + i;
  switch (view.format()[0]) {
    case 'c': return view.buffer<std::int8_t>(1)[at];
    case 'C': return view.buffer<std::uint8_t>(1)[at];
    case 's': return view.buffer<std::int16_t>(1)[at];
    case 'S': return view.buffer<std::uint16_t>(1)[at];
    case 'i': return view.buffer<std::int32_t>(1)[at];
    case 'I': return view.buffer<std::uint32_t>(1)[at];
    case 'l':
    case 'L': return view.buffer<std::int64_t>(1)[at];
    default: throw py::value_error("expected whole numbers, this is " + type_name(*view.schema));
  }
}

double float_at(const ArrowView& view, std::int64_t i) {
  const std::int64_t at = view.begin + i;
  switch (view.format()[0]) {
    case 'e': return half_to_double(view.buffer<std::uint16_t>(1)[at]);
    case 'f': return view.buffer<float>(1)[at];
    case 'g': return view.buffer<double>(1)[at];
    default:
      return is_unsigned(*view.schema) ? static_cast<double>(static_cast<std::uint64_t>(integer_at(view, i)))
                                       : static_cast<double>(integer_at(view, i));
  }
}

std::string type_name(const ArrowSchema& schema) {
  if (schema.dictionary != nullptr) return "dictionary<" + type_name(*schema.dictionary) + ">";
  const std::string_view format = schema.format;
  for (const NamedFormat& one : kNames) {
    if (format == one.format) return one.name;
  }
  if (holds_lists(schema))
    return std::string(format == "+L"   ? "large_list<"
                       : format == "+l" ? "list<"
                                        : "fixed_size_list<") +
           type_name(*schema.children[0]) + ">";
  return "of Arrow type '" + std::string(format) + "'";
}

}  // namespace nearkin::python
