#include "io/source/source_kinds.h"

#include <utility>

namespace nearkin {

namespace {

FileState recorded_state(const SourceRecord& record) {
  return {.size = record.size, .seconds = record.seconds, .nanoseconds = record.nanoseconds, .regular = was_read(record)};
}

}  // namespace

KeptBytes* Source::kept() const {
  if (const auto* stream = std::get_if<Stream>(&kind)) return stream->kept.get();
  if (const auto* nodes = std::get_if<GraphNodes>(&kind)) return nodes->kept.get();
  return nullptr;
}

KeptBytes* make_kept(Source& source) {
  if (source.is<PlainFile>()) return nullptr;
  if (!source.is<Stream>() && !source.is<GraphNodes>()) source.kind = Stream{};
  auto* const stream = std::get_if<Stream>(&source.kind);
  std::unique_ptr<KeptBytes>& kept = stream != nullptr ? stream->kept : std::get<GraphNodes>(source.kind).kept;
  if (!kept) kept = std::make_unique<KeptBytes>();
  return kept.get();
}

SourceRecord record_of(const Source& source) {
  SourceRecord record;
  record.path = source.path;
  record.format = source.format;
  record.made = source.is<GraphNodes>();
  if (source.layout) {
    record.header = source.layout->header;
    record.first = source.layout->first;
  }
  const auto* const file = std::get_if<PlainFile>(&source.kind);
  const auto* const stream = std::get_if<Stream>(&source.kind);
  const FileState state = file != nullptr ? file->state : stream != nullptr ? stream->state : FileState{};
  if (!state.regular || source.path == "-") return record;
  record.on_disk = file != nullptr;
  record.size = state.size;
  record.seconds = state.seconds;
  record.nanoseconds = state.nanoseconds;
  record.content = source.content;
  return record;
}

void adopt(Source& source, const SourceRecord& record, const std::string& place, const ChangedSince& since) {
  std::unique_ptr<KeptBytes> kept;
  if (auto* stream = std::get_if<Stream>(&source.kind)) kept = std::move(stream->kept);
  if (auto* nodes = std::get_if<GraphNodes>(&source.kind)) kept = std::move(nodes->kept);
  source.format = record.format;
  source.content = record.content;
  if (record.made) {
    source.kind = GraphNodes{std::move(kept)};
  } else if (record.on_disk) {
    auto elsewhere = place != source.path ? std::make_unique<const std::string>(place) : nullptr;
    source.kind = PlainFile{require_unchanged(record, place, since), std::move(elsewhere)};
  } else {
    source.kind = Stream{recorded_state(record), std::move(kept)};
  }
}

}  // namespace nearkin
