// Rows of a collection that are in files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "collect/collect.h"
#include "collect/segment.h"
#include "io/run_file/run_file.h"

namespace nearkin {

/// The segment that holds a row.
const Segment& segment_of(const std::vector<Segment>& segments, Row row);

/// Single rows, mostly ascending. One thread; the segments must outlive it, and may grow.
class SpilledRows {
 public:
  explicit SpilledRows(const std::vector<Segment>& segments) : segments_(&segments) {}
  /// Good until the next call.
  std::string_view id(Row row);
  Location location(Row row);

 private:
  struct Readers {
    BlockReader id_ends, id_bytes, locations;
    explicit Readers(const Segment& segment);
  };
  Readers& readers(Row row, Row& within);

  const std::vector<Segment>* segments_;
  std::vector<std::unique_ptr<Readers>> readers_;
};

/// Calls use(first row, values) for the section of each segment, in order: `width` values a row, at most `most` rows at a time.
template <typename T, typename Use>
void for_each_values(const std::vector<Segment>& segments, std::uint32_t kind, std::size_t width, std::size_t most, Use&& use) {
  std::vector<T> values;
  for (const Segment& segment : segments) {
    const Section& section = segment.file->at(kind);
    for (Row at = 0; at < segment.items;) {
      const auto rows = static_cast<Row>(std::min<std::size_t>(most, segment.items - at));
      values.resize(rows * width);
      segment.file->read(section, std::uint64_t{at} * width, std::span(values));
      use(segment.first + at, std::span<const T>(values));
      at += rows;
    }
  }
}

/// One value of each row, all of them in memory.
template <typename T>
std::vector<T> whole_column(const std::vector<Segment>& segments, std::uint32_t kind) {
  const std::size_t rows = segments.empty() ? 0 : std::size_t{segments.back().first} + segments.back().items;
  std::vector<T> column(rows);
  for (const Segment& segment : segments) {
    segment.file->read(segment.file->at(kind), 0, std::span(column).subspan(segment.first, segment.items));
  }
  return column;
}

}  // namespace nearkin
