// What was found against what is true, at many borders at once.
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

/// How many true pairs there are between items that matches stand for. `representative`: for each row the one that matches name in its
/// place; its own where nothing is folded.
class TruePairs {
 public:
  TruePairs(const TruthByRows& truth, std::span<const Row> representative);
  /// Between those of two representatives.
  std::uint64_t between(Row a, Row b) const;
  /// Among those of one, of all representatives.
  std::uint64_t within() const { return within_; }

 private:
  struct Part {
    std::uint32_t cluster;
    std::uint32_t items;
  };
  void add_clusters(const TruthByRows& truth, std::span<const Row> representative);

  std::unordered_map<std::uint64_t, std::uint64_t> pairs_;  // truth of pairs, by packed representatives
  std::unordered_map<Row, std::vector<Part>> clusters_;     // truth of clusters: of each representative, ascending by cluster
  std::uint64_t within_ = 0;
  bool of_clusters_ = false;
};

/// Enough matches to connect what is connected at every border.
class SpanningMatches {
 public:
  explicit SpanningMatches(std::size_t rows) : rows_(rows) {}
  /// `reached`: how many of the borders it is within, the widest first.
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
