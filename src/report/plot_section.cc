#include "report/plot_section.h"

#include <algorithm>

#include <nearkin/tools/plot.h>

#include "report/html.h"
#include "report/text.h"

namespace nearkin::page {
namespace {

constexpr double kWideWidth = 720, kNarrowWidth = 380;  // of the pictures: on a screen, on a phone

bool same_x(const Plot& plot) {
  const auto equal = [](const auto& a, const auto& b) { return a.first == b.first; };
  return std::all_of(plot.series.begin(), plot.series.end(), [&](const PlotSeries& series) {
    const auto& first = plot.series.front().points;
    return std::equal(first.begin(), first.end(), series.points.begin(), series.points.end(), equal);
  });
}

std::string or_else(const std::string& name, const char* otherwise) { return escape(name.empty() ? otherwise : name); }

/// A column for each series.
Table wide_table(const Plot& plot) {
  Table table{"The data of the plot", {{or_else(plot.x, "x")}}, {}};
  for (const PlotSeries& series : plot.series) table.columns.push_back({series.name.empty() ? or_else(plot.y, "y") : escape(series.name)});
  for (std::size_t i = 0; !plot.series.empty() && i < plot.series.front().points.size(); ++i) {
    std::vector<std::string> row{table_number(plot.series.front().points[i].first)};
    for (const PlotSeries& series : plot.series) row.push_back(table_number(series.points[i].second));
    table.rows.push_back(row);
  }
  return table;
}

/// A row for each point.
Table long_table(const Plot& plot) {
  Table table{"The data of the plot", {{"series", false}, {or_else(plot.x, "x")}, {or_else(plot.y, "y")}}, {}};
  for (const PlotSeries& series : plot.series) {
    for (const auto& [x, y] : series.points) table.rows.push_back({escape(series.name), table_number(x), table_number(y)});
  }
  return table;
}

}  // namespace

std::string plot_section(const ChartData& data, const std::string& id, std::string_view heading) {
  const PictureText text{id, data.plot.title.empty() ? "Line chart" : data.plot.title, describe_chart(data)};
  std::string out;
  if (!data.plot.title.empty()) out += element_of(heading, escape(data.plot.title)) + '\n';
  out += both_widths(draw_chart(data, {.width = kWideWidth, .titled = false}), draw_chart(data, {.width = kNarrowWidth, .titled = false}),
                     text);
  return "<section>\n" + out + fold("The data as a table", table_of(same_x(data.plot) ? wide_table(data.plot) : long_table(data.plot))) +
         "</section>\n";
}

}  // namespace nearkin::page
