// The picture of a plan's S-curve over the pairs of a collection.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/chart.h"
#include "report/curve_data.h"

namespace nearkin::page {

struct CurveMarks {
  std::string value, border;                      ///< "similarity", "threshold 0.8"
  std::optional<double> promised = std::nullopt;  ///< recall
  std::optional<Recall> measured = std::nullopt;
  std::optional<double> pair = std::nullopt;  ///< similarity or distance of the one pair that the page is about
};

/// Bars of pairs (left axis), the curve and the marks of recall (right axis), the border as a line across.
Picture draw_curve(const CurveData& data, const CurveMarks& marks, double width);
/// Whether the bars are drawn by their logarithm.
bool bars_are_logarithmic(const CurveData& data);

/// One line of a recall strip.
struct StripLine {
  std::string name;
  Recall recall;
};
/// Promised and measured recalls on a scale of their own, which begins where it needs to.
Picture draw_strip(double promised, const std::vector<StripLine>& lines, double width);

}  // namespace nearkin::page
