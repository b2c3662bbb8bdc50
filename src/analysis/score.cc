#include "analysis/score.h"

#include <algorithm>
#include <numeric>

#include "analysis/other_borders.h"
#include "group/linkage.h"

namespace nearkin {
namespace {

double pairs_of(std::uint64_t items) { return static_cast<double>(items) * static_cast<double>(items - 1) / 2; }

/// Borders from the widest to the strictest, and how many of them a match is within.
class Borders {
 public:
  Borders(const Rows& rows, const Plan& plan, const std::vector<double>& borders) : order_(borders.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const bool distance = is_distance(plan.measure);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t x, std::size_t y) { return distance ? borders[x] > borders[y] : borders[x] < borders[y]; });
    for (const std::size_t at : order_) within_.emplace_back(with_border(plan, borders[at]), rows);
  }

  std::size_t size() const { return within_.size(); }
  /// Where the i-th of them was given.
  std::size_t given(std::size_t i) const { return order_[i]; }
  std::uint32_t reached(const Match& match) const {
    const auto end = std::partition_point(within_.begin(), within_.end(), [&](const WithinBorder& within) { return within(match); });
    return static_cast<std::uint32_t>(end - within_.begin());
  }

 private:
  std::vector<std::size_t> order_;
  std::vector<WithinBorder> within_;
};

/// Calls use(a, b, reached) for each pair of representatives that is within a border. A containment is found in each direction apart: the
/// greater counts, and its pairs are held in memory for that.
template <typename Use>
void for_each_reached(const SearchResult& found, const Borders& borders, bool directed, Use&& use) {
  if (!directed) {
    found.matches.for_each([&](const Match& match) {
      if (const std::uint32_t reached = borders.reached(match); reached > 0) use(match.a, match.b, reached);
    });
    return;
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs;
  found.matches.for_each([&](const Match& match) {
    if (const std::uint32_t reached = borders.reached(match); reached > 0) pairs.emplace_back(packed_pair(match.a, match.b), reached);
  });
  std::sort(pairs.begin(), pairs.end());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool last = i + 1 == pairs.size() || pairs[i + 1].first != pairs[i].first;  // the greater of both comes last
    if (last) use(static_cast<Row>(pairs[i].first >> 32), static_cast<Row>(pairs[i].first), pairs[i].second);
  }
}

/// Clusters that grow, border by border, and how well they agree with the true ones.
class GrowingClusters {
 public:
  GrowingClusters(const SearchResult& found, const TruthByRows& truth)
      : representative_(found.representative), truth_(truth), components_(found.representative.size()) {
    for (const std::uint32_t cluster : truth.clusters) {
      if (cluster == TruthByRows::kNoCluster) continue;
      if (cluster >= true_sizes_.size()) true_sizes_.resize(cluster + 1);
      ++true_sizes_[cluster];
    }
  }

  void unite(Row a, Row b) { components_.unite(a, b); }

  ClusterAgreement agreement_now() {
    const std::size_t items = representative_.size();
    std::vector<std::uint64_t> cells;  // component and true cluster of each item that has one
    std::vector<std::uint32_t> sizes(items);
    double unnamed = 0, found = 0, right = 0, precise = 0, complete = 0;
    for (Row row = 0; row < items; ++row) ++sizes[components_.root(representative_[row])];
    for (Row row = 0; row < items; ++row) {
      const Row root = components_.root(representative_[row]);
      if (sizes[row] > 1) found += pairs_of(sizes[row]);
      if (truth_.clusters[row] == TruthByRows::kNoCluster) {
        unnamed += 1;
        precise += 1.0 / sizes[root];
      } else {
        cells.push_back(std::uint64_t{root} << 32 | truth_.clusters[row]);
      }
    }
    std::sort(cells.begin(), cells.end());
    for (std::size_t begin = 0; begin < cells.size();) {
      std::size_t end = begin;
      while (end < cells.size() && cells[end] == cells[begin]) ++end;
      const auto shared = static_cast<double>(end - begin);
      right += pairs_of(end - begin);
      precise += shared * shared / sizes[cells[begin] >> 32];
      complete += shared * shared / true_sizes_[static_cast<std::uint32_t>(cells[begin])];
      begin = end;
    }
    const auto all = static_cast<double>(items);
    return {.pairs = agreement(found, right, static_cast<double>(truth_.notes.labels)),
            .b_cubed = {.precision = precise / all, .recall = (complete + unnamed) / all}};
  }

 private:
  std::span<const Row> representative_;
  const TruthByRows& truth_;
  Components components_;
  std::vector<std::uint32_t> true_sizes_;
};

