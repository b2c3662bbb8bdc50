// The ids of an index that is being made: gathered as they come, given back in the order of their keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nearkin/items.h>

namespace nearkin {

/// So many bytes of keys are sorted in memory, about; more go to files, each sorted, that are merged in the end.
class IdRuns {
 public:
  /// `folder`: where the files go.
  IdRuns(std::string folder, std::size_t bytes_in_memory) : folder_(std::move(folder)), most_(bytes_in_memory) {}
  ~IdRuns();
  IdRuns(const IdRuns&) = delete;
  IdRuns& operator=(const IdRuns&) = delete;

  /// Rows are ascending. Throws Error(file) where a file cannot be written.
  void add(std::string_view key, Row row);
  /// Calls use(key, rows) for each key once, in bytewise order, with its rows ascending. Nothing is left then.
  using Use = std::function<void(std::string_view key, std::span<const Row> rows)>;
  void drain(const Use& use);

 private:
  std::vector<std::uint32_t> sorted() const;
  void spill();
  void drain_memory(const Use& use);
  void drain_files(const Use& use);
  void remove_files();
  std::string path(std::size_t number) const { return folder_ + "/ids-" + std::to_string(number); }

  std::string folder_;
  std::size_t most_;
  Strings keys_;
  std::vector<Row> rows_;
  std::size_t files_ = 0;
};

}  // namespace nearkin
