// nearkin compare: one pair in full.
#include <fmt/format.h>
#include <nearkin/nearkin.h>

#include "errors.h"
#include "flags.h"
#include "json.h"
#include "options.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

/// The whole of one file as one text.
std::string read_text_file(const std::string& path) {
  Faults faults;
  const Items items = read_items({.paths = {path}, .files_from = {}, .format = Format::files, .number = {}}, &faults);
  if (items.size() == 1) return std::string(items.text(0));
  if (items.size() > 1) throw Error(ErrorCode::file, path, "holds several files; compare takes two single ones");
  const std::string reason = faults.first.empty() ? "not a text file" : faults.first.front().message;
  throw Error(ErrorCode::file, path, reason.substr(0, reason.rfind(';')) + "; compare takes two text files");
}

std::string similarity_of(const Comparison& c) {
  return similarity_text({0, 1, static_cast<std::uint32_t>(c.shared), static_cast<std::uint32_t>(c.total)});
}

/// For the table: the beginning of a long passage, cut between two characters.
std::string beginning(const std::string& passage) {
  constexpr std::size_t kShown = 100;
  if (passage.size() <= kShown) return json_string(passage);
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(passage[end]) & 0xC0) == 0x80) --end;
  return fmt::format("{}… ({} bytes)", json_string(passage.substr(0, end)), counted(passage.size()));
}

std::string as_json(const Typed& typed, const Comparison& c) {
  JsonObject object;
  object.add("a", typed.inputs[0]).add("b", typed.inputs[1]).raw("similarity", similarity_of(c)).add("estimate", c.estimate);
  object.add("shared", c.shared).add("total", c.total).add("a_shingles", c.a_size).add("b_shingles", c.b_size);
  object.add("found", c.found).add("candidate", c.candidate);
  object.raw("passages", json_array(c.passages, [](const std::string& passage) { return json_string(passage); }));
  return object.text() + "\n";
}

std::string as_table(const Typed& typed, const Plan& plan, const Comparison& c) {
  if (plan.measure == Measure::exact) {
    return fmt::format("similarity  {}\na           {}\nb           {}\n", similarity_of(c), typed.inputs[0], typed.inputs[1]);
  }
  std::string out = fmt::format("similarity  {}  ({} of {} shared)\n", similarity_of(c), counted(c.shared), counted(c.total, "shingle"));
  if (plan.sketch.hashes > 0) {
    out += fmt::format("estimate    {:.6f}  (from {} hashes)\n", c.estimate, plan.sketch.hashes);
    out += fmt::format("found       {:.6f}  (the chance that {}x{} meets the pair; seed {} {})\n", c.found, plan.band.bands, plan.band.rows,
                       plan.sketch.seed, c.candidate ? "does" : "does not");
  }
  out += fmt::format("a           {}  ({})\n", typed.inputs[0], counted(c.a_size, "shingle"));
  out += fmt::format("b           {}  ({})\n", typed.inputs[1], counted(c.b_size, "shingle"));
  for (const std::string& passage : c.passages) out += fmt::format("shared      {}\n", beginning(passage));
  return out;
}

int run(const Typed& typed) {
  if (typed.inputs.size() != 2) throw UsageError(fmt::format("compare: takes two files, {} given", typed.inputs.size()));
  const Plan plan = plan_of(typed, {});
  const std::size_t passages = typed.passages ? whole(*typed.passages, "--passages", 0, 1'000'000) : 5;
  const std::string a = read_text_file(typed.inputs[0]);
  const std::string b = read_text_file(typed.inputs[1]);
  const Comparison comparison = compare(a, b, plan, passages);
  write_text(typed.json ? as_json(typed, comparison) : as_table(typed, plan, comparison), output_of(typed));
  if (plan.measure != Measure::exact && (comparison.a_size == 0 || comparison.b_size == 0)) {
    say(typed, fmt::format("{}: empty; an empty item is similar to nothing", typed.inputs[comparison.a_size == 0 ? 0 : 1]));
  }
  say(typed, to_string(plan));
  return 0;
}

}  // namespace

const Command kCompareCommand{
    .bit = kCompare,
    .name = "compare",
    .arguments = "A B",
    .summary = "show one pair of files in full",
    .about = "Compares two files: their exact similarity, its estimate, whether the plan would find them, the passages they share.",
    .example = "nearkin compare old.txt new.txt --shingle word:3",
    .run = run,
};

}  // namespace nearkin::cli
