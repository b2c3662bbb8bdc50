#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/query.h>
#include <nearkin/tools/plot.h>

#include "report/chart.h"
#include "report/svg.h"
#include "report/text.h"

namespace nearkin::plot_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// What is wrong with the tags and references of a text; empty when nothing is. `html` knows the elements that have no end.
std::string fault_of(std::string_view text, bool html) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&') {
      const std::string_view reference = text.substr(i, text.substr(i).find(';') + 1);
      if (reference != "&lt;" && reference != "&gt;" && reference != "&amp;" && reference != "&quot;" && reference != "&#39;") {
        return "reference " + std::string(text.substr(i, 10));
      }
    }
    if (text[i] != '<') continue;
    const std::size_t end = text.find('>', i);
    if (end == std::string_view::npos) return "a tag without an end";
    const std::string_view tag = text.substr(i + 1, end - i - 1);
    if (contains(tag, "<")) return "a < in " + std::string(tag);
    if (count(tag, "\"") % 2 != 0) return "quotes in " + std::string(tag);
    const std::string name(tag.substr(0, tag.find_first_of(" /", 1)));
    i = end;
    if (name == "!DOCTYPE" || (html && name == "meta") || tag.back() == '/') continue;
    if (name.front() != '/') {
      open.push_back(name);
    } else if (open.empty() || "/" + open.back() != name) {
      return name + " closes nothing";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back() + " is never closed";
}

Plot plot_of(std::vector<std::pair<double, double>> points) { return {"A title", "items", "recall", {{"one", std::move(points)}}}; }

std::vector<std::string> labels_of(const std::vector<double>& values, const AxisUse& use = {}) {
  std::vector<std::string> out;
  for (const Tick& tick : make_axis(values, use).ticks) out.push_back(tick.label);
  return out;
}

/// Expects a picture that is whole in both forms and has no coordinate that is not a number.
void expect_whole(const std::vector<Plot>& plots) {
  for (const bool html : {false, true}) {
    const std::string text = plot_text(plots, html ? "a.html" : "a.svg");
    EXPECT_EQ(fault_of(text, html), "");
    EXPECT_FALSE(contains(text, "nan") || contains(text, "inf\"") || contains(text, "inf ")) << text;
  }
}

TEST(Plot, ACurveHasItsFormulaItsMarksAndShadesThatMeetAtTheThreshold) {
  Plot plot{.title = "t", .x = "similarity", .y = "found", .series = {{"curve", {{0, 0}, {0.5, 0.2}, {1, 1}}}}};
  const std::string plain = draw_chart(chart_data(plot), {}).elements;
  EXPECT_FALSE(contains(plain, "missed") || contains(plain, "in-vain") || contains(plain, "class=\"border\""));
  plot.note = "found = s^2 < 1";
  plot.marks = {{0.4, "steepest"}, {0.5, "threshold 0.5"}};
  plot.wanted = 0.5;
  const std::string marked = draw_chart(chart_data(plot), {}).elements;
  EXPECT_TRUE(contains(marked, "found = s^2 &lt; 1</text>"));
  EXPECT_EQ(count(marked, "<path class=\"border\""), 2u);
  EXPECT_TRUE(contains(marked, "threshold 0.5</text>"));
  EXPECT_EQ(count(marked, "<path class=\"missed\""), 1u);
  EXPECT_EQ(count(marked, "<path class=\"in-vain\""), 1u);
  EXPECT_EQ(fault_of(marked, false), "");
}

/// The numbers after each `part` of a picture: "M" in front of coordinates, say.
std::vector<double> numbers_after(std::string_view text, std::string_view part) {
  std::vector<double> out;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    out.push_back(std::stod(std::string(text.substr(at + part.size(), 12))));
  }
  return out;
}

