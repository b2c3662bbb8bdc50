#include "truth.h"

#include <algorithm>

#include <fmt/format.h>

#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>

#include "errors.h"
#include "options.h"
#include "talk.h"

namespace nearkin::cli {

void refuse_idle_truth(const ParsedArgs& typed, const std::vector<TypedFlag>& more) {
  std::vector<TypedFlag> flags = {{typed.against.has_value(), "--against"},
                                  {typed.best, "--best"},
                                  {typed.top.has_value(), "--top"},
                                  {typed.one_to_one, "--one-to-one"},
                                  {typed.optimal, "--optimal"},
                                  {typed.truth_kind.has_value(), "--truth-kind"},
                                  {typed.truth_fields.has_value(), "--truth-fields"},
                                  {typed.thresholds.has_value(), "--thresholds"},
                                  {typed.radii.has_value(), "--radii"}};
  flags.insert(flags.end(), more.begin(), more.end());
  refuse_typed(flags, "needs --truth FILE, the pairs or clusters that are true; give it, or leave {flag} out");
}

void refuse_beside_truth(const std::vector<TypedFlag>& flags) { refuse_typed(flags, "has no use with --truth; leave one of them out"); }

TruthTable truth_of(const ParsedArgs& typed) {
  TruthFile file{.path = *typed.truth, .between = typed.against.has_value()};
  if (typed.truth_kind) file.kind = parse_truth_kind(*typed.truth_kind);
  if (typed.id) file.id = *typed.id;
  if (typed.separator) file.separator = input_of(typed).separator;
  if (typed.truth_fields) {
    const std::vector<std::string> names = field_names(*typed.truth_fields, "--truth-fields", "left,right");
    if (names.size() != 2)
      throw UsageError(fmt::format("--truth-fields: \"{}\" is not two names, such as left,right", *typed.truth_fields));
    file.fields = {names[0], names[1]};
  }
  return read_truth(file);
}

void say_truth_notes(const ParsedArgs& typed, const TruthNotes& notes) {
  if (notes.header) {
    warn(typed, Warning::first_line,
         fmt::format("{}: the first line, {} and {}, was taken for a header: neither is the id of an item", *typed.truth,
                     notes.header->first, notes.header->second));
  }
  if (notes.unknown > 0) {
    warn(Warning::unknown_ids, fmt::format("{}: {} left out, as {} not in the input: {}{}", *typed.truth, counted(notes.unknown, "label"),
                                           notes.unknown_ids.size() == 1 ? "this id is" : "these ids are",
                                           fmt::join(notes.unknown_ids, ", "), notes.unknown_ids.size() == TruthNotes::kNamed ? " …" : ""));
  }
  if (notes.repeated > 0) {
    say(typed, fmt::format("{}: {} repeated an earlier label; each counts once", *typed.truth, counted(notes.repeated, "label")));
  }
}

}  // namespace nearkin::cli
