#include "analysis/scan.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>

#include <nearkin/tools/theory.h>

#include "analysis/sample_rows.h"
#include "analysis/spread.h"
#include "base/parallel.h"
#include "collect/row_vectors.h"
#include "collect/sketcher.h"
#include "match/shared_counter.h"
#include "match/space.h"

namespace nearkin {
namespace {

constexpr std::size_t kVectorBlock = 512;  // vectors that one thread compares in a row

/// Which of the asked items a member is compared with, if the input has a scope.
class AskedInScopes {
 public:
  AskedInScopes() = default;
  AskedInScopes(const Rows& rows, std::span<const Row> asked, std::span<const std::uint64_t> different)
      : scopes_(rows.scopes()), within_(rows.scope_rule() == Scope::Rule::within) {
    for (std::size_t i = 0; i < asked.size() && !scopes_.values().empty(); ++i) {
      all_.add(different[i]);
      of_[scopes_[asked[i]]].add(different[i]);
    }
  }

  struct Count {
    std::uint64_t items = 0, different = 0;
    void add(std::uint64_t more) {
      ++items;
      different += more;
    }
    void remove(std::uint64_t less) {
      --items;
      different -= less;
    }
  };
  bool has_rule() const { return !scopes_.values().empty(); }
  bool wants(Row asked, Row member) const { return !has_rule() || (scopes_[asked] == scopes_[member]) == within_; }
  /// All asked items that a member is compared with; only where there is a rule.
  Count wanted_by(Row member) const {
    const auto own = of_.find(scopes_[member]);
    const Count same = own == of_.end() ? Count() : own->second;
    return within_ ? same : Count{all_.items - same.items, all_.different - same.different};
  }

 private:
  Column<std::uint64_t> scopes_;
  bool within_ = false;
  Count all_;
  std::unordered_map<std::uint64_t, Count> of_;  // each scope
};

/// What one thread counted.
struct ScanTally {
  Spread spread;
  std::vector<AuditedItem> items;
  std::vector<std::uint8_t> outdone;                     // 1: similar to one that is kept before it
  std::vector<std::uint8_t> related;                     // 1: resembles another
  std::uint64_t features = 0, bytes = 0, looked_at = 0;  // of the items looked at
};

// The matches of the asked rows: (place among the asked, other row), ascending.
std::vector<std::uint64_t> matches_of(const SearchResult& found, std::span<const Row> asked, bool directed) {
  std::vector<std::uint64_t> places;  // representative << 32 | place
  for (std::size_t i = 0; i < asked.size(); ++i) places.push_back(std::uint64_t{asked[i]} << 32 | i);
  std::sort(places.begin(), places.end());
  std::vector<std::uint64_t> matches;
  const auto note = [&](Row one, Row other) {
    for (auto place = std::lower_bound(places.begin(), places.end(), std::uint64_t{one} << 32);
         place != places.end() && *place >> 32 == one; ++place)
      matches.push_back(*place << 32 | other);
  };
  found.matches.for_each([&](const Match& match) {
    note(match.a, match.b);
    if (!directed) note(match.b, match.a);
  });
  std::sort(matches.begin(), matches.end());
  return matches;
}

class Scanner {
 public:
  Scanner(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> asked, std::span<const Row> keepers,
          Advance* advance)
      : rows_(rows),
        plan_(stage.plan),
        found_(found),
        asked_(asked),
        keepers_(keepers),
        threads_(stage.threads),
        copies_(copies_of(found)),
        text_sizes_(rows.text_sizes()),
        rule_(found.rule(rows)),
        directed_(stage.plan.measure == Measure::containment),
        advance_(advance) {
    for (const Row row : asked) {
      asked_representatives_.push_back(found.representative[row]);
      different_.push_back(Spread::kDifferent / copies_[asked_representatives_.back()]);
      all_different_ += different_.back();
    }
    scopes_ = AskedInScopes(rows, asked, different_);
    for (Row row = 0; row < rows.size(); ++row) {
      const bool other_side = rows.split == 0 || row >= rows.split;
      if (other_side && found.empty[row] == 0 && found.representative[row] == row) members_.push_back(row);
    }
    parts_ = parts_of(asked, Spread::kParts);
    population_ = population(rows, found);
    matches_ = matches_of(found, asked_representatives_, directed_);
    RowReader reader(rows);
    for (const Row row : asked_representatives_) asked_contents_.push_back(reader.content(row));
    readers_.assign(threads_, RowReader(rows));
    tallies_.assign(threads_, ScanTally{Spread(plan_.measure, plan_.radius), std::vector<AuditedItem>(asked.size()),
                                        std::vector<std::uint8_t>(asked.size()), std::vector<std::uint8_t>(asked.size())});
  }

