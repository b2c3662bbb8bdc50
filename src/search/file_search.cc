#include "search/file_search.h"

#include <algorithm>
#include <string>

#include <nearkin/error.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/names.h>

#include "base/system.h"

namespace nearkin {
namespace {}  // namespace

// What grows with the items at the search's widest place: sorting or splitting one band's buckets beside what is held throughout.
void require_memory(const Rows& rows, const Stage& stage, const Keep& keep) {
  const std::uint64_t scopes = rows.scope_rule() == Scope::Rule::across ? sizeof(std::uint64_t) : 0;
  const std::uint64_t held = sizeof(Row) + 1 + (keep.rule == Keep::Rule::first ? 0 : 2 * sizeof(Row)) + scopes;
  // Members, a column that stays, and 28 bytes to work with.
  const std::uint64_t one_band = stage.plan.band.bands == 0 ? 2 * sizeof(Row) : 9 * sizeof(Row);
  constexpr std::uint64_t kWithinLeast = std::uint64_t{16} << 20;  // the least bound is enough for a small input, whatever it is
  const std::uint64_t needed = least_memory(stage.threads) + std::max(rows.size() * (held + one_band), kWithinLeast) - kWithinLeast;
  if (needed <= stage.memory) return;
  throw Error(ErrorCode::plan, "memory",
              std::to_string(rows.size()) + " items need at least " + bytes_text(needed) + ", the limit is " + bytes_text(stage.memory) +
                  "; raise it and continue with resume");
}

std::vector<Row> cut_rows(std::span<const std::uint64_t> counts, std::uint64_t width, std::uint64_t most) {
  std::vector<Row> cuts{0};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (sum > 0 && sum + counts[i] > most) {
      cuts.push_back(static_cast<Row>(i * width));
      sum = 0;
    }
    sum += counts[i];
  }
  cuts.push_back(UINT32_MAX);
  return cuts;
}

void search_in_files(const FileSearch& search, std::vector<Row> members) {
  StageClock clock;
  // Before each stage, which takes its share in pieces of other sizes.
  give_back_memory();
  pair_bands(search, members);
  std::vector<Row>().swap(members);
  give_back_memory();
  const RunFiles candidates = band_candidates(search);
  search.scratch().note_size();
  search.rows.stats.seconds.emplace_back("candidates", clock.lap());
  give_back_memory();
  verify_candidates(search, candidates);
  give_back_memory();
}

}  // namespace nearkin
