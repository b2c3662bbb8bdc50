#include <utility>

#include <nearkin/error.h>
#include <nearkin/vectors.h>

#include "io/formats/vector_batch.h"
#include "io/source/source.h"

namespace nearkin {

namespace {

void add_fault(Faults* faults, Fault fault) {
  if (faults != nullptr && faults->first.size() < Faults::kNamed) faults->first.push_back(std::move(fault));
}

void check_format(const Sources& sources, std::size_t i) {
  if (holds_vectors(sources.format(i))) return;
  throw Error(ErrorCode::plan, "format",
              sources.name(i) + " is " + std::string(name(sources.format(i))) +
                  ", which holds no vectors; use format sparse, dense or bits, or read_items");
}

/// A record at fault of this batch stands before the items that do not fit, wherever they are in it: `first` names a few, not an order.
void add_batch(VectorItems& all, const Batch& batch, const Sources& sources, bool strict, Faults* faults) {
  for (const Fault& fault : batch.faults.first) add_fault(faults, fault);
  if (faults != nullptr) {
    faults->count += batch.faults.count;
    faults->binary += batch.faults.binary;
  }
  for (Row i = 0; i < batch.items.size(); ++i) {
    const std::string problem = unlike_first(all.vectors, batch, i);
    if (problem.empty()) {
      append_vector(all.vectors, batch, i);
      all.ids.add(batch.items.id(i));
      continue;
    }
    const Location& location = batch.locations[i];
    const std::string where = sources.name(location.source) + ":" + std::to_string(location.line);
    if (strict) throw Error(ErrorCode::data, where, problem);
    if (faults != nullptr) ++faults->count;
    add_fault(faults, {where, problem + "; record skipped"});
  }
}

}  // namespace

VectorItems read_vectors(const Input& input, Faults* faults) {
  Sources sources(input, false);
  for (std::size_t i = 0; i < sources.size(); ++i) check_format(sources, i);
  VectorItems all;
  if (sources.size() > 0) {
    const Format format = sources.format(0);
    if (format == Format::sparse) all.vectors.kind = Vectors::Kind::sparse;
    if (format == Format::bits) all.vectors.kind = Vectors::Kind::bits;
  }
  Batch batch;
  while (const auto chunk = sources.next()) {
    batch.clear();
    sources.parse(*chunk, batch);
    add_batch(all, batch, sources, input.strict, faults);
  }
  return all;
}

}  // namespace nearkin
