// Items: put, get, delete, list.
#include <charconv>
#include <unordered_set>

#include <fmt/format.h>

#include <nearkin/tools/spelling.h>

#include "decode.h"
#include "handlers.h"
#include "json_out.h"
#include "target.h"

namespace nearkin::server {
namespace {

constexpr std::size_t kMostListed = 10'000;
constexpr std::size_t kLongestCursor = 4096;  // bytes of the id that it is of

Reply put_reply(const std::string& id, const Outcome& outcome) {
  if (const Problem* problem = std::get_if<Problem>(&outcome)) return problem_reply(*problem);
  const Written& written = std::get<Written>(outcome);
  return {.status = written.known ? 200U : 201U, .body = answer_of(id, "replaced", written)};
}

Reply delete_reply(const std::string& id, const Outcome& outcome) {
  try {
    if (const Problem* problem = std::get_if<Problem>(&outcome)) throw *problem;
    if (!std::get<Written>(outcome).known) refuse_absent(id);
    return {.body = answer_of(id, "removed", std::get<Written>(outcome))};
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

/// {"removed":N,"absent":[…]}
Reply deleted_reply(const std::vector<std::string>& ids, const std::vector<Outcome>& outcomes) {
  std::uint64_t removed = 0;
  std::vector<std::string_view> absent;
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (const Problem* problem = std::get_if<Problem>(&outcomes[i])) return problem_reply(*problem);
    if (!seen.insert(ids[i]).second) continue;
    if (std::get<Written>(outcomes[i]).known)
      ++removed;
    else
      absent.push_back(ids[i]);
  }
  JsonObject object;
  object.add("removed", removed).raw("absent", json_array(absent, [](std::string_view id) { return json_string(id); }));
  return {.body = object.line()};
}

/// The id behind which a list begins; empty: with the first.
std::string start_of(const std::map<std::string, std::string>& fields) {
  if (!fields.contains("cursor")) return fields.contains("after") ? fields.at("after") : "";
  if (fields.contains("after")) throw Problem(400, "query string: both after and cursor are given; send one of them");
  std::optional<std::string> id = id_of_cursor(fields.at("cursor"));
  if (!id || id->empty())
    throw Problem(400, fmt::format("cursor: {} is not a cursor; send \"next\" of the previous page unchanged", shown(fields.at("cursor"))));
  return *std::move(id);
}

struct Page {
  std::vector<std::string> ids;
  bool more = false;
};

/// A page ends early where its ids are very long, and never with an id whose cursor would not fit into a request.
Page page_of(const Index& index, std::string after, std::size_t limit, Charge& charge) {
  constexpr std::size_t kStep = 64, kMostBytes = 1 << 20;
  Page page;
  for (std::size_t bytes = 0;;) {
    const bool full = page.ids.size() >= limit || bytes >= kMostBytes;
    const bool may_end = full && page.ids.back().size() <= kLongestCursor;
    const std::size_t wanted = full ? 1 : std::min(kStep, limit - page.ids.size());
    std::vector<std::string> step = index.ids(after, wanted);
    page.more = !step.empty();
    if (step.empty() || may_end) return page;
    for (std::string& id : step) {
      take_for_answer(charge, 2 * id.size() + 16, "give the server a larger --max-buffered");
      bytes += id.size();
      after = id;
      page.ids.push_back(std::move(id));
    }
  }
}

/// "contains" and "details": a page of items with what tells a person which is which.
Reply list_described(App& app, Exchange& exchange, const std::map<std::string, std::string>& fields, std::size_t limit) {
  ItemsAsk ask{.after = start_of(fields), .limit = limit, .contains = fields.contains("contains") ? fields.at("contains") : ""};
  ItemsPage page = app.index.list(ask);
  // An id that is too long for a cursor is not the last of a page.
  while (page.more && page.last.size() > kLongestCursor) {
    ItemsPage one = app.index.list({.after = page.last, .limit = 1, .contains = ask.contains, .most_read = 1});
    for (ItemSummary& item : one.items) page.items.push_back(std::move(item));
    page.more = one.more;
    page.last = std::move(one.last);
  }
  for (const ItemSummary& item : page.items) {
    take_for_answer(exchange.charge, 2 * (item.id.size() + item.metadata.size() + item.begins.size() + 64),
                    "ask for fewer items with limit");
  }
  JsonObject object;
  object.raw("items", json_array(page.items, [](const ItemSummary& item) {
               JsonObject one;
               one.add("id", item.id);
               if (!item.metadata.empty()) one.raw("metadata", item.metadata);
               if (!item.begins.empty()) one.add("begins", item.begins);
               return one.text();
             }));
  object.raw("next", page.more ? json_string(cursor_of(page.last)) : "null");
  return {.body = object.line()};
}

bool details_of(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  throw Problem(400, fmt::format("details: {} is not true or false", shown(text)));
}

/// A record that the index has in parts.
Reply get_parts(App& app, Exchange& exchange) {
  const std::vector<std::string> parts = app.index.parts(exchange.request.id);
  if (parts.empty()) refuse_absent(exchange.request.id);
  std::size_t bytes = exchange.request.id.size() + 64;
  for (const std::string& part : parts) bytes += part.size() + 4;
  take_for_answer(exchange.charge, 2 * bytes, "give the server a larger --max-buffered");
  JsonObject object;
  object.add("id", exchange.request.id).raw("parts", json_array(parts, [](const std::string& id) { return json_string(id); }));
  return {.body = object.line()};
}

}  // namespace

void put_item(App& app, std::shared_ptr<Exchange> exchange, Done done) {
  Request& request = exchange->request;
  std::vector<PutItem> items;
  items.push_back(decode_item(request.body, app.index.plan(), exchange->charge, request.id));
  std::string().swap(request.body);  // the item holds what is needed of it
  const std::size_t bytes = bytes_of(items.front());
  if (!exchange->charge.set(bytes)) refuse_memory(exchange->charge, bytes);
  app.writer.put(std::move(items), [exchange, done = std::move(done)](const std::vector<Outcome>& outcomes) {
    done(put_reply(exchange->request.id, outcomes.front()));
  });
}

void delete_item(App& app, std::shared_ptr<Exchange> exchange, Done done) {
  app.writer.erase({exchange->request.id}, [exchange, done = std::move(done)](const std::vector<Outcome>& outcomes) {
    done(delete_reply(exchange->request.id, outcomes.front()));
  });
}

void delete_items(App& app, std::shared_ptr<Exchange> exchange, Done done) {
  auto ids = std::make_shared<std::vector<std::string>>(decode_ids(exchange->request.body, exchange->charge));
  app.writer.erase(*ids, [ids, done = std::move(done)](const std::vector<Outcome>& outcomes) { done(deleted_reply(*ids, outcomes)); });
}

Reply get_item(App& app, Exchange& exchange) {
  const std::optional<StoredItem> item = app.index.get(exchange.request.id);
  if (!item) return get_parts(app, exchange);
  const std::size_t bytes = item->id.size() + item->metadata.size() + (item->text ? item->text->size() : 0) + 64;
  take_for_answer(exchange.charge, 2 * bytes, "give the server a larger --max-buffered");  // as it was read, and as JSON
  JsonObject object;
  object.reserve(bytes).add("id", item->id).add("size", item->size);
  if (!item->metadata.empty()) object.raw("metadata", item->metadata);
  if (item->text) object.add("text", *item->text);
  return {.body = object.line()};
}

Reply list_items(App& app, Exchange& exchange) {
  const auto fields = query_fields(exchange.request.query, {"after", "cursor", "limit", "contains", "details"});
  const std::size_t limit = fields.contains("limit") ? limit_of(fields.at("limit")) : 100;
  const bool details = fields.contains("details") && details_of(fields.at("details"));
  if (fields.contains("contains") && !details)
    throw Problem(400, "contains: needs details=true, which shows by what an item was found; add it");
  if (details) return list_described(app, exchange, fields, limit);
  const Page page = page_of(app.index, start_of(fields), limit, exchange.charge);
  JsonObject object;
  object.raw("ids", json_array(page.ids, [](const std::string& id) { return json_string(id); }))
      .raw("next", page.more ? json_string(cursor_of(page.ids.back())) : "null");
  return {.body = object.line()};
}

}  // namespace nearkin::server
