// The flags of all commands, each defined once, and what was typed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin::cli {

/// What was typed, word for word; absent is absent. options.h turns it into the library's values.
struct ParsedArgs {
  using Text = std::optional<std::string>;
  std::vector<std::string> words;  ///< all of them, behind the command
  std::vector<std::string> inputs;
  Text action;  ///< index: what to do
  Text index;   ///< INDEX, or --index
  Text measure, threshold, radius, recall, recall_at, limit;
  Text plan, shingle, normalise, hashes, bands, rows, large_bucket, verify, seed;
  Text features, binarise, dimensions, width, probes;
  bool bag = false;
  Text files_from, format, id, text, encoding, html, pre, pre_timeout, separator, directed, against;
  Text unit, least_unit, repeats, least_left, most_cut, keep_at_most, drop, size_field, share_field;
  Text faults, same_id;
  bool no_header = false;
  Text linkage, keep;
  Text max_pairs, min_size, summary, removed, skipped, decisions, bloom, passages, at, precision;
  Text error, failure, above, items, command, sensitive;
  Text matrix, permutations;
  std::vector<std::string> row_hashes;
  Text truth, truth_kind, truth_fields;
  Text audit, thresholds, radii;
  Text least, gap;
  std::vector<std::string> suites;
  Text share, least_item, need, act, hits, inject, changed, against_text, against_id, against_format;
  Text max_candidates, queries, plot, report;
  std::vector<std::string> sweeps;
  Text metadata, backup, listen, token_file, read_token_file, tls_certificate, tls_key, backup_folder, rate_limit;
  Text max_header, max_body, max_buffered, max_connections, header_timeout, body_timeout, query_timeout, write_timeout, idle_timeout,
      stop_timeout;
  std::vector<std::string> where, like, hosts, ignore, pre_globs;
  Text ignore_common, ignored, within, across, share_of, top, score;
  bool best = false, one_to_one = false, optimal = false;
  bool store_texts = false, with_metadata = false;
  bool annotate = false;
  bool all = false;
  Text threads, memory, scratch;
  bool resume = false;
  Text output, stats, progress;
  bool json = false, quiet = false, help = false;
};

/// A bit for each command, to say which flags it has.
enum CommandBit : unsigned {
  kPairs = 1,
  kCluster = 2,
  kDedup = 4,
  kCompare = 8,
  kTune = 16,
  kCurve = 32,
  kDistinct = 64,
  kQuery = 128,
  kEvaluate = 256,
  kExplain = 512,
  kSketch = 1024,
  kIndex = 2048,
  kServe = 4096,
  kPassages = 8192,
  kDecontaminate = 16384,
};

struct Command {
  CommandBit bit;
  const char* name;
  const char* arguments;                ///< "[INPUT ...]"; empty: the command takes none
  const char* summary;                  ///< for the list of commands: one line
  const char* about;                    ///< for its own help: what comes out
  const char* examples;                 ///< one command a line, "# what for" behind each but a single one
  int (*run)(const ParsedArgs& typed);  ///< returns the exit status
};

/// Throws UsageError for an unknown flag (naming the nearest known one), a flag without its value, a flag given twice.
ParsedArgs parse(const Command& command, const std::vector<std::string>& arguments);

/// A flag of a command, as its help tells of it.
struct FlagText {
  std::string_view short_name;      ///< "-o", or empty
  std::string_view name;            ///< "--output"
  std::string_view value;           ///< how the help calls the value; empty for a switch
  std::string_view group;           ///< "Output"
  std::vector<std::string> values;  ///< the words that it takes, as values_of has them
  std::string text;                 ///< what it is for, in one line or two
};
std::vector<FlagText> flags_of(const Command& command);

/// The flags of a command that were typed.
std::vector<std::string_view> given_flags(const Command& command, const ParsedArgs& typed);
/// The first of them that is about how INPUT is read, --format left out; empty: there is none.
std::string_view given_input_flag(const Command& command, const ParsedArgs& typed);

/// The help of one command: usage, what it does, the common flags, the others by group, examples; with colours on a terminal.
std::string help(const Command& command);

extern const Command kPairsCommand, kClusterCommand, kDedupCommand, kCompareCommand, kTuneCommand, kCurveCommand, kDistinctCommand,
    kQueryCommand, kEvaluateCommand, kExplainCommand, kSketchCommand, kIndexCommand, kServeCommand, kPassagesCommand, kDecontaminateCommand;

}  // namespace nearkin::cli
