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
  /// For each record, if a share field is asked for: the words in units that repeat elsewhere, and all of its words.
  struct Share {
    std::uint32_t repeated = 0, words = 0;
  };
  std::vector<Share> shares = {};
  DedupResult::Records counts() const;
};

/// Adds a part of a text to those that come before it; parts that touch or overlap become one.
void add_part(std::vector<Span>& parts, const Span& next);

/// Whether the fate of a record depends on the number of its words.
bool decides_by_words(const DedupOptions& options);
/// The fate of a record that would lose these parts of its text, by the words that it has and would lose.
CutRecords::Fate fate_by_words(std::string_view text, std::span<const Span> cuts, const DedupOptions& options);

/// `repeated`: units that are to be cut out. Reads the texts again if the options depend on numbers of words.
CutRecords decide_cuts(const Rows& rows, const Stage& stage, std::vector<bool> repeated, const DedupOptions& options);

/// Fills `shares`. `elsewhere`: the units that are similar to another unit.
void count_shares(const Rows& rows, const Stage& stage, const std::vector<bool>& elsewhere, CutRecords& cuts);

/// Writes the kept records, in order, without the units that are cut; with `share_field`, adds the share under this name. `faults`: bad
/// records, which are written unchanged.
void write_cut(const Rows& rows, const Stage& stage, const CutRecords& cuts, const std::optional<std::string>& share_field,
               std::span<const Location> faults, OutputFile& output);

/// Throws Error(plan) naming this option if records of these sources cannot be cut.
void require_cuttable(const Sources& sources, const char* option);

}  // namespace nearkin
