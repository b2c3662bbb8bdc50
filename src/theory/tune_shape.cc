#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <nearkin/error.h>
#include <nearkin/tools/theory.h>

#include "theory/chances.h"
#include "theory/numbers.h"
#include "theory/plan_rules.h"
#include "theory/tune_cost.h"

namespace nearkin {
namespace {

constexpr double kWidths[] = {1, 1.5, 2, 3, 4, 6, 8, 12};  // in radii

bool has_width(Family family) { return family == Family::gaussian || family == Family::cauchy; }

/// Slots of minima are 4 bytes that a run keeps or fills at a cost; hashes of vectors are gone when their bands are keyed, and those of one
/// bit tell so little that hundreds of bands of 16 and more are usual.
std::uint32_t most_tuned_hashes(Family family) {
  return family == Family::minhash || family == Family::weighted_minhash ? 512 : kMostHashes;
}

/// The signature test and estimates look at all slots, so that a sketch of a set is never smaller, however few the bands need.
std::uint32_t least_tuned_hashes(const Plan& plan) { return plan.sketch.family == Family::minhash ? 128 : 0; }

std::string at_border(const Plan& plan) {
  if (plan.recall_at == RecallAt::threshold) return " at " + border_name(plan);
  return is_distance(plan.measure) ? " on average within " + border_name(plan) : " on average at " + border_name(plan) + " and above";
}
std::string nearer_border(const Plan& plan) { return is_distance(plan.measure) ? "a smaller radius" : "a higher threshold"; }

/// Six decimals, and more where the share is so small that they would leave nothing of it.
std::string rounded_down(double share) {
  double scale = 1e6;
  while (share > 0 && share * scale < 100) scale *= 10;
  return shortest(std::floor(share * scale) / scale);
}

double rounded(double value, int digits) {
  char buffer[64];
  const auto written = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, digits - 1);
  return parse_number({buffer, written.ptr}).value_or(value);
}

/// Between the border and equal items: half of the distance, or of the angle, or of what is missing to similarity 1.
double halfway(const Plan& plan) {
  const double border = border_of(plan);
  if (is_distance(plan.measure)) return border / 2;
  return plan.measure == Measure::cosine ? std::sqrt((1 + border) / 2) : (1 + border) / 2;
}

/// All that a search knows of one width.
class Search {
 public:
  Search(const Plan& plan, double width, const Choices& choices, BandChance& chance, bool with_floor = false)
      : plan_(plan), choices_(choices), chance_(chance), with_floor_(with_floor) {
    plan_.sketch.width = width;
    others_ = background(plan_, choices);
    unseen_ = unseen(plan_, choices);
    if (plan_.recall_at == RecallAt::average && choices.sample) similar_ = similar_pairs(plan_, *choices.sample);
    if (similar_.empty()) plan_.recall_at = RecallAt::threshold;  // there is nothing to average over
  }

  /// Fewer bands than this cannot reach the recall: no bucket is likelier than the query's own. Needs no simulation.
  std::uint32_t needed_at_least(std::uint32_t rows) const {
    if (plan_.recall_at == RecallAt::average) return 1;
    const double own = std::pow(agreement(plan_, border_of(plan_)), static_cast<double>(rows));
    return bands_needed(std::min(1.0, plan_.band.probes * own), 1, plan_.recall);
  }
  /// The bands that reach the recall; where it is an average, at most one more than there can be.
  std::uint32_t needed(std::uint32_t rows) {
    if (plan_.recall_at == RecallAt::threshold) return std::max(bands_needed(at_border(rows), 1, plan_.recall), needed_halfway(rows));
    std::uint32_t low = 1, high = kMostBands + 1;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (reached(middle, rows) >= plan_.recall - kRounding)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }
  double reached(std::uint32_t bands, std::uint32_t rows) {
    if (plan_.recall_at == RecallAt::threshold) return found_probability(at_border(rows), bands, 1);
    double all = 0, found = 0;
    for (const PairsAt& step : similar_) {
      all += step.pairs;
      found += step.pairs * found_probability(chance_(plan_, step.at, rows), bands, 1);
    }
    return all > 0 ? found / all : 1;
  }
  double cost(std::uint32_t bands, std::uint32_t rows) {
    return run_cost(plan_, sketch_cost(plan_, choices_, hashes(bands, rows)), others_, bands, rows, chance_);
  }
  double spare() const { return spare_cost(plan_, choices_); }
  /// What those would add that the sample may have failed to show.
  double unseen_cost(std::uint32_t bands, std::uint32_t rows) { return candidate_cost(plan_, unseen_, bands, rows, chance_); }
  /// The cost without candidates.
  double least_cost(std::uint32_t bands, std::uint32_t rows) {
    return run_cost(plan_, sketch_cost(plan_, choices_, hashes(bands, rows)), {}, bands, rows, chance_);
  }
  Shape shape(std::uint32_t bands, std::uint32_t rows) const { return {bands, rows, hashes(bands, rows), plan_.sketch.width}; }

