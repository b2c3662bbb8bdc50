// How far figures that come from a sample may be off.
#pragma once

#include <vector>

#include <nearkin/tools/forecast.h>

namespace nearkin {

/// The uncertainty, as a factor, of the mean of these numbers (one per part of a sample) if a share `left_out` of the items was not
/// sampled. It is a factor because few items have most of the pairs: a figure is more likely to be far too low than far too high.
double sampling_factor(const std::vector<double>& parts, double left_out);

/// An interval for the mean of a Poisson variable of which `seen` was observed, by Wilson and Hilferty's approximation. It is about where
/// the variable itself lies if its mean is `seen`.
Interval counted_interval(double seen);

}  // namespace nearkin
