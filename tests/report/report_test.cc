#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <nearkin/nearkin.h>
#include <nearkin/tools/compare.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/report.h>
#include <nearkin/tools/what_if.h>

#include "base/unicode.h"
#include "report/curve_chart.h"
#include "report/html.h"
#include "report/page_parts.h"
#include "report/report_support.h"
#include "report/sections.h"
#include "report/words.h"
#include "support/sha256.h"

namespace nearkin::report_test {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

constexpr std::string_view kDataTag = "<script type=\"application/json\" id=\"data\">";

/// The page without the insides of its style, its script and its data, which are no HTML.
std::string without_code(std::string page) {
  for (const std::string_view tag : {std::string_view("<style>"), kDataTag, std::string_view("<script>")}) {
    const std::size_t begin = page.find(tag);
    if (begin == std::string::npos) continue;
    const std::size_t end = page.find(tag[2] == 't' ? "</style>" : "</script>", begin);
    page.erase(begin + tag.size(), end - begin - tag.size());
  }
  return page;
}

/// The data of a page, as JSON; empty where it has none.
std::string data_of(const std::string& page) {
  const std::size_t begin = page.find(kDataTag);
  if (begin == std::string::npos) return "";
  return page.substr(begin + kDataTag.size(), page.find("</script>", begin) - begin - kDataTag.size());
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
  EXPECT_EQ(count(page, "<style") + count(page, "<script"), 3u) << "and the data, which no browser runs";
  EXPECT_EQ(count(page, kDataTag), 1u);
}

TEST(ReportPage, BeginsWithWhatWasFoundAndFoldsTheRest) {
  const std::string page = report_html(dedup_report());
  EXPECT_LT(page.find("id=\"pairs\""), page.find("id=\"plan\""));
  EXPECT_EQ(count(page, "<details class=\"fold\">"), 7u);
  EXPECT_FALSE(contains(report_html(tune_report()), "<details class=\"fold\">")) << "there is no list to come first";
  const std::string header = page.substr(0, page.find("</header>"));
  for (const char* figure : {"<dt>items read</dt><dd>120,000</dd>", "<dt>records skipped</dt><dd>14</dd>",
                             "<dt>pairs found</dt><dd>61,204</dd>", "<dt>items removed</dt><dd>21,789</dd>"}) {
    EXPECT_TRUE(contains(header, figure)) << figure;
  }
}

TEST(ReportPage, OfASearchThatFoundNothingHasTheSameLayout) {
  Report report = dedup_report();
  report.pairs.clear();
  report.listed.clear();
  report.clusters.clear();
  report.stats->pairs = 0;
  report.stats->closest_below = 0.63;
  const std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "<body class=\"listed wide\">"));
  EXPECT_TRUE(contains(
      page,
      "No pair with a Jaccard similarity of 0.8 or more was found; the closest candidate had 0.63. A lower --threshold may find some."));
  EXPECT_TRUE(contains(page, "<details class=\"fold\">"));
  Report passages;
  passages.command = "passages";
  passages.figures = {{"Records read", "11"}};
  EXPECT_FALSE(contains(report_html(passages), "<details class=\"fold\">")) << "what comes first is open";
}

TEST(ReportPage, ClustersOfChainsSayThatMembersMayBeBelowTheThreshold) {
  Report report = dedup_report();
  report.command = "cluster";
  ASSERT_FALSE(report.clusters.empty());
  report.clusters.front().least = 0.3;
  report.linkage = Linkage::connected;
  const std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "0.3 or more with the keeper; those below the threshold belong here by a chain of similar pairs"));
  EXPECT_TRUE(contains(page, "A cluster joins all items that a chain of similar pairs connects"));
  EXPECT_TRUE(contains(page, "how many items dedup would remove with the same flags. "));
}

TEST(ReportPage, SaysHowAndWhenItWasMade) {
  Report report = dedup_report();
  report.command_line = "nearkin dedup 'a<b>.jsonl' -o kept.jsonl";
  report.made = "2026-03-01 14:05 UTC";
  EXPECT_TRUE(contains(report_html(report),
                       "<code><span>nearkin</span> <span>dedup</span> <span>&#39;a&lt;b&gt;.jsonl&#39;</span> <span>-o</span> "
                       "<span>kept.jsonl</span></code> \u00B7 <span>2026-03-01 14:05 UTC</span> "
                       "\u00B7 nearkin " +
                           std::string(version())));
}

