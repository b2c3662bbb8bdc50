// What a report shows of groups, buckets and pairs: a few of each, with their texts.
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <nearkin/tools/compare.h>
#include <nearkin/tools/report.h>

#include "analysis/audit_report.h"
#include "base/hash.h"
#include "collect/features_again.h"
#include "collect/row_vectors.h"
#include "collect/sketcher.h"
#include "group/group.h"
#include "io/formats/result_rows.h"
#include "match/space.h"

namespace nearkin {
namespace {

constexpr std::size_t kClusters = 20, kMembers = 8;  // shown
constexpr std::size_t kBucketTexts = 8;              // in which a bucket's common passage is looked for
constexpr std::size_t kPassageBytes = 400;
constexpr std::size_t kShownBytes = 10'000;     // of each text of a pair
constexpr std::uint64_t kMostTexts = 16 << 20;  // bytes of all texts that are compared for it, but for the first few pairs
constexpr std::size_t kFewestPairs = 5;
constexpr std::size_t kAtBorder = 15, kAlike = 5, kAtRandom = 10, kOfClusters = 10;  // pairs

bool has_texts(const Plan& plan) { return plan.kind == Kind::shingles || plan.kind == Kind::tfidf; }

std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most) + "…";
}

// The members of the largest clusters, keepers first, the largest cluster first.
std::vector<std::vector<Row>> largest_clusters(std::span<const Row> keepers, const NumberedClusters& numbered, std::size_t most) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t number = 0; number < numbered.sizes.size(); ++number) {
    if (numbered.sizes[number] >= 2) order.push_back(number);
  }
  const std::size_t shown = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(), [&](std::uint32_t x, std::uint32_t y) {
    return numbered.sizes[x] != numbered.sizes[y] ? numbered.sizes[x] > numbered.sizes[y] : x < y;
  });
  std::unordered_map<Row, std::size_t> places;
  std::vector<std::vector<Row>> clusters(shown);
  for (std::size_t i = 0; i < shown; ++i) {
    places[numbered.keepers[order[i]]] = i;
    clusters[i].push_back(numbered.keepers[order[i]]);
  }
  for (Row row = 0; row < keepers.size(); ++row) {
    const auto place = places.find(keepers[row]);
    if (place != places.end() && keepers[row] != row) clusters[place->second].push_back(row);
  }
  return clusters;
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

// Representatives' pairs, chosen for what they tell.
struct Choice {
  Match match;
  const char* why;
};

class PairChoice {
 public:
  PairChoice(const SearchResult& found, const Plan& plan) : found_(found), plan_(plan) {}

  /// `of_clusters`: a pair of each of the largest clusters, the largest first.
  std::vector<Choice> choose(const Matches& of_clusters) {
    const bool valued = plan_.measure != Measure::exact && (plan_.verify != Verify::none || plan_.exact_join());
    const auto nearer_pair = [this](const Match& x, const Match& y) { return comes_before(x, y); };
    if (valued) {
      take_first(
          kAtBorder, [&](const Match& x, const Match& y) { return nearer_pair(y, x); },
          is_distance(plan_.measure) ? "nearest to the radius" : "nearest to the threshold");
    }
    for (std::size_t c = 0; c < of_clusters.size(); ++c) offer(of_clusters[c], c == 0 ? "in the largest cluster" : "in a large cluster");
    if (valued) take_first(kAlike, nearer_pair, "most similar");
    take_at_random();
    return std::move(chosen_);
  }

 private:
  bool comes_before(const Match& x, const Match& y) const {
    if (nearer(x, y, plan_.measure)) return true;
    return !nearer(y, x, plan_.measure) && Pair{x.a, x.b} < Pair{y.a, y.b};
  }

  // A heap holds the first so many that were met, the last of them on top.
  template <typename Before>
  void take_first(std::size_t count, Before before, const char* why) {
    Matches first;
    found_.matches.for_each([&](const Match& match) {
      if (first.size() == count && !before(match, first.front())) return;
      if (first.size() == count) {
        std::pop_heap(first.begin(), first.end(), before);
        first.pop_back();
      }
      first.push_back(match);
      std::push_heap(first.begin(), first.end(), before);
    });
    std::sort(first.begin(), first.end(), before);
    for (const Match& match : first) offer(match, why);
  }

