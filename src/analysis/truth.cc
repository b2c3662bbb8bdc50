#include "analysis/truth.h"

#include <algorithm>
#include <unordered_set>

#include <nearkin/error.h>

#include "base/in_quotes.h"
#include "collect/rows_by_id.h"

namespace nearkin {
namespace {

/// The rows of both columns of ids; none if the labels are clusters.
struct Columns {
  RowsById first, second;
};

Columns rows_of(const TruthTable& table, const LabelledItems& items) {
  Columns columns;
  for (std::size_t i = 0; i < table.first.size(); ++i) {
    columns.first.emplace(table.first[i], kUnknownRow);
    if (table.kind == TruthKind::pairs) columns.second.emplace(table.second[i], kUnknownRow);
  }
  find_rows(items.id, 0, items.split, columns.first);
  find_rows(items.id, items.across ? items.split : 0, items.rows, columns.second);
  return columns;
}

bool any_known(const RowsById& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const auto& entry) { return entry.second != kUnknownRow; });
}

std::string shown_id(const LabelledItems& items, bool of_other) {
  const Row row = of_other ? items.split : 0;
  return row < (of_other ? items.rows : items.split) ? in_quotes(items.id(row)) : "none: there are no items";
}

[[noreturn]] void refuse_strangers(const TruthTable& table, const LabelledItems& items, bool second, bool other_known) {
  const std::size_t last = table.first.size() - 1;
  std::string message = std::string("none of the ids in its ") + (second ? "second" : "first") + " column is the id of an item" +
                        (items.across ? (second ? " of the other input" : " of the input") : "") + ": the file has " +
                        in_quotes(second ? table.second[last] : table.first[last]) + ", the items have " +
                        shown_id(items, second && items.across);
  if (second && other_known && !items.across)
    message += "; if that column names clusters, say so (truth_kind clusters); if its ids are of another input, name that input (against)";
  else
    message += "; name the columns of the ids (truth_fields), or the field of the items' ids (id)";
  throw Error(ErrorCode::data, table.path, message);
}

class Resolver {
 public:
  Resolver(const TruthTable& table, const LabelledItems& items) : table_(table), columns_(rows_of(table, items)) {
    const bool first = any_known(columns_.first), second = table.kind == TruthKind::clusters || any_known(columns_.second);
    if (!first || !second) refuse_strangers(table, items, first, first);
    result_.kind = table.kind;
    if (table.kind == TruthKind::clusters) result_.clusters.assign(items.rows, TruthByRows::kNoCluster);
  }

  TruthByRows resolved() {
    for (std::size_t i = 0; i < table_.first.size(); ++i) {
      if (i == 0 && !table_.named && is_header()) {
        result_.notes.header = {std::string(table_.first[0]), std::string(table_.second[0])};
        continue;
      }
      if (table_.kind == TruthKind::pairs) {
        add_pair(i);
      } else {
        add_member(i);
      }
    }
    finish();
    return std::move(result_);
  }

 private:
  Row row_of(const RowsById& rows, std::string_view id) const { return rows.at(id); }

  bool is_header() const {
    const bool first = row_of(columns_.first, table_.first[0]) != kUnknownRow;
    const bool second = table_.kind == TruthKind::pairs && row_of(columns_.second, table_.second[0]) != kUnknownRow;
    return !first && !second && table_.first.size() > 1;
  }

  void note_unknown(std::string_view id) { nearkin::note_unknown(id, TruthNotes::kNamed, result_.notes.unknown_ids); }

  void add_pair(std::size_t i) {
    const Row a = row_of(columns_.first, table_.first[i]), b = row_of(columns_.second, table_.second[i]);
    if (a == kUnknownRow) note_unknown(table_.first[i]);
    if (b == kUnknownRow) note_unknown(table_.second[i]);
    result_.notes.unknown += a == kUnknownRow || b == kUnknownRow;
    if (a == b && a != kUnknownRow)
      throw Error(ErrorCode::data, table_.path,
                  "a pair of " + in_quotes(table_.first[i]) + " with itself; a label says that two items are the same");
    if (a != kUnknownRow && b != kUnknownRow) result_.pairs.push_back(packed_pair(a, b));
  }

  void add_member(std::size_t i) {
    const Row row = row_of(columns_.first, table_.first[i]);
    if (row == kUnknownRow) {
      note_unknown(table_.first[i]);
      ++result_.notes.unknown;
      return;
    }
    const auto number = static_cast<std::uint32_t>(numbers_.size());
    std::uint32_t& cluster = result_.clusters[row];
    result_.notes.repeated += cluster != TruthByRows::kNoCluster;
    cluster = numbers_.emplace(table_.second[i], number).first->second;
  }

  void finish() {
    TruthNotes& notes = result_.notes;
    if (table_.kind == TruthKind::clusters) {
      std::vector<std::uint64_t> sizes(numbers_.size());
      for (const std::uint32_t cluster : result_.clusters) {
        if (cluster == TruthByRows::kNoCluster) continue;
        notes.labels += sizes[cluster]++;
        ++notes.items;
      }
      return;
    }
    std::vector<std::uint64_t>& pairs = result_.pairs;
    std::sort(pairs.begin(), pairs.end());
    const std::size_t given = pairs.size();
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    notes.repeated = given - pairs.size();
    notes.labels = pairs.size();
    std::unordered_set<Row> items;
    for (const std::uint64_t pair : pairs) {
      items.insert(static_cast<Row>(pair >> 32));
      items.insert(static_cast<Row>(pair));
    }
    notes.items = items.size();
  }

  const TruthTable& table_;
  Columns columns_;
  TruthByRows result_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;  // of clusters
};

}  // namespace

TruthByRows truth_by_rows(const TruthTable& table, const LabelledItems& items) {
  if (items.across && table.kind == TruthKind::clusters) {
    throw Error(ErrorCode::plan, "truth_kind",
                "clusters describe one input; for two inputs give pairs: an id of the first and an id of the second");
  }
  if (table.first.size() == 0) throw Error(ErrorCode::data, table.path, "has no labels");
  TruthByRows truth = Resolver(table, items).resolved();
  if (truth.notes.labels > 0) return truth;
  throw Error(ErrorCode::data, table.path,
              table.kind == TruthKind::pairs ? "no pair in it names two items of the input; the first unknown id is " +
                                                   (truth.notes.unknown_ids.empty() ? "none" : in_quotes(truth.notes.unknown_ids.front()))
                                             : "no two items of the input share a cluster in it, so there is nothing to find");
}

}  // namespace nearkin
