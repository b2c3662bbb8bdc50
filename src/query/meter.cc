#include "query/meter.h"

#include <algorithm>
#include <cmath>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "match/containment.h"
#include "match/overlap.h"

namespace nearkin {
namespace {

bool compares_sets(Measure measure) {
  return measure == Measure::jaccard || measure == Measure::weighted_jaccard || measure == Measure::containment ||
         measure == Measure::hamming;
}

std::string described(const Vectors& vectors) {
  switch (vectors.kind) {
    case Vectors::Kind::dense: return "vectors of " + std::to_string(vectors.dimensions) + " numbers";
    case Vectors::Kind::bits: return "strings of " + std::to_string(vectors.dimensions) + " bits";
    case Vectors::Kind::sparse: break;
  }
  return "sparse vectors";
}

std::string described(const Points& points) {
  const auto* vectors = std::get_if<Vectors>(&points);
  return vectors == nullptr ? "sets" : described(*vectors);
}

}  // namespace

std::size_t size_of(const Points& points) {
  return std::visit([](const auto& held) { return held.size(); }, points);
}

bool is_empty(const Points& points, std::size_t i, Measure measure) {
  const auto* sets = std::get_if<Features>(&points);
  return sets != nullptr ? (*sets)[i].empty() : is_empty(std::get<Vectors>(points), i, measure);
}

std::vector<std::uint8_t> empty_of(const Points& points, Measure measure) {
  std::vector<std::uint8_t> empty(size_of(points));
  for (std::size_t i = 0; i < empty.size(); ++i) empty[i] = is_empty(points, i, measure);
  return empty;
}

void require_same_kind(const Points& collection, const Points& queries) {
  const auto *held = std::get_if<Vectors>(&collection), *asked = std::get_if<Vectors>(&queries);
  bool same = held == asked;  // sets
  if (held != nullptr && asked != nullptr) {
    same = held->kind == asked->kind && (held->kind == Vectors::Kind::sparse || held->dimensions == asked->dimensions);
  }
  if (same || size_of(collection) == 0) return;
  throw Error(ErrorCode::data, "query",
              "the queries are " + described(queries) + ", the collection holds " + described(collection) + "; ask with the same");
}

void require_compared(const Points& points, Measure measure) {
  if (!std::holds_alternative<Features>(points) || compares_sets(measure)) return;
  throw Error(ErrorCode::plan, "measure", std::string(name(measure)) + " does not compare sets; use jaccard or containment");
}

void Meter::aim(const Points& queries, Row row, const HeldItems& items, const Plan& plan, ShareOf share_of) {
  require_compared(*items.points, plan.measure);
  require_same_kind(*items.points, queries);
  plan_ = &plan;
  share_of_ = share_of;
  row_ = row;
  sets_ = std::get_if<Features>(items.points);
  if (sets_ != nullptr) {
    query_ = std::get<Features>(queries)[row];
    if (plan.measure == Measure::hamming) {
      radius_ = static_cast<std::uint64_t>(Border(plan, static_cast<std::uint32_t>(query_.size())).limit());
    }
    return;
  }
  const Vectors& vectors = std::get<Vectors>(*items.points);
  border_.emplace(plan, vectors.dimensions);
  space_.emplace(std::get<Vectors>(queries), row, vectors, *items.norms, plan.measure);
}

Match Meter::match_of(Row item, std::uint64_t shared) const {
  const std::uint64_t size = set(item).size();
  const std::uint64_t total = plan_->measure == Measure::containment ? whole(size) : query_.size() + size - shared;
  return {row_, item, static_cast<std::uint32_t>(shared), static_cast<std::uint32_t>(total)};
}

Match Meter::match(Row item) const {
  if (sets_ == nullptr) return {row_, item, 0, 0, space_->value(row_, item)};
  return match_of(item, overlap(query_, set(item), 0).shared);
}

Match Meter::estimated(Row item, std::span<const std::uint32_t> query, std::span<const std::uint32_t> slots) const {
  std::uint32_t equal = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) equal += query[i] == slots[i];
  return {row_, item, equal, static_cast<std::uint32_t>(slots.size())};
}

// Rows of a table are sets of one size, D: they differ in d places when they share D − d.
std::uint64_t Meter::least_shared_inside(std::uint64_t size) const {
  switch (plan_->measure) {
    case Measure::containment: return std::max<std::uint64_t>(1, least_shared(whole(size), plan_->threshold));
    case Measure::hamming: {
      const std::uint64_t both = query_.size() + size;
      return both > 2 * radius_ ? (both - 2 * radius_ + 1) / 2 : 0;
    }
    default: return least_overlap(query_.size(), size, plan_->threshold);
  }
}

std::optional<Match> Meter::with_at_least(Row item, std::uint64_t least, std::uint64_t most_shared) const {
  if (std::min<std::uint64_t>({query_.size(), set(item).size(), most_shared}) < least) return std::nullopt;
  const Overlap counted = overlap(query_, set(item), least);
  if (!counted.complete || counted.shared < least) return std::nullopt;
  return match_of(item, counted.shared);
}

std::optional<Match> Meter::inside(Row item, std::uint64_t most_shared) const {
  if (sets_ != nullptr) return with_at_least(item, least_shared_inside(set(item).size()), most_shared);
  const double value = space_->value(row_, item);
  if (!border_->inside(value)) return std::nullopt;
  return Match{row_, item, 0, 0, value};
}

Match Meter::with_shared(Row item, std::uint64_t shared) const {
  return match_of(item, std::min<std::uint64_t>({shared, query_.size(), set(item).size()}));
}

SharedBound Meter::bound_inside() const {
  const auto size = static_cast<std::int64_t>(query_.size());
  const auto part = static_cast<std::int64_t>(plan_->threshold.numerator), whole = static_cast<std::int64_t>(plan_->threshold.denominator);
  switch (plan_->measure) {
    case Measure::containment: return share_of_ == ShareOf::query ? SharedBound{whole, part * size - 1, 0} : SharedBound{whole, -1, part};
    case Measure::hamming: return {2, size - 2 * static_cast<std::int64_t>(radius_) - 1, 1};
    default: return {part + whole, part * size - 1, part};
  }
}

SharedBound Meter::bound_nearer(const Match& last) const {
  const auto size = static_cast<std::int64_t>(query_.size());
  const std::int64_t part = last.shared, whole = last.total;
  switch (plan_->measure) {
    case Measure::containment: return share_of_ == ShareOf::query ? SharedBound{whole, part * size, 0} : SharedBound{whole, 0, part};
    case Measure::hamming: return {2, size - (whole - part), 1};
    default: return {part + whole, part * size, part};
  }
}

// One less than what the formula gives, so that its rounding cannot matter.
std::uint64_t Meter::least_shared_nearer(std::uint64_t size, double bar) const {
  const auto a = static_cast<double>(query_.size()), b = static_cast<double>(size);
  double least = 0;
  switch (plan_->measure) {
    case Measure::containment: least = bar * static_cast<double>(whole(size)); break;
    case Measure::hamming: least = (a + b) / 2 - bar; break;
    default: least = bar * (a + b) / (1 + bar); break;
  }
  return least > 1 ? static_cast<std::uint64_t>(std::ceil(least)) - 1 : 0;
}

std::optional<Match> Meter::nearer_than(Row item, double bar, std::uint64_t most_shared) const {
  if (sets_ == nullptr) return match(item);
  return with_at_least(item, least_shared_nearer(set(item).size(), bar), most_shared);
}

}  // namespace nearkin