  Scan run() {
    compares_vectors(plan_) ? scan_vectors() : scan_sets();
    return result();
  }

 private:
  // A pair of different contents, both representatives, weighted by the copies of the member.
  void add(unsigned worker, std::size_t i, Row member, double value, bool inside) {
    ScanTally& tally = tallies_[worker];
    if (!rule_.wants(asked_representatives_[i], member)) return;
    tally.spread.add(value, copies_[member], different_[i], parts_[i]);
    if (!is_distance(plan_.measure) && value >= kRelated) tally.related[i] = 1;
    // Copies in another input are found for certain, like those in the same.
    if (!inside || (rows_.across() && readers_[worker].content(member) == asked_contents_[i])) return;
    tally.items[i].true_pairs += copies_[member];
    const bool found = std::binary_search(matches_.begin(), matches_.end(), std::uint64_t{i} << 32 | member);
    if (found) tally.items[i].found += copies_[member];
    if (!keepers_.empty() && is_kept_before(member, asked_representatives_[i])) tally.outdone[i] = 1;
  }

  bool is_kept_before(Row member, Row asked) const {
    return rows_.across() || (keepers_[member] == member && found_.rank_of(member) < found_.rank_of(asked));
  }

  // Whether the asked rows that are no copies should be removed, and were.
  std::vector<AuditedItem> removals() {
    std::vector<AuditedItem> removals;
    for (std::size_t i = 0; i < asked_.size() && !keepers_.empty(); ++i) {
      const Row row = asked_[i];
      const bool removed = keepers_[row] != row;
      const bool copy = asked_representatives_[i] != row || (removed && readers_[0].content(keepers_[row]) == asked_contents_[i]);
      const bool outdone = std::any_of(tallies_.begin(), tallies_.end(), [&](const ScanTally& tally) { return tally.outdone[i] != 0; });
      if (!copy) removals.push_back({.true_pairs = removed || outdone, .found = removed});
    }
    return removals;
  }

  void add_copies(ScanTally& tally, std::size_t i, Row member) const {
    if (copies_[member] > 1) tally.spread.add(is_distance(plan_.measure) ? 0 : 1, copies_[member] - 1, 0, parts_[i]);
  }

  void scan_sets() {
    const FeatureBlocks loaded = load_features(rows_, asked_, plan_.shingle, threads_);
    const SharedCounter counter(loaded.items);
    for (std::uint32_t i = 0; i < asked_.size(); ++i) asked_sizes_.push_back(counter.size_of(i));
    const Ratio least = least_share(plan_, rows_.columns);
    std::vector<SharedCounter::Scratch> scratch(threads_);
    for_each_features(
        rows_, members_, plan_.shingle, threads_,
        [&](unsigned worker, std::size_t m, std::span<const std::uint64_t> features) {
          counter.count(features, scratch[worker]);
          add_member(counter, scratch[worker], members_[m], features.size(), least, worker);
        },
        true, advance_);
  }

