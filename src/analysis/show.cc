// What a report shows of groups and buckets: a few of each.
#include <algorithm>
#include <map>
#include <unordered_set>

#include <nearkin/tools/compare.h>
#include <nearkin/tools/report.h>

#include "analysis/audit_report.h"
#include "analysis/shown_rows.h"
#include "collect/features_again.h"
#include "group/group.h"
#include "match/space.h"

namespace nearkin {
namespace {

constexpr std::size_t kClusters = 1'000, kMembers = 1'000, kMostMembers = 10'000;  // shown; of each, and of all
constexpr std::size_t kFewestMembers = 5;                                          // of each cluster, if it has them
constexpr std::size_t kBucketMembers = 8;
constexpr std::size_t kBucketTexts = 8;  // in which a bucket's common passage is looked for
constexpr std::size_t kPassageBytes = 400;

std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most) + "…";
}

void count_sizes(const NumberedClusters& numbered, Report& report) {
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const std::uint32_t size : numbered.sizes) {
    if (size >= 2) ++counts[size];
  }
  for (const auto& [size, clusters] : counts) report.sizes.push_back({size, clusters});
  report.clusters_in_all = numbered.repeated;
}

// The longest stretch of the first text whose shingles at least `need` of the others have.
std::pair<std::size_t, std::size_t> longest_stretch(const ShingleSpans& spans, const std::vector<std::uint32_t>& having,
                                                    std::uint32_t need) {
  std::size_t best_begin = 0, best_end = 0;
  for (std::size_t begin = 0, end = 0; begin < having.size(); begin = end + 1) {
    for (end = begin; end < having.size() && having[end] >= need; ++end) {
    }
    if (end == begin) continue;
    const auto length = [&](std::size_t from, std::size_t to) {
      return to > from ? spans.spans[to - 1].end - spans.spans[from].begin : 0u;
    };
    if (length(begin, end) > length(best_begin, best_end)) {
      best_begin = begin;
      best_end = end;
    }
  }
  return {best_begin, best_end};
}

// What all members that are looked at have in common, or, where that is nothing, as many as possible of them.
void find_passage(const std::vector<std::string>& texts, const ShinglePlan& plan, ShownBucket& bucket) {
  const ShingleSpans first = shingle_spans(texts.front(), plan);
  std::vector<std::unordered_set<std::uint64_t>> others;
  for (std::size_t i = 1; i < texts.size(); ++i) {
    std::unordered_set<std::uint64_t>& hashes = others.emplace_back();
    for (const ShingleSpans::Span& span : shingle_spans(texts[i], plan).spans) hashes.insert(span.hash);
  }
  std::vector<std::uint32_t> having(first.spans.size());
  for (std::size_t s = 0; s < having.size(); ++s) {
    if (first.spans[s].ignored) continue;
    for (const auto& other : others) having[s] += other.contains(first.spans[s].hash);
  }
  bucket.looked_at = static_cast<std::uint32_t>(texts.size());
  for (auto need = static_cast<std::uint32_t>(others.size()); need > 0; --need) {
    const auto [begin, end] = longest_stretch(first, having, need);
    if (end == begin) continue;
    const std::uint32_t from = first.spans[begin].begin, to = first.spans[end - 1].end;
    bucket.passage = cut(first.normalised.substr(from, to - from), kPassageBytes);
    bucket.having = need + 1;
    return;
  }
}

ShownCluster shown_cluster(const std::vector<Row>& members, const KeeperMatches& matches, const Stage& stage, std::size_t most,
                           RowReader& ids, Beginnings& beginnings) {
  const bool valued = stage.plan.verify != Verify::none || stage.plan.exact_join();
  ShownCluster cluster;
  cluster.keeper = ids.id(members.front());
  cluster.beginning = beginnings(members.front());
  cluster.size = members.size();
  for (std::size_t i = 1; i < members.size(); ++i) {
    const double value = measured(matches(members[i]), stage.plan.measure);
    cluster.least = i == 1 || better(stage.plan.measure, cluster.least, value) ? value : cluster.least;
    if (cluster.members.size() >= most) continue;
    cluster.members.emplace_back(ids.id(members[i]));
    cluster.beginnings.push_back(beginnings(members[i]));
    if (valued) cluster.values.push_back(value);
  }
  return cluster;
}

}  // namespace

std::vector<Row> show_clusters(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers,
                               Report& report) {
  if (rows.across()) return {};  // between two inputs there are no groups
  const NumberedClusters numbered = number_clusters(keepers);
  const KeeperMatches matches(rows, stage, found, keepers);
  count_sizes(numbered, report);
  RowReader ids(rows);
  Beginnings beginnings(rows, stage.plan);
  const std::vector<std::vector<Row>> clusters = largest_clusters(keepers, numbered, kClusters);
  std::size_t left = kMostMembers, for_others = kFewestMembers * clusters.size();
  std::vector<Row> shown;
  for (const std::vector<Row>& members : clusters) {
    for_others -= kFewestMembers;
    report.clusters.push_back(shown_cluster(members, matches, stage, std::min(left - for_others, kMembers), ids, beginnings));
    const std::size_t listed = report.clusters.back().members.size();
    left -= listed;
    shown.insert(shown.end(), members.begin(), members.begin() + static_cast<std::ptrdiff_t>(listed) + 1);
  }
  return shown;
}

void show_buckets(const Rows& rows, const Plan& plan, const SearchResult& found, Report& report) {
  TextReader texts(rows);
  RowReader reader(rows);
  for (const BigBucket& big : found.buckets) {
    ShownBucket bucket;
    bucket.size = big.size;
    bucket.bands = big.bands;
    std::vector<std::string> looked_at;
    for (const Row row : big.members) {
      if (bucket.members.size() < kBucketMembers) bucket.members.emplace_back(reader.id(row));
      if (plan.kind == Kind::shingles && looked_at.size() < kBucketTexts) looked_at.emplace_back(texts(row));
    }
    if (looked_at.size() > 1) find_passage(looked_at, plan.shingle, bucket);
    report.buckets.push_back(std::move(bucket));
  }
}

}  // namespace nearkin
