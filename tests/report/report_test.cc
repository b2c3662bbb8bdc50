#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <nearkin/report.h>

#include "base/utf8.h"
#include "report/curve_data.h"
#include "report/html.h"
#include "report/page_parts.h"
#include "report/report_support.h"
#include "report/side_by_side.h"
#include "report/words.h"
#include "support/sha256.h"

namespace nearkin {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

/// The page without the insides of its style and its script, which are no HTML.
std::string without_code(std::string page) {
  for (const std::string name : {"style", "script"}) {
    const std::size_t begin = page.find("<" + name + ">"), end = page.find("</" + name + ">");
    if (begin != std::string::npos && end != std::string::npos) page.erase(begin + name.size() + 2, end - begin - name.size() - 2);
  }
  return page;
}

/// What is wrong with one tag; empty when nothing is. `open` holds the elements around it.
std::string fault_of_tag(std::string_view tag, std::vector<std::string>& open) {
  if (contains(tag, "<")) return "a < in " + std::string(tag);
  if (count(tag, "\"") % 2 != 0 || contains(tag, "'") != contains(tag, "Content-Security-Policy")) return "quotes in " + std::string(tag);
  const std::string name(tag.substr(0, tag.find_first_of(" /", 1)));
  if (name == "!DOCTYPE" || name == "meta" || name == "input" || tag.back() == '/') return "";
  if (name.front() != '/') {
    open.push_back(name);
    return "";
  }
  if (open.empty() || "/" + open.back() != name) return name + " closes nothing";
  open.pop_back();
  return "";
}

/// What is wrong with the tags and references of a page; empty when nothing is.
std::string fault_of(const std::string& page) {
  const std::string text = without_code(page);
  std::vector<std::string> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&') {
      const std::string reference = text.substr(i, text.find(';', i) + 1 - i);
      if (!std::set<std::string>{"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"}.contains(reference)) return "reference " + text.substr(i, 10);
    }
    if (text[i] != '<') continue;
    const std::size_t end = text.find('>', i);
    if (end == std::string::npos) return "a tag without an end";
    const std::string fault = fault_of_tag(std::string_view(text).substr(i + 1, end - i - 1), open);
    if (!fault.empty()) return fault;
    i = end;
  }
  return open.empty() ? "" : open.back() + " is never closed";
}

/// The characters that no page may hold: control characters other than line breaks and tabs, and bytes that are not UTF-8.
std::size_t bad_characters(const std::string& page) {
  std::size_t bad = 0;
  const char* p = page.data();
  const char* const end = p + page.size();
  while (p != end) {
    const char* const before = p;
    const char32_t c = next_code_point(p, end);
    bad += (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F || (c == kReplacement && p - before == 1);
  }
  return bad;
}

std::vector<std::string> values_of(const std::string& page, const std::string& attribute) {
  std::vector<std::string> out;
  const std::string key = " " + attribute + "=\"";
  for (std::size_t at = page.find(key); at != std::string::npos; at = page.find(key, at + 1)) {
    const std::size_t begin = at + key.size();
    out.push_back(page.substr(begin, page.find('"', begin) - begin));
  }
  return out;
}

void expect_whole(const Report& report) {
  const std::string page = report_html(report), html = without_code(page);
  EXPECT_EQ(fault_of(page), "");
  EXPECT_EQ(bad_characters(page), 0u);
  const std::vector<std::string> ids = values_of(html, "id");
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size()) << "an id twice";
  for (const std::string& target : values_of(html, "href")) {
    ASSERT_TRUE(target.starts_with("#")) << target;
    EXPECT_TRUE(std::find(ids.begin(), ids.end(), target.substr(1)) != ids.end()) << target;
  }
  EXPECT_TRUE(values_of(html, "src").empty() && values_of(html, "style").empty());
  for (const char* number : {"\"nan", "\"-nan", "\"inf", "nan ", "inf "}) EXPECT_FALSE(contains(html, number)) << number;
}

