#include "io/run_file/run_file_layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <nearkin/error.h>

#include "base/checksum.h"

namespace nearkin::run_layout {
namespace {

void append(std::string& out, const void* bytes, std::size_t size) { out.append(static_cast<const char*>(bytes), size); }

std::pair<std::uint32_t, std::uint32_t> name_of(const Section& section) { return {section.kind, section.number}; }

}  // namespace

std::vector<std::size_t> by_name(const std::vector<Section>& sections) {
  std::vector<std::size_t> order(sections.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return name_of(sections[a]) < name_of(sections[b]); });
  return order;
}

const Section* first_repeated(const std::vector<Section>& sections, const std::vector<std::size_t>& order) {
  const auto same = [&](std::size_t a, std::size_t b) { return name_of(sections[a]) == name_of(sections[b]); };
  const auto found = std::adjacent_find(order.begin(), order.end(), same);
  return found == order.end() ? nullptr : &sections[*found];
}

std::string header_bytes(const RunFileInfo& info, const std::string& path) {
  const std::uint64_t length = header_length(info.kind.size(), info.plan.size());
  if (length > kLongestHeader) {
    throw Error(ErrorCode::file, path, "a plan of " + std::to_string(info.plan.size()) + " bytes does not fit in a run file");
  }
  FileHeader header;
  header.length = static_cast<std::uint32_t>(length);
  header.kind_length = static_cast<std::uint32_t>(info.kind.size());
  header.plan_length = static_cast<std::uint32_t>(info.plan.size());
  header.run_low = info.run.low;
  header.run_high = info.run.high;
  std::string bytes;
  append(bytes, &header, sizeof header);
  bytes += info.kind;
  bytes += info.plan;
  bytes.resize(static_cast<std::size_t>(length - sizeof(std::uint64_t)), '\0');
  const std::uint64_t checksum = checksum64(bytes.data(), bytes.size());
  append(bytes, &checksum, sizeof checksum);
  return bytes;
}

std::string end_bytes(std::uint64_t header_checksum, std::uint64_t offset, const std::vector<Section>& sections,
                      const std::vector<std::uint64_t>& checksums) {
  std::string bytes;
  bytes.reserve(sections.size() * sizeof(Section) + checksums.size() * sizeof(std::uint64_t) + sizeof(FileTrailer));
  append(bytes, sections.data(), sections.size() * sizeof(Section));
  append(bytes, checksums.data(), checksums.size() * sizeof(std::uint64_t));
  FileTrailer trailer;
  trailer.footer_offset = offset;
  trailer.footer_length = bytes.size();
  trailer.footer_checksum = checksum64(bytes.data(), bytes.size());
  trailer.sections = sections.size();
  trailer.header_checksum = header_checksum;
  trailer.file_size = offset + bytes.size() + sizeof trailer;
  trailer.checksum = checksum64(&trailer, kTrailerChecked);
  append(bytes, &trailer, sizeof trailer);
  return bytes;
}

}  // namespace nearkin::run_layout
