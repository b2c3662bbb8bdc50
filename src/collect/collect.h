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
  std::string identity;   ///< of the run, beside input and plan: what else decides its units of work
  bool resumable = true;  ///< false: nothing goes on with the files, which are removed where the run fails
};

/// Sees every text while rows are collected, for runs that need more of it than rows keep. They cannot be resumed.
class TextVisitor {
 public:
  virtual ~TextVisitor() = default;
  /// The texts that follow are those of the next input.
  virtual void begin_input() = 0;
  /// Called before the first chunk of a source is parsed; may throw.
  virtual void begin_source(Format format, const std::string& path) = 0;
  /// The texts of a chunk, on any thread; what it leaves for this worker stays as it is until they are kept.
  virtual void read(unsigned worker, const Items& items) = 0;
  /// An item of the chunk that the worker read last became this row. In order, one call at a time.
  virtual void keep(unsigned worker, Row item, Row row) = 0;
};

/// `like`: what the vectors are to be prepared with, in place of what is computed from them. With `spill`, and a plan that allows it, the
/// arrays go to files where they, and what later stages make of them, do not fit into options.memory, and where options.scratch asks for
/// it; else Error(plan) where options.memory was given and does not suffice.
Rows collect(const Input& input, const Input* against, const Plan& plan, const RunOptions& options, const Preparation* like = nullptr,
             const Spill* spill = nullptr, TextVisitor* visitor = nullptr);

/// A look at an input before the run: at so much of it, whatever holds it.
struct Beginning {
  std::uint64_t items, vector_bytes;
  std::uint64_t bytes_read;  ///< of records, those at fault among them: a stream is remembered for the run
};
struct CollectedBeginning {
  Rows rows;
  bool all = false;  ///< there is no more
};
/// The first items, prepared among themselves. Of what can be read only once, what was read is read again by the run that follows.
CollectedBeginning collect_beginning(const Input& input, const Plan& plan, const Beginning& beginning);

/// Of a segment for each item, the id's own bytes apart.
std::uint64_t bytes_in_files(const Plan& plan);
/// options.memory, or what stands for it.
std::uint64_t memory_bound(const RunOptions& options);

/// Throws Error(plan): a run that cannot use files needs more than its bound.
enum class Needed { about, more };  ///< `more`: how much more is not known
[[noreturn]] void refuse_memory(std::uint64_t needed, std::uint64_t bound, Needed how = Needed::about);
/// About what the rows in memory take.
std::uint64_t bytes_of_rows(const Rows& rows, const Plan& plan);

/// Throws Error(plan) where a field of the text is to count more often than once and the plan's features do not count.
void require_counting(const Input& input, const Plan& plan);
/// The same for a run that has no plan.
void require_unweighted(const Input& input, const char* run);

/// Throws Error(plan) for items in memory: runs that write records need files.
void require_records(const Input& input, const char* run);

/// Throws Error(plan) for an input with a scope: this run compares each item with all others.
void require_no_scope(const Input& input, const char* run);

/// Throws Error(plan) for a plan that is for queries of the nearest: it has no threshold for pairs.
void require_border(const Plan& plan);

}  // namespace nearkin