TEST(Plot, ShadesMeetExactlyAtABorderBetweenTwoPoints) {
  Plot plot{.title = "t", .x = "similarity", .y = "found", .series = {{"", {{0, 0}, {1, 1}}}}};
  plot.marks = {{0.25, "threshold"}};
  plot.wanted = 0.25;
  const std::string picture = draw_chart(chart_data(plot), {}).elements;
  const double line = numbers_after(picture, "class=\"border\" d=\"M").at(0);
  EXPECT_DOUBLE_EQ(numbers_after(picture, "class=\"missed\" d=\"M").at(0), line);
  const std::size_t outside = picture.find("class=\"in-vain\"");
  ASSERT_NE(outside, std::string::npos);
  const std::vector<double> corners = numbers_after(std::string_view(picture).substr(outside, picture.find('\n', outside) - outside), "L");
  EXPECT_DOUBLE_EQ(corners.back(), line);
  plot.wanted_below = true;
  EXPECT_DOUBLE_EQ(numbers_after(draw_chart(chart_data(plot), {}).elements, "class=\"in-vain\" d=\"M").at(0), line);
}

TEST(Plot, NamesOfMarksStandAboveTheFrameAndOverOneAnother) {
  Plot plot{.title = "t", .x = "x", .y = "y", .series = {{"", {{0, 0}, {1, 1}}}}};
  const double without = draw_chart(chart_data(plot), {}).height;
  plot.marks = {{0.5, "a first name"}, {0.52, "a second name"}, {0.9, "alone"}};
  const Picture drawn = draw_chart(chart_data(plot), {});
  EXPECT_DOUBLE_EQ(drawn.height, without + 36);  // two lines of names
  const std::size_t grid = drawn.elements.find("d=\"", drawn.elements.find("class=\"grid\""));
  double top = 1e9;
  for (const double y : numbers_after(drawn.elements.substr(grid, drawn.elements.find('\n', grid) - grid), " ")) top = std::min(top, y);
  std::vector<double> heights;
  for (const char* name : {">a first name<", ">a second name<", ">alone<"}) {
    const std::size_t at = drawn.elements.rfind("y=\"", drawn.elements.find(name));
    heights.push_back(std::stod(drawn.elements.substr(at + 3, 8)));
    EXPECT_LT(heights.back(), top) << name;
  }
  EXPECT_DOUBLE_EQ(heights[0], heights[2]);
  EXPECT_LT(heights[1], heights[0]);
}

TEST(Plot, TheAxesOfPlotsBelowOneAnotherStandInLine) {
  const Plot narrow = plot_of({{1, 0.1}, {2, 0.9}}), wide = plot_of({{1, 100000}, {2, 900001}});
  EXPECT_NE(edges_of({chart_data(narrow)}, 720).left, edges_of({chart_data(wide)}, 720).left);
  const std::vector<double> begins = numbers_after(plot_text({narrow, wide}, "a.svg"), "class=\"axis\" d=\"M");
  ASSERT_EQ(begins.size(), 2u);
  EXPECT_DOUBLE_EQ(begins[0], begins[1]);
  const std::vector<double> pages = numbers_after(plot_text({narrow, wide}, "a.html"), "class=\"axis\" d=\"M");
  ASSERT_EQ(pages.size(), 4u);  // for screens and phones
  EXPECT_DOUBLE_EQ(pages[0], pages[2]);
  EXPECT_DOUBLE_EQ(pages[1], pages[3]);
}

