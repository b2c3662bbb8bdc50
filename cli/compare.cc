// nearkin compare: one pair in full.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/compare.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>
#include <nearkin/tools/spelling.h>
#include <nearkin/tools/theory.h>

#include "errors.h"
#include "flags.h"
#include "json.h"
#include "options.h"
#include "report_file.h"
#include "talk.h"
#include "text_file.h"

namespace nearkin::cli {
namespace {

/// The page shows only the beginning of longer texts.
constexpr std::size_t kMostOnPage = 1'000'000;

/// The page of --report, where it was asked for.
void write_page(const ParsedArgs& typed, const Plan& plan, const Comparison& comparison, MarkedPair texts) {
  const std::optional<std::string> path = report_of(typed);
  if (!path) return;
  Report report;
  report.command = "compare";
  report.inputs = typed.inputs;
  report.plan = plan;
  report.pairs.push_back(
      {.a = typed.inputs[0], .b = typed.inputs[1], .why = "compared", .comparison = comparison, .texts = std::move(texts)});
  report.pairs_in_all = 1;
  write_report(typed, std::move(report), *path);
}

void write_page(const ParsedArgs& typed, const Plan& plan, const Comparison& comparison, std::string_view a, std::string_view b) {
  if (typed.report) write_page(typed, plan, comparison, mark_shared(a, b, plan.shingle, kMostOnPage));
}

/// One item of a file of vectors: "digits.bvecs:17", or the file alone where it holds one.
struct Place {
  std::string path;
  std::optional<std::uint64_t> line;
};

Place place_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (std::filesystem::exists(text) || colon == std::string::npos) return {text, {}};
  const std::string line = text.substr(colon + 1);
  const bool number = !line.empty() && line.find_first_not_of("0123456789") == std::string::npos;
  return number ? Place{text.substr(0, colon), whole(line, "compare", 0)} : Place{text, {}};
}

Input vector_input(const ParsedArgs& typed, const Place& a, const Place& b) {
  Input input;
  input.paths = {a.path};
  if (b.path != a.path) input.paths.push_back(b.path);
  if (typed.format) input.format = parse_format(*typed.format);
  return input;
}

std::size_t row_of(const VectorItems& items, const Faults& faults, const std::string& text, const Place& place) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < items.ids.size(); ++i) {
    const std::string_view id = items.ids[i];
    const bool same_file = id.starts_with(place.path + ":");
    if (place.line ? id != text : !same_file) continue;
    if (found) throw UsageError(fmt::format("{}: holds several items; name one, such as {}", text, items.ids[i]));
    found = i;
  }
  for (const Fault& fault : faults.first) {
    if (!found && fault.where == text)
      throw UsageError(fmt::format("{}: {}", fault.where, fault.message.substr(0, fault.message.rfind(';'))));
  }
  if (!found) throw UsageError(fmt::format("{}: no such item; ids are FILE:LINE, or FILE:ROW from 0 for binary files", text));
  return *found;
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

std::string as_json(const ParsedArgs& typed, const Plan& plan, const Comparison& c) {
  JsonObject object;
  object.add("a", typed.inputs[0]).add("b", typed.inputs[1]).add("similarity", c.similarity);
  if (plan.sketch.hashes > 0) object.add("estimate", c.estimate);
  object.add("shared", c.shared).add("total", c.total).add("a_shingles", c.a_size).add("b_shingles", c.b_size);
  if (plan.sketch.hashes > 0) object.add("found", c.found).add("candidate", c.candidate);
  object.raw("passages", json_array(c.passages, [](const std::string& passage) { return json_string(passage); }));
  return object.text() + "\n";
}

std::string as_table(const ParsedArgs& typed, const Plan& plan, const Comparison& c) {
  if (plan.measure == Measure::exact) {
    return fmt::format("similarity  {}\na           {}\nb           {}\n", similarity_of(c), shown(typed.inputs[0]),
                       shown(typed.inputs[1]));
  }
  std::string out = fmt::format("similarity  {}  ({} of {} shared)\n", similarity_of(c), counted(c.shared), counted(c.total, "shingle"));
  if (plan.sketch.hashes > 0) {
    out += fmt::format("estimate    {:.6f}  (from {} hashes)\n", c.estimate, plan.sketch.hashes);
    out += fmt::format("found       {:.6f}  (the chance that {}x{} finds the pair; seed {} {})\n", c.found, plan.band.bands, plan.band.rows,
                       plan.sketch.seed, c.candidate ? "does" : "does not");
  }
  out += fmt::format("a           {}  ({})\n", shown(typed.inputs[0]), counted(c.a_size, "shingle"));
  out += fmt::format("b           {}  ({})\n", shown(typed.inputs[1]), counted(c.b_size, "shingle"));
  for (const std::string& passage : c.passages) out += fmt::format("shared      {}\n", beginning(passage));
  return out;
}