  void add_member(const SharedCounter& counter, const SharedCounter::Scratch& scratch, Row member, std::size_t size, const Ratio& least,
                  unsigned worker) {
    ScanTally& tally = tallies_[worker];
    tally.features += size;
    tally.bytes += text_sizes_[member];
    ++tally.looked_at;
    // Asked items that share nothing with this one.
    AskedInScopes::Count rest = scopes_.has_rule() ? scopes_.wanted_by(member) : AskedInScopes::Count{asked_.size(), all_different_};
    for (const std::uint32_t i : scratch.touched) {
      if (scopes_.wants(asked_[i], member)) rest.remove(different_[i]);
      if (asked_representatives_[i] == member) {
        add_copies(tally, i, member);
        continue;
      }
      const std::uint32_t shared = scratch.shared[i], a = counter.size_of(i);
      const std::uint32_t total = directed_ ? a : static_cast<std::uint32_t>(a + size - shared);
      const bool inside = shared * least.denominator >= least.numerator * total;
      add(worker, i, member, measured({0, 1, shared, total}, plan_.measure), inside);
    }
    if (rest.items > 0) {
      // These pairs are so far apart that it does not matter to which part they are counted.
      tally.spread.add(is_distance(plan_.measure) ? rows_.columns : 0, rest.items * copies_[member], rest.different, member);
    }
  }

  void scan_vectors() {
    const Vectors asked = load_vectors(rows_, plan_, asked_representatives_, threads_);
    const VectorRows source = vector_rows(rows_, plan_, 1);
    const Border border(plan_, asked.dimensions);
    expect(advance_, members_.size());
    parallel_for(members_.size(), kVectorBlock, threads_, [&](std::size_t begin, std::size_t end, unsigned worker) {
      const std::span<const Row> block = std::span(members_).subspan(begin, end - begin);
      const Vectors vectors = source.load(block);
      const Space space(asked, vectors, plan_.measure);
      for (std::size_t m = 0; m < block.size(); ++m) {
        for (std::size_t i = 0; i < asked_.size(); ++i) {
          if (asked_representatives_[i] == block[m]) {
            add_copies(tallies_[worker], i, block[m]);
            continue;
          }
          const double value = space.value(i, m);
          add(worker, i, block[m], value, border.inside(value));
        }
      }
      nearkin::add(advance_, worker, end - begin);
    });
  }

  // In files of all lengths the long ones may be those with relatives.
  double mean_size_of_related() const {
    double sizes = 0, count = 0;
    for (std::size_t i = 0; i < asked_sizes_.size(); ++i) {
      if (std::none_of(tallies_.begin(), tallies_.end(), [&](const ScanTally& tally) { return tally.related[i] != 0; })) continue;
      sizes += asked_sizes_[i];
      ++count;
    }
    return count == 0 ? 0 : sizes / count;
  }

  Scan result() {
    Scan out{.items = std::vector<AuditedItem>(asked_.size()), .sample = {}, .removals = removals()};
    ScanTally sum{Spread(plan_.measure, plan_.radius), {}, {}, {}};
    for (const ScanTally& tally : tallies_) {
      sum.spread.add(tally.spread);
      sum.features += tally.features;
      sum.bytes += tally.bytes;
      sum.looked_at += tally.looked_at;
      for (std::size_t i = 0; i < out.items.size(); ++i) {
        out.items[i].true_pairs += tally.items[i].true_pairs;
        out.items[i].found += tally.items[i].found;
      }
    }
    out.population = population_;
    const auto inside = static_cast<double>(population_);
    double others = 0;
    for (const Row row : members_) others += static_cast<double>(copies_[row]);
    // Between two inputs every pair counts; within one, a pair is met from either of its items, but for containment, which has a direction.
    double expected = rows_.split != 0 ? inside * others : inside * (inside - 1) / (directed_ ? 1 : 2);
    const double asked_pairs = static_cast<double>(asked_.size()) * (others - (rows_.split != 0 ? 0 : 1));
    if (scopes_.has_rule() && asked_pairs > 0) expected *= static_cast<double>(sum.spread.pairs()) / asked_pairs;
    DataSample& sample = out.sample;
    sample.items = rows_.split != 0 ? rows_.split : rows_.size();
    sample.dimensions = places_of(rows_, plan_);
    sample.shingles = sum.looked_at == 0 ? 0 : static_cast<double>(sum.features) / static_cast<double>(sum.looked_at);
    sample.text_bytes = sum.looked_at == 0 ? 0 : static_cast<double>(sum.bytes) / static_cast<double>(sum.looked_at);
    for (const std::uint64_t size : text_sizes_.values()) sample.longest_text = std::max(sample.longest_text, static_cast<double>(size));
    sample.compared_shingles = mean_size_of_related();
    sample.pairs = sum.spread.scaled_to(std::max(0.0, expected));
    sample.parts = sum.spread.parts_scaled_to(std::max(0.0, expected), std::min(Spread::kParts, asked_.size()));
    sample.asked = asked_.size();
    sample.complete = sample.asked >= population_;
    sample.against = static_cast<std::uint64_t>(others);
    return out;
  }