TEST(Plot, NoLineOfAMarkRunsThroughTheNameOfAnother) {
  // At the width of a phone, names are as wide as the distances of their lines, and wider.
  Plot plot{.title = "t", .x = "x", .y = "y", .series = {{"", {{0, 0}, {1, 1}}}}};
  const std::vector<std::vector<PlotMark>> cases = {
      {{0.5, "threshold 0.5"}, {0.5493, "20x5 steepest at 0.5493"}, {0.8551, "50x25 steepest at 0.8551"}},
      {{0.5, "threshold 0.5"}, {0.5493, "steepest at 0.5493"}},
      {{0.3819, "steepest at 0.3819"}, {0.5, "threshold 0.5"}},
      {{0.93, "steepest at 0.93"}, {0.97, "threshold 0.97"}},
      {{0.1, "steepest at 0.1"}, {0.9, "threshold 0.9"}}};
  for (const std::vector<PlotMark>& marks : cases) {
    plot.marks = marks;
    for (const double width : {380.0, 720.0}) {
      const std::string drawn = draw_chart(chart_data(plot), {.width = width}).elements;
      const std::vector<double> lines = numbers_after(drawn, "class=\"border\" d=\"M");
      for (std::size_t i = 0; i < marks.size(); ++i) {
        const std::size_t name = drawn.find(">" + marks[i].name + "<"), begin = drawn.rfind("<text", name);
        const double middle = numbers_after(drawn.substr(begin, name - begin), " x=\"").at(0),
                     half = text_width(marks[i].name, kFontSize) / 2;
        const double base = numbers_after(drawn.substr(begin, name - begin), " y=\"").at(0);
        EXPECT_TRUE(middle - half > 0 && middle + half < width) << marks[i].name;
        for (std::size_t j = 0; j < marks.size(); ++j) {
          const std::size_t line = drawn.find("M" + coordinate(lines[j]) + " ", drawn.find("class=\"border\""));
          const double top = numbers_after(drawn.substr(line, drawn.find("V", line) - line), " ").back();
          const bool through = i != j && top < base - 4 && std::abs(lines[j] - middle) <= half;
          EXPECT_FALSE(through) << marks[j].name << " through " << marks[i].name;
        }
      }
    }
  }
}

TEST(Plot, EachOfSeveralCurvesHasItsShades) {
  Plot plot{.title = "t", .x = "similarity", .y = "found", .series = {{"a", {{0, 0}, {1, 1}}}, {"b", {{0, 0}, {0.5, 0.1}, {1, 1}}}}};
  plot.wanted = 0.25;
  const std::string drawn = draw_chart(chart_data(plot), {}).elements;
  EXPECT_EQ(count(drawn, "<path class=\"missed\""), 2u);
  EXPECT_EQ(count(drawn, "<path class=\"in-vain\""), 2u);
}

TEST(Plot, AnSvgFileIsNoWiderThanTheWindow) {
  EXPECT_TRUE(contains(plot_text({plot_of({{1, 1}, {2, 2}})}, "a.svg"), "svg.nk{max-width:100%;height:auto}"));
}

TEST(Plot, TheDescriptionNamesTheMarks) {
  Plot plot = plot_of({{0, 0}, {1, 1}});
  plot.marks = {{0.5, "threshold 0.5"}};
  EXPECT_TRUE(contains(describe_chart(chart_data(plot)), " A line marks: threshold 0.5."));
}

TEST(Plot, TheDescriptionBeginsWithTheNote) {
  Plot plot = plot_of({{0, 0}, {1, 1}});
  plot.note = "docs.jsonl: 20 items, --rows 12";
  EXPECT_TRUE(describe_chart(chart_data(plot)).starts_with("docs.jsonl: 20 items, --rows 12. Line chart: "));
}

TEST(Plot, AnAxisIsLogarithmicOnRequestIfItsValuesAreApart) {
  const auto is_logarithmic = [](Plot plot, bool asked) {
    plot.logarithmic = asked;
    const bool said = contains(describe_chart(chart_data(plot)), "recall (logarithmic scale)");
    EXPECT_EQ(contains(draw_chart(chart_data(plot), {}).elements, "recall (logarithmic scale)"), said);
    expect_whole({plot});
    return said;
  };
  EXPECT_TRUE(is_logarithmic(plot_of({{0.5, 30}, {0.7, 60}, {0.9, 900}}), true));
  EXPECT_FALSE(is_logarithmic(plot_of({{0.5, 30}, {0.7, 60}, {0.9, 900}}), false));
  EXPECT_TRUE(is_logarithmic(plot_of({{0.5, 30}, {0.9, 60}}), true));
  EXPECT_FALSE(is_logarithmic(plot_of({{0.5, 50}, {0.9, 50}}), true));
  EXPECT_FALSE(is_logarithmic(plot_of({{0.5, 0}, {0.9, 50}}), true));
}

