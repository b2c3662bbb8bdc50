// What an index must do, in the simplest way: a map, and every item looked at.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <nearkin/index.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/describe.h>

#include "base/hash.h"

namespace nearkin::test {

class IndexModel {
 public:
  explicit IndexModel(Plan plan) : plan_(std::move(plan)) {}

  bool put(const std::string& id, const std::string& text, const std::string& metadata = {}) {
    const auto found = items_.find(id);
    if (found != items_.end()) {
      found->second = {text, metadata, found->second.number, features_of(text)};
      return true;
    }
    items_[id] = {text, metadata, next_++, features_of(text)};
    return false;
  }
  bool erase(const std::string& id) { return items_.erase(id) != 0; }
  std::size_t size() const { return items_.size(); }
  bool holds(const std::string& id) const { return items_.contains(id); }
  std::string text(const std::string& id) const { return items_.at(id).text; }
  std::vector<std::string> ids() const {
    std::vector<std::string> ids;
    for (const auto& [id, item] : items_) ids.push_back(id);
    return ids;
  }

  struct Neighbour {
    std::string id;
    double similarity;
    bool operator==(const Neighbour&) const = default;
  };
  /// Best first, ties by order of putting: all that share a bucket and reach the threshold.
  std::vector<Neighbour> query(const std::string& text, std::size_t limit = 0) const {
    const Features asked = features_of(text);
    std::vector<std::pair<Neighbour, std::uint64_t>> found;
    for (const auto& [id, item] : items_) {
      if (asked[0].empty() || item.features[0].empty() || !share_a_bucket(asked, item.features)) continue;
      std::vector<std::uint64_t> both;
      std::set_intersection(asked[0].begin(), asked[0].end(), item.features[0].begin(), item.features[0].end(), std::back_inserter(both));
      const std::uint64_t total = asked[0].size() + item.features[0].size() - both.size();
      if (both.size() * plan_.threshold.denominator < total * plan_.threshold.numerator) continue;
      found.push_back({{id, static_cast<double>(both.size()) / static_cast<double>(total)}, item.number});
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return a.first.similarity != b.first.similarity ? a.first.similarity > b.first.similarity : a.second < b.second;
    });
    std::vector<Neighbour> neighbours;
    for (const auto& [neighbour, number] : found) neighbours.push_back(neighbour);
    if (limit != 0 && neighbours.size() > limit) neighbours.resize(limit);
    return neighbours;
  }

 private:
  struct Item {
    std::string text, metadata;
    std::uint64_t number = 0;
    Features features;
  };

  Features features_of(const std::string& text) const {
    Items items;
    items.add("", text);
    return shingle(items, plan_.shingle);
  }

  bool share_a_bucket(const Features& a, const Features& b) const {
    if (plan_.band.bands == 0) return true;
    const auto keys_a = band_keys(sketch(a, plan_.sketch)[0], plan_.band), keys_b = band_keys(sketch(b, plan_.sketch)[0], plan_.band);
    for (std::size_t i = 0; i < keys_a.size(); ++i) {
      if (keys_a[i] == keys_b[i]) return true;
    }
    return false;
  }

  Plan plan_;
  std::map<std::string, Item> items_;
  std::uint64_t next_ = 0;
};

/// Texts of which many are alike: one of a few topics, with some words changed.
inline std::string some_text(SplitMix& random, std::size_t words = 30) {
  SplitMix topic(random() % 12);
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = topic() % 500;
    text += "w" + std::to_string(random() % 20 == 0 ? random() % 500 : word) + " ";
  }
  return text;
}

inline std::vector<IndexModel::Neighbour> neighbours_of(const IndexAnswer& answer) {
  std::vector<IndexModel::Neighbour> neighbours;
  for (const Hit& hit : answer.hits) neighbours.push_back({hit.id, hit.similarity});
  return neighbours;
}

inline void PrintTo(const IndexModel::Neighbour& neighbour, std::ostream* out) { *out << neighbour.id << ' ' << neighbour.similarity; }

}  // namespace nearkin::test
