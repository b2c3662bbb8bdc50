// Compares what was found with what is true, at many borders at once.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <nearkin/tools/truth.h>

#include "analysis/truth.h"
#include "search/search.h"

namespace nearkin {

/// precision and recall from counts.
Agreement agreement(double found, double right, double labels);

/// The number of true pairs among the items that a match represents. `representative`: for each row, the row that matches name instead of
/// it; the row itself if no copies were folded.
class TruePairs {
 public:
  TruePairs(const TruthByRows& truth, std::span<const Row> representative);
  /// Between the items of two representatives.
  std::uint64_t between(Row a, Row b) const;
  /// Within the items of one representative, summed over all representatives.
  std::uint64_t within() const { return within_; }

 private:
  struct Part {
    std::uint32_t cluster;
    std::uint32_t items;
  };
  void add_clusters(const TruthByRows& truth, std::span<const Row> representative);

  std::unordered_map<std::uint64_t, std::uint64_t> pairs_;  // truth of pairs, by packed representatives
  std::unordered_map<Row, std::vector<Part>> clusters_;     // true clusters of the items of each representative, ascending by cluster
  std::uint64_t within_ = 0;
  bool of_clusters_ = false;
};

/// A subset of the matches that connects, at every border, what all matches connect.
class SpanningMatches {
 public:
  explicit SpanningMatches(std::size_t rows) : rows_(rows) {}
  /// `reached`: the number of borders that the match is within, counted from the widest.
  void add(Row a, Row b, std::uint32_t reached);
  /// Those that connect, the strictest first.
  struct Edge {
    Row a, b;
    std::uint32_t reached;
  };
  std::vector<Edge> edges();

 private:
  void thin_out();
  std::size_t rows_;
  std::vector<Edge> edges_;
};

/// For each border, in their order. One search serves them all.
std::vector<TruthAt> score(const Rows& rows, const Stage& stage, const SearchResult& found, const TruthByRows& truth,
                           const std::vector<double>& borders);

}  // namespace nearkin
