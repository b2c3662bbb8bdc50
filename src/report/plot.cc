#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/query.h>
#include <nearkin/tools/plot.h>

#include "base/in_quotes.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/page_parts.h"
#include "report/sections.h"
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

PictureText text_of(const ChartData& data, const std::string& id) {
  return {id, data.plot.title.empty() ? "Line chart" : data.plot.title, describe_chart(data)};
}

}  // namespace

namespace {

std::string plot_section(const ChartData& data, const std::string& id, std::string_view heading, const ChartEdges& wide,
                         const ChartEdges& narrow) {
  std::string out;
  if (!data.plot.title.empty()) out += element_of(heading, escape(data.plot.title)) + '\n';
  const auto draw = [&](double width) {
    return draw_chart(data, {.width = width, .titled = false, .edges = width == kWideWidth ? wide : narrow});
  };
  out += both_widths(draw, text_of(data, id), kWideWidth, kNarrowWidth);
  return "<section>\n" + out + fold("The data as a table", table_of(same_x(data.plot) ? wide_table(data.plot) : long_table(data.plot))) +
         "</section>\n";
}

}  // namespace

std::string plot_sections(const std::vector<ChartData>& charts, std::string_view heading) {
  const ChartEdges wide = edges_of(charts, kWideWidth), narrow = edges_of(charts, kNarrowWidth);
  std::string out;
  for (std::size_t i = 0; i < charts.size(); ++i) out += plot_section(charts[i], "plot" + std::to_string(i + 1), heading, wide, narrow);
  return out;
}

}  // namespace nearkin::page

namespace nearkin {
namespace {

constexpr double kWidth = 720;  // of the pictures in an SVG file

std::string svg_file(const std::vector<ChartData>& charts) {
  const ChartEdges edges = edges_of(charts, kWidth);
  std::string body;
  double height = 0;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const Picture picture = draw_chart(charts[i], {.width = kWidth, .titled = true, .edges = edges});
    const PictureText text = page::text_of(charts[i], "plot" + std::to_string(i + 1));
    body += "<g transform=\"translate(0 " + coordinate(height) + ")\"" + svg_words(text) + picture.elements + "</g>\n";
    height += picture.height;
  }
  const std::string size = " width=\"" + coordinate(kWidth) + "\" height=\"" + coordinate(height) + '"';
  // A browser whose window is narrower shows all of it.
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"nk\"" + size + svg_view(kWidth, height) +
         ">\n<style>\nsvg.nk{max-width:100%;height:auto}\n" + std::string(page::embedded("chart.css")) + "</style>\n" + body + "</svg>\n";
}

std::string html_page(const std::vector<ChartData>& charts) {
  const std::string body = page::plot_sections(charts, "h1");
  const std::string& title = charts.front().plot.title;
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n" +
         page::element_of("title", title.empty() ? "nearkin" : escape(title)) + "\n<style>\n" + std::string(page::embedded("plot.css")) +
         std::string(page::embedded("chart.css")) + "</style>\n</head>\n<body>\n<main>\n" + body + "</main>\n</body>\n</html>\n";
}

}  // namespace

std::string plot_text(const std::vector<Plot>& plots, const std::string& path) {
  const bool svg = path.ends_with(".svg");
  if (!svg && !path.ends_with(".html")) {
    throw Error(ErrorCode::plan, "plot", in_quotes(path) + " ends neither in .svg nor in .html; the extension says which picture to write");
  }
  std::vector<ChartData> charts;
  for (const Plot& plot : plots) charts.push_back(chart_data(plot));
  if (charts.empty()) charts.emplace_back();
  return svg ? svg_file(charts) : html_page(charts);
}

}  // namespace nearkin
