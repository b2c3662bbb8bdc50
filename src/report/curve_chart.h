// The picture of a plan's S-curve: what it shows, the curve and how the pairs of the collection are spread, and the drawing.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/tools/theory.h>

#include "report/chart.h"

namespace nearkin::page {

struct HistogramBar {
  double low = 0, high = 0;  ///< similarities: low ≤ x < high, and 1 has a bar of its own; distances: low < x ≤ high
  double mean = 0;           ///< of the values in it
  double pairs = 0;          ///< expected in the whole collection
  std::uint64_t seen = 0;    ///< in the sample
};
/// A bar with fewer pairs seen than this is a rough guess, unless all pairs of the collection were seen.
inline constexpr std::uint64_t kFewSeen = 10;

struct CurveData {
  bool distance = false;
  bool whole = false;        ///< distances are whole numbers
  double low = 0, high = 1;  ///< what is shown of similarity or distance
  double border = 0;
  std::optional<double> steepest = {};  ///< where the curve is steepest, if that is within what is shown
  std::vector<HistogramBar> bars = {};
  bool counted = false;  ///< the bars are all pairs of the collection, not an estimate
  std::vector<std::pair<double, double>> curve =
      {};                    ///< similarity or distance, and probability of being found; empty if the plan has no curve
  double farther = 0;        ///< pairs beyond `high`
  double farther_found = 0;  ///< the highest probability with which these are found
};

/// Whether a pair's chance of being found depends only on its similarity or distance.
bool has_curve(const Plan& plan);
/// Why it is not; a sentence.
std::string why_no_curve(const Plan& plan);

/// The radius or threshold in the units of the sample's values: for a Hamming radius that is a share, the places.
double shown_border(const Plan& plan, const DataSample* sample);
/// The chance of a pair at x, in the same units.
double found_at(const Plan& plan, const DataSample* sample, double x);

/// The values that a bar stands for; of whole distances the first and the last.
std::pair<double, double> values_of(const CurveData& data, const HistogramBar& bar);
/// The same in words: "0.79 to 0.8", "1", and for whole distances "3" or "4 to 5".
std::string label_of(const CurveData& data, const HistogramBar& bar);

/// Pairs by similarity or distance: as the sample says, or from its random pairs.
std::vector<PairsAt> spread_of(const DataSample& sample);
/// Whether the sample is the whole collection.
bool all_seen(const DataSample& sample);
CurveData curve_data(const Plan& plan, const DataSample* sample);

struct CurveMarks {
  std::string value, border;                      ///< "similarity", "threshold 0.8"
  std::optional<double> promised = std::nullopt;  ///< recall
  std::optional<double> pair = std::nullopt;      ///< similarity or distance of the one pair that the page is about
};

/// Bars of pairs (left axis), the curve and the promise (right axis), the border as a line across.
Picture draw_curve(const CurveData& data, const CurveMarks& marks, double width);
/// Whether the bars are drawn by their logarithm.
bool bars_are_logarithmic(const CurveData& data);

/// One line of a recall strip.
struct StripLine {
  std::string name;
  Recall recall;
};
/// A recall, promised or asked for (`name`), and measured ones on a scale of their own, which begins where it needs to.
Picture draw_strip(double promised, const std::string& name, const std::vector<StripLine>& lines, double width);

}  // namespace nearkin::page
