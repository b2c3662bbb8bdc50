// Decontamination: which records of a training set contain an item of a benchmark, in whole or in part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/plan.h>
#include <nearkin/run.h>

namespace nearkin {

/// The items of one benchmark, which a training set should not contain.
struct Suite {
  std::string name;  ///< not empty; no other suite has it
  Input input;       ///< texts
};

/// When an item counts as found. Its n-grams are its different runs of `size` tokens. An n-gram is common if more than 20 items of the
/// suite have it, and more than one in a thousand; or if at least three have it, and more than half. (Equal items count once.) The frame of
/// a prompt says nothing about a single item, so common n-grams do not count. An item of n tokens is found at a place of at most 2n
/// consecutive tokens of a record that holds `share` or more of the n-grams that count, and at least five of them (all, if there are
/// fewer); and that is as long as this share of those of its tokens that lie in n-grams which count. Where an item has common n-grams and
/// fewer than five others, all of its n-grams count, but the place must hold all of the others, or if there are none the whole item. An
/// item of fewer than `size` tokens is found where all of its tokens follow one another. With a share of 0.9 or less, an item of 5 to 19
/// words is also found with one edit, from 15 words on with two; an edit replaces one word of the item, or none, by up to three others. An
/// item of up to 7 words, or with common n-grams, must then have two rare words among the equal ones. A word is rare if at most two items
/// of the suite have it, or at most one in fifty.
struct DecontaminateOptions {
  std::uint32_t size = 4;                 ///< tokens of an n-gram, 1 to 1,000
  Ratio share{45, 100};                   ///< of the n-grams of an item, above 0
  std::uint32_t least_item = 5;           ///< an item of fewer tokens is not looked for; 1 or more
  Token token = Token::word;              ///< what a token is; not element
  Normalise normalise = Normalise::text;  ///< what is done to a text before its tokens are compared
  /// Fields that must all be found in a record for an item to count as found; each text field of the suites is then searched for
  /// separately. An item must have these, and may lack the others. Empty: the fields form one text, and an item must have all.
  std::vector<std::string> need = {};
  static constexpr std::uint32_t kMostSize = 1000;
};

/// A place of a record where an item was found. Spans are bytes of the texts as they were read, the end not included.
struct Contamination {
  Row row = 0;                           ///< of the input
  std::uint32_t suite = 0;               ///< its number, from 0
  Row item = 0;                          ///< of the suite
  std::uint32_t field = 0;               ///< with `need`: the number of the suite's text field
  std::uint32_t covered = 0, grams = 0;  ///< n-grams that count at this place, and of the item; 1 of 1 for an item shorter than an n-gram
  std::uint32_t run = 0;                 ///< tokens of the longest run that both have
  std::uint64_t begin = 0, end = 0;      ///< of the record's text
  std::uint64_t item_begin = 0, item_end = 0;  ///< of the item's text, from its first n-gram found to its last
  bool edited = false;                         ///< found word by word: `covered` and `grams` are words
  bool operator==(const Contamination&) const = default;
};

struct SuiteStats {
  std::string name;
  std::uint64_t items = 0;
  std::uint64_t too_short = 0;  ///< items that are not searched for: they, or a needed field of them, have fewer than `least_item` tokens
  std::uint64_t shared = 0;     ///< items that have the same tokens as an item of another suite
  std::uint64_t common = 0;     ///< n-grams that do not count, because too many items have them
  std::uint64_t lacking = 0;    ///< with `need`: items in which a field that is not needed is missing, or no text and no number
  /// Number of items found, by their greatest share: 1; 0.8 or more; 0.5 or more; less.
  std::uint64_t whole = 0, most = 0, half = 0, less = 0;
  std::uint64_t records = 0;  ///< in which an item was found
  std::uint64_t found() const { return whole + most + half + less; }
};

struct DecontaminateStats {
  std::vector<SuiteStats> suites;
  std::uint64_t hits = 0;                          ///< places
  std::uint64_t records = 0;                       ///< with a hit
  std::uint64_t cut = 0, removed = 0, marked = 0;  ///< records that were cut, left out, marked
  RunStats stats;                                  ///< items: records of the input
};

struct DecontaminateResult {
  Strings ids;                      ///< of the input
  std::vector<Strings> suite_ids;   ///< of the items of each suite
  std::vector<Contamination> hits;  ///< ascending by row, suite, item, field and place
  DecontaminateStats stats;
};

/// Every place of the input where an item of a suite is found. The suites are held in memory, the input is read once. Uses threads and
/// progress of the options. Throws Error(plan) for options out of range, formats that are no texts, two suites of one name and a file that
/// is read as input and as suite; Error(data) for a suite without an item that can be looked for.
DecontaminateResult decontaminate(const Input& input, const std::vector<Suite>& suites, const DecontaminateOptions& options = {},
                                  const RunOptions& run = {});

/// Items planted on purpose, to see what is found.
struct InjectOptions {
  std::uint64_t items = 100;  ///< of each suite; all where it has fewer
  double changed = 0.1;       ///< share of the words that the form "changed" replaces by others
  std::uint64_t seed = 1;     ///< of the choice of items, records, places and words
};

struct InjectedForm {
  std::string name;  ///< verbatim, inside, changed, lines, case
  std::uint64_t planted = 0, found = 0;
};

struct InjectResult {
  std::vector<InjectedForm> forms;  ///< each item in each form
  std::uint64_t clean = 0;          ///< records of the sample, as they came
  std::uint64_t flagged = 0;        ///< of these, the records in which an item was found, by chance or because they contain one
  /// The first hit of a flagged record.
  struct Flagged {
    std::string id, suite, item;
    Contamination hit;
  };
  std::vector<Flagged> first = {};  ///< of the flagged records at most kNamed
  std::vector<SuiteStats> suites = {};
  Faults faults = {};
  static constexpr std::size_t kNamed = 10;
};

/// Plants items of each suite in copies of records of a sample of the input (the first 20,000, or 64 MiB of text), in memory, and looks for
/// them. The same input and options give the same result. Throws as `decontaminate`.
InjectResult inject(const Input& input, const std::vector<Suite>& suites, const DecontaminateOptions& options = {},
                    const InjectOptions& planted = {}, const RunOptions& run = {});

}  // namespace nearkin
