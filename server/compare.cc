// Two texts side by side, with what they share.
#include <fmt/format.h>
#include <nearkin/run.h>
#include <nearkin/tools/compare.h>
#include <nearkin/tools/spelling.h>

#include "decode.h"
#include "handlers.h"
#include "json_out.h"

namespace nearkin::server {
namespace {

/// Of long texts the beginning is shown.
constexpr std::size_t kMostShown = 1'000'000;
constexpr std::size_t kPassages = 5;

std::string text_of(const Index& index, const Side& side, Charge& charge) {
  if (!side.is_id) return side.value;
  std::optional<StoredItem> item = index.get(side.value);
  if (!item) throw Problem(404, fmt::format("id: there is no item {}; GET /v1/items lists them", shown(side.value)));
  if (!item->text)
    throw Problem(409, fmt::format("id: the text of {} is not kept; create the index with --store-texts", shown(side.value)));
  take_for_answer(charge, item->text->size(), "give the server a larger --max-buffered");
  return std::move(*item->text);
}

std::string part_json(std::string_view text, bool shared) { return JsonObject().add("text", text).add("shared", shared).text(); }

std::string parts_json(const MarkedText& marked) {
  const std::string_view text = marked.text;
  std::vector<std::string> parts;
  std::size_t at = 0;
  for (const MarkedText::Stretch& stretch : marked.shared) {
    if (stretch.begin > at) parts.push_back(part_json(text.substr(at, stretch.begin - at), false));
    parts.push_back(part_json(text.substr(stretch.begin, stretch.end - stretch.begin), true));
    at = stretch.end;
  }
  if (at < text.size()) parts.push_back(part_json(text.substr(at), false));
  return json_array(parts, [](const std::string& part) -> const std::string& { return part; });
}

std::string side_json(const Side& side, const MarkedText& marked) {
  JsonObject object;
  if (side.is_id) object.add("id", side.value);
  object.raw("parts", parts_json(marked)).add("normalised", marked.normalised).add("left_out", marked.left_out);
  return object.text();
}

}  // namespace

Reply compare_items(App& app, Exchange& exchange) {
  const Plan& plan = app.index.plan();
  if (plan.kind != Kind::shingles)
    throw Problem(409, "index: it holds vectors, which have no texts to show side by side; POST /v1/query measures them");
  const SideBySide sides = decode_sides(exchange.request.body, exchange.charge);
  const std::string a = text_of(app.index, sides.a, exchange.charge), b = text_of(app.index, sides.b, exchange.charge);
  const Comparison c = compare(a, b, plan, kPassages);
  const MarkedPair marked = mark_shared(a, b, plan.shingle, kMostShown);
  JsonObject object;
  object.add(is_distance(plan.measure) ? "distance" : "similarity", c.similarity).add("estimate", c.estimate);
  object.add("shared", c.shared).add("total", c.total).add("a_size", c.a_size).add("b_size", c.b_size);
  object.add("found", c.found).add("candidate", c.candidate);
  object.raw("passages", json_array(c.passages, [](const std::string& passage) { return json_string(passage); }));
  object.raw("a", side_json(sides.a, marked.a)).raw("b", side_json(sides.b, marked.b));
  return {.body = object.line()};
}

}  // namespace nearkin::server