TEST(ReportPage, HoldsTheRowsOfTheListAsData) {
  Report report = dedup_report();
  const std::string shown_alone = data_of(report_html(report));
  EXPECT_TRUE(contains(shown_alone, "[\"news/1998/a\",\"The harbour was closed on Tuesday"));
  report.listed = {{{"one", "the first", true}, {"two", "the second", false}, 0.85, std::nullopt},
                   {{"one", "the first", true}, {"three", ""}, 0.9, 0}};
  const std::string data = data_of(report_html(report));
  EXPECT_TRUE(contains(data, "[0,1,0.85,-1],\n[0,2,0.9,0]")) << "an item that is in two rows is there once";
  EXPECT_TRUE(contains(data, "[\"one\",\"the first\",1],\n[\"two\",\"the second\",0],\n[\"three\",\"\",null]"));
  EXPECT_TRUE(contains(data, "\"border\":0.8,\"value\":\"similarity\",\"ties\":\"a chain of similar pairs\",\"pairsInAll\":61204"));
  EXPECT_TRUE(data_of(report_html(tune_report())).empty());
}

TEST(ReportPage, HoldsTheTextOfAnItemOnce) {
  Report report = dedup_report();
  report.listed = {{{"one", "the first", true}, {"two", "the second", false}, 0.85, std::nullopt}};
  report.texts = {{.id = "two", .beginning = "the second", .text = "the second </script>", .left_out = 7},
                  {.id = "nowhere", .beginning = "", .text = "of no row"}};
  const std::string data = data_of(report_html(report));
  EXPECT_TRUE(contains(data, "\"texts\":[[1,\"the second \\u003c/script\\u003e\",7]]"));
}

TEST(ReportPage, TooManyDecisionsAreLeftInTheirFile) {
  Report report = dedup_report();
  report.decisions = DecisionNotes{.accepted = 2, .rejected = 1, .unknown_ids = {}};
  EXPECT_TRUE(contains(report_html(report), "do not replace the file"));
  report.decided = {{"a", "b", true}};
  const std::string page = report_html(report);
  EXPECT_FALSE(contains(page, "do not replace the file"));
  EXPECT_TRUE(contains(data_of(page), "\"decided\":[[\"a\",\"b\",1]]"));
}

TEST(ReportPage, MarksAreKeptUnderTheRun) {
  const auto key = [](const Report& report) { return data_of(report_html(report)).substr(0, 30); };
  Report report = dedup_report();
  const std::string before = key(report);
  EXPECT_EQ(before, key(dedup_report()));
  report.inputs = {"other.jsonl"};
  EXPECT_NE(before, key(report));
}

TEST(ReportPage, ShowsNoJaccardEstimateAsAContainment) {
  Report report = dedup_report();
  EXPECT_TRUE(contains(report_html(report), "Similarity estimated from the sketches"));
  report.plan = plan_of("containment>=0.6 shingle=word:3");
  EXPECT_FALSE(contains(report_html(report), "Similarity estimated from the sketches"));
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
  const std::vector<std::string> sections{"plan",    "run",   "recall",       "what-if",    "clusters",
                                          "buckets", "pairs", "alternatives", "evaluation", "figures"};
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
  EXPECT_TRUE(contains(
      report_html(dedup_report()),
      "Read 120,000 items, skipped 14 records, found 61,204 pairs with a Jaccard similarity of 0.8 or more, which form 11,662 clusters, "
      "removed 21,789 items "
      "and kept 98,211; by estimate, 98.7\u00A0% (95\u00A0% interval 98.3 to 99.0\u00A0%) of all such pairs were found, not counting pairs "
      "of equal items, "
      "which are always found."));
  EXPECT_TRUE(contains(report_html(compare_report()), "The two have a Jaccard similarity of 0.84892: they share 118 of 139 shingles."));
  EXPECT_TRUE(
      contains(report_html(tune_report()),
               "Sketches of 136 hashes in 17 bands of 8 rows find pairs with a Jaccard similarity of 0.8 or more; the promised recall is "
               "95\u00A0%. The plan is expected to miss about 902 of about 60,100 such pairs."));
  EXPECT_TRUE(contains(report_html(evaluate_report()), "2 plans were compared with an exact search."));
}

