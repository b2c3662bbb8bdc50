// What a page shows of benchmark items in records.
#pragma once

#include <nearkin/tools/report.h>

#include "runs/suites.h"

namespace nearkin {

/// Collects the hits with the greatest shares; of equal shares, those that were found first.
class ShownHits {
 public:
  explicit ShownHits(const ReadSuites& suites) : suites_(suites) {}
  void add(std::string_view id, std::string_view text, std::span<const Contamination> hits);
  void fill(Report& report, const Input& input, const DecontaminateStats& stats) const;

 private:
  struct Shown {
    Contamination hit;
    std::string id, excerpt;
  };
  const ReadSuites& suites_;
  std::vector<Shown> shown_;  // the greatest share first
};

}  // namespace nearkin
