#include <nearkin/index.h>

#include <algorithm>
#include <vector>

#include <nearkin/error.h>

#include "base/misuse.h"
#include "base/units.h"
#include "collect/prepare_vectors.h"
#include "index/meta.h"
#include "index/record.h"
#include "index/state.h"

namespace nearkin {
// --- State

Index::State::State(Store opened, Access wanted) : store(std::move(opened)), access(wanted) {
  const Transaction transaction = store.read();
  plan = plan_in(transaction);
  texts = number_in(transaction, meta::kTexts) != 0;
  unit = unit_in(transaction);
  directed = directed_in(transaction);
}

void Index::State::require_own(const Transaction& transaction) const {
  if (text_in(transaction, meta::kPlan) == to_string(plan) && (number_in(transaction, meta::kTexts) != 0) == texts) return;
  throw Error(ErrorCode::file, store.folder(), "was replaced by an index with another plan; open it again");
}

Transaction Index::State::write() const {
  if (access == Access::write) {
    Transaction transaction = store.write();
    require_own(transaction);
    return transaction;
  }
  throw Error(ErrorCode::file, store.folder(), "was opened for reading; open it for writing to change it");
}

void Index::State::drop_askers_of_others(const Environment& current) const {
  const std::lock_guard lock(mutex);
  std::erase_if(resting, [&](const std::unique_ptr<Asker>& asker) { return &asker->transaction->environment() != &current; });
}

void Index::State::require_sets() const {
  if (plan.kind == Kind::shingles) return;
  throw Error(ErrorCode::data, "text", "the index holds vectors; give a vector");
}

Lease::Lease(const Index::State& state) : state_(state) {
  {
    const std::lock_guard lock(state.mutex);
    if (!state.resting.empty()) {
      asker_ = std::move(state.resting.back());
      state.resting.pop_back();
    }
  }
  if (!asker_) asker_ = std::make_unique<Asker>(state.plan);
  const std::shared_ptr<Environment> now = state.store.environment();
  if (asker_->transaction && &asker_->transaction->environment() == now.get()) {
    asker_->transaction->renew();
  } else {
    asker_->transaction.reset();
    asker_->transaction.emplace(now, Transaction::Kind::read);
    state.require_own(*asker_->transaction);
    state.drop_askers_of_others(*now);
  }
}

Lease::~Lease() {
  asker_->transaction->reset();
  const std::lock_guard lock(state_.mutex);
  state_.resting.push_back(std::move(asker_));
}

// --- Index

Index::Index(std::unique_ptr<State> state) : state_(std::move(state)) {}
Index::~Index() = default;
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;

Index Index::create(const std::string& folder, const Plan& plan, const IndexOptions& options) {
  require_indexable(plan);
  if (options.texts && plan.kind != Kind::shingles) throw Error(ErrorCode::plan, "texts", "vectors have no texts to keep; leave it out");
  Store store = Store::create(folder);
  Transaction transaction = store.write();
  write_first_tables(transaction, plan, options, false);
  transaction.commit();
  store.publish();
  return Index(std::make_unique<State>(std::move(store), Access::write));
}

Index Index::open(const std::string& folder, Access access) {
  Store store = Store::open(folder);
  if (access == Access::write) store.remove_abandoned();
  return Index(std::make_unique<State>(std::move(store), access));
}

const std::string& Index::folder() const { return state_->store.folder(); }
const Plan& Index::plan() const { return state_->plan; }
bool Index::keeps_texts() const { return state_->texts; }
const Unit& Index::unit() const { return state_->unit; }

// One of them for each vector.
static void require_one_each(const char* what, std::size_t given, std::size_t vectors) {
  if (given == vectors) return;
  throw Error(ErrorCode::plan, what,
              "there are " + std::to_string(given) + " for " + std::to_string(vectors) + " vectors; give one for each");
}

// The record in parts, as an input of records is divided.
static void add_parts(const Index::State& state, Preparer& preparer, const IndexItem& record, Prepared& out) {
  std::string id;
  for (const Span& span : units_of(record.text, state.unit)) {
    name_unit(record.id, span, id);
    require_id(id);
    preparer.add(out, id, record.text.substr(span.begin, span.end - span.begin), record.metadata, state.texts);
  }
  out.record_ends.push_back(out.size());
}

IndexPut Index::put(std::span<const IndexItem> items) {
  state_->require_sets();
  Preparer preparer(state_->plan);
  Prepared prepared;
  for (const IndexItem& item : items) {
    require_id(item.id);
    require_metadata(item.id, item.metadata);
    if (state_->unit.divides()) {
      add_parts(*state_, preparer, item, prepared);
    } else {
      preparer.add(prepared, item.id, item.text, item.metadata, state_->texts);
    }
  }
  return put_in_one_step(state_->write(), state_->plan, preparer, prepared);
}

IndexPut Index::put(const Strings& ids, const Vectors& vectors, const Strings& metadata) {
  if (state_->plan.kind == Kind::shingles) throw Error(ErrorCode::data, "vector", "the index holds texts or sets; give one");
  require_consistent(vectors);
  require_one_each("ids", ids.size(), vectors.size());
  if (metadata.size() != 0) require_one_each("metadata", metadata.size(), vectors.size());
  const Vectors made = prepare(vectors, state_->plan);
  require_resolution(made, state_->plan);
  Preparer preparer(state_->plan);
  Prepared prepared;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::string_view more = metadata.size() == 0 ? std::string_view() : metadata[i];
    require_id(ids[i]);
    require_metadata(ids[i], more);
    preparer.add(prepared, ids[i], made, i, more);
  }
  return put_in_one_step(state_->write(), state_->plan, preparer, prepared, &made);
}

