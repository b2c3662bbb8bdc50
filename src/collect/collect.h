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

#include "base/hash.h"
#include "collect/prepare_vectors.h"
#include "collect/scratch.h"
#include "collect/sketcher.h"
#include "io/run_file/run_file.h"
#include "io/source/for_each_batch.h"

namespace nearkin {

/// A range of rows whose arrays are in a file (segment.h).
struct Segment {
  Row first = 0;
  Row items = 0;
  std::shared_ptr<const RunFile> file;
};

/// What a run remembers of its items: flat arrays, one entry (or a fixed number of them) an item. Texts are not among them: a text
/// that is needed again is read again from where its record stands.
struct Collection {
  std::vector<Sources> inputs;  ///< the input, then `against` where there is one
  Strings ids;
  std::vector<Location> locations;
  std::vector<std::uint64_t> text_sizes;  ///< bytes
  std::vector<double> numbers;            ///< Input::number; empty when not asked for
  std::vector<std::uint8_t> empty;        ///< 1 for EMPTY items
  std::vector<Hash128> contents;          ///< equal for items that are certain to have similarity 1
  std::vector<std::uint32_t> keys;        ///< band keys, plan.band.bands an item
  std::vector<std::uint8_t> signatures;   ///< a byte a slot, plan.sketch.hashes an item, for the signature test
  std::vector<std::uint32_t> slots;       ///< whole sketches, only where they are to be compared (verify estimate, containment)
  std::vector<std::uint32_t> set_sizes;   ///< different shingles, only for containment by sketches
  Features features;                      ///< only for the exact join
  Vectors vectors;                        ///< plans of numbers, tfidf and bits: prepared for comparing
  Preparation preparation;                ///< what they were prepared with
  std::uint32_t columns = 0;              ///< of tables
  std::string column_names;               ///< the header of tables
  Row split = 0;                          ///< items of the input where `against` follows; else 0
  std::vector<Location> fault_locations;  ///< of the input's records at fault
  RunStats stats;

  /// Where the arrays did not fit in memory: the rows are in segments, the arrays above are empty, and the files belong to `scratch`.
  std::vector<Segment> segments;
  std::unique_ptr<Scratch> scratch;
  std::uint64_t shingles = 0;                ///< of all items
  std::optional<std::uint64_t> stage_bytes;  ///< that a stage over files may take; absent: what the run's memory leaves it
  std::array<Faults, 2> unwritten_faults;    ///< of the input and of `against`, where nothing was written to files; and their shingles:
  std::array<std::uint64_t, 2> unwritten_shingles{};
  std::uint64_t most_candidates = UINT64_MAX;  ///< that a search in memory may hold

  std::size_t rows_in_files() const { return segments.empty() ? 0 : std::size_t{segments.back().first} + segments.back().items; }
  std::size_t size() const { return rows_in_files() + ids.size(); }
  bool in_files() const { return scratch != nullptr; }
  const Sources& sources_of(Row row) const { return inputs[split != 0 && row >= split ? 1 : 0]; }
};

/// How a collection may go to files.
struct Spill {
  std::string identity;  ///< of the run, beside input and plan: what else decides its units of work
};

/// `like`: what the vectors are to be prepared with, in place of what is computed from them. With `spill`, and a plan that allows it, the
/// arrays go to files where they, and what later stages make of them, do not fit into options.memory, and where options.scratch asks for
/// it; else Error(plan) where options.memory was given and does not suffice.
Collection collect(const Input& input, const Input* against, const Plan& plan, const RunOptions& options, const Preparation* like = nullptr,
                   const Spill* spill = nullptr);

/// A collection in memory, moved to files: of the same input, plan, options and spill.
void move_to_files(Collection& collection, const Input& input, const Input* against, const Plan& plan, const RunOptions& options,
                   const Spill& spill);

/// Plans whose runs can keep their collection in files: sets that are told apart by sketches, or by their content alone.
bool can_spill(const Plan& plan);
/// Of a segment for each item, the id's own bytes apart.
std::uint64_t bytes_in_files(const Plan& plan);
/// options.memory, or what stands for it.
std::uint64_t memory_bound(const RunOptions& options);

/// Throws Error(plan) for items in memory: runs that write records need files.
void require_records(const Input& input, const char* run);

/// Throws Error(plan) for a plan that is for queries of the nearest: it has no threshold for pairs.
void require_border(const Plan& plan);

/// Features in blocks of the same number of items, made by many threads and never copied together.
struct FeatureBlocks {
  std::vector<Features> blocks;
  std::vector<std::span<const std::uint64_t>> items;  ///< into the blocks
};

/// Reads the given rows again, block by block, and calls use(worker, i, features of rows[i]); many threads at once, each with its number.
/// The features are good until `use` returns.
void for_each_features(const Collection& collection, std::span<const Row> rows, const ShinglePlan& plan, unsigned threads,
                       const std::function<void(unsigned worker, std::size_t i, std::span<const std::uint64_t> features)>& use);

/// The text of the record that stands there, read again; as below.
std::string_view text_at(const Sources& sources, const Location& location, std::string& buffer, Batch& batch);
/// The text of one item, read again. `buffer` and `batch` are scratch; good until they are used again.
std::string_view text_again(const Collection& collection, Row row, std::string& buffer, Batch& batch);

/// Reads the given rows again and makes their features; result.items[i] belongs to rows[i].
FeatureBlocks load_features(const Collection& collection, std::span<const Row> rows, const ShinglePlan& plan, unsigned threads);

/// Seconds since construction or the last call.
class StageClock {
 public:
  StageClock();
  double lap();

 private:
  double last_;
};

std::uint64_t peak_memory();

}  // namespace nearkin