TEST(ReportPage, SaysWhetherThePromiseWasKept) {
  Report report = dedup_report();
  EXPECT_TRUE(contains(report_html(report), "The promised recall of 95\u00A0% was reached."));
  report.stats->audit.reset();
  report.stats->recall = Recall{0.94, 0.93, 0.96};
  EXPECT_TRUE(contains(report_html(report),
                       "Too few pairs other than copies were found to tell whether the promised recall of 95\u00A0% was reached: the "
                       "95\u00A0% interval of the recall is 93.0 to 96.0\u00A0%."));
  report.stats->recall = Recall{0.91, 0.9, 0.92};
  EXPECT_TRUE(contains(report_html(report), "The promised recall of 95\u00A0% was not reached. Give a higher --recall"));
  report.plan->band = {.bands = 9, .rows = 13};
  const std::string weak = report_html(report);
  EXPECT_TRUE(contains(weak,
                       "The recall of 95\u00A0% that was asked for was not reached. With 9 bands of 13 rows, a pair at the threshold is "
                       "found with probability 39.8\u00A0%"));
  EXPECT_TRUE(contains(weak,
                       "Nothing: with these bands and rows, a pair exactly at the threshold is found with a probability of "
                       "39.8\u00A0%, and 95\u00A0% was asked for."));
  EXPECT_TRUE(contains(weak, "asked for: 95\u00A0%"));
  EXPECT_FALSE(contains(weak, "promised recall"));
}

TEST(ReportPage, HardlyAnyEvidenceIsNoKeptPromise) {
  Report report = dedup_report();
  report.stats->recall.reset();
  report.stats->audit = Audit{{1, 0.31, 1}, 500, 2, 2};
  const std::string page = report_html(report);
  EXPECT_FALSE(contains(page, "The promised recall of 95\u00A0% was reached"));
  EXPECT_TRUE(contains(page,
                       "The audit is too small to tell whether the promised recall of 95\u00A0% was reached: the 95\u00A0% interval of the "
                       "recall is 31.0 to 100\u00A0%."));
}

TEST(ReportPage, ContainmentIsExact) {
  Report report = dedup_report();
  report.plan = plan_of("containment>=0.6 shingle=word:3");
  const std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "All of them: every such pair is found."));
  EXPECT_FALSE(contains(page, "promise of"));
}

TEST(ReportPage, WhatWasNotVerifiedIsNotCalledSimilar) {
  Report report = dedup_report();
  report.plan->verify = Verify::none;
  std::string page = report_html(report);
  EXPECT_EQ(count(page, "61,204 candidates (not verified) that may be pairs with a Jaccard similarity of 0.8 or more"),
            2u);  // opening and run
  EXPECT_TRUE(contains(page, "<dt>candidates, not verified</dt>"));
  EXPECT_FALSE(contains(page, "61,204 pairs"));
  report.plan->verify = Verify::estimate;
  page = report_html(report);
  EXPECT_EQ(count(page, "61,204 pairs with an estimated Jaccard similarity of 0.8 or more"), 2u);
  EXPECT_TRUE(contains(page, "<dt>pairs found, by estimate</dt>"));
  EXPECT_TRUE(contains(page, "Pairs with an estimated Jaccard similarity of 0.8 or more."));
  EXPECT_FALSE(contains(page, "61,204 pairs with a Jaccard"));
}