std::vector<Report> all_reports() { return {Report{}, dedup_report(), compare_report(), tune_report(), evaluate_report()}; }

Report report_of(const Plan& plan) {
  Report report{.command = "pairs", .inputs = {"a.jsonl"}, .plan = plan, .stats = stats_of_run()};
  report.stats->audit.reset();
  if (plan.exact_join()) report.stats->recall = Recall{};
  return report;
}

TEST(Sha256, OfThreeLettersIsTheOneOfTheStandard) {
  EXPECT_EQ(Sha256("abc").base64(), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  EXPECT_EQ(Sha256("").base64(), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

TEST(ReportPage, AllowsItsOwnStyleAndScriptByTheirHashesAndNothingElse) {
  EXPECT_EQ(Sha256(page::page_style()).base64(), page::kStyleHash) << "the style was changed: put its hash into page_parts.h";
  EXPECT_EQ(Sha256(page::page_script()).base64(), page::kScriptHash) << "the script was changed: put its hash into page_parts.h";
  const std::string page = report_html(dedup_report());
  EXPECT_TRUE(contains(page, "content=\"default-src 'none'; style-src 'sha256-" + std::string(page::kStyleHash) + "'; script-src 'sha256-" +
                                 std::string(page::kScriptHash) + "'; base-uri 'none'; form-action 'none'\""));
  EXPECT_TRUE(contains(page, "<style>" + page::page_style() + "</style>"));
  EXPECT_TRUE(contains(page, "<script>" + std::string(page::page_script()) + "</script>"));
  EXPECT_EQ(count(page, "<style") + count(page, "<script"), 2u);
}

TEST(ReportPage, IsWellFormedWhateverTheReport) {
  for (const Report& report : all_reports()) expect_whole(report);
  for (const Plan& plan : plans_of_every_measure()) expect_whole(report_of(plan));
}

TEST(ReportPage, IsTheSameForTheSameReport) {
  for (const Report& report : all_reports()) {
    const Report copy = report;
    EXPECT_EQ(report_html(report), report_html(copy));
  }
}

TEST(ReportPage, HasASectionOnlyWhereTheReportHasItsValues) {
  const std::vector<std::string> sections{"plan", "run", "recall", "what-if", "clusters", "buckets", "pairs", "alternatives", "evaluation", "figures"};
  const auto shown = [&](const Report& report) {
    std::vector<std::string> out;
    const std::string page = report_html(report);
    for (const std::string& section : sections) {
      if (contains(page, "<section aria-labelledby=\"" + section + "\">")) out.push_back(section);
    }
    return out;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(shown(Report{}), Names{});
  EXPECT_EQ(shown(dedup_report()), (Names{"plan", "run", "recall", "what-if", "clusters", "buckets", "pairs", "figures"}));
  EXPECT_EQ(shown(compare_report()), (Names{"plan", "recall", "pairs"}));
  EXPECT_EQ(shown(tune_report()), (Names{"plan", "recall", "alternatives", "figures"}));
  EXPECT_EQ(shown(evaluate_report()), (Names{"evaluation", "figures"}));
}

TEST(ReportPage, SaysTheResultInOneSentence) {
  EXPECT_TRUE(contains(report_html(dedup_report()),
                       "Read 120,000 items, found 61,204 pairs with a Jaccard similarity of 0.8 or more in 11,662 clusters, removed 21,789 items "
                       "and kept 98,211; about 98.7\u00A0% (95\u00A0% interval 98.3 to 99.0\u00A0%) of all such pairs were found."));
  EXPECT_TRUE(contains(report_html(compare_report()), "The two have a Jaccard similarity of 0.84892: they share 118 of 139 shingles."));
  EXPECT_TRUE(contains(report_html(tune_report()),
                       "Sketches of 136 hashes in 17 bands of 8 rows find pairs with a Jaccard similarity of 0.8 or more with a promised recall of "
                       "95\u00A0%; expected are 60,100 such pairs, of which 902 would be missed."));
  EXPECT_TRUE(contains(report_html(evaluate_report()), "2 plans were compared with the exact answer."));
}

TEST(ReportPage, SaysWhetherThePromiseWasKept) {
  Report report = dedup_report();
  EXPECT_TRUE(contains(report_html(report), "The promise of 95\u00A0% was kept."));
  report.stats->recall = Recall{0.94, 0.93, 0.96};
  EXPECT_TRUE(contains(report_html(report), "within the error of measuring"));
  report.stats->recall = Recall{0.91, 0.9, 0.92};
  EXPECT_TRUE(contains(report_html(report), "The promise of 95\u00A0% was not kept. Ask for a higher --recall"));
  report.plan->band = {.bands = 9, .rows = 13};
  EXPECT_TRUE(contains(report_html(report), "With 9 bands of 13 rows, a pair at the threshold is found with probability 39.8\u00A0%"));
}

TEST(ReportPage, AnAuditThatFoundTooLittleOverrulesTheEstimate) {
  Report report = dedup_report();
  report.stats->audit = Audit{{0.8, 0.75, 0.85}, 500, 100, 80};
  EXPECT_TRUE(contains(report_html(report), "was not kept"));
}

TEST(ReportPage, SaysWhyNothingIsKnownOfTheRecall) {
  Report report = dedup_report();
  report.stats->recall.reset();
  report.stats->audit.reset();
  report.stats->buckets.not_compared = 12;
  EXPECT_TRUE(contains(report_html(report), "is not known: 12 pairs in large buckets were not compared"));
  report.plan->verify = Verify::estimate;
  EXPECT_TRUE(contains(report_html(report), "is not known: the candidates were not compared exactly"));
}

TEST(ReportPage, SaysWhatIsASample) {
  const std::string page = report_html(dedup_report());
  EXPECT_TRUE(contains(page, "A sample: 5 of the 61,204 pairs found."));
  EXPECT_TRUE(contains(page, "The 3 largest of 11,662"));
  EXPECT_TRUE(contains(page, "3 of the 939 others"));
  EXPECT_TRUE(contains(page, "14 records could not be used."));
  EXPECT_TRUE(contains(page, "The first 2, and why"));
  EXPECT_TRUE(contains(page, "estimated from 256 random items, each compared with 120,000"));
}

TEST(ReportPage, TheSliderStandsAtTheRunsOwnThreshold) {
  Report report = dedup_report();
  report.what_if.insert(report.what_if.begin(), WhatIf{0.7, 9, 9, 9});
  const std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "min=\"0\" max=\"21\" step=\"1\" value=\"1\" aria-valuetext=\"0.8: 21,773 removed\""));
  EXPECT_EQ(count(page, "<rect class=\"choice on\" data-row=\"1\""), 2u);  // on a screen, and on a phone
  EXPECT_EQ(count(page, "<rect class=\"choice"), 2 * report.what_if.size());
  EXPECT_TRUE(contains(page, "Lower thresholds than 0.8 were not searched"));
  for (const WhatIf& row : report.what_if) EXPECT_TRUE(contains(page, "<td>" + page::whole_text(row.pairs) + "</td>"));
}

TEST(ReportPage, OneValueAloneNeedsNoMoreThanItself) {
  Report report = dedup_report();
  report.what_if = {{0.8, 0, 0, 0}};
  expect_whole(report);
  EXPECT_TRUE(contains(report_html(report), "max=\"0\" step=\"1\" value=\"0\""));
}

TEST(ReportPage, AComparisonComesFirstAndIsOpen) {
  const std::string page = report_html(compare_report());
  EXPECT_LT(page.find("<div class=\"sides\">"), page.find("id=\"plan\""));
  EXPECT_FALSE(contains(page, "<details class=\"pair\""));
  EXPECT_TRUE(contains(page, "this pair</text>"));
}

TEST(ReportPage, ShowsBothTextsWithWhatTheyShareMarked) {
  const std::string page = report_html(dedup_report());
  EXPECT_TRUE(contains(page, "<mark>The harbour was closed on Tuesday after the storm had broken two of the moorings.</mark> Ships were sent"));
  EXPECT_TRUE(contains(page, "<mark>Nobody was hurt.\n\nThe harbour master said the repairs would take about a week.</mark></div>"));
  EXPECT_TRUE(contains(page, "115 / 142 = 0.809859"));
  EXPECT_TRUE(contains(page, "14 of its 129"));
  EXPECT_TRUE(contains(page, "13 of its 128"));
  EXPECT_EQ(count(page, "<details class=\"pair\">"), 5u);
}

TEST(ReportPage, SaysWhatIsNotShownOfATextAndHowItIsShown) {
  Report report = compare_report();
  report.pairs[0].texts.a.left_out = 1234;
  report.pairs[0].texts.b.normalised = true;
  const std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "1,234 bytes more are not shown."));
  EXPECT_EQ(count(page, "Shown as it was compared, not as it was written."), 1u);
}