 private:
  double at_border(std::uint32_t rows) { return chance_(plan_, border_of(plan_), rows); }
  /// Halfway from the border to equal items a hundred times fewer pairs may be missed than at the border. Steep curves keep that by
  /// themselves; those of one or two rows do not, and would split groups whose members are all but equal.
  std::uint32_t needed_halfway(std::uint32_t rows) {
    if (!with_floor_) return 1;
    constexpr double kFewer = 100;
    return bands_needed(chance_(plan_, halfway(plan_), rows), 1, 1 - (1 - plan_.recall) / kFewer);
  }
  std::uint32_t hashes(std::uint32_t bands, std::uint32_t rows) const {
    // Bands and rows given by the caller are all that is asked for.
    const std::uint32_t least = choices_.bands && choices_.rows ? 0 : least_tuned_hashes(plan_);
    return choices_.hashes.value_or(std::max(bands * rows, least));
  }

  Plan plan_;
  const Choices& choices_;
  BandChance& chance_;
  bool with_floor_;
  std::vector<Neighbours> others_, unseen_;
  std::vector<PairsAt> similar_;  ///< where the recall is an average over them
};

std::uint32_t limit_of(const Plan& plan, const Choices& choices) {
  if (choices.hashes) return *choices.hashes;
  return choices.bands || choices.rows ? kMostHashes : most_tuned_hashes(plan.sketch.family);
}

/// What a search has come upon.
class Offers {
 public:
  void add(Search& search, std::uint32_t bands, std::uint32_t rows) {
    const double cost = search.cost(bands, rows), unseen = search.unseen_cost(bands, rows);
    offers_.push_back({search.shape(bands, rows), cost, unseen});
    least_ = std::min(least_, cost);
    spare_ = search.spare();
  }
  /// A shape of this cost will not be chosen.
  bool beyond_reach(double cost) const { return cost > least_ * spare_; }

  /// No bands where there is none.
  Shape best() const {
    const Offer* best = nullptr;
    for (const Offer& offer : offers_) {
      if (!beyond_reach(offer.cost) && (best == nullptr || better(offer, *best))) best = &offer;
    }
    return best == nullptr ? Shape{} : best->shape;
  }

 private:
  struct Offer {
    Shape shape;
    double cost, unseen;
  };
  static bool better(const Offer& a, const Offer& b) {
    const double x = a.cost + a.unseen, y = b.cost + b.unseen;
    return x < y || (x == y && a.shape.bands * a.shape.rows < b.shape.bands * b.shape.rows);
  }

  std::vector<Offer> offers_;
  double least_ = std::numeric_limits<double>::infinity(), spare_ = 1;
};

void search_rows(Search& search, std::uint32_t least, std::uint32_t most, std::uint32_t limit, Offers& offers) {
  for (std::uint32_t rows = least; rows <= most; ++rows) {
    const std::uint32_t at_least = search.needed_at_least(rows);
    if (std::uint64_t{at_least} * rows > limit) return;  // more rows need no fewer bands
    if (offers.beyond_reach(search.least_cost(at_least, rows))) continue;
    const std::uint32_t bands = search.needed(rows);
    if (std::uint64_t{bands} * rows > limit) return;
    offers.add(search, bands, rows);
  }
}

/// The most rows that the bands can do with: fewer only bring more candidates.
void search_with_bands(Search& search, std::uint32_t bands, std::uint32_t limit, Offers& offers) {
  std::uint32_t rows = std::min(limit / bands, kMostTunedRows);
  while (rows > 0 && (search.needed_at_least(rows) > bands || search.needed(rows) > bands)) --rows;
  if (rows > 0) offers.add(search, bands, rows);
}

[[noreturn]] void refuse_recall(const Plan& plan, Search& search, std::uint32_t limit) {
  const std::uint32_t needed = search.needed(1);  // one row needs fewest hashes
  const std::string reachable = rounded_down(search.reached(limit, 1));
  const bool possible = needed <= kMostHashes;
  const std::string how_many = possible ? std::to_string(needed) : "more than " + std::to_string(kMostHashes);
  throw Error(ErrorCode::plan, "recall",
              shortest(plan.recall) + at_border(plan) + " needs " + how_many + " hashes, " + std::to_string(limit) + " reach " + reachable +
                  "; ask for recall " + reachable + " or less" +
                  (possible ? ", or for " + std::to_string(needed) + " hashes" : ", for " + nearer_border(plan) + ", or for recall 1"));
}

[[noreturn]] void refuse_rows(const Plan& plan, Search& search, std::uint32_t rows, std::uint32_t limit) {
  const std::uint32_t bands = search.needed(rows);
  throw Error(ErrorCode::plan, "rows",
              std::to_string(rows) + " need " + (bands <= kMostBands ? std::to_string(bands) : "more than " + std::to_string(kMostBands)) +
                  " bands for recall " + shortest(plan.recall) + at_border(plan) + ", more than fit into " + std::to_string(limit) +
                  " hashes; use fewer rows or a lower recall");
}

[[noreturn]] void refuse_bands(const Plan& plan, Search& search, std::uint32_t bands) {
  const std::uint32_t needed = search.needed(1);
  throw Error(ErrorCode::plan, "bands",
              std::to_string(bands) + (bands == 1 ? " reaches" : " reach") + " recall " + rounded_down(search.reached(bands, 1)) +
                  at_border(plan) + " at most, not " + shortest(plan.recall) + "; use " +
                  (needed <= kMostBands ? std::to_string(needed) + " bands" : nearer_border(plan)) + " or a lower recall");
}

std::vector<double> widths_to_try(const Plan& plan, const Choices& choices) {
  if (!has_width(plan.sketch.family)) return {0};
  if (choices.width) return {*choices.width};
  if (plan.nearest > 0) return {width_for_nearest(plan, choices)};
  std::vector<double> widths;
  for (const double radii : kWidths) widths.push_back(rounded(plan.radius * radii, 6));
  return widths;
}

/// The narrowest slots with which the given bands and rows reach the recall, or the widest where none do.
Shape with_both(const Plan& plan, const Choices& choices, const std::vector<double>& widths, BandChance& chance) {
  require_fit(*choices.bands, *choices.rows, limit_of(plan, choices));
  for (const double width : widths) {
    Search search(plan, width, choices, chance);
    const bool enough = width == widths.back() || search.reached(*choices.bands, *choices.rows) >= plan.recall - kRounding;
    if (enough) return search.shape(*choices.bands, *choices.rows);
  }
  return {};
}

double middle_above_zero(const std::vector<double>& ascending) {
  const auto middle = ascending.begin() + static_cast<std::ptrdiff_t>(ascending.size() / 2);
  const auto found = std::find_if(middle, ascending.end(), [](double x) { return x > 0; });
  return found == ascending.end() ? 0 : *found;
}

}  // namespace

