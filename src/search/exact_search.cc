#include "search/exact_search.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "collect/row_vectors.h"
#include "collect/sketcher.h"
#include "io/formats/result_rows.h"
#include "match/containment.h"
#include "match/exact_join.h"
#include "match/shared_components.h"
#include "match/star.h"
#include "match/vector_parts.h"
#include "search/match_sorter.h"

namespace nearkin {
namespace {

class ExactSearch {
 public:
  ExactSearch(Rows& rows, const Stage& stage, std::span<const Row> members, SearchResult& found)
      : rows_(rows),
        stage_(stage),
        members_(members),
        found_(found),
        threshold_(least_share(stage.plan, rows.columns)),
        advance_(stage.advance("join")) {
    limits_ = {.memory = share_of(rows, stage, 25) / 2, .threads = stage.threads, .advance = &advance_};
    if (!compares_vectors(stage.plan)) load_sets();
  }

  void find_pairs() {
    MatchSorter sorter(rows_, share_of(rows_, stage_, 25) / 4, compares_vectors(stage_.plan));
    note(join([&](std::span<const Match> matches) { sorter.add(matches); }));
    found_.matches = sorter.finish();
  }

  void find_stars() {
    const StarResult stars = star();
    Matches matches;
    matches.reserve(stars.removed.size());
    for (const Removed& removed : stars.removed) {
      Match match{removed.row, removed.keeper, removed.shared, removed.total, removed.value};
      if (!directed() && match.b < match.a) std::swap(match.a, match.b);
      matches.push_back(match);
    }
    take_some(std::move(matches), stars);
  }

  void find_components() {
    SharedComponents components(rows_.size());
    Matches edges;
    const MatchSink connect = [&](std::span<const Match> matches) {
      for (const Match& match : matches) {
        if (components.unite(match.a, match.b)) edges.push_back(match);
      }
    };
    const JoinNotes notes = join(connect, &components);
    take_some(std::move(edges), notes);
  }

  void find_best() {
    std::vector<std::optional<Match>> best(rows_.split);
    const JoinNotes notes = join([&](std::span<const Match> matches) {
      for (const Match& match : matches) {
        std::optional<Match>& known = best[match.a];
        if (!known || found_.stands_before(match, *known, stage_.plan.measure)) known = match;
      }
    });
    Matches matches;
    for (const std::optional<Match>& match : best) {
      if (match) matches.push_back(*match);
    }
    take_some(std::move(matches), notes);
  }

 private:
  bool directed() const { return stage_.plan.measure == Measure::containment; }

  void load_sets() {
    if (rows_.in_files()) {
      RowSet wanted(rows_.size());
      for (const Row row : members_) wanted.insert(row);
      SetFiles sets;
      sets.write(rows_, stage_, std::move(wanted));
      found_.sets = CandidateSets(std::move(sets));
      return;
    }
    FeatureBlocks blocks;
    blocks.blocks.push_back(std::move(rows_.arrays.features));
    const Features& features = blocks.blocks.front();
    for (Row row = 0; row < features.size(); ++row) blocks.items.push_back(features[row]);
    found_.sets = CandidateSets(std::move(blocks), {});
  }

  // With `components`, which `emit` unites, pairs that these join already are left out.
  JoinNotes join(const MatchSink& take, const SharedComponents* components = nullptr) const {
    const Plan& plan = stage_.plan;
    const PairRule rule = found_.rule(rows_);
    Matches wanted;
    const MatchSink take_wanted = [&](std::span<const Match> matches) {
      wanted.clear();
      std::copy_if(matches.begin(), matches.end(), std::back_inserter(wanted), [&](const Match& m) { return rule.wants(m.a, m.b); });
      take(wanted);
    };
    const MatchSink& emit = rule.scopes.empty() ? take : take_wanted;
    if (compares_vectors(plan)) {
      SkipPair skip;
      if (components != nullptr) skip = [components](Row a, Row b) { return components->joined(a, b); };
      return join_vectors(vector_rows(rows_, plan, stage_.threads), members_, rows_.split, plan, limits_, emit, skip);
    }
    const RowBytes sets = found_.sets.bytes(stage_.threads);
    return directed() ? join_containment(sets, members_, rows_.split, threshold_, limits_, emit, components)
                      : join_exactly(sets, members_, rows_.split, threshold_, limits_, emit, components);
  }

  StarResult star() const {
    const Plan& plan = stage_.plan;
    if (compares_vectors(plan)) return star_vectors(vector_rows(rows_, plan, stage_.threads), members_, plan, limits_);
    const RowBytes sets = found_.sets.bytes(stage_.threads);
    return directed() ? star_containment(sets, members_, threshold_, limits_) : star_exactly(sets, members_, threshold_, limits_);
  }

  void note(const JoinNotes& notes) {
    rows_.stats.candidates = notes.looked_at;
    rows_.stats.closest_below = notes.closest_below;
  }

  void take_some(Matches&& matches, const JoinNotes& notes) {
    note(notes);
    sort_by_rows(matches);
    found_.matches = MatchStream(std::move(matches));
  }

  Rows& rows_;
  const Stage& stage_;
  std::span<const Row> members_;
  SearchResult& found_;
  Ratio threshold_;
  Advance advance_;
  JoinLimits limits_;
};

}  // namespace

void search_exactly(Rows& rows, const Stage& stage, std::span<const Row> members, Wanted wanted, SearchResult& found) {
  StageClock clock;
  stage.progress("join");
  ExactSearch search(rows, stage, members, found);
  // The search for stars alone knows no scopes.
  if (wanted == Wanted::stars && !found.scopes.values().empty()) wanted = Wanted::pairs;
  switch (wanted) {
    case Wanted::pairs: search.find_pairs(); break;
    case Wanted::stars: search.find_stars(); break;
    case Wanted::components: search.find_components(); break;
    case Wanted::best: search.find_best(); break;
  }
  rows.stats.seconds.emplace_back("join", clock.lap());
}

}  // namespace nearkin
