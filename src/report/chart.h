// Chart: one plot as the elements of an SVG picture.
#pragma once

#include <string>
#include <string_view>

#include <nearkin/query.h>
#include <nearkin/tools/plot.h>

#include "report/svg.h"

namespace nearkin {

/// A plot with what cannot be shown left out: points that are not finite.
struct ChartData {
  Plot plot;
  std::size_t left_out = 0;
};
ChartData chart_data(const Plot& plot);

struct ChartSize {
  double width = 720;
  bool titled = true;  ///< the title is part of the picture
};

/// Coloured by the classes of chart_style().
Picture draw_chart(const ChartData& data, const ChartSize& size);

/// What the picture shows, in words: axes, scales, and for each series its number of points and its ranges.
std::string describe_chart(const ChartData& data);

/// The style sheet of all pictures, for light and dark.
std::string_view chart_style();

}  // namespace nearkin
