#pragma once

#include <nearkin/run.h>

namespace nearkin {

/// Exact duplicates in one pass and few bits: nothing is kept of an item but its bits in a Bloom filter.
DedupResult dedup_by_bloom(const Input& input, const std::string& output, const Plan& plan, const DedupOptions& options,
                           const RunOptions& run);

}  // namespace nearkin
