// nearkin index: makes an index, changes it, and looks after it.
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/spelling.h>

#include "errors.h"
#include "flags.h"
#include "ignore.h"
#include "index_folder.h"
#include "json.h"
#include "options.h"
#include "progress.h"
#include "stats.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

using Access = Index::Access;

enum ActionBit : unsigned { kCreate = 1, kAdd = 2, kRemove = 4, kInfo = 8, kCompact = 16, kVerify = 32 };
constexpr unsigned kReading = kCreate | kAdd | kRemove;

struct Action {
  ActionBit bit;
  const char* name;
  int (*run)(const ParsedArgs& typed);
};

bool has_input(const ParsedArgs& typed) { return !typed.inputs.empty() || typed.files_from; }

/// Flags that some of the actions have no use for.
void refuse_idle_flags(const ParsedArgs& typed, const Action& action) {
  const struct {
    bool given;
    const char* flag;
    unsigned actions;
  } flags[] = {{typed.store_texts, "--store-texts", kCreate},
               {typed.metadata.has_value(), "--metadata", kCreate | kAdd},
               {typed.backup.has_value(), "--backup", kInfo},
               {typed.output.has_value(), "--output", kInfo | kVerify},
               {typed.json, "--json", kInfo | kVerify},
               {typed.stats.has_value(), "--stats", kReading},
               {typed.ignored.has_value(), "--ignored", kCreate},
               {typed.files_from.has_value(), "--files-from", kReading},
               {typed.format.has_value(), "--format", kReading},
               {typed.id.has_value(), "--id", kReading},
               {typed.text.has_value(), "--text", kCreate | kAdd},
               {typed.encoding.has_value(), "--encoding", kReading},
               {typed.html.has_value(), "--html", kCreate | kAdd},
               {typed.pre.has_value(), "--pre", kCreate | kAdd},
               {!typed.pre_globs.empty(), "--pre-glob", kCreate | kAdd},
               {typed.pre_timeout.has_value(), "--pre-timeout", kCreate | kAdd},
               {typed.unit.has_value(), "--unit", kCreate | kAdd},
               {typed.least_unit.has_value(), "--least-unit", kCreate | kAdd},
               {typed.separator.has_value(), "--separator", kReading},
               {typed.no_header, "--no-header", kReading},
               {typed.directed.has_value(), "--directed", kReading},
               {typed.faults.has_value(), "--faults", kReading}};
  for (const auto& [given, flag, actions] : flags) {
    if (given && (actions & action.bit) == 0)
      throw UsageError(fmt::format("{}: has no use with 'index {}'; leave it out", flag, action.name));
  }
  if (action.bit == kCreate && typed.metadata && !has_input(typed)) {
    throw UsageError("--metadata: there is no INPUT that has fields to keep; give it to 'index add'");
  }
  if (action.bit == kCreate && typed.ignore_common && !has_input(typed)) {
    throw UsageError("--ignore-common: there is no INPUT whose shingles can be counted; name it, or leave --ignore-common out");
  }
  if ((action.bit & kReading) == 0 && !typed.inputs.empty()) {
    throw UsageError(fmt::format("index {}: takes INDEX alone, {} given too", action.name, typed.inputs.front()));
  }
}

Index open_to(const ParsedArgs& typed, Access access) {
  Index index = open_index(*typed.index, access);
  refuse_other_plan_than(typed, index);
  return index;
}

std::string added_text(const IndexPut& put) {
  std::string text = fmt::format("added {}", counted(put.added));
  if (put.replaced > 0) text += fmt::format(", replaced {}", counted(put.replaced));
  if (put.outdated > 0) text += fmt::format(", removed {} that their records no longer have", counted(put.outdated));
  return text;
}

int finish_adding(const ParsedArgs& typed, const Plan& plan, const IndexAdded& added) {
  write_stats(typed, nullptr, added.stats,
              JsonObject()
                  .add("plan", to_string(plan))
                  .add("added", added.put.added)
                  .add("replaced", added.put.replaced)
                  .add("outdated", added.put.outdated));
  say_faults(typed, added.stats.faults);
  if (added.stats.items > 0 && added.stats.empty == added.stats.items) {
    warn(typed, Warning::nothing_to_compare,
         fmt::format("all {} are empty{}; an empty item is similar to nothing", counted(added.stats.items, "item"),
                     plan.shingle.ignored ? " without what the index ignores" : ""));
  }
  say(typed, to_string(plan));
  say_ignored(typed, plan);
  say(typed, fmt::format("{}: {}, {}; {}", *typed.index, read_text(added.stats), added_text(added.put), cost_text(added.stats)));
  return exit_status(typed, added.stats.faults);
}

