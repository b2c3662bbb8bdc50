#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>
#include <nearkin/tools/theory.h>

#include "report/curve_chart.h"
#include "report/report_support.h"
#include "report/words.h"

namespace nearkin::curve_test {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

Report report_of(const Plan& plan) {
  Report report{.command = "pairs", .inputs = {"a.jsonl"}, .plan = plan, .stats = stats_of_run()};
  report.stats->audit.reset();
  if (plan.exact_join()) report.stats->recall = Recall{};
  return report;
}

TEST(ReportCurve, BarsMeetAtTheThresholdAndHoldAllPairs) {
  const DataSample sample = sample_of_sets();
  const page::CurveData data = page::curve_data(jaccard_plan(), &sample);
  double all = 0, bars = 0;
  for (const PairsAt& pairs : sample.pairs) all += pairs.pairs;
  for (const page::HistogramBar& bar : data.bars) {
    bars += bar.pairs;
    EXPECT_FALSE(bar.low < 0.8 - 1e-9 && bar.high > 0.8 + 1e-9) << bar.low;
  }
  EXPECT_DOUBLE_EQ(bars, all);
  EXPECT_NEAR(data.bars.back().low, 1, 1e-9);  // equal items have a bar of their own
}

TEST(ReportCurve, DistancesAreShownToFourRadiiAndTheOthersCounted) {
  DataSample sample{.items = 100, .dimensions = 8};
  for (int i = 1; i <= 99; ++i) sample.values.push_back(i / 3.0);  // 0.33 … 33
  const Plan plan = plan_of("euclidean<=2 recall=0.95 features=numbers sketch=gaussian:300 width=6 bands=30x10");
  const page::CurveData data = page::curve_data(plan, &sample);
  double bars = 0, within = 0;
  for (const page::HistogramBar& bar : data.bars) {
    bars += bar.pairs;
    if (bar.high <= 2 + 1e-9) within += bar.pairs;
  }
  EXPECT_DOUBLE_EQ(bars, 24 * 50.0);  // up to 8, each of the 99 standing for 50 of the 4950 pairs
  EXPECT_DOUBLE_EQ(data.farther, 75 * 50.0);
  EXPECT_DOUBLE_EQ(within, 6 * 50.0);
  EXPECT_DOUBLE_EQ(data.farther_found, page::found_at(plan, &sample, data.high));
}

TEST(ReportCurve, DistancesAreShownAsFarAsThePlanLooks) {
  DataSample sample{.items = 100, .dimensions = 8, .values = {0.5, 30, 60}};
  const Plan plan = plan_of("euclidean<=2 recall=0.95 features=numbers sketch=gaussian:60 width=6 bands=30x2");
  const page::CurveData data = page::curve_data(plan, &sample);
  EXPECT_GT(data.high, 4 * plan.radius);
  EXPECT_TRUE(data.high >= 60 || page::found_at(plan, &sample, data.high) < 0.01) << data.high;
}

TEST(ReportCurve, ThePageShadesBothErrorsAndMarksTheSteepestPoint) {
  const std::string page = report_html(dedup_report());
  EXPECT_TRUE(contains(page, "class=\"missed\" d=\"M"));
  EXPECT_TRUE(contains(page, "class=\"in-vain\" d=\"M"));
  EXPECT_TRUE(contains(page, "steepest at 0."));
  EXPECT_TRUE(contains(page, "false negatives: pairs at or above the threshold that are missed"));
  EXPECT_TRUE(contains(page, "false positives: pairs below the threshold that become candidates"));
  EXPECT_TRUE(contains(page, "Another line marks where the curve rises most steeply, at 0."));
  EXPECT_TRUE(contains(page, ">Missed (false negatives)</th>"));
  EXPECT_TRUE(contains(page, ">Compared in vain (false positives)</th>"));
}

TEST(ReportCurve, TheSteepestPointOfAShareIsInPlaces) {
  const Plan plan = plan_of("hamming<=0.25 recall=0.95 features=bits sketch=bit-sampling:96 dimensions=64 bands=12x8");
  EXPECT_NEAR(page::curve_data(plan, nullptr).steepest.value(), 64 * steepest_point(plan).value(), 1e-9);
}

TEST(ReportCurve, PairsThatWereAllCountedAreNoEstimate) {
  Report report = dedup_report();
  EXPECT_TRUE(contains(report_html(report), "<rect class=\"bar few\""));
  EXPECT_FALSE(page::curve_data(*report.plan, &*report.sample).counted);
  for (PairsAt& pairs : report.sample->pairs) pairs.pairs = static_cast<double>(pairs.seen);
  EXPECT_FALSE(page::curve_data(*report.plan, &*report.sample).counted) << "a pair may have been seen twice, and another never";
  report.sample->complete = true;
  EXPECT_TRUE(page::curve_data(*report.plan, &*report.sample).counted);
  const std::string page = report_html(report);
  EXPECT_FALSE(contains(page, "<rect class=\"bar few\""));
  EXPECT_TRUE(contains(page, "They are exact: all of these pairs were compared to draw them"));
}

TEST(ReportCurve, WhereAllPairsAreKnownThePageSaysWhatTheRunMissed) {
  Report report = dedup_report();
  report.sample->complete = true;
  report.expected->similar = 61'300;
  EXPECT_TRUE(contains(report_html(report),
                       "There are 61,300 pairs with a Jaccard similarity of 0.8 or more, and the run found 61,204 of them (99.8"));
  EXPECT_TRUE(contains(report_html(report), "found 61,204 of the 61,300 pairs with a Jaccard similarity of 0.8 or more"));
  report.expected->similar = 61'204;
  const std::string complete = report_html(report);
  EXPECT_TRUE(contains(complete, "found all 61,204 pairs with a Jaccard similarity of 0.8 or more"));
  EXPECT_TRUE(contains(complete, "<dt>recall</dt><dd>100\u00A0%</dd>")) << "no estimate of what is known";
  EXPECT_TRUE(contains(complete, "was reached."));
  EXPECT_TRUE(contains(complete, "so the recall is exact: 100\u00A0%"));
  EXPECT_TRUE(contains(report_html(dedup_report()), "recall (estimated)"));
  EXPECT_FALSE(contains(complete, "recall (estimated)"));
  report.expected->similar = 61'300;
  report.plan->threshold = Ratio{805, 1000};
  EXPECT_FALSE(contains(report_html(report), "it shows exactly what the run missed")) << "a bar lies on both sides of the threshold";
  report.plan->threshold = Ratio{8, 10};
  report.stats->every_pair = false;
  EXPECT_FALSE(contains(report_html(report), "it shows exactly what the run missed")) << "the run did not look for every pair";
}

TEST(ReportCurve, AFewPairsOfTheSampleMakeRoughFigures) {
  Report report = dedup_report();
  report.sample->pairs.push_back({0.85, 7020, 30});
  EXPECT_FALSE(contains(report_html(report), "This is rough"));
  std::erase_if(report.sample->pairs, [](const PairsAt& pairs) { return pairs.at >= 0.8 && pairs.at < 1; });
  report.sample->pairs.push_back({0.9, 702, 3});
  EXPECT_TRUE(contains(report_html(report), "This is rough: such pairs were seen only 3 times in the sample."));
}

TEST(ReportCurve, ASampleWithoutASimilarPairPromisesNothingOfThem) {
  Report report = dedup_report();
  report.expected = Expectation{};
  const std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "The sample has no pair with a Jaccard similarity of 0.8 or more."));
  EXPECT_FALSE(contains(page, "the plan misses"));
}

