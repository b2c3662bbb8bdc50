// Tables of answers: a row is an item, a column a question, and what holds of a row is its set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/formats/csv.h"

namespace nearkin {

struct TableColumns {
  char delimiter = ',';
  std::vector<std::string> names;  ///< as elements spell them: white space, '%' and '=' percent-encoded
  std::optional<std::size_t> id, number;
  std::uint32_t questions = 0;  ///< columns other than the id
};
/// From the first record, as csv_columns. Throws Error(data) also when two columns have one name.
TableColumns table_columns(std::string_view first, char delimiter, bool numbered, const Fields& fields, const std::string& name);

/// `all_answers` as in Input.
void parse_table(const Chunk& chunk, const TableColumns& columns, bool all_answers, RecordSink& sink);

}  // namespace nearkin
