// Queries: the neighbours of what is sent.
#include <chrono>

#include <fmt/format.h>
#include <nearkin/stages.h>
#include <nearkin/tools/theory.h>

#include "decode.h"
#include "ending.h"
#include "handlers.h"
#include "json_out.h"

namespace nearkin::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kLessPlease = "ask with a lower limit, or without metadata";

/// Charged for the answers it brings.
IndexAnswer ask(const Index& index, Question& question, Charge& charge, Ending& ending) {
  question.ask.stop = [&ending] { return ending.is_due(); };
  question.ask.before_hit = [&charge](std::size_t bytes) { take_for_answer(charge, bytes, kLessPlease); };
  if (ending.is_due()) return {.hits = {}, .looked_at = 0, .stopped_early = true, .stopped = true};
  if (!question.like.empty()) {
    std::optional<IndexAnswer> found = index.neighbours(question.like, question.ask);
    if (!found) refuse_absent(question.like);
    return *std::move(found);
  }
  if (const auto* text = std::get_if<std::string>(&question.content)) return index.query(*text, question.ask);
  return index.query(std::get<Vectors>(question.content), 0, question.ask);
}

/// Shingles of a text; numbers, entries or bits of a vector.
std::size_t size_of(const Question& question, const Index& index) {
  const Plan& plan = index.plan();
  const Content& content = question.content;
  if (!question.like.empty()) {
    const std::optional<StoredItem> item = index.get(question.like);
    return item ? item->size : 0;  // it may have been removed meanwhile
  }
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

/// The memory of a hit goes when it is written.
std::string hits_json(std::vector<Hit> hits, const char* measured_as, Charge& charge) {
  std::size_t bytes = 2;
  for (const Hit& hit : hits) bytes += hit.id.size() + hit.metadata.size() + 64;
  take_for_answer(charge, bytes, kLessPlease);
  std::string out = "[";
  out.reserve(bytes);
  for (Hit& hit : hits) {
    if (out.size() > 1) out += ',';
    out += hit_json(hit, measured_as);
    hit = {};
  }
  return out += ']';
}

std::string explain_json(const Index& index, const Question& question, double seconds) {
  const Plan& plan = index.plan();
  const double border = question.ask.threshold.value_or(is_distance(plan.measure) ? plan.radius : plan.threshold.value());
  JsonObject object;
  object.add("plan", to_string(plan)).add("size", size_of(question, index)).add("found_at_threshold", found_probability(plan, border));
  return object.raw("seconds", fmt::format("{:.6f}", seconds)).text();
}

/// A problem that brings what was found.
Reply partial_reply(const Problem& problem, const std::string& hits, const IndexAnswer& found) {
  Reply reply = problem_reply(problem);
  JsonObject object;
  object.add("type", "about:blank").add("title", reason(problem.status())).add("status", problem.status()).add("detail", problem.what());
  object.add("partial", true).raw("hits", hits).add("looked_at", found.looked_at);
  reply.body = object.line();
  return reply;
}

}  // namespace

Reply query_items(App& app, Exchange& exchange) {
  const Plan& plan = app.index.plan();
  Question question = decode_question(exchange.request.body, plan, exchange.charge);
  Ending ending(app, exchange, "ask for less, such as a higher threshold or max_candidates");
  const auto begin = Clock::now();
  IndexAnswer found = ask(app.index, question, exchange.charge, ending);
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  const std::string hits = hits_json(std::move(found.hits), is_distance(plan.measure) ? "distance" : "similarity", exchange.charge);
  if (found.stopped) return partial_reply(Problem(503, ending.reason()), hits, found);
  JsonObject object;
  object.reserve(hits.size() + 256).raw("hits", hits);
  object.add("looked_at", found.looked_at).add("stopped_early", found.stopped_early);
  if (question.explain) object.raw("explain", explain_json(app.index, question, seconds.count()));
  return {.body = object.line()};
}

}  // namespace nearkin::server
