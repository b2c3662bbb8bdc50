// The files that dedup writes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include <nearkin/run.h>

#include "io/bytes/output.h"
#include "io/source/source.h"

namespace nearkin {

/// All outputs are opened before the work, and none is put in place before all are complete.
struct DedupOutputs {
  OutputFile kept;
  std::optional<OutputFile> removed, skipped;

  DedupOutputs(const std::string& output, const DedupOptions& options) : kept(output) {
    if (options.removed) removed.emplace(*options.removed);
    if (options.skipped) skipped.emplace(*options.skipped);
  }
  /// Bad records of the input, as they are met: remembers those that no output will contain and whose file the kept records will overwrite.
  /// `keep_faults`: DedupOptions::keep_faults.
  void note_faults(const Sources& sources, std::span<const Location> faults, bool keep_faults);
  /// Throws Error(file) if such records were noted; `told` describes the first bad records of the run.
  void require_nothing_lost(const Faults& told) const;
  /// Makes all durable under temporary names.
  void finish();
  /// Gives all their names.
  void publish();
  /// Both, unless records would be lost.
  void commit(const Faults& told) {
    require_nothing_lost(told);
    finish();
    publish();
  }

 private:
  std::unordered_map<std::uint32_t, bool> overwritten_;  // by the number of a source that has bad records
  std::uint64_t lost_ = 0;
  std::string lost_of_;             // the name of the first source of which records would be lost
  bool any_beyond_saving_ = false;  // one of them is no record that could be written
};

}  // namespace nearkin
