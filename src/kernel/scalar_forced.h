// Whether the environment asks for the scalar twins.
#pragma once

#include <cstdlib>
#include <string_view>

namespace nearkin::kernel {

inline bool scalar_forced() {
  static const bool forced = [] {
    const char* value = std::getenv("NEARKIN_KERNEL");
    return value != nullptr && std::string_view(value) == "scalar";
  }();
  return forced;
}

}  // namespace nearkin::kernel
