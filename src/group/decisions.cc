#include "group/decisions.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "group/compare_rows.h"
#include "group/group.h"

namespace nearkin {
namespace {

std::uint64_t packed(Row a, Row b) { return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b); }

bool holds(std::span<const std::uint64_t> pairs, Row a, Row b) { return std::binary_search(pairs.begin(), pairs.end(), packed(a, b)); }

// The rows of all pairs, ascending.
std::vector<Row> rows_of(std::span<const std::uint64_t> pairs) {
  std::vector<Row> rows;
  for (const std::uint64_t pair : pairs) {
    rows.push_back(static_cast<Row>(pair >> 32));
    rows.push_back(static_cast<Row>(pair));
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

// New representatives: each item that was decided about is its own, and the first of its other copies stands for these.
struct Split {
  std::vector<Row> representative;
  std::unordered_map<Row, std::vector<Row>> parts;  // of each old representative that is now several, itself among them
};

using CopiesOf = std::unordered_map<Row, std::vector<Row>>;

CopiesOf copies_of_decided(const SearchResult& found, std::span<const Row> decided) {
  CopiesOf copies;
  for (const Row row : decided) copies[found.representative[row]];
  for (Row row = 0; row < found.items(); ++row) {
    const auto group = copies.find(found.representative[row]);
    if (group != copies.end()) group->second.push_back(row);
  }
  return copies;
}

Split split_copies(const SearchResult& found, std::span<const Row> decided) {
  Split split{found.representative, {}};
  for (const auto& [old, copies] : copies_of_decided(found, decided)) {
    if (copies.size() == 1) continue;
    std::vector<Row>& parts = split.parts[old];
    std::vector<Row> others;
    for (const Row row : copies) (std::binary_search(decided.begin(), decided.end(), row) ? parts : others).push_back(row);
    for (const Row row : parts) split.representative[row] = row;
    if (others.empty()) continue;
    const auto before = [&](Row x, Row y) { return found.rank_of(x) < found.rank_of(y); };
    parts.push_back(*std::min_element(others.begin(), others.end(), before));
    for (const Row row : others) split.representative[row] = parts.back();
  }
  return split;
}

// The matches that decisions add, whatever they are added to.
class Additions {
 public:
  Additions(const DecidedPairs& pairs, bool directed, bool across) : pairs_(pairs), directed_(directed), across_(across) {}

  /// A match that the search found; `more`: or that a copy of its items has.
  void met(Match match, bool more) {
    if (!directed_ && match.a > match.b) std::swap(match.a, match.b);
    if (holds(pairs_.accepted, match.a, match.b)) accepted_.insert({match.a, match.b});
    if (more && !holds(pairs_.rejected, match.a, match.b)) matches_.push_back(match);
  }
  /// Two rows that match, or each of which contains the other.
  void equal(Row a, Row b) {
    met({a, b, 1, 1}, true);
    if (directed_) met({b, a, 1, 1}, true);
  }
  /// An accepted pair, which may have been met.
  void accept(const ComparedRows& compared) {
    const auto [a, b] = std::pair(compared.match.a, compared.match.b);
    for (const Row member : {a, b}) {
      if (across_ && member == b) continue;  // which stays in any case
      const Match match = directed_ ? compared.contained(member) : compared.match;
      if (accepted_.insert({match.a, match.b}).second) matches_.push_back(match);
    }
  }
  Matches ascending() {
    sort_by_rows(matches_);
    return std::move(matches_);
  }

 private:
  const DecidedPairs& pairs_;
  bool directed_, across_;
  std::set<Pair> accepted_;  // those that were met
  Matches matches_;
};

void add_copies(const Split& split, const PairRule& rule, Additions& additions) {
  for (const auto& [old, parts] : split.parts) {
    for (std::size_t j = 1; j < parts.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        if (rule.wants(parts[i], parts[j])) additions.equal(parts[i], parts[j]);
      }
    }
  }
}

void add_matches_of_copies(const MatchStream& matches, const Split& split, Additions& additions) {
  const auto parts_of = [&](const Row& row) {
    const auto parts = split.parts.find(row);
    return parts == split.parts.end() ? std::span(&row, 1) : std::span<const Row>(parts->second);
  };
  matches.for_each([&](const Match& match) {
    for (const Row a : parts_of(match.a)) {
      for (const Row b : parts_of(match.b)) additions.met({a, b, match.shared, match.total, match.value}, a != match.a || b != match.b);
    }
  });
}

}  // namespace

void follow_decisions(const Rows& rows, const Stage& stage, const DecidedPairs& pairs, std::optional<Linkage> linkage,
                      SearchResult& found) {
  std::vector<std::uint64_t> all = pairs.accepted;
  all.insert(all.end(), pairs.rejected.begin(), pairs.rejected.end());
  const std::vector<Row> decided = rows_of(all);
  const MatchStream matches = linkage ? completed_matches(rows, stage, found, *linkage) : found.matches;
  Split split = split_copies(found, decided);
  Additions additions(pairs, stage.plan.measure == Measure::containment, rows.across());
  add_copies(split, found.rule(rows), additions);
  add_matches_of_copies(matches, split, additions);
  for (const ComparedRows& compared : compare_rows(rows, stage, found, pairs.accepted)) additions.accept(compared);
  std::vector<Row> loose = decided;
  for (const auto& [old, parts] : split.parts) loose.insert(loose.end(), parts.begin(), parts.end());
  std::sort(loose.begin(), loose.end());
  found.matches = matches.where([rejected = pairs.rejected](const Match& match) { return !holds(rejected, match.a, match.b); })
                      .with(additions.ascending());
  found.representative = std::move(split.representative);
  found.decided = {pairs.accepted, pairs.rejected, std::move(loose)};
}

bool is_loose(const SearchResult& found, std::uint64_t pair) {
  const auto loose = [&](Row row) { return std::binary_search(found.decided->loose.begin(), found.decided->loose.end(), row); };
  return found.decided && (loose(static_cast<Row>(pair >> 32)) || loose(static_cast<Row>(pair)));
}

bool is_accepted(const SearchResult& found, const Match& match) {
  return found.decided && holds(found.decided->accepted, match.a, match.b);
}

void part_rejected(std::span<const std::uint64_t> rejected, const KeepingOrder& keeping, std::vector<Row>& keepers) {
  std::vector<Row> rows = rows_of(rejected);
  std::sort(rows.begin(), rows.end(), [&](Row x, Row y) { return keeping.rank_of(x) < keeping.rank_of(y); });
  std::unordered_map<Row, std::vector<Row>> staying;  // beside the keeper of a group, in order of keeping
  for (const Row row : rows) {
    const Row first = keepers[row];
    if (first == row || !holds(rejected, row, first)) continue;
    std::vector<Row>& others = staying[first];
    const auto other = std::find_if(others.begin(), others.end(), [&](Row one) { return !holds(rejected, row, one); });
    keepers[row] = other == others.end() ? row : *other;
    if (other == others.end()) others.push_back(row);
  }
}

}  // namespace nearkin
