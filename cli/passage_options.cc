#include "passage_options.h"

#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nearkin/ignore.h>
#include <nearkin/tools/names.h>

#include "errors.h"
#include "ignore.h"
#include "options.h"
#include "resources.h"
#include "stats.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

/// --shingle says what a token is, and nothing else.
Token token_of(const std::string& typed, const char* flag) {
  if (typed.find(':') != std::string::npos) {
    throw UsageError(
        fmt::format("--shingle: {} has a size, but here it only says what a token is, and {} how many make a passage; use --shingle {}",
                    typed, flag, typed.substr(0, typed.find(':'))));
  }
  const bool known = typed == "word" || typed == "code" || typed == "char" || typed == "line";
  if (!known) throw UsageError(fmt::format("--shingle: \"{}\" is not word, code, char or line", typed));
  return parse_shingle(typed + ":1").token;
}

/// Flags of dedup that are about similar items.
void refuse_similarity_flags_beside_passages(const ParsedArgs& typed) {
  refuse_typed({{typed.measure.has_value(), "--measure"},
                {typed.threshold.has_value(), "--threshold"},
                {typed.radius.has_value(), "--radius"},
                {typed.recall.has_value(), "--recall"},
                {typed.recall_at.has_value(), "--recall-at"},
                {typed.plan.has_value(), "--plan"},
                {typed.bag, "--bag"},
                {typed.hashes.has_value(), "--hashes"},
                {typed.bands.has_value(), "--bands"},
                {typed.rows.has_value(), "--rows"},
                {typed.verify.has_value(), "--verify"},
                {typed.large_bucket.has_value(), "--large-bucket"},
                {typed.seed.has_value(), "--seed"},
                {typed.features.has_value(), "--features"},
                {typed.binarise.has_value(), "--binarise"},
                {typed.dimensions.has_value(), "--dimensions"},
                {typed.width.has_value(), "--width"},
                {typed.thresholds.has_value(), "--thresholds"},
                {typed.radii.has_value(), "--radii"},
                {typed.bloom.has_value(), "--bloom"}},
               "has no use with --passages, which looks for equal words; leave it out");
  refuse_typed({{typed.audit.has_value(), "--audit"}}, "has no use with --passages, which finds every passage; leave it out");
}

/// What else dedup does, and a search for passages does not.
void refuse_idle_flags(const ParsedArgs& typed) {
  refuse_similarity_flags_beside_passages(typed);
  refuse_typed({{typed.linkage.has_value(), "--linkage"},
                {typed.keep.has_value(), "--keep"},
                {typed.keep_at_most.has_value(), "--keep-at-most"},
                {typed.drop.has_value(), "--drop"},
                {typed.size_field.has_value(), "--size-field"},
                {typed.decisions.has_value(), "--decisions"}},
               "is about groups of records, and --passages cuts passages out of each record; leave it out");
  refuse_typed({{typed.unit.has_value(), "--unit"},
                {typed.least_unit.has_value(), "--least-unit"},
                {typed.share_field.has_value(), "--share-field"}},
               "is about parts of texts, such as paragraphs, and --passages cuts passages wherever they are; leave one of them out");
  refuse_typed({{typed.repeats.has_value(), "--repeats"}},
               "is about parts of texts; --passages always keeps the first occurrence of a passage; leave it out");
  refuse_typed(
      {{typed.annotate, "--annotate"}},
      "--passages cuts the records and cannot annotate them; --removed FILE lists what is cut, and 'nearkin passages' cuts nothing");
  refuse_typed({{typed.report.has_value(), "--report"}},
               "dedup --passages writes no page; 'nearkin passages --report FILE' shows the same passages");
  refuse_typed({{typed.ignore_common.has_value(), "--ignore-common"}, {typed.ignored.has_value(), "--ignored"}},
               "has no use with --passages, which ignores only templates (--ignore); leave it out");
  refuse_typed({{typed.within.has_value(), "--within"}, {typed.across.has_value(), "--across"}},
               "cannot be combined with --passages, which looks through all records; leave one of them out");
  refuse_typed({{typed.index.has_value(), "--index"}, {typed.metadata.has_value(), "--metadata"}},
               "cannot be combined with --passages, because an index finds similar items, not passages; leave one of them out");
  refuse_typed({{typed.resume, "--resume"}}, "a search for passages cannot be resumed; leave it out");
}

}  // namespace

