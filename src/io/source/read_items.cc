#include <nearkin/items.h>

#include <utility>

#include <nearkin/error.h>

#include "io/source/source.h"

namespace nearkin {

Items read_items(const Input& input, Faults* faults) {
  Sources sources(input, false);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!holds_vectors(sources.format(i))) continue;
    throw Error(ErrorCode::plan, "format",
                sources.name(i) + " is " + std::string(name(sources.format(i))) + ", which holds vectors and no texts; use read_vectors");
  }
  Items items;
  Batch batch;
  while (const auto chunk = sources.next()) {
    batch.clear();
    sources.parse(*chunk, batch);
    items.ids.append(batch.items.ids);
    items.texts.append(batch.items.texts);
    if (faults == nullptr) continue;
    faults->count += batch.faults.count;
    faults->binary += batch.faults.binary;
    for (Fault& fault : batch.faults.first) {
      if (faults->first.size() < Faults::kNamed) faults->first.push_back(std::move(fault));
    }
  }
  return items;
}

}  // namespace nearkin
