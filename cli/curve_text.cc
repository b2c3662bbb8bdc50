#include "curve_text.h"

#include <cmath>

#include <fmt/format.h>
#include <nearkin/theory.h>

#include "json.h"

namespace nearkin::cli {
namespace {

constexpr int kPlotRows = 10;      // steps of 0.1 in probability
constexpr int kPlotColumns = 50;   // steps of 0.02 in similarity

}  // namespace

std::string curve_table(std::uint32_t bands, std::uint32_t rows, const std::vector<double>& at, std::optional<double> mark) {
  std::string out = "similarity  found     missed\n";
  for (const double s : at) {
    const double found = found_probability(s, bands, rows);
    out += fmt::format("{:<10.4g}  {:.6f}  {:.6f}{}\n", s, found, 1 - found, mark == s ? "  <- threshold" : "");
  }
  return out;
}

std::string curve_points(std::uint32_t bands, std::uint32_t rows) {
  return fmt::format("threshold   {:.4f}  (1/{})^(1/{}), where the curve is about steepest\n", curve_threshold(bands, rows), bands, rows) +
         fmt::format("half-point  {:.4f}  where half of the pairs are found\n", half_point(bands, rows));
}

std::string curve_plot(std::uint32_t bands, std::uint32_t rows) {
  std::vector<std::string> lines(kPlotRows + 1, std::string(kPlotColumns + 1, ' '));
  for (int column = 0; column <= kPlotColumns; ++column) {
    const double found = found_probability(static_cast<double>(column) / kPlotColumns, bands, rows);
    const auto row = static_cast<std::size_t>(kPlotRows - std::lround(found * kPlotRows));
    lines[row][static_cast<std::size_t>(column)] = '*';
  }
  std::string out = "found\n";
  for (int row = 0; row <= kPlotRows; ++row) {
    std::string& line = lines[static_cast<std::size_t>(row)];
    line.erase(line.find_last_not_of(' ') + 1);
    const double height = static_cast<double>(kPlotRows - row) / kPlotRows;
    out += fmt::format("{:>4} |{}\n", row % 5 == 0 ? fmt::format("{:.1f}", height) : "", line);
  }
  out += fmt::format("     +{}\n", std::string(kPlotColumns + 1, '-'));
  return out + "      0         0.2       0.4       0.6       0.8       1  similarity\n";
}

std::string curve_json(std::uint32_t bands, std::uint32_t rows, const std::vector<double>& at) {
  JsonObject object;
  object.add("bands", bands).add("rows", rows).add("threshold", curve_threshold(bands, rows)).add("half_point", half_point(bands, rows));
  object.raw("points", json_array(at, [&](double s) {
               return JsonObject().add("similarity", s).add("probability", found_probability(s, bands, rows)).text();
             }));
  return object.text();
}

}  // namespace nearkin::cli
