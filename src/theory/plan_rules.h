// Rules that every plan obeys, whether it was tuned or read from a line.
#pragma once

#include <string>
#include <string_view>

#include <nearkin/error.h>
#include <nearkin/plan.h>

namespace nearkin {

inline constexpr std::uint32_t kMostHashes = 4096;
inline constexpr std::uint32_t kMostBands = 4096;
inline constexpr std::uint32_t kMostShingleSize = 1000;
inline constexpr std::uint32_t kMostLevels = 1000;
inline constexpr std::uint32_t kMostProbes = 256;
inline constexpr std::uint32_t kLeastLargeBucket = 2;

/// What the measure compares when nothing else was asked for.
Kind usual_kind(Measure measure);
/// Sets of answers have no order and no text: a row of a table is element:1. Everything else is word:5.
ShinglePlan usual_shingle(Measure measure, Kind kind);
/// Items that are vectors in memory: everything but sets and bags of shingles.
constexpr bool is_vector(Kind kind) { return kind != Kind::shingles; }
/// Items that are read as text, so shingles, normalisation and Unicode matter.
constexpr bool is_text(Kind kind) { return kind == Kind::shingles || kind == Kind::tfidf; }
/// Compared by exact joins, whatever recall was asked for: no sketch finds a passage in documents of every size, and the join is as fast.
constexpr bool always_exact(Measure measure) { return measure == Measure::containment; }
/// The nearest sets are found exactly, too, whatever recall was asked for: counting what they share is faster than tables of sketches.
/// Bands of rows may still be chosen in place of it.
constexpr bool finds_nearest_sets(const Plan& plan) { return plan.nearest > 0 && plan.kind == Kind::shingles; }
/// The plan's radius, or its threshold.
double border_of(const Plan& plan);
/// "threshold 0.8", "radius 3.5"
std::string border_name(const Plan& plan);

[[noreturn]] inline void refuse_plan(std::string_view part, const std::string& message) {
  throw Error(ErrorCode::plan, std::string(part), message);
}

/// Each throws Error(plan) naming the part at fault.
void require_hashes(std::uint64_t hashes);
void require_bands(std::uint64_t bands);
void require_rows(std::uint64_t rows);
void require_probes(std::uint64_t probes);
void require_large_bucket(std::uint64_t items);
void require_recall(double recall);
/// An average is over pairs that the bands may miss. `sketched`: the plan has a sketch, or will have one.
void require_recall_at(const Plan& plan, bool sketched);
void require_threshold(double threshold);
/// Above 0 and finite; Hamming: a whole number, or a share above 0 and below 1.
void require_radius(Measure measure, double radius);
void require_width(double width);

/// Bands of rows fit into the hashes.
void require_fit(std::uint32_t bands, std::uint32_t rows, std::uint32_t hashes);
/// Tables of the family's full depth fit into the hashes.
void require_tables_fit(std::uint32_t tables, Family family, std::uint32_t hashes);

/// The normalisation goes with the token: elements of a set are no program.
void require_normalise(const ShinglePlan& shingle);

/// The measure compares items of this kind.
void require_kind(Measure measure, Kind kind);
/// If shingles are ignored, the items must be sets or vectors of shingles, with any number of shingles per item.
void require_ignoring(const Plan& plan);
/// How shingles count has a meaning for tfidf alone.
void require_tfidf(Kind kind, const TfidfPlan& tfidf);
void require_binarise(Kind kind, Binarise binarise, std::uint32_t levels);
/// The plan's `verify` goes with its measure and kind.
void require_verify(const Plan& plan);
/// More than one probe needs a family with neighbouring buckets.
void require_probing(const Plan& plan);
/// A Hamming radius is below the places of an item, of which there are `dimensions` (0: unknown). A sketch needs them if the radius is a
/// count, or if there is no radius because of `nearest`.
void require_dimensions(const Plan& plan, std::uint32_t dimensions, bool sketched);

/// The fraction of a threshold in (0, 1]; one that is too small to be written in nine digits is refused.
Ratio threshold_ratio(double threshold);

/// Sets the parts of a plan that measure exact does not use to fixed values, so that equal plans compare equal.
void settle_exact(Plan& plan);

}  // namespace nearkin
