// Passages, the plainest way: every window is looked up among all earlier ones, and extended token by token.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/reference.h"

namespace nearkin::reference {

/// A token as it is compared, and its bytes in the text as it was read.
struct Token {
  std::string word;
  std::size_t begin = 0, end = 0;
};
using Tokens = std::vector<Token>;

/// Of ASCII text: "It's 5" → it (0 to 2), s (3 to 4), 5 (5 to 6).
inline Tokens words_with_places(std::string_view text) {
  Tokens tokens;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_letter_or_digit(text[i])) continue;
    if (tokens.empty() || tokens.back().end != i) tokens.push_back({"", i, i});
    tokens.back().word += lower(text[i]);
    tokens.back().end = i + 1;
  }
  return tokens;
}

/// In tokens: where it occurs again, where it occurs first, how long it is.
struct Repeat {
  std::size_t row, at, in, from, tokens;
  auto operator<=>(const Repeat&) const = default;
};

/// The maximal run around two equal windows, at that alignment. In one record the two must not overlap: first to the left, then to the
/// right, for as long as they do not.
inline Repeat extended(const std::vector<Tokens>& records, const std::vector<Tokens>& sources, Repeat run) {
  const Tokens &here = records[run.row], &there = sources[run.in];
  const bool one = &here == &there;
  const auto room = [&] { return !one || run.from + run.tokens < run.at; };
  while (run.at > 0 && run.from > 0 && here[run.at - 1].word == there[run.from - 1].word && room()) {
    --run.at;
    --run.from;
    ++run.tokens;
  }
  while (run.at + run.tokens < here.size() && run.from + run.tokens < there.size() &&
         here[run.at + run.tokens].word == there[run.from + run.tokens].word && room()) {
    ++run.tokens;
  }
  return run;
}

inline std::vector<std::string> window(const Tokens& tokens, std::size_t at, std::size_t least) {
  std::vector<std::string> result;
  for (std::size_t i = at; i < at + least; ++i) result.push_back(tokens[i].word);
  return result;
}

/// All of them, ascending. `against` null: windows of `records` themselves are sources, where they come earlier and do not overlap.
inline std::set<Repeat> repeats(const std::vector<Tokens>& records, std::size_t least, const std::vector<Tokens>* against = nullptr) {
  const std::vector<Tokens>& sources = against != nullptr ? *against : records;
  std::map<std::vector<std::string>, std::pair<std::size_t, std::size_t>> first;
  for (std::size_t row = 0; row < sources.size(); ++row) {
    for (std::size_t at = 0; at + least <= sources[row].size(); ++at) first.insert({window(sources[row], at, least), {row, at}});
  }
  std::set<Repeat> result;
  for (std::size_t row = 0; row < records.size(); ++row) {
    for (std::size_t at = 0; at + least <= records[row].size(); ++at) {
      const auto found = first.find(window(records[row], at, least));
      if (found == first.end()) continue;
      const auto [in, from] = found->second;
      if (against == nullptr && (in > row || (in == row && from + least > at))) continue;
      result.insert(extended(records, sources, {row, at, in, from, least}));
    }
  }
  return result;
}

/// Repeats of one pair of records, neighbours in order that go forward on both sides and are at most `gap` tokens apart there, or have so
/// many in common, are one.
struct JoinedRepeat {
  Repeat first, last;
  std::size_t tokens;  ///< equal ones
  std::size_t here() const { return last.at + last.tokens - first.at; }
  std::size_t there() const { return last.from + last.tokens - first.from; }
};
inline std::vector<JoinedRepeat> joined(const std::set<Repeat>& all, std::optional<std::size_t> gap, bool across) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<JoinedRepeat>> pairs;
  for (const Repeat& next : all) {
    std::vector<JoinedRepeat>& chain = pairs[{next.row, next.in}];
    const auto near = [&](std::size_t end, std::size_t begin) { return std::max(end, begin) - std::min(end, begin) <= *gap; };
    const auto follows = [&](const JoinedRepeat& open) {
      const bool overlaps = !across && next.row == next.in && next.from + next.tokens > open.first.at;
      const bool forward = next.at > open.last.at && next.from > open.last.from &&
                           next.at + next.tokens > open.last.at + open.last.tokens &&
                           next.from + next.tokens > open.last.from + open.last.tokens;
      return near(open.last.at + open.last.tokens, next.at) && near(open.last.from + open.last.tokens, next.from) && forward && !overlaps;
    };
    if (gap && !chain.empty() && follows(chain.back())) {
      const Repeat& last = chain.back().last;
      const std::size_t twice_here = last.at + last.tokens - std::min(last.at + last.tokens, next.at);
      const std::size_t twice_there = last.from + last.tokens - std::min(last.from + last.tokens, next.from);
      chain.back().tokens += next.tokens - std::max(twice_here, twice_there);
      chain.back().last = next;
    } else {
      chain.push_back({next, next, next.tokens});
    }
  }
  std::vector<JoinedRepeat> result;
  for (const auto& [pair, chain] : pairs) result.insert(result.end(), chain.begin(), chain.end());
  std::sort(result.begin(), result.end(), [](const JoinedRepeat& a, const JoinedRepeat& b) { return a.first < b.first; });
  return result;
}

/// What `passages` answers.
inline std::vector<Passage> passages(const std::vector<Tokens>& records, std::size_t least, std::optional<std::size_t> gap = {},
                                     const std::vector<Tokens>* against = nullptr) {
  const std::vector<Tokens>& sources = against != nullptr ? *against : records;
  std::vector<Passage> result;
  for (const JoinedRepeat& run : joined(repeats(records, least, against), gap, against != nullptr)) {
    const Tokens &here = records[run.first.row], &there = sources[run.first.in];
    const auto number = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
    result.push_back({number(run.first.row), number(run.first.in), number(here[run.first.at].begin),
                      number(here[run.first.at + run.here() - 1].end), number(there[run.first.from].begin),
                      number(there[run.first.from + run.there() - 1].end), number(run.tokens), number(std::max(run.here(), run.there()))});
  }
  return result;
}

}  // namespace nearkin::reference
