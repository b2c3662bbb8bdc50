// How far figures that come from a sample may be off.
#pragma once

#include <vector>

#include <nearkin/tools/forecast.h>

namespace nearkin {

/// Of the mean of these numbers, one for each part, if `left_out` of the items were not asked. As a factor: few items have most of the
/// pairs, so that a figure is more likely to be far too low than far too high.
double sampling_factor(const std::vector<double>& parts, double left_out);

/// Where the mean of a number lies of which `seen` were seen, and about where it lies if its mean is `seen`: of Poisson's distribution, by
/// Wilson and Hilferty's approximation.
Interval counted_interval(double seen);

}  // namespace nearkin
