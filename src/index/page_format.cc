#include "index/page_format.h"

#include <algorithm>
#include <vector>

namespace nearkin {

bool header_fits(const Page& page, PageKind kind, std::size_t page_bytes) {
  const std::size_t end = page.list_end(), first = page.first_node();
  if (page.kind() != kind || end <= Page::kHeader || end % 2 != 0 || end > first || first > page_bytes) return false;
  if (kind == kBranch && page.size() < 2) return false;
  std::vector<std::uint64_t> spans(page.size());  // begin and end, to be sorted by their begin
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const std::size_t place = page.place_of(i);
    if (place < first || place + PageNode::kHeader > page_bytes) return false;
    const std::size_t behind = place + page.node(i).bytes(kind);
    if (behind > page_bytes) return false;
    spans[i] = std::uint64_t{place} << 32 | behind;
  }
  std::sort(spans.begin(), spans.end());
  std::uint64_t expected = first;
  for (const std::uint64_t span : spans) {
    if (span >> 32 != expected) return false;
    expected = span & UINT32_MAX;
  }
  return expected == page_bytes;
}

bool long_header_fits(const Page& page, std::uint64_t number, std::size_t value_bytes, std::size_t page_bytes, std::uint64_t last_page) {
  const std::uint64_t needed = (Page::kHeader + value_bytes + page_bytes - 1) / page_bytes;
  return page.kind() == kLong && page.long_pages() >= needed && page.long_pages() <= last_page - number + 1;
}

bool free_pages_fit(std::string_view value, std::uint64_t last_page) {
  const std::size_t listed = value.size() / sizeof(std::uint64_t);
  const std::uint64_t count = listed > 0 ? number_at<std::uint64_t>(value.data()) : 0;
  if (listed == 0 || count >= listed) return false;
  std::uint64_t before = last_page + 1;
  for (std::size_t i = 1; i <= count; ++i) {
    const auto page = number_at<std::uint64_t>(value.data() + i * sizeof count);
    if (page <= 1 || page >= before) return false;
    before = page;
  }
  return true;
}

}  // namespace nearkin
