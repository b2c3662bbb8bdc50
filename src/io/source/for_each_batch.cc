#include "io/source/for_each_batch.h"

#include <nearkin/error.h>
#include <nearkin/items.h>
#include <nearkin/tools/names.h>
#include <nearkin/vectors.h>

#include "io/formats/records.h"

namespace nearkin {
namespace {

[[noreturn]] void refuse_format(const Sources& sources, std::size_t i, const char* why) {
  throw Error(ErrorCode::plan, "format", sources.name(i) + " is " + std::string(name(sources.format(i))) + why);
}

/// A record at fault of this batch stands before the items that do not fit, wherever they are in it: `first` names a few, not an order.
void add_batch(VectorItems& all, const Batch& batch, const Sources& sources, bool strict, Faults& faults) {
  std::optional<VectorShape> first;
  if (all.vectors.size() > 0) first = {all.vectors.kind, all.vectors.dimensions};
  for (Row i = 0; i < batch.items.size(); ++i) {
    const std::string problem = unlike_first(first, batch, i);
    if (problem.empty()) {
      if (!first) first = shape_of(batch, i);
      append_vector(all.vectors, batch, i);
      all.ids.add(batch.items.id(i));
      continue;
    }
    const Location& location = batch.locations[i];
    const std::string where = sources.name(location.source) + ":" + std::to_string(location.line);
    if (strict) throw Error(ErrorCode::data, where, problem);
    merge_faults(faults, {.first = {{where, problem + "; record skipped"}}, .count = 1});
  }
}

}  // namespace

void merge_faults(Faults& all, const Faults& part) {
  for (const Fault& fault : part.first) {
    if (all.first.size() < Faults::kNamed) all.first.push_back(fault);
  }
  all.count += part.count;
  all.lost += part.lost;
  all.binary += part.binary;
  all.no_texts += part.no_texts;
}

void require_usable(std::uint64_t items, const Faults& faults) {
  if (items > 0 || faults.count == 0) return;
  Fault first = faults.first.empty() ? Fault{"input", "all are at fault"} : faults.first.front();
  for (const std::string_view ending : {"; record skipped", "; skipped"}) {
    if (first.message.ends_with(ending)) first.message.resize(first.message.size() - ending.size());
  }
  const std::string none =
      faults.count > 1 ? "; none of the " + std::to_string(faults.count) + " records can be used" : "; no record can be used";
  throw Error(ErrorCode::data, first.where, first.message + none);
}

Reading reading_of(const RunOptions& run, RunStats* stats) {
  return {.threads = run.threads, .progress = run.progress, .stats = stats, .needs_records = stats != nullptr};
}

std::optional<Chunk> ChunkReader::next() {
  if (reading_.enough && reading_.enough()) return std::nullopt;
  std::optional<Chunk> chunk = sources_.next();
  at_end_ = !chunk;
  if (!chunk || chunk->sketch || source_ == chunk->source) return chunk;
  source_ = chunk->source;
  if (reading_.on_source) reading_.on_source(chunk->source);
  return chunk;
}

Items read_items(const Input& input, Faults* faults) {
  Sources sources(input, false);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (holds_vectors(sources.format(i))) refuse_format(sources, i, ", which holds vectors and no texts; use read_vectors");
  }
  Items items;
  RunStats stats;
  for_each_batch(sources, {.stats = &stats}, [&](const ReadBatch& part) {
    items.ids.append(part.batch.items.ids);
    items.texts.append(part.batch.items.texts);
  });
  if (faults != nullptr) merge_faults(*faults, stats.faults);
  return items;
}

VectorItems read_vectors(const Input& input, Faults* faults) {
  Sources sources(input, false);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (holds_vectors(sources.format(i))) continue;
    refuse_format(sources, i, ", which holds no vectors; use format sparse, dense or bits, or read_items");
  }
  VectorItems all;
  const Format format = sources.size() > 0 ? sources.format(0) : Format::dense;
  if (format == Format::sparse) all.vectors.kind = Vectors::Kind::sparse;
  if (format == Format::bits) all.vectors.kind = Vectors::Kind::bits;
  RunStats stats;
  for_each_batch(sources, {.stats = &stats},
                 [&](const ReadBatch& part) { add_batch(all, part.batch, sources, input.strict, stats.faults); });
  if (faults != nullptr) merge_faults(*faults, stats.faults);
  return all;
}

}  // namespace nearkin
