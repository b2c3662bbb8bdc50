#include "io/formats/array.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/formats/dense_text.h"

namespace nearkin {
namespace {

template <typename T>
T load(const char* from, bool big_endian) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, from, sizeof(T));
  const bool as_it_is = big_endian == (std::endian::native == std::endian::big);
  if (!as_it_is) {
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
  }
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/// IEEE 754 binary16, exact.
double from_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const double fraction = half & 1023;
  double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return half >> 15 != 0 ? -value : value;
}

/// The first number that no finite float stands for.
struct Misfit {
  std::size_t at;
  double value;
};

// Whether a float has too few digits for a whole number: it holds 24 bits, and zeros behind them.
template <typename T>
bool loses_digits(T value) {
  if constexpr (std::is_integral_v<T>) {
    const std::uint64_t size = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    return size != 0 && size >> std::countr_zero(size) >= std::uint64_t{1} << 24;
  } else {
    return is_too_long(static_cast<double>(value));
  }
}

template <typename T>
std::optional<Misfit> convert(const char* from, bool big_endian, std::span<float> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    const T value = load<T>(from + i * sizeof(T), big_endian);
    if constexpr (std::is_floating_point_v<T>) {
      // Not "greater than": a NaN must not pass.
      if (!(std::abs(value) <= static_cast<T>(std::numeric_limits<float>::max()))) return Misfit{i, static_cast<double>(value)};
    }
    if (loses_digits(value)) return Misfit{i, static_cast<double>(value)};
    to[i] = static_cast<float>(value);
  }
  return std::nullopt;
}

std::optional<Misfit> convert_halves(const char* from, bool big_endian, std::span<float> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    const double value = from_half(load<std::uint16_t>(from + 2 * i, big_endian));
    if (!std::isfinite(value)) return Misfit{i, value};
    to[i] = static_cast<float>(value);
  }
  return std::nullopt;
}

std::optional<Misfit> convert(NumberType type, bool big_endian, const char* from, std::span<float> to) {
  switch (type) {
    case NumberType::u8: return convert<std::uint8_t>(from, big_endian, to);
    case NumberType::i8: return convert<std::int8_t>(from, big_endian, to);
    case NumberType::u16: return convert<std::uint16_t>(from, big_endian, to);
    case NumberType::i16: return convert<std::int16_t>(from, big_endian, to);
    case NumberType::u32: return convert<std::uint32_t>(from, big_endian, to);
    case NumberType::i32: return convert<std::int32_t>(from, big_endian, to);
    case NumberType::u64: return convert<std::uint64_t>(from, big_endian, to);
    case NumberType::i64: return convert<std::int64_t>(from, big_endian, to);
    case NumberType::f16: return convert_halves(from, big_endian, to);
    case NumberType::f32: return convert<float>(from, big_endian, to);
    case NumberType::f64: return convert<double>(from, big_endian, to);
  }
  return std::nullopt;
}

void parse_row(const char* from, std::uint32_t numbers, const ArrayLayout& layout, const Location& location, RecordSink& sink) {
  std::vector<float>& all = sink.vectors().numbers;
  const std::size_t before = all.size();
  all.resize(before + numbers);
  const auto misfit = convert(layout.type, layout.big_endian, from, std::span(all).subspan(before));
  if (!misfit) return sink.vector(sink.place(location), numbers, location);
  sink.drop_vector();
  sink.fault(location, not_a_float(misfit->at, misfit->value));
}

}  // namespace

std::size_t size_of(NumberType type) {
  switch (type) {
    case NumberType::u8:
    case NumberType::i8: return 1;
    case NumberType::u16:
    case NumberType::i16:
    case NumberType::f16: return 2;
    case NumberType::u32:
    case NumberType::i32:
    case NumberType::f32: return 4;
    case NumberType::u64:
    case NumberType::i64:
    case NumberType::f64: return 8;
  }
  return 1;
}

std::optional<std::uint32_t> prefixed_numbers(std::string_view bytes) {
  if (bytes.size() < 4) return std::nullopt;
  const auto numbers = load<std::int32_t>(bytes.data(), false);
  if (numbers <= 0 || static_cast<std::uint32_t>(numbers) > kMostNumbers) return std::nullopt;
  return static_cast<std::uint32_t>(numbers);
}

std::string array_end_problem(const ArrayLayout& layout, std::uint64_t row, std::string_view rest) {
  const bool by_header = layout.kind == ArrayLayout::Kind::fixed;
  const std::string header_says = "the header says " + std::to_string(layout.rows) + " rows";
  if (by_header && row == layout.rows) return rest.empty() ? std::string() : header_says + ", more bytes follow them";
  if (rest.empty()) return by_header ? header_says + ", the file ends after " + std::to_string(row) : std::string();
  const std::string where = "row " + std::to_string(row) + ": ";
  const auto numbers = by_header ? layout.numbers : prefixed_numbers(rest);
  if (!numbers && rest.size() >= 4) {
    return where + std::to_string(load<std::int32_t>(rest.data(), false)) + " numbers; a row has 1 to " + std::to_string(kMostNumbers);
  }
  if (!numbers) return where + "the file ends within its length";
  const std::uint64_t whole = (by_header ? 0 : 4) + std::uint64_t{*numbers} * size_of(layout.type);
  return where + "the file ends after " + std::to_string(rest.size()) + " of its " + std::to_string(whole) + " bytes" +
         (by_header ? "; " + header_says : "");
}

void parse_array(const Chunk& chunk, const ArrayLayout& layout, RecordSink& sink) {
  const bool prefixed = layout.kind == ArrayLayout::Kind::prefixed;
  const std::size_t prefix = prefixed ? 4 : 0;
  sink.begin_vectors(Vectors::Kind::dense);
  Location location{chunk.source, chunk.first_line, chunk.offset, 0};
  for (std::string_view rest = chunk.bytes; !rest.empty(); ++location.line) {
    const auto numbers = prefixed ? prefixed_numbers(rest) : layout.numbers;
    if (!numbers) return;
    location.length = prefix + std::size_t{*numbers} * size_of(layout.type);
    if (location.length > rest.size()) return;
    parse_row(rest.data() + prefix, *numbers, layout, location, sink);
    location.offset += location.length;
    rest.remove_prefix(static_cast<std::size_t>(location.length));
  }
}

}  // namespace nearkin