TEST(ReportPage, NamesBothCollections) {
  Report report = dedup_report();
  report.against = {"old.jsonl"};
  std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "<h1>Near-duplicates of old.jsonl in news.jsonl</h1>"));
  EXPECT_TRUE(contains(page, "<dt>Compared with</dt><dd><code>old.jsonl</code></dd>"));
  EXPECT_TRUE(contains(page, "500 random items with all of old.jsonl. These items are in"));
  EXPECT_FALSE(contains(page, "all others"));
  report.command = "pairs";
  EXPECT_TRUE(contains(report_html(report), "<h1>Similar pairs between news.jsonl and old.jsonl</h1>"));
  EXPECT_TRUE(contains(report_html(dedup_report()), "500 random items with all others. These items are in"));
}

TEST(ReportPage, SaysInHowManyBandsABucketOccurs) {
  Report report = dedup_report();
  report.buckets.resize(2);
  report.buckets[0].bands = 1;
  report.buckets[1].bands = 3;
  const std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "In 2 other bands (of 17), a bucket begins with the same item"));
  EXPECT_FALSE(contains(page, "In 0 other"));
}

TEST(ReportPage, SaysThatNothingWasRemovedWhereAllWasCountedOnly) {
  Report report = dedup_report();
  report.counted_only = true;
  report.kept.reset();
  report.removed.reset();
  const std::string page = report_html(report), counted = "Because of --thresholds, the run only counted; it wrote and removed nothing.";
  EXPECT_TRUE(contains(page, "0.8 or more; by estimate, 98.7"));
  EXPECT_TRUE(contains(page, " of all such pairs were found, not counting pairs of equal items, which are always found. " + counted));
  EXPECT_TRUE(contains(page, "With --threshold 0.8 instead, dedup would remove 21,773 items, from 11,660 clusters."));
  EXPECT_TRUE(contains(page, "<dt>items that dedup would remove</dt><dd>21,773</dd>"));
  EXPECT_FALSE(contains(page, "<dt>items removed</dt>"));
  report.what_if.clear();
  EXPECT_TRUE(contains(report_html(report), counted));
  EXPECT_FALSE(contains(report_html(report), "dedup would remove"));
}

TEST(ReportPage, CopiesAreNoPairsThatCouldBeMissed) {
  Report report = dedup_report();
  report.expected = Expectation{1000, 4, 5000, 3000, 600};
  EXPECT_TRUE(
      contains(report_html(report),
               "the plan misses about 1\u00A0% of the pairs with a Jaccard similarity of 0.8 or more, not counting pairs of equal items."));
  report.expected = Expectation{1, 0.001, 1, 0};
  EXPECT_TRUE(contains(report_html(report), "the plan misses about 0.1\u00A0% of the pairs"));
  EXPECT_TRUE(contains(report_html(report), "The recall leaves out pairs of equal items"));
}

TEST(ReportPage, APlanWithoutARunTellsWhatItShouldMissAndCompare) {
  Report report = tune_report();
  report.expected = Expectation{1000, 4, 5000, 3000, 600};
  EXPECT_TRUE(contains(report_html(report),
                       "about 600 of them are pairs of equal items, which are always found. The plan is expected to miss about 4 "
                       "(1\u00A0%) of the others (about 400 pairs). Without pairs that include a copy, a run is expected to compare about "
                       "5,000 pairs, of which about 3,000 are below the threshold."));
}

TEST(ReportPage, ADistanceComparedWithoutARadiusHasNoGoal) {
  Report report = compare_report();
  report.plan = Plan{};
  report.plan->measure = Measure::euclidean;
  report.plan->kind = Kind::numbers;
  report.plan->radius = 0;
  report.plan->recall = 1;
  report.plan->sketch.hashes = 0;
  report.pairs[0].texts = {};
  report.pairs[0].comparison = {.a_size = 8, .b_size = 8, .similarity = 2.5, .passages = {}};
  expect_whole(report);
  const std::string page = report_html(report);
  for (const char* goal : {"Looked for", "Promised", "distance of 0", "every pair", "exact join"})
    EXPECT_FALSE(contains(page, goal)) << goal;
  EXPECT_TRUE(contains(page, "The two have a Euclidean distance of 2.5."));
}

