#include "runs/dedup_outputs.h"

#include <filesystem>

#include <nearkin/error.h>

namespace nearkin {
namespace {

bool is_input(const Sources& sources, const std::string& output) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::error_code none;
    if (std::filesystem::equivalent(sources.name(i), output, none)) return true;
  }
  return false;
}

}  // namespace

void DedupOutputs::require_nothing_lost(const Sources& sources, const Faults& faults) const {
  const std::uint64_t lost = skipped ? faults.lost : faults.count - faults.kept;
  if (lost == 0 || !is_input(sources, kept.name())) return;
  const Fault& first = faults.first.front();
  // The rest of a file that cannot be read on is no record, and no output could hold it.
  const char* way_out = faults.lost > 0 ? "); name another output, because what follows the fault cannot be saved"
                                        : "); keep them (--faults keep), save them in a file (--skipped), or name another output";
  throw Error(ErrorCode::file, kept.name(),
              "is an input of which " + std::to_string(lost) + (lost == 1 ? " record was" : " records were") +
                  " skipped, and would be lost (" + first.where + ": " + first.message + way_out);
}

}  // namespace nearkin
