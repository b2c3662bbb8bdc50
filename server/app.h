// What all requests share.
#pragma once

#include <atomic>
#include <string>

#include <nearkin/index.h>

#include "budget.h"
#include "http.h"
#include "log.h"
#include "metrics.h"
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
  std::atomic<bool> stopping{false};
  Writer writer;
};

/// A request on its way, with what it holds of the memory for bodies.
struct Exchange {
  explicit Exchange(Budget& budget) : charge(budget) {}
  Request request;
  Charge charge;
};

/// The S-curve of a plan: [{"similarity":0,"found":0},…], or over distances as far as anything is found.
std::string curve_json(const Plan& plan);

}  // namespace nearkin::server
