#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/error.h>
#include <nearkin/query.h>

#include "report/chart.h"
#include "report/text.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

constexpr double kWideWidth = 720, kNarrowWidth = 380;  // of an HTML page's pictures: on a screen, on a phone

constexpr std::string_view kPageStyle = R"css(:root{color-scheme:light dark}
body{margin:0;color:#15181b;background:#fff;
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,"DejaVu Sans",sans-serif}
main{max-width:760px;margin:0 auto;padding:16px}
section{margin:0 0 40px}
h1{font-size:20px;line-height:1.3;margin:0 0 4px;overflow-wrap:anywhere}
svg{display:block;width:calc(100% + 24px);height:auto;margin:0 -12px}
.narrow{display:none}
@media (max-width:560px){.narrow{display:block}.wide{display:none}main{padding:12px}}
summary{cursor:pointer;color:#5b6168;padding:8px 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}
th,td{padding:4px 12px 4px 0;text-align:right;border-bottom:1px solid #e6e8ea;vertical-align:bottom}
th{font-weight:600}
th[scope=row]{font-weight:400}
.name{text-align:left;overflow-wrap:anywhere;min-width:8em}
@media (prefers-color-scheme:dark){body{color:#f2f4f6;background:#15181c}summary{color:#a2a9b1}th,td{border-color:#2b3036}}
)css";

std::string alternative(const ChartData& data, const std::string& id) {
  const std::string title = data.plot.title.empty() ? "Line chart" : data.plot.title;
  return "<title id=\"" + id + "-title\">" + escape(title) + "</title>\n<desc id=\"" + id + "-text\">" + escape(describe_chart(data)) +
         "</desc>\n";
}

std::string role(const std::string& id) {
  return " role=\"img\" aria-labelledby=\"" + id + "-title\" aria-describedby=\"" + id + "-text\"";
}

std::string view(double width, double height) { return " viewBox=\"0 0 " + coordinate(width) + ' ' + coordinate(height) + '"'; }

std::string svg_file(const std::vector<ChartData>& charts) {
  std::string body;
  double height = 0;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const std::string id = "plot" + std::to_string(i + 1);
    const Picture picture = draw_chart(charts[i], {.width = kWideWidth, .titled = true});
    body += "<g transform=\"translate(0 " + coordinate(height) + ")\"" + role(id) + ">\n" + alternative(charts[i], id) + picture.elements +
            "</g>\n";
    height += picture.height;
  }
  const std::string size = " width=\"" + coordinate(kWideWidth) + "\" height=\"" + coordinate(height) + '"';
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"nk\"" + size + view(kWideWidth, height) + ">\n<style>\n" +
         std::string(chart_style()) + "</style>\n" + body + "</svg>\n";
}

std::string svg_in_page(const ChartData& data, const std::string& id, std::string_view kind, double width) {
  const Picture picture = draw_chart(data, {.width = width, .titled = false});
  return "<svg class=\"nk " + std::string(kind) + '"' + view(picture.width, picture.height) + role(id) + ">\n" + alternative(data, id) +
         picture.elements + "</svg>\n";
}

std::string cell(std::string_view tag, std::string_view attributes, std::string_view text) {
  std::string out = "<" + std::string(tag) + std::string(attributes) + ">";
  return out + escape(text) + "</" + std::string(tag) + ">";
}

bool same_x(const Plot& plot) {
  const auto equal = [](const auto& a, const auto& b) { return a.first == b.first; };
  return std::all_of(plot.series.begin(), plot.series.end(), [&](const PlotSeries& series) {
    const auto& first = plot.series.front().points;
    return std::equal(first.begin(), first.end(), series.points.begin(), series.points.end(), equal);
  });
}

std::string or_else(const std::string& name, const char* otherwise) { return name.empty() ? otherwise : name; }

/// A column for each series.
std::string wide_rows(const Plot& plot) {
  std::string out = "<tr>" + cell("th", " scope=\"col\"", or_else(plot.x, "x"));
  for (const PlotSeries& series : plot.series) {
    out += cell("th", " scope=\"col\"", series.name.empty() ? or_else(plot.y, "y") : series.name);
  }
  out += "</tr>\n";
  for (std::size_t i = 0; !plot.series.empty() && i < plot.series.front().points.size(); ++i) {
    out += "<tr>" + cell("th", " scope=\"row\"", table_number(plot.series.front().points[i].first));
    for (const PlotSeries& series : plot.series) out += cell("td", "", table_number(series.points[i].second));
    out += "</tr>\n";
  }
  return out;
}

/// A row for each point.
std::string long_rows(const Plot& plot) {
  std::string out = "<tr>" + cell("th", " scope=\"col\" class=\"name\"", "series") + cell("th", " scope=\"col\"", or_else(plot.x, "x")) +
                    cell("th", " scope=\"col\"", or_else(plot.y, "y")) + "</tr>\n";
  for (const PlotSeries& series : plot.series) {
    for (const auto& [x, y] : series.points) {
      out += "<tr>" + cell("th", " scope=\"row\" class=\"name\"", series.name) + cell("td", "", table_number(x)) +
             cell("td", "", table_number(y)) + "</tr>\n";
    }
  }
  return out;
}

std::string section(const ChartData& data, std::size_t number) {
  const std::string id = "plot" + std::to_string(number);
  std::string out = "<section>\n";
  if (!data.plot.title.empty()) out += cell("h1", "", data.plot.title) + "\n";
  out += svg_in_page(data, id, "wide", kWideWidth) + svg_in_page(data, id + "-narrow", "narrow", kNarrowWidth);
  return out + "<details>\n<summary>The data as a table</summary>\n<div class=\"scroll\">\n<table>\n" +
         (same_x(data.plot) ? wide_rows(data.plot) : long_rows(data.plot)) + "</table>\n</div>\n</details>\n</section>\n";
}

std::string html_page(const std::vector<ChartData>& charts) {
  std::string body;
  for (std::size_t i = 0; i < charts.size(); ++i) body += section(charts[i], i + 1);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n" +
         cell("title", "", or_else(charts.front().plot.title, "nearkin")) + "\n<style>\n" + std::string(kPageStyle) +
         std::string(chart_style()) + "</style>\n</head>\n<body>\n<main>\n" + body + "</main>\n</body>\n</html>\n";
}

}  // namespace

std::string plot_text(const std::vector<Plot>& plots, const std::string& path) {
  const bool svg = path.ends_with(".svg");
  if (!svg && !path.ends_with(".html")) {
    throw Error(ErrorCode::plan, "plot", quoted(path) + " ends neither in .svg nor in .html; the extension says which picture to write");
  }
  std::vector<ChartData> charts;
  for (const Plot& plot : plots) charts.push_back(chart_data(plot));
  if (charts.empty()) charts.emplace_back();
  return svg ? svg_file(charts) : html_page(charts);
}

}  // namespace nearkin
