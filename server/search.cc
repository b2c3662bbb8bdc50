// Queries: the neighbours of what is sent.
#include <chrono>

#include <fmt/format.h>
#include <nearkin/stages.h>
#include <nearkin/tools/theory.h>

#include "decode.h"
#include "handlers.h"
#include "json_out.h"

namespace nearkin::server {
namespace {

IndexAnswer ask(const Index& index, const Question& question) {
  if (const auto* text = std::get_if<std::string>(&question.content)) return index.query(*text, question.ask);
  return index.query(std::get<Vectors>(question.content), 0, question.ask);
}

/// Shingles of a text; numbers, entries or bits of a vector.
std::size_t size_of(const Content& content, const Plan& plan) {
  if (const auto* vector = std::get_if<Vectors>(&content))
    return vector->kind == Vectors::Kind::sparse ? vector->indices.size() : vector->dimensions;
  Items items;
  items.add("", std::get<std::string>(content));
  return shingle(items, plan.shingle)[0].size();
}

std::string hit_json(const Hit& hit, const char* measured_as) {
  JsonObject object;
  object.add("id", hit.id).add(measured_as, hit.similarity);
  if (!hit.metadata.empty()) object.raw("metadata", hit.metadata);
  return object.text();
}

std::string explain_json(const Plan& plan, const Question& question, double seconds) {
  const double border = question.ask.threshold.value_or(is_distance(plan.measure) ? plan.radius : plan.threshold.value());
  JsonObject object;
  object.add("plan", to_string(plan))
      .add("size", size_of(question.content, plan))
      .add("found_at_threshold", found_probability(plan, border));
  return object.raw("seconds", fmt::format("{:.6f}", seconds)).text();
}

}  // namespace

Reply query_items(App& app, Exchange& exchange) {
  const Plan& plan = app.index.plan();
  const Question question = decode_question(exchange.request.body, plan, exchange.charge);
  const auto begin = std::chrono::steady_clock::now();
  const IndexAnswer found = ask(app.index, question);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const char* measured_as = is_distance(plan.measure) ? "distance" : "similarity";
  JsonObject object;
  object.raw("hits", json_array(found.hits, [&](const Hit& hit) { return hit_json(hit, measured_as); }));
  object.add("looked_at", found.looked_at).add("stopped_early", found.stopped_early);
  if (question.explain) object.raw("explain", explain_json(plan, question, seconds.count()));
  return {.body = object.text() + "\n"};
}

}  // namespace nearkin::server
