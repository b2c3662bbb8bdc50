#include "runs/score_parts.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "collect/collect.h"
#include "collect/features_again.h"
#include "group/linkage.h"
#include "match/verify.h"
#include "runs/find_matches.h"
#include "theory/score.h"

namespace nearkin {
namespace {

/// What a field has of a record, and no more.
Plan plain_plan(const ScorePart& part) {
  Plan plan = tune({.measure = Measure::exact}, {});
  plan.shingle.normalise = part.shingle.normalise;
  return plan;
}

/// Pairs of records of all fields, and where these are among those of one field.
class FieldPairs {
 public:
  FieldPairs(std::span<const std::uint64_t> pairs, std::span<const Row> place) : pairs_(pairs), place_(place) {}
  std::size_t size() const { return pairs_.size(); }
  Row first(std::size_t i) const { return place_[pairs_[i] >> 32]; }
  Row second(std::size_t i) const { return place_[static_cast<Row>(pairs_[i])]; }
  bool has_both(std::size_t i) const { return first(i) != kNoRow && second(i) != kNoRow; }

 private:
  std::span<const std::uint64_t> pairs_;
  std::span<const Row> place_;
};

/// The values of one part among those of all.
class PartValues {
 public:
  PartValues(std::span<double> values, std::size_t part, std::size_t parts) : values_(values), part_(part), parts_(parts) {}
  double& operator[](std::size_t pair) const { return values_[pair * parts_ + part_]; }

 private:
  std::span<double> values_;
  std::size_t part_, parts_;
};

void compare_contents(const Rows& own, const FieldPairs& pairs, const PartValues& values) {
  RowReader first(own), second(own);
  const Column<std::uint8_t> empty = own.empty();
  // Within scopes a content is mixed with its scope, and a person may have accepted a pair of two.
  const bool scoped = own.scope_rule() == Scope::Rule::within;
  const auto content = [&](RowReader& reader, Row row) {
    const Hash128 mixed = reader.content(row);
    return scoped ? Hash128{mixed.low ^ reader.scope(row), mixed.high} : mixed;
  };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs.has_both(i) || empty[pairs.first(i)] != 0 || empty[pairs.second(i)] != 0) continue;
    values[i] = content(first, pairs.first(i)) == content(second, pairs.second(i)) ? 1 : 0;
  }
}

/// The rows of as many pairs from `begin` on as their shingles fit in memory, and where each of them is among these.
struct WantedRows {
  std::vector<Row> rows;
  std::vector<std::uint32_t> at;
  std::size_t end = 0;  // of the pairs

  WantedRows(const Rows& own, const FieldPairs& pairs, std::size_t begin, std::uint64_t memory) : at(own.size(), 0), end(begin) {
    const Column<std::uint64_t> sizes = own.text_sizes();
    const std::uint64_t most = std::max<std::uint64_t>(1 << 20, memory / 4);
    std::uint64_t held = 0;
    const auto want = [&](Row row) {
      if (row == kNoRow || std::exchange(at[row], 1) != 0) return;
      rows.push_back(row);
      held += sizeof(std::uint64_t) * (sizes[row] + 1);  // a shingle begins at each byte at most
    };
    for (; end < pairs.size() && (end == begin || held < most); ++end) {
      want(pairs.first(end));
      want(pairs.second(end));
    }
    std::sort(rows.begin(), rows.end());
    for (std::size_t i = 0; i < rows.size(); ++i) at[rows[i]] = static_cast<std::uint32_t>(i);
  }
};

/// Returns the end of the pairs that were compared.
std::size_t compare_sets(const Rows& own, const ShinglePlan& shingle, const FieldPairs& pairs, std::size_t begin, const Stage& stage,
                         const PartValues& values) {
  const WantedRows wanted(own, pairs, begin, stage.memory);
  const FeatureBlocks features = load_features(own, wanted.rows, shingle, stage.threads, false);
  parallel_for(wanted.end - begin, 1024, stage.threads, [&](std::size_t from, std::size_t to, unsigned) {
    for (std::size_t i = begin + from; i < begin + to; ++i) {
      if (!pairs.has_both(i)) continue;
      const Match match = exact_match(0, 1, features.items[wanted.at[pairs.first(i)]], features.items[wanted.at[pairs.second(i)]]);
      values[i] = match.total == 0 ? 0 : match.similarity();
    }
  });
  return wanted.end;
}

}  // namespace

