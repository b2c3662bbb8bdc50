#include "query/asking.h"
#include "theory/numbers.h"

#include <fmt/format.h>

#include <nearkin/error.h>

namespace nearkin {
namespace {

constexpr std::size_t kBatch = 256;        // items that are measured together
constexpr std::uint32_t kStopSteps = 256;  // items between two questions whether to stop

bool reaches(const Match& match, Ratio threshold) { return match.shared * threshold.denominator >= match.total * threshold.numerator; }

[[noreturn]] void refuse(const char* subject, const std::string& message) { throw Error(ErrorCode::plan, subject, message); }

// The plan with the border that was asked for.
Plan with_border(const Plan& plan, double border) {
  Plan asked = plan;
  if (plan.nearest != 0) refuse("threshold", "the plan asks for the nearest, however far they are; leave it out");
  if (is_distance(plan.measure)) {
    if (border > plan.radius || !(border >= 0))
      refuse("radius",
             fmt::format("{} is more than the index was made for, {}; create another index with this radius", border, plan.radius));
    asked.radius = border;
    return asked;
  }
  asked.threshold = border_ratio(border, "threshold");
  if (asked.threshold.value() >= plan.threshold.value()) return asked;
  refuse("threshold", to_string(asked.threshold) + " is less than the index was made for, " + to_string(plan.threshold) +
                          "; create another index with this threshold");
}

}  // namespace

void ItemSource::sift(std::vector<Row>&, const Plan&, const BestMatches&) {}
bool ItemSource::may_answer(std::size_t) { return true; }

bool Asking::start(const Points& queries, Row row, const Ask& ask, ItemSource& source) {
  if (ask.threshold) bordered_ = with_border(plan_, *ask.threshold);
  asked_ = ask.threshold ? &bordered_ : &plan_;
  ask_ = &ask;
  queries_ = &queries;
  row_ = row;
  source_ = &source;
  aimed_ = false;
  met_.clear();
  batch_.clear();
  answer_ = {};
  const std::uint32_t nearest = plan_.nearest;
  best_.start(nearest != 0 && ask.limit != 0 ? std::min(nearest, ask.limit) : std::max(nearest, ask.limit), plan_.measure);
  return !is_empty(queries, row, plan_.measure);
}

bool Asking::take(Row row) {
  if (row == ask_->except) return true;
  if (answer_.looked_at == ask_->max_candidates) {
    answer_.stopped_early = true;
    return false;
  }
  ++answer_.looked_at;
  batch_.push_back(row);
  return true;
}

bool Asking::ended() {
  if (answer_.stopped || !ask_->stop || ++steps_ % kStopSteps != 0) return answer_.stopped;
  answer_.stopped = ask_->stop();
  answer_.stopped_early = answer_.stopped_early || answer_.stopped;
  return answer_.stopped;
}

bool Asking::meet(std::span<const Row> rows) {
  return std::all_of(rows.begin(), rows.end(), [&](Row row) { return !ended() && (!met_.insert(row) || take(row)); });
}

bool Asking::meet_each_once(std::span<const Row> rows) {
  const bool go_on = std::all_of(rows.begin(), rows.end(), [&](Row row) { return !ended() && (met_.contains(row) || take(row)); });
  if (batch_.size() >= kBatch) look();
  return go_on;
}

bool Asking::look_in_buckets(std::span<const std::uint32_t> keys) {
  for (std::uint32_t band = 0; band < keys.size(); ++band) {
    if (!source_->meet_bucket(*this, band, keys[band])) return false;
    if (batch_.size() >= kBatch) look();
  }
  return true;
}

void Asking::look() {
  source_->sift(batch_, *asked_, best_);
  std::span<const Row> rest = batch_;
  while (!rest.empty() && !answer_.stopped) {
    const HeldItems held = source_->hold(rest);
    measure(held, rest.first(held.count));
    rest = rest.subspan(held.count);
  }
  answer_.looked_at -= rest.size();
  batch_.clear();
}

void Asking::aim(const HeldItems& held) {
  if (!held.by_row || !aimed_) meter_.aim(*queries_, row_, held, *asked_, ask_->share_of);
  aimed_ = true;
}

SharedBound Asking::shared_bound() {
  aim(source_->hold({}));
  if (asked_->nearest == 0) return meter_.bound_inside();
  return best_.full() ? meter_.bound_nearer(best_.last()) : SharedBound{};
}

bool Asking::compare(Row row, std::uint64_t most_shared, bool trust) {
  if (ended() || !take(row)) return false;
  if (batch_.empty()) return true;  // the row that is no answer
  batch_.clear();
  if (trust) {
    best_.offer(meter_.with_shared(row, most_shared));
  } else if (const std::optional<Match> match = match_with(source_->hold(std::span(&row, 1)), row, most_shared)) {
    best_.offer(*match);
  }
  return true;
}

bool Asking::confirmed() {
  const Matches& kept = best_.kept();
  if (std::all_of(kept.begin(), kept.end(), [&](const Match& match) { return meter_.match(match.b) == match; })) return true;
  best_.forget();
  answer_ = {};
  return false;
}

void Asking::measure_nearest(std::span<const Row> rows) {
  values_.resize(rows.size());
  meter_.values(rows, values_);
  for (std::size_t i = 0; i < rows.size() && !ended(); ++i) {
    if (source_->may_answer(i)) best_.offer({row_, rows[i], 0, 0, values_[i]});
  }
}

void Asking::measure(const HeldItems& held, std::span<const Row> rows) {
  aim(held);
  if (asked_->nearest != 0 && held.by_row && meter_.compares_vectors()) return measure_nearest(rows);
  for (std::size_t i = 0; i < rows.size() && !ended(); ++i) {
    std::optional<Match> match = match_with(held, held.by_row ? rows[i] : static_cast<Row>(i));
    if (!match || !source_->may_answer(i)) continue;
    match->b = rows[i];
    best_.offer(*match);
  }
}

std::optional<Match> Asking::match_with(const HeldItems& held, Row item, std::uint64_t most_shared) const {
  if (asked_->nearest != 0) return best_.full() ? meter_.nearer_than(item, best_.bar(), most_shared) : meter_.match(item);
  switch (held.verify) {
    case Verify::exact: return meter_.inside(item, most_shared);
    case Verify::none: return meter_.unverified(item);
    case Verify::estimate: break;
  }
  const Match match = meter_.estimated(item, slots_, (*held.sketches)[item]);
  return reaches(match, asked_->threshold) ? std::optional(match) : std::nullopt;
}

Answer Asking::finish() {
  look();
  answer_.hits = best_.take();
  return std::move(answer_);
}

}  // namespace nearkin
