// What is said on standard error around a run. Results never pass here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nearkin/nearkin.h>
#include <nearkin/tools/forecast.h>

#include "flags.h"
#include "warnings.h"

namespace nearkin::cli {

enum class Tone { note, warning, error };
/// "nearkin: MESSAGE" on standard error, on a terminal in the colour of the tone. That it cannot be written is no error: there is nowhere
/// to say so.
void tell(std::string_view message, Tone tone = Tone::note);
/// The same, unless --quiet.
void say(const ParsedArgs& typed, std::string_view message);
/// Warns that one of two inputs has no items.
void say_one_side(const ParsedArgs& typed);
/// "nearkin: MESSAGE [name]": something that the reader may want to change, and that 'nearkin help' explains by its name.
void warn(Warning warning, std::string_view message);
/// The same, unless --quiet.
void warn(const ParsedArgs& typed, Warning warning, std::string_view message);

/// "49,000,000"
std::string counted(std::uint64_t number);
/// "3 pairs", "1 pair"
std::string counted(std::uint64_t number, std::string_view noun);
/// "3.3 GB", "12 kB"
std::string size_text(double bytes);

/// "98.8 %", cut, so that only what is 100 % reads so.
std::string percent(double share);
/// "98.8 %, 95 % interval 97 % to 99.6 %"
std::string interval_text(const Recall& recall);

/// Says so where pairs in large buckets were not compared; with --quiet, too, where these are then missing from a list.
void say_buckets(const ParsedArgs& typed, std::uint32_t large_bucket, const BucketNotes& notes, bool lists_pairs);

/// When even the upper end of the interval is below what was promised.
void warn_of_missed_recall(const ParsedArgs& typed, double promised, const Recall& recall, const BucketNotes& buckets);

/// Says so where programs are compared by their words alone, and nobody asked for that.
void hint_at_code_tokens(const ParsedArgs& typed, const Plan& plan);
/// Warns when the plan's bands find less than its recall at the threshold; or on average, where that is promised and the data is known.
/// Says so when an average was asked for that could not be known.
void warn_of_weak_bands(const ParsedArgs& typed, const Plan& plan, const Expectation* expected = nullptr);
/// Says that standard input is being read, when it is a terminal and nothing would explain the silence.
void say_reading_terminal(const ParsedArgs& typed, const Input& input);

/// The records left out: the first few by name, the rest by count.
void say_faults(const ParsedArgs& typed, const Faults& faults);

/// Says so, even with --quiet, when a rule such as max:score was given and no item has that number: the rule was not followed.
void say_keep(const ParsedArgs& typed, const Keep& keep, const RunStats& stats);

/// What a command makes of a run.
struct Outcome {
  std::string text = {};     ///< for the summary: ", kept 3, removed 1"
  bool removes = false;      ///< items, so that their recall is told in place of that of pairs
  bool lists_pairs = false;  ///< pairs that were not compared are then missing from the result, which is said even with --quiet
};
/// Everything about a finished run: faults, large buckets, unverified similarities, nothing found, and the summary.
void say_run(const ParsedArgs& typed, const Plan& plan, const Input& input, const RunStats& stats, const Outcome& outcome);
/// The same where a Bloom filter decided: no pairs are known, and some of the items removed may be no copies.
void say_bloom_run(const ParsedArgs& typed, const Plan& plan, const Input& input, const DedupResult& result);

/// ", skipped 2 records, left out 1 binary file"; empty where all was used.
std::string skipped_text(const Faults& faults);
/// "read 4 items (1 empty, 2 copies), left out 1 binary file". `copies`: "exact copies" where equal texts are meant, not equal shingles.
std::string read_text(const RunStats& stats, Measure measure = Measure::jaccard);
/// "1.2 s, 340 MB"
std::string cost_text(const RunStats& stats);

/// 0, or 1 when records were skipped and neither --faults skip nor --skipped asks for that.
int exit_status(const ParsedArgs& typed, const Faults& faults);

}  // namespace nearkin::cli