Shape choose_shape(const Plan& plan, const Choices& choices) {
  BandChance chance(true);
  const std::vector<double> widths = widths_to_try(plan, choices);
  if (choices.bands && choices.rows) return with_both(plan, choices, widths, chance);
  const std::uint32_t limit = limit_of(plan, choices);
  if (choices.bands) require_fit(*choices.bands, 1, limit);
  // Bands that were chosen have no floor, and where the hashes leave no room for it, the promise alone must do.
  for (const bool with_floor : {true, false}) {
    Offers offers;
    for (const double width : widths) {
      Search search(plan, width, choices, chance, with_floor && !choices.bands);
      if (choices.bands)
        search_with_bands(search, *choices.bands, limit, offers);
      else
        search_rows(search, choices.rows.value_or(1), choices.rows.value_or(kMostTunedRows), limit, offers);
    }
    if (const Shape best = offers.best(); best.bands > 0) return best;
  }
  Search widest(plan, widths.back(), choices, chance);
  if (choices.rows) refuse_rows(plan, widest, *choices.rows, limit);
  if (choices.bands) refuse_bands(plan, widest, *choices.bands);
  refuse_recall(plan, widest, limit);
}

double width_for_nearest(const Plan& plan, const Choices& choices) {
  if (!has_width(plan.sketch.family)) return 0;
  if (choices.width) return *choices.width;
  if (!choices.sample || choices.sample->nearest.empty()) {
    throw Error(ErrorCode::plan, "width", "unknown, as it follows from how far the nearest are; name the input, or give a width");
  }
  double distance = middle_above_zero(choices.sample->nearest);
  if (distance == 0) distance = middle_above_zero(choices.sample->values);
  if (distance == 0) return 1;  // all that was sampled lies in one point
  // The tails of a Cauchy projection are long: at 6 distances it agrees as often as a Gaussian one at 2.7.
  const double distances = plan.sketch.family == Family::gaussian ? 4 : 6;
  return rounded(distances * distance, 3);
}

Shape choose_tables(const Plan& plan, const Choices& choices) {
  if (choices.rows) {
    throw Error(ErrorCode::plan, "rows",
                std::to_string(*choices.rows) +
                    " have no use with nearest, whose tables take as many as they need; leave them out, or give bands too");
  }
  const std::uint32_t depth = prefix_depth(plan.sketch.family);
  const std::uint32_t usual = prefix_digit_bits(plan.sketch.family) == 8 ? 32 : 64;
  const std::uint32_t fitting = choices.hashes ? std::clamp(*choices.hashes / depth, 1u, usual) : usual;
  const std::uint32_t tables = choices.bands.value_or(fitting);
  require_tables_fit(tables, plan.sketch.family, choices.hashes.value_or(kMostHashes));
  return {tables, 0, choices.hashes.value_or(tables * depth), width_for_nearest(plan, choices)};
}

}  // namespace nearkin
