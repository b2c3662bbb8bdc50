#include "warnings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace nearkin::cli {
namespace {

constexpr WarningText kWarnings[] = {
    {Warning::average_unknown, "average-unknown", "the average recall could not be promised",
     "With --recall-at average, --recall is the share of all similar pairs that is found, not the chance at the threshold. To plan for "
     "that, "
     "nearkin must know how similar the pairs are, and its sample of the input had too few of them.",
     "Instead, the plan promises the recall for pairs exactly at the threshold. This is stricter than you asked for, and may be slower.",
     "Nothing, if the run is fast enough. If it is too slow, give --recall-at threshold with a lower --recall. For the same plan without "
     "this message, give --recall-at threshold with the same --recall."},
    {Warning::bad_record, "bad-record", "a record cannot be used",
     "A record could not be read: broken JSON, no text, a row with too few fields, a number that is not finite. The message names the "
     "file, the line and the reason.",
     "Such a record is not compared with the others. 'dedup' and 'decontaminate --do' write it unchanged. All other commands leave it "
     "out, and end with exit status 1 (with --faults skip: 0).",
     "Correct the record, or choose with --faults what happens to it: skip (with exit status 0) or stop. 'dedup' and 'decontaminate --do' "
     "also accept keep, and can move such records to a file with --skipped FILE."},
    {Warning::damaged_index, "damaged-index", "an index is damaged",
     "A checksum or a block of the index is wrong: the disk, the file system or another program changed its files.",
     "nearkin gives no answer from damaged parts: a command that meets them stops with an error.",
     "Restore a backup (made by 'nearkin index info INDEX --backup DIR'), or create the index again. 'nearkin index verify INDEX' lists "
     "what is damaged."},
    {Warning::disk_full, "disk-full", "the disk has too little room for the files of a run",
     "The folder for scratch files is full, or has less room than the run will need.",
     "The run ended. Its outputs were not written. Its scratch files were kept.",
     "Make room and repeat the command (with --resume, if the command has it), or name a folder on another disk: with --scratch DIR, or in "
     "the variable TMPDIR."},
    {Warning::empty_item, "empty-item", "an item has nothing to compare",
     "The item has no word (with another --shingle: no character, no token of code and so on), or is a zero vector.",
     "An empty item is similar to nothing, not even to another empty item.",
     "Look at the file. If the text is in another field, name it with --text; if shingles were ignored, ignore fewer of them."},
    {Warning::estimates, "estimates", "similarities were estimated",
     "With --verify estimate, each similarity is the share of equal hashes, and is marked with ~.",
     "A pair near the threshold may be on the wrong side of it. The message says how far an estimate typically is from the true "
     "similarity.",
     "Use --verify exact, the default, if every pair must be right. More --hashes make the estimates better."},
    {Warning::first_line, "first-line", "the first line of a file of labels was taken for a header",
     "Each line of the file that --truth names has the ids of two items, or an id and its cluster. In the file's first line, neither value "
     "is the "
     "id of an item, so that line was read as the names of the columns.",
     "If the line is a label, it was not counted.", "Nothing, if it is a header. Otherwise correct that line."},
    {Warning::given_twice, "given-twice", "a file is named twice",
     "The same file was named twice: under two names, such as docs.jsonl and ./docs.jsonl, or once by name and once as standard input.",
     "The file is read only once. If it were read twice, each of its records would be found as a copy of itself, or be refused because its "
     "id was "
     "used before.",
     "Name the file once."},
    {Warning::input_changed, "input-changed", "an input changed while it was read",
     "When a record was read again, it had moved or changed: another program wrote to the file.",
     "The result would mix the old file and the new one, so the run ended. No output was written.",
     "Wait until the other program is done, and start again."},
    {Warning::large_buckets, "large-buckets", "some pairs were not compared, because too many items looked alike",
     "nearkin puts items that look alike into buckets and compares the items of a bucket. Here a bucket has very many items, usually "
     "because they "
     "share a template, a banner or a licence. If a bucket has more items than --large-bucket allows, each of them is compared with only "
     "some of the others.",
     "Comparing all of them would take time that grows with the square of their number. 'cluster' and 'dedup' lose few results; 'pairs' "
     "may miss pairs, and says so even with --quiet.",
     "Ignore what the items share, with --ignore TEMPLATE or --ignore-common 0.1. Or raise --large-bucket and wait longer. --report shows "
     "the largest buckets and what their items share."},
    {Warning::no_neighbour, "no-neighbour", "no query has a neighbour",
     "No item of the collection is similar enough, or near enough, to any query.",
     "The queries may be of a different kind than the items, or the threshold may be too high.",
     "Lower --threshold (or raise --radius). To list the nearest items of a collection, however far away they are, give --limit K without "
     "a threshold. An index was made for one threshold; for a lower one, make another index. 'nearkin tune' shows how similar items are."},
    {Warning::no_number, "no-number", "--keep max:FIELD found no number", "No item has a number in the field that --keep names.",
     "All items are equal under the rule, so the first of each group was kept.",
     "Check the name of the field; a.b is the field b in the object a. Numbers may be written as strings, but must be finite."},
    {Warning::no_passage, "no-passage", "no passage occurs twice", "No run of words that is long enough occurs in two places.",
     "The result is empty.",
     "Look for shorter passages with a smaller --least T. To join those that are at most G words apart, add --gap G."},
    {Warning::not_utf_8, "not-utf-8", "a text is not UTF-8", "A record has bytes that are not valid UTF-8.",
     "It cannot be split into words, so it is not compared.",
     "Name the encoding, such as --encoding windows-1252, or give --encoding auto to guess it for each file."},
    {Warning::nothing_found, "nothing-found", "no pair is similar enough", "No pair reaches the threshold (or lies within the radius).",
     "Perhaps there are no near-duplicates. Perhaps the shingles are too long: one changed word then changes many of them.",
     "'nearkin tune INPUT' forecasts the pairs and names the shingles that suit the texts. 'nearkin pairs INPUT --thresholds 0.3,0.5,0.7' "
     "counts the pairs at each of these thresholds. If you use --score, do one of these: lower --threshold; give less weight to the fields "
     "that differ; compare those fields by jaccard(char:3) instead of equal."},
    {Warning::nothing_ignored, "nothing-ignored", "--ignore-common ignored nothing",
     "No shingle occurs in more items than --ignore-common allows.", "The result is the same as without it.",
     "Give a smaller number or share, or leave the flag out."},
    {Warning::nothing_to_compare, "nothing-to-compare", "there are fewer than two items", "The input has no item, or only one.",
     "There is nothing to compare.",
     "Check the paths and --format. A file without a known extension is one item; --format jsonl or lines reads its lines."},
    {Warning::nothing_to_resume, "nothing-to-resume", "--resume found no run to continue",
     "The scratch folder holds no unfinished run of this plan and these inputs.",
     "The run starts from the beginning. nearkin recognises a run by its inputs, its plan and the flags that change the result; --threads, "
     "--memory and -o may differ.",
     "Check --scratch, the inputs and the flags. Other unfinished runs are in folders called nearkin-*, which you may delete."},
    {Warning::one_item, "one-item", "a text file was read as one item",
     "A .txt file is one item, and one item alone has nothing to be compared with.", "There is nothing to compare.",
     "Give --format lines to take each line as an item, or --unit paragraph to compare its parts."},
    {Warning::one_scope, "one-scope", "--across compared nothing", "All items have the same value in the field of --across.",
     "Only items that differ in this field are compared, so nothing was compared.", "Name another field, or leave --across out."},
    {Warning::out_of_memory, "out-of-memory", "the system is out of memory", "An allocation failed.",
     "The run ended. No output was written.",
     "If the command has --memory, give a smaller limit, such as 2GiB: what does not fit goes to files. Fewer --threads need less memory, "
     "too."},
    {Warning::recall_missed, "recall-missed", "fewer pairs were found than promised",
     "nearkin's estimate of the recall, or --audit, gives an interval for the share of similar pairs that were found. The whole interval "
     "is below --recall.",
     "Pairs are missing from the result.",
     "Follow the message: raise --large-bucket if large buckets left pairs out; otherwise give a higher --recall, another --seed, or "
     "--recall 1, which finds all pairs."},
    {Warning::repeated_id, "repeated-id", "an id was used before", "A record has the id of an earlier one.",
     "Outputs name items by their ids, so two records with one id could not be told apart. The later one is not compared. 'dedup' writes "
     "it unchanged, unless --faults or --skipped says otherwise.",
     "Give --same-id keep to compare it under the name ID@ROW, --id none to name records by file and line, or --id FIELD for another "
     "field."},
    {Warning::run_in_use, "run-in-use", "another process is running the same command on the same files",
     "This run stopped, because another process is using its scratch folder.", "If both went on, they would write the same files.",
     "Wait for the other process, or give another --scratch folder."},
    {Warning::short_template, "short-template", "a template of --ignore is too short for passages",
     "A template has fewer than five tokens (words, unless --shingle says otherwise).",
     "'passages' ignores every run of five tokens or more that also occurs in a template. This template is shorter, so it has no effect.",
     "Give a longer piece of the template, or remove the unwanted rows from the output afterwards."},
    {Warning::stopped_early, "stopped-early", "queries stopped before they were complete",
     "A query stopped after looking at as many items as --max-candidates allows.", "Nearer items may be missing from its answer.",
     "Raise --max-candidates, or leave it out."},
    {Warning::too_large, "too-large", "a group of pairs is too large for --optimal",
     "Pairs that have items in common form a group. One of these groups has more than four million pairs, or finding its best matching "
     "takes too many steps "
     "(about a minute of work).",
     "In this group, nearkin takes the most similar pair first, then the next, as it does without --optimal. In all other groups, it "
     "takes the pairs whose similarities have the greatest sum.",
     "Nothing, if that is good enough. A higher --threshold makes smaller groups."},
    {Warning::unfinished_run, "unfinished-run", "the scratch folder has an unfinished run",
     "The same run was interrupted before, and its files are still in the scratch folder.",
     "The new run did not start: it would throw away the work that is already done.",
     "Repeat the command with --resume, or delete the folder that the message names."},
    {Warning::unknown_ids, "unknown-ids", "labels or decisions name ids that the input does not have",
     "A file of labels (--truth) or decisions (--decisions) names items that are not in the input.",
     "These lines are ignored. The others count.",
     "Check that the file belongs to this input and that ids are read from the same field (--id). An id made of file and line has the path "
     "as "
     "you typed it: docs.txt:3 and ./docs.txt:3 differ."},
    {Warning::unknown_kernel, "unknown-kernel", "NEARKIN_KERNEL was ignored", "The variable NEARKIN_KERNEL has a value other than scalar.",
     "nearkin uses the fastest instructions of this machine, as if the variable were not set.", "Unset it, or set it to scalar."},
    {Warning::unverified, "unverified", "candidates were not compared",
     "With --verify none, the candidates that the bands found are listed without being compared, and are marked with ?.",
     "Some of them are below the threshold.", "Use --verify exact, the default, if that matters."},
    {Warning::weak_bands, "weak-bands", "the given bands and rows do not reach the recall",
     "With the --bands and --rows that were given, or the plan that --plan gave, the chance of finding a pair at the threshold is lower "
     "than --recall asks for.",
     "More pairs are missed than you wanted.",
     "Leave out --bands and --rows (and --plan), and nearkin chooses them for the recall; or give more bands or fewer rows. 'nearkin "
     "curve' shows the "
     "chances."},
    {Warning::words_of_programs, "words-of-programs", "source code is compared by its words only",
     "--normalise code:... was given without --shingle. nearkin then compares the words of the programs, without operators and brackets.",
     "Programs that differ only in operators and brackets look the same.",
     "Give --shingle code:10 to compare all tokens, or --shingle word:5 to silence this message."},
};

/// What errors of the library say, and their names.
constexpr std::pair<std::string_view, Warning> kErrors[] = {
    {"contains an unfinished run", Warning::unfinished_run},
    {"changed while it was being read", Warning::input_changed},
    {"changed since", Warning::input_changed},
    {"is in use by another process", Warning::run_in_use},
    {"disk full", Warning::disk_full},
    {"make room and continue with resume", Warning::disk_full},
};

/// In lines of up to a hundred bytes.
std::string wrapped(std::string_view text) {
  constexpr std::size_t kWidth = 100;
  std::string out;
  while (text.size() > kWidth) {
    const std::size_t blank = text.rfind(' ', kWidth);
    if (blank == std::string_view::npos) break;
    out.append(text.substr(0, blank)).append("\n");
    text.remove_prefix(blank + 1);
  }
  return out.append(text).append("\n");
}

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kWarnings); ++i) {
    if (kWarnings[i].warning != static_cast<Warning>(i)) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const WarningText> warnings() { return kWarnings; }

const WarningText& text_of(Warning warning) { return kWarnings[static_cast<std::size_t>(warning)]; }

const WarningText* find_warning(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kWarnings), std::end(kWarnings), [&](const WarningText& one) { return name == one.name; });
  return found == std::end(kWarnings) ? nullptr : found;
}

