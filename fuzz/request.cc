// Bytes of a client: parsed as a connection does, admitted, answered over a tiny index; and as the body of each route that takes one.
#include <filesystem>
#include <future>
#include <memory>
#include <string>

#include <nearkin/nearkin.h>

#include "server/bulk.h"
#include "server/incoming.h"
#include "server/routes.h"
#include "support.h"

namespace nearkin::fuzz {
namespace {

using namespace nearkin::server;

/// An index of texts and one of vectors, in a folder that is removed at the end.
class Served {
 public:
  explicit Served(const char* name, const Plan& plan, const IndexOptions& options)
      : place_(name),
        index_(Index::create(place_.path(), plan, options)),
        app_(index_, {.limits = {.header_bytes = 2048, .body_bytes = 4096, .buffered_bytes = 1 << 20}, .log = [](const std::string&) {}}) {}
  App& app() { return app_; }

 private:
  InputFile place_;
  Index index_;
  App app_;
};

App& texts() {
  static Served served("texts", tune({.threshold = 0.5}, {.shingle = ShinglePlan{.size = 1}}), {.texts = true});
  return served.app();
}
App& vectors() {
  static Served served("vectors", tune({.measure = Measure::cosine, .threshold = 0.9}, {.kind = Kind::numbers}), {});
  return served.app();
}

void check(const Reply& reply) {
  require(reply.status >= 200 && reply.status < 600 && reply.status != 500, "what a client sends is never the server's fault");
  require(!reason(reply.status).empty(), "every status has a reason");
  const std::string head = head_text(reply, {});
  require(head.find("\r\n\r\n") == head.size() - 4, "a header has one end");
}

Reply answer_of(App& app, const Route& route, std::shared_ptr<Exchange> exchange) {
  std::promise<Reply> promise;
  answer(app, route, std::move(exchange), [&](Reply reply) { promise.set_value(std::move(reply)); });
  return promise.get_future().get();
}

void put_all(App& app, std::string_view body) {
  Charge charge(app.budget);
  LineSplitter splitter(app.options.limits.body_bytes, charge);
  const std::size_t cut = body.size() / 3;
  splitter.feed(body.substr(0, cut));
  splitter.feed(body.substr(cut));
  splitter.end();
  std::promise<std::string> promise;
  const std::vector<BulkLine> lines = splitter.take();
  const std::size_t count = lines.size();
  put_lines(app, lines, charge, [&](std::string answers) { promise.set_value(std::move(answers)); });
  const std::string answers = promise.get_future().get();
  require(static_cast<std::size_t>(std::count(answers.begin(), answers.end(), '\n')) == count, "a line has one answer");
  require(charge.held() == 0, "nothing is held once a body was answered");
}

void handle(App& app, Request request) {
  try {
    const auto exchange = std::make_shared<Exchange>(app.budget);
    exchange->request = std::move(request);
    const Route& route = admit(app, exchange->request);
    if (route.body == Route::Body::stream)
      put_all(app, exchange->request.body);
    else
      check(answer_of(app, route, exchange));
  } catch (const Problem& problem) {
    check(problem_reply(problem));
  }
}

/// The body may come with or without chunks, whole or not.
void as_bytes(App& app, std::string_view bytes) {
  try {
    Incoming incoming(app.options.limits);
    for (std::size_t used = 1; used > 0 && !incoming.has_head() && !bytes.empty(); bytes.remove_prefix(used))
      used = incoming.put_head(bytes);
    if (!incoming.has_head()) return;
    Request request = incoming.head();
    incoming.check_length();
    const auto keep = [&](std::string_view part) {
      if (request.body.size() + part.size() > app.options.limits.body_bytes) refuse_length(app.options.limits);
      request.body += part;
    };
    for (std::size_t used = 1; used > 0 && !incoming.is_complete() && !bytes.empty(); bytes.remove_prefix(used)) {
      used = incoming.put_body(bytes, keep);
    }
    handle(app, std::move(request));
  } catch (const Problem& problem) {
    check(problem_reply(problem));
  }
}

void as_body(App& app, const char* method, const char* path, std::string_view body, const char* type = "application/json") {
  handle(app, {.method = method,
               .path = path,
               .query = {},
               .id = {},
               .host = {},
               .authorization = {},
               .content_type = type,
               .body = std::string(body)});
}

}  // namespace
}  // namespace nearkin::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nearkin::fuzz;
  const std::string_view bytes = bytes_of(data, size);
  as_bytes(texts(), bytes);
  if (bytes.find('{') == std::string_view::npos) return 0;
  for (auto* app : {&texts, &vectors}) {
    as_body(app(), "PUT", "/v1/items/a", bytes);
    as_body(app(), "POST", "/v1/query", bytes);
    as_body(app(), "POST", "/v1/items", bytes, "application/x-ndjson");
  }
  as_body(texts(), "POST", "/v1/compare", bytes);
  return 0;
}