TEST(ReportCurve, WholeDistancesAreLabelledAndFoundAsTheyAre) {
  DataSample sample{
      .items = 50, .dimensions = 256, .pairs = {{0, 4, 4}, {1, 20, 20}, {2, 30, 30}, {16, 10, 10}, {17, 9, 9}}, .complete = true};
  Report report = report_of(plan_of("hamming<=16 recall=0.95 features=bits sketch=bit-sampling:300 dimensions=256 bands=20x15"));
  report.sample = sample;
  const page::CurveData data = page::curve_data(*report.plan, &sample);
  ASSERT_EQ(data.bars.size(), 5u);
  const std::vector<std::string> labels{"0", "1", "2", "16", "17"};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_EQ(page::label_of(data, data.bars[i]), labels[i]);
    EXPECT_EQ(data.bars[i].mean, sample.pairs[i].at);
  }
  const std::string found = page::percent_text(found_probability(*report.plan, 16));
  EXPECT_TRUE(contains(report_html(report), "<th scope=\"row\">16</th><td>10</td><td>" + found + "</td>"));
}

double number_behind(const std::string& text, std::string_view name) {
  const std::size_t at = text.find(name);
  return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size()));
}

TEST(ReportCurve, TheBarOfAWholeDistanceStandsAroundIt) {
  DataSample sample{.items = 100, .dimensions = 64};
  sample.pairs = {{5, 90, 90}, {20, 900, 900}};
  const Plan plan = plan_of("hamming<=5 recall=0.95 features=bits sketch=bit-sampling:300 dimensions=64 bands=20x15");
  const std::string drawn = page::draw_curve(page::curve_data(plan, &sample), {.value = "distance", .border = "radius 5"}, 720).elements;
  const std::string bar = drawn.substr(drawn.find("class=\"bar in"));
  const double middle = number_behind(bar, " x=\"") + number_behind(bar, " width=\"") / 2;
  EXPECT_NEAR(middle, number_behind(drawn, "class=\"border\" d=\"M"), 1);
}

