// The S-curve as a table, a plot and JSON, for `curve` and `tune`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nearkin::cli {

/// similarity, found and missed at each of `at`; the line at `mark` gets an arrow.
std::string curve_table(std::uint32_t bands, std::uint32_t rows, const std::vector<double>& at, std::optional<double> mark = {});
/// The threshold and the half-point, a line each.
std::string curve_points(std::uint32_t bands, std::uint32_t rows);
/// The curve over 0..1 in characters.
std::string curve_plot(std::uint32_t bands, std::uint32_t rows);
/// {"bands","rows","threshold","half_point","points":[{"similarity","probability"}]}
std::string curve_json(std::uint32_t bands, std::uint32_t rows, const std::vector<double>& at);

}  // namespace nearkin::cli
