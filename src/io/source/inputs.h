// The paths of an Input, with folders, globs and lists expanded, and what the sketch files among them stand for.
#pragma once

#include <nearkin/items.h>

#include "io/run_file/run_file.h"
#include "io/source/source_records.h"

namespace nearkin {

struct InputPath {
  std::string path;                             ///< "-": standard input
  bool named = true;                            ///< by the caller, a list or a glob; false: found in a folder
  bool regular = false;                         ///< a plain file, whose size is known
  std::uint64_t size = 0;                       ///< of a regular file
  std::string problem;                          ///< a folder below a named one that cannot be listed: why
  std::string sketch = {};                      ///< the sketch file that holds this source, where one was named
  std::optional<Format> format = std::nullopt;  ///< of a sketch's source, as it was read
};

/// In the order named; the files of a folder ascending by their paths' bytes. A file reached by its name and by a folder is listed once,
/// and as often as it is named otherwise. A sketch file that is named (not one found in a folder) is replaced by its sources, at the place
/// where the first of their files is named or found, or else at its own place; those files are not listed again. Throws Error(file) for a
/// path that does not exist, a glob without a match, a damaged sketch file and a file that changed since it was sketched; Error(plan) when
/// standard input or a sketch file is asked for twice, and when a file is in two sketches.
std::vector<InputPath> expand(const Input& input);

/// Whether the input can be read more than once: only files and folders are named, and a list of paths is a file itself. Standard input,
/// pipes and the like can be read only once.
bool can_be_read_again(const Input& input);

/// The format of each source: the one asked for, or by name; `lines` stands for what standard input will turn out to be, a text. Folders
/// hold all sorts of things: where the input has texts, files of vectors that were only met in a folder are files like any other.
std::vector<Format> formats_of(const std::vector<InputPath>& sources, const Input& input);

struct SketchFile {
  std::string path;
  std::shared_ptr<const RunFile> file;
  std::vector<SourceRecord> records;
  std::vector<std::string> places;  ///< where the file of each source is now; not the recorded place if everything was moved together
  bool lost = false;                ///< a file with a relative path is in neither place
};

/// Throws Error(file) for a file that is damaged or belongs to the scratch of a run.
SketchFile open_sketch_file(const std::string& path);
/// Throws Error(plan) where the sketch was made with other options than the input has. A field of numbers that the input does not ask for
/// is allowed.
void require_same_options(const SketchFile& sketch, const Input& input);
/// For messages about files of it that have changed.
ChangedSince since_sketch(const SketchFile& sketch);

/// `paths`, in which each of the sketch files is one entry, in their order, with InputPath::sketch: the sources of a sketch file come where
/// the first of its files is named, or else at its own place; files that are in a sketch are left out. Throws Error(plan) where a file is
/// in two sketches, Error(file) where one that is named has changed since.
std::vector<InputPath> place_sketches(const std::vector<InputPath>& paths, const std::vector<SketchFile>& sketches);

/// As `expand`, with the sketch files, opened.
struct ExpandedInput {
  std::vector<InputPath> paths;
  std::vector<SketchFile> sketches;
};
/// `ahead`: as OpenedFile::open, for a list of paths.
ExpandedInput expand_with_sketches(const Input& input, bool ahead = false);
/// Replaces sketch files by the plain files that they were made from, as if these had been found in a folder; everything else in them is
/// left out.
std::vector<InputPath> files_of_sketches(const ExpandedInput& expanded);

}  // namespace nearkin