ScoreParts::ScoreParts(ScoreInputs inputs, const Score& score, RunOptions run)
    : inputs_(std::move(inputs)), score_(score), run_(std::move(run)), kept_(score.parts.size()) {}

Rows ScoreParts::collect(std::size_t part) const {
  const Plan plan = plain_plan(score_.parts[part]);
  const Stage stage(plan, run_);
  const ScoreInputs inputs = reading_part(inputs_, score_.parts[part]);
  return collect_for_run(inputs.input, inputs.other(), stage, {});
}

void ScoreParts::read(const Rows& rows) {
  contents_.assign(rows.size(), {});
  for (std::size_t part = 0; part < score_.parts.size(); ++part) {
    Rows own = collect(part);
    require_values(own, score_.parts[part]);
    equal_pairs_.push_back(nearkin::equal_pairs(own));
    std::vector<Row> place = same_records(rows, own);
    RowReader reader(own);
    for (Row row = 0; row < rows.size(); ++row) {
      const Hash128 content = place[row] == kNoRow ? Hash128{} : reader.content(place[row]);
      Hash128& all = contents_[row];
      all = {mix64(all.low + mix64(content.low)), mix64(all.high + mix64(content.high))};
    }
    keep_if_small(part, std::move(own), std::move(place));
  }
}

// An eighth of the memory at most: searches need the rest.
void ScoreParts::keep_if_small(std::size_t part, Rows&& own, std::vector<Row>&& place) {
  const Plan plan = plain_plan(score_.parts[part]);
  constexpr std::uint64_t kBytesOfRow = 2 * sizeof(Location) + sizeof(Hash128) + 4 * sizeof(std::uint64_t);
  std::uint64_t bytes = own.size() * kBytesOfRow + own.arrays.ids.bytes();
  for (const Sources& sources : own.inputs) bytes += sources.kept_bytes();
  if (own.in_files() || kept_bytes_ + bytes > Stage(plan, run_).memory / 8) return remove_files(own);
  kept_bytes_ += bytes;
  kept_[part].emplace(Field{std::move(own), std::move(place)});
}

std::vector<double> ScoreParts::values(const Rows& rows, std::span<const std::uint64_t> pairs) {
  std::vector<double> all(pairs.size() * score_.parts.size());
  for (std::size_t part = 0; part < score_.parts.size(); ++part) {
    std::optional<Field> again;
    if (!kept_[part]) {
      Rows own = collect(part);
      std::vector<Row> place = same_records(rows, own);
      again.emplace(Field{std::move(own), std::move(place)});
    }
    Field& field = again ? *again : *kept_[part];
    const ScorePart& what = score_.parts[part];
    const FieldPairs placed(pairs, field.place);
    const PartValues values(all, part, score_.parts.size());
    const Plan plan = plain_plan(what);
    const Stage stage(plan, run_);
    if (what.how == ScorePart::How::equal) {
      compare_contents(field.rows, placed, values);
    } else {
      for (std::size_t begin = 0; begin < pairs.size();) begin = compare_sets(field.rows, what.shingle, placed, begin, stage, values);
    }
    if (again) remove_files(again->rows);
  }
  return all;
}

Matches ScoreParts::scored(const Rows& rows, std::span<const std::uint64_t> pairs) {
  const std::vector<double> all = values(rows, pairs);
  const std::size_t parts = score_.parts.size();
  Matches matches;
  matches.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::uint32_t units = score_units(score_, std::span(all).subspan(i * parts, parts));
    matches.push_back({static_cast<Row>(pairs[i] >> 32), static_cast<Row>(pairs[i]), units, kScoreUnits});
  }
  return matches;
}

}  // namespace nearkin
