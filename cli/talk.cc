#include "talk.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include <nearkin/tools/forecast.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/spelling.h>
#include <nearkin/tools/theory.h>

#include "colour.h"
#include "errors.h"
#include "ignore.h"
#include "options.h"
#include "resources.h"

namespace nearkin::cli {
namespace {

/// Two decimals, cut: a similarity just below the threshold must not read as if it reached it.
std::string cut(double similarity) { return fmt::format("{:.2f}", std::floor(similarity * 100) / 100); }

/// The threshold or the radius, as it was asked for.
std::string border_text(const Plan& plan) { return is_distance(plan.measure) ? fmt::format("{}", plan.radius) : to_string(plan.threshold); }

/// "reached 0.8", "is within 3".
std::string within_text(const Plan& plan) { return (is_distance(plan.measure) ? "is within " : "reached ") + border_text(plan); }

std::string closest_text(const Plan& plan, double value) { return is_distance(plan.measure) ? fmt::format("{:.6g}", value) : cut(value); }

void say_verify(const ParsedArgs& typed, const Plan& plan) {
  if (plan.sketch.hashes == 0) return;
  if (plan.verify == Verify::estimate) {
    const double s = plan.threshold.value();
    const double error = std::sqrt(s * (1 - s) / plan.sketch.hashes);
    warn(typed, Warning::estimates,
         fmt::format("similarities (~) are estimates from {} hashes, standard error {:.2f} at {}; --verify exact checks them",
                     plan.sketch.hashes, error, to_string(plan.threshold)));
  }
  if (plan.verify == Verify::none) {
    warn(typed, Warning::unverified,
         fmt::format("candidates were not verified (?): some are {} {}; --verify exact checks them",
                     is_distance(plan.measure) ? "beyond" : "below", border_text(plan)));
  }
}

bool one_text_file(const Input& input) {
  if (input.format || input.files_from || input.paths.size() != 1) return false;
  const std::string& path = input.paths.front();
  return path.ends_with(".txt") || path.ends_with(".txt.gz") || path.ends_with(".txt.zst");
}

/// What can be said where nothing was found that a recall could be measured by.
std::string chance_text(const Plan& plan) {
  if (plan.verify != Verify::exact || plan.band.rows == 0 || plan.nearest > 0) return "";
  const double found = found_probability(plan, is_distance(plan.measure) ? plan.radius : plan.threshold.value());
  return fmt::format("; one at {} would be found with a chance of {}", border_text(plan), percent(found));
}

std::string empties_text(const RunStats& stats) {
  if (stats.empty == stats.items) return fmt::format("all {} are", counted(stats.items, "item"));
  return fmt::format("{} of {} {}", counted(stats.empty), counted(stats.items, "item"), stats.empty == 1 ? "is" : "are");
}

void say_nothing_found(const ParsedArgs& typed, const Plan& plan, const Input& input, const RunStats& stats, bool removes) {
  if (stats.pairs > 0) return;
  if (stats.items < 2 && one_text_file(input)) {
    warn(typed, Warning::one_item,
         fmt::format("{} was read as one item; use --format lines to take each line as an item", input.paths.front()));
  } else if (stats.items < (typed.against ? 1 : 2)) {
    warn(typed, Warning::nothing_to_compare, fmt::format("{} read: nothing to compare", counted(stats.items, "item")));
  } else if (stats.one_side) {
    say_one_side(typed);
  } else if (plan.measure != Measure::exact && stats.items - stats.empty < (typed.against ? 1 : 2)) {
    warn(typed, Warning::nothing_to_compare,
         fmt::format("{} empty{}: nothing to compare", empties_text(stats),
                     typed.ignore.empty() && !typed.ignore_common ? "" : " without what is ignored (--ignore, --ignore-common)"));
  } else if (stats.one_scope) {
    warn(typed, Warning::one_scope,
         input.scope.rule == Scope::Rule::none
             ? "all windows are of one record; windows that overlap are compared only with windows of other records"
             : fmt::format("all items have the same {} (--across), so none was compared with another", input.scope.field));
  } else if (plan.measure == Measure::exact) {
    const bool sets = reads_sets(input);
    warn(typed, Warning::nothing_found,
         sets ? "no two lines are equal; sets of the same elements in another order are found by --threshold 1" : "no two items are equal");
  } else if (removes && plan.measure == Measure::containment) {
    warn(typed, Warning::nothing_found,
         fmt::format("no item occurs in one with a longer text ({} or more of it); 'pairs' lists all pairs", border_text(plan)));
  } else if (stats.closest_below > 0) {
    const std::string certain = plan.exact_join() ? "; the join is exact, so there is none" : chance_text(plan);
    warn(typed, Warning::nothing_found,
         fmt::format("no pair {}; the closest candidate had {}{} (see 'nearkin tune')", within_text(plan),
                     closest_text(plan, stats.closest_below), certain));
  } else if (plan.exact_join()) {
    warn(typed, Warning::nothing_found, fmt::format("no pair {}; the join is exact, so there is none", within_text(plan)));
  } else if (stats.candidates > 0 && plan.verify == Verify::exact) {
    warn(typed, Warning::nothing_found,
         fmt::format("no pair {}; {} stayed {}{} (see 'nearkin tune')", within_text(plan), counted(stats.candidates, "candidate"),
                     is_distance(plan.measure) ? "beyond it" : "below", chance_text(plan)));
  } else {
    warn(typed, Warning::nothing_found,
         fmt::format("no pair {}; nothing came close enough to be compared{} (see 'nearkin tune')", within_text(plan), chance_text(plan)));
  }
}

/// How many of the items that a Bloom filter removed may be like no other.
std::string errors_text(const DedupResult& result) {
  if (result.removed == 0) return "";
  const double errors = std::min(result.bloom_rate * static_cast<double>(result.stats.items), static_cast<double>(result.removed));
  const auto number = static_cast<std::uint64_t>(std::llround(errors));
  return number == 0 ? ", likely none in error" : fmt::format(", of which up to about {} in error", counted(number));
}

}  // namespace

// Not fmt::print, which throws where standard error is closed or full.
void tell(std::string_view message, Tone tone) {
  const Colour colour = tone == Tone::error ? Colour::red : tone == Tone::warning ? Colour::yellow : Colour::dim;
  const std::string line = fmt::format("{} {}\n", coloured("nearkin:", colour, shows_colours(STDERR_FILENO)), shown(message));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void say_one_side(const ParsedArgs& typed) {
  warn(typed, Warning::nothing_to_compare, "one of the two inputs has no items: nothing to compare");
}

void say(const ParsedArgs& typed, std::string_view message) {
  if (!typed.quiet) tell(message);
}

void warn(Warning warning, std::string_view message) { tell(named(message, warning), Tone::warning); }

void warn(const ParsedArgs& typed, Warning warning, std::string_view message) {
  if (!typed.quiet) warn(warning, message);
}

std::string counted(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", counted(number), noun, number == 1 ? "" : "s");
}

std::string size_text(double bytes) {
  const char* const units[] = {"kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (bytes /= 1000; bytes >= 999.5 && unit + 1 < std::size(units); bytes /= 1000) ++unit;
  return fmt::format("{:.{}f} {}", bytes, bytes < 9.95 ? 1 : 0, units[unit]);
}

std::string percent(double share) { return fmt::format("{:g} %", std::floor(share * 1000 + 1e-9) / 10); }

/// Rounded, but only 1 is 100 %.
static std::string measured_percent(double share) {
  return fmt::format("{:g} %", share >= 0.9995 ? std::floor(share * 1e5) / 1e3 : std::round(share * 1000) / 10);
}

std::string interval_text(const Recall& recall) {
  return fmt::format("{}, 95 % interval {} to {}", measured_percent(recall.estimate), measured_percent(recall.low),
                     measured_percent(recall.high));
}

void say_buckets(const ParsedArgs& typed, std::uint32_t large_bucket, const BucketNotes& notes, bool lists_pairs) {
  if (notes.not_compared == 0) return;
  const std::string message = fmt::format(
      "{} of more than {} items (largest {}): {} in them {} not compared (counted in each band); raise --large-bucket to compare all",
      counted(notes.large, "bucket"), counted(large_bucket), counted(notes.largest), counted(notes.not_compared, "pair"),
      notes.not_compared == 1 ? "was" : "were");
  lists_pairs ? warn(Warning::large_buckets, message) : warn(typed, Warning::large_buckets, message);
}

/// Warns if fewer pairs should be found on average than asked for. Copies do not count: they are always found.
static void warn_of_weak_average(const ParsedArgs& typed, const Plan& plan, const Expectation& expected) {
  const double asked_for = expected.similar - expected.copies;
  if (asked_for <= 0 || 1 - expected.missed / asked_for >= plan.recall - 1e-9) return;
  warn(typed, Warning::weak_bands,
       fmt::format("{}x{} finds {} of the pairs {} {} on average, the goal is {}", plan.band.bands, plan.band.rows,
                   percent(1 - expected.missed / asked_for), is_distance(plan.measure) ? "within" : "at or above", border_text(plan),
                   percent(plan.recall)));
}

static void say_recall_at(const ParsedArgs& typed, const Plan& plan) {
  if (typed.recall_at != name(RecallAt::average) || plan.recall_at == RecallAt::average) return;
  warn(typed, Warning::average_unknown,
       fmt::format(
           "--recall-at average: too few pairs {} {} were seen in a sample to know their average; the plan promises {} at the {} instead",
           is_distance(plan.measure) ? "within" : "at or above", border_text(plan), percent(plan.recall),
           is_distance(plan.measure) ? "radius" : "threshold"));
}

void hint_at_code_tokens(const ParsedArgs& typed, const Plan& plan) {
  const bool words_by_default = plan.shingle.token == Token::word && !typed.shingle && !typed.plan;
  if (plan.shingle.normalise < Normalise::code_no_comments || !words_by_default || plan.measure == Measure::exact) return;
  warn(typed, Warning::words_of_programs,
       "compares the words of the programs, without operators and brackets; give --shingle code:10 to compare all of their tokens");
}

void warn_of_weak_bands(const ParsedArgs& typed, const Plan& plan, const Expectation* expected) {
  say_recall_at(typed, plan);
  if (plan.recall_at == RecallAt::average) {
    if (expected != nullptr) warn_of_weak_average(typed, plan, *expected);
    return;
  }
  // The nearest have no border to be weak at.
  if (plan.band.bands == 0 || plan.nearest > 0) return;
  const double border = is_distance(plan.measure) ? plan.radius : plan.threshold.value();
  const double found = found_probability(plan, border, plan.band.probes > 1);
  if (found >= plan.recall - 1e-9) return;
  warn(typed, Warning::weak_bands,
       fmt::format("{}x{} finds {} of the pairs at {}, the goal is {}", plan.band.bands, plan.band.rows, percent(found), border_text(plan),
                   percent(plan.recall)));
}

void say_reading_terminal(const ParsedArgs& typed, const Input& input) {
  const bool reads_stdin = std::find(input.paths.begin(), input.paths.end(), "-") != input.paths.end();
  if (reads_stdin && isatty(STDIN_FILENO) == 1) say(typed, "reading standard input; name an INPUT to read a file");
}

static std::string why_skipped(const Fault& fault) {
  constexpr std::string_view kEnding = "; record skipped";
  const std::string text = fmt::format("{}: {}", fault.where, fault.message);
  return text.ends_with(kEnding) ? text.substr(0, text.size() - kEnding.size()) : text;
}

static Warning name_of(const Fault& fault) {
  if (fault.message.starts_with("id \"") && fault.message.find(" was used before") != std::string::npos) return Warning::repeated_id;
  if (fault.message.starts_with("is the same file as ") || fault.message.starts_with("is given twice ")) return Warning::given_twice;
  return fault.message.starts_with("invalid UTF-8") ? Warning::not_utf_8 : Warning::bad_record;
}

// A record whose id was used before at the same line of the same file.
static bool is_met_twice(const Fault& fault) {
  constexpr std::string_view kBefore = "\" was used before, at ";
  const std::size_t at = fault.message.rfind(kBefore);
  if (at == std::string::npos) return false;
  const std::size_t begin = at + kBefore.size();
  const std::string earlier = fault.message.substr(begin, fault.message.find(';', begin) - begin);
  const std::size_t colon = fault.where.rfind(':'), before = earlier.rfind(':');
  if (colon == std::string::npos || before == std::string::npos || fault.where.substr(colon) != earlier.substr(before)) return false;
  std::error_code none;
  return std::filesystem::equivalent(fault.where.substr(0, colon), earlier.substr(0, before), none);
}

// Whether a file has all that was left out.
static bool is_taken(const ParsedArgs& typed, const Faults& faults) { return typed.skipped && faults.lost == 0; }

void say_faults(const ParsedArgs& typed, const Faults& faults) {
  const std::uint64_t lost = faults.count - faults.kept;
  if (typed.quiet && lost > 0 && !is_taken(typed, faults)) {
    // What is lost to the answer is said in any case.
    // Those that are in the output say so; more may be at fault than are named.
    const auto skipped = [](const Fault& fault) { return !fault.message.ends_with("kept as it is"); };
    const auto first = std::find_if(faults.first.begin(), faults.first.end(), skipped);
    return warn(Warning::bad_record, fmt::format("{} skipped{}", counted(lost, "record"),
                                                 first == faults.first.end() ? std::string() : ", the first: " + why_skipped(*first)));
  }
  // So is a record that looks like all others and was not compared.
  const auto used_before = [](const Fault& fault) { return fault.message.find("\" was used before, at ") != std::string::npos; };
  if (const auto used = std::find_if(faults.first.begin(), faults.first.end(), used_before); typed.quiet && used != faults.first.end()) {
    warn(Warning::repeated_id, fmt::format("{}: {}; --same-id keep compares such records", used->where, with_flags(used->message)));
  }
  for (const Fault& fault : faults.first) warn(typed, name_of(fault), fmt::format("{}: {}", fault.where, with_flags(fault.message)));
  const std::uint64_t more = faults.count - std::min<std::uint64_t>(faults.count, faults.first.size());
  if (more > 0)
    say(typed, fmt::format("… and {} {}", counted(more, "more record"),
                           faults.kept == 0              ? "skipped"
                           : faults.kept == faults.count ? "kept as they are"
                                                         : "at fault"));
  for (const Fault& fault : faults.first) {
    const std::string way_out = way_out_of_clash(fault.message);
    if (!way_out.empty()) return say(typed, way_out);
    const bool archive = fault.where.find(".warc") != std::string::npos;
    if (!typed.id && archive && name_of(fault) == Warning::repeated_id) {
      return say(typed, "--id WARC-Record-ID tells records of the same address apart");
    }
    if (is_met_twice(fault))
      return warn(typed, Warning::given_twice,
                  fmt::format("{}: is given twice; name it once", fault.where.substr(0, fault.where.rfind(':'))));
    if (name_of(fault) == Warning::repeated_id) {
      return say(typed, "--same-id keep also compares records whose id was used before");
    }
    if (!typed.encoding && name_of(fault) == Warning::not_utf_8) {
      return say(typed, "to read texts that are not UTF-8, give --encoding, such as windows-1252, or auto");
    }
  }
}

std::string skipped_text(const Faults& faults) {
  std::string out;
  if (faults.kept > 0) out += fmt::format(", passed through {} that cannot be used", counted(faults.kept, "record"));
  if (faults.count > faults.kept) out += fmt::format(", skipped {}", counted(faults.count - faults.kept, "record"));
  if (faults.binary > 0) out += fmt::format(", left out {}", counted(faults.binary, "binary file"));
  if (faults.no_texts > 0)
    out += fmt::format(", left out {} of web archives that {} no text", counted(faults.no_texts, "record"),
                       faults.no_texts == 1 ? "is" : "are");
  return out;
}

std::string read_text(const RunStats& stats, Measure measure) {
  std::string notes;
  if (stats.empty > 0) notes = fmt::format("{} empty", counted(stats.empty));
  if (stats.copies > 0) {
    notes += fmt::format("{}{} {}{}", notes.empty() ? "" : ", ", counted(stats.copies), measure == Measure::exact ? "exact " : "",
                         stats.copies == 1 ? "copy" : "copies");
  }
  std::string out = fmt::format("read {}", counted(stats.items, stats.records > 0 ? "unit" : "item"));
  if (stats.records > 0) out += fmt::format(" of {}", counted(stats.records, "record"));
  if (!notes.empty()) out += fmt::format(" ({})", notes);
  return out + skipped_text(stats.faults);
}

std::string cost_text(const RunStats& stats) {
  double seconds = 0;
  for (const auto& [stage, time] : stats.seconds) seconds += time;
  return fmt::format("{:.1f} s, {} MB", seconds, counted((stats.peak_bytes + 500'000) / 1'000'000));
}

// "156 similar pairs: 102 with a copy, 54 found among 61 candidates": figures that add up.
std::string pairs_text(const RunStats& stats) {
  const std::string candidates = fmt::format("found among {}", counted(stats.candidates, "candidate"));
  const std::string pairs = counted(stats.pairs, "similar pair");
  if (stats.pairs == stats.found) return fmt::format("{} {}", pairs, candidates);
  return fmt::format("{}: {} with a copy, {} {}", pairs, counted(stats.pairs - stats.found), counted(stats.found), candidates);
}

// What share of the pairs was found, where that is an estimate; exact runs find all.
std::string recall_text(const Plan& plan, const RunStats& stats) {
  if (!stats.recall || plan.sketch.hashes == 0) return "";
  return fmt::format(" (recall about {}{})", interval_text(*stats.recall), stats.copies > 0 ? ", pairs of copies not counted" : "");
}

// The share of the items that exact mode would remove which the run removed.
std::string item_recall_text(const Plan& plan, const RunStats& stats) {
  if (!stats.item_recall || plan.sketch.hashes == 0) return "";
  return fmt::format(" (item recall about {}{})", interval_text(*stats.item_recall), stats.copies > 0 ? ", copies not counted" : "");
}

void say_audit(const ParsedArgs& typed, const RunStats& stats) {
  if (!stats.audit) return;
  const auto& [recall, items, true_pairs, found, item_recall, removable, removed] = *stats.audit;
  const std::string asked =
      fmt::format("audit: {} compared with all {}", counted(items, "random item"), typed.against ? "of " + *typed.against : "others");
  if (true_pairs == 0) {
    const bool all = items + stats.empty >= stats.items;
    return say(typed, asked + (all ? (stats.copies > 0 ? "; the only similar pairs are copies" : "; there is no similar pair")
                                   : "; none of them has a similar item other than copies, so the recall is unknown; audit more items"));
  }
  say(typed, fmt::format("{}: they have {}, of which {} {} found (recall {})", asked, counted(true_pairs, "similar partner"),
                         counted(found), found == 1 ? "was" : "were", interval_text(recall)));
  if (!item_recall) return;
  say(typed, fmt::format("audit: {} of the items (copies not counted) should be removed; {} {} (item recall {})", counted(removable),
                         counted(removed), removed == 1 ? "was" : "were", interval_text(*item_recall)));
}

void warn_of_missed_recall(const ParsedArgs& typed, double promised, const Recall& recall, const BucketNotes& buckets) {
  if (recall.high >= promised - 1e-9) return;
  const std::string way_out =
      buckets.not_compared > 0 ? std::string("raise --large-bucket to compare all pairs in large buckets")
                               : fmt::format("use --recall {:.4g}, another --seed, or --recall 1, which finds all", 1 - (1 - promised) / 5);
  warn(typed, Warning::recall_missed,
       fmt::format("the promised recall was {}, but at most {} were found; {}", percent(promised), percent(recall.high), way_out));
}

void say_promise(const ParsedArgs& typed, const Plan& plan, const RunStats& stats, const Outcome& outcome) {
  const bool removes = outcome.removes;
  // Groups are found whole without all pairs of large buckets.
  if (!removes && !outcome.lists_pairs && stats.buckets.not_compared > 0) return;
  std::optional<Recall> told = removes ? stats.item_recall : stats.recall;
  if (removes && stats.audit && stats.audit->item_recall) told = stats.audit->item_recall;
  if (!removes && stats.audit && stats.audit->true_pairs > 0) told = stats.audit->recall;
  if (told && !plan.exact_join()) warn_of_missed_recall(typed, plan.recall, *told, stats.buckets);
}

void say_keep(const ParsedArgs& typed, const Keep& keep, const RunStats& stats) {
  if (keep.field.empty() || stats.items == 0 || stats.numbers > 0) return;
  warn(Warning::no_number, fmt::format("--keep: no item has a number in field \"{}\"; the first of {} was {}", keep.field,
                                       typed.against ? "equals" : "each group", typed.against ? "named" : "kept"));
}

void say_run(const ParsedArgs& typed, const Plan& plan, const Input& input, const RunStats& stats, const Outcome& outcome) {
  say_faults(typed, stats.faults);
  say_buckets(typed, plan.band.large_bucket, stats.buckets, outcome.lists_pairs);
  say_verify(typed, plan);
  say_nothing_found(typed, plan, input, stats, outcome.removes);
  say(typed, to_string(plan));
  const std::string recall = outcome.removes ? "" : recall_text(plan, stats);
  const std::string found = ", " + pairs_text(stats) + recall;
  const std::string searched = stats.every_pair ? found : ", compared exactly";
  const std::string removed = outcome.removes ? item_recall_text(plan, stats) : "";
  say(typed, fmt::format("{}{}{}{}; {}", read_text(stats, plan.measure), searched, outcome.text, removed, cost_text(stats)));
  say_ignored(typed, plan);
  say_scratch(typed, stats);
  say_audit(typed, stats);
  say_promise(typed, plan, stats, outcome);
}

void say_bloom_run(const ParsedArgs& typed, const Plan& plan, const Input& input, const DedupResult& result) {
  RunStats stats = result.stats;
  stats.copies = 0;  // what the filter removed, copies or not
  say_faults(typed, stats.faults);
  if (result.removed == 0) say_nothing_found(typed, plan, input, stats, true);
  say(typed, to_string(plan));
  say(typed, fmt::format("{}, kept {}, removed {}{} (Bloom filter of {} kB, rate {:.2g}); {}", read_text(stats, plan.measure),
                         counted(result.kept), counted(result.removed), errors_text(result), counted((result.bloom_bytes + 999) / 1000),
                         result.bloom_rate, cost_text(stats)));
}

int exit_status(const ParsedArgs& typed, const Faults& faults) {
  const bool asked = (typed.faults || is_taken(typed, faults)) && fault_rule(typed) == FaultRule::skip;
  return faults.count > faults.kept && !asked ? 1 : 0;
}

}  // namespace nearkin::cli