TEST(Plot, OfManyPointsThoseThatAreNamedAreMarked) {
  PlotSeries many{"one", {}};
  for (int i = 0; i <= 100; ++i) many.points.emplace_back(i / 100.0, i / 100.0);
  Plot plot{"t", "x", "y", {many}};
  EXPECT_FALSE(contains(draw_chart(chart_data(plot), {}).elements, "class=\"mark"));
  plot.series[0].marked = {0, 50, 100};
  const std::string drawn = draw_chart(chart_data(plot), {}).elements;
  const std::size_t begin = drawn.rfind("class=\"mark");
  ASSERT_NE(begin, std::string::npos);
  EXPECT_EQ(count(drawn.substr(begin, drawn.find("/>", begin) - begin), "M"), 3u);
}

TEST(Plot, AComputedCurveHasNoPointsAndIsToldFromAnotherByItsDashes) {
  PlotSeries many{"one", {}};
  for (int i = 0; i <= 100; ++i) many.points.emplace_back(i / 100.0, i / 100.0);
  Plot plot{.title = "t", .x = "x", .y = "y", .series = {many}};
  EXPECT_EQ(count(draw_chart(chart_data(plot), {}).elements, "class=\"mark"), 0u);
  plot.series.push_back({"other", {{0, 1}, {1, 0}}});
  EXPECT_EQ(count(draw_chart(chart_data(plot), {}).elements, "class=\"mark"), 2u);  // the other's, and the legend's of it
  plot.series.push_back(many);
  EXPECT_EQ(count(draw_chart(chart_data(plot), {}).elements, " d2\""), 2u);
}

TEST(Plot, BarsHaveAnAxisAtTheLeftAndSharesOneAtTheRight) {
  ChartData data{.plot = {"", "similarity", "found", {{"", {{0, 0}, {1, 1}}}}}};
  data.percent = true;
  data.bars = {{.low = 0, .high = 0.5, .count = 1000}, {.low = 0.5, .high = 1, .count = 3, .wanted = true, .rough = true}};
  data.bars_title = "pairs";
  data.range = std::pair(0.0, 1.0);
  data.promise = ChartPromise{0.9, 0.5, 1};
  data.dot = ChartDot{0.6, 0.6, "this pair"};
  const std::string picture = draw_chart(data, {.width = 720, .titled = false}).elements;
  EXPECT_EQ(fault_of(picture, false), "");
  EXPECT_TRUE(contains(picture, ">pairs (logarithmic scale)</text>"));
  EXPECT_TRUE(contains(picture, ">100\u00A0%</text>"));
  EXPECT_TRUE(contains(picture, "<rect class=\"bar\"") && contains(picture, "<rect class=\"bar in few\""));
  EXPECT_TRUE(contains(picture, "<path class=\"promise\"") && contains(picture, ">this pair<"));
  const auto name_below_dot = [&](double y) {
    data.dot->y = y;
    const std::string drawn = draw_chart(data, {.width = 720, .titled = false}).elements;
    const auto number_before = [&](const std::string& mark, const std::string& name) {
      return std::stod(drawn.substr(drawn.rfind(name, drawn.find(mark)) + name.size()));
    };
    return number_before(">this pair<", " y=\"") - number_before("\" r=\"5.5\"", "cy=\"");
  };
  EXPECT_GT(name_below_dot(0.6), 0);
  EXPECT_LT(name_below_dot(0), 0) << "it would lie on the axis";
  data.plot.series.clear();
  EXPECT_FALSE(contains(draw_chart(data, {.width = 720, .titled = false}).elements, "100\u00A0%"));
}

TEST(Plot, FewMeasuredPlacesAreTheTicks) {
  const Plot few{.title = "t", .x = "rows", .y = "recall", .series = {{"a", {{3, 0.1}, {7, 0.5}, {12, 0.9}}}}};
  const std::string picture = draw_chart(chart_data(few), {}).elements;
  for (const char* tick : {">3</text>", ">7</text>", ">12</text>"}) EXPECT_TRUE(contains(picture, tick)) << tick;
  EXPECT_FALSE(contains(picture, ">8</text>"));
  const Plot odd{.title = "t", .x = "recall", .y = "cost", .series = {{"", {{0.81234, 1}, {0.9, 5}, {0.95, 9}}}}};
  EXPECT_FALSE(contains(draw_chart(chart_data(odd), {}).elements, "0.81234"));  // hard to read; round numbers instead
}

