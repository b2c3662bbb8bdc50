#include "analysis/scan.h"

#include <algorithm>
#include <optional>

#include "analysis/sample_rows.h"
#include "analysis/spread.h"
#include "base/parallel.h"
#include "match/shared_counter.h"
#include "match/space.h"

namespace nearkin {
namespace {

constexpr std::size_t kVectorBlock = 512;  // vectors that one thread compares in a row

/// What one thread counted.
struct Tally {
  Spread spread;
  std::vector<AuditedItem> items;
  std::uint64_t features = 0, bytes = 0, looked_at = 0;  // of the items looked at
};

class Scanner {
 public:
  Scanner(const Collection& collection, const SearchResult& found, const Plan& plan, std::span<const Row> asked, unsigned threads)
      : collection_(collection),
        found_(found),
        plan_(plan),
        asked_(asked),
        threads_(threads),
        copies_(copies_of(found)),
        directed_(plan.measure == Measure::containment) {
    for (const Row row : asked) asked_representatives_.push_back(found.representative[row]);
    for (Row row = 0; row < collection.size(); ++row) {
      const bool other_side = collection.split == 0 || row >= collection.split;
      if (other_side && collection.empty[row] == 0 && found.representative[row] == row) members_.push_back(row);
    }
    tallies_.assign(threads, Tally{Spread(plan.measure, plan.radius), std::vector<AuditedItem>(asked.size())});
  }

  Scan run() {
    compares_vectors(plan_) ? scan_vectors() : scan_sets();
    return result();
  }

 private:
  // A pair of different contents, both representatives, weighted by the copies of the member.
  void add(Tally& tally, std::size_t i, Row member, double value, bool inside) const {
    tally.spread.add(value, copies_[member]);
    // Copies in another input are found for certain, like those in the same.
    if (!inside || collection_.contents[member] == collection_.contents[asked_representatives_[i]]) return;
    tally.items[i].true_pairs += copies_[member];
    if (find_match(found_.matches, asked_representatives_[i], member, directed_) != nullptr) tally.items[i].found += copies_[member];
  }

  void add_copies(Tally& tally, Row member) const {
    if (copies_[member] > 1) tally.spread.add(is_distance(plan_.measure) ? 0 : 1, copies_[member] - 1);
  }

  void scan_sets() {
    const FeatureBlocks loaded = load_features(collection_, asked_, plan_.shingle, threads_);
    const SharedCounter counter(loaded.items);
    const Ratio least = least_share(plan_, collection_.columns);
    std::vector<SharedCounter::Scratch> scratch(threads_);
    for_each_features(collection_, members_, plan_.shingle, threads_,
                      [&](unsigned worker, std::size_t m, std::span<const std::uint64_t> features) {
                        counter.count(features, scratch[worker]);
                        add_member(counter, scratch[worker], members_[m], features.size(), least, tallies_[worker]);
                      });
  }

  void add_member(const SharedCounter& counter, const SharedCounter::Scratch& scratch, Row member, std::size_t size, const Ratio& least,
                  Tally& tally) const {
    tally.features += size;
    tally.bytes += collection_.text_sizes[member];
    ++tally.looked_at;
    std::uint64_t nothing_shared = asked_.size() - scratch.touched.size();
    for (const std::uint32_t i : scratch.touched) {
      if (asked_representatives_[i] == member) {
        add_copies(tally, member);
        continue;
      }
      const std::uint32_t shared = scratch.shared[i], a = counter.size_of(i);
      const std::uint32_t total = directed_ ? a : static_cast<std::uint32_t>(a + size - shared);
      const bool inside = shared * least.denominator >= least.numerator * total;
      add(tally, i, member, measured({0, 1, shared, total}, plan_.measure), inside);
    }
    if (nothing_shared > 0) {
      tally.spread.add(is_distance(plan_.measure) ? collection_.columns : 0, nothing_shared * copies_[member]);
    }
  }

  void scan_vectors() {
    const Vectors& vectors = collection_.vectors;
    const Space space(vectors, vectors, plan_.measure);
    const Border border(plan_, vectors.dimensions);
    parallel_for(members_.size(), kVectorBlock, threads_, [&](std::size_t begin, std::size_t end, unsigned worker) {
      Tally& tally = tallies_[worker];
      for (std::size_t m = begin; m < end; ++m) {
        const Row member = members_[m];
        for (std::size_t i = 0; i < asked_.size(); ++i) {
          if (asked_representatives_[i] == member) {
            add_copies(tally, member);
            continue;
          }
          const double value = space.value(asked_representatives_[i], member);
          add(tally, i, member, value, border.inside(value));
        }
      }
    });
  }

