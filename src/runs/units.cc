#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/tools/units.h>

#include "base/units.h"
#include "io/formats/cut_text.h"
#include "runs/cut_records.h"

namespace nearkin {

std::vector<Span> units_of(std::string_view text, const Unit& unit) {
  std::vector<Span> spans;
  find_units(text, unit, spans);
  return spans;
}

// The parts of the text that these units make up.
static std::vector<Span> parts_at(std::span<const Span> units, std::span<const std::uint64_t> begins) {
  std::vector<Span> parts;
  std::size_t next = 0;
  for (const Span& unit : units) {
    if (next == begins.size() || begins[next] != unit.begin) continue;
    add_part(parts, unit);
    ++next;
  }
  if (next < begins.size()) throw Error(ErrorCode::plan, "units", "no unit of the text begins at byte " + std::to_string(begins[next]));
  return parts;
}

std::optional<std::string> without_units(std::string_view text, const Unit& unit, std::span<const std::uint64_t> begins,
                                         const DedupOptions& options, std::span<const std::uint64_t> whole) {
  const std::vector<Span> units = units_of(text, unit);
  std::vector<Span> gone = parts_at(units, begins);
  const std::vector<Span> spared = parts_at(units, whole);
  if (!spared.empty()) spare(text, spared, gone);
  if (gone.empty()) return std::string(text);
  const CutRecords::Fate fate = fate_by_words(text, gone, options);
  if (fate == CutRecords::Fate::removed) return std::nullopt;
  return fate == CutRecords::Fate::left_alone ? std::string(text) : without(text, gone);
}

std::string without_spans(std::string_view text, std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<Span> gone;
  for (const Span& span : spans) {
    if (span.begin > span.end || span.end > text.size()) {
      throw Error(ErrorCode::plan, "spans",
                  "bytes " + std::to_string(span.begin) + " to " + std::to_string(span.end) + " of a text of " +
                      std::to_string(text.size()) + "; give places of the text");
    }
    add_part(gone, span);
  }
  return without(text, gone);
}

}  // namespace nearkin