TEST(Plot, TheExtensionChoosesThePicture) {
  const std::vector<Plot> plots{plot_of({{1, 2}, {2, 3}})};
  EXPECT_TRUE(plot_text(plots, "curve.svg").starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(plot_text(plots, "out/curve.html").starts_with("<!DOCTYPE html>"));
  for (const char* path : {"curve.png", "svg", "", "curve.svg.gz"}) {
    try {
      plot_text(plots, path);
      FAIL() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::plan);
      EXPECT_EQ(error.subject(), "plot");
    }
  }
}

TEST(Plot, TheTextIsWellFormedWhateverTheData) {
  expect_whole({});
  expect_whole({Plot{}});
  expect_whole({plot_of({}), plot_of({{3, 4}}), plot_of({{1, 5}, {2, 5}, {3, 5}}), plot_of({{0, 0}}), plot_of({{-3, -2}, {-1, -7}})});
  expect_whole({plot_of({{1e-320, 1e-310}, {2e-320, 3}}), plot_of({{-1e300, 1e300}, {1e300, -1e300}})});
  expect_whole({plot_of({{1e16, 1}, {1e16 + 4, 2}})});
  expect_whole({plot_of({{1, 1}, {1e300, 1e-300}}), plot_of({{kNaN, 1}, {1, kNaN}, {kInfinity, 1}, {1, -kInfinity}})});
  std::vector<PlotSeries> many;
  for (int i = 0; i < 100; ++i) many.push_back({"series " + std::to_string(i), {{0, i}, {1, i * i}}});
  expect_whole({{"many", "x", "y", many}});
}

TEST(Plot, NamesAreEscapedAndMadeValid) {
  const std::string odd = "<b>&\"it's\"\x01\xff\n]]>";
  const Plot plot{odd, odd, odd, {{odd, {{1, 2}, {2, 3}}}, {"other", {{1, 1}}}}};
  expect_whole({plot});
  const std::string page = plot_text({plot}, "a.html");
  EXPECT_FALSE(contains(page, "<b>"));
  EXPECT_TRUE(contains(page, "&lt;b&gt;&amp;&quot;it&#39;s&quot;\uFFFD\uFFFD ]]&gt;"));
}

TEST(Plot, LongNamesAreShortenedInThePictureAndWholeInTheDescription) {
  const std::string name(300, 'w');
  const std::string text = plot_text({{std::string(900, 'm'), name, name, {{name, {{1, 2}}}, {name, {{1, 2}, {2, 9}}}}}}, "a.svg");
  EXPECT_EQ(fault_of(text, false), "");
  EXPECT_TRUE(contains(text, name));  // in <desc>
  for (std::size_t at = text.find("<text"); at != std::string::npos; at = text.find("<text", at + 1)) {
    const std::size_t begin = text.find('>', at) + 1;
    EXPECT_LE(text_width(text.substr(begin, text.find('<', begin) - begin), 12), 720.0);
  }
}

TEST(Plot, PointsThatAreNotFiniteAreLeftOutAndCounted) {
  const std::string text = plot_text({plot_of({{1, 2}, {2, kNaN}, {3, 4}, {kInfinity, 5}})}, "a.svg");
  EXPECT_TRUE(contains(text, "2 points without a finite value left out"));
  EXPECT_TRUE(contains(text, "one: 2 points, items 1 to 3, recall 2 to 4."));
  EXPECT_FALSE(contains(plot_text({plot_of({{1, 2}})}, "a.svg"), "left out"));
}

TEST(Plot, OnePointIsAMarkAndNoPointsAreSaid) {
  const std::string one = plot_text({plot_of({{3, 4}})}, "a.svg");
  EXPECT_EQ(count(one, "class=\"line c0\""), 1U);  // the legend's
  EXPECT_EQ(count(one, "class=\"mark c0\""), 2U);
  EXPECT_TRUE(contains(plot_text({plot_of({})}, "a.svg"), ">no data<"));
  EXPECT_FALSE(contains(one, ">no data<"));
}