TEST(ReportPage, PairsOfVectorsHaveNoTexts) {
  Report report = report_of(plan_of("euclidean<=3.5 recall=0.95 features=numbers sketch=gaussian:2145 width=10.5 bands=165x13"));
  report.pairs = {{"a", "b", "most similar", {.a_size = 64, .b_size = 64, .similarity = 1.25, .estimate = 0.8, .found = 0.99, .candidate = true, .passages = {}}, {}}};
  report.pairs_in_all = 1;
  expect_whole(report);
  const std::string page = report_html(report);
  EXPECT_FALSE(contains(page, "<div class=\"sides\">"));
  EXPECT_TRUE(contains(page, "1.25"));
  EXPECT_TRUE(contains(page, "Hashes that agree"));
}

/// Every text of the report, so that none is forgotten.
void make_hostile(Report& report, const std::string& text) {
  report.command = "dedup";
  report.inputs = {text, text};
  report.stats->faults.first = {{text, text}};
  report.stats->seconds = {{text, 1}};
  for (ShownCluster& cluster : report.clusters) {
    cluster.keeper = text;
    cluster.members = {text};
  }
  for (ShownBucket& bucket : report.buckets) {
    bucket.passage = text;
    bucket.members = {text};
  }
  for (ShownPair& pair : report.pairs) {
    pair.a = pair.b = pair.why = text;
    pair.comparison.passages = {text};
    pair.texts = {{text, {{0, 3}, {4, 9}}}, {text, {}}};
  }
  report.figures = {{text, text}};
  report.table = {{text, text}, {text, text}};
  report.plots = {{text, text, text, {{text, {{1, 2}, {2, 3}}}, {text, {{1, 1}}}}}};
}

