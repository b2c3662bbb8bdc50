// The S-curve of a plan as a table, a plot and JSON, for `curve` and `tune`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/query.h>
#include <nearkin/tools/plot.h>

namespace nearkin::cli {

/// Similarity (or distance), found and missed at each of `at`; the line at `mark` gets an arrow.
std::string curve_table(const Plan& plan, const std::vector<double>& at, std::optional<double> mark = {});
/// The threshold (of measures whose hashes agree as often as the items are similar) and the half-point, a line each.
std::string curve_points(const Plan& plan);
/// The curve in characters: over 0..1, or for distances from 0 to `far`.
std::string curve_plot(const Plan& plan, double far);
/// The curve as a picture, with a line at the threshold or radius, where there is one.
Plot curve_picture(const Plan& plan, double far, std::optional<double> border = {});
/// {"bands","rows","threshold","half_point","points":[{"similarity" or "distance","probability"}]}
std::string curve_json(const Plan& plan, const std::vector<double>& at);

}  // namespace nearkin::cli
