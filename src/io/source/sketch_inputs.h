// Sketch files among the paths of an input: what they stand for, and where.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nearkin/items.h>

#include "io/run_file/run_file.h"
#include "io/source/inputs.h"
#include "io/source/source_records.h"

namespace nearkin {

struct SketchFile {
  std::string path;
  std::shared_ptr<const RunFile> file;
  std::vector<SourceRecord> records;
  std::vector<std::string> places;  ///< of each source: where its file is, which is not where it was when all was moved together
  bool lost = false;                ///< a file with a relative path is in neither place
};

/// Throws Error(file) for a file that is damaged or belongs to the scratch of a run.
SketchFile open_sketch_file(const std::string& path);
/// Throws Error(plan) where the sketch was made with other options than the input has. A field of numbers that it has and the input does
/// not ask for is no harm.
void require_same_options(const SketchFile& sketch, const Input& input);
/// For messages about files of it that have changed.
ChangedSince since_sketch(const SketchFile& sketch);

/// `paths`, in which each of the sketch files is one entry, in their order, with InputPath::sketch: the sources of a sketch file stand
/// where the first of its files is named, or else where it is; files that are in a sketch are left out themselves. Throws Error(plan) where
/// a file is in two sketches, Error(file) where one that is named has changed since.
std::vector<InputPath> place_sketches(const std::vector<InputPath>& paths, const std::vector<SketchFile>& sketches);

/// As `expand`, with the sketch files, opened.
struct ExpandedInput {
  std::vector<InputPath> paths;
  std::vector<SketchFile> sketches;
};
ExpandedInput expand_with_sketches(const Input& input);
/// The plain files in the place of the sketch files that they are in, as if met in a folder; what else is in these is left out.
std::vector<InputPath> files_of_sketches(const ExpandedInput& expanded);

}  // namespace nearkin
