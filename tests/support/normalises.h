// Every value of Normalise.
#pragma once

#include <vector>

#include <nearkin/plan.h>

namespace nearkin::test {

inline constexpr int kNormalises = int(Normalise::code_identifiers_rust) + 1;

inline std::vector<Normalise> all_normalises() {
  std::vector<Normalise> values;
  for (int value = 0; value < kNormalises; ++value) values.push_back(static_cast<Normalise>(value));
  return values;
}

}  // namespace nearkin::test
