#include "runs/dedup_outputs.h"

#include <algorithm>

#include <nearkin/error.h>

#include "runs/write_records.h"

namespace nearkin {
namespace {

// The description of the first bad record of a file: where it is, and what is wrong. Only the first of a run are described.
const Fault* first_of_file(const Faults& faults, const std::string& file) {
  const auto found = std::find_if(faults.first.begin(), faults.first.end(),
                                  [&](const Fault& fault) { return fault.where == file || fault.where.starts_with(file + ":"); });
  return found == faults.first.end() ? nullptr : &*found;
}

}  // namespace

void DedupOutputs::note_faults(const Sources& sources, std::span<const Location> faults, bool keep_faults) {
  for (const Location& fault : faults) {
    const bool can_be_written = is_record(sources, fault);
    if (can_be_written && (keep_faults || skipped)) continue;
    const auto [known, is_new] = overwritten_.try_emplace(fault.source);
    if (is_new) known->second = is_file_at(sources, fault.source, kept.name());
    if (!known->second) continue;
    if (lost_++ == 0) lost_of_ = sources.name(fault.source);
    any_beyond_saving_ = any_beyond_saving_ || !can_be_written;
  }
}

void DedupOutputs::require_nothing_lost(const Faults& told) const {
  if (lost_ == 0) return;
  const Fault* const first = first_of_file(told, lost_of_);
  const std::string example = first == nullptr ? "" : " (" + first->where + ": " + first->message + ")";
  // The rest of a file that cannot be read on is no record, and no output could hold it.
  const char* const way_out = any_beyond_saving_ ? "; name another output, because what follows the fault cannot be saved"
                                                 : "; keep them (--faults keep), save them in a file (--skipped), or name another output";
  throw Error(ErrorCode::file, kept.name(),
              "is an input of which " + std::to_string(lost_) + (lost_ == 1 ? " record was" : " records were") +
                  " skipped, and would be lost" + example + way_out);
}

void DedupOutputs::finish() {
  kept.finish();
  if (removed) removed->finish();
  if (skipped) skipped->finish();
}

void DedupOutputs::publish() {
  // The kept records may overwrite their input, so the other files must be in place first.
  if (skipped) skipped->publish();
  if (removed) removed->publish();
  kept.publish();
}

}  // namespace nearkin
