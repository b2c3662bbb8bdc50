#include "collect/prepare_vectors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>
#include <nearkin/error.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/sample.h>

#include "base/misuse.h"
#include "base/parallel.h"
#include "base/portable_math.h"
#include "family/family.h"
#include "kernel/kernel.h"
#include "match/band.h"
#include "match/space.h"
#include "theory/numbers.h"
#include "theory/plan_rules.h"

namespace nearkin {
namespace {

constexpr std::size_t kSketchBlock = 256;  // items that one thread sketches in a row

[[noreturn]] void refuse_kind(const Vectors& vectors, const Plan& plan, const std::string& way_out) {
  throw Error(ErrorCode::data, "measure",
              std::string(name(plan.measure)) + " does not compare " + std::string(name(vectors.kind)) + "; " + way_out);
}

void require_kind(const Vectors& vectors, const Plan& plan) {
  using Kind_ = Vectors::Kind;
  if (plan.binarise != Binarise::none && plan.measure != Measure::hamming) {
    throw Error(ErrorCode::plan, "binarise",
                std::string(name(plan.binarise)) + " makes bits, which measure " + std::string(name(plan.measure)) +
                    " does not compare; use measure hamming");
  }
  if (vectors.size() == 0) return;
  if (plan.measure == Measure::hamming) {
    if (vectors.kind == Kind_::sparse) refuse_kind(vectors, plan, "use bits, or dense vectors with binarise");
    if (vectors.kind == Kind_::dense && plan.binarise == Binarise::none) {
      refuse_kind(vectors, plan, "make them binary with binarise median, mean, sign or unary:N");
    }
    if (vectors.kind == Kind_::bits && plan.binarise != Binarise::none) {
      throw Error(ErrorCode::plan, "binarise",
                  std::string(name(plan.binarise)) + " makes bits of numbers, but these items are bits already; leave it out");
    }
  } else if (vectors.kind == Kind_::bits) {
    refuse_kind(vectors, plan, "use measure hamming");
  }
}

// The median of each place; the lower one of two middle numbers.
std::vector<float> medians(const Vectors& vectors) {
  std::vector<float> column(vectors.size()), cuts(vectors.dimensions);
  const auto middle = column.begin() + static_cast<std::ptrdiff_t>((column.size() - 1) / 2);
  for (std::size_t place = 0; place < cuts.size(); ++place) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = vectors.numbers[i * vectors.dimensions + place];
    std::nth_element(column.begin(), middle, column.end());
    cuts[place] = *middle;
  }
  return cuts;
}

std::vector<float> means(const Vectors& vectors) {
  std::vector<double> sums(vectors.dimensions);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const std::span<const float> row = vectors.dense(i);
    for (std::size_t place = 0; place < row.size(); ++place) sums[place] += static_cast<double>(row[place]);
  }
  std::vector<float> cuts;
  for (const double sum : sums) cuts.push_back(static_cast<float>(sum / static_cast<double>(vectors.size())));
  return cuts;
}

std::vector<float> steps(const Vectors& vectors, std::uint32_t levels) {
  if (vectors.numbers.empty()) return std::vector<float>(levels);
  const auto [least, greatest] = std::minmax_element(vectors.numbers.begin(), vectors.numbers.end());
  const double low = static_cast<double>(*least), high = static_cast<double>(*greatest);
  std::vector<float> cuts;
  for (std::uint32_t i = 1; i <= levels; ++i) cuts.push_back(static_cast<float>(low + (high - low) * i / (levels + 1)));
  return cuts;
}

void set_bit(std::uint64_t* words, std::size_t place) { words[place / 64] |= std::uint64_t{1} << (place % 64); }

void require_bits(std::uint32_t dimensions, std::uint32_t levels) {
  if (std::uint64_t{dimensions} * levels <= UINT32_MAX) return;
  throw Error(
      ErrorCode::plan, "binarise",
      fmt::format("{} levels of {} numbers are more than the {} bits an item may have; use fewer levels", levels, dimensions, UINT32_MAX));
}

