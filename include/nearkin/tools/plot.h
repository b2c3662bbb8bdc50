// Curves as pictures.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nearkin {

struct PlotSeries {
  std::string name;                               ///< for the legend
  std::vector<std::pair<double, double>> points;  ///< x and y
  /// Which points get a sign, ascending. Empty: all, or none if there are more than 40.
  std::vector<std::size_t> marked = {};
};
/// A value of x that is marked.
struct PlotMark {
  double x = 0;
  std::string name;
};
struct Plot {
  std::string title, x, y;  ///< x and y are the labels of the axes
  std::vector<PlotSeries> series;
  std::string note = {};             ///< below the title, such as the formula of a curve
  std::vector<PlotMark> marks = {};  ///< lines across
  /// If y is a probability: pairs are wanted from this x on. What each series misses there and what it finds elsewhere is shaded.
  std::optional<double> wanted = std::nullopt;
  bool wanted_below = false;  ///< pairs are wanted up to `wanted`, as for distances
  bool probability = false;   ///< y is drawn from 0 to 1
  /// y is drawn on a logarithmic scale if all its values are above 0 and the greatest is at least twice the least. Otherwise only if the
  /// greatest is more than 100 times the least.
  bool logarithmic = false;
};
/// All plots, one below the other, as the text of an SVG file or an HTML page, depending on the extension of `path`; nothing is written.
/// Throws Error(plan) naming `plot` for any other extension.
std::string plot_text(const std::vector<Plot>& plots, const std::string& path);

}  // namespace nearkin
