// Elementary functions from +, −, ×, ÷ and integers alone, so that every machine gives the same bits (those of libm differ in the last
// place). For what reaches a sketch. FROZEN: sketches depend on every operation here. Relative error below 1e-15.
#pragma once

#include <cstdint>

namespace nearkin::portable {

/// x > 0, finite.
double log(double x);
/// Any x ≤ 709; 0 below −745.
double exp(double x);
/// base^exponent by squaring.
double power(double base, std::uint32_t exponent);
/// cot(π·v/2) for 0 < v ≤ 1: the magnitude that a Cauchy variable exceeds with probability v.
double cauchy_magnitude(double v);
/// The x that a standard Gaussian exceeds with probability p, for 1e-9 < p ≤ 1/2; absolute error below 1e-12.
double gaussian_magnitude(double p);

}  // namespace nearkin::portable