TEST(ReportCurve, AStepGoesByTheMeanOfItsValues) {
  DataSample sample{.items = 50, .pairs = {{0.5, 10, 1}, {0.7999, 10, 1}, {0.8, 10, 1}, {0.8001, 30, 1}, {0.9999999, 10, 1}, {1, 10, 1}}};
  const page::CurveData data = page::curve_data(jaccard_plan(), &sample);
  ASSERT_EQ(data.bars.size(), 5u);
  const std::vector<std::string> labels{"0.5 to 0.51", "0.79 to 0.8", "0.8 to 0.81", "0.99 to 1", "1"};
  for (std::size_t i = 0; i < labels.size(); ++i) EXPECT_EQ(page::label_of(data, data.bars[i]), labels[i]);
  EXPECT_NEAR(data.bars[2].mean, 0.800075, 1e-12);
  DataSample distances{.items = 50, .pairs = {{0, 10, 1}, {1.95, 10, 1}, {2, 10, 1}, {2.01, 10, 1}}};
  const page::CurveData far =
      page::curve_data(plan_of("euclidean<=2 recall=0.95 features=numbers sketch=gaussian:300 width=6 bands=30x10"), &distances);
  ASSERT_EQ(far.bars.size(), 3u);
  EXPECT_EQ(page::label_of(far, far.bars[0]), "0");
  EXPECT_EQ(page::label_of(far, far.bars[1]), "1.9 to 2");
  EXPECT_EQ(page::label_of(far, far.bars[2]), "2 to 2.1");
}

TEST(ReportCurve, AHammingRadiusThatIsAShareIsDrawnInPlaces) {
  DataSample sample{.items = 50, .dimensions = 256};
  for (int i = 1; i <= 200; ++i) sample.values.push_back(i);
  const Plan plan = plan_of("hamming<=0.05 recall=0.95 features=bits sketch=bit-sampling:300 bands=20x15");
  EXPECT_DOUBLE_EQ(page::shown_border(plan, &sample), 12.8);
  EXPECT_DOUBLE_EQ(page::found_at(plan, &sample, 12.8), found_probability(plan, 0.05));
  const page::CurveData data = page::curve_data(plan, &sample);
  ASSERT_FALSE(data.curve.empty());
  for (const auto& [x, found] : data.curve) {
    EXPECT_EQ(x, std::floor(x));
    EXPECT_TRUE(found >= 0 && found <= 1);
  }
}

TEST(ReportWords, SharesAreCutSoThatNothingReadsAsMoreThanItIs) {
  EXPECT_EQ(page::percent_text(0), "0\u00A0%");
  EXPECT_EQ(page::percent_text(1), "100\u00A0%");
  EXPECT_EQ(page::percent_text(0.95), "95\u00A0%");
  EXPECT_EQ(page::percent_text(0.9499), "94.9\u00A0%");
  EXPECT_EQ(page::percent_text(0.9996), "99.96\u00A0%");
  EXPECT_EQ(page::percent_text(0.9999999), "99.999\u00A0%");
  EXPECT_EQ(page::percent_text(0.000123), "0.012\u00A0%");
}

TEST(ReportWords, MeasuredRecallsAreRoundedButNeverToAll) {
  EXPECT_EQ(page::recall_text({0.9871, 0.9834, 0.99}), "98.7\u00A0% (95\u00A0% interval 98.3 to 99.0\u00A0%)");
  EXPECT_EQ(page::recall_text({0.99647, 0.958, 1}), "99.6\u00A0% (95\u00A0% interval 95.8 to 100\u00A0%)");
  EXPECT_EQ(page::recall_text({0.99996, 0.9, 1}), "99.996\u00A0% (95\u00A0% interval 90.0 to 100\u00A0%)");
  EXPECT_EQ(page::recall_text({1, 1, 1}), "100\u00A0%");
}

TEST(ReportWords, ExpectedNumbersHaveThreeDigits) {
  EXPECT_EQ(page::about_text(0), "0");
  EXPECT_EQ(page::about_text(0.001), "less than 0.01");
  EXPECT_EQ(page::about_text(7.256), "7.26");
  EXPECT_EQ(page::about_text(999.6), "1000");
  EXPECT_EQ(page::about_text(12'345), "12,300");
  EXPECT_EQ(page::about_text(999'900), "1 million");
  EXPECT_EQ(page::about_text(7.2e9), "7.2 billion");
  EXPECT_EQ(page::about_text(1.5e16), "1.50e+16");
}

TEST(ReportWords, TimesAndSizesHaveTheirUnits) {
  EXPECT_EQ(page::seconds_text(0.0001), "under 0.001\u00A0s");
  EXPECT_EQ(page::seconds_text(4.216), "4.22\u00A0s");
  EXPECT_EQ(page::seconds_text(125), "2\u00A0min 5\u00A0s");
  EXPECT_EQ(page::seconds_text(7300), "2\u00A0h 1\u00A0min");
  EXPECT_EQ(page::bytes_text(1), "1 byte");
  EXPECT_EQ(page::bytes_text(91'100'000), "91.1\u00A0MB");
}

}  // namespace
}  // namespace nearkin::curve_test
