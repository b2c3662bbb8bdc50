// What a plan is expected to find, miss, look at and take, before it is run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nearkin/nearkin.h>
#include <nearkin/tools/forecast.h>

#include "json.h"

namespace nearkin::cli {

/// A plan that could have been chosen.
struct Neighbour {
  PlanWork planned;
  Forecast forecast;
};

struct Outlook {
  Plan plan;
  bool given = false;                ///< its bands and rows were, not chosen
  std::optional<DataSample> sample;  ///< of the collection, or of that of which it is to be more; absent: nominal data
  std::uint64_t items = 0;           ///< of the collection
  unsigned threads = 1;
  std::uint64_t memory = 0;  ///< that the run may take; 0: what it takes of itself
  Forecast forecast;
  std::vector<Neighbour> neighbours;  ///< ascending by rows, the plan among them
};

/// The outlook of a plan for the goal, however it was chosen. `choices` are those that were typed; they hold the sample of the collection,
/// or of one of another size. Measures the machine, which takes most of a second.
Outlook outlook(const Plan& plan, Goal goal, Choices choices, std::uint64_t items, unsigned threads, std::uint64_t memory);

/// Name and value of each figure, in words, for a table or a page.
std::vector<std::pair<std::string, std::string>> outlook_figures(const Outlook& outlook);
/// The figures, a line each, and a table of the neighbours.
std::string outlook_text(const Outlook& outlook);
/// {"items","sample":{…},"expected":{…},"memory_bytes","scratch_bytes","seconds","threads","alternatives":[…]}; with a bound on memory
/// "in_files" too, and no "scratch_bytes" where it is not known
JsonObject outlook_json(const Outlook& outlook);

}  // namespace nearkin::cli
