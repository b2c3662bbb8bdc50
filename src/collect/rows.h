// Rows: what a run remembers of its items, in arrays or in files. A run uses this view and need not know which.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <nearkin/run.h>

#include "base/hash.h"
#include "collect/prepare_vectors.h"
#include "collect/scratch.h"
#include "io/formats/records.h"
#include "io/run_file/run_file.h"
#include "io/source/source.h"

namespace nearkin {

/// A range of rows whose arrays are in a file (segment.h).
struct Segment {
  Row first = 0;
  Row items = 0;
  std::shared_ptr<const RunFile> file;
};

/// Flat arrays with one entry, or a fixed number of entries, per item. Texts are not among them: a text that is needed again is read again
/// from where its record is.
struct RowArrays {
  Strings ids;
  std::vector<Location> locations;
  std::vector<std::uint64_t> text_sizes;                 ///< bytes
  std::vector<double> numbers;                           ///< Input::number; empty when it was not asked for
  std::vector<std::uint64_t> scopes;                     ///< Input::scope, as hashes; empty when it has no rule
  std::vector<std::uint8_t> empty;                       ///< 1 for EMPTY items
  std::vector<Hash128> contents;                         ///< equal for items that are certain to have similarity 1
  std::vector<std::uint32_t> keys;                       ///< band keys, plan.band.bands per item
  std::vector<std::uint8_t> signatures;                  ///< one byte per slot, plan.sketch.hashes per item, for the signature test
  std::vector<std::uint32_t> slots;                      ///< whole sketches, only where they are compared (verify estimate)
  std::vector<std::uint32_t> set_sizes;                  ///< entries of sparse vectors
  Features features;                                     ///< only for the exact join
  Vectors vectors;                                       ///< plans that compare vectors: prepared for comparing
  std::array<std::vector<Location>, 2> fault_locations;  ///< of the records at fault, of the input and of `against`
};

/// One value per row: a view of an array in memory, or read from files and owned.
template <typename T>
class Column {
 public:
  Column() = default;
  explicit Column(const std::vector<T>& array) : values_(array) {}
  explicit Column(std::vector<T>&& owned) : owned_(std::move(owned)), values_(owned_) {}
  Column(Column&&) noexcept = default;  // a moved vector keeps its storage
  Column& operator=(Column&&) noexcept = default;

  const T& operator[](std::size_t row) const { return values_[row]; }
  std::size_t size() const { return values_.size(); }
  std::span<const T> values() const& { return values_; }
  std::span<const T> values() && = delete;  // the values may be owned by the temporary

 private:
  std::vector<T> owned_;
  std::span<const T> values_;
};

/// The items of the input, then those of `against` where there is one. Once `collect` has returned, all rows are in `arrays`, or all of
/// them are in files.
struct Rows {
  std::vector<Sources> inputs;  ///< the input, then `against` where there is one
  RowArrays arrays;
  std::vector<Segment> segments;
  std::unique_ptr<Scratch> scratch;  ///< owns the files; null: the rows are in memory
  Preparation preparation;           ///< what vectors were prepared with
  std::optional<VectorShape> read;   ///< of vectors as they were read; absent before the first
  VectorShape shape;                 ///< of vectors as they are compared
  std::uint32_t columns = 0;         ///< of tables
  std::string column_names;          ///< the header of tables
  std::string questions;             ///< Sources::questions of tables
  Row split = 0;                     ///< items of the input where `against` follows; else 0
  std::uint64_t shingles = 0;        ///< of all items
  RunStats stats;

  Scratch::Options scratch_options;        ///< of the folder that the run may use
  std::unique_ptr<Scratch> match_scratch;  ///< for matches that do not fit in memory although the rows do; null: not used
  std::uint64_t held_bytes = 0;            ///< rows in memory: memory that the process used when they had been collected

  /// While rows are collected: the faults and shingles of the input and of `against` that are in no segment yet.
  std::array<Faults, 2> unwritten_faults;
  std::array<std::uint64_t, 2> unwritten_shingles{};
  std::function<void(Rows&)> move_to_files;    ///< rows in memory: called if a search meets more candidates than fit
  std::uint64_t most_candidates = UINT64_MAX;  ///< most candidates that a search in memory may hold; with more, the rows move to files

  std::size_t rows_in_files() const { return segments.empty() ? 0 : std::size_t{segments.back().first} + segments.back().items; }
  std::size_t size() const { return rows_in_files() + arrays.ids.size(); }
  bool in_files() const { return scratch != nullptr; }
  /// Where matches go that do not fit in memory.
  Scratch& scratch_for_matches();
  bool across() const { return inputs.size() > 1; }
  /// An empty input has no pairs with `against`; a split of 0 alone would mean that there is no `against`.
  bool nothing_to_pair() const { return across() && split == 0; }
  /// Rows that the run decides on: those of the input.
  Row input_rows() const { return across() ? split : static_cast<Row>(size()); }
  Scope::Rule scope_rule() const { return inputs.empty() ? Scope::Rule::none : inputs.front().scope().rule; }
  const Sources& sources_of(Row row) const { return inputs[split != 0 && row >= split ? 1 : 0]; }

  Column<std::uint8_t> empty() const;
  Column<std::uint64_t> text_sizes() const;
  /// NaN for items without a number, and for those of `against`, which need none.
  Column<double> numbers() const;
  /// The scopes of rows that are compared across scopes; else empty.
  Column<std::uint64_t> scopes_to_cross() const;
  /// The scopes of all rows; empty if there is no rule.
  Column<std::uint64_t> scopes() const;
};

/// Moves all ids out of the rows.
Strings take_ids(Rows& rows);
/// The locations of the bad records of one input: 0, or 1 for `against`.
std::vector<Location> fault_locations(const Rows& rows, std::uint32_t input = 0);

/// The segment that holds a row.
const Segment& segment_of(const std::vector<Segment>& segments, Row row);

/// Reads single rows; fast if they mostly ascend. For one thread; the rows must outlive it, and may grow.
class RowReader {
 public:
  explicit RowReader(const Rows& rows) : rows_(&rows) {}
  /// Good until the next call.
  std::string_view id(Row row);
  Location location(Row row);
  Hash128 content(Row row);
  std::uint64_t text_size(Row row);
  std::uint64_t scope(Row row);

 private:
  struct Readers;
  struct Place {
    Readers& readers;
    Row within;
  };
  Place place(Row row);
  bool in_memory(Row row) const { return row >= rows_->rows_in_files(); }
  Row index(Row row) const { return row - static_cast<Row>(rows_->rows_in_files()); }

  const Rows* rows_;
  std::vector<std::shared_ptr<Readers>> readers_;
};

/// Calls use(first row, values) for the section of each segment, in order: `width` values per row, at most `most` rows at a time.
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

/// One value of each row, all of them in memory; `absent` in segments that do not have the section.
template <typename T>
std::vector<T> whole_column(const std::vector<Segment>& segments, std::uint32_t kind, const std::optional<T>& absent = std::nullopt) {
  const std::size_t rows = segments.empty() ? 0 : std::size_t{segments.back().first} + segments.back().items;
  std::vector<T> column(rows, absent.value_or(T{}));
  for (const Segment& segment : segments) {
    if (absent && segment.file->find(kind) == nullptr) continue;
    segment.file->read(segment.file->at(kind), 0, std::span(column).subspan(segment.first, segment.items));
  }
  return column;
}

}  // namespace nearkin
