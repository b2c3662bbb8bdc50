// One step of dedup with an index: items that are decided, and added, together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nearkin/index.h>

#include "collect/stage_clock.h"
#include "index/reading.h"
#include "index/state.h"
#include "runs/dedup_outputs.h"

namespace nearkin {

/// What one step hands to the next.
struct Sifting {
  Sifting(const Index::State& of, const std::string& named, const DedupOptions& asked)
      : state(of), output(named), options(asked), outputs(named, asked), finder(of.plan), preparer(of.plan), entries(of.plan.band.bands) {}

  const Index::State& state;
  const std::string& output;
  const DedupOptions& options;
  DedupOutputs outputs;
  Finder finder;
  Preparer preparer;
  BandEntries entries;
  Prepared item;
  std::string line;
  DedupResult result;
  StageClock clock;
  std::uint64_t committed = 0;  ///< records or parts kept by steps that are done
  Questions questions = {};     ///< of tables; known before the first row is met

  void list_removed(std::string_view id, const Hit& keeper);
  /// A part of a record that goes because too little of the record is left.
  void list_rest(std::string_view id);
};

/// One item after the other, each against the index with all that were kept before it, in one transaction: begun and ended by one thread.
class DedupStep {
 public:
  explicit DedupStep(Sifting& sifting)
      : sifting_(sifting), transaction_(sifting.state.write()), writer_(transaction_, sifting.state.plan, sifting.preparer) {}

  /// False: it has a neighbour, and was listed as removed. Otherwise it is added.
  bool keep_text(std::string_view id, std::string_view text, std::string_view metadata, const Points& points);
  bool keep_vector(std::string_view id, const Vectors& vectors, std::size_t i);

  /// A record in parts: begin_record, meet_unit for each, end_record.
  void begin_record(std::string_view owner);
  /// What the index has like it; otherwise the part is added. One that is EMPTY is like nothing, and the index has no use for it.
  std::optional<Hit> meet_unit(std::string_view id, std::string_view text, std::string_view metadata, const Points& points);
  /// If the record does not stay, its parts leave the index, because other records that have the same parts must keep them.
  void end_record(bool stays);

  bool kept_any() const { return sifting_.result.kept > sifting_.committed; }
  /// What was kept must be where it cannot be lost.
  void commit();

 private:
  bool keep(std::string_view id, const Points& points, const Vectors* vectors);
  std::optional<Hit> nearest(const Points& points);
  void put(const Prepared& items);
  bool known_empty(std::string_view id) const;
  std::string free_id(std::string_view id) const;
  const std::string& free_name(const Span& span);

  Sifting& sifting_;
  Transaction transaction_;
  IndexWriter writer_;
  // State of a record that comes in parts.
  std::string owner_, name_;        ///< its id in the index, and that of the part that was met last
  bool is_free_ = false;            ///< nothing else in the index has its id
  std::vector<std::string> added_;  ///< ids of parts
  Prepared waiting_;                ///< parts to add when the record is done
};

}  // namespace nearkin
