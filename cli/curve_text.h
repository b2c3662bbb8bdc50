// The S-curves of plans as a table, a plot and JSON, for `curve` and `tune`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/query.h>
#include <nearkin/tools/plot.h>

namespace nearkin::cli {

/// Which errors a table tells.
enum class ErrorColumns { none, false_ones };

/// Similarity (or distance), found and missed at each of `at`; the line at `mark`, the threshold or radius, gets an arrow. With
/// `false_ones` also what is missed on the near side of `mark` and found on the far side.
std::string curve_table(const Plan& plan, const std::vector<double>& at, std::optional<double> mark = {},
                        ErrorColumns errors = ErrorColumns::none);
/// Found at each of `at`, a column a plan.
std::string curves_table(const std::vector<Plan>& plans, const std::vector<double>& at, std::optional<double> mark = {});
/// The threshold (of measures whose hashes agree as often as the items are similar) and the half-point, a line each.
std::string curve_points(const Plan& plan);
/// The same of several plans, a line a plan.
std::string curves_points(const std::vector<Plan>& plans);
/// "20x5"
std::string shape_name(const Plan& plan);
/// The curves as a picture over 0..`far`, with a line at the threshold or radius, where there is one.
Plot curve_picture(const std::vector<Plan>& plans, double far, std::optional<double> border = {});
/// Any curves of probabilities in characters: x from 0 to the greatest, y from 0 to 1.
std::string plot_characters(const Plot& plot);
/// {"bands","rows","threshold","half_point","points":[{"similarity" or "distance","probability"}]}, and with `border` in each point
/// "false_negatives" or "false_positives".
std::string curve_json(const Plan& plan, const std::vector<double>& at, std::optional<double> border = {});

}  // namespace nearkin::cli
