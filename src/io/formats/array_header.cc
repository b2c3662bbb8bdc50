// The headers of .npy (NumPy's "NEP 1" format) and IDX (described with the MNIST data).
#include <charconv>
#include <utility>

#include <nearkin/error.h>

#include "base/in_quotes.h"
#include "io/formats/array.h"
#include "io/formats/formats.h"

namespace nearkin {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kNpyMagic = "\x93NUMPY"sv;
constexpr std::size_t kNpyAlignment = 64;
constexpr std::size_t kMostAxes = 64;

[[noreturn]] void refuse(const std::string& path, const std::string& message) { throw Error(ErrorCode::data, path, message); }

std::uint64_t byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

// ---- .npy

struct NpyHeader {
  unsigned version = 1;
  std::size_t length = 0;    ///< of everything before the first row
  std::string descr, order;  ///< as they are spelt
  std::vector<std::uint64_t> shape;
};

std::string_view stripped(std::string_view text) { return trimmed(text, " \t\n"); }

/// Where the value that `text` begins with ends: at a comma or brace outside of brackets and quotes.
std::size_t value_length(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'' || c == '"') {
      i = text.find(c, i + 1);
      if (i == std::string_view::npos) return text.size();
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (depth == 0 && (c == ',' || c == '}')) {
      return i;
    }
  }
  return text.size();
}

/// The value of a key of a Python dictionary, as it is spelt.
std::string_view dictionary_value(std::string_view dictionary, std::string_view key) {
  std::string_view rest = stripped(dictionary);
  if (!rest.starts_with('{')) return {};
  rest.remove_prefix(1);
  while (true) {
    rest = stripped(rest);
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) return {};
    const std::string_view name = stripped(rest.substr(0, colon));
    rest.remove_prefix(colon + 1);
    const std::size_t length = value_length(rest);
    if (name.size() == key.size() + 2 && name.substr(1, key.size()) == key) return stripped(rest.substr(0, length));
    if (length == rest.size() || rest[length] == '}') return {};
    rest.remove_prefix(length + 1);
  }
}

/// "(3, 4)", "(3,)", and "(3L, 4L)" as it was once written. Absent when the text is no such thing.
std::optional<std::vector<std::uint64_t>> shape_of(std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
  std::vector<std::uint64_t> shape;
  for (std::string_view rest = stripped(text.substr(1, text.size() - 2)); !rest.empty();) {
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    if (error != std::errc() || shape.size() == kMostAxes) return std::nullopt;
    shape.push_back(size);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.starts_with('L')) rest.remove_prefix(1);
    rest = stripped(rest);
    if (!rest.empty() && rest.front() != ',') return std::nullopt;
    if (!rest.empty()) rest = stripped(rest.substr(1));
  }
  return shape;
}

NpyHeader npy_header(const std::string& path, std::string_view bytes) {
  constexpr std::string_view kShort = "ends within its .npy header";
  if (bytes.size() < 10) refuse(path, std::string(kShort));
  NpyHeader header;
  header.version = static_cast<unsigned>(byte_at(bytes, 6));
  if (header.version < 1 || header.version > 3) {
    refuse(path, ".npy version " + std::to_string(header.version) + " is not supported; versions 1 to 3 are");
  }
  const std::size_t before = header.version == 1 ? 10 : 12;
  if (bytes.size() < before) refuse(path, std::string(kShort));
  std::uint64_t length = byte_at(bytes, 8) | byte_at(bytes, 9) << 8;
  if (header.version > 1) length |= byte_at(bytes, 10) << 16 | byte_at(bytes, 11) << 24;
  // 64 KiB of the source are looked at, which is far more than the header of an array of numbers takes.
  constexpr std::uint64_t kLongest = (64 << 10) - 12;
  if (length > kLongest) refuse(path, "a .npy header of " + std::to_string(length) + " bytes is too long; up to 65,524 are read");
  if (length > bytes.size() - before) refuse(path, std::string(kShort));
  header.length = before + static_cast<std::size_t>(length);
  const std::string_view dictionary = bytes.substr(before, static_cast<std::size_t>(length));
  header.descr = dictionary_value(dictionary, "descr");
  header.order = dictionary_value(dictionary, "fortran_order");
  auto shape = shape_of(dictionary_value(dictionary, "shape"));
  if (header.descr.empty() || header.order.empty() || !shape) {
    refuse(path, "its .npy header has no descr, fortran_order and shape that can be read");
  }
  header.shape = std::move(*shape);
  return header;
}

NumberType npy_type(const std::string& path, const std::string& descr) {
  // In the order of NumberType; "b1", a truth value in a byte, is read as one.
  constexpr std::string_view kTypes[] = {"u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"};
  static_assert(std::size(kTypes) == std::size_t(NumberType::f64) + 1);
  const std::string_view spelt = descr.size() >= 2 ? std::string_view(descr).substr(1, descr.size() - 2) : std::string_view();
  const std::string_view word = spelt.size() == 3 ? spelt.substr(1) : std::string_view();
  for (std::size_t i = 0; i < std::size(kTypes); ++i) {
    if ((word == "b1" ? "u1" : word) != kTypes[i]) continue;
    const auto type = static_cast<NumberType>(i);
    if (spelt.front() == '>' && size_of(type) > 1) {
      const std::string way_out = "save it as little-endian, with a.astype('<" + std::string(word) + "')";
      refuse(path, "its numbers are big-endian (" + std::string(spelt) + "); " + way_out);
    }
    if (spelt.front() == '<' || spelt.front() == '|' || spelt.front() == '>') return type;
  }
  refuse(path,
         "numbers of type " + in_quotes(spelt.empty() ? descr : spelt) + " are not supported; save it as float32, with a.astype('<f4')");
}

