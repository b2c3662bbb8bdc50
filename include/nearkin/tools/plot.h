// Curves as pictures.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace nearkin {

struct PlotSeries {
  std::string name;                               ///< for the legend
  std::vector<std::pair<double, double>> points;  ///< x and y
};
struct Plot {
  std::string title, x, y;  ///< x and y are the labels of the axes
  std::vector<PlotSeries> series;
};
/// All plots, one below the other, as the text of an SVG file or an HTML page, depending on the extension of `path`; nothing is written.
/// Throws Error(plan) naming `plot` for any other extension.
std::string plot_text(const std::vector<Plot>& plots, const std::string& path);

}  // namespace nearkin
