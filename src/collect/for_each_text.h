// Visits every text of an input before the run, which reads it again.
#pragma once

#include <nearkin/error.h>

#include "io/source/for_each_batch.h"

namespace nearkin {

/// Calls use(tools, text, scope) for every text of the inputs, on any thread, with the tools that make() makes for a thread; returns all
/// tools. The scope is 0 where items are not compared across scopes. `against` may be null. With `stats`, which get the number of items and
/// the faults, throws Error(data) if there are records and none can be used.
template <typename Make, typename Use>
auto for_each_text(const Input& input, const Input* against, const RunOptions& run, Make make, Use use, RunStats* stats = nullptr) {
  using Tools = std::invoke_result_t<Make&>;
  struct Reader : ReadBatch {
    explicit Reader(Tools made) : tools(std::move(made)) {}
    Tools tools;
  };
  std::vector<Tools> used;
  const bool across = input.scope.rule == Scope::Rule::across;
  for (const Input* const part : {&input, against}) {
    if (part == nullptr) continue;
    Sources sources(*part, false, true);
    Reading reading = reading_of(run, stats);
    reading.stage = "ignore";
    reading.on_source = [&](std::size_t i) {
      if (holds_vectors(sources.format(i)))
        throw Error(ErrorCode::plan, sources.name(i), "holds vectors, which have no shingles to ignore");
    };
    auto readers = for_each_batch(
        sources, reading, [&](unsigned) { return Reader(make()); },
        [&](Reader& reader) {
          const Batch& batch = reader.batch;
          for (Row i = 0; i < batch.items.size(); ++i) use(reader.tools, batch.items.text(i), across ? batch.scopes[i] : 0);
        },
        [](Reader&) {});
    for (auto& reader : readers) used.push_back(std::move(reader->tools));
  }
  return used;
}

}  // namespace nearkin
