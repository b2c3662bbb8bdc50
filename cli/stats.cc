#include "stats.h"

#include <algorithm>
#include <thread>

#include <nearkin/tools/front_end.h>

#include "options.h"

namespace nearkin::cli {
namespace {

std::string seconds_json(const RunStats& stats) {
  JsonObject seconds;
  for (const auto& [stage, time] : stats.seconds) seconds.raw(stage, fmt::format("{:.6f}", time));
  return seconds.text();
}

// Six decimals; only 1 is 1.
std::string share_json(double share) { return fmt::format("{:.6f}", share < 1 ? std::min(share, 0.999999) : share); }

JsonObject interval_json(const Recall& recall, const char* method) {
  return JsonObject()
      .raw("estimate", share_json(recall.estimate))
      .raw("low", share_json(recall.low))
      .raw("high", share_json(recall.high))
      .add("method", method);
}

std::string audit_json(const Audit& audit) {
  JsonObject object = interval_json(audit.recall, "audit");
  object.add("items", audit.items).add("true_pairs", audit.true_pairs).add("found", audit.found);
  if (audit.item_recall) {
    JsonObject of_items = interval_json(*audit.item_recall, "audit");
    object.raw("item_recall", of_items.add("removable", audit.removable).add("removed", audit.removed).text());
  }
  return object.text();
}

unsigned threads_used(const ParsedArgs& typed) {
  const unsigned threads = threads_of(typed);
  return threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

std::string buckets_json(const BucketNotes& notes) {
  return JsonObject().add("large", notes.large).add("largest", notes.largest).add("not_compared", notes.not_compared).text();
}

std::string recall_json(const Recall& recall, const Plan& plan) {
  return interval_json(recall, plan.sketch.hashes == 0 ? "exact" : "inverse-probability").text();
}

void write_stats(const ParsedArgs& typed, const Plan* plan, const RunStats& stats, const JsonObject& own, Searched searched) {
  if (!typed.stats) return;
  JsonObject object;
  if (plan) object.add("plan", to_string(*plan));
  object.add("items", stats.items).add("skipped", stats.faults.count - stats.faults.kept);
  if (stats.faults.kept > 0) object.add("kept_at_fault", stats.faults.kept);
  object.add("binary", stats.faults.binary);
  if (stats.faults.no_texts > 0) object.add("no_texts", stats.faults.no_texts);
  object.add("empty", stats.empty);
  if (plan && plan->shingle.ignored) object.add("ignored", ignored_count(plan->shingle));
  if (plan && searched == Searched::pairs) object.add("copies", stats.copies);
  if (plan && searched == Searched::pairs && stats.every_pair) object.add("candidates", stats.candidates).add("pairs", stats.pairs);
  if (searched == Searched::neighbours && stats.candidates > 0) object.add("candidates", stats.candidates);
  object.append(own);
  if (plan && stats.recall) object.raw("recall", recall_json(*stats.recall, *plan));
  if (plan && stats.item_recall) object.raw("item_recall", recall_json(*stats.item_recall, *plan));
  if (stats.audit) object.raw("audit", audit_json(*stats.audit));
  if (plan && searched == Searched::pairs) object.raw("buckets", buckets_json(stats.buckets));
  object.raw("seconds", seconds_json(stats));
  if (stats.peak_bytes > 0) object.add("peak_bytes", stats.peak_bytes).add("scratch_bytes", stats.scratch_bytes);
  if (stats.resumed > 0) object.add("resumed", stats.resumed);
  object.add("threads", threads_used(typed));
  write_text(object.text() + "\n", *typed.stats);
}

}  // namespace nearkin::cli
