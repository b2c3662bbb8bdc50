// One pass over the input: every record is read, parsed, shingled and sketched once, and what later stages need of it is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <nearkin/run.h>

#include "base/hash.h"
#include "io/source.h"
#include "pipeline/vectors.h"

namespace nearkin {

/// What a run remembers of its items: flat arrays, one entry (or a fixed number of them) an item. Texts are not among them: a text
/// that is needed again is read again from where its record stands.
struct Collection {
  std::vector<Sources> inputs;             ///< the input, then `against` where there is one
  Strings ids;
  std::vector<Location> locations;
  std::vector<std::uint64_t> text_sizes;   ///< bytes
  std::vector<double> numbers;             ///< Input::number; empty when not asked for
  std::vector<std::uint8_t> empty;         ///< 1 for EMPTY items
  std::vector<Hash128> contents;           ///< equal for items that are certain to have similarity 1
  std::vector<std::uint32_t> keys;         ///< band keys, plan.band.bands an item
  std::vector<std::uint8_t> signatures;    ///< a byte a slot, plan.sketch.hashes an item, for the signature test
  std::vector<std::uint32_t> slots;        ///< whole sketches, only where they are to be compared (verify estimate, containment)
  std::vector<std::uint32_t> set_sizes;    ///< different shingles, only for containment by sketches
  Features features;                       ///< only for the exact join
  Vectors vectors;                         ///< plans of numbers, tfidf and bits: prepared for comparing
  Preparation preparation;                 ///< what they were prepared with
  std::uint32_t columns = 0;               ///< of tables
  std::string column_names;                ///< the header of tables
  Row split = 0;                           ///< items of the input where `against` follows; else 0
  std::vector<Location> fault_locations;   ///< of the input's records at fault
  RunStats stats;

  std::size_t size() const { return ids.size(); }
  const Sources& sources_of(Row row) const { return inputs[split != 0 && row >= split ? 1 : 0]; }
};

/// `like`: what the vectors are to be prepared with, in place of what is computed from them.
Collection collect(const Input& input, const Input* against, const Plan& plan, const RunOptions& options, const Preparation* like = nullptr);

/// Throws Error(plan) naming `path` unless the plan has a use for records of this format.
void require_format(const Plan& plan, Format format, const std::string& path);

/// Throws Error(plan) for a plan that is for queries of the nearest: it has no threshold for pairs.
void require_border(const Plan& plan);

/// Plans that compare vectors, not sets of shingles.
inline bool compares_vectors(const Plan& plan) { return plan.kind != Kind::shingles; }

/// Features in blocks of the same number of items, made by many threads and never copied together.
struct FeatureBlocks {
  std::vector<Features> blocks;
  std::vector<std::span<const std::uint64_t>> items;  ///< into the blocks
};

/// Reads the given rows again, block by block, and calls use(worker, i, features of rows[i]); many threads at once, each with its number.
/// The features are good until `use` returns.
void for_each_features(const Collection& collection, std::span<const Row> rows, const ShinglePlan& plan, unsigned threads,
                       const std::function<void(unsigned worker, std::size_t i, std::span<const std::uint64_t> features)>& use);

/// The text of one item, read again. `buffer` and `batch` are scratch; good until they are used again.
std::string_view text_again(const Collection& collection, Row row, std::string& buffer, Batch& batch);

/// Reads the given rows again and makes their features; result.items[i] belongs to rows[i].
FeatureBlocks load_features(const Collection& collection, std::span<const Row> rows, const ShinglePlan& plan, unsigned threads);

/// The hash by which measure `exact` and `distinct` tell texts apart, and whether there is any text at all.
struct TextHash {
  Hash128 hash;
  bool empty;
};
TextHash hash_text(std::string_view text, Normalise normalise, std::string& buffer);

/// Adds the faults of one part of the input to those of the whole.
void merge_faults(Faults& all, const Faults& part);

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
