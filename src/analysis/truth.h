// Labels by rows: which pairs of rows are true, or which cluster a row belongs to.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <nearkin/tools/truth.h>

namespace nearkin {

/// The items that labels are about.
struct LabelledItems {
  Row rows = 0;         ///< of the input and of `against`
  Row split = 0;        ///< rows of the input
  bool across = false;  ///< there is an `against`
  std::function<std::string_view(Row)> id = {};
};

struct TruthByRows {
  static constexpr std::uint32_t kNoCluster = UINT32_MAX;
  TruthKind kind = TruthKind::pairs;
  std::vector<std::uint64_t> pairs = {};     ///< a << 32 | b with a < b, ascending, each once
  std::vector<std::uint32_t> clusters = {};  ///< the cluster of each row; kNoCluster for rows that no label names
  TruthNotes notes = {};
};

/// Throws Error(data) where no label is about the items, and Error(plan) for clusters between two inputs.
TruthByRows truth_by_rows(const TruthTable& table, const LabelledItems& items);

inline std::uint64_t packed_pair(Row a, Row b) { return a < b ? std::uint64_t{a} << 32 | b : std::uint64_t{b} << 32 | a; }

}  // namespace nearkin
