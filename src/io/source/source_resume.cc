// Sources that were read before, by an earlier run or for a sketch file, and what was kept of them.
#include <algorithm>
#include <atomic>

#include <nearkin/error.h>

#include "io/source/source_state.h"

namespace nearkin {
namespace {

const ChangedSince kSinceTheRun{"the run began", "delete its scratch folder and start it again"};

[[noreturn]] void is_another(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::file, path, what + "; give what the run began with, or delete its scratch folder and start it again");
}

const SourceRecord& record_at(std::size_t i, const std::vector<SourceRecord>& records, const Source& source) {
  if (i >= records.size()) is_another(source.path, "was not read before");
  return records[i];
}

}  // namespace

void Sources::State::adopt(std::size_t number, const SourceRecord& record, const std::string& place, const ChangedSince& since) {
  Source& source = sources[number];
  if (record.path != source.path) is_another(source.path, "is where " + record.path + " was");
  nearkin::adopt(source, record, place, since);
  source.layout = recorded_layout(record, rules);
  bytes_read.fetch_add(source.size, std::memory_order_relaxed);
}

void Sources::State::adopt_sketch(SketchPlace& place) {
  if (std::exchange(place.adopted, true)) return;
  const SketchFile& sketch = place.sketch;
  for (std::uint32_t i = 0; i < place.count; ++i) adopt(place.first + i, sketch.records[i], sketch.places[i], since_sketch(sketch));
  take_kept(sketch.file, place.first, place.count);
  place.sketch.records = {};
  place.sketch.places = {};
}

void Sources::State::adopt_before(std::size_t end, const std::vector<SourceRecord>& records) {
  for (std::size_t i = 0; i < end;) {
    if (const auto* in = std::get_if<InSketch>(&sources[i].kind)) {
      SketchPlace& place = sketches[in->sketch];
      adopt_sketch(place);
      i = std::size_t{place.first} + place.count;
    } else {
      const SourceRecord& record = record_at(i, records, sources[i]);
      adopt(i++, record, record.path, kSinceTheRun);
    }
  }
}

/// The source is the one to be opened next, and its chunks before `offset` are known.
void Sources::State::go_on_in(const SourceRecord& record, std::uint64_t offset, std::uint64_t line) {
  const Source& source = sources[following];
  if (was_read(record)) require_unchanged(record, source.path, kSinceTheRun);
  begin();
  auto* const file = std::get_if<OpenFile>(&open);
  const std::string header = source.layout ? before_records(*source.layout) : std::string();
  const bool on_disk = source.is<PlainFile>();
  if (file == nullptr || source.format != record.format || on_disk != record.on_disk || header != record.header) {
    is_another(source.path, "changed since the run began");
  }
  if (on_disk) {
    file->chunker.go_to(offset, line);
    bytes_read.fetch_add(offset, std::memory_order_relaxed);
  } else {
    drop_until(offset);
    file->chunker.go_on(line);
  }
}

void Sources::State::drop_until(std::uint64_t offset) {
  const Source& source = sources[current];
  Chunker& chunker = std::get<OpenFile>(open).chunker;
  const auto* const stream = std::get_if<Stream>(&source.kind);
  const bool compares = source.kept() != nullptr && !(stream->state.regular && source.path != "-");
  std::string buffer;
  while (chunker.offset() < offset) {
    const std::uint64_t at = chunker.offset();
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kChunkBytes, offset - at));
    const std::string_view bytes = chunker.peek(wanted).substr(0, wanted);
    if (bytes.size() < wanted) {
      is_another(source.path,
                 "ends at byte " + std::to_string(at + bytes.size()) + ", and was read to byte " + std::to_string(offset) + " before");
    }
    const auto kept = compares ? source.kept()->read(at, wanted, buffer, frames) : std::nullopt;
    if (kept && *kept != bytes) is_another(source.path, "is not what was read before, from byte " + std::to_string(at) + " on");
    chunker.skip(wanted);
  }
}

/// The file counts its `count` sources from `first_source` on. Returns the last source of which it holds bytes; 0 where it holds none.
std::size_t Sources::State::take_kept(const std::shared_ptr<const RunFile>& file, std::size_t first_source, std::size_t count) {
  std::size_t last = 0;
  for_each_frame(file, [&](const KeptFrame& frame, const std::shared_ptr<const FrameSection>& in) {
    if (frame.source >= count) throw Error(ErrorCode::file, file->path(), "damaged: it has kept records of a source that it does not know");
    const std::size_t number = first_source + static_cast<std::size_t>(frame.source);
    if (KeptBytes* const kept = make_kept(sources[number])) kept_bytes.fetch_sub(kept->take(frame, in), std::memory_order_relaxed);
    last = std::max(last, number);
  });
  return last;
}

void Sources::go_to(const Position& position, const std::vector<SourceRecord>& records) {
  State& state = *state_;
  const bool all_read = position.source >= state.sources.size();
  if (state.graph && !all_read) {
    throw Error(ErrorCode::plan, state.sources.back().path,
                "edges make one graph, which cannot be continued in the middle; read them all again");
  }
  state.open = std::monostate();
  state.resumed = true;
  // A text that a program has made is one chunk, so nothing is left of it.
  const bool whole = !all_read && position.offset > 0 && state.sources[position.source].extracted;
  const std::size_t next = position.source + (whole ? 1 : 0);
  state.adopt_before(std::min<std::size_t>(next, state.sources.size()), records);
  state.following = next;
  state.following_segment = position.segments;
  if (all_read) state.graph.reset();
  if (all_read || whole || position.offset == 0) return;
  state.go_on_in(record_at(position.source, records, state.sources[position.source]), position.offset, position.line);
}

SourceRecord Sources::record(std::size_t i) const { return record_of(state_->sources[i]); }

std::vector<KeptOfSource> Sources::held_kept(std::size_t source, std::uint64_t offset) const {
  const State& state = *state_;
  std::vector<KeptOfSource> chunks;
  if (kept_bytes() == 0) return chunks;
  for (std::size_t i = state.kept_from; i < state.sources.size() && i <= source; ++i) {
    const KeptBytes* const kept = state.sources[i].kept();
    if (kept == nullptr) continue;
    for (KeptChunk& chunk : kept->held_before(i < source ? UINT64_MAX : offset)) chunks.push_back({i, std::move(chunk)});
  }
  return chunks;
}

void Sources::take_kept(std::shared_ptr<const RunFile> file) {
  // Files are written in order: with this one, all before is in files.
  state_->kept_from = std::max(state_->kept_from, state_->take_kept(file, 0, state_->sources.size()));
}

std::uint64_t Sources::kept_bytes() const { return state_->kept_bytes.load(std::memory_order_relaxed); }

}  // namespace nearkin
