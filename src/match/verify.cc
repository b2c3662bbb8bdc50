#include "match/verify.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/parallel.h"
#include "match/overlap.h"

namespace nearkin {

void decide(Row a, Row b, std::span<const std::uint64_t> features_a, std::span<const std::uint64_t> features_b, Ratio threshold,
            VerifyResult& result) {
  const std::uint64_t least = least_overlap(features_a.size(), features_b.size(), threshold);
  const Overlap found = overlap(features_a, features_b, least);
  const std::uint64_t total = features_a.size() + features_b.size() - found.shared;
  if (found.shared >= least && found.shared > 0) {
    result.matches.push_back({std::min(a, b), std::max(a, b), static_cast<std::uint32_t>(found.shared), static_cast<std::uint32_t>(total)});
  } else if (found.complete && total > 0) {
    result.closest_below = std::max(result.closest_below, static_cast<double>(found.shared) / static_cast<double>(total));
  }
}

VerifyResult verify_pairs(const Pairs& pairs, std::span<const FeatureSpan> features, std::span<const std::uint32_t> place, Ratio threshold,
                          unsigned threads, Advance* advance) {
  constexpr std::size_t kBlock = 4096;
  std::vector<VerifyResult> parts((pairs.size() + kBlock - 1) / kBlock);
  expect(advance, pairs.size());
  parallel_for(pairs.size(), kBlock, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
    VerifyResult& part = parts[begin / kBlock];
    for (std::size_t i = begin; i < end; ++i) {
      const auto [a, b] = pairs[i];
      decide(a, b, features[place.empty() ? a : place[a]], features[place.empty() ? b : place[b]], threshold, part);
    }
    add(advance, worker, end - begin);
  });
  VerifyResult result;
  for (const VerifyResult& part : parts) {
    result.matches.insert(result.matches.end(), part.matches.begin(), part.matches.end());
    result.closest_below = std::max(result.closest_below, part.closest_below);
  }
  return result;
}

Match exact_match(Row a, Row b, std::span<const std::uint64_t> features_a, std::span<const std::uint64_t> features_b) {
  const std::uint64_t shared = overlap(features_a, features_b, 0).shared;
  const std::uint64_t total = features_a.size() + features_b.size() - shared;
  return {a, b, static_cast<std::uint32_t>(shared), static_cast<std::uint32_t>(total)};
}

Matches verify(const Pairs& pairs, const Features& features, Ratio threshold, unsigned threads) {
  require_consistent(features);
  require_rows_of(pairs, features.size());
  require_fraction(threshold, "threshold");
  std::vector<FeatureSpan> spans(features.size());
  for (std::size_t i = 0; i < spans.size(); ++i) spans[i] = features[i];
  return verify_pairs(pairs, spans, {}, threshold, thread_count(threads)).matches;
}

}  // namespace nearkin
