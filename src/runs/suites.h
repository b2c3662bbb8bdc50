// Suites: the benchmark items to search for, read and prepared.
#pragma once

#include <string>
#include <vector>

#include <nearkin/decontaminate.h>

#include "feature/tokeniser.h"
#include "io/source/source.h"
#include "match/sought.h"

namespace nearkin {

/// Throws Error(plan) for options out of range.
void check_decontaminate_options(const Input& input, const std::vector<Suite>& suites, const DecontaminateOptions& options,
                                 const RunOptions& run);
/// Throws Error(plan) if a source of this format does not hold texts.
void require_texts(Format format, const std::string& path);

/// Where a text to search for comes from.
struct SoughtOrigin {
  std::uint32_t suite;
  Row item;
  std::uint32_t field;
  std::uint64_t offset, size;  ///< bytes of the item's text
};

struct ReadSuites {
  std::vector<Items> items;  ///< of each suite
  std::vector<SuiteStats> stats;
  Faults faults;
  ShinglePlan tokens;
  SoughtTexts sought;
  std::vector<SoughtOrigin> origins;             ///< of each text: by suite, item, field
  std::vector<std::vector<std::string>> fields;  ///< for each suite, its fields if they are searched for separately; else none
  std::vector<std::vector<bool>> needed;         ///< for each suite, which of its fields (or its single text) must be found

  std::string_view text(std::size_t number) const {
    const SoughtOrigin& origin = origins[number];
    return items[origin.suite].text(origin.item).substr(origin.offset, origin.size);
  }
};

/// Throws as `decontaminate` says. `input`: the records to search, which need not have been read yet.
ReadSuites read_suites(const Sources& input, const std::vector<Suite>& suites, const DecontaminateOptions& options, const RunOptions& run);

/// Searches one record after another for the items. One for each thread; the suites must outlive it.
class ItemSearch {
 public:
  explicit ItemSearch(const ReadSuites& suites) : suites_(suites), tokeniser_(suites.tokens), search_(suites.sought) {}
  /// Appends what is found in the text, as `decontaminate` orders it, with `row` as its row.
  void find(std::string_view text, Row row, std::vector<Contamination>& hits);

 private:
  void leave_out_items_in_part(std::vector<FoundText>& found) const;

  const ReadSuites& suites_;
  Tokeniser tokeniser_;
  SoughtSearch search_;
};

/// Counts what was found, record by record.
class SuiteCounts {
 public:
  explicit SuiteCounts(const ReadSuites& suites);
  /// The hits of one record; not empty.
  void add(std::span<const Contamination> hits);
  /// The counts, together with the statistics of the suites.
  std::vector<SuiteStats> take() const;

 private:
  const ReadSuites& suites_;
  std::vector<std::vector<Match>> best_;  // of each item; total 0: not found
  std::vector<std::uint64_t> records_;
};

}  // namespace nearkin