  Scan result() const {
    Scan out{.items = std::vector<AuditedItem>(asked_.size()), .sample = {}};
    Tally sum{Spread(plan_.measure, plan_.radius), {}};
    for (const Tally& tally : tallies_) {
      sum.spread.add(tally.spread);
      sum.features += tally.features;
      sum.bytes += tally.bytes;
      sum.looked_at += tally.looked_at;
      for (std::size_t i = 0; i < out.items.size(); ++i) {
        out.items[i].true_pairs += tally.items[i].true_pairs;
        out.items[i].found += tally.items[i].found;
      }
    }
    const auto inside = static_cast<double>(population(collection_));
    double others = 0;
    for (const Row row : members_) others += static_cast<double>(copies_[row]);
    // Between two inputs every pair counts; within one, a pair is met from either of its items, but for containment, which has a direction.
    const double expected = collection_.split != 0 ? inside * others : inside * (inside - 1) / (directed_ ? 1 : 2);
    DataSample& sample = out.sample;
    sample.items = collection_.split != 0 ? collection_.split : collection_.size();
    sample.dimensions = compares_vectors(plan_) ? collection_.vectors.dimensions : collection_.columns;
    sample.shingles = sum.looked_at == 0 ? 0 : static_cast<double>(sum.features) / static_cast<double>(sum.looked_at);
    sample.text_bytes = sum.looked_at == 0 ? 0 : static_cast<double>(sum.bytes) / static_cast<double>(sum.looked_at);
    sample.pairs = sum.spread.scaled_to(std::max(0.0, expected));
    sample.asked = asked_.size();
    sample.against = static_cast<std::uint64_t>(others);
    return out;
  }

  const Collection& collection_;
  const SearchResult& found_;
  const Plan& plan_;
  std::span<const Row> asked_;
  unsigned threads_;
  std::vector<std::uint64_t> copies_;
  bool directed_;
  std::vector<Row> asked_representatives_;
  std::vector<Row> members_;  // against which each asked row is held: representatives
  std::vector<Tally> tallies_;
};

Row end_of_input(const Collection& collection) {
  return collection.inputs.size() > 1 ? collection.split : static_cast<Row>(collection.size());
}

}  // namespace

std::uint64_t population(const Collection& collection) {
  std::uint64_t count = 0;
  for (Row row = 0; row < end_of_input(collection); ++row) count += collection.empty[row] == 0;
  return count;
}

std::uint64_t usual_questions(const Collection& collection) {
  constexpr std::uint64_t kUsual = 256, kFewest = 8, kMostBytes = std::uint64_t{32} << 20;
  std::uint64_t bytes = 1;
  for (const std::uint64_t size : collection.text_sizes) bytes += size;
  const double mean = static_cast<double>(bytes) / static_cast<double>(std::max<std::size_t>(1, collection.size()));
  return std::clamp(static_cast<std::uint64_t>(static_cast<double>(kMostBytes) / mean), kFewest, kUsual);
}

std::vector<Row> rows_to_ask(const Collection& collection, std::uint64_t count, std::uint64_t seed) {
  std::vector<Row> rows;
  for (Row row = 0; row < end_of_input(collection); ++row) {
    if (collection.empty[row] == 0) rows.push_back(row);
  }
  std::vector<Row> asked;
  for (const Row place : sample_rows(rows.size(), count, seed)) asked.push_back(rows[place]);
  return asked;
}

Scan scan(const Collection& collection, const SearchResult& found, const Plan& plan, std::span<const Row> asked, unsigned threads) {
  return Scanner(collection, found, plan, asked, threads).run();
}

std::optional<Audit> audit_of(const Scan& scan, const Collection& collection, const Plan& plan) {
  if (scan.items.empty()) return std::nullopt;
  Audit audit{.recall = audited_recall(scan.items, population(collection), plan.sketch.seed), .items = scan.items.size()};
  for (const AuditedItem& item : scan.items) {
    audit.true_pairs += item.true_pairs;
    audit.found += item.found;
  }
  return audit;
}

}  // namespace nearkin
