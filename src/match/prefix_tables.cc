#include "match/prefix_tables.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "base/portable_math.h"

namespace nearkin {
namespace {

double miss_probability(double p, std::uint32_t depth, std::uint32_t done, const PrefixShape& shape) {
  const double shorter = portable::power(p, depth);
  const double first = portable::power(1 - shorter, done);
  return depth == shape.depth ? first : first * portable::power(1 - shorter * p, shape.tables - done);
}

// By halving; on the safe side of the place looked for.
double least_agreement_for(double failure, std::uint32_t depth, std::uint32_t done, const PrefixShape& shape) {
  if (depth == 0) return 0;
  double low = 0, high = 1;
  for (int i = 0; i < 44; ++i) {
    const double middle = (low + high) / 2;
    (miss_probability(middle, depth, done, shape) <= failure ? high : low) = middle;
  }
  return high;
}

}  // namespace

PrefixTables::PrefixTables(const PrefixShape& shape, std::vector<std::uint64_t> codes, std::span<const Row> members, unsigned threads)
    : shape_(shape), items_(members.size()), codes_(std::move(codes)), rows_(shape.tables * members.size()) {
  using Entry = std::pair<std::uint64_t, Row>;
  std::vector<std::vector<Entry>> scratch(thread_count(threads));
  parallel_for(shape.tables, 1, thread_count(threads), [&](std::size_t begin, std::size_t end, unsigned worker) {
    std::vector<Entry>& entries = scratch[worker];
    for (std::size_t table = begin; table < end; ++table) {
      entries.clear();
      for (std::size_t i = 0; i < items_; ++i) entries.emplace_back(codes_[table * items_ + i], members[i]);
      std::sort(entries.begin(), entries.end());
      for (std::size_t i = 0; i < items_; ++i) std::tie(codes_[table * items_ + i], rows_[table * items_ + i]) = entries[i];
    }
  });
}

void PrefixWalk::start(const PrefixTables& tables, std::span<const std::uint64_t> codes) {
  tables_ = &tables;
  codes_ = codes;
  stretches_.assign(tables.shape().tables, {0, 0, false});
}

PrefixWalk::Added PrefixWalk::extend(std::uint32_t table, std::uint32_t depth) {
  const PrefixShape& shape = tables_->shape();
  const std::span<const std::uint64_t> codes = tables_->codes(table);
  const std::span<const Row> rows = tables_->rows(table);
  Stretch& stretch = stretches_[table];
  if (!stretch.placed) {
    const auto place = static_cast<std::uint32_t>(std::lower_bound(codes.begin(), codes.end(), codes_[table]) - codes.begin());
    stretch = {place, place, true};
  }
  std::uint32_t begin = stretch.begin, end = stretch.end;
  if (depth == 0) {
    begin = 0;
    end = static_cast<std::uint32_t>(codes.size());
  } else {
    const unsigned shift = (shape.depth - depth) * shape.digit_bits;
    const std::uint64_t prefix = codes_[table] >> shift;
    while (begin > 0 && codes[begin - 1] >> shift == prefix) --begin;
    while (end < codes.size() && codes[end] >> shift == prefix) ++end;
  }
  const Added added{rows.subspan(begin, stretch.begin - begin), rows.subspan(stretch.end, end - stretch.end)};
  stretch.begin = begin;
  stretch.end = end;
  return added;
}

StopLevels::StopLevels(const PrefixShape& shape, double failure) : tables_(shape.tables) {
  levels_.reserve(std::size_t{shape.depth + 1} * shape.tables);
  for (std::uint32_t depth = 0; depth <= shape.depth; ++depth) {
    for (std::uint32_t done = 1; done <= shape.tables; ++done) levels_.push_back(least_agreement_for(failure, depth, done, shape));
  }
}

}  // namespace nearkin
