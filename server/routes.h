// The routes, and what a request must bring to be let in.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "app.h"

namespace nearkin::server {

using Done = std::function<void(Reply)>;
/// Calls `done` once, now or later, from any thread; or throws.
using Handler = void (*)(App& app, std::shared_ptr<Exchange> exchange, Done done);

struct Route {
  enum class Body { none, json, stream };
  enum class Where {
    here,    ///< at once, by the thread that carries bytes: it cannot wait for anything
    worker,  ///< by a thread that may wait for the index
    probe,   ///< the same, and never behind those: it takes no time to speak of
  };
  std::string_view method, path;  ///< "PUT", "/v1/items/{id}"
  Handler handler = nullptr;      ///< null: the body is a stream (bulk.h)
  Body body = Body::none;
  Where where = Where::worker;
  bool open = false;    ///< needs no token
  bool writes = false;  ///< the token for reading is not enough
};
std::span<const Route> routes();
/// "PUT /v1/items/{id}"; of one of routes().
const std::string& name(const Route& route);

/// The route of a request, whose id it fills in. Throws Problem: 404, 405 with Allow, 421, 401, 403, 415.
const Route& admit(const App& app, Request& request);
/// Runs the handler; what it throws becomes an answer.
void answer(App& app, const Route& route, std::shared_ptr<Exchange> exchange, const Done& done);

/// Whether a Host field names this machine: localhost, a loopback address.
bool is_loopback_host(std::string_view host);

}  // namespace nearkin::server