TEST(ReportPage, ComparedTextsAreEqualOrNot) {
  Report report = compare_report();
  report.plan = plan_of("exact normalise=none");
  for (const auto& [similarity, words] : {std::pair(0.0, "not equal"), std::pair(1.0, "equal")}) {
    report.pairs[0].comparison = {.shared = similarity == 1, .total = 1, .similarity = similarity, .passages = {}};
    EXPECT_TRUE(contains(report_html(report), "The two texts are " + std::string(words) + ", once they are normalised."));
    EXPECT_TRUE(contains(report_html(report), "<dt>texts</dt><dd>" + std::string(words) + "</dd>"));
    EXPECT_FALSE(contains(report_html(report), "a equality"));
  }
}

TEST(ReportPage, LongIdsAreCutBetweenTwoCharacters) {
  const std::string id = std::string(199, 'k') + "\u00E9" + std::string(500, 'z');  // the border of 200 bytes lies in a character
  const std::string cut = std::string(199, 'k') + "\u2026";
  EXPECT_EQ(page::id_text(id), cut);
  EXPECT_EQ(page::id_text(id.substr(0, 199)), id.substr(0, 199));
  Report report = dedup_report();
  for (ShownCluster& cluster : report.clusters) {
    cluster.keeper = id;
    cluster.members = {id};
  }
  for (ShownBucket& bucket : report.buckets) bucket.members = {id};
  for (ShownPair& pair : report.pairs) pair.a = pair.b = id;
  for (const std::string command : {"dedup", "compare"}) {
    report.command = command;
    EXPECT_TRUE(contains(report_html(report), cut)) << command;
    EXPECT_FALSE(contains(without_code(report_html(report)), "zzz")) << command;
  }
}

TEST(ReportPage, AnAuditThatFoundTooLittleOverrulesTheEstimate) {
  Report report = dedup_report();
  report.stats->audit = Audit{{0.8, 0.75, 0.85}, 500, 100, 80};
  EXPECT_TRUE(contains(report_html(report), "was not reached"));
}

TEST(ReportPage, TheAuditLeadsWhereItSaysMore) {
  Report report = dedup_report();
  EXPECT_TRUE(contains(report_html(report), "<dt>recall (estimated)</dt><dd>98.7"));
  report.stats->audit = Audit{{0.986, 0.984, 0.988}, 5000, 5120, 5048};
  EXPECT_TRUE(contains(report_html(report), "<dt>recall (by the audit)</dt><dd>98.6")) << "its interval is narrower";
  EXPECT_TRUE(contains(report_html(report), "; by the audit, 98.6"));
  report.stats->audit = Audit{{0.96, 0.951, 0.969}, 500, 512, 492};
  EXPECT_TRUE(contains(report_html(report), "<dt>recall (by the audit)</dt><dd>96.0")) << "wider, but the estimate cannot be true as well";
}

TEST(ReportPage, PartsOfTextsAreCalledWhatTheyAre) {
  Report report = dedup_report();
  report.unit = {.kind = Unit::Kind::paragraph};
  report.stats->records = 900;
  report.records_cut = 70;
  report.records_removed = 12;
  const std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "Read 120,000 paragraphs of 900 records"));
  EXPECT_TRUE(contains(page, "removed 21,789 paragraphs and kept 98,211; this shortened 70 records and removed 12 whole records"));
  EXPECT_TRUE(contains(page, "<dt>records removed</dt><dd>12</dd>"));
  EXPECT_TRUE(contains(page, "Paragraphs removed"));
  EXPECT_FALSE(contains(without_code(page), "items removed"));
}

TEST(ReportPage, AnnotatedRecordsWereNotRemoved) {
  Report report = dedup_report();
  report.annotated = true;
  const std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "without --annotate, 21,789 items would be removed and 98,211 kept"));
  EXPECT_FALSE(contains(page, ", removed 21,789"));
  EXPECT_FALSE(contains(page, "Items removed"));
}

TEST(ReportPage, SaysWhichPairsWereWanted) {
  Report report = dedup_report();
  report.scope = {Scope::Rule::across, "author"};
  const std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "Only pairs of items with different values of the field \u201Cauthor\u201D are counted."));
  EXPECT_TRUE(contains(page, "Only items with different values of the field \u201Cauthor\u201D"));
  EXPECT_FALSE(contains(report_html(dedup_report()), "are counted."));
}

