// What a page shows of passages.
#pragma once

#include <nearkin/tools/report.h>

#include "runs/passage_search.h"

namespace nearkin {

/// Gathers the passages with the most tokens, those met first before others.
class ShownPassages {
 public:
  void add(const Passage& passage);
  /// Reads their texts again.
  void fill(Report& report, const Input& input, const PassageOptions& options, const PassageSearch& search,
            const PassageStats& stats) const;

 private:
  std::vector<Passage> shown_;  // the longest first
};

}  // namespace nearkin
