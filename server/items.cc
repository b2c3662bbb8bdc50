// Items: put, get, delete, list.
#include <charconv>

#include <fmt/format.h>

#include <nearkin/tools/spelling.h>

#include "decode.h"
#include "handlers.h"
#include "json_out.h"
#include "target.h"

namespace nearkin::server {
namespace {

constexpr std::size_t kMostListed = 10'000;

[[noreturn]] void refuse_absent(const std::string& id) {
  throw Problem(404, fmt::format("id: there is no item {}; GET /v1/items lists them", shown(id)));
}

Reply put_reply(const std::string& id, const Outcome& outcome) {
  if (const Problem* problem = std::get_if<Problem>(&outcome)) return problem_reply(*problem);
  const bool replaced = std::get<bool>(outcome);
  return {.status = replaced ? 200U : 201U, .body = JsonObject().add("id", id).add("replaced", replaced).text() + "\n"};
}

Reply delete_reply(const std::string& id, const Outcome& outcome) {
  try {
    if (const Problem* problem = std::get_if<Problem>(&outcome)) throw *problem;
    if (!std::get<bool>(outcome)) refuse_absent(id);
    return {.body = JsonObject().add("id", id).add("removed", true).text() + "\n"};
  } catch (const Problem& problem) {
    return problem_reply(problem);
  }
}

std::size_t limit_of(const std::string& text) {
  std::size_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error != std::errc() || end != text.data() + text.size() || limit == 0 || limit > kMostListed) {
    throw Problem(400, fmt::format("limit: {} is not a whole number from 1 to {}", shown(text), kMostListed));
  }
  return limit;
}

}  // namespace

void put_item(App& app, std::shared_ptr<Exchange> exchange, Done done) {
  Request& request = exchange->request;
  std::vector<PutItem> items;
  items.push_back(decode_item(request.body, app.index.plan(), exchange->charge, request.id));
  std::string().swap(request.body);  // the item holds what is needed of it
  app.writer.put(std::move(items), [exchange, done = std::move(done)](const std::vector<Outcome>& outcomes) {
    done(put_reply(exchange->request.id, outcomes.front()));
  });
}

void delete_item(App& app, std::shared_ptr<Exchange> exchange, Done done) {
  app.writer.erase(exchange->request.id, [exchange, done = std::move(done)](const std::vector<Outcome>& outcomes) {
    done(delete_reply(exchange->request.id, outcomes.front()));
  });
}

Reply get_item(App& app, Exchange& exchange) {
  const std::optional<StoredItem> item = app.index.get(exchange.request.id);
  if (!item) refuse_absent(exchange.request.id);
  JsonObject object;
  object.add("id", item->id).add("size", item->size);
  if (!item->metadata.empty()) object.raw("metadata", item->metadata);
  if (item->text) object.add("text", *item->text);
  return {.body = object.text() + "\n"};
}

Reply list_items(App& app, Exchange& exchange) {
  const auto fields = query_fields(exchange.request.query, {"after", "limit"});
  const std::size_t limit = fields.contains("limit") ? limit_of(fields.at("limit")) : 100;
  const std::string after = fields.contains("after") ? fields.at("after") : "";
  std::vector<std::string> ids = app.index.ids(after, limit + 1);
  const bool more = ids.size() > limit;
  if (more) ids.pop_back();
  JsonObject object;
  object.raw("ids", json_array(ids, [](const std::string& id) { return json_string(id); }))
      .raw("next", more ? json_string(ids.back()) : "null");
  return {.body = object.text() + "\n"};
}

}  // namespace nearkin::server
