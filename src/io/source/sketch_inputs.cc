#include <array>
#include <filesystem>
#include <map>
#include <tuple>

#include <nearkin/error.h>
#include <nearkin/run.h>
#include <nearkin/tools/front_end.h>

#include "io/bytes/descriptor.h"
#include "io/run_file/run_file_layout.h"
#include "io/source/inputs.h"

namespace nearkin {
namespace {

namespace fs = std::filesystem;

/// What tells one file from another: where there is none any more, its path does.
struct Identity {
  std::uint64_t device = 0, inode = 0;
  std::string path;
  bool operator<(const Identity& other) const { return std::tie(device, inode, path) < std::tie(other.device, other.inode, other.path); }
};
Identity identity_of(const std::string& path) {
  const std::optional<FileState> state = file_state_at(path);
  return state ? Identity{state->device, state->inode, {}} : Identity{0, 0, path};
}

/// Where the file of a record is: at its path, seen from here or else from the folder of the sketch file.
std::string place_of(const SourceRecord& record, const std::string& sketch) {
  const fs::path path(record.path);
  if (record.path == "-" || record.made || path.is_absolute()) return record.path;
  const std::optional<FileState> here = file_state_at(record.path);
  if (here && here->size == record.size) return record.path;
  const std::string beside = (fs::path(sketch).parent_path() / path).string();
  const std::optional<FileState> there = file_state_at(beside);
  return there && (!here || there->size == record.size) ? beside : record.path;
}

/// The files of all sketches: in which, and as which of its sources.
struct Covered {
  std::size_t sketch = 0, source = 0;
};
using Coverage = std::map<Identity, Covered>;

Coverage coverage_of(const std::vector<SketchFile>& sketches) {
  Coverage files;
  for (std::size_t i = 0; i < sketches.size(); ++i) {
    const SketchFile& sketch = sketches[i];
    for (std::size_t j = 0; j < sketch.records.size(); ++j) {
      if (sketch.records[j].made || sketch.records[j].path == "-") continue;
      const auto [there, added] = files.try_emplace(identity_of(sketch.places[j]), Covered{i, j});
      if (added || there->second.sketch == i) continue;
      throw Error(ErrorCode::plan, sketch.path,
                  "holds " + sketch.records[j].path + ", and so does " + sketches[there->second.sketch].path + "; name one of the two");
    }
  }
  return files;
}

void append_sources(const SketchFile& sketch, std::vector<InputPath>& paths) {
  for (const SourceRecord& record : sketch.records) {
    InputPath path{record.path, true, true, record.size, {}};
    path.sketch = sketch.path;
    path.format = record.format;
    paths.push_back(std::move(path));
  }
}

/// The sketch and source that a path names beside the sketch file itself.
std::optional<Covered> covered_by(const InputPath& path, const Coverage& files) {
  if (!path.regular || !path.sketch.empty()) return std::nullopt;
  const auto found = files.find(identity_of(path.path));
  return found == files.end() ? std::nullopt : std::optional(found->second);
}

/// A run file of which the beginning is lost.
bool ends_as_run_file(const InputPath& path) {
  std::array<char, run_layout::kEndMagic.size()> end{};
  if (path.size < end.size()) return false;
  const Descriptor file = open_for_reading(path.path);
  return file && read_fully_at(file.get(), end.data(), end.size(), path.size - end.size(), path.path) == end.size() &&
         end == run_layout::kEndMagic;
}

bool is_missing(const SourceRecord& record, const std::string& place) {
  return record.on_disk && !fs::path(record.path).is_absolute() && !file_state_at(place);
}

/// Where relative paths are looked for: from here, and from where the sketch file is.
std::string folders_text(const std::string& sketch) {
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored), beside = fs::absolute(sketch, ignored).lexically_normal().parent_path();
  return here == beside ? here.string() : here.string() + " and from " + beside.string();
}

}  // namespace

