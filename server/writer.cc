#include "writer.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_set>
#include <utility>

#include <nearkin/error.h>

#include "json_out.h"

namespace nearkin::server {
namespace {

constexpr std::size_t kMostItems = 5'000;
constexpr std::size_t kMostBytes = 8 << 20;

using Waiting = std::span<PutItem* const>;

constexpr auto kKnownFor = std::chrono::seconds(10);

/// What a trial takes after a failure. An item takes more than its own bytes: its places in buckets are on many pages.
constexpr std::size_t kLeastTrial = 64 << 10, kMostTrial = 1 << 20, kTrialForEachByte = 4;

std::size_t bytes_of_all(const std::vector<PutItem>& items) {
  return std::accumulate(items.begin(), items.end(), std::size_t{0},
                         [](std::size_t sum, const PutItem& item) { return sum + bytes_of(item); });
}
std::size_t bytes_of_all(Waiting items) {
  return std::accumulate(items.begin(), items.end(), std::size_t{0},
                         [](std::size_t sum, const PutItem* item) { return sum + bytes_of(*item); });
}

/// Whether both can be put by one call.
bool alike(const PutItem& a, const PutItem& b) {
  if (a.content.index() != b.content.index()) return false;
  const auto* vector = std::get_if<Vectors>(&a.content);
  const auto* other = std::get_if<Vectors>(&b.content);
  return vector == nullptr || (vector->kind == other->kind && vector->dimensions == other->dimensions);
}

void put_texts(Index& index, Waiting items) {
  std::vector<IndexItem> views;
  views.reserve(items.size());
  for (const PutItem* item : items) views.push_back({item->id, std::get<std::string>(item->content), item->metadata});
  index.put(views);
}

void append(Vectors& all, const Vectors& one) {
  const std::uint64_t base = all.indices.size();
  all.numbers.insert(all.numbers.end(), one.numbers.begin(), one.numbers.end());
  all.words.insert(all.words.end(), one.words.begin(), one.words.end());
  all.indices.insert(all.indices.end(), one.indices.begin(), one.indices.end());
  all.values.insert(all.values.end(), one.values.begin(), one.values.end());
  for (const std::uint64_t end : one.ends) all.ends.push_back(base + end);
  all.count += one.count;
}

void put_vectors(Index& index, Waiting items) {
  const Vectors& first = std::get<Vectors>(items.front()->content);
  Vectors all{.kind = first.kind, .dimensions = first.dimensions};
  Strings ids, metadata;
  bool any = false;
  for (const PutItem* item : items) {
    append(all, std::get<Vectors>(item->content));
    ids.add(item->id);
    metadata.add(item->metadata);
    any = any || !item->metadata.empty();
  }
  index.put(ids, all, any ? metadata : Strings{});
}

bool has(const Index& index, const std::string& id) { return index.get(id).has_value() || !index.parts(id).empty(); }

/// Which of them replace another. Only this thread writes here, so that none can appear between the look and the put.
std::vector<bool> replaced(const Index& index, Waiting items) {
  std::vector<bool> there;
  std::unordered_set<std::string_view> before;
  const bool in_parts = index.unit().divides();
  for (const PutItem* item : items) {
    const bool again = !before.insert(item->id).second;
    there.push_back(again || (in_parts ? !index.parts(item->id).empty() : index.get(item->id).has_value()));
  }
  return there;
}

Written written(const Index& index, const std::string& id, bool known) {
  if (!index.unit().divides()) return {.known = known};
  return {.known = known, .parts = index.parts(id).size()};
}

/// All alike. Where one of them is at fault nothing was put: the halves are tried again, so that only the one at fault is refused.
void put_alike(Index& index, Waiting items, std::vector<Outcome>& outcomes) {
  try {
    const std::vector<bool> there = replaced(index, items);
    std::holds_alternative<std::string>(items.front()->content) ? put_texts(index, items) : put_vectors(index, items);
    for (std::size_t i = 0; i < items.size(); ++i) outcomes.emplace_back(written(index, items[i]->id, there[i]));
  } catch (...) {
    const std::exception_ptr failure = std::current_exception();
    const Problem problem = problem_of(failure);
    if (items.size() == 1 || problem.status() != 422) {
      outcomes.insert(outcomes.end(), items.size(), problem);
      return;
    }
    put_alike(index, items.first(items.size() / 2), outcomes);
    put_alike(index, items.subspan(items.size() / 2), outcomes);
  }
}

std::vector<Outcome> put_all(Index& index, Waiting items) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(items.size());
  while (!items.empty()) {
    std::size_t run = 1;
    while (run < items.size() && alike(*items[0], *items[run])) ++run;
    put_alike(index, items.first(run), outcomes);
    items = items.subspan(run);
  }
  return outcomes;
}

/// In one step.
std::vector<Outcome> erase_all(Index& index, const std::vector<std::string>& ids) {
  try {
    std::vector<Outcome> outcomes;
    std::unordered_set<std::string_view> before;
    for (const std::string& id : ids) {
      Written removed{.known = before.insert(id).second && has(index, id)};
      if (index.unit().divides()) removed.parts = !removed.known ? 0 : index.get(id) ? 1 : index.parts(id).size();
      outcomes.emplace_back(removed);
    }
    index.erase(ids);
    return outcomes;
  } catch (...) {
    const std::exception_ptr failure = std::current_exception();
    return std::vector<Outcome>(ids.size(), problem_of(failure));
  }
}

}  // namespace

