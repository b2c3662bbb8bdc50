#include "routes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include <fmt/format.h>
#include <nearkin/tools/spelling.h>

#include "handlers.h"
#include "target.h"

namespace nearkin::server {
namespace {

template <Reply (*make)(App&, Exchange&)>
void at_once(App& app, std::shared_ptr<Exchange> exchange, Done done) {
  Reply reply = make(app, *exchange);
  std::string().swap(exchange->request.body);
  done(std::move(reply));
}

constexpr auto kJson = Route::Body::json;
constexpr auto kStream = Route::Body::stream;
constexpr auto kHere = Route::Where::here;
constexpr auto kProbe = Route::Where::probe;

constexpr std::array kRoutes = {
    Route{.method = "PUT", .path = "/v1/items/{id}", .handler = put_item, .body = kJson, .writes = true},
    Route{.method = "GET", .path = "/v1/items/{id}", .handler = at_once<get_item>},
    Route{.method = "DELETE", .path = "/v1/items/{id}", .handler = delete_item, .writes = true},
    Route{.method = "GET", .path = "/v1/items", .handler = at_once<list_items>},
    Route{.method = "POST", .path = "/v1/items", .handler = nullptr, .body = kStream, .writes = true},
    Route{.method = "POST", .path = "/v1/delete", .handler = delete_items, .body = kJson, .writes = true},
    Route{.method = "POST", .path = "/v1/backups", .handler = at_once<make_backup>, .body = kJson, .writes = true},
    Route{.method = "POST", .path = "/v1/query", .handler = at_once<query_items>, .body = kJson},
    Route{.method = "POST", .path = "/v1/compare", .handler = at_once<compare_items>, .body = kJson},
    Route{.method = "GET", .path = "/v1/index", .handler = at_once<index_info>, .where = kProbe},
    Route{.method = "GET", .path = "/v1/index/curve", .handler = at_once<index_curve>, .where = kProbe},
    Route{.method = "GET", .path = "/metrics", .handler = at_once<metrics>, .where = kProbe},
    Route{.method = "GET", .path = "/healthz", .handler = at_once<healthy>, .where = kHere, .open = true},
    Route{.method = "GET", .path = "/readyz", .handler = at_once<ready>, .where = kProbe, .open = true},
    Route{.method = "GET", .path = "/openapi.json", .handler = at_once<openapi>, .where = kHere, .open = true},
    Route{.method = "GET", .path = "/", .handler = at_once<page>, .where = kHere, .open = true},
    Route{.method = "GET", .path = "/app.js", .handler = at_once<page>, .where = kHere, .open = true},
    Route{.method = "GET", .path = "/address.js", .handler = at_once<page>, .where = kHere, .open = true},
    Route{.method = "GET", .path = "/served.js", .handler = at_once<page>, .where = kHere, .open = true},
    Route{.method = "GET", .path = "/parts.js", .handler = at_once<page>, .where = kHere, .open = true},
    Route{.method = "GET", .path = "/pair.js", .handler = at_once<page>, .where = kHere, .open = true},
    Route{.method = "GET", .path = "/viewer.js", .handler = at_once<page>, .where = kHere, .open = true},
    Route{.method = "GET", .path = "/shared.js", .handler = at_once<page>, .where = kHere, .open = true},
    Route{.method = "GET", .path = "/shared.css", .handler = at_once<page>, .where = kHere, .open = true},
    Route{.method = "GET", .path = "/style.css", .handler = at_once<page>, .where = kHere, .open = true},
};

constexpr std::string_view kId = "{id}";

/// Where the pattern ends in {id} it stands for one segment: a slash of an id is written %2F.
bool fits(std::string_view pattern, std::string_view path) {
  if (!pattern.ends_with(kId)) return pattern == path;
  pattern.remove_suffix(kId.size());
  return path.starts_with(pattern) && path.find('/', pattern.size()) == std::string_view::npos;
}

std::string id_of(std::string_view pattern, std::string_view path) {
  path.remove_prefix(pattern.size() - kId.size());
  const std::optional<std::string> id = percent_decoded(path);
  if (!id)
    throw Problem(400, fmt::format("id: {} has a percent sign without two hexadecimal digits; a percent sign is written %25", shown(path)));
  if (!is_utf8(*id)) throw Problem(400, fmt::format("id: {} is not UTF-8", shown(path)));
  check_id(*id);
  return *id;
}

const Route& find_route(Request& request) {
  std::string allowed;
  for (const Route& route : kRoutes) {
    if (!fits(route.path, request.path)) continue;
    if (route.method == request.method) {
      if (route.path.ends_with(kId)) request.id = id_of(route.path, request.path);
      return route;
    }
    allowed += fmt::format("{}{}{}", allowed.empty() ? "" : ", ", route.method, route.method == "GET" ? ", HEAD" : "");
  }
  if (allowed.empty()) throw Problem(404, fmt::format("path: there is nothing at {}; /openapi.json lists all paths", shown(request.path)));
  throw Problem(405, fmt::format("method: {} is not allowed for {}; use {}", shown(request.method), shown(request.path), allowed),
                {{"Allow", allowed}});
}

/// Takes the same time wherever the two differ.
bool same_token(std::string_view given, std::string_view token) {
  unsigned different = given.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    different |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(token[i % token.size()]);
  }
  return different == 0;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// The token of the request; empty where it has none.
std::string_view bearer_of(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  const bool bearer = authorization.size() > kScheme.size() && same_word(authorization.substr(0, kScheme.size()), kScheme);
  return bearer ? authorization.substr(kScheme.size()) : std::string_view();
}

void check_token(const ServerOptions& options, std::string_view authorization, bool writes) {
  const std::string_view given = bearer_of(authorization);
  if (!given.empty() && same_token(given, *options.token)) return;
  const bool reads = !given.empty() && options.read_token && same_token(given, *options.read_token);
  if (reads && !writes) return;
  if (reads) throw Problem(403, "token: the one given is for reading only; send the token that may write");
  throw Problem(401,
                fmt::format("token: {}; send \"Authorization: Bearer TOKEN\" with the token the server was started with",
                            authorization.empty() ? "the request has none"
                            : !given.empty()      ? "the one given is not the right one"
                                                  : "it must be a bearer token"),
                {{"WWW-Authenticate", "Bearer realm=\"nearkin\""}});
}

/// All of it where what follows the name is no port.
std::string_view without_port(std::string_view host) {
  const std::size_t bracket = host.starts_with('[') ? host.find(']') : 0, colon = host.find(':', bracket);
  if (bracket == std::string_view::npos || colon == std::string_view::npos) return host;
  return host.find_first_not_of("0123456789", colon + 1) == std::string_view::npos ? host.substr(0, colon) : host;
}

void check_host(const App& app, std::string_view host) {
  if (app.options.token || host.empty() || is_loopback_host(host)) return;
  const std::string_view name = without_port(host);
  for (const std::string& known : app.options.hosts) {
    if (same_word(name, known) || same_word(host, known)) return;
  }
  throw Problem(
      421, fmt::format("host: {} is not a name of this machine; a server without a token answers only to loopback names", shown(host)));
}

/// The charset that a content type names, such as `application/json; charset="utf-8"`; empty if it names none.
std::string_view charset_of(std::string_view type) {
  while (type.find(';') != std::string_view::npos) {
    type.remove_prefix(type.find(';') + 1);
    type.remove_prefix(std::min(type.find_first_not_of(" \t"), type.size()));
    const std::string_view parameter = type.substr(0, type.find_first_of("; \t"));
    const std::size_t equals = parameter.find('=');
    if (equals == std::string_view::npos || !same_word(parameter.substr(0, equals), "charset")) continue;
    const std::string_view value = parameter.substr(equals + 1);
    return value.size() >= 2 && value.front() == '"' && value.back() == '"' ? value.substr(1, value.size() - 2) : value;
  }
  return {};
}

/// Another site's page can send a form or a plain text here, but not JSON.
void check_type(const Route& route, std::string_view type) {
  if (route.body == Route::Body::none) return;
  const std::string_view charset = charset_of(type);
  if (!charset.empty() && !same_word(charset, "utf-8") && !same_word(charset, "us-ascii"))
    throw Problem(415, fmt::format("content type: the charset {} is not utf-8; bodies are JSON in UTF-8", shown(charset)));
  const std::string_view essence = type.substr(0, type.find_first_of("; \t"));
  const bool json = same_word(essence, "application/json");
  const bool stream =
      same_word(essence, "application/x-ndjson") || same_word(essence, "application/ndjson") || same_word(essence, "application/jsonl");
  if (route.body == Route::Body::json ? json : stream) return;
  throw Problem(415, fmt::format("content type: {} is not {}", type.empty() ? "none" : shown(type),
                                 route.body == Route::Body::json ? "application/json" : "application/x-ndjson"));
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

const std::string& name(const Route& route) {
  static const auto all_names = [] {
    std::array<std::string, kRoutes.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = fmt::format("{} {}", kRoutes[i].method, kRoutes[i].path);
    return names;
  }();
  return all_names.at(static_cast<std::size_t>(&route - kRoutes.data()));
}

bool is_loopback_host(std::string_view host) {
  const std::string_view name = without_port(host);
  if (same_word(name, "localhost") || name == "[::1]") return true;
  return name.starts_with("127.") && name.find_first_not_of("0123456789.") == std::string_view::npos;
}

const Route& admit(const App& app, Request& request) {
  check_host(app, request.host);
  const Route& route = find_route(request);
  if (app.options.token && !route.open) check_token(app.options, request.authorization, route.writes);
  check_type(route, request.content_type);
  return route;
}

void answer(App& app, const Route& route, std::shared_ptr<Exchange> exchange, const Done& done) {
  try {
    route.handler(app, std::move(exchange), done);
  } catch (...) {
    done(problem_reply(problem_of(std::current_exception())));
  }
}

}  // namespace nearkin::server
