// The paths of an Input, with folders, globs and lists expanded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nearkin/items.h>

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

/// In the order named; the files of a folder ascending by their paths' bytes. A file reached by its name and by a folder is listed
/// once, and as often as it is named otherwise. A sketch file that is named, not one met in a folder, stands for the sources in it: where
/// the first of their files is named or met, or else where it is named itself; those files are not listed a second time. Throws Error(file)
/// for a path that does not exist, a glob without a match, a damaged sketch file and a file that changed since it was sketched; Error(plan)
/// when standard input or a sketch file is asked for twice, and when a file is in two sketches.
std::vector<InputPath> expand(const Input& input);

/// Whether reading the input leaves it as it was: only files and folders are named, and a list of paths is a file itself. Standard input,
/// pipes and the like are gone once they were read.
bool can_be_read_again(const Input& input);

/// The format of each source: the one asked for, or by name; `lines` stands for what standard input will turn out to be, a text. Folders
/// hold all sorts of things: where the input has texts, files of vectors that were only met in a folder are files like any other.
std::vector<Format> formats_of(const std::vector<InputPath>& sources, const Input& input);

}  // namespace nearkin