TEST(Plot, EveryPictureHasATextAlternativeAndBothThemes) {
  const std::vector<Plot> plots{plot_of({{1, 2}, {2, 3}}), plot_of({{1, 2}})};
  const std::string svg = plot_text(plots, "a.svg"), page = plot_text(plots, "a.html");
  EXPECT_EQ(count(svg, "role=\"img\" aria-labelledby=\"plot"), 2U);
  EXPECT_EQ(count(svg, "<desc id="), 2U);
  EXPECT_EQ(count(page, "role=\"img\""), 4U);  // for screens and for phones
  EXPECT_EQ(count(page, "<details>"), 2U);
  EXPECT_TRUE(contains(svg, "prefers-color-scheme:dark"));
  EXPECT_TRUE(contains(page, "prefers-color-scheme:dark"));
  EXPECT_EQ(count(page, "http"), 1U);  // http-equiv: nothing is fetched
}

TEST(Plot, TheTableHasAColumnForEachSeriesWhereTheyShareX) {
  const Plot shared{"t", "x", "y", {{"a", {{1, 0.25}, {2, 1234567}}}, {"b", {{1, 3}, {2, 1.0 / 3}}}}};
  const std::string page = plot_text({shared}, "a.html");
  EXPECT_TRUE(contains(page, "<tr><th scope=\"row\">1</th><td>0.25</td><td>3</td></tr>"));
  EXPECT_TRUE(contains(page, "<tr><th scope=\"row\">2</th><td>1234567</td><td>0.333333</td></tr>"));
  Plot apart = shared;
  apart.series[1].points[1].first = 7;
  EXPECT_TRUE(contains(plot_text({apart}, "a.html"), "<th scope=\"row\" class=\"name\">b</th><td>7</td><td>0.333333</td>"));
}

TEST(Plot, ALogarithmicAxisSaysSo) {
  const Plot wide = plot_of({{1, 0.1}, {101, 0.2}}), narrow = plot_of({{1, 0.1}, {100, 0.2}}), zero = plot_of({{0, 0.1}, {1000, 0.2}});
  EXPECT_EQ(count(plot_text({wide}, "a.svg"), ">items (logarithmic scale)<"), 1U);
  EXPECT_FALSE(contains(plot_text({narrow}, "a.svg"), "logarithmic"));
  EXPECT_FALSE(contains(plot_text({zero}, "a.svg"), "logarithmic"));
}

