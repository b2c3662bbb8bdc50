// What a report shows of groups, buckets and pairs: a few of each, with their texts.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "analysis/examine.h"
#include "base/hash.h"
#include "group/group.h"
#include "io/formats/result_rows.h"
#include "match/space.h"

namespace nearkin {
namespace {

constexpr std::size_t kClusters = 20, kMembers = 8;  // shown
constexpr std::size_t kBucketTexts = 8;              // in which a bucket's common passage is looked for
constexpr std::size_t kPassageBytes = 400;
constexpr std::size_t kTextBytes = 10'000;      // of each text of a pair
constexpr std::uint64_t kMostTexts = 16 << 20;  // bytes of all texts that are compared for it, but for the first few pairs
constexpr std::size_t kFewestPairs = 5;
constexpr std::size_t kAtBorder = 15, kAlike = 5, kAtRandom = 10, kOfClusters = 10;  // pairs

bool has_texts(const Plan& plan) { return plan.kind == Kind::shingles || plan.kind == Kind::tfidf; }

std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most) + "…";
}

std::string id_of(const Collection& collection, Row row) { return std::string(collection.ids[row]); }

class Texts {
 public:
  explicit Texts(const Collection& collection) : collection_(collection) {}
  std::string operator()(Row row) { return std::string(text_again(collection_, row, buffer_, batch_)); }

 private:
  const Collection& collection_;
  std::string buffer_;
  Batch batch_;
};

// The members of the largest clusters, keepers first, the largest cluster first.
std::vector<std::vector<Row>> largest_clusters(const Groups& groups, std::size_t most) {
  std::vector<std::uint32_t> sizes(groups.clusters.size());
  for (const std::uint32_t number : groups.clusters.cluster) ++sizes[number];
  std::vector<std::uint32_t> order;
  for (std::uint32_t number = 0; number < sizes.size(); ++number) {
    if (sizes[number] >= 2) order.push_back(number);
  }
  const std::size_t shown = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](std::uint32_t x, std::uint32_t y) { return sizes[x] != sizes[y] ? sizes[x] > sizes[y] : x < y; });
  std::unordered_map<std::uint32_t, std::size_t> places;
  std::vector<std::vector<Row>> clusters(shown);
  for (std::size_t i = 0; i < shown; ++i) {
    places[order[i]] = i;
    clusters[i].push_back(groups.clusters.keeper[order[i]]);
  }
  for (Row row = 0; row < groups.clusters.cluster.size(); ++row) {
    const auto place = places.find(groups.clusters.cluster[row]);
    if (place != places.end() && clusters[place->second].front() != row) clusters[place->second].push_back(row);
  }
  return clusters;
}

void count_sizes(const Groups& groups, Report& report) {
  std::vector<std::uint64_t> sizes(groups.clusters.size());
  for (const std::uint32_t number : groups.clusters.cluster) ++sizes[number];
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const std::uint64_t size : sizes) {
    if (size >= 2) ++counts[size];
  }
  for (const auto& [size, clusters] : counts) report.sizes.push_back({size, clusters});
  report.clusters_in_all = groups.repeated;
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
  PairChoice(const Collection& collection, const SearchResult& found, const Plan& plan)
      : collection_(collection), found_(found), plan_(plan) {}

  std::vector<Choice> choose(const std::vector<std::vector<Row>>& clusters) {
    const Matches& all = found_.matches;
    const bool valued = plan_.measure != Measure::exact && (plan_.verify != Verify::none || plan_.exact_join());
    const auto nearer_pair = [&](const Match* x, const Match* y) {
      if (nearer(*x, *y, plan_.measure)) return true;
      return !nearer(*y, *x, plan_.measure) && Pair{x->a, x->b} < Pair{y->a, y->b};
    };
    if (valued) {
      take_first(
          kAtBorder, [&](const Match* x, const Match* y) { return nearer_pair(y, x); },
          is_distance(plan_.measure) ? "nearest to the radius" : "nearest to the threshold");
    }
    for (std::size_t c = 0; c < clusters.size() && c < kOfClusters; ++c) {
      const Match match = match_between(clusters[c][0], clusters[c][1], collection_, found_, plan_);
      offer(match, c == 0 ? "in the largest cluster" : "in a large cluster");
    }
    if (valued) take_first(kAlike, nearer_pair, "most similar");
    SplitMix random(plan_.sketch.seed);
    for (std::size_t i = 0; i < 4 * kAtRandom && !all.empty() && taken_at_random_ < kAtRandom; ++i) {
      taken_at_random_ += offer(all[multiply128(random(), all.size()).high], "at random");
    }
    return std::move(chosen_);
  }

 private:
  template <typename Before>
  void take_first(std::size_t count, Before before, const char* why) {
    std::vector<const Match*> order;
    order.reserve(found_.matches.size());
    for (const Match& match : found_.matches) order.push_back(&match);
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
    std::partial_sort(order.begin(), middle, order.end(), before);
    for (auto place = order.begin(); place != middle; ++place) offer(**place, why);
  }

  bool offer(const Match& match, const char* why) {
    const bool known = std::any_of(chosen_.begin(), chosen_.end(), [&](const Choice& other) {
      return std::minmax(other.match.a, other.match.b) == std::minmax(match.a, match.b);
    });
    if (!known) chosen_.push_back({match, why});
    return !known;
  }

  const Collection& collection_;
  const SearchResult& found_;
  const Plan& plan_;
  std::vector<Choice> chosen_;
  std::size_t taken_at_random_ = 0;
};