void add_clusters(std::vector<TruthAt>& rows, const Borders& borders, const SearchResult& found, const TruthByRows& truth,
                  SpanningMatches& spanning) {
  GrowingClusters clusters(found, truth);
  const std::vector<SpanningMatches::Edge> edges = spanning.edges();
  std::size_t at = 0;
  for (std::size_t i = borders.size(); i-- > 0;) {
    for (; at < edges.size() && edges[at].reached > i; ++at) clusters.unite(edges[at].a, edges[at].b);
    rows[borders.given(i)].clusters = clusters.agreement_now();
  }
}

}  // namespace

Agreement agreement(double found, double right, double labels) {
  return {.precision = found == 0 ? 1 : right / found, .recall = labels == 0 ? 1 : right / labels};
}

TruePairs::TruePairs(const TruthByRows& truth, std::span<const Row> representative) : of_clusters_(truth.kind == TruthKind::clusters) {
  if (of_clusters_) add_clusters(truth, representative);
  for (const std::uint64_t pair : truth.pairs) {
    const Row a = representative[pair >> 32], b = representative[static_cast<Row>(pair)];
    if (a == b)
      ++within_;
    else
      ++pairs_[packed_pair(a, b)];
  }
}

void TruePairs::add_clusters(const TruthByRows& truth, std::span<const Row> representative) {
  for (Row row = 0; row < truth.clusters.size(); ++row) {
    if (truth.clusters[row] == TruthByRows::kNoCluster) continue;
    std::vector<Part>& parts = clusters_[representative[row]];
    const auto place = std::lower_bound(parts.begin(), parts.end(), truth.clusters[row],
                                        [](const Part& part, std::uint32_t cluster) { return part.cluster < cluster; });
    if (place != parts.end() && place->cluster == truth.clusters[row])
      within_ += place->items++;
    else
      parts.insert(place, {truth.clusters[row], 1});
  }
}

std::uint64_t TruePairs::between(Row a, Row b) const {
  if (!of_clusters_) {
    const auto found = pairs_.find(packed_pair(a, b));
    return found == pairs_.end() ? 0 : found->second;
  }
  const auto first = clusters_.find(a), second = clusters_.find(b);
  if (first == clusters_.end() || second == clusters_.end()) return 0;
  std::uint64_t count = 0;
  auto other = second->second.begin();
  for (const Part& part : first->second) {
    while (other != second->second.end() && other->cluster < part.cluster) ++other;
    if (other != second->second.end() && other->cluster == part.cluster) count += std::uint64_t{part.items} * other->items;
  }
  return count;
}

void SpanningMatches::add(Row a, Row b, std::uint32_t reached) {
  constexpr std::size_t kRoom = std::size_t{1} << 22;
  edges_.push_back({a, b, reached});
  if (edges_.size() >= kRoom + 2 * rows_) thin_out();
}

void SpanningMatches::thin_out() {
  std::stable_sort(edges_.begin(), edges_.end(), [](const Edge& x, const Edge& y) { return x.reached > y.reached; });
  Components components(rows_);
  std::erase_if(edges_, [&](const Edge& edge) {
    if (components.root(edge.a) == components.root(edge.b)) return true;
    components.unite(edge.a, edge.b);
    return false;
  });
}

std::vector<SpanningMatches::Edge> SpanningMatches::edges() {
  thin_out();
  return std::move(edges_);
}

std::vector<TruthAt> score(const Rows& rows, const Stage& stage, const SearchResult& found, const TruthByRows& truth,
                           const std::vector<double>& borders) {
  const Borders sorted(rows, stage.plan, borders);
  const TruePairs true_pairs(truth, found.representative);
  const std::vector<std::uint32_t> copies = copies_of(found);
  const bool of_clusters = truth.kind == TruthKind::clusters;
  SpanningMatches spanning(of_clusters ? found.items() : 0);
  std::vector<std::uint64_t> pairs(sorted.size() + 1), right(sorted.size() + 1);  // by how many borders they are within
  for_each_reached(found, sorted, stage.plan.measure == Measure::containment, [&](Row a, Row b, std::uint32_t reached) {
    pairs[reached] += std::uint64_t{copies[a]} * copies[b];
    right[reached] += true_pairs.between(a, b);
    if (of_clusters) spanning.add(a, b, reached);
  });
  std::uint64_t of_copies = 0;
  for (const std::uint64_t n : copies) of_copies += rows.across() || n == 0 ? 0 : n * (n - 1) / 2;
  std::vector<TruthAt> answer(borders.size());
  TruthAt sum;
  sum.found = of_copies;
  sum.right = true_pairs.within();
  for (std::size_t i = sorted.size(); i-- > 0;) {
    sum.border = borders[sorted.given(i)];
    sum.found += pairs[i + 1];
    sum.right += right[i + 1];
    sum.pairs = agreement(static_cast<double>(sum.found), static_cast<double>(sum.right), static_cast<double>(truth.notes.labels));
    answer[sorted.given(i)] = sum;
  }
  if (of_clusters) add_clusters(answer, sorted, found, truth, spanning);
  return answer;
}

}  // namespace nearkin
