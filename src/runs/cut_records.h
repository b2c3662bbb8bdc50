// Records without the units that are repeated elsewhere.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nearkin/run.h>

#include "base/units.h"
#include "collect/rows.h"
#include "collect/stage.h"
#include "io/bytes/output.h"

namespace nearkin {

/// What happens to the records of an input whose items are units.
struct CutRecords {
  enum class Fate : std::uint8_t { as_it_is, cut, removed, left_alone };
  std::vector<Row> first;    ///< the first unit of each record, and one more entry at the end
  std::vector<Fate> fate;    ///< of each record
  std::vector<bool> is_cut;  ///< of each unit
  /// Of each unit that may share words with a unit that is cut: whether it stays in the place of another, so that it stays whole. Empty
  /// where units have no words in common.
  std::vector<bool> stays_whole = {};
  struct Share {
    std::uint32_t part = 0, words = 0;  ///< words in some units of a record, and all of its words
  };
  /// For each record, if a field is to tell of it: what repeats elsewhere, and what is cut.
  std::vector<Share> repeated = {}, cut = {};
  DedupResult::Records counts() const;
};

/// Adds a part of a text to those that come before it; parts that touch or overlap become one.
void add_part(std::vector<Span>& parts, const Span& next);

/// Takes away from parts of a text the words that are in others. What is left of a part begins and ends with a word.
void spare(std::string_view text, std::span<const Span> spared, std::vector<Span>& parts);

/// The parts of a text that have words and are not cut, without blanks around them.
std::vector<Span> rest_of(std::string_view text, std::span<const Span> cuts);

/// Whether the fate of a record depends on the number of its words.
bool decides_by_words(const DedupOptions& options);
/// The fate of a record that would lose these parts of its text, by the words that it has and would lose.
CutRecords::Fate fate_by_words(std::string_view text, std::span<const Span> cuts, const DedupOptions& options);

/// `repeated`: units that are to be cut out; `keepers`: of each unit, the one that is kept in its place. `overlap`: units may have words in
/// common. Reads the texts again if the options depend on numbers of words.
CutRecords decide_cuts(const Rows& rows, const Stage& stage, std::vector<bool> repeated, std::span<const Row> keepers, bool overlap,
                       const DedupOptions& options);

/// For each record, the share of its words that are in these units, or that are cut.
std::vector<CutRecords::Share> shares_of(const Rows& rows, const Stage& stage, const CutRecords& cuts, const std::vector<bool>& units);
std::vector<CutRecords::Share> shares_cut(const Rows& rows, const Stage& stage, const CutRecords& cuts);

/// The names of the parts of a removed record that are in no unit that is cut.
std::vector<std::string> rest_of_record(const Rows& rows, const CutRecords& cuts, std::size_t record);

/// The records that stay, in order, without the units that are cut, or with `annotate` all as they are and what would be cut. The fields
/// that the options ask for are added. `faults`: records at fault that are written as they came.
void write_cut(const Rows& rows, const Stage& stage, const CutRecords& cuts, const DedupOptions& options, std::span<const Location> faults,
               OutputFile& output);

/// Throws Error(plan) naming this option if records of these sources, or of one whose format is known, cannot be cut.
void require_cuttable(const Sources& sources, const char* option);
void require_cuttable(const Sources& sources, std::size_t source, const char* option);

}  // namespace nearkin