int create(const ParsedArgs& typed) {
  const Input input = input_of(typed);
  if (has_input(typed)) refuse_idle_ignored(typed, input, {});
  const auto begin = std::chrono::steady_clock::now();
  const Plan plan = plan_for(typed, input, has_input(typed) ? sample_of(typed, input) : std::nullopt);
  const double planned = seconds_since(begin);
  const IndexOptions options{.texts = typed.store_texts, .unit = input.unit, .directed = input.directed};
  warn_of_weak_bands(typed, plan);
  if (!has_input(typed)) {
    for (const auto& [given, flag] : {std::pair(typed.stats.has_value(), "--stats"), std::pair(typed.ignored.has_value(), "--ignored")}) {
      if (given) throw UsageError(fmt::format("{}: nothing is read for an empty index; leave it out", flag));
    }
    Index::create(*typed.index, plan, options);
    say(typed, to_string(plan));
    say(typed, fmt::format("{}: an empty index; 'nearkin index add' fills it", *typed.index));
    return 0;
  }
  Progress progress(typed);
  say_reading_terminal(typed, input);
  IndexAdded added = create_index(*typed.index, input, plan, options, {.threads = threads_of(typed), .progress = progress.callback()});
  progress.clear();
  list_ignored(typed, input, {}, plan);
  added.stats.seconds.insert(added.stats.seconds.begin(), {"plan", planned});
  return finish_adding(typed, plan, added);
}

int add(const ParsedArgs& typed) {
  Index index = open_to(typed, Access::write);
  const Input input = input_of(typed);
  Progress progress(typed);
  say_reading_terminal(typed, input);
  const IndexAdded added = add_to_index(index, input, {.threads = threads_of(typed), .progress = progress.callback()});
  progress.clear();
  return finish_adding(typed, index.plan(), added);
}

/// ", 7 not there (a, b, c, d, e, …)"
std::string absent_text(const IndexRemoved& removed) {
  if (removed.absent == 0) return "";
  return fmt::format(", {} not there ({}{})", counted(removed.absent), fmt::join(removed.first_absent, ", "),
                     removed.absent > removed.first_absent.size() ? ", …" : "");
}

int remove(const ParsedArgs& typed) {
  Index index = open_to(typed, Access::write);
  Input input = input_of(typed);
  input.text.clear();  // ids are all that is asked for
  Progress progress(typed);
  say_reading_terminal(typed, input);
  const IndexRemoved removed = remove_from_index(index, input, {.threads = threads_of(typed), .progress = progress.callback()});
  progress.clear();
  write_stats(typed, nullptr, removed.stats, JsonObject().add("removed", removed.removed).add("absent", removed.absent));
  say_faults(typed, removed.stats.faults);
  say(typed, fmt::format("{}: removed {}{}; {}", *typed.index, counted(removed.removed), absent_text(removed), cost_text(removed.stats)));
  return exit_status(typed, removed.stats.faults);
}

std::string info_json(const IndexInfo& info) {
  JsonObject object;
  object.add("plan", to_string(info.plan)).add("items", info.items).add("empty", info.empty).add("texts", info.texts);
  if (info.unit.divides()) object.add("unit", to_string(info.unit));
  if (info.directed != Directed::no) object.add("directed", name(info.directed));
  if (!info.vectors.empty()) object.add("vectors", info.vectors);
  return object.add("bytes", info.bytes).add("free_bytes", info.free_bytes).add("format", info.format).text() + "\n";
}

std::string info_text(const IndexInfo& info) {
  std::string out = fmt::format("plan\t{}\nitems\t{}\nempty\t{}\ntexts\t{}\n", to_string(info.plan), info.items, info.empty,
                                info.texts ? "kept" : "not kept");
  if (info.unit.divides()) out += fmt::format("unit\t{}\n", to_string(info.unit));
  if (info.directed != Directed::no) out += fmt::format("directed\t{}\n", name(info.directed));
  if (!info.vectors.empty()) out += fmt::format("vectors\t{}\n", info.vectors);
  return out + fmt::format("bytes\t{}\nfree_bytes\t{}\nformat\t{}\n", info.bytes, info.free_bytes, info.format);
}

