// Elementary functions from +, −, ×, ÷ and integers alone, so that every machine gives the same bits (those of libm differ in the last
// place). For what reaches a sketch or decides what is found. FROZEN: sketches depend on every operation here. Relative error below 1e-15
// unless a function says otherwise.
#pragma once

#include <cstdint>

namespace nearkin::portable {

/// x > 0, finite.
double log(double x);
/// ln(1 + x) for x > −1, finite; exact to a few units in the last place for x near 0 too. −0 stays −0.
double log1p(double x);
/// Any x ≤ 709; 0 below −745.
double exp(double x);
/// base^exponent by squaring. The relative error grows with the exponent: below exponent · 2e-16.
double power(double base, std::uint32_t exponent);
/// The degree-th root of x, for 0 < x ≤ 1 and degree ≥ 1. Relative error below 1e-14.
double root(double x, std::uint32_t degree);
/// cot(π·v/2) for 0 < v ≤ 1: the magnitude that a Cauchy variable exceeds with probability v.
double cauchy_magnitude(double v);
/// The x that a standard Gaussian exceeds with probability p, for 1e-9 < p ≤ 1/2; absolute error below 1e-12.
double gaussian_magnitude(double p);

}  // namespace nearkin::portable