std::string value_text(const Comparison& c, const Plan& plan) {
  return measured_text({.a = 0, .b = 1, .shared = 0, .total = 0, .value = c.similarity}, plan.measure);
}

std::string vectors_as_json(const ParsedArgs& typed, const Plan& plan, const Comparison& c) {
  JsonObject object;
  object.add("a", typed.inputs[0]).add("b", typed.inputs[1]).add("measure", name(plan.measure));
  object.add(is_distance(plan.measure) ? "distance" : "similarity", c.similarity);
  if (plan.band.rows > 0) object.add("agreement", c.estimate).add("found", c.found).add("candidate", c.candidate);
  return object.text() + "\n";
}

std::string vectors_as_table(const ParsedArgs& typed, const Plan& plan, const Comparison& c) {
  std::string out = fmt::format("{:<10}  {}\n", is_distance(plan.measure) ? "distance" : "similarity", value_text(c, plan));
  if (plan.band.rows > 0) {
    out +=
        fmt::format("agreement   {:.6f}  (of {} hashes, {:.6f} expected)\n", c.estimate, plan.sketch.hashes, agreement(plan, c.similarity));
    out += fmt::format("found       {:.6f}  (the chance that {}x{} finds the pair; seed {} {})\n", c.found, plan.band.bands, plan.band.rows,
                       plan.sketch.seed, c.candidate ? "does" : "does not");
  }
  const char* const noun = plan.kind == Kind::bits ? "bit" : plan.kind == Kind::shingles ? "answer" : "number";
  out += fmt::format("a           {}  ({})\n", shown(typed.inputs[0]), counted(c.a_size, noun));
  return out + fmt::format("b           {}  ({})\n", shown(typed.inputs[1]), counted(c.b_size, noun));
}

/// A distance can be told without a radius; only what the plan would find needs one.
Plan vector_plan(const ParsedArgs& typed, const Input& input) {
  Plan outline = outline_of(typed, input);
  if (typed.plan || typed.radius || !is_distance(outline.measure)) return plan_of(typed, input);
  outline.recall = 1;
  if (outline.measure != Measure::hamming) outline.radius = 1;  // any will do: nothing is looked for
  return outline;
}

int run_on_vectors(const ParsedArgs& typed) {
  const Place a = place_of(typed.inputs[0]), b = place_of(typed.inputs[1]);
  const Input input = vector_input(typed, a, b);
  const Plan plan = vector_plan(typed, input);
  if (plan.kind == Kind::shingles) throw UsageError(fmt::format("--measure: {} does not compare vectors", name(plan.measure)));
  Faults faults;
  VectorItems items = read_vectors(input, &faults);
  const std::size_t i = row_of(items, faults, typed.inputs[0], a), j = row_of(items, faults, typed.inputs[1], b);
  const Vectors vectors = prepare(std::move(items.vectors), plan);
  const Comparison c = compare(vectors, i, vectors, j, plan);
  write_text(typed.json ? vectors_as_json(typed, plan, c) : vectors_as_table(typed, plan, c), output_of(typed));
  write_page(typed, plan, c, MarkedPair());
  for (const auto& [row, input_name] : {std::pair(i, typed.inputs[0]), std::pair(j, typed.inputs[1])}) {
    if (is_empty(vectors, row, plan.measure))
      warn(typed, Warning::empty_item, fmt::format("{}: empty; a zero vector is similar to nothing", input_name));
  }
  if (plan.band.rows > 0) say(typed, to_string(plan));
  return 0;
}

/// "answers.table:ann", "friends.edges:bob", "baskets.sets:3": the file, and the id or line of one of its items.
std::string item_text(const std::string& text, Input input) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) throw UsageError(fmt::format("{}: name one item of the file, as FILE:ID or FILE:LINE", text));
  input.paths = {text.substr(0, colon)};
  const Items items = read_items(input);
  for (Row row = 0; row < items.size(); ++row) {
    if (items.id(row) == text || items.id(row) == text.substr(colon + 1)) return std::string(items.text(row));
  }
  throw UsageError(fmt::format("{}: no such item; items are named FILE:ID or FILE:LINE", text));
}

