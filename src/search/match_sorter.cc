#include "search/match_sorter.h"

#include <algorithm>

namespace nearkin {
namespace {

constexpr std::size_t kMostReserved = std::size_t{1} << 26;

}  // namespace

// A run that is written takes as much again, section by section.
MatchSorter::MatchSorter(Rows& rows, std::uint64_t memory, bool with_values, const char* kind, MatchOrder before)
    : rows_(rows),
      most_(static_cast<std::size_t>(std::max<std::uint64_t>(1024, memory / (2 * sizeof(Match))))),
      with_values_(with_values),
      kind_(kind),
      before_(std::move(before)) {
  if (rows.in_files()) rows.scratch->remove_from(kind_, 0);
  // A list that grows by doubling would be held twice. Pages that stay untouched cost nothing.
  held_.reserve(std::min(most_, kMostReserved));
}

void MatchSorter::add(std::span<const Match> matches) {
  held_.insert(held_.end(), matches.begin(), matches.end());
  if (held_.size() >= most_) flush();
}

void MatchSorter::sort() {
  if (before_)
    std::sort(held_.begin(), held_.end(), before_);
  else
    sort_by_rows(held_);
}

void MatchSorter::flush() {
  sort();
  const auto number = static_cast<std::uint32_t>(runs_.size());
  RunFileWriter writer = rows_.scratch_for_matches().create(kind_, number);
  write_match_sections(writer, held_, with_values_);
  writer.finish();
  runs_.push_back(rows_.scratch_for_matches().open(kind_, number));
  held_.clear();
}

MatchStream MatchSorter::finish() {
  if (runs_.empty()) {
    sort();
    return MatchStream(std::move(held_));
  }
  if (!held_.empty()) flush();
  return before_ ? MatchStream(std::move(runs_), before_) : MatchStream(std::move(runs_), MatchStream::Order::merged);
}

}  // namespace nearkin
