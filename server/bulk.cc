#include "bulk.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "decode.h"
#include "json_out.h"

namespace nearkin::server {

void LineSplitter::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    extend(bytes.substr(0, end));
    if (end == std::string_view::npos) return;
    finish();
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::extend(std::string_view part) {
  if (problem_) return;
  if (part.size() > most_ - rest_.size()) {
    problem_ = Problem(413, fmt::format("line: it has more than {} bytes; send smaller items", most_));
  } else if (!charge_.grow(part.size())) {
    problem_ = Problem(503, "line: other requests use all the memory for bodies; send it again");
  } else {
    rest_ += part;
    return;
  }
  charge_.shrink(rest_.size());
  std::string().swap(rest_);
}

void LineSplitter::finish() {
  if (rest_.ends_with('\r')) {
    rest_.pop_back();
    charge_.shrink(1);
  }
  const bool blank = rest_.find_first_not_of(" \t") == std::string::npos;
  if (problem_ || !blank) {
    bytes_ += rest_.size();
    lines_.push_back({.number = number_, .text = std::exchange(rest_, {}), .problem = std::exchange(problem_, {})});
  } else {
    charge_.shrink(rest_.size());
    rest_.clear();
  }
  ++number_;
}

void LineSplitter::end() {
  if (problem_ || !rest_.empty()) finish();
}

std::vector<BulkLine> LineSplitter::take() {
  bytes_ = 0;
  return std::exchange(lines_, {});
}

std::string line_problem(std::uint64_t number, const Problem& problem) {
  JsonObject object;
  object.add("line", number).add("status", problem.status()).add("title", reason(problem.status())).add("detail", problem.what());
  return object.text() + "\n";
}

namespace {

/// The lines of a batch, and the items of those that have one.
struct Batch {
  std::vector<BulkLine> lines;
  std::vector<std::string> ids;  ///< of the items, in order
  std::size_t held = 0;          ///< of the charge, by the items
};

/// Takes the place of its line in the charge.
void charge_item(const PutItem& item, BulkLine& line, Batch& batch, Charge& charge) {
  const std::size_t bytes = bytes_of(item);
  // At once: what is given back in between another request could take.
  if (!charge.set(charge.held() - line.text.size() + bytes)) {
    throw Problem(503, "line: other requests use all the memory for requests and answers; send it again");
  }
  std::string().swap(line.text);
  batch.held += bytes;
}

std::vector<PutItem> decode_lines(App& app, Batch& batch, Charge& charge) {
  std::vector<PutItem> items;
  for (BulkLine& line : batch.lines) {
    if (line.problem) continue;
    try {
      PutItem item = decode_item(line.text, app.index.plan(), charge);
      charge_item(item, line, batch, charge);
      batch.ids.push_back(item.id);
      items.push_back(std::move(item));
    } catch (...) {
      line.problem = problem_of(std::current_exception());
      charge.shrink(line.text.size());
      std::string().swap(line.text);
    }
  }
  return items;
}

std::string answers_of(const Batch& batch, const std::vector<Outcome>& outcomes) {
  std::string answers;
  std::size_t next = 0;
  for (const BulkLine& line : batch.lines) {
    if (line.problem) {
      answers += line_problem(line.number, *line.problem);
      continue;
    }
    const Outcome& outcome = outcomes[next];
    if (const Problem* problem = std::get_if<Problem>(&outcome))
      answers += line_problem(line.number, *problem);
    else
      answers += answer_of(batch.ids[next], "replaced", std::get<Written>(outcome));
    ++next;
  }
  return answers;
}

}  // namespace

void put_lines(App& app, std::vector<BulkLine> lines, Charge& charge, std::function<void(std::string)> done) {
  const auto batch = std::make_shared<Batch>();
  batch->lines = std::move(lines);
  std::vector<PutItem> items = decode_lines(app, *batch, charge);
  if (items.empty()) return done(answers_of(*batch, {}));
  // The lines are still read by nobody else when the items are written: the charge is this batch's alone until then.
  app.writer.put(std::move(items), [batch, &charge, done = std::move(done)](const std::vector<Outcome>& outcomes) {
    charge.shrink(batch->held);
    done(answers_of(*batch, outcomes));
  });
}

}  // namespace nearkin::server