std::string named(std::string_view message, Warning warning) { return fmt::format("{} [{}]", message, text_of(warning).name); }

std::string named(std::string_view message, const Error& error) {
  for (const auto& [text, warning] : kErrors) {
    if (error.message().find(text) != std::string::npos) return named(message, warning);
  }
  return std::string(message);
}

std::string explained(const WarningText& warning) {
  return fmt::format("{}: {}\n\n{}\n{}\n{}", warning.name, warning.short_text, wrapped(fmt::format("What happened: {}", warning.what)),
                     wrapped(fmt::format("Why it matters: {}", warning.why)), wrapped(fmt::format("What to do: {}", warning.to_do)));
}

std::string list_of_warnings() {
  std::string out = "Messages that end in a name in brackets are explained by 'nearkin help NAME':\n\n";
  for (const WarningText& one : kWarnings) out += fmt::format("  {:<19} {}\n", one.name, one.short_text);
  return out;
}

std::string page_of_warnings() {
  std::string out =
      "# Warnings\n\nSome messages end in a name in brackets, such as `[large-buckets]`. This page explains each; so does `nearkin help "
      "NAME`.\n";
  for (const WarningText& one : kWarnings)
    out += fmt::format("\n## {}\n\n*{}.* {}\n\n{}\n\n**What to do.** {}\n", one.name, one.short_text, one.what, one.why, one.to_do);
  return out;
}

}  // namespace nearkin::cli
