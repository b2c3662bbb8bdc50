// Reports made up for the tests of the page: one of every kind, with all values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

namespace nearkin {

inline Plan plan_of(std::string_view line) { return parse_plan(line); }

inline Plan jaccard_plan() {
  return plan_of("jaccard>=0.8 recall=0.95 shingle=word:5 normalise=text sketch=minhash:136 bands=17x8 seed=1");
}

/// A plan of every measure and family, with sketches and without.
inline std::vector<Plan> plans_of_every_measure() {
  std::vector<Plan> out{jaccard_plan()};
  for (const std::string_view line :
       {"jaccard>=0.5 recall=1 shingle=char:9 join=exact", "exact normalise=none",
        "jaccard>=0.7 recall=0.9 shingle=element:1 sketch=minhash:60 bands=12x5 verify=estimate",
        "weighted-jaccard>=0.8 recall=0.95 shingle=word:3 sketch=minhash:136 bands=17x8",
        "containment>=0.6 recall=1 shingle=word:3 join=exact", "cosine>=0.8 recall=0.95 features=numbers sketch=hyperplane:630 bands=42x15",
        "cosine>=0.7 recall=0.95 features=tfidf shingle=word:1 sketch=hyperplane:630 bands=42x15",
        "cosine recall=0.95 nearest=10 features=numbers sketch=hyperplane:1536 tables=64",
        "hamming<=16 recall=0.95 features=bits sketch=bit-sampling:300 dimensions=256 bands=20x15",
        "hamming<=0.05 recall=0.95 features=bits sketch=bit-sampling:300 bands=20x15",
        "euclidean<=3.5 recall=0.95 features=numbers sketch=gaussian:2145 width=10.5 bands=165x13",
        "manhattan<=3.5 recall=0.95 features=numbers sketch=cauchy:300 width=10.5 bands=30x10"}) {
    out.push_back(plan_of(line));
  }
  return out;
}

/// Billions of unlike pairs, a valley, and a hill of near-duplicates.
inline DataSample sample_of_sets() {
  DataSample sample{.items = 120'000, .shingles = 210, .text_bytes = 1300, .asked = 256, .against = 120'000};
  double bulk = 4e9;
  for (int step = 0; step < 100; ++step) {
    const double hill = step < 60 ? 0 : 60.0 * (step - 58) * (101 - step) / 100;
    const auto seen = static_cast<std::uint64_t>((bulk + hill) / 234);
    if (seen > 0) sample.pairs.push_back({(step + 0.5) / 100, static_cast<double>(seen) * 234, seen});
    bulk *= 0.62;
  }
  sample.pairs.push_back({1, 1872, 8});
  return sample;
}

inline MarkedText marked_text(std::string text, std::vector<std::string> shared) {
  MarkedText out;
  out.text = std::move(text);
  std::size_t at = 0;
  for (const std::string& part : shared) {
    const std::size_t begin = out.text.find(part, at);
    if (begin == std::string::npos) continue;
    at = begin + part.size();
    out.shared.push_back({begin, at});
  }
  return out;
}

inline ShownPair shown_pair(const std::string& a, const std::string& b, const std::string& why, std::uint64_t shared) {
  const std::string first = "The harbour was closed on Tuesday after the storm had broken two of the moorings.";
  const std::string second = "Ships were sent to the southern quay, and the ferry did not run until the evening.";
  const std::string end = "Nobody was hurt.\n\nThe harbour master said the repairs would take about a week.";
  const Comparison comparison{.a_size = 129,
                              .b_size = 128,
                              .shared = shared,
                              .total = 257 - shared,
                              .similarity = static_cast<double>(shared) / static_cast<double>(257 - shared),
                              .estimate = 0.868,
                              .found = 0.9921,
                              .candidate = true,
                              .passages = {"the harbour was closed on tuesday after the storm"}};
  return {a,
          b,
          why,
          comparison,
          {marked_text(first + ' ' + second + ' ' + end, {first, end}),
           marked_text(first + " All ships had to wait outside, some of them for more than nine hours. " + end, {first, end})}};
}

inline RunStats stats_of_run() {
  RunStats stats;
  stats.items = 120'000;
  stats.empty = 12;
  stats.copies = 3'104;
  stats.candidates = 412'004;
  stats.pairs = 61'204;
  stats.buckets = {3, 940, 0};
  stats.faults = {{{"news.jsonl:41", "no field \"text\"; record skipped"}, {"news.jsonl:977", "invalid UTF-8"}}, 14, 0};
  stats.recall = Recall{0.9871, 0.9834, 0.9902};
  stats.audit = Audit{{0.9843, 0.9721, 0.9931}, 500, 512, 504};
  stats.seconds = {{"read", 4.21}, {"candidates", 0.93}, {"verify", 1.4}, {"cluster", 0.02}, {"write", 0.61}};
  stats.peak_bytes = 412'000'000;
  return stats;
}

inline void add_clusters(Report& report) {
  report.sizes = {{2, 9120}, {3, 1711}, {4, 400}, {5, 212}, {6, 90}, {7, 61}, {9, 30}, {12, 22}, {17, 9}, {31, 4}, {120, 2}, {940, 1}};
  report.clusters_in_all = 11'662;
  report.clusters = {
      {"news/1998/weather-0001", 940, 0.8012, {"news/1998/weather-0002", "news/1998/weather-0007", "news/1998/weather-0011"}},
      {"news/2003/tide-table", 120, 0.9411, {"news/2003/tide-table-2"}},
      {"sport/results-17", 120, 0.8333, {}}};
  report.buckets = {{940,
                     17,
                     {"news/1998/weather-0001", "news/1998/weather-0002"},
                     "issued by the harbour office. all times are local. the office takes no liability for loss or damage",
                     8,
                     8},
                    {212, 4, {"sport/results-17", "sport/results-18"}, "", 0, 8}};
}

inline Report dedup_report() {
  Report report{
      .command = "dedup", .inputs = {"news.jsonl"}, .plan = jaccard_plan(), .stats = stats_of_run(), .kept = 98'211, .removed = 21'789};
  report.sample = sample_of_sets();
  report.expected = Expectation{60'120, 902, 418'000, 357'900};
  for (int i = 0; i <= 20; ++i) {
    const auto left = static_cast<std::uint64_t>(21 - i);
    report.what_if.push_back(
        {0.8 + i / 100.0, 3104 + left * left * 131, 2000 + left * 460, 3104 + left * 889, Recall{0.9871 + i * 0.0006, 0.98, 0.99}});
  }
  add_clusters(report);
  report.pairs_in_all = 61'204;
  report.pairs = {
      shown_pair("news/1998/a", "news/1998/b", "nearest to the threshold", 115),
      shown_pair("news/1999/c", "news/1999/d", "nearest to the threshold", 116),
      shown_pair("news/2001/e", "news/2001/f", "most similar", 127), shown_pair("news/2002/g", "news/2002/h", "at random", 121),
      shown_pair("news/2004/a-rather-long-name-of-a-document-that-has-to-break-somewhere.html", "news/2002/j", "at random", 119)};
  report.figures = {{"keep", "first"}, {"linkage", "star"}};
  return report;
}

inline Report compare_report() {
  Report report{.command = "compare", .inputs = {"first.txt", "second.txt"}, .plan = jaccard_plan()};
  report.pairs = {shown_pair("first.txt", "second.txt", "", 118)};
  report.pairs_in_all = 1;
  return report;
}

inline Report tune_report() {
  Report report{.command = "tune",
                .inputs = {"news.jsonl"},
                .plan = jaccard_plan(),
                .sample = sample_of_sets(),
                .expected = Expectation{60'120, 902, 418'000, 357'900}};
  for (std::uint32_t rows = 5; rows <= 11; ++rows) {
    Plan plan = jaccard_plan();
    plan.band.rows = rows;
    plan.band.bands = bands_needed(0.8, rows, 0.95);
    plan.sketch.hashes = plan.band.bands * rows;
    const double bands = plan.band.bands;
    report.alternatives.push_back({plan, {2100 + bands * rows * 4, bands * 17, 90'000.0 / (rows * rows * rows * rows)}});
  }
  report.figures = {{"seconds", "12.4"}, {"memory", "310 MB"}};
  return report;
}

inline Report evaluate_report() {
  Report report{.command = "evaluate", .inputs = {"digits.bvecs"}};
  report.table = {{"plan", "recall", "precision", "searched"}, {"bands=10x8", "0.91", "1", "120.5"}, {"bands=20x8", "0.97", "1", "212"}};
  report.plots = {{"Recall by bands", "bands", "recall", {{"rows 8", {{10, 0.91}, {20, 0.97}}}, {"rows 12", {{10, 0.71}, {20, 0.84}}}}}};
  report.figures = {{"queries", "100"}};
  return report;
}

}  // namespace nearkin
