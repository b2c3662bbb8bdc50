// What the server says of itself and of its index; the page.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>
#include <nearkin/tools/theory.h>

#include "assets.h"
#include "handlers.h"
#include "json_out.h"

namespace nearkin::server {
namespace {

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action "
    "'self'; "
    "frame-ancestors 'none'";

/// Where the curve ends: distances are shown up to where one pair in fifty is found, and at least to twice the radius.
double far_end(const Plan& plan) {
  if (!is_distance(plan.measure)) return 1;
  if (has_share_radius(plan)) return 1;
  if (plan.measure == Measure::hamming && plan.sketch.dimensions > 0) return plan.sketch.dimensions;
  double far = 2 * plan.radius;
  for (int doublings = 0; doublings < 30 && far > 0 && !plan.exact_join() && found_probability(plan, far) > 0.02; ++doublings) far *= 2;
  return far;
}

}  // namespace

App::App(Index& served, const ServerOptions& chosen)
    : index(served),
      options(chosen),
      curve(curve_json(served.plan())),
      budget(chosen.limits.buffered_bytes),
      log(chosen.log),
      rates(chosen.limits.requests_per_second),
      writer(served) {}

std::string curve_json(const Plan& plan) {
  if (plan.exact_join()) return "[]";
  constexpr int kSteps = 100;
  const bool distance = is_distance(plan.measure), whole = plan.measure == Measure::hamming && !has_share_radius(plan);
  const double far = far_end(plan), step = whole ? std::max(1.0, std::round(far / kSteps)) : far / kSteps;
  std::string points;
  for (int i = 0; i * step <= far * (1 + 1e-9); ++i) {
    const double x = i * step;
    points += fmt::format("{}{{\"{}\":{:.6g},\"found\":{:.6f}}}", i == 0 ? "" : ",", distance ? "distance" : "similarity", x,
                          has_share_radius(plan) ? found_at_share(plan, x) : found_probability(plan, x));
  }
  return "[" + points + "]";
}

Reply index_info(App& app, Exchange&) {
  const IndexInfo info = app.index.info();
  const Plan& plan = info.plan;
  JsonObject object;
  object.add("plan", to_string(plan)).add("measure", name(plan.measure));
  if (is_distance(plan.measure))
    object.add("radius", plan.radius);
  else
    object.raw("threshold", to_string(plan.threshold));
  object.add("recall", plan.recall)
      .add("items", info.items)
      .add("empty", info.empty)
      .add("bytes", info.bytes)
      .add("free_bytes", info.free_bytes);
  object.add("texts", info.texts);
  if (info.unit.divides()) object.add("unit", to_string(info.unit));
  if (info.directed != Directed::no) object.add("directed", name(info.directed));
  if (!info.vectors.empty()) object.add("vectors", info.vectors);
  object.raw("curve", app.curve).add("version", version());
  return {.body = object.text() + "\n"};
}

/// For the page, which shows it as the page of a run does.
Reply index_curve(App& app, Exchange&) { return {.type = "text/html; charset=utf-8", .body = curve_html(app.index.plan())}; }

Reply healthy(App&, Exchange&) { return {.type = "text/plain; charset=utf-8", .body = "ok\n"}; }

Reply ready(App& app, Exchange&) {
  if (app.stopping) throw Problem(503, "server: it is stopping");
  if (const std::optional<Problem> failing = app.writer.trouble())
    throw Problem(503, fmt::format("index: the last write failed, {}", failing->what()));
  try {
    app.index.info();
  } catch (const std::exception& failure) {
    throw Problem(503, failure.what());
  }
  return {.type = "text/plain; charset=utf-8", .body = "ok\n"};
}

Reply metrics(App& app, Exchange&) {
  const IndexInfo info = app.index.info();
  std::string text = app.metrics.text();
  text += metric_text("nearkin_items", "gauge", "Items of the index.", static_cast<double>(info.items));
  text += metric_text("nearkin_index_bytes", "gauge", "Bytes of the index on disk.", static_cast<double>(info.bytes));
  text += metric_text("nearkin_index_free_bytes", "gauge", "Of these, not in use.", static_cast<double>(info.free_bytes));
  text += metric_text("nearkin_buffered_bytes", "gauge", "Bytes held for requests and answers.", static_cast<double>(app.budget.used()));
  text += metric_text("nearkin_writes_failing", "gauge", "1: the last write failed.", app.writer.trouble() ? 1 : 0);
  text += metric_text("nearkin_log_dropped_total", "counter", "Log lines that were dropped because nobody read them in time.",
                      static_cast<double>(app.log.dropped()));
  return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = std::move(text)};
}

/// A server without a token asks for none.
Reply openapi(App& app, Exchange&) {
  constexpr std::string_view kNeedsToken = "    \"security\": [{\"token\": []}],\n";
  std::string document(embedded("openapi.json"));
  if (!app.options.token) {
    for (std::size_t at = 0; (at = document.find(kNeedsToken, at)) != std::string::npos;) document.erase(at, kNeedsToken.size());
  }
  return {.body = std::move(document)};
}

/// The scripts that the page has in common with the report of a run, where they are no modules, as one.
std::string shared_module() {
  std::string module;
  for (const char* const name : {"elements.js", "diff.js", "sides.js"}) module += embedded(name);
  return module + "\nexport { all, one, make, draw, button, whole, counted, visible, sideBySide, differencesOnly };\n";
}

std::string shared_style() {
  std::string style;
  for (const char* const name : {"colours.css", "chart.css", "picture.css", "sides.css"}) style += embedded(name);
  return style;
}

std::string page_file(std::string_view path) {
  if (path == "/shared.js") return shared_module();
  if (path == "/shared.css") return shared_style();
  return std::string(embedded(path == "/" ? "index.html" : path.substr(1)));
}

Reply page(App&, Exchange& exchange) {
  const std::string_view path = exchange.request.path;
  const char* type = path == "/" ? "text/html" : path.ends_with(".js") ? "text/javascript" : "text/css";
  return {.type = fmt::format("{}; charset=utf-8", type),
          .body = page_file(path),
          .headers = {{"Content-Security-Policy", kPolicy}, {"Referrer-Policy", "no-referrer"}, {"Cache-Control", "no-cache"}}};
}

}  // namespace nearkin::server
