// Shingles that many items have: counted in two passes, the first by a filter that never counts too little, the second exactly.
#include <algorithm>
#include <atomic>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include <nearkin/ignore.h>

#include "collect/collect.h"
#include "collect/for_each_text.h"
#include "feature/ignored.h"
#include "feature/shingler.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

// What is counted of a shingle is that of all shingles with the same high bits.
class CountFilter {
 public:
  explicit CountFilter(unsigned bits) : shift_(64 - bits), counts_(std::size_t{1} << bits) {}
  void add(std::uint64_t hash) { counts_[hash >> shift_].fetch_add(1, std::memory_order_relaxed); }
  std::uint32_t count(std::uint64_t hash) const { return counts_[hash >> shift_].load(std::memory_order_relaxed); }

 private:
  unsigned shift_;
  std::vector<std::atomic<std::uint32_t>> counts_;
};

// About a counter for each shingle, in an eighth of the bound: the fewer shingles share one, the fewer have to be counted exactly.
CountFilter filter_for(const Input& input, const Input* against, std::uint64_t bound) {
  std::uint64_t bytes = Sources(input, false, true).total_bytes();
  if (against != nullptr) bytes += Sources(*against, false, true).total_bytes();
  constexpr std::uint64_t kFew = 1 << 16, kMany = 1 << 26, kUnknown = 1 << 24;
  const std::uint64_t wanted = std::clamp(bytes == 0 ? kUnknown : bytes / 4, kFew, kMany);
  const std::uint64_t most = std::max(kFew, bound / 8 / sizeof(std::uint32_t));
  return CountFilter(static_cast<unsigned>(std::bit_width(std::min(wanted, most)) - 1));
}

using Counts = std::unordered_map<std::uint64_t, std::uint64_t>;

// A thread's part of the first pass.
struct FirstCount {
  Shingler shingler;
  std::uint64_t items = 0;
  std::unordered_set<std::uint64_t> scopes = {};
};

// A thread's part of the second: how many items have a shingle, or which scopes.
struct ExactCount {
  Shingler shingler;
  std::vector<std::uint64_t> suspects = {};
  Counts items = {};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> scopes = {};  // a shingle and a scope that has it
  std::size_t settled = 0;                                           // so many of them stand there once
};

void add_scopes(ExactCount& count, std::uint64_t scope) {
  for (const std::uint64_t hash : count.suspects) count.scopes.emplace_back(hash, scope);
  constexpr std::size_t kFew = 1 << 16;
  if (count.scopes.size() < 2 * count.settled + kFew) return;
  std::sort(count.scopes.begin(), count.scopes.end());
  count.scopes.erase(std::unique(count.scopes.begin(), count.scopes.end()), count.scopes.end());
  count.settled = count.scopes.size();
}

std::uint64_t bytes_of(const ExactCount& count) {
  constexpr std::uint64_t kOfMap = 64;
  return count.items.size() * kOfMap + count.scopes.size() * sizeof count.scopes[0];
}

void count_exactly(ExactCount& count, const CountFilter& filter, std::uint64_t limit, std::string_view text, std::uint64_t scope) {
  count.suspects.clear();
  for (const std::uint64_t hash : count.shingler.shingles(text)) {
    if (filter.count(hash) > limit) count.suspects.push_back(hash);
  }
  std::sort(count.suspects.begin(), count.suspects.end());
  count.suspects.erase(std::unique(count.suspects.begin(), count.suspects.end()), count.suspects.end());
  if (scope != 0) return add_scopes(count, scope);
  for (const std::uint64_t hash : count.suspects) ++count.items[hash];
}

Counts sum_of(std::vector<ExactCount> parts) {
  Counts sum;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> scopes;
  for (ExactCount& part : parts) {
    for (const auto& [hash, items] : part.items) sum[hash] += items;
    scopes.insert(scopes.end(), part.scopes.begin(), part.scopes.end());
    part = ExactCount{std::move(part.shingler)};
  }
  std::sort(scopes.begin(), scopes.end());
  scopes.erase(std::unique(scopes.begin(), scopes.end()), scopes.end());
  for (const auto& [hash, scope] : scopes) ++sum[hash];
  return sum;
}

std::uint64_t limit_of(const CommonLimit& limit, std::uint64_t all) {
  if (!limit.share) return limit.items;
  return multiply128(all, limit.share->numerator).low / limit.share->denominator;
}

void require_limit(const CommonLimit& limit) {
  if (!limit.share) return;
  const double share = limit.share->value();
  if (!(share > 0 && share < 1)) throw Error(ErrorCode::plan, "ignore_common", shortest(share) + " is not a share above 0 and below 1");
}

// The number of items, or of scopes if the input has any.
std::uint64_t count_all(std::vector<FirstCount> parts) {
  std::uint64_t items = 0;
  std::unordered_set<std::uint64_t> scopes;
  for (FirstCount& part : parts) {
    items += part.items;
    scopes.merge(part.scopes);
  }
  return scopes.empty() ? items : scopes.size();
}

}  // namespace

ShinglePlan ignore_common(const ShinglePlan& plan, const Input& input, const Input* against, const CommonLimit& limit,
                          const RunOptions& run) {
  require_limit(limit);
  const std::uint64_t bound = memory_bound(run);
  CountFilter filter = filter_for(input, against, bound);
  ShinglePlan as_set = plan;
  as_set.bag = false;
  const std::uint64_t all = count_all(for_each_text(
      input, against, run, [&] { return FirstCount{Shingler(as_set)}; },
      [&](FirstCount& count, std::string_view text, std::uint64_t scope) {
        ++count.items;
        if (scope != 0) count.scopes.insert(scope);
        for (const std::uint64_t hash : count.shingler.shingles(text)) filter.add(hash);
      }));
  const std::uint64_t most = limit_of(limit, all), room = bound / 4 / thread_count(run.threads);
  const Counts counts = sum_of(for_each_text(
      input, against, run, [&] { return ExactCount{Shingler(as_set)}; },
      [&](ExactCount& count, std::string_view text, std::uint64_t scope) {
        count_exactly(count, filter, most, text, scope);
        if (bytes_of(count) <= room) return;
        throw Error(ErrorCode::plan, "ignore_common",
                    "too many shingles may occur in more than " + std::to_string(most) +
                        " items to count them within the memory limit; raise one of the two");
      }));
  std::vector<std::uint64_t> ignored = ignored_hashes(plan);
  for (const auto& [hash, count] : counts) {
    if (count > most) ignored.push_back(hash);
  }
  return ignore_hashes(plan, std::move(ignored));
}

}  // namespace nearkin
