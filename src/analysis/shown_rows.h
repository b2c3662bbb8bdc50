// What a report shows of rows: which pairs, the members of the largest clusters, the beginnings of texts.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "collect/features_again.h"
#include "group/group.h"
#include "search/search.h"

namespace nearkin {

/// Whether items are texts, or sets that are written as texts.
bool has_texts(const Plan& plan);

/// The members of the largest clusters, keepers first, the largest cluster first.
std::vector<std::vector<Row>> largest_clusters(std::span<const Row> keepers, const NumberedClusters& numbered, std::size_t most);

/// The first characters of a text on one line, with an ellipsis where there are more.
std::string snippet_of(std::string_view text);

/// The beginnings of the texts of rows, each read once; empty for vectors.
class Beginnings {
 public:
  Beginnings(const Rows& rows, const Plan& plan) : texts_(rows), has_texts_(has_texts(plan)) {}
  const std::string& operator()(Row row);

 private:
  TextReader texts_;
  bool has_texts_;
  std::unordered_map<Row, std::string> known_;
};

/// A pair of items that was found, and why it is shown.
struct ChosenPair {
  Match match;
  const char* why;
};
/// The pairs most worth showing: those nearest to the border, of the largest clusters, the most similar, and some at random; each once.
std::vector<ChosenPair> pairs_to_show(const Rows& rows, const SearchResult& found, const Plan& plan, std::span<const Row> keepers);

/// Pairs to choose from, ascending by rows: all where there are not too many, else those nearest to the border and some spread evenly
/// among the others. Copies are listed with the item that they are copies of.
struct PairsToList {
  Matches matches;
  bool sampled = false;  ///< they are some of the pairs and copies
};
PairsToList pairs_to_list(const Rows& rows, const SearchResult& found, const Plan& plan);

}  // namespace nearkin
