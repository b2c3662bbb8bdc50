#pragma once

#include <nearkin/run.h>

namespace nearkin {

/// Removes exact duplicates in one pass with little memory: only the bits of a Bloom filter are kept of an item.
DedupResult dedup_by_bloom(const Input& input, const std::string& output, const Plan& plan, const DedupOptions& options,
                           const RunOptions& run);

}  // namespace nearkin
