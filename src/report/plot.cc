#include <string>
#include <string_view>
#include <vector>

#include <nearkin/error.h>
#include <nearkin/query.h>
#include <nearkin/tools/plot.h>

#include "base/in_quotes.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/plot_section.h"
#include "report/text.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

constexpr double kWidth = 720;  // of the pictures in an SVG file

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
    const Picture picture = draw_chart(charts[i], {.width = kWidth, .titled = true});
    body += "<g transform=\"translate(0 " + coordinate(height) + ")\"" + role(id) + ">\n" + alternative(charts[i], id) + picture.elements +
            "</g>\n";
    height += picture.height;
  }
  const std::string size = " width=\"" + coordinate(kWidth) + "\" height=\"" + coordinate(height) + '"';
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"nk\"" + size + view(kWidth, height) + ">\n<style>\n" +
         std::string(chart_style()) + "</style>\n" + body + "</svg>\n";
}

std::string html_page(const std::vector<ChartData>& charts) {
  std::string body;
  for (std::size_t i = 0; i < charts.size(); ++i) body += page::plot_section(charts[i], "plot" + std::to_string(i + 1), "h1");
  const std::string& title = charts.front().plot.title;
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n" +
         page::element_of("title", title.empty() ? "nearkin" : escape(title)) + "\n<style>\n" + std::string(kPageStyle) +
         std::string(chart_style()) + "</style>\n</head>\n<body>\n<main>\n" + body + "</main>\n</body>\n</html>\n";
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
