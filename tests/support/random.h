// Random numbers that are the same on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "base/hash.h"

namespace nearkin::test {

/// std::mt19937_64 is the same everywhere; the distributions of the standard library are not.
class Random : public std::mt19937_64 {
 public:
  using std::mt19937_64::mt19937_64;
  std::size_t below(std::size_t n) { return static_cast<std::size_t>((*this)() % n); }
  std::size_t between(std::size_t least, std::size_t most) { return least + below(most - least + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
};

inline double uniform(auto& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

}  // namespace nearkin::test
