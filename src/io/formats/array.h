// Arrays: files of dense vectors in binary, and how their bytes fall into rows of numbers.
#pragma once

#include "io/formats/records.h"

namespace nearkin {

/// A row with more numbers than this means that the file is damaged.
inline constexpr std::uint32_t kMostNumbers = std::uint32_t{1} << 24;

enum class NumberType : std::uint8_t { u8, i8, u16, i16, u32, i32, u64, i64, f16, f32, f64 };
std::size_t size_of(NumberType type);

struct ArrayLayout {
  enum class Kind : std::uint8_t {
    lines,     ///< text: nothing of this applies
    fixed,     ///< .npy, IDX: a header, then rows of one length
    prefixed,  ///< .fvecs, .bvecs: each row is its length, an int32, and its numbers
  };
  Kind kind = Kind::lines;
  NumberType type = NumberType::f32;
  bool big_endian = false;
  std::uint32_t numbers = 0;     ///< fixed: a row
  std::uint64_t rows = 0;        ///< fixed: by the header
  std::size_t header_bytes = 0;  ///< fixed
  std::uint32_t columns = 0;     ///< fixed, where each row is a picture: its width; else 0

  std::size_t row_bytes() const { return std::size_t{numbers} * size_of(type); }
};

/// From a source's name and first bytes: 64 KiB, or all where there are less. .fvecs and .bvecs are known by their names alone, .npy and
/// IDX by their first bytes. Throws Error(data) for a header that is damaged or not supported, and for a name that contradicts the content.
ArrayLayout array_layout(const std::string& path, std::string_view first);

/// The number of numbers in the row that `bytes` begin with; reads only its length. Absent if the length is missing or not sensible.
std::optional<std::uint32_t> prefixed_numbers(std::string_view bytes);

/// What is wrong with the end of a source if `rest` is left after `row` whole rows; empty if nothing is.
std::string array_end_problem(const ArrayLayout& layout, std::uint64_t row, std::string_view rest);

/// The header of a .npy or IDX file with another number of rows; empty when `header` is neither.
std::string array_header_for(std::string_view header, std::uint64_t rows);

/// The chunk holds whole rows.
void parse_array(const Chunk& chunk, const ArrayLayout& layout, RecordSink& sink);

}  // namespace nearkin
