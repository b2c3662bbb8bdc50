// What a front end needs around a run: which files it will read, early checks, cleaning up after a signal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nearkin/index.h>
#include <nearkin/items.h>
#include <nearkin/run.h>

namespace nearkin {

/// True if every source of the input is of format sets, edges or table, whose items are sets. False for an input without sources, and where
/// only reading a stream would tell (standard input, a list of files that is not a plain file). Throws Error(file) for a path that does not
/// exist.
bool reads_sets(const Input& input);
/// The one format of all sources, as far as it is known without reading a stream; absent if it is not known or they differ. Throws as
/// reads_sets.
std::optional<Format> format_of(const Input& input);
/// The files that a run over the input would read: those of folders, globs and lists, sketch files and the files these were made from.
/// Streams are left out. Throws what the run would throw, and Error(file) for a file that has the extension of sketch files and is not one.
std::vector<std::string> files_of(const Input& input);

/// Throws Error(plan) where an option of the input (id, text, separator, header, directed) differs from its default and no source of the
/// input, nor of `against`, which has the same options, reads it. Looks at the beginning of standard input; the run still reads all of it.
void require_options_read(const Input& input, const Input* against = nullptr);

/// Throws Error(file) if no file can be written at `path`. Changes nothing. Call it before a long run.
void check_output(const std::string& path);
/// Writes a whole file; "-" = standard output, where a closed pipe is not an error.
void write_text(const std::string& text, const std::string& path);

/// For a signal handler that ends the process: removes an index that is being made, the temporary files of outputs that are not complete
/// (only file systems without unnamed files have any), and the files of runs from which nothing can be continued. Async-signal-safe. These
/// outputs will not be completed.
void remove_unfinished_outputs() noexcept;
/// Whether this process has put output files in place, and none is unfinished. Async-signal-safe.
bool outputs_are_complete() noexcept;
/// The files of a run of this process.
struct ScratchInUse {
  std::string folder;    ///< the run's own
  bool resumed = false;  ///< the run took over files of an interrupted one
};
/// The files of the run that began last; absent if no run uses files, or none from which it can be continued. Any thread may call it during
/// a run, to tell the user how to resume.
std::optional<ScratchInUse> scratch_in_use();
/// The folder in which a run of this process that failed left its files, from which it can be resumed; absent: there is none.
std::optional<std::string> scratch_left();

struct IndexRemoved {
  std::uint64_t removed = 0, absent = 0;  ///< ids that were in the index, and ids that were not
  std::vector<std::string> first_absent;  ///< at most kNamed of the latter
  static constexpr std::size_t kNamed = 5;
  RunStats stats;
};
/// Removes the items with the ids of the records from an index. Plain text files are read as one id per line.
IndexRemoved remove_from_index(Index& index, const Input& input, const RunOptions& run = {});

}  // namespace nearkin