std::string answer_of(std::string_view id, const char* what, const Written& written) {
  JsonObject object;
  object.add("id", id).add(what, written.known);
  if (written.parts) object.add("parts", *written.parts);
  return object.line();
}

Writer::Writer(Index& index) : index_(index), thread_([this] { run(); }) { trouble(); }

void Writer::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Writer::put(std::vector<PutItem> items, Done done) { add({.items = std::move(items), .erased = {}, .done = std::move(done)}); }

void Writer::erase(std::vector<std::string> ids, Done done) {
  if (ids.empty()) return done({});
  add({.items = {}, .erased = std::move(ids), .done = std::move(done)});
}

std::optional<Problem> Writer::trouble() {
  const std::lock_guard lock(mutex_);
  const bool old = std::chrono::steady_clock::now() - known_ > kKnownFor;
  if ((old || trouble_) && !trying_ && !ending_) {
    trying_ = true;
    waiting_.push_back({.items = {}, .erased = {}, .done = {}});
    wake_.notify_one();
  }
  return trouble_;
}

/// What is at fault in an item says nothing of the disk. A small write may find room among pages that are free where a large one does not.
void Writer::note(const std::vector<Outcome>& outcomes, std::size_t bytes) {
  const Problem* failure = nullptr;
  bool written = false;
  for (const Outcome& outcome : outcomes) {
    const Problem* problem = std::get_if<Problem>(&outcome);
    written = written || problem == nullptr;
    if (problem != nullptr && problem->status() >= 500) failure = problem;
  }
  if (failure == nullptr && !written) return;
  const std::lock_guard lock(mutex_);
  known_ = std::chrono::steady_clock::now();
  if (failure != nullptr) {
    trouble_ = *failure;
    failed_bytes_ = std::max(failed_bytes_, bytes);
  } else if (bytes >= failed_bytes_) {
    trouble_.reset();
    failed_bytes_ = 0;
  }
}

void Writer::try_write() {
  std::unique_lock lock(mutex_);
  const bool failed = trouble_.has_value();
  const std::size_t bytes = failed_bytes_;
  lock.unlock();
  Outcome outcome = Written{};
  try {
    if (failed) index_.try_write(std::clamp(bytes * kTrialForEachByte, kLeastTrial, kMostTrial));
    index_.erase(std::span<const std::string>());  // the counts are written as they are
  } catch (...) {
    const std::exception_ptr failure = std::current_exception();
    outcome = problem_of(failure);
  }
  note({outcome}, bytes);
  lock.lock();
  trying_ = false;
}

void Writer::add(Job job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
  }
  wake_.notify_one();
}

void Writer::run() {
  for (std::vector<Job> jobs = take(); !jobs.empty(); jobs = take()) finish(std::move(jobs));
}

std::vector<Writer::Job> Writer::take() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
  std::vector<Job> jobs;
  std::size_t items = 0, bytes = 0;
  while (!waiting_.empty() && items < kMostItems && bytes < kMostBytes) {
    const bool erases = waiting_.front().items.empty();
    if (erases && !jobs.empty()) break;
    items += waiting_.front().items.size();
    bytes += bytes_of_all(waiting_.front().items);
    jobs.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    if (erases) break;
  }
  return jobs;
}

void Writer::finish(std::vector<Job> jobs) {
  if (jobs.front().is_trial()) return try_write();
  if (jobs.front().items.empty()) {
    std::vector<Outcome> outcomes = erase_all(index_, jobs.front().erased);
    note(outcomes, 0);
    jobs.front().done(std::move(outcomes));
    return;
  }
  std::vector<PutItem*> items;
  for (Job& job : jobs) {
    for (PutItem& item : job.items) items.push_back(&item);
  }
  std::vector<Outcome> outcomes = put_all(index_, items);
  note(outcomes, bytes_of_all(items));
  auto next = outcomes.begin();
  for (Job& job : jobs) {
    const auto end = next + static_cast<std::ptrdiff_t>(job.items.size());
    job.done({std::make_move_iterator(next), std::make_move_iterator(end)});
    next = end;
  }
}

}  // namespace nearkin::server
