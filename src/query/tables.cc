#include "query/tables.h"

#include <algorithm>
#include <utility>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "base/misuse.h"
#include "base/parallel.h"
#include "collect/prepare_vectors.h"
#include "match/band.h"
#include "query/meter.h"
#include "query/points.h"
#include "theory/chances.h"
#include "theory/plan_check.h"

namespace nearkin {
namespace {

constexpr std::size_t kHashBlock = 256;  // items that one thread hashes in a row

// The filter before the exact distances may make this share of the misses that the recall allows; the tables make the others. A
// neighbour is missed with probability 1 − recall at most, since the two shares add up to it. Both are decided by how near the last of
// the best so far is, which is never nearer than the last of the true ones: so what holds for that one holds for them all.
constexpr double kFilterShare = 0.2;

Road road_of(const Plan& plan, const Points& points) {
  const bool sets = std::holds_alternative<Features>(points);
  const Road exact = sets ? Road::features : Road::all;
  if (plan.sketch.hashes == 0) return exact;
  if (plan.band.rows != 0 && plan.band.bands != 0) return Road::buckets;
  // The nearest sets are found faster by counting what they share than by sketches, and all of them are found.
  return plan.nearest != 0 && plan.band.bands != 0 && !sets ? Road::prefixes : exact;
}

void require_verify(const Plan& plan, Road road) {
  if (plan.verify == Verify::exact || road == Road::all || road == Road::features) return;
  if (plan.nearest != 0) {
    throw Error(ErrorCode::plan, "verify", std::string(name(plan.verify)) + " does not say which are the nearest; use exact");
  }
  const bool share_is_similarity = plan.sketch.family == Family::minhash || plan.sketch.family == Family::weighted_minhash;
  if (plan.verify == Verify::estimate && (!share_is_similarity || is_distance(plan.measure))) {
    throw Error(ErrorCode::plan, "verify",
                "estimate is for jaccard and weighted-jaccard, not " + std::string(name(plan.measure)) + "; use exact or none");
  }
}

std::vector<Row> rows_not_empty(const std::vector<std::uint8_t>& empty) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < empty.size(); ++i) {
    if (empty[i] == 0) rows.push_back(static_cast<Row>(i));
  }
  return rows;
}

// Calls use(i, slots) for every member, i being its place among them.
template <typename Use>
void sketch_members(const TableParts& parts, unsigned threads, Use&& use) {
  std::vector<std::optional<PointHasher>> hashers(threads);
  std::vector<std::vector<std::uint32_t>> slots(threads, std::vector<std::uint32_t>(parts.plan.sketch.hashes));
  parallel_for(parts.members.size(), kHashBlock, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
    if (!hashers[worker]) hashers[worker].emplace(parts.plan.sketch);
    for (std::size_t i = begin; i < end; ++i) {
      hashers[worker]->sketch(*parts.points, parts.members[i], slots[worker].data());
      use(i, slots[worker].data());
    }
  });
}

void build_buckets(TableParts& parts, unsigned threads) {
  const BandPlan& band = parts.plan.band;
  const std::uint32_t hashes = parts.plan.sketch.hashes;
  const bool keep = parts.plan.verify == Verify::estimate;
  std::vector<std::uint32_t> keys(parts.empty.size() * band.bands);
  if (keep) parts.sketches = {.hashes = hashes, .slots = std::vector<std::uint32_t>(parts.empty.size() * hashes), .empty = parts.empty};
  sketch_members(parts, threads, [&](std::size_t i, const std::uint32_t* slots) {
    const std::size_t row = parts.members[i];
    band_keys(slots, band, keys.data() + row * band.bands);
    if (keep) std::copy_n(slots, hashes, parts.sketches.slots.data() + row * hashes);
  });
  parts.buckets.emplace(keys, band.bands, parts.empty, threads);
}

void build_prefixes(TableParts& parts, unsigned threads) {
  const Family family = parts.plan.sketch.family;
  const PrefixShape shape{parts.plan.band.bands, std::min(prefix_depth(family), parts.plan.sketch.hashes / parts.plan.band.bands),
                          digit_bits(family)};
  if (shape.depth == 0) {
    throw Error(ErrorCode::plan, "bands",
                std::to_string(shape.tables) + " tables need as many hashes at least, the sketch has " +
                    std::to_string(parts.plan.sketch.hashes) + "; use more hashes");
  }
  const std::size_t items = parts.members.size();
  std::vector<std::uint64_t> codes(items * shape.tables);
  sketch_members(parts, threads, [&](std::size_t i, const std::uint32_t* slots) {
    std::vector<std::uint64_t> of_item(shape.tables);
    prefix_codes(slots, shape, family, of_item.data());
    for (std::size_t table = 0; table < shape.tables; ++table) codes[table * items + i] = of_item[table];
  });
  parts.prefixes.emplace(shape, std::move(codes), parts.members, threads);
  double failure = 1 - parts.plan.recall;
  const auto* vectors = std::get_if<Vectors>(parts.points.get());
  if (vectors != nullptr && AngleSketches::worth(*vectors, parts.plan.measure)) {
    parts.angles.emplace(*vectors, parts.plan, failure * kFilterShare, threads);
    failure *= 1 - kFilterShare;
  }
  parts.stop.emplace(shape, failure);
}