TEST(ReportPage, SaysWhyNothingIsKnownOfTheRecall) {
  Report report = dedup_report();
  report.stats->recall.reset();
  report.stats->audit.reset();
  report.stats->pairs = 0;
  EXPECT_TRUE(
      contains(report_html(report), "no pair was found from which to estimate it; a pair at the threshold would have been found with"));
  report.plan->verify = Verify::estimate;
  EXPECT_TRUE(contains(report_html(report), "The recall is not known: the candidates were not compared exactly"));
}

TEST(ReportPage, SaysWhatIsASample) {
  const std::string page = report_html(dedup_report());
  EXPECT_TRUE(contains(page, "61,204 pairs found; a sample of 5 is listed here."));
  EXPECT_TRUE(contains(page, "\"clustersInAll\":11662"));
  EXPECT_TRUE(contains(page, "These are the 3 largest of 11,662 clusters"));
  EXPECT_TRUE(contains(page, "3 of the 939 others"));
  EXPECT_TRUE(contains(page, "14 records could not be used."));
  EXPECT_TRUE(contains(page, ", skipped 14 records"));  // in the first sentence
  EXPECT_TRUE(contains(page, "records skipped"));
  EXPECT_TRUE(contains(page, "The first 2, and why"));
  EXPECT_TRUE(contains(page, "estimated from 256 random items, each compared with all others"));
}

TEST(ReportPage, CallsNoSampleWhatLacksPairsOfCopiesOnly) {
  Report report = dedup_report();
  report.listed = {{{"a", "one"}, {"b", "one"}, 1.0}, {{"a", "one"}, {"c", "one"}, 1.0}};
  report.pairs.resize(1);
  report.pairs_in_all = 3;
  const std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "3 pairs found; 2 are listed here.</p>"));
  EXPECT_TRUE(contains(page, "For a copy (an item equal to an earlier one), only its pair with that earlier item is listed."));
  report.sampled = true;
  EXPECT_TRUE(contains(report_html(report), "3 pairs found; a sample of 2 is listed here."));
}

TEST(ReportPage, OnlyARunThatRemovesSaysWhatWasRemoved) {
  Report report = dedup_report();
  EXPECT_TRUE(contains(report_html(report), "Items removed"));
  report.command = "pairs";
  EXPECT_FALSE(contains(report_html(report), "Items removed"));
  EXPECT_TRUE(contains(report_html(report), "Items that dedup would remove"));
}

TEST(ReportPage, TellsTheRecallOfRemovalsWhereItemsWereRemoved) {
  Report report = dedup_report();
  report.stats->audit.reset();
  report.stats->recall = Recall{.estimate = 0.8, .low = 0.75, .high = 0.85};
  report.stats->item_recall = Recall{.estimate = 0.99, .low = 0.98, .high = 1};
  const std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "<dt>item recall (estimated)</dt>"));
  EXPECT_TRUE(contains(page, "of the items that an exact search would remove"));
  EXPECT_TRUE(contains(page, "For the items to remove, the promised recall of 95"));
  EXPECT_FALSE(contains(page, "was not reached"));
}

TEST(ReportPage, ATextCannotTurnTheWritingDirection) {
  Report report = compare_report();
  report.pairs.front().texts.a.text = "see \u202Etxt.exe\u202C and \u2066more\u2069";
  report.pairs.front().texts.a.shared.clear();
  const std::string page = without_code(report_html(report));
  EXPECT_TRUE(contains(page, "see \uFFFDtxt.exe\uFFFD and \uFFFDmore\uFFFD"));
  EXPECT_FALSE(contains(page, "\u202E"));
}

TEST(ReportPage, PassagesAreToldByTheirLengths) {
  Report report = dedup_report();
  report.command = "passages";
  report.listed.clear();
  report.plan.reset();
  report.stats.reset();
  report.what_if.clear();
  const std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "\"lengths\":true"));
  EXPECT_TRUE(contains(page, std::to_string(report.pairs.front().comparison.shared) + " tokens"));
}

