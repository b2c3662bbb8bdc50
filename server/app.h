// What all requests share.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include <nearkin/index.h>

#include "budget.h"
#include "http.h"
#include "log.h"
#include "metrics.h"
#include "rate.h"
#include "server.h"
#include "writer.h"

namespace nearkin::server {

struct App {
  App(Index& served, const ServerOptions& chosen);

  Index& index;
  const ServerOptions options;
  const std::string curve;  ///< of the plan, as JSON
  Budget budget;
  Metrics metrics;
  Log log;
  RateLimiter rates;
  std::atomic<bool> stopping{false};  ///< no further request is begun
  std::atomic<bool> ending{false};    ///< those under way end as soon as they can
  std::atomic<bool> backing_up{false};
  Writer writer;
};

inline std::chrono::steady_clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

/// A request on its way, and its answer until the client has taken it, with what they hold of the memory there is.
struct Exchange {
  explicit Exchange(Budget& budget) : charge(budget) {}
  Request request;
  Charge charge;
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
  int socket = -1;  ///< to see whether the client still waits (presence.h)
};

/// The S-curve of a plan: [{"similarity":0,"found":0},…], or over distances as far as anything is found.
std::string curve_json(const Plan& plan);

}  // namespace nearkin::server