  // Places are drawn first, and their matches found in one pass.
  void take_at_random() {
    const std::uint64_t count = found_.matches.count();
    if (count == 0) return;
    SplitMix random(plan_.sketch.seed);
    std::vector<std::uint64_t> places;
    for (std::size_t i = 0; i < 4 * kAtRandom; ++i) places.push_back(multiply128(random(), count).high);
    std::map<std::uint64_t, Match> drawn;
    for (const std::uint64_t place : places) drawn[place];
    std::uint64_t at = 0;
    found_.matches.for_each([&](const Match& match) {
      const auto wanted = drawn.find(at++);
      if (wanted != drawn.end()) wanted->second = match;
    });
    std::size_t taken = 0;
    for (std::size_t i = 0; i < places.size() && taken < kAtRandom; ++i) taken += offer(drawn[places[i]], "at random");
  }

  bool offer(const Match& match, const char* why) {
    const bool known = std::any_of(chosen_.begin(), chosen_.end(), [&](const Choice& other) {
      return std::minmax(other.match.a, other.match.b) == std::minmax(match.a, match.b);
    });
    if (!known) chosen_.push_back({match, why});
    return !known;
  }

  const SearchResult& found_;
  const Plan& plan_;
  std::vector<Choice> chosen_;
};

ShownPair shown_pair(const Choice& choice, const Rows& rows, const Plan& plan) {
  const auto [a, b] = std::pair(choice.match.a, choice.match.b);
  RowReader reader(rows);
  ShownPair pair{.a = std::string(reader.id(a)), .b = std::string(reader.id(b)), .why = choice.why, .comparison = {}, .texts = {}};
  std::string of_a, of_b;
  if (has_texts(plan)) {
    TextReader texts(rows);
    of_a = texts(a);
    of_b = texts(b);
    pair.texts = mark_shared(of_a, of_b, plan.shingle, kShownBytes);
  }
  if (!compares_vectors(plan)) {
    pair.comparison = compare(of_a, of_b, plan, 0);
    return pair;
  }
  const Vectors two = load_vectors(rows, plan, std::array{a, b}, 1);
  pair.comparison = compare(two, 0, two, 1, plan);
  return pair;
}

}  // namespace

void show_clusters(const Rows& rows, const Stage& stage, const SearchResult& found, Linkage linkage, Report& report) {
  if (rows.across()) return;  // between two inputs there are no groups
  const std::vector<Row> keepers = keepers_of(rows, stage, found, linkage);
  const NumberedClusters numbered = number_clusters(keepers);
  const KeeperMatches matches(rows, stage, found, keepers);
  count_sizes(numbered, report);
  RowReader reader(rows);
  for (const std::vector<Row>& members : largest_clusters(keepers, numbered, kClusters)) {
    ShownCluster cluster;
    cluster.keeper = reader.id(members.front());
    cluster.size = members.size();
    for (std::size_t i = 1; i < members.size(); ++i) {
      const double value = measured(matches(members[i]), stage.plan.measure);
      cluster.least = i == 1 || better(stage.plan.measure, cluster.least, value) ? value : cluster.least;
      if (cluster.members.size() < kMembers) cluster.members.emplace_back(reader.id(members[i]));
    }
    report.clusters.push_back(std::move(cluster));
  }
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
      if (bucket.members.size() < kMembers) bucket.members.emplace_back(reader.id(row));
      if (plan.kind == Kind::shingles && looked_at.size() < kBucketTexts) looked_at.emplace_back(texts(row));
    }
    if (looked_at.size() > 1) find_passage(looked_at, plan.shingle, bucket);
    report.buckets.push_back(std::move(bucket));
  }
}

void show_pairs(const Rows& rows, const Stage& stage, const SearchResult& found, Report& report) {
  Matches of_clusters;
  if (!rows.across()) {
    const std::vector<Row> keepers = keepers_of(rows, stage, found, Linkage::connected);
    const KeeperMatches matches(rows, stage, found, keepers);
    for (const std::vector<Row>& members : largest_clusters(keepers, number_clusters(keepers), kOfClusters)) {
      Match match = matches(members[1]);
      std::swap(match.a, match.b);
      of_clusters.push_back(match);
    }
  }
  RowReader reader(rows);
  std::uint64_t bytes = 0;
  for (const Choice& choice : PairChoice(found, stage.plan).choose(of_clusters)) {
    bytes += reader.text_size(choice.match.a) + reader.text_size(choice.match.b);
    if (bytes > kMostTexts && report.pairs.size() >= kFewestPairs) break;
    report.pairs.push_back(shown_pair(choice, rows, stage.plan));
  }
  report.pairs_in_all = count_pairs(found, rows.across(), stage.plan.measure).all;
}

}  // namespace nearkin
