// Any bytes as the record of an item in an index, whole and with its checksum made right.
#include <cstring>
#include <string>

#include "base/hash.h"
#include "index/record.h"
#include "support.h"

namespace nearkin::fuzz {
namespace {

void check_record(std::string_view bytes) {
  const std::optional<RecordView> record = read_record(bytes);
  if (!record) return;
  require(record->id.size() + record->metadata.size() + record->content.size() < bytes.size(), "the parts are in the record");
  Points points;
  clear_for(*record, points);
  const bool read = append_content(*record, points);
  const std::size_t count = std::visit([](const auto& held) { return held.size(); }, points);
  require(count == (read ? 1u : 0u), "one item, or none where it is refused");
  require(!read || size_of(*record).has_value(), "what can be read has a size");
}

}  // namespace
}  // namespace nearkin::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nearkin;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  fuzz::check_record(bytes);
  const auto checksum = static_cast<std::uint32_t>(checksum64(bytes.data(), bytes.size()));
  std::string sealed(sizeof checksum, '\0');
  std::memcpy(sealed.data(), &checksum, sizeof checksum);
  fuzz::check_record(sealed.append(bytes));
  return 0;
}