/// Numbers of a row: the product of the sizes after the first.
std::uint32_t row_numbers(const std::string& path, const std::vector<std::uint64_t>& shape) {
  std::uint64_t product = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) {
    if (shape[i] == 0) refuse(path, "its rows have 0 numbers; a row has 1 to 16,777,216");
    if (shape[i] > kMostNumbers / product) refuse(path, "its rows have more than 16,777,216 numbers");
    product *= shape[i];
  }
  return static_cast<std::uint32_t>(product);
}

ArrayLayout fixed(NumberType type, bool big_endian, const std::string& path, const std::vector<std::uint64_t>& shape, std::size_t header) {
  const std::uint32_t columns = shape.size() == 3 ? static_cast<std::uint32_t>(shape[2]) : 0;
  return {ArrayLayout::Kind::fixed, type, big_endian, row_numbers(path, shape), shape.front(), header, columns};
}

ArrayLayout npy_layout(const std::string& path, std::string_view bytes) {
  const NpyHeader header = npy_header(path, bytes);
  const NumberType type = npy_type(path, header.descr);
  if (header.order != "False") refuse(path, "its rows are not together (fortran_order); save it in C order, with numpy.ascontiguousarray");
  if (header.shape.size() < 2) {
    const std::string count = header.shape.empty() ? "no dimensions" : "one dimension";
    refuse(path, "its shape has " + count + "; it needs two, items and numbers: a.reshape(-1, 1) makes items of one number");
  }
  return fixed(type, false, path, header.shape, header.length);
}

// ---- IDX

std::optional<NumberType> idx_type(std::string_view bytes) {
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0 || bytes[3] == 0) return std::nullopt;
  switch (byte_at(bytes, 2)) {
    case 0x08: return NumberType::u8;
    case 0x09: return NumberType::i8;
    case 0x0B: return NumberType::i16;
    case 0x0C: return NumberType::i32;
    case 0x0D: return NumberType::f32;
    case 0x0E: return NumberType::f64;
    default: return std::nullopt;
  }
}

std::size_t idx_header_bytes(std::string_view bytes) { return 4 + 4 * static_cast<std::size_t>(byte_at(bytes, 3)); }

ArrayLayout idx_layout(const std::string& path, std::string_view bytes, NumberType type) {
  const std::size_t length = idx_header_bytes(bytes);
  if (bytes.size() < length) refuse(path, "ends within its IDX header");
  std::vector<std::uint64_t> shape;
  for (std::size_t at = 4; at < length; at += 4) {
    shape.push_back(byte_at(bytes, at) << 24 | byte_at(bytes, at + 1) << 16 | byte_at(bytes, at + 2) << 8 | byte_at(bytes, at + 3));
  }
  return fixed(type, true, path, shape, length);
}

std::string npy_header_for(std::string_view bytes, std::uint64_t rows) {
  const NpyHeader header = npy_header(".npy", bytes);
  std::string dictionary = "{'descr': " + header.descr + ", 'fortran_order': False, 'shape': (" + std::to_string(rows);
  for (std::size_t i = 1; i < header.shape.size(); ++i) dictionary += ", " + std::to_string(header.shape[i]);
  dictionary += "), }";
  const std::size_t before = header.version == 1 ? 10 : 12;
  const std::size_t total = (before + dictionary.size() + 1 + kNpyAlignment - 1) / kNpyAlignment * kNpyAlignment;
  dictionary.append(total - before - dictionary.size() - 1, ' ').push_back('\n');
  std::string result(bytes.substr(0, 8));
  for (std::size_t i = 8; i < before; ++i) result += static_cast<char>(dictionary.size() >> (8 * (i - 8)) & 255);
  return result + dictionary;
}

}  // namespace

ArrayLayout array_layout(const std::string& path, std::string_view first) {
  const std::string extension = extension_of(path);
  if (extension == "fvecs") return {ArrayLayout::Kind::prefixed, NumberType::f32, false, 0, 0, 0};
  if (extension == "bvecs") return {ArrayLayout::Kind::prefixed, NumberType::u8, false, 0, 0, 0};
  if (first.starts_with(kNpyMagic)) return npy_layout(path, first);
  if (const auto type = idx_type(first)) return idx_layout(path, first, *type);
  if (extension == "npy") {
    refuse(path, first.empty() ? "is empty; a .npy file has a header" : "is no .npy file; such a file begins with \\x93NUMPY");
  }
  if (format_of_path(path) == Format::dense) {
    refuse(path, first.empty() ? "is empty; an IDX file has a header"
                               : "is no IDX file; such a file begins with two zero bytes, a type and a number of dimensions");
  }
  return {};
}

std::string array_header_for(std::string_view header, std::uint64_t rows) {
  if (header.starts_with(kNpyMagic)) return npy_header_for(header, rows);
  if (!idx_type(header)) return {};
  std::string result(header);
  for (std::size_t i = 0; i < 4; ++i) result[4 + i] = static_cast<char>(rows >> (8 * (3 - i)) & 255);
  return result;
}

}  // namespace nearkin