TEST(Axis, TicksAreRoundNumbersWithinTheAxis) {
  EXPECT_EQ(labels_of({0, 1}, {.most_ticks = 7, .from_tick_to_tick = true}),
            (std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels_of({-3, 4}, {.most_ticks = 6, .from_tick_to_tick = true}),
            (std::vector<std::string>{"\u22124", "\u22122", "0", "2", "4"}));
  EXPECT_EQ(labels_of({3, 4, 5}, {.most_ticks = 9}), (std::vector<std::string>{"3", "4", "5"}));
  EXPECT_EQ(labels_of({0, 20000}, {.most_ticks = 5}), (std::vector<std::string>{"0", "5,000", "10,000", "15,000", "20,000"}));
  EXPECT_EQ(labels_of({0, 2000}, {.most_ticks = 5}), (std::vector<std::string>{"0", "500", "1000", "1500", "2000"}));
  EXPECT_EQ(labels_of({0, 1.5e6}, {.most_ticks = 4}), (std::vector<std::string>{"0", "500k", "1M", "1.5M"}));
  EXPECT_EQ(labels_of({0, 3e-5}, {.most_ticks = 4}),
            (std::vector<std::string>{"0", "10\u207B\u2075", "2\u00D710\u207B\u2075", "3\u00D710\u207B\u2075"}));
  EXPECT_EQ(labels_of({1000000, 1000002}, {.most_ticks = 3}), (std::vector<std::string>{"1,000,000", "1,000,001", "1,000,002"}));
}

TEST(Axis, LogarithmicTicksAreOneTwoFiveOrPowersOfTen) {
  EXPECT_EQ(labels_of({1, 500}, {.most_ticks = 9}), (std::vector<std::string>{"1", "2", "5", "10", "20", "50", "100", "200", "500"}));
  EXPECT_EQ(labels_of({3, 4.5e6}, {.most_ticks = 8}), (std::vector<std::string>{"10", "100", "1k", "10k", "100k", "1M"}));
  EXPECT_EQ(labels_of({1e-6, 1}, {.most_ticks = 4}), (std::vector<std::string>{"10\u207B\u2076", "10\u207B\u2074", "0.01", "1"}));
}

TEST(Axis, EveryValueHasItsPlaceAndNoMoreTicksThanAllowed) {
  const std::vector<std::vector<double>> cases{{0},           {5},       {-5},       {0.8, 0.8},       {1, 2, 3},
                                               {0.95, 0.999}, {7, 1e9},  {1e-9, 3},  {123456, 123457}, {1e-290, 1e290},
                                               {-0.003, 12},  {99, 101}, {0.1, 0.3}, {1e15, 3e15},     {-1e300, 1e300}};
  for (const std::vector<double>& values : cases) {
    for (const bool from_tick_to_tick : {false, true}) {
      for (std::size_t most = 2; most < 12; ++most) {
        const Axis axis = make_axis(values, {.most_ticks = most, .from_tick_to_tick = from_tick_to_tick});
        ASSERT_FALSE(axis.ticks.empty()) << values.front();
        EXPECT_LE(axis.ticks.size(), most + (most == 2 ? 1 : 0)) << values.front() << ' ' << values.back();
        for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
          const double place = axis.place(axis.ticks[i].value);
          EXPECT_TRUE(place >= -1e-6 && place <= 1 + 1e-6) << axis.ticks[i].label;
          if (i > 0) {
            EXPECT_NE(axis.ticks[i].label, axis.ticks[i - 1].label);
          }
        }
        for (const double value : values) EXPECT_TRUE(axis.place(value) >= -1e-9 && axis.place(value) <= 1 + 1e-9) << value;
      }
    }
  }
}

TEST(Axis, PlacesAreInProportionToTheValueOrItsLogarithm) {
  const std::vector<double> shares{0, 1}, powers{1, 10000};
  EXPECT_DOUBLE_EQ(make_axis(shares, {}).place(0.25), 0.25);
  EXPECT_NEAR(make_axis(powers, {}).place(100), 0.5, 1e-12);
}

TEST(Labels, StandWhereNothingElseIs) {
  const Curve high{"high", {{0, 50}, {100, 10}}}, low{"low", {{0, 60}, {100, 90}}};
  const Box room{0, 0, 200, 100};
  ASSERT_EQ(place_labels({high, low}, room, 12).size(), 2U);
  EXPECT_GT(place_labels({high, low}, room, 12)[0].x, 100);
  const Curve same{"same", {{0, 20}, {100, 10}}};
  EXPECT_EQ(place_labels({high, same}, room, 12).size(), 0U);  // both end there: a name would say nothing
  const Curve across{"", {{0, 10}, {200, 11}}};
  EXPECT_EQ(place_labels({high, across}, room, 12).size(), 0U);
  EXPECT_EQ(place_labels({high, low}, {0, 0, 110, 100}, 12).size(), 0U);
}

TEST(Text, CoordinatesHaveAtMostTwoDecimals) {
  EXPECT_EQ(coordinate(1), "1");
  EXPECT_EQ(coordinate(-0.004), "0");
  EXPECT_EQ(coordinate(-12.5), "-12.5");
  EXPECT_EQ(coordinate(3.14159), "3.14");
  EXPECT_EQ(coordinate(0.05), "0.05");
}

TEST(Text, WrapKeepsEveryWordUntilTheLastLine) {
  EXPECT_EQ(wrap("one two three", 10, 60, 5), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("", 10, 60, 5), std::vector<std::string>{});
  EXPECT_EQ(wrap("one two three four five", 10, 60, 2).back().substr(0, 5), "three");
  EXPECT_TRUE(wrap("one two three four five", 10, 60, 2).back().ends_with("\u2026"));
  EXPECT_EQ(wrap(std::string(50, 'a'), 10, 64, 9).size(), 5U);
  EXPECT_EQ(wrap("ab", 10, 1, 9), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace nearkin::plot_test
