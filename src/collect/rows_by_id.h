// The rows of some ids.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nearkin/items.h>

namespace nearkin {

inline constexpr Row kUnknownRow = UINT32_MAX;
using RowsById = std::unordered_map<std::string_view, Row>;

/// Fills in the rows from `begin` to `end` that have one of the ids; id_of(row) is the id of a row.
template <typename IdOf>
void find_rows(IdOf&& id_of, Row begin, Row end, RowsById& rows) {
  for (Row row = begin; row < end; ++row) {
    const auto found = rows.find(id_of(row));
    if (found != rows.end()) found->second = row;
  }
}

/// Notes an id that no row has: the first few, each once.
inline void note_unknown(std::string_view id, std::size_t most, std::vector<std::string>& named) {
  if (named.size() < most && std::find(named.begin(), named.end(), id) == named.end()) named.emplace_back(id);
}

}  // namespace nearkin
