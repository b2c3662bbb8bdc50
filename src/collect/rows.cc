#include "collect/rows.h"

#include <limits>
#include <utility>

#include <nearkin/error.h>

#include "collect/segment.h"

namespace nearkin {

const Segment& segment_of(const std::vector<Segment>& segments, Row row) {
  const auto behind =
      std::upper_bound(segments.begin(), segments.end(), row, [](Row wanted, const Segment& segment) { return wanted < segment.first; });
  return *(behind - 1);
}

Scratch& Rows::scratch_for_matches() {
  if (scratch) return *scratch;
  if (!match_scratch) match_scratch = std::make_unique<Scratch>(OwnScratch::of_this_process(scratch_options));
  return *match_scratch;
}

Column<std::uint8_t> Rows::empty() const {
  return in_files() ? Column(whole_column<std::uint8_t>(segments, kEmptyItems)) : Column(arrays.empty);
}

Column<std::uint64_t> Rows::text_sizes() const {
  return in_files() ? Column(whole_column<std::uint64_t>(segments, kTextSizes)) : Column(arrays.text_sizes);
}

Column<double> Rows::numbers() const {
  constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
  if (in_files()) return Column(whole_column<double>(segments, kNumbers, std::optional(kAbsent)));
  std::vector<double> all = arrays.numbers;
  all.resize(size(), kAbsent);
  return Column(std::move(all));
}

// Records in the order of rows. Their scopes are made of places in files, and an order by these would differ from file to file.
static void number_in_order(std::vector<std::uint64_t>& scopes) {
  std::uint64_t number = 0, last = 0;
  for (std::uint64_t& scope : scopes) {
    number += std::exchange(last, scope) != scope;
    scope = number;
  }
}

Column<std::uint64_t> Rows::scopes_to_cross() const { return scope_rule() == Scope::Rule::across ? scopes() : Column<std::uint64_t>(); }

Column<std::uint64_t> Rows::scopes() const {
  if (scope_rule() == Scope::Rule::none) return {};
  const bool by_place = inputs.front().scope().field == kEachRecord;
  if (!in_files() && !by_place) return Column(arrays.scopes);
  std::vector<std::uint64_t> scopes =
      in_files() ? whole_column<std::uint64_t>(segments, kScopes, std::optional(std::uint64_t{0})) : arrays.scopes;
  if (by_place) number_in_order(scopes);
  return Column(std::move(scopes));
}

Strings take_ids(Rows& rows) {
  if (!rows.in_files()) return std::move(rows.arrays.ids);
  Strings ids;
  RowReader reader(rows);
  for (Row row = 0; row < rows.size(); ++row) ids.add(reader.id(row));
  return ids;
}

std::vector<Location> fault_locations(const Rows& rows, std::uint32_t input) {
  std::vector<Location> locations = rows.arrays.fault_locations[input];
  for (const Segment& segment : rows.segments) {
    if (read_notes(*segment.file, 0).input != input) continue;
    const std::vector<Location> part = segment.file->read_all<Location>(segment.file->at(kFaultPlaces));
    locations.insert(locations.end(), part.begin(), part.end());
  }
  return locations;
}

// Readers of the columns of one segment.
struct RowReader::Readers {
  explicit Readers(const Segment& segment)
      : path(segment.file->path()),
        id_ends(*segment.file, segment.file->at(kIdEnds)),
        id_bytes(*segment.file, segment.file->at(kIdBytes)),
        locations(*segment.file, segment.file->at(kLocations)),
        contents(*segment.file, segment.file->at(kContents)),
        text_sizes(*segment.file, segment.file->at(kTextSizes)) {
    if (const Section* const section = segment.file->find(kScopes)) scopes.emplace(*segment.file, *section);
  }
  const std::string& path;
  BlockReader id_ends, id_bytes, locations, contents, text_sizes;
  std::optional<BlockReader> scopes;
};

RowReader::Place RowReader::place(Row row) {
  const Segment& segment = segment_of(rows_->segments, row);
  const auto number = static_cast<std::size_t>(&segment - rows_->segments.data());
  readers_.resize(rows_->segments.size());
  if (!readers_[number]) readers_[number] = std::make_shared<Readers>(segment);
  return {*readers_[number], row - segment.first};
}

std::string_view RowReader::id(Row row) {
  if (in_memory(row)) return rows_->arrays.ids[index(row)];
  const auto [readers, within] = place(row);
  const std::uint64_t begin = within == 0 ? 0 : readers.id_ends.value<std::uint64_t>(within - 1);
  const std::uint64_t end = readers.id_ends.value<std::uint64_t>(within);
  if (end < begin) throw Error(ErrorCode::file, readers.path, "damaged: ids overlap");
  const std::span<const std::byte> bytes = readers.id_bytes.bytes(begin, static_cast<std::size_t>(end - begin));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Location RowReader::location(Row row) {
  if (in_memory(row)) return rows_->arrays.locations[index(row)];
  const auto [readers, within] = place(row);
  return readers.locations.value<Location>(within);
}

Hash128 RowReader::content(Row row) {
  if (in_memory(row)) return rows_->arrays.contents[index(row)];
  const auto [readers, within] = place(row);
  return readers.contents.value<Hash128>(within);
}

std::uint64_t RowReader::text_size(Row row) {
  if (in_memory(row)) return rows_->arrays.text_sizes[index(row)];
  const auto [readers, within] = place(row);
  return readers.text_sizes.value<std::uint64_t>(within);
}

std::uint64_t RowReader::scope(Row row) {
  if (in_memory(row)) return rows_->arrays.scopes[index(row)];
  const auto [readers, within] = place(row);
  if (!readers.scopes) throw Error(ErrorCode::file, readers.path, "damaged: it has no scopes");
  return readers.scopes->value<std::uint64_t>(within);
}

}  // namespace nearkin
