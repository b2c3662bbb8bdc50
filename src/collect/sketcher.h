// From a chunk of records to what a run keeps of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nearkin/run.h>

#include "base/hash.h"
#include "family/minhash.h"
#include "feature/shingler.h"
#include "io/source/source.h"

namespace nearkin {

/// The items of one chunk of records, sketched.
struct Sketched {
  void clear();

  Batch batch;
  std::vector<std::uint64_t> text_sizes;  ///< bytes
  std::vector<std::uint64_t> id_hashes;   ///< as IdTable takes them
  std::vector<std::uint8_t> empty;
  std::vector<Hash128> contents;
  std::vector<std::uint32_t> keys;       ///< plan.band.bands per item
  std::vector<std::uint8_t> signatures;  ///< plan.sketch.hashes per item
  std::vector<std::uint32_t> slots;
  Features features;
  std::uint64_t shingles = 0;   ///< of all items
  std::optional<Position> end;  ///< where reading can be resumed after this chunk
};

/// Fills part.id_hashes; for units, with the hashes of their records' ids.
void hash_ids(Sketched& part, bool units);

/// One thread's tools. The plan must outlive them.
class Sketcher {
 public:
  explicit Sketcher(const Plan& plan);
  /// Good until the next call.
  const Sketched* sketch(const Sources& sources, const Chunk& chunk);
  /// Sketches texts without ids and places; the batch stays empty. For plans of shingles and measure exact. `salts`: none, or one per text.
  const Sketched* sketch(std::span<const std::string_view> texts, std::span<const std::uint64_t> salts);
  /// What was sketched last; the caller may replace it. Valid until the next call.
  Sketched& result() { return out_; }

 private:
  void make_room(std::size_t items, Sketched& out) const;
  void add(Row i, std::string_view text, std::uint64_t salt, Sketched& out);
  void add_sketch(Row i, std::span<const std::uint64_t> shingles, Sketched& out);
  void count_shingles(Batch& batch);

  const Plan& plan_;
  Shingler shingler_;
  std::optional<MinHasher> hasher_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> sorted_, scratch_;
  std::string buffer_;
  Sketched out_;
};

/// Throws Error(plan) naming `path` unless the plan has a use for records of this format.
void require_format(const Plan& plan, Format format, const std::string& path);

/// Plans that compare vectors, not sets of shingles.
inline bool compares_vectors(const Plan& plan) { return plan.kind != Kind::shingles; }

/// Whether whole sketches are needed, not only one byte of each slot.
inline bool keeps_slots(const Plan& plan) { return plan.verify == Verify::estimate; }

/// The hash by which measure `exact` and `distinct` tell texts apart, and whether there is any text at all.
struct TextHash {
  Hash128 hash;
  bool empty;
};
TextHash hash_text(std::string_view text, Normalise normalise, std::string& buffer);

}  // namespace nearkin
