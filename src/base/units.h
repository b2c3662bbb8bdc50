// Units: the parts of a text that are items of their own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/tools/units.h>

namespace nearkin {

/// The units of a text in order, without blanks at their ends. One span 0-0 where there are none. `spans` is overwritten. `fields`: where
/// the fields end that the text is made of, with one byte between two of them; no unit is of two fields.
void find_units(std::string_view text, const Unit& unit, std::vector<Span>& spans, std::span<const std::size_t> fields = {});

/// Whether two units of one text may have words in common.
inline bool may_overlap(const Unit& unit) { return unit.kind == Unit::Kind::window && unit.step < unit.words; }

/// "OWNER:BEGIN-END", into `out`.
void name_unit(std::string_view owner, const Span& span, std::string& out);
/// The parts of such a name. Passing another name is a programming error.
std::string_view owner_of(std::string_view id);
Span span_of(std::string_view id);
/// Whether an id is such a name, with this owner.
bool is_unit_of(std::string_view id, std::string_view owner);

}  // namespace nearkin
