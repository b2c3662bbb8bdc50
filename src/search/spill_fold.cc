#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/radix_sort.h"
#include "collect/spilled.h"
#include "match/keep.h"
#include "search/spill_search.h"

namespace nearkin {
namespace {

constexpr std::size_t kRowsAtATime = std::size_t{1} << 16;

void order_items(SpillSearch& search, const Keep& keep) {
  if (keep.rule == Keep::Rule::first) return;
  const std::vector<Segment>& segments = search.collection.segments;
  const bool by_number = keep.rule == Keep::Rule::max || keep.rule == Keep::Rule::min;
  const std::vector<double> numbers = by_number ? whole_column<double>(segments, kNumbers) : std::vector<double>();
  // The number of sizes says how many items there are; what they are counts for two of the rules only.
  search.order = keep_order(keep, whole_column<std::uint64_t>(segments, kTextSizes), numbers);
  search.rank.resize(search.order.size());
  for (Row place = 0; place < search.order.size(); ++place) search.rank[search.order[place]] = place;
}

// Contents of one part of all hashes, with their rows.
struct Part {
  std::vector<Hash128> contents;
  std::vector<Row> rows;
};

Part read_part(const SpillSearch& search, std::uint64_t part, std::uint64_t parts) {
  Part out;
  for_each_values<Hash128>(search.collection.segments, kContents, 1, kRowsAtATime, [&](Row first, std::span<const Hash128> contents) {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      const Row row = first + static_cast<Row>(i);
      if (contents[i].low % parts != part || search.empty[row] != 0) continue;
      out.contents.push_back(contents[i]);
      out.rows.push_back(row);
    }
  });
  return out;
}

// Rows of one content on one side of a split follow one another, the one most worth keeping first.
void fold_run(SpillSearch& search, const Part& part, std::span<std::uint64_t> run) {
  const auto index = [](std::uint64_t record) { return static_cast<std::uint32_t>(record); };
  const Row split = search.collection.split;
  const auto key = [&](std::uint64_t record) {
    const Row row = part.rows[index(record)];
    return std::tuple(part.contents[index(record)], row >= split);
  };
  std::sort(run.begin(), run.end(), [&](std::uint64_t x, std::uint64_t y) {
    return std::tuple(key(x), search.rank_of(part.rows[index(x)])) < std::tuple(key(y), search.rank_of(part.rows[index(y)]));
  });
  Row keeper = 0, before = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const Row row = part.rows[index(run[i])];
    if (i == 0 || key(run[i]) != key(run[i - 1])) {
      before = std::exchange(keeper, row);
      const bool other_side = i > 0 && part.contents[index(run[i])] == part.contents[index(run[i - 1])];
      if (other_side && search.plan.measure == Measure::exact) search.equal_across.push_back(std::uint64_t{before} << 32 | keeper);
    }
    search.representative[row] = keeper;
  }
}

void fold_part(SpillSearch& search, const Part& part) {
  std::vector<std::uint64_t> records(part.rows.size()), scratch;
  for (std::size_t i = 0; i < records.size(); ++i) records[i] = part.contents[i].high >> 32 << 32 | i;
  radix_sort(records, scratch, 4, 8);
  for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
    for (end = begin + 1; end < records.size() && records[end] >> 32 == records[begin] >> 32;) ++end;
    if (end - begin > 1) fold_run(search, part, std::span(records).subspan(begin, end - begin));
  }
}

}  // namespace

std::uint64_t SpillSearch::share(std::uint64_t held) const {
  if (collection.stage_bytes) return *collection.stage_bytes;
  constexpr std::uint64_t kFixed = std::uint64_t{24} << 20, kThread = std::uint64_t{4} << 20, kLeast = std::uint64_t{8} << 20;
  const std::uint64_t taken = kFixed + threads * kThread + held * items();
  return std::max(kLeast, memory > taken ? memory - taken : 0);
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

void match_equal_across(SpillSearch& search) {
  std::vector<std::uint64_t> pairs = std::move(search.equal_across);
  std::sort(pairs.begin(), pairs.end());
  std::shared_ptr<const RunFile> file = search.scratch().resume("matches", 0);
  if (file == nullptr) {
    RunFileWriter writer = search.scratch().create("matches", 0);
    writer.section(kMatchPairs, 0, pairs);
    writer.section(kMatchShared, 0, std::vector<std::uint32_t>(pairs.size(), 1));
    writer.section(kMatchTotal, 0, std::vector<std::uint32_t>(pairs.size(), 1));
    writer.finish();
    file = search.scratch().open("matches", 0);
  }
  search.match_count = pairs.size();
  search.matches.push_back(std::move(file));
}

void fold_spilled(SpillSearch& search, const Keep& keep) {
  const std::vector<Segment>& segments = search.collection.segments;
  search.empty = whole_column<std::uint8_t>(segments, kEmptyItems);
  order_items(search, keep);
  search.representative.resize(search.empty.size());
  std::iota(search.representative.begin(), search.representative.end(), Row{0});
  constexpr std::uint64_t kBytes = sizeof(Hash128) + sizeof(Row) + 2 * sizeof(std::uint64_t), kGrowth = 2;
  const std::uint64_t parts = 1 + search.items() * kBytes * kGrowth / search.share(13);
  for (std::uint64_t part = 0; part < parts; ++part) fold_part(search, read_part(search, part, parts));
}

}  // namespace nearkin
