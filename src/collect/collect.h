// One pass over the input: every record is read, parsed, shingled and sketched once, and what later stages need of it is kept.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <nearkin/run.h>

#include "collect/rows.h"
#include "collect/sketcher.h"
#include "collect/stage_clock.h"
#include "io/source/for_each_batch.h"

namespace nearkin {

/// How rows may go to files.
struct Spill {
  std::string identity;   ///< identifies the run, besides its input and plan: everything else that its units of work depend on
  bool resumable = true;  ///< false: the run cannot be resumed, and its files are removed if it fails
  /// Where Input::rename_same_ids is set, equal ids stay equal, for the runs that read the rows from a sketch file: these count all rows.
  bool keeps_ids = false;
};

/// Sees every text while rows are collected, for runs that need more of a text than rows keep. Such runs cannot be resumed.
class TextVisitor {
 public:
  virtual ~TextVisitor() = default;
  /// The texts that follow are those of the next input.
  virtual void begin_input() = 0;
  /// Called before the first chunk of a source is parsed; may throw.
  virtual void begin_source(Format format, const std::string& path) = 0;
  /// The texts of a chunk, on any thread. What it stores for this worker stays unchanged until the items of the chunk have been passed to
  /// `keep`.
  virtual void read(unsigned worker, const Items& items) = 0;
  /// An item of the chunk that the worker read last became this row. In order, one call at a time.
  virtual void keep(unsigned worker, Row item, Row row) = 0;
};

/// `like`: what to prepare the vectors with, instead of values computed from them. With `spill`, and a plan that allows it, the arrays go
/// to files if they, together with what later stages need, do not fit into options.memory, or if options.scratch asks for it. Otherwise
/// throws Error(plan) if options.memory was given and does not suffice.
Rows collect(const Input& input, const Input* against, const Plan& plan, const RunOptions& options, const Preparation* like = nullptr,
             const Spill* spill = nullptr, TextVisitor* visitor = nullptr);

/// Limits of a look at an input before the run; they do not depend on its container.
struct Beginning {
  std::uint64_t items, vector_bytes;
  std::uint64_t bytes_read;  ///< bytes of records, including bad ones; what is read from a stream is kept for the run
};
struct CollectedBeginning {
  Rows rows;
  bool all = false;  ///< the input has no further items
};
/// The first items, prepared as if they were the whole collection. What was read from an input that can be read only once is kept for the
/// run that follows.
CollectedBeginning collect_beginning(const Input& input, const Plan& plan, const Beginning& beginning);

/// Bytes per item in a segment, without the bytes of the id.
std::uint64_t bytes_in_files(const Plan& plan);
/// options.memory, or its default if it is 0.
std::uint64_t memory_bound(const RunOptions& options);

/// For refuse_memory, which throws Error(plan): a run that cannot use files needs more than its bound.
enum class Needed { about, more };  ///< `more`: at least `needed`; how much more is not known
[[noreturn]] void refuse_memory(std::uint64_t needed, std::uint64_t bound, Needed how = Needed::about);
/// About how many bytes the rows in memory take.
std::uint64_t bytes_of_rows(const Rows& rows, const Plan& plan);

/// Throws Error(plan) if a text field has a weight above 1 (title^3) and the plan's features do not count occurrences.
void require_counting(const Input& input, const Plan& plan);
/// The same for a run that has no plan.
void require_unweighted(const Input& input, const char* run);

/// Throws Error(plan) for items in memory: runs that write records need files.
void require_records(const Input& input, const char* run);

/// Throws Error(plan) for an input with a scope: this run compares each item with all others.
void require_no_scope(const Input& input, const char* run, const char* instead = "use pairs, cluster or dedup");

/// Throws Error(plan) for a plan with `nearest`, which has no threshold for pairs.
void require_border(const Plan& plan);

}  // namespace nearkin