/// The names of the columns that the answers of a row belong to, in order.
std::vector<std::string> columns_of(const std::string& answers) {
  std::vector<std::string> names;
  for (std::size_t begin = 0, end = 0; begin < answers.size(); begin = end + 1) {
    end = std::min(answers.find(' ', begin), answers.size());
    const std::string answer = answers.substr(begin, end - begin);
    names.push_back(answer.substr(0, answer.find('=')));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Items of sets, graphs and tables.
int run_on_sets(const ParsedArgs& typed, Format format) {
  Input input;
  input.format = format;
  if (typed.id) input.id = *typed.id;
  Plan plan = outline_of(typed, input);
  if (plan.kind != Kind::shingles) throw UsageError(fmt::format("--measure: {} does not compare {}", name(plan.measure), name(format)));
  input.all_answers = plan.measure == Measure::hamming;
  if (plan.measure == Measure::hamming)
    plan.recall = 1;  // a distance can be told without a radius
  else
    plan = plan_for(typed, input, {});
  const std::string a = item_text(typed.inputs[0], input), b = item_text(typed.inputs[1], input);
  const Comparison c = compare(a, b, plan, 0);
  if (plan.measure == Measure::hamming && c.a_size != c.b_size) {
    throw UsageError(fmt::format("{}: has {} to compare, {} has {}; hamming needs the same columns", typed.inputs[0],
                                 counted(c.a_size, "column"), typed.inputs[1], counted(c.b_size)));
  }
  if (plan.measure == Measure::hamming && columns_of(a) != columns_of(b)) {
    throw UsageError(fmt::format("{}: has other columns than {}; hamming needs the same columns", typed.inputs[0], typed.inputs[1]));
  }
  if (plan.measure != Measure::hamming) {
    write_text(typed.json ? as_json(typed, plan, c) : as_table(typed, plan, c), output_of(typed));
  } else {
    write_text(typed.json ? vectors_as_json(typed, plan, c) : vectors_as_table(typed, plan, c), output_of(typed));
  }
  write_page(typed, plan, c, a, b);
  return 0;
}

/// The format of sets, graphs and tables, typed or by the extension of A's file.
std::optional<Format> set_format(const ParsedArgs& typed) {
  const std::string& a = typed.inputs[0];
  const bool item = !std::filesystem::exists(a) && a.find(':') != std::string::npos;
  const std::optional<Format> format = typed.format ? parse_format(*typed.format)
                                       : item       ? format_of({.paths = {a.substr(0, a.rfind(':'))}})
                                                    : std::nullopt;
  const bool is_set = format == Format::sets || format == Format::edges || format == Format::table;
  return is_set ? format : std::nullopt;
}

/// Whether A and B are items of vector files.
bool names_vectors(const ParsedArgs& typed) {
  const std::optional<Format> format = typed.format ? parse_format(*typed.format) : format_of({.paths = {place_of(typed.inputs[0]).path}});
  if (typed.format && !holds_vectors(*format)) {
    throw UsageError(fmt::format("--format: compare reads A and B as one text each; {} is for the other commands", *typed.format));
  }
  return format && holds_vectors(*format);
}

int run_compare(const ParsedArgs& typed) {
  if (typed.inputs.size() != 2) throw UsageError(fmt::format("compare: takes two files, {} given", typed.inputs.size()));
  report_of(typed);  // a name it cannot have is refused before the work
  if (const std::optional<Format> format = set_format(typed)) return run_on_sets(typed, *format);
  if (names_vectors(typed)) return run_on_vectors(typed);
  const Plan plan = plan_for(typed, {}, {});
  if (plan.kind != Kind::shingles || plan.measure == Measure::hamming) {
    throw UsageError(fmt::format(
        "--measure: {} compares vectors, and A and B are texts; name items of vector files, such as v.npy:0 v.npy:1", name(plan.measure)));
  }
  const std::size_t passages = typed.passages ? whole(*typed.passages, "--passages", 0, 1'000'000) : 5;
  const std::string a = read_text_file(typed, typed.inputs[0], "compare");
  const std::string b = read_text_file(typed, typed.inputs[1], "compare");
  const Comparison comparison = compare(a, b, plan, passages);
  write_text(typed.json ? as_json(typed, plan, comparison) : as_table(typed, plan, comparison), output_of(typed));
  write_page(typed, plan, comparison, a, b);
  if (plan.measure != Measure::exact && (comparison.a_size == 0 || comparison.b_size == 0)) {
    warn(typed, Warning::empty_item,
         fmt::format("{}: empty{}; an empty item is similar to nothing", typed.inputs[comparison.a_size == 0 ? 0 : 1],
                     typed.ignore.empty() ? "" : " without what is ignored (--ignore)"));
  }
  say(typed, to_string(plan));
  return 0;
}

}  // namespace

const Command kCompareCommand{
    .bit = kCompare,
    .name = "compare",
    .arguments = "A B",
    .summary = "show one pair in full",
    .about =
        "Compares two files: shows their exact similarity, the estimate from hashes, whether a run with these\n"
        "settings would find the pair, and the passages they share.\n"
        "For files of vectors, sets, edges or tables, A and B are items, such as digits.bvecs:17 or answers.table:ann.",
    .examples =
        "nearkin compare old.txt new.txt --shingle word:3                      # two texts\n"
        "nearkin compare digits.bvecs:17 digits.bvecs:29 --measure cosine      # two items of files of vectors",
    .run = run_compare,
};

}  // namespace nearkin::cli