int info(const ParsedArgs& typed) {
  const Index index = open_to(typed, Access::read);
  const IndexInfo about = index.info();
  if (typed.backup) {
    if (typed.backup->empty()) throw UsageError("--backup: an empty name; name a folder");
    index.backup(*typed.backup);
  }
  write_text(typed.json ? info_json(about) : info_text(about), output_of(typed));
  if (typed.backup) say(typed, fmt::format("{}: copied to {}", *typed.index, *typed.backup));
  return 0;
}

int compact(const ParsedArgs& typed) {
  if (upgrade_index(*typed.index)) say(typed, fmt::format("{}: converted to the format of this version", *typed.index));
  Index index = open_to(typed, Access::write);
  const std::uint64_t before = index.info().bytes;
  index.compact();
  const std::uint64_t after = index.info().bytes;
  say(typed, fmt::format("{}: {}, was {}", *typed.index, size_text(static_cast<double>(after)), size_text(static_cast<double>(before))));
  return 0;
}

std::string check_json(const IndexCheck& check) {
  return JsonObject()
             .add("items", check.items)
             .add("entries", check.entries)
             .add("problem_count", check.problem_count)
             .raw("problems", json_array(check.problems, [](const std::string& problem) { return json_string(problem); }))
             .text() +
         "\n";
}

std::string check_text(const IndexCheck& check) {
  std::string out = fmt::format("items\t{}\nentries\t{}\nproblems\t{}\n", check.items, check.entries, check.problem_count);
  for (const std::string& problem : check.problems) out += problem + "\n";
  if (check.problem_count > check.problems.size())
    out += fmt::format("… and {} more\n", counted(check.problem_count - check.problems.size()));
  return out;
}

int verify(const ParsedArgs& typed) {
  const Index index = open_to(typed, Access::read);
  const IndexCheck check = index.verify();
  write_text(typed.json ? check_json(check) : check_text(check), output_of(typed));
  if (check.problem_count == 0) {
    say(typed, fmt::format("{}: sound", *typed.index));
    return 0;
  }
  warn(Warning::damaged_index,
       fmt::format("{}: damaged: {}; restore a backup, or create it again", *typed.index, counted(check.problem_count, "problem")));
  return 2;
}

constexpr std::array<Action, 6> kActions{{{kCreate, "create", create},
                                          {kAdd, "add", add},
                                          {kRemove, "remove", remove},
                                          {kInfo, "info", info},
                                          {kCompact, "compact", compact},
                                          {kVerify, "verify", verify}}};

const Action& action_of(const std::string& word) {
  std::vector<std::string> names;
  for (const Action& action : kActions) {
    if (word == action.name) return action;
    names.emplace_back(action.name);
  }
  const auto near = nearest_name(word, names);
  throw UsageError(near ? fmt::format("index: unknown action {}; did you mean {}?", word, *near)
                        : fmt::format("index: unknown action {}; it is create, add, remove, info, compact or verify", word));
}

int run_index(const ParsedArgs& typed) {
  const Action& action = action_of(*typed.action);
  refuse_idle_flags(typed, action);
  return action.run(typed);
}

}  // namespace

const Command kIndexCommand{
    .bit = kIndex,
    .name = "index",
    .arguments = "create|add|remove|info|compact|verify INDEX [INPUT ...]",
    .summary = "keep a changing collection in a folder, for query, dedup and serve",
    .about =
        "create   makes the folder INDEX with the items of INPUT (an empty index without INPUT), and chooses its plan, which never "
        "changes\n"
        "add      adds the items of INPUT; an item replaces the one with the same id\n"
        "remove   removes the items whose ids are in INPUT; in plain text and standard input, each line is an id\n"
        "info     shows what the index contains; with --backup DIR makes a copy\n"
        "compact  gives free space back to the disk\n"
        "verify   checks every checksum and looks up every item; exit status 2 if the index is damaged\n"
        "Other processes may read and write the index at the same time. When a command ends, its changes are on the disk.",
    .examples =
        "nearkin index create docs.nearkin docs.jsonl --text body --store-texts # make one\n"
        "nearkin index add docs.nearkin more.jsonl --text body                 # add items, or replace them\n"
        "nearkin index remove docs.nearkin ids.txt                             # take items out\n"
        "nearkin index info docs.nearkin --backup copy.nearkin                 # a copy of it",
    .run = run_index,
};

}  // namespace nearkin::cli
