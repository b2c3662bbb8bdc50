#include "values.h"

#include <string>

namespace nearkin::python {

py::object recall_of(const std::optional<Recall>& recall) {
  if (!recall) return py::none();
  py::dict out;
  out["estimate"] = recall->estimate;
  out["low"] = recall->low;
  out["high"] = recall->high;
  return out;
}

py::dict stats_of(const RunStats& stats, const Plan& plan) {
  py::dict out, seconds, buckets;
  for (const auto& [stage, time] : stats.seconds) seconds[py::str(stage)] = time;
  buckets["large"] = stats.buckets.large;
  buckets["largest"] = stats.buckets.largest;
  buckets["not_compared"] = stats.buckets.not_compared;
  out["plan"] = to_string(plan);
  out["items"] = stats.items;
  out["empty"] = stats.empty;
  out["copies"] = stats.copies;
  if (stats.every_pair) {
    out["candidates"] = stats.candidates;
    out["pairs"] = stats.pairs;
    if (stats.listed) out["listed"] = *stats.listed;
    if (stats.too_large.groups > 0) out["too_large_groups"] = stats.too_large.groups;
  }
  if (stats.decisions) {
    if (stats.decisions->unknown > 0) throw py::index_error("decisions: there is no row " + stats.decisions->unknown_ids.front());
    py::dict decisions(py::arg("accepted") = stats.decisions->accepted, py::arg("rejected") = stats.decisions->rejected);
    if (stats.listed) decisions["not_listed"] = stats.decisions->not_listed;
    out["decisions"] = decisions;
  }
  out["recall"] = recall_of(stats.recall);
  out["item_recall"] = recall_of(stats.item_recall);
  if (stats.audit) {
    py::dict audit = recall_of(stats.audit->recall);
    audit["items"] = stats.audit->items;
    audit["true_pairs"] = stats.audit->true_pairs;
    audit["found"] = stats.audit->found;
    audit["item_recall"] = recall_of(stats.audit->item_recall);
    out["audit"] = audit;
  }
  out["buckets"] = buckets;
  out["seconds"] = seconds;
  out["peak_bytes"] = stats.peak_bytes;
  return out;
}

}  // namespace nearkin::python
