// Sources that were read before, by an earlier run or for a sketch file, and what was kept of them.
#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include <nearkin/error.h>

#include "io/source/source_state.h"

namespace nearkin {

namespace {

const ChangedSince kSinceTheRun{"the run was begun", "remove its scratch folder and start it again"};

[[noreturn]] void is_another(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::file, path, what + "; give what the run was begun with, or remove its scratch folder and start it again");
}

}  // namespace

void Sources::State::add_sketch(SketchFile sketch) {
  require_same_options(sketch, input);
  sketches.emplace_back().sketch = std::move(sketch);
}

/// The source added last is in this sketch file, behind those of it that were added before.
void Sources::State::add_to_sketch(std::uint32_t sketch) {
  SketchPlace& place = sketches[sketch];
  if (place.count++ == 0) place.first = static_cast<std::uint32_t>(sources.size() - 1);
  sources.back().sketch = sketch;
}

/// Nodes of a graph that is in a sketch file have the neighbours that they had when it was made.
void Sources::State::require_one_graph() const {
  for (const SketchPlace& place : sketches) {
    const auto& records = place.sketch.records;
    if (std::none_of(records.begin(), records.end(), [](const SourceRecord& record) { return record.made; })) continue;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const bool own = i >= place.first && i < std::size_t{place.first} + place.count;
      if (own || sources[i].format != Format::edges) continue;
      throw Error(ErrorCode::plan, place.sketch.path,
                  "holds the nodes of a graph, which the edges of " + sources[i].path + " would change; sketch all edges together");
    }
  }
}

/// Makes one chunk of all sources of a sketch file; nothing in the middle of them.
std::optional<Chunk> Sources::State::next_of_sketch() {
  SketchPlace& place = sketches[*sources[following].sketch];
  const bool at_its_beginning = following == place.first;
  following = std::size_t{place.first} + place.count;
  if (!at_its_beginning) return std::nullopt;
  adopt_sketch(place);
  Chunk chunk = lost_chunk(0, {});
  chunk.source = place.first;
  chunk.sketch = place.sketch.path;
  return chunk;
}

void Sources::State::adopt_sketch(SketchPlace& place) {
  if (std::exchange(place.adopted, true)) return;
  const SketchFile& sketch = place.sketch;
  for (std::uint32_t i = 0; i < place.count; ++i) adopt(place.first + i, sketch.records[i], sketch.places[i], since_sketch(sketch));
  take_kept(sketch.file, place.first, place.count);
  place.sketch.records = {};
  place.sketch.places = {};
}

void Sources::State::adopt(std::size_t number, const SourceRecord& record, const std::string& place, const ChangedSince& since) {
  Source& source = sources[number];
  if (record.path != source.path) is_another(source.path, "stands where " + record.path + " stood");
  source.format = record.format;
  source.graph = record.made;
  source.on_disk = record.on_disk;
  source.content = record.content;
  if (place != source.path) source.place = std::make_unique<const std::string>(place);
  if (record.on_disk) {
    source.state = require_unchanged(record, place, since);
  } else {
    source.state.regular = was_read(record);
    source.state.size = record.size;
    source.state.seconds = record.seconds;
    source.state.nanoseconds = record.nanoseconds;
  }
  bytes_read.fetch_add(source.size, std::memory_order_relaxed);
  if (has_columns(source.format)) set_columns(source, input.header ? record.header : record.first);
  // A source of which nothing was read has no header either, and a name that promises one is not held against it.
  const bool has_array = source.format == Format::dense && was_read(record) && set_array(source, record.header);
  if (source.format == Format::dense && !has_array) set_dense_header(source, record.header);
}

/// The source is the one behind `following`, and its chunks before `offset` are known.
void Sources::State::go_on_in(const SourceRecord& record, std::uint64_t offset, std::uint64_t line) {
  Source& source = sources[following];
  if (was_read(record)) require_unchanged(record, source.path, kSinceTheRun);
  open_source();
  const std::string_view header = source.layout ? std::string_view(source.layout->header) : std::string_view();
  if (!open || source.format != record.format || source.on_disk != record.on_disk || header != record.header) {
    is_another(source.path, "changed since the run was begun");
  }
  if (source.on_disk && !hash) {
    open->go_to(offset, line);
    bytes_read.fetch_add(offset, std::memory_order_relaxed);
  } else {
    drop_until(offset);
    open->go_on(line);
  }
}

