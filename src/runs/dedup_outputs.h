// The files that dedup writes.
#pragma once

#include <optional>
#include <string>

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
  /// Throws Error(file) if the kept records would overwrite an input from which records were skipped that no output contains.
  void require_nothing_lost(const Sources& sources, const Faults& faults) const;
  void commit(const Sources& sources, const Faults& faults) {
    require_nothing_lost(sources, faults);
    kept.finish();
    if (removed) removed->finish();
    if (skipped) skipped->finish();
    // The kept records may overwrite their input, so the other files must be in place first.
    if (skipped) skipped->publish();
    if (removed) removed->publish();
    kept.publish();
  }
};

}  // namespace nearkin
