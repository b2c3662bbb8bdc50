#include "analysis/shown_rows.h"

#include <algorithm>
#include <map>

#include "base/hash.h"
#include "base/unicode.h"
#include "io/formats/result_rows.h"

namespace nearkin {
namespace {

constexpr std::size_t kBeginning = 80;                                               // characters of a text
constexpr std::size_t kAtBorder = 15, kAlike = 5, kAtRandom = 10, kOfClusters = 10;  // pairs shown
constexpr std::size_t kMostListed = 10'000;

bool is_valued(const Plan& plan) { return plan.measure != Measure::exact && (plan.verify != Verify::none || plan.exact_join()); }

/// The most similar first, of equals by their rows.
struct MostSimilarFirst {
  Measure measure;
  bool operator()(const Match& x, const Match& y) const {
    if (nearer(x, y, measure)) return true;
    return !nearer(y, x, measure) && Pair{x.a, x.b} < Pair{y.a, y.b};
  }
};

/// The first `count` in an order. A heap holds those of them that were met, the last on top.
template <typename Before>
Matches first_matches(const MatchStream& matches, std::size_t count, Before before) {
  Matches first;
  matches.for_each([&](const Match& match) {
    if (first.size() == count && !before(match, first.front())) return;
    if (first.size() == count) {
      std::pop_heap(first.begin(), first.end(), before);
      first.pop_back();
    }
    first.push_back(match);
    std::push_heap(first.begin(), first.end(), before);
  });
  std::sort(first.begin(), first.end(), before);
  return first;
}

Matches nearest_to_border(const SearchResult& found, std::size_t count, Measure measure) {
  const MostSimilarFirst similar{measure};
  return first_matches(found.matches, count, [&](const Match& x, const Match& y) { return similar(y, x); });
}

/// One pair that was found in each of the largest clusters: one with its keeper, if there is any.
Matches found_in_clusters(const SearchResult& found, std::span<const Row> keepers) {
  const std::vector<std::vector<Row>> clusters = largest_clusters(keepers, number_clusters(keepers), kOfClusters);
  std::unordered_map<Row, std::size_t> places;
  std::vector<std::optional<Match>> first(clusters.size());
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    const Row keeper = clusters[c][0], other = clusters[c][1];
    places[keeper] = c;
    if (found.representative[keeper] == found.representative[other]) first[c] = Match{keeper, other, 1, 1};
  }
  found.matches.for_each([&](const Match& match) {
    if (keepers[match.a] != keepers[match.b]) return;
    const auto place = places.find(keepers[match.a]);
    if (place == places.end()) return;
    std::optional<Match>& known = first[place->second];
    const auto has_keeper = [&](const Match& one) { return one.a == place->first || one.b == place->first; };
    if (!known || (!has_keeper(*known) && has_keeper(match))) known = match;
  });
  Matches out;
  for (const std::optional<Match>& match : first) {
    if (match) out.push_back(*match);
  }
  return out;
}

class PairChoice {
 public:
  PairChoice(const SearchResult& found, const Plan& plan) : found_(found), plan_(plan) {}

  /// `of_clusters`: a pair of each of the largest clusters, the largest first.
  std::vector<ChosenPair> choose(const Matches& of_clusters) {
    const bool valued = is_valued(plan_);
    if (valued) {
      const char* const why = is_distance(plan_.measure) ? "nearest to the radius" : "nearest to the threshold";
      for (const Match& match : nearest_to_border(found_, kAtBorder, plan_.measure)) offer(match, why);
    }
    for (std::size_t c = 0; c < of_clusters.size(); ++c) offer(of_clusters[c], c == 0 ? "in the largest cluster" : "in other clusters");
    if (valued) {
      for (const Match& match : first_matches(found_.matches, kAlike, MostSimilarFirst{plan_.measure})) offer(match, "most similar");
    }
    take_at_random();
    return std::move(chosen_);
  }