TEST(ReportPage, ARemovedItemNamesItsKeeper) {
  Report report = dedup_report();
  report.listed = {{{"a", "one", false, "k"}, {"b", "two", false, "k"}, 0.9}};
  EXPECT_TRUE(contains(report_html(report), R"(["a","one",0,"k"])"));
}

TEST(ReportPage, TheSliderStandsAtTheRunsOwnThreshold) {
  Report report = dedup_report();
  report.what_if.insert(report.what_if.begin(), WhatIf{0.7, 9, 9, 9});
  const std::string page = report_html(report);
  EXPECT_TRUE(contains(page, "min=\"0\" max=\"21\" step=\"1\" value=\"1\" aria-valuetext=\"0.8: 21,773 items removed\""));
  EXPECT_EQ(count(page, "<rect class=\"choice on\" data-row=\"1\""), 2u);  // on a screen, and on a phone
  EXPECT_EQ(count(page, "<rect class=\"choice"), 2 * report.what_if.size());
  EXPECT_TRUE(contains(page, "The run looked only for pairs at 0.8 or above."));
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
  EXPECT_TRUE(
      contains(page, "<mark>The harbour was closed on Tuesday after the storm had broken two of the moorings.</mark> Ships were sent"));
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
  EXPECT_TRUE(contains(page, "1,234 more bytes are not shown."));
  EXPECT_TRUE(contains(page, "<div class=\"side\" data-more=\"1234\">") && contains(page, "<div class=\"side\" data-normalised>"))
      << "the script says so, too";
  EXPECT_EQ(count(without_code(page), "This is the normalised text, not the original."), 1u);
}

TEST(ReportPage, PairsOfVectorsHaveNoTexts) {
  Report report = report_of(plan_of("euclidean<=3.5 recall=0.95 features=numbers sketch=gaussian:2145 width=10.5 bands=165x13"));
  report.pairs = {{"a",
                   "b",
                   "most similar",
                   {.a_size = 64, .b_size = 64, .similarity = 1.25, .estimate = 0.8, .found = 0.99, .candidate = true, .passages = {}},
                   {}}};
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
  const std::string text =
      "</script><script>window.hacked=1</script><img src=x onerror=hacked()>\" onload=\"hacked()' &amp; \x01\xff\xc0\x80 \r\n\t--> ]]>";
  Report report = dedup_report();
  make_hostile(report, text);
  expect_whole(report);
  const std::string page = report_html(report);
  EXPECT_EQ(count(page, "<script"), 2u);
  EXPECT_EQ(count(page, "</script"), 2u);
  EXPECT_FALSE(data_of(page).empty());
  for (const char* mark : {"<", ">", "&", "'"}) EXPECT_FALSE(contains(data_of(page), mark)) << mark;
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
    const bool said = contains(page, "no single curve") || contains(page, "no curve to draw");
    EXPECT_NE(drawn, said) << to_string(plan);
  }
}

TEST(ReportPage, PicturesHaveTheirMarksAndATextInTheirPlace) {
  const std::string page = report_html(dedup_report());
  EXPECT_TRUE(contains(page, "threshold 0.8</text>"));
  EXPECT_TRUE(contains(page, "promised: 95\u00A0%"));
  EXPECT_TRUE(contains(page,
                       "A curve shows the probability of being found: 0\u00A0% at the left end, 95.5\u00A0% at the threshold, 100\u00A0% "
                       "at the right end."));
  EXPECT_EQ(count(page, "role=\"img\""), count(page, "<desc id="));
}

TEST(ReportPage, GrowsWithWhatTheReportHoldsAndNoMore) {
  const std::size_t empty = report_html(Report{}).size();
  EXPECT_LT(empty, 80'000u);
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

TEST(ReportPage, RowsOfAnswersAreNoSets) {
  Report report = report_of(plan_of("hamming<=3 recall=1 features=shingles shingle=element:1 join=exact"));
  EXPECT_TRUE(contains(report_html(report), "Items are rows of a table, compared column by column."));
  EXPECT_FALSE(contains(report_html(report), "Items are sets"));
}

}  // namespace
}  // namespace nearkin::report_test