TEST(ReportPage, AHostileTextStaysTextWhereverItStands) {
  const std::string text = "</script><script>window.hacked=1</script><img src=x onerror=hacked()>\" onload=\"hacked()' &amp; \x01\xff\xc0\x80 \r\n\t--> ]]>";
  Report report = dedup_report();
  make_hostile(report, text);
  expect_whole(report);
  const std::string page = report_html(report);
  EXPECT_EQ(count(page, "<script"), 1u);
  EXPECT_EQ(count(page, "</script"), 1u);
  EXPECT_FALSE(contains(page, "<img"));
  EXPECT_FALSE(contains(page, "\" onload"));
  // Twice in titles, in inputs, faults, stages, clusters, buckets, pairs, figures, table and plots.
  EXPECT_GT(count(page, "window.hacked=1&lt;/"), 60u);
  EXPECT_GT(count(page, "&amp;amp; \uFFFD\uFFFD\uFFFD\uFFFD"), 40u);
  report.command = text;
  report.inputs = {text};
  expect_whole(report);
  report.command = "compare";
  expect_whole(report);
}

TEST(ReportPage, NumbersThatAreNoneDoNotBreakIt) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
  for (const double odd : {kNaN, kInfinity, -kInfinity, 0.0, -1.0, 1e308, 5e-324}) {
    Report report = dedup_report();
    report.sample->pairs.push_back({odd, 3, 3});
    report.sample->pairs.push_back({0.5, odd, 3});
    report.expected = Expectation{odd, odd, odd, odd};
    report.stats->seconds = {{"read", odd}};
    for (ShownPair& pair : report.pairs) pair.comparison = {.similarity = odd, .estimate = odd, .found = odd, .passages = {}};
    for (ShownCluster& cluster : report.clusters) cluster.least = odd;
    report.alternatives = {{*report.plan, {odd, odd, odd}}};
    expect_whole(report);
  }
}

