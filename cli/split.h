// Lists on the command line.
#pragma once

#include <string>
#include <vector>

namespace nearkin::cli {

/// What stands between the separators, empty words included: "a,,b" has three.
inline std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(at, begin);
    words.push_back(text.substr(begin, end - begin));
  }
  return words;
}

}  // namespace nearkin::cli