Vectors binarised(const Vectors& vectors, const Plan& plan, const Preparation& preparation) {
  const std::uint32_t levels = plan.binarise == Binarise::unary ? plan.levels : 1;
  require_bits(vectors.dimensions, levels);
  const bool no_cuts = plan.binarise == Binarise::sign || preparation.cuts.empty();  // none come of an empty collection
  Vectors bits{.kind = Vectors::Kind::bits, .dimensions = vectors.dimensions * levels, .count = vectors.size()};
  bits.words.resize(bits.size() * bits.word_count());
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const std::span<const float> row = vectors.dense(i);
    std::uint64_t* const words = bits.words.data() + i * bits.word_count();
    for (std::size_t place = 0; place < row.size(); ++place) {
      for (std::uint32_t level = 0; level < levels; ++level) {
        const float cut = no_cuts ? 0 : preparation.cuts[plan.binarise == Binarise::unary ? level : place];
        if (row[place] > cut) set_bit(words, place * levels + level);
      }
    }
  }
  return bits;
}

std::vector<std::pair<std::uint64_t, std::uint32_t>> count_items(const Vectors& counts) {
  std::vector<std::uint64_t> all = counts.indices;
  std::sort(all.begin(), all.end());
  std::vector<std::pair<std::uint64_t, std::uint32_t>> occurrences;
  for (const std::uint64_t index : all) {
    if (occurrences.empty() || occurrences.back().first != index) occurrences.emplace_back(index, 0);
    ++occurrences.back().second;
  }
  return occurrences;
}

// How often a shingle counts that occurs so often.
double term_frequency(double occurrences, const TfidfPlan& plan) {
  const double counted = plan.cap > 0 ? std::min<double>(occurrences, plan.cap) : occurrences;
  return plan.sublinear ? 1.0 + portable::log(counted) : counted;
}

// tf · (ln((1 + N) / (1 + df)) + 1): a shingle that every item has still counts for something.
void weigh(Vectors& counts, const TfidfPlan& plan, const Preparation& preparation) {
  const auto& known = preparation.occurrences;
  for (std::size_t k = 0; k < counts.indices.size(); ++k) {
    const std::uint64_t index = counts.indices[k];
    const auto place = std::lower_bound(known.begin(), known.end(), std::pair(index, std::uint32_t{0}));
    const std::uint32_t items = place != known.end() && place->first == index ? place->second : 0;
    const double rarity = portable::log((1.0 + static_cast<double>(preparation.items)) / (1.0 + items)) + 1.0;
    counts.values[k] = term_frequency(counts.values[k], plan) * rarity;
  }
}

void require_dimensions(const Vectors& vectors, const Plan& plan) {
  if (plan.sketch.dimensions == 0 || plan.sketch.dimensions == SketchPlan::kAnyDimensions || vectors.size() == 0 ||
      plan.sketch.dimensions == vectors.dimensions)
    return;
  throw Error(ErrorCode::plan, "dimensions",
              "the plan is for items of " + std::to_string(plan.sketch.dimensions) + " places; these have " +
                  std::to_string(vectors.dimensions) + ". Tune a plan for this input");
}

// One for each thread that takes part, made when it is first asked for: a hasher holds its random directions.
class Hashers {
 public:
  Hashers(const SketchPlan& plan, const Vectors& vectors, unsigned threads) : plan_(plan), vectors_(vectors), hashers_(threads) {}
  AnyVectorHasher& operator[](unsigned worker) {
    if (!hashers_[worker]) hashers_[worker].emplace(vector_hasher(plan_, vectors_.kind, vectors_.dimensions));
    return *hashers_[worker];
  }

 private:
  const SketchPlan& plan_;
  const Vectors& vectors_;
  std::vector<std::optional<AnyVectorHasher>> hashers_;
};

std::uint64_t random_below(SplitMix& random, std::uint64_t bound) { return multiply128(random(), bound).high; }

}  // namespace

Preparation preparation_of(const Vectors& vectors, const Plan& plan) {
  Preparation preparation;
  require_kind(vectors, plan);
  if (plan.kind == Kind::tfidf) {
    preparation.occurrences = count_items(vectors);
    preparation.items = vectors.size();
  }
  if (vectors.size() == 0 || vectors.kind != Vectors::Kind::dense) return preparation;
  if (plan.binarise == Binarise::median) preparation.cuts = medians(vectors);
  if (plan.binarise == Binarise::mean) preparation.cuts = means(vectors);
  if (plan.binarise == Binarise::unary) {
    require_between(plan.levels, 1, kMostLevels, "levels");
    preparation.cuts = steps(vectors, plan.levels);
  }
  return preparation;
}