TEST(ReportPage, SaysWhyAPlanHasNoCurve) {
  for (const Plan& plan : plans_of_every_measure()) {
    const std::string page = report_html(report_of(plan));
    const bool drawn = contains(page, "<path class=\"curve\"");
    EXPECT_EQ(drawn, page::has_curve(plan)) << to_string(plan);
    const bool said = contains(page, "no chance to draw a curve of") || contains(page, "no single curve") || contains(page, "no curve to draw");
    EXPECT_NE(drawn, said) << to_string(plan);
  }
}

TEST(ReportPage, PicturesHaveTheirMarksAndATextInTheirPlace) {
  const std::string page = report_html(dedup_report());
  EXPECT_TRUE(contains(page, "threshold 0.8</text>"));
  EXPECT_TRUE(contains(page, "promised: 95\u00A0%"));
  EXPECT_TRUE(contains(page, "measured: 98.7\u00A0%"));
  EXPECT_TRUE(contains(page, "A curve shows the probability to be found, 0\u00A0% at the left end, 95.5\u00A0% at the threshold, 100\u00A0% at the right end."));
  EXPECT_EQ(count(page, "role=\"img\""), count(page, "<desc id="));
}

TEST(ReportPage, GrowsWithWhatTheReportHoldsAndNoMore) {
  const std::size_t empty = report_html(Report{}).size();
  EXPECT_LT(empty, 40'000u);
  Report report = compare_report();
  const std::size_t before = report_html(report).size();
  report.pairs[0].texts.a.text += std::string(100'000, 'x');
  EXPECT_EQ(report_html(report).size(), before + 100'000);
}

TEST(ReportMarks, BadStretchesAreLeftOut) {
  MarkedText text;
  text.text = "abc\r\ndef\rghi";
  text.shared = {{0, 3}, {2, 4}, {5, 5}, {5, 8}, {9, 99}, {20, 30}};
  EXPECT_EQ(page::marked(text), "<mark>abc</mark>\n<mark>def</mark>\n<mark>ghi</mark>");
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
  EXPECT_DOUBLE_EQ(bars, 24 * 50.0);     // up to 8, each of the 99 standing for 50 of the 4950 pairs
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

TEST(ReportCurve, PairsThatWereAllCountedAreNoEstimate) {
  Report report = dedup_report();
  EXPECT_TRUE(contains(report_html(report), "<rect class=\"bar few\""));
  EXPECT_FALSE(page::curve_data(*report.plan, &*report.sample).counted);
  for (PairsAt& pairs : report.sample->pairs) pairs.pairs = static_cast<double>(pairs.seen);
  EXPECT_TRUE(page::curve_data(*report.plan, &*report.sample).counted);
  const std::string page = report_html(report);
  EXPECT_FALSE(contains(page, "<rect class=\"bar few\""));
  EXPECT_TRUE(contains(page, "all of them counted"));
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
}  // namespace nearkin