SketchFile open_sketch_file(const std::string& path) {
  SketchFile sketch{.path = path, .file = std::make_shared<const RunFile>(path), .records = {}, .places = {}};
  const bool whole = sketch.file->find(kSourceRecords) != nullptr && sketch.file->find(kInputOptions) != nullptr;
  if (sketch.file->info().run != Hash128{} || !whole) {
    throw Error(ErrorCode::file, path, "is a scratch file of a run, not a sketch file; 'sketch' makes sketch files");
  }
  sketch.records = read_source_records(*sketch.file);
  for (const SourceRecord& record : sketch.records) {
    sketch.places.push_back(place_of(record, path));
    sketch.lost = sketch.lost || is_missing(record, sketch.places.back());
  }
  return sketch;
}

ChangedSince since_sketch(const SketchFile& sketch) {
  const std::string event = sketch.path + " was made", way_out = "sketch it again";
  if (!sketch.lost) return {event, way_out};
  return {event, "run from the folder in which it was sketched (looked for from " + folders_text(sketch.path) + "), or " + way_out};
}

std::vector<InputPath> place_sketches(const std::vector<InputPath>& paths, const std::vector<SketchFile>& sketches) {
  // A sketch file alone may hold a million files: none of them need be looked for.
  const Coverage files = paths.size() == 1 ? Coverage() : coverage_of(sketches);
  std::vector<std::optional<Covered>> covered;
  std::vector<bool> mentioned(sketches.size(), false), placed(sketches.size(), false);
  for (const InputPath& path : paths) {
    covered.push_back(covered_by(path, files));
    if (!covered.back()) continue;
    const SketchFile& sketch = sketches[covered.back()->sketch];
    const SourceRecord& record = sketch.records[covered.back()->source];
    if (was_read(record)) require_unchanged(record, path.path, since_sketch(sketch));
    mentioned[covered.back()->sketch] = true;
  }
  std::vector<InputPath> result;
  std::size_t next_sketch = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const bool stands_here = !paths[i].sketch.empty();
    if (!stands_here && !covered[i]) {
      result.push_back(paths[i]);
      continue;
    }
    const std::size_t sketch = stands_here ? next_sketch++ : covered[i]->sketch;
    if (placed[sketch] || (stands_here && mentioned[sketch])) continue;
    placed[sketch] = true;
    append_sources(sketches[sketch], result);
  }
  return result;
}

std::vector<InputPath> files_of_sketches(const ExpandedInput& expanded) {
  std::map<std::string_view, std::pair<const SketchFile*, std::size_t>> next;  // source of each sketch file
  for (const SketchFile& sketch : expanded.sketches) next[sketch.path] = {&sketch, 0};
  std::vector<InputPath> result;
  for (InputPath path : expanded.paths) {
    if (!path.sketch.empty()) {
      auto& [sketch, source] = next[path.sketch];
      const std::size_t i = source++;
      if (!sketch->records[i].on_disk) continue;
      path.path = sketch->places[i];
      path.named = false;
    }
    result.push_back(std::move(path));
  }
  return result;
}

std::vector<std::string> files_of(const Input& input) {
  Input known = input;
  if (!can_be_read_again(Input{.paths = {}, .files_from = input.files_from})) known.files_from.reset();
  const ExpandedInput expanded = expand_with_sketches(known);
  std::vector<std::string> files;
  for (const InputPath& path : expanded.paths) {
    if (!path.sketch.empty() || !path.regular) continue;
    if (path.named && ends_as_run_file(path)) {
      throw Error(ErrorCode::file, path.path, "damaged: it has the end of a sketch file but not the beginning; make it again");
    }
    files.push_back(path.path);
  }
  for (const SketchFile& sketch : expanded.sketches) {
    files.push_back(sketch.path);
    for (std::size_t i = 0; i < sketch.records.size(); ++i) {
      if (!sketch.records[i].made && sketch.records[i].path != "-") files.push_back(sketch.places[i]);
    }
  }
  return files;
}

}  // namespace nearkin
