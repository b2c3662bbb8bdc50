// An explanation as one JSON object.
#include <cmath>

#include <fmt/format.h>

#include <nearkin/tools/compare.h>
#include <nearkin/tools/spelling.h>

#include "explanation.h"
#include "json.h"
#include "safe_text.h"

namespace nearkin::cli {
namespace {

std::string hex32(std::uint32_t value) { return json_string(fmt::format("{:08x}", value)); }

/// The first elements, as many as are wanted.
template <typename ToJson>
std::string first_of(std::size_t count, std::size_t most, ToJson to_json) {
  std::string out;
  for (std::size_t i = 0; i < std::min(count, most); ++i) out += (i == 0 ? "" : ",") + to_json(i);
  return "[" + out + "]";
}

const char* key_letter(std::size_t item) { return item == 0 ? "a" : "b"; }

std::string item_json(const ExplainedItem& item, const ExplainLimits& limits) {
  JsonObject object;
  if (!item.name.empty()) object.add("name", valid_text(item.name, SIZE_MAX));
  object.add("bytes", item.text.size()).add("text", valid_text(item.text, limits.characters));
  object.add("normalised", valid_text(item.spans.normalised, limits.characters));
  object.add("shingles", item.spans.spans.size()).add("counted", item.size);
  if (item.ignored > 0) object.add("ignored", item.ignored);
  return object.text();
}

std::string shingle_json(const Explanation& e, std::size_t i, const ExplainLimits& limits) {
  const ExplainedShingle& shingle = e.shingles[i];
  JsonObject object;
  object.add("number", i + 1).add("shingle", valid_text(e.text_of(shingle), limits.characters));
  object.add("hash", fmt::format("{:016x}", shingle.feature));
  for (std::size_t item = 0; item < e.items.size(); ++item) object.add(fmt::format("in_{}", key_letter(item)), shingle.times[item]);
  return object.text();
}

std::string slot_json(const Explanation& e, std::size_t slot) {
  JsonObject object;
  object.add("slot", slot + 1);
  for (std::size_t i = 0; i < e.items.size(); ++i) {
    const ExplainedItem& item = e.items[i];
    if (item.slots.empty()) continue;
    JsonObject part;
    part.raw("value", hex32(item.slots[slot])).add("shingle", e.places.at(item.origins[slot].element) + 1);
    object.raw(key_letter(i), part.add("thrown", item.origins[slot].round.has_value()).text());
  }
  if (e.slots_compare()) object.add("same", e.same_slot(slot));
  return object.text();
}

std::string band_json(const Explanation& e, std::size_t band) {
  JsonObject object;
  object.add("band", band + 1);
  const std::size_t height = e.plan.band.rows;
  for (std::size_t i = 0; i < e.items.size(); ++i) {
    const ExplainedItem& item = e.items[i];
    if (item.buckets.empty()) continue;
    JsonObject part;
    part.raw("rows", first_of(height, height, [&](std::size_t row) { return hex32(item.slots[band * height + row]); }));
    object.raw(key_letter(i), part.raw("bucket", hex32(item.buckets[band])).text());
  }
  if (e.buckets_compare()) object.add("same", e.same_bucket(band));
  return object.text();
}

void add_comparison(const Explanation& e, JsonObject& object) {
  const Comparison& c = *e.comparison;
  object.add("similarity", c.similarity).add("shared", c.shared).add("total", c.total);
  if (!e.slots_compare()) return;
  const double slots = e.plan.sketch.hashes;
  const double jaccard = static_cast<double>(c.shared) / static_cast<double>(c.a_size + c.b_size - c.shared);
  object.add("equal_slots", e.equal_slots()).add("estimate", static_cast<double>(e.equal_slots()) / slots);
  object.add("standard_error", std::sqrt(jaccard * (1 - jaccard) / slots)).add("found", c.found);
  if (e.buckets_compare()) object.add("candidate", c.candidate);
}

}  // namespace

std::string explanation_json(const Explanation& e, const ExplainLimits& limits) {
  JsonObject object;
  object.add("plan", to_string(e.plan));
  for (std::size_t i = 0; i < e.items.size(); ++i) object.raw(key_letter(i), item_json(e.items[i], limits));
  object.add("shingles_in_all", e.shingles.size());
  object.raw("shingles", first_of(e.shingles.size(), limits.rows, [&](std::size_t i) { return shingle_json(e, i, limits); }));
  if (e.sketched()) object.raw("slots", first_of(e.plan.sketch.hashes, limits.rows, [&](std::size_t i) { return slot_json(e, i); }));
  if (e.sketched()) object.raw("bands", first_of(e.plan.band.bands, limits.rows, [&](std::size_t i) { return band_json(e, i); }));
  if (e.two()) add_comparison(e, object);
  return object.text() + "\n";
}

}  // namespace nearkin::cli