void Sources::State::drop_until(std::uint64_t offset) {
  const Source& source = current();
  const bool compares = source.kept && !(source.state.regular && source.path != "-");
  std::string buffer;
  while (open->offset() < offset) {
    const std::uint64_t at = open->offset();
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kChunkBytes, offset - at));
    const std::string_view bytes = open->peek(wanted).substr(0, wanted);
    if (bytes.size() < wanted) {
      is_another(source.path,
                 "ends at byte " + std::to_string(at + bytes.size()) + ", and was read to byte " + std::to_string(offset) + " before");
    }
    const auto kept = compares ? source.kept->read(at, wanted, buffer, frames) : std::nullopt;
    if (kept && *kept != bytes) is_another(source.path, "is not what was read before, from byte " + std::to_string(at) + " on");
    open->skip(wanted);
  }
}

/// The file counts its `count` sources from `first_source` on.
void Sources::State::take_kept(const std::shared_ptr<const RunFile>& file, std::size_t first_source, std::size_t count) {
  for_each_frame(file, [&](const KeptFrame& frame, const std::shared_ptr<const FrameSection>& in) {
    if (frame.source >= count) throw Error(ErrorCode::file, file->path(), "damaged: it has kept records of a source that it does not know");
    const std::size_t number = first_source + static_cast<std::size_t>(frame.source);
    Source& source = sources[number];
    if (!source.kept) source.kept = std::make_unique<KeptBytes>();
    kept_bytes.fetch_sub(source.kept->take(frame, in), std::memory_order_relaxed);
    // Files are written in order: with this one, all before is in files.
    if (!source.sketch) kept_from = std::max(kept_from, number);
  });
}

void Sources::go_to(std::size_t source, std::uint64_t offset, std::uint64_t line, const std::vector<SourceRecord>& records) {
  State& state = *state_;
  const bool all_read = source >= state.sources.size();
  if (state.graph && !all_read) {
    throw Error(ErrorCode::plan, state.sources.back().path,
                "edges make one graph, which cannot be taken up in its middle; read them all again");
  }
  state.close_unread();
  for (std::size_t i = 0; i < std::min(source, state.sources.size()); ++i) {
    if (state.sources[i].sketch) {
      state.adopt_sketch(state.sketches[*state.sources[i].sketch]);
    } else {
      if (i >= records.size()) is_another(state.sources[i].path, "was not read before");
      adopt(i, records[i]);
    }
  }
  state.following = source;
  if (all_read) state.graph.reset();
  if (all_read || offset == 0) return;
  if (source >= records.size()) is_another(state.sources[source].path, "was not read before");
  state.go_on_in(records[source], offset, line);
}

void Sources::adopt(std::size_t source, const SourceRecord& record) { state_->adopt(source, record, record.path, kSinceTheRun); }

SourceRecord Sources::record(std::size_t i) const {
  Source& source = state_->sources[i];
  SourceRecord record;
  record.path = source.path;
  record.format = source.format;
  record.made = source.graph;
  if (source.layout) {
    record.header = source.layout->header;
    record.first = source.layout->first;
  }
  // What nothing was read of may change as it likes.
  if (source.binary || !source.lost.empty()) return record;
  if (!source.state.regular || source.path == "-") return record;
  record.on_disk = source.on_disk;
  record.size = source.state.size;
  record.seconds = source.state.seconds;
  record.nanoseconds = source.state.nanoseconds;
  record.content = std::atomic_ref(source.content).load(std::memory_order_relaxed);
  return record;
}

void Sources::hash_contents() { state_->hash_contents = true; }

void Sources::write_kept(RunFileWriter& writer, std::size_t source, std::uint64_t offset, std::uint32_t number) const {
  State& state = *state_;
  std::vector<std::pair<std::uint64_t, KeptChunk>> chunks;
  if (kept_bytes() == 0) return;
  for (std::size_t i = state.kept_from; i < state.sources.size() && i <= source; ++i) {
    if (!state.sources[i].kept) continue;
    for (KeptChunk& chunk : state.sources[i].kept->held_before(i < source ? UINT64_MAX : offset)) chunks.emplace_back(i, std::move(chunk));
  }
  if (!chunks.empty()) write_frames(writer, number, chunks);
}

void Sources::take_kept(std::shared_ptr<const RunFile> file) { state_->take_kept(file, 0, state_->sources.size()); }

std::uint64_t Sources::kept_bytes() const { return state_->kept_bytes.load(std::memory_order_relaxed); }

}  // namespace nearkin