PassageOptions passage_options(const ParsedArgs& typed, const ParsedArgs::Text& least, const char* flag) {
  PassageOptions options;
  if (least) options.least = static_cast<std::uint32_t>(whole(*least, flag, PassageOptions::kLeast, PassageOptions::kMost));
  if (typed.gap) options.gap = static_cast<std::uint32_t>(whole(*typed.gap, "--gap", 0, PassageOptions::kMost));
  if (typed.shingle) options.token = token_of(*typed.shingle, flag);
  if (typed.normalise) options.normalise = parse_normalise(*typed.normalise);
  options.against = against_of(typed);
  if (!typed.ignore.empty()) options.ignored = ignored_in_passages(typed, input_of(typed), options);
  return options;
}

void say_no_passage(const ParsedArgs& typed, const PassageOptions& options) {
  warn(typed, Warning::no_passage,
       fmt::format("no {} words in a row occur {}{}{}", options.least, typed.against ? "in both collections" : "twice",
                   typed.ignore.empty() ? "" : " outside of the templates (--ignore)",
                   options.least > PassageOptions::kLeast
                       ? fmt::format("; {} N looks for shorter passages", typed.passages ? "--passages" : "--least")
                       : ""));
}

std::string ignored_text(const ParsedArgs& typed, std::uint64_t tokens) {
  return typed.ignore.empty() ? "" : fmt::format(", ignored {} of templates", counted(tokens, "token"));
}

namespace {

std::string cut_text(const DedupResult::Records& records) {
  const double share = records.tokens == 0 ? 0 : static_cast<double>(records.tokens_cut) / static_cast<double>(records.tokens);
  return fmt::format("by {} of {} tokens ({:.1f} %, {})", counted(records.tokens_cut), counted(records.tokens), 100 * share,
                     size_text(static_cast<double>(records.bytes_cut)));
}

JsonObject told_of(const DedupResult::Records& records) {
  return JsonObject()
      .add("records", records.read)
      .add("records_cut", records.cut)
      .add("records_removed", records.removed)
      .add("records_left_alone", records.left_alone)
      .add("tokens", records.tokens)
      .add("tokens_ignored", records.tokens_ignored)
      .add("tokens_cut", records.tokens_cut)
      .add("bytes_cut", records.bytes_cut);
}

}  // namespace

int dedup_passages_of(const ParsedArgs& typed) {
  refuse_idle_flags(typed);
  const Input input = input_of(typed);
  const PassageOptions passages = passage_options(typed, typed.passages, "--passages");
  DedupOptions options{.removed = typed.removed,
                       .removed_as_json = typed.json,
                       .keep_faults = fault_rule(typed) == FaultRule::keep,
                       .skipped = typed.skipped};
  if (typed.least_left) options.least_left = static_cast<std::uint32_t>(whole(*typed.least_left, "--least-left", 0, 1'000'000'000));
  if (typed.most_cut) options.most_cut = parse_ratio(*typed.most_cut, "--most-cut").value();
  RunOptions run = resources_of(typed);
  refuse_little_memory(typed);
  Progress progress(typed);
  run.progress = progress.callback();
  say_reading_terminal(typed, input);
  options.on_result = [&](const DedupResult& result) { write_stats(typed, nullptr, result.stats, told_of(result.records)); };
  const DedupResult result = dedup_passages(input, output_of(typed), passages, options, run);
  progress.clear();
  const DedupResult::Records& records = result.records;
  say_faults(typed, result.stats.faults);
  say(typed, fmt::format("{}{}, cut {} {}{}{}; {}", read_text(result.stats), ignored_text(typed, records.tokens_ignored),
                         counted(records.cut, "record"), cut_text(records),
                         records.removed > 0 ? fmt::format(", removed {}", counted(records.removed)) : "",
                         records.left_alone > 0 ? fmt::format(", left {} unchanged by --most-cut", counted(records.left_alone)) : "",
                         cost_text(result.stats)));
  const bool found = records.cut + records.removed + records.left_alone > 0;
  if (result.stats.one_side) say_one_side(typed);
  // Without templates, no passage to cut is an ordinary result.
  if (!result.stats.one_side && !found && !typed.ignore.empty() && result.stats.items > 0) say_no_passage(typed, passages);
  say_scratch(typed, result.stats);
  return exit_status(typed, result.stats.faults);
}

}  // namespace nearkin::cli
