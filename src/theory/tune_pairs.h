// The pairs that a sample tells of, and which of them a goal asks for.
#pragma once

#include <vector>

#include <nearkin/plan.h>

namespace nearkin {

/// With fewer pairs of a sample within the border than this, their average says little of those that were not sampled.
inline constexpr double kLeastSeen = 30;

/// At or above the plan's threshold, or within its radius. A Hamming radius that is a share is one of the sample's dimensions.
bool is_within(const Plan& plan, const DataSample& sample, double x);

/// Of similarity 1, or distance 0: copies of one another, which are found for certain, before any search.
bool are_copies(const Plan& plan, double x);

/// The pairs within the border that are no copies, in the sample's steps; `values` in steps that stand for the farthest of theirs, so that
/// what is found of them on average is found of the values at least. Their `pairs` are in proportion, no more.
std::vector<PairsAt> similar_pairs(const Plan& plan, const DataSample& sample);

/// Pairs of the sample that these rest on.
double seen(const std::vector<PairsAt>& pairs);

}  // namespace nearkin