Vectors prepare(Vectors vectors, const Plan& plan, const Preparation& preparation) {
  require_kind(vectors, plan);
  if (plan.kind == Kind::tfidf) weigh(vectors, plan.tfidf, preparation);
  if (plan.binarise != Binarise::none) {
    const bool by_place = plan.binarise == Binarise::median || plan.binarise == Binarise::mean;
    if (by_place && vectors.size() > 0 && !preparation.cuts.empty() && preparation.cuts.size() != vectors.dimensions) {
      throw Error(ErrorCode::data, "dimensions",
                  "the queries have " + std::to_string(vectors.dimensions) + " numbers, the collection has " +
                      std::to_string(preparation.cuts.size()) + "; both must have the same");
    }
    vectors = binarised(vectors, plan, preparation);
  }
  require_dimensions(vectors, plan);
  return vectors;
}

Vectors prepare(Vectors vectors, const Plan& plan) {
  require_consistent(vectors);
  const Preparation preparation = preparation_of(vectors, plan);
  return prepare(std::move(vectors), plan, preparation);
}

bool is_empty(const Vectors& vectors, std::size_t i, Measure measure) {
  require_item(vectors, i);
  if (vectors.kind == Vectors::Kind::bits) return false;
  if (measure != Measure::cosine && measure != Measure::weighted_jaccard) return false;
  if (vectors.kind == Vectors::Kind::sparse) return vectors.sparse(i).indices.empty();
  const std::span<const float> row = vectors.dense(i);
  return std::all_of(row.begin(), row.end(), [](float x) { return x == 0; });
}

Hash128 content_of(const Vectors& vectors, std::size_t i) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  if (vectors.kind == Vectors::Kind::sparse) {
    const SparseView view = vectors.sparse(i);
    XXH3_128bits_update(&state, view.indices.data(), view.indices.size_bytes());
    XXH3_128bits_update(&state, view.values.data(), view.values.size_bytes());
  } else if (vectors.kind == Vectors::Kind::bits) {
    XXH3_128bits_update(&state, vectors.bits(i).data(), vectors.bits(i).size_bytes());
  } else {
    std::vector<float> numbers(vectors.dense(i).begin(), vectors.dense(i).end());
    for (float& x : numbers) x += 0.0f;  // −0 becomes 0
    XXH3_128bits_update(&state, numbers.data(), numbers.size() * sizeof(float));
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  return {hash.low64, hash.high64};
}

void require_resolution(const Vectors& vectors, const Plan& plan) {
  const Family family = plan.sketch.family;
  if (plan.sketch.hashes == 0 || vectors.kind != Vectors::Kind::dense || (family != Family::gaussian && family != Family::cauchy)) return;
  double farthest = 0;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    farthest = std::max(farthest, kernel::dot(vectors.dense(i).data(), vectors.dense(i).data(), vectors.dimensions));
  }
  farthest = std::sqrt(farthest);
  // Projections are floats of 24 bits: their last one must be small beside a slot, or near items would fall into different ones.
  constexpr double kFinest = 0x1p-23, kMostOfASlot = 0.02;
  if (farthest * kFinest <= kMostOfASlot * plan.sketch.width) return;
  throw Error(ErrorCode::data, "radius",
              fmt::format("items lie up to {:.3g} from the origin, too far for hashes of width {:.3g} to tell them apart; subtract the "
                          "mean from all of them, or use recall 1",
                          farthest, plan.sketch.width));
}

std::vector<std::uint32_t> vector_band_keys(const Vectors& vectors, std::span<const std::uint8_t> empty, const Plan& plan,
                                            unsigned threads) {
  const std::uint32_t bands = plan.band.bands, hashes = plan.sketch.hashes;
  require_resolution(vectors, plan);
  std::vector<std::uint32_t> keys(vectors.size() * bands);
  Hashers hashers(plan.sketch, vectors, threads);
  parallel_for(vectors.size(), kSketchBlock, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
    std::vector<std::uint32_t> slots(hashes);
    for (std::size_t i = begin; i < end; ++i) {
      if (empty[i] != 0) continue;
      sketch_range(hashers[worker], vectors, i, i + 1, slots.data(), hashes);
      band_keys(slots.data(), plan.band, keys.data() + i * bands);
    }
  });
  return keys;
}