  const Rows& rows_;
  const Plan& plan_;
  const SearchResult& found_;
  std::span<const Row> asked_, keepers_;
  unsigned threads_;
  std::vector<std::uint32_t> copies_;
  Column<std::uint64_t> text_sizes_;
  PairRule rule_;
  bool directed_;
  Advance* advance_;
  std::uint64_t population_ = 0;
  std::vector<Row> asked_representatives_;
  std::vector<std::uint8_t> parts_;       // of Spread, of the asked rows
  std::vector<std::uint64_t> different_;  // what a pair of an asked row counts where copies count once
  std::uint64_t all_different_ = 0;
  AskedInScopes scopes_;
  std::vector<std::uint32_t> asked_sizes_;  // sets: their shingles
  std::vector<Hash128> asked_contents_;
  std::vector<std::uint64_t> matches_;  // of the asked rows
  std::vector<RowReader> readers_;      // one for each thread
  std::vector<Row> members_;            // against which each asked row is held: representatives
  std::vector<ScanTally> tallies_;
};

}  // namespace

std::uint64_t population(const Rows& rows, const SearchResult& found) {
  std::uint64_t count = 0;
  for (Row row = 0; row < rows.input_rows(); ++row) count += found.empty[row] == 0;
  return count;
}

double mean_text_bytes(const Rows& rows) {
  const Column<std::uint64_t> sizes = rows.text_sizes();
  const std::uint64_t bytes = std::accumulate(sizes.values().begin(), sizes.values().end(), std::uint64_t{1});
  return static_cast<double>(bytes) / static_cast<double>(std::max<std::size_t>(1, rows.size()));
}

std::uint64_t usual_questions(const Rows& rows) {
  constexpr std::uint64_t kUsual = 256, kFewest = 8, kMostBytes = std::uint64_t{32} << 20;
  return std::clamp(static_cast<std::uint64_t>(static_cast<double>(kMostBytes) / mean_text_bytes(rows)), kFewest, kUsual);
}

std::vector<Row> rows_to_ask(const Rows& rows, const SearchResult& found, std::uint64_t count, std::uint64_t seed) {
  std::vector<Row> all;
  for (Row row = 0; row < rows.input_rows(); ++row) {
    if (found.empty[row] == 0) all.push_back(row);
  }
  std::vector<Row> asked;
  for (const Row place : sample_rows(all.size(), count, seed)) asked.push_back(all[place]);
  return asked;
}

Scan scan(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> asked, std::span<const Row> keepers,
          Advance* advance) {
  return Scanner(rows, stage, found, asked, keepers, advance).run();
}

std::optional<Audit> audit_of(const Scan& scan, const Stage& stage) {
  if (scan.items.empty()) return std::nullopt;
  Audit audit{.recall = audited_recall(scan.items, scan.population, stage.plan.sketch.seed), .items = scan.items.size()};
  for (const AuditedItem& item : scan.items) {
    audit.true_pairs += item.true_pairs;
    audit.found += item.found;
  }
  for (const AuditedItem& item : scan.removals) {
    audit.removable += item.true_pairs;
    audit.removed += item.found;
  }
  if (audit.removable > 0) {
    // Copies that were asked stand for items that could not.
    const std::uint64_t others = scan.population - (scan.items.size() - scan.removals.size());
    audit.item_recall = audited_recall(scan.removals, others, stage.plan.sketch.seed);
  }
  return audit;
}

}  // namespace nearkin
