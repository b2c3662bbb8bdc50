// Texts and shingles of rows, read again from where their records are.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/advance.h"
#include "collect/rows.h"

namespace nearkin {

/// Items that one thread reads again at a time; the items of a block are processed in order.
inline constexpr std::size_t kFeatureBlock = 256;

/// Features in blocks of the same number of items, made by many threads and never copied together.
struct FeatureBlocks {
  std::vector<Features> blocks;
  std::vector<std::span<const std::uint64_t>> items;  ///< into the blocks
};

/// Reads the given rows again, block by block, and calls use(worker, i, features of wanted[i]); many threads at once, each with its number.
/// The features are good until `use` returns.
void for_each_features(const Rows& rows, std::span<const Row> wanted, const ShinglePlan& plan, unsigned threads,
                       const std::function<void(unsigned worker, std::size_t i, std::span<const std::uint64_t> features)>& use,
                       bool scopes_count = true, Advance* advance = nullptr);

/// Reads the given rows again and makes their features; result.items[i] belongs to wanted[i]. If rows are compared within scopes, features
/// of different scopes never agree, unless `scopes_count` is false.
FeatureBlocks load_features(const Rows& rows, std::span<const Row> wanted, const ShinglePlan& plan, unsigned threads,
                            bool scopes_count = true, Advance* advance = nullptr);

/// The text of the record at a location, read again. `buffer` and `batch` are scratch; the text is good until they are used again.
std::string_view text_at(const Sources& sources, const Location& location, std::string& buffer, Batch& batch);

/// Texts of single rows, read again. One thread.
class TextReader {
 public:
  explicit TextReader(const Rows& rows) : rows_(rows), reader_(rows) {}
  /// Good until the next call.
  std::string_view operator()(Row row);

 private:
  const Rows& rows_;
  RowReader reader_;
  std::string buffer_;
  Batch batch_;
  std::optional<std::pair<const Sources*, Location>> last_;  ///< units: the record that is in batch_
};

}  // namespace nearkin
