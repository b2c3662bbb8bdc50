#include "runs/decided.h"

#include <algorithm>
#include <iterator>

#include <nearkin/error.h>

#include "base/in_quotes.h"
#include "collect/rows_by_id.h"

namespace nearkin {
namespace {

constexpr const char* kSubject = "decisions";

// The rows of the two columns of ids: the same, unless the pairs are between two inputs.
struct Columns {
  RowsById first, second;
};

Columns rows_of(const std::vector<PairDecision>& decisions, const Rows& rows) {
  Columns columns;
  for (const PairDecision& decision : decisions) {
    columns.first.emplace(decision.a, kUnknownRow);
    columns.second.emplace(decision.b, kUnknownRow);
  }
  RowReader reader(rows);
  const auto id_of = [&](Row row) { return reader.id(row); };
  find_rows(id_of, 0, rows.input_rows(), columns.first);
  find_rows(id_of, rows.across() ? rows.split : 0, static_cast<Row>(rows.size()), columns.second);
  return columns;
}

void sort_once(std::vector<std::uint64_t>& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

void require_no_contradiction(const DecidedPairs& pairs, const Rows& rows) {
  std::vector<std::uint64_t> both;
  std::set_intersection(pairs.accepted.begin(), pairs.accepted.end(), pairs.rejected.begin(), pairs.rejected.end(),
                        std::back_inserter(both));
  if (both.empty()) return;
  RowReader a(rows), b(rows);
  throw Error(ErrorCode::data, kSubject,
              in_quotes(a.id(static_cast<Row>(both[0] >> 32))) + " and " + in_quotes(b.id(static_cast<Row>(both[0]))) +
                  " are both accepted and rejected; leave one of the two out");
}

}  // namespace

void require_whole_records(const std::vector<PairDecision>& decisions, const Input& input) {
  if (!decisions.empty() && input.unit.divides())
    throw Error(ErrorCode::plan, kSubject, "are about whole records; leave out decisions, or the unit");
}

ResolvedDecisions resolve(const std::vector<PairDecision>& decisions, const Rows& rows) {
  const Columns columns = rows_of(decisions, rows);
  ResolvedDecisions resolved;
  for (const PairDecision& decision : decisions) {
    const Row a = columns.first.at(decision.a), b = columns.second.at(decision.b);
    if (a == kUnknownRow) note_unknown(decision.a, DecisionNotes::kNamed, resolved.notes.unknown_ids);
    if (b == kUnknownRow) note_unknown(decision.b, DecisionNotes::kNamed, resolved.notes.unknown_ids);
    resolved.notes.unknown += a == kUnknownRow || b == kUnknownRow;
    if (a == kUnknownRow || b == kUnknownRow) continue;
    if (a == b)
      throw Error(ErrorCode::data, kSubject, "a pair of " + in_quotes(decision.a) + " with itself; a decision is about two items");
    (decision.same ? resolved.pairs.accepted : resolved.pairs.rejected).push_back(std::uint64_t{std::min(a, b)} << 32 | std::max(a, b));
  }
  sort_once(resolved.pairs.accepted);
  sort_once(resolved.pairs.rejected);
  require_no_contradiction(resolved.pairs, rows);
  resolved.notes.accepted = resolved.pairs.accepted.size();
  resolved.notes.rejected = resolved.pairs.rejected.size();
  return resolved;
}

void show_decisions(const std::vector<PairDecision>& decisions, const DecisionNotes& notes, Report* report) {
  constexpr std::size_t kMostOnPage = 20'000;
  if (report == nullptr) return;
  report->decisions = notes;
  if (decisions.size() <= kMostOnPage) report->decided = decisions;
}

}  // namespace nearkin
