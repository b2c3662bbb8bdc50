// Any names and numbers as a picture: the first line is the title, the second the names, the rest the bytes of doubles.
#include <algorithm>
#include <cstring>

#include <nearkin/query.h>
#include <nearkin/tools/plot.h>

#include "support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nearkin;
  std::string_view rest = fuzz::bytes_of(data, size);
  const auto line = [&rest] {
    const std::string out(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(out.size() + 1, rest.size()));
    return out;
  };
  Plot plot;
  plot.title = line();
  plot.x = plot.y = line();
  for (std::size_t at = 0; at + 16 <= rest.size(); at += 16) {
    if (at % 128 == 0) plot.series.push_back({plot.x, {}});
    double point[2];
    std::memcpy(point, rest.data() + at, sizeof point);
    plot.series.back().points.emplace_back(point[0], point[1]);
  }
  for (const char* path : {"a.svg", "a.html"}) {
    const std::string text = plot_text({plot}, path);
    const auto count = [&text](char c) { return std::count(text.begin(), text.end(), c); };
    fuzz::require(count('<') == count('>') && count('"') % 2 == 0, "tags and quotes are balanced");
  }
  return 0;
}