 private:
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
    for (std::size_t i = 0; i < places.size() && taken < kAtRandom; ++i) taken += offer(drawn[places[i]], "drawn at random");
  }

  bool offer(const Match& match, const char* why) {
    const bool known = std::any_of(chosen_.begin(), chosen_.end(), [&](const ChosenPair& other) {
      return std::minmax(other.match.a, other.match.b) == std::minmax(match.a, match.b);
    });
    if (!known) chosen_.push_back({match, why});
    return !known;
  }

  const SearchResult& found_;
  const Plan& plan_;
  std::vector<ChosenPair> chosen_;
};

/// Every so many-th of what it is shown, about `most` in all.
class Evenly {
 public:
  Evenly(std::uint64_t all, std::size_t most) : step_(most == 0 ? 0 : std::max<std::uint64_t>(1, (all + most - 1) / most)) {}
  bool takes() { return step_ > 0 && at_++ % step_ == 0; }

 private:
  std::uint64_t step_, at_ = 0;
};

std::uint64_t count_copies(const Rows& rows, const SearchResult& found) {
  std::uint64_t copies = 0;
  for (Row row = 0; row < found.items() && !rows.across(); ++row) copies += found.representative[row] != row;
  return copies;
}

Matches copies_to_list(const Rows& rows, const SearchResult& found, std::uint64_t copies, std::size_t most) {
  if (rows.across()) return {};
  Evenly evenly(copies, most);
  Matches out;
  for (Row row = 0; row < found.items(); ++row) {
    const Row first = found.representative[row];
    if (first != row && evenly.takes()) out.push_back({std::min(first, row), std::max(first, row), 1, 1});
  }
  return out;
}

}  // namespace

bool has_texts(const Plan& plan) { return plan.kind == Kind::shingles || plan.kind == Kind::tfidf; }

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

std::string snippet_of(std::string_view text) {
  std::string out;
  const char* p = text.data();
  const char* const end = p + text.size();
  std::size_t characters = 0;
  bool blank = false;
  while (p != end) {
    const char32_t c = next_code_point(p, end);
    if (c <= 0x20) {
      blank = characters > 0;
      continue;
    }
    if (characters + blank >= kBeginning) return out + "\u2026";
    if (blank) out += ' ';
    append_code_point(out, c);
    characters += 1 + blank;
    blank = false;
  }
  return out;
}

const std::string& Beginnings::operator()(Row row) {
  const auto [place, is_new] = known_.try_emplace(row);
  if (is_new && has_texts_) place->second = snippet_of(texts_(row));
  return place->second;
}

std::vector<ChosenPair> pairs_to_show(const Rows& rows, const SearchResult& found, const Plan& plan, std::span<const Row> keepers) {
  return PairChoice(found, plan).choose(rows.across() ? Matches() : found_in_clusters(found, keepers));
}

PairsToList pairs_to_list(const Rows& rows, const SearchResult& found, const Plan& plan) {
  const std::uint64_t count = found.matches.count(), copies = count_copies(rows, found);
  Matches out =
      copies_to_list(rows, found, copies, count < kMostListed ? kMostListed - static_cast<std::size_t>(count) / 2 : kMostListed / 4);
  const std::size_t left = kMostListed - std::min(kMostListed, out.size());
  if (count > left && is_valued(plan)) {
    const Matches nearest = nearest_to_border(found, left / 2, plan.measure);
    out.insert(out.end(), nearest.begin(), nearest.end());
  }
  Evenly evenly(count, kMostListed - std::min(kMostListed, out.size()));
  found.matches.for_each([&](const Match& match) {
    if (evenly.takes()) out.push_back(match);
  });
  sort_by_rows(out);
  out.erase(std::unique(out.begin(), out.end(), [](const Match& x, const Match& y) { return x.a == y.a && x.b == y.b; }), out.end());
  const bool sampled = out.size() < count + copies;
  return {std::move(out), sampled};
}

}  // namespace nearkin
