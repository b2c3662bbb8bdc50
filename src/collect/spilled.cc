#include "collect/spilled.h"

#include <algorithm>

#include <nearkin/error.h>

namespace nearkin {

const Segment& segment_of(const std::vector<Segment>& segments, Row row) {
  const auto behind =
      std::upper_bound(segments.begin(), segments.end(), row, [](Row wanted, const Segment& segment) { return wanted < segment.first; });
  return *(behind - 1);
}

SpilledRows::Readers::Readers(const Segment& segment)
    : id_ends(*segment.file, segment.file->at(kIdEnds)),
      id_bytes(*segment.file, segment.file->at(kIdBytes)),
      locations(*segment.file, segment.file->at(kLocations)) {}

SpilledRows::Readers& SpilledRows::readers(Row row, Row& within) {
  const Segment& segment = segment_of(*segments_, row);
  const auto number = static_cast<std::size_t>(&segment - segments_->data());
  readers_.resize(segments_->size());
  if (!readers_[number]) readers_[number] = std::make_unique<Readers>(segment);
  within = row - segment.first;
  return *readers_[number];
}

std::string_view SpilledRows::id(Row row) {
  Row within = 0;
  Readers& found = readers(row, within);
  const std::uint64_t begin = within == 0 ? 0 : found.id_ends.value<std::uint64_t>(within - 1);
  const std::uint64_t end = found.id_ends.value<std::uint64_t>(within);
  if (end < begin) throw Error(ErrorCode::file, segment_of(*segments_, row).file->path(), "damaged: ids overlap");
  const std::span<const std::byte> bytes = found.id_bytes.bytes(begin, static_cast<std::size_t>(end - begin));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Location SpilledRows::location(Row row) {
  Row within = 0;
  Readers& found = readers(row, within);
  return found.locations.value<Location>(within);
}

}  // namespace nearkin
