#include "cutting.h"

#include <tuple>

#include <fmt/format.h>
#include <nearkin/tools/names.h>

#include "errors.h"
#include "talk.h"

namespace nearkin::cli {

void set_cutting(const ParsedArgs& typed, bool in_units, DedupOptions& options) {
  for (const auto& [given, flag, needed] : {std::tuple(&typed.repeats, "--repeats", "--unit"),
                                            {&typed.least_left, "--least-left", "--unit or --passages"},
                                            {&typed.most_cut, "--most-cut", "--unit or --passages"},
                                            {&typed.share_field, "--share-field", "--unit"}}) {
    if (*given && !in_units) throw UsageError(fmt::format("{}: needs {}, such as --unit paragraph", flag, needed));
  }
  if (typed.repeats && *typed.repeats != "first" && *typed.repeats != "none") {
    throw UsageError(fmt::format("--repeats: \"{}\" is not first or none", *typed.repeats));
  }
  if (typed.drop && typed.repeats) throw UsageError("--drop and --repeats: both say what stays of repeated units; leave one of them out");
  if (typed.repeats == "none" && typed.measure == "containment") {
    throw UsageError(
        "--repeats: none cuts all of a group, but under containment the unit that contains the others is not repeated; leave it out");
  }
  if (typed.repeats == "none" && typed.against) {
    throw UsageError("--repeats: none is about repeats within INPUT, but --against cuts everything that OTHER has; leave it out");
  }
  if (typed.drop && *typed.drop != "repeated") throw UsageError(fmt::format("--drop: \"{}\" is not repeated", *typed.drop));
  options.drop_repeated = typed.drop || typed.repeats == "none";
  if (typed.keep_at_most) options.keep_at_most = static_cast<std::uint32_t>(whole(*typed.keep_at_most, "--keep-at-most", 1, UINT32_MAX));
  options.size_field = typed.size_field;
  if (options.size_field && options.size_field->empty()) throw UsageError("--size-field: an empty name; name a field");
  options.share_field = typed.share_field;
  if (options.share_field && options.share_field->empty()) throw UsageError("--share-field: an empty name; name a field");
  if (typed.least_left) options.least_left = static_cast<std::uint32_t>(whole(*typed.least_left, "--least-left", 0, 1'000'000'000));
  if (typed.most_cut) options.most_cut = parse_ratio(*typed.most_cut, "--most-cut").value();
}

std::string records_text(const DedupResult::Records& records, bool annotate) {
  std::string text = fmt::format("; {} {}cut", counted(records.cut, "record"), annotate ? "would be " : "");
  if (records.removed > 0) text += fmt::format(", {} removed", counted(records.removed));
  if (records.left_alone > 0) text += fmt::format(", {} left unchanged by --most-cut", counted(records.left_alone));
  return text;
}

void add_records(const DedupResult::Records& records, JsonObject& told) {
  told.add("records", records.read).add("records_cut", records.cut).add("records_removed", records.removed);
  told.add("records_left_alone", records.left_alone);
}

}  // namespace nearkin::cli