// Nominal costs in nanoseconds: the choice must not depend on the machine.
bool prefer_codes(const TableParts& parts, Road otherwise) {
  constexpr double kShortCode = 0.75, kLongCode = 10;
  // Where codes are slow, prefixes are hardly ever faster than looking at this share of the items (seen at up to 300,000 of them).
  constexpr double kPrefixesSave = 6;
  constexpr double kMargin = 1.5;
  const auto items = static_cast<double>(parts.members.size());
  const double comparison = 30 + 0.5 * std::get<Vectors>(*parts.points).dimensions;
  const CodeWork work = code_work(parts);
  const double by_codes = items * kShortCode + work.long_codes * kLongCode + work.looked_at * comparison;
  return by_codes * (otherwise == Road::all ? kMargin : kPrefixesSave) < items * comparison;
}

// Codes replace a look at all items, and prefixes, where they are faster. Unlike prefixes they miss nothing.
void build_codes(TableParts& parts, unsigned threads) {
  // Fewer items are compared as fast. Making codes takes as long as some hundred queries that look at every item; without a limit, these
  // are no surprise where the items are few.
  constexpr std::size_t kFewest = 512, kFewestWithin = std::size_t{1} << 14;
  const auto* vectors = std::get_if<Vectors>(parts.points.get());
  if (parts.road != Road::all && parts.road != Road::prefixes) return;
  if (vectors == nullptr || !DirectionCodes::possible(*vectors, parts.plan.measure)) return;
  if (parts.members.size() < (parts.plan.nearest != 0 ? kFewest : kFewestWithin)) return;
  parts.codes.emplace(*vectors, parts.members, parts.plan.measure, threads);
  const Road otherwise = std::exchange(parts.road, Road::codes);
  if (prefer_codes(parts, otherwise)) return;
  parts.road = otherwise;
  parts.codes.reset();
}

TableParts build(std::shared_ptr<const Points> points, const Plan& plan, unsigned threads) {
  if (points == nullptr) throw Error(ErrorCode::plan, "points", "there are none; give a collection, which may be empty");
  require_plan(plan);
  std::visit([](const auto& held) { require_consistent(held); }, *points);
  if (const auto* vectors = std::get_if<Vectors>(points.get())) require_resolution(*vectors, plan);
  TableParts parts;
  parts.points = std::move(points);
  parts.plan = plan;
  parts.road = road_of(plan, *parts.points);
  require_verify(plan, parts.road);
  parts.empty = empty_of(*parts.points, plan.measure);
  parts.members = rows_not_empty(parts.empty);
  if (const auto* vectors = std::get_if<Vectors>(parts.points.get())) parts.norms = norms_of(*vectors, plan.measure);
  require_compared(*parts.points, plan.measure);
  if (parts.road == Road::features) parts.features.emplace(std::get<Features>(*parts.points));
  build_codes(parts, threads);
  if (parts.road == Road::buckets) build_buckets(parts, threads);
  if (parts.road == Road::prefixes) build_prefixes(parts, threads);
  return parts;
}

}  // namespace

void prefix_codes(const std::uint32_t* slots, const PrefixShape& shape, Family family, std::uint64_t* codes) {
  for (std::uint32_t table = 0; table < shape.tables; ++table) {
    std::uint64_t code = 0;
    for (std::uint32_t place = 0; place < shape.depth; ++place) code = code << shape.digit_bits | digit(family, *slots++);
    codes[table] = code;
  }
}

Tables::Tables(Points points, const Plan& plan, unsigned threads)
    : Tables(std::make_shared<const Points>(std::move(points)), plan, threads) {}
Tables::Tables(std::shared_ptr<const Points> points, const Plan& plan, unsigned threads)
    : state_(std::make_unique<const State>(State{build(std::move(points), plan, thread_count(threads))})) {}
Tables::~Tables() = default;
Tables::Tables(Tables&&) noexcept = default;
Tables& Tables::operator=(Tables&&) noexcept = default;

const Plan& Tables::plan() const { return state_->plan; }
const Points& Tables::points() const { return *state_->points; }
std::size_t Tables::size() const { return size_of(*state_->points); }

}  // namespace nearkin
