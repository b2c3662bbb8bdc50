// Parts of texts that are items of their own, for programs that hold the texts themselves. Runs over files make them from Input::unit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/run.h>

namespace nearkin {

/// Bytes of a text.
struct Span {
  std::uint64_t begin = 0, end = 0;
  bool operator==(const Span&) const = default;
};

/// The units of a text in order, without blanks at their ends. One span 0-0 if there are none.
std::vector<Span> units_of(std::string_view text, const Unit& unit);

/// The text without those of its units that begin at these bytes, ascending, by the rule of dedup (docs/reference.md). Absent if fewer than
/// DedupOptions::least_left words would be left; the whole text if it would lose more than most_cut of its words. Throws Error(plan) for a
/// byte at which no unit begins. `whole`: where units begin, ascending, that stay whole although units that go may share words with them.
std::optional<std::string> without_units(std::string_view text, const Unit& unit, std::span<const std::uint64_t> begins,
                                         const DedupOptions& options = {}, std::span<const std::uint64_t> whole = {});

/// The text without these bytes, in any order, by the rule of what a cut leaves (docs/reference.md). Throws Error(plan) for bytes that
/// the text does not have.
std::string without_spans(std::string_view text, std::vector<Span> spans);

}  // namespace nearkin