ShownPair shown_pair(const Choice& choice, const Collection& collection, const Plan& plan, Texts& texts) {
  const auto [a, b] = std::pair(choice.match.a, choice.match.b);
  ShownPair pair{.a = id_of(collection, a), .b = id_of(collection, b), .why = choice.why, .comparison = {}, .texts = {}};
  std::string of_a, of_b;
  if (has_texts(plan)) {
    of_a = texts(a);
    of_b = texts(b);
    pair.texts = mark_shared(of_a, of_b, plan.shingle, kTextBytes);
  }
  pair.comparison = compares_vectors(plan) ? compare(collection.vectors, a, collection.vectors, b, plan) : compare(of_a, of_b, plan, 0);
  return pair;
}

}  // namespace

void show_clusters(const Collection& collection, const SearchResult& found, const Plan& plan, Linkage linkage, Report& report) {
  if (collection.inputs.size() > 1) return;  // between two inputs there are no groups
  const Groups groups = group(collection, found, linkage, plan);
  count_sizes(groups, report);
  for (const std::vector<Row>& rows : largest_clusters(groups, kClusters)) {
    ShownCluster cluster;
    cluster.keeper = id_of(collection, rows.front());
    cluster.size = rows.size();
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const Match match = match_between(rows[i], rows.front(), collection, found, plan);
      const double value = measured(match, plan.measure);
      cluster.least = i == 1 || better(plan.measure, cluster.least, value) ? value : cluster.least;
      if (cluster.members.size() < kMembers) cluster.members.push_back(id_of(collection, rows[i]));
    }
    report.clusters.push_back(std::move(cluster));
  }
}

void show_buckets(const Collection& collection, const SearchResult& found, const Plan& plan, Report& report) {
  Texts texts(collection);
  for (const BigBucket& big : found.buckets) {
    ShownBucket bucket;
    bucket.size = big.size;
    bucket.bands = big.bands;
    std::vector<std::string> looked_at;
    for (const Row row : big.members) {
      if (bucket.members.size() < kMembers) bucket.members.push_back(id_of(collection, row));
      if (plan.kind == Kind::shingles && looked_at.size() < kBucketTexts) looked_at.push_back(texts(row));
    }
    if (looked_at.size() > 1) find_passage(looked_at, plan.shingle, bucket);
    report.buckets.push_back(std::move(bucket));
  }
}

void show_pairs(const Collection& collection, const SearchResult& found, const Plan& plan, Report& report) {
  std::vector<std::vector<Row>> clusters;
  if (collection.inputs.size() == 1) clusters = largest_clusters(group(collection, found, Linkage::connected, plan), kOfClusters);
  Texts texts(collection);
  std::uint64_t bytes = 0;
  for (const Choice& choice : PairChoice(collection, found, plan).choose(clusters)) {
    bytes += collection.text_sizes[choice.match.a] + collection.text_sizes[choice.match.b];
    if (bytes > kMostTexts && report.pairs.size() >= kFewestPairs) break;
    report.pairs.push_back(shown_pair(choice, collection, plan, texts));
  }
  report.pairs_in_all = count_pairs(found, collection.inputs.size() > 1, plan.measure);
}

}  // namespace nearkin