Sketches sketch(const Vectors& vectors, const Plan& plan, unsigned threads) {
  Sketches sketches{.hashes = plan.sketch.hashes, .slots = {}, .empty = {}};
  require_consistent(vectors);
  require_sketch(plan.sketch);
  require_resolution(vectors, plan);
  threads = thread_count(threads);
  sketches.slots.resize(vectors.size() * plan.sketch.hashes);
  sketches.empty.resize(vectors.size());
  Hashers hashers(plan.sketch, vectors, threads);
  parallel_for(vectors.size(), kSketchBlock, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
    for (std::size_t i = begin; i < end; ++i) {
      sketches.empty[i] = is_empty(vectors, i, plan.measure);
      if (sketches.empty[i] == 0)
        sketch_range(hashers[worker], vectors, i, i + 1, sketches.slots.data() + i * plan.sketch.hashes, plan.sketch.hashes);
    }
  });
  return sketches;
}

Matches verify(const Pairs& pairs, const Vectors& vectors, const Plan& plan, unsigned threads) {
  require_consistent(vectors);
  require_rows_of(pairs, vectors.size());
  require_limit(plan);
  return verify_vectors(pairs, vectors, plan, thread_count(threads)).matches;
}

Matches exact_join(const Vectors& vectors, const Plan& plan, unsigned threads) {
  require_consistent(vectors);
  require_limit(plan);
  std::vector<Row> members;
  for (Row row = 0; row < vectors.size(); ++row) {
    if (!is_empty(vectors, row, plan.measure)) members.push_back(row);
  }
  return join_vectors(vectors, members, 0, plan, threads).matches;
}

Vectors one_of(const Vectors& vectors, std::size_t i) {
  Vectors one{.kind = vectors.kind, .dimensions = vectors.dimensions, .count = 1};
  if (vectors.kind == Vectors::Kind::dense) one.numbers.assign(vectors.dense(i).begin(), vectors.dense(i).end());
  if (vectors.kind == Vectors::Kind::bits) one.words.assign(vectors.bits(i).begin(), vectors.bits(i).end());
  if (vectors.kind == Vectors::Kind::sparse) {
    const SparseView view = vectors.sparse(i);
    one.indices.assign(view.indices.begin(), view.indices.end());
    one.values.assign(view.values.begin(), view.values.end());
    one.ends = {one.indices.size()};
  }
  return one;
}

// Makes a space of the two vectors alone: one of the whole collections would first compute what it needs of every vector.
double value_between(const Vectors& a, std::size_t i, const Vectors& b, std::size_t j, Measure measure) {
  require_item(a, i);
  require_item(b, j);
  const Vectors one = one_of(a, i), other = one_of(b, j);
  return Space(one, other, measure).value(0, 0);
}

DataSample sample_data(const Vectors& vectors, Measure measure, std::uint64_t seed, std::size_t pairs) {
  require_consistent(vectors);
  DataSample sample{.items = vectors.size(), .dimensions = vectors.dimensions};
  std::vector<Row> rows;
  for (Row row = 0; row < vectors.size(); ++row) {
    if (!is_empty(vectors, row, measure)) rows.push_back(row);
  }
  if (rows.size() < 2) return sample;
  const Space space(vectors, vectors, measure);
  SplitMix random(seed);
  const auto draw = [&] { return rows[random_below(random, rows.size())]; };
  for (std::size_t k = 0; k < pairs; ++k) {
    const Row a = draw(), b = draw();
    if (a != b) sample.values.push_back(space.value(a, b));
  }
  // A few items against many: their nearest tell how wide a slot should be.
  constexpr std::size_t kAsked = 64, kAgainst = 4096;
  std::vector<Row> others(std::min(kAgainst, rows.size()));
  for (Row& other : others) other = draw();
  for (std::size_t k = 0; k < kAsked; ++k) {
    const Row row = draw();
    std::optional<double> best;
    for (const Row other : others) {
      if (other == row) continue;
      const double value = space.value(row, other);
      if (!best || better(measure, value, *best)) best = value;
    }
    if (best) sample.nearest.push_back(*best);
  }
  std::sort(sample.values.begin(), sample.values.end());
  std::sort(sample.nearest.begin(), sample.nearest.end());
  return sample;
}

}  // namespace nearkin