std::uint64_t Index::erase(std::span<const std::string> ids) {
  const std::vector<bool> there = erase_in_one_step(state_->write(), state_->plan, state_->unit, ids);
  return static_cast<std::uint64_t>(std::count(there.begin(), there.end(), true));
}

void Index::try_write(std::size_t bytes) {
  Transaction writing = state_->write();
  set_text(writing, meta::kTrial, std::string(bytes, '\0'));
  writing.commit();
  Transaction removing = state_->write();
  removing.erase(removing.tables().meta, meta::kTrial);
  removing.commit();
}

std::optional<StoredItem> Index::get(std::string_view id) const {
  const Lease lease(*state_);
  const Transaction& transaction = lease.transaction();
  const std::optional<Row> row = find_row(transaction, id);
  if (!row) return std::nullopt;
  const RecordView record = record_of(transaction, *row, id);
  StoredItem item{.id = std::string(record.id), .metadata = std::string(record.metadata), .text = {}, .size = size_of(record).value_or(0)};
  if (state_->texts) item.text = stored_text(transaction, *row);
  return item;
}

std::vector<std::string> Index::parts(std::string_view id) const {
  std::vector<std::string> ids;
  if (!state_->unit.divides()) return ids;
  const Lease lease(*state_);
  const Transaction& transaction = lease.transaction();
  for (PartEntry& part : parts_of(transaction, id, [&](Row row) { return std::string(record_of(transaction, row).id); }))
    ids.push_back(std::move(part.id));
  return ids;
}

std::vector<std::string> Index::ids(std::string_view after, std::size_t limit) const {
  std::vector<std::string> ids;
  if (limit == 0) return ids;
  const Lease lease(*state_);
  const Transaction& transaction = lease.transaction();
  for_each_id(transaction, id_key(after), [&](std::string_view key, Row row) {
    ids.emplace_back(key.size() < kHashedKey ? key : record_of(transaction, row).id);
    return ids.size() < limit;
  });
  return ids;
}

IndexAnswer Index::query(std::string_view text, const Ask& ask) const {
  state_->require_sets();
  Lease lease(*state_);
  return lease.finder().find(lease.transaction(), lease.finder().preparer().points_of(text), ask);
}

IndexAnswer Index::query(const Vectors& vectors, std::size_t i, const Ask& ask) const {
  if (state_->plan.kind == Kind::shingles) throw Error(ErrorCode::data, "vector", "the index holds texts or sets; ask with one");
  require_item(vectors, i);
  Lease lease(*state_);
  const Vectors asked = one_of(vectors, i);
  if (state_->plan.binarise == Binarise::none) require_vectors_like(lease.transaction(), asked);
  const Points query = prepare(asked, state_->plan);
  if (!require_vectors_like(lease.transaction(), std::get<Vectors>(query))) return {};
  return lease.finder().find(lease.transaction(), query, ask);
}

std::optional<IndexAnswer> Index::neighbours(std::string_view id, const Ask& ask) const {
  Lease lease(*state_);
  const std::optional<Row> row = find_row(lease.transaction(), id);
  if (!row) return std::nullopt;
  return lease.finder().find_like(lease.transaction(), *row, id, ask);
}

void Index::compact() {
  if (state_->access != Access::write) state_->write();
  state_->store.compact();
}

bool upgrade_index(const std::string& folder) { return Store::upgrade(folder); }

void Index::backup(const std::string& folder) const { state_->store.backup(folder); }

}  // namespace nearkin
