#include "match/sparse_join.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/parallel.h"
#include "base/radix_sort.h"

namespace nearkin {
namespace {

struct Posting {
  std::uint32_t place;  // in the members
  double weight;        // cosine: of the vector scaled to length 1
};

// A number of an item: where its posting stands, and in which list.
struct Entry {
  std::uint32_t list;
  std::uint32_t posting;
};

// The numbers of all members by their index; in a list the places ascend.
class InvertedIndex {
 public:
  // `scales[place]` multiplies the numbers of an item.
  InvertedIndex(const Vectors& vectors, std::span<const Row> members, std::span<const double> scales, std::size_t first_right) {
    std::vector<Posting> numbers;
    std::vector<std::uint64_t> indices;
    starts_.push_back(0);
    for (std::size_t place = 0; place < members.size(); ++place) {
      const SparseView item = vectors.sparse(members[place]);
      indices.insert(indices.end(), item.indices.begin(), item.indices.end());
      for (const double x : item.values) numbers.push_back({static_cast<std::uint32_t>(place), x * scales[place]});
      starts_.push_back(numbers.size());
    }
    const std::vector<std::uint64_t> order = by_index(indices);
    entries_.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto number = static_cast<std::uint32_t>(order[i]);
      if (i == 0 || indices[number] != indices[static_cast<std::uint32_t>(order[i - 1])]) {
        list_starts_.push_back(static_cast<std::uint32_t>(i));
        right_starts_.push_back(static_cast<std::uint32_t>(i));
      }
      if (numbers[number].place < first_right) right_starts_.back() = static_cast<std::uint32_t>(i + 1);
      entries_[number] = {static_cast<std::uint32_t>(list_starts_.size() - 1), static_cast<std::uint32_t>(i)};
      postings_.push_back(numbers[number]);
    }
    list_starts_.push_back(static_cast<std::uint32_t>(order.size()));
  }

  std::span<const Entry> entries(std::size_t place) const {
    return {entries_.data() + starts_[place], static_cast<std::size_t>(starts_[place + 1] - starts_[place])};
  }
  double weight(Entry entry) const { return postings_[entry.posting].weight; }
  // The later items on the other side that have the number, too.
  std::span<const Posting> later(Entry entry) const {
    const std::uint32_t begin = std::max(entry.posting + 1, right_starts_[entry.list]), end = list_starts_[entry.list + 1];
    return {postings_.data() + begin, end - std::min(begin, end)};
  }

 private:
  // Positions in `indices` by index, then position: 32 bits of a hash of the index for the sort, and runs in which two indices share
  // them put right afterwards.
  static std::vector<std::uint64_t> by_index(const std::vector<std::uint64_t>& indices) {
    std::vector<std::uint64_t> order(indices.size()), scratch;
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = mix64(indices[i]) >> 32 << 32 | i;
    radix_sort(order, scratch, 4, 8);
    const auto index = [&](std::uint64_t entry) { return indices[static_cast<std::uint32_t>(entry)]; };
    for (auto begin = order.begin(); begin != order.end();) {
      const auto end = std::find_if(begin, order.end(), [&](std::uint64_t entry) { return entry >> 32 != *begin >> 32; });
      const bool one = std::all_of(begin, end, [&](std::uint64_t entry) { return index(entry) == index(*begin); });
      if (!one) std::stable_sort(begin, end, [&](std::uint64_t x, std::uint64_t y) { return index(x) < index(y); });
      begin = end;
    }
    return order;
  }

  std::vector<Posting> postings_;
  std::vector<std::uint32_t> list_starts_, right_starts_;  // right: the first posting of the right side, without a split of the list
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> starts_;  // entries of an item
};

// One a thread.
struct ScoreScratch {
  std::vector<double> scores;
  std::vector<std::uint32_t> seen;  // the last item plus one that touched the score
  std::vector<std::uint32_t> touched;
  std::vector<std::pair<std::size_t, Entry>> entries;
};

class SparseJoin {
 public:
  explicit SparseJoin(const VectorTask& task)
      : task_(task),
        members_(task.members),
        cosine_(task.measure == Measure::cosine),
        space_(task.vectors, task.vectors, task.measure),
        norms_(scaled_norms(task.vectors, task.members, task.measure)),
        least_(task.border.limit() - kSlack),
        lefts_(task.split == 0 ? task.members.size() : place_of(task.members, task.split)),
        index_(task.vectors, task.members, scales_, task.split == 0 ? 0 : lefts_) {}

  void run(MatchOutlet& outlet) const {
    constexpr std::size_t kBlock = 64;
    std::vector<ScoreScratch> scratches(task_.threads);
    const bool across = task_.split != 0;
    const std::uint64_t all = lefts_;
    outlet.expect(across ? all : all * (all + 1) / 2);
    parallel_for(lefts_, kBlock, task_.threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
      ScoreScratch& scratch = scratches[worker];
      scratch.scores.resize(members_.size());
      scratch.seen.resize(members_.size());
      for (std::size_t place = begin; place < end; ++place) {
        probe(static_cast<std::uint32_t>(place), scratch, outlet.of(worker));
        outlet.drain(worker);
      }
      // Without a split an item meets the later ones alone, so the first make most of the work.
      outlet.advance(worker, across ? end - begin : (end - begin) * (2 * all - begin - end + 1) / 2);
    });
  }

 private:
  static std::size_t place_of(std::span<const Row> members, Row split) {
    return static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), split) - members.begin());
  }

  // Weighted Jaccard: Σx of each member. Cosine: none, the index holds vectors of length 1.
  std::vector<double> scaled_norms(const Vectors& vectors, std::span<const Row> members, Measure measure) {
    std::vector<double> norms(members.size());
    for (std::size_t i = 0; i < norms.size(); ++i) norms[i] = norm_of(vectors, members[i], measure);
    scales_.assign(members.size(), 1);
    if (measure != Measure::cosine) return norms;
    for (std::size_t i = 0; i < norms.size(); ++i) scales_[i] = 1 / std::sqrt(norms[i]);
    return {};
  }

  // The numbers with the longest lists are left out, as many as cannot reach the border with another item by themselves, by far:
  // Σ over them of x·y ≤ √Σx²·|y|, and Σmin ≤ Σx. The others stay in scratch.entries. Returns what those left out can add to a score.
  double choose_entries(std::uint32_t place, ScoreScratch& scratch) const {
    scratch.entries.clear();
    for (const Entry entry : index_.entries(place)) scratch.entries.emplace_back(index_.later(entry).size(), entry);
    std::sort(scratch.entries.begin(), scratch.entries.end(),
              [](const auto& x, const auto& y) { return x.first != y.first ? x.first > y.first : x.second.posting < y.second.posting; });
    constexpr double kShare = 0.7;  // of the border: the rest is left for the scores to tell pairs apart
    const double reach = kShare * least_;
    const double budget = cosine_ ? reach * reach : reach * norms_[place];
    double used = 0;
    std::erase_if(scratch.entries, [&](const auto& entry) {
      const double weight = index_.weight(entry.second);
      const double more = used + (cosine_ ? weight * weight : weight);
      const bool left_out = more < budget;
      if (left_out) used = more;
      return left_out;
    });
    return cosine_ ? std::sqrt(used) : used;
  }

  void add_scores(std::uint32_t place, ScoreScratch& scratch) const {
    scratch.touched.clear();
    for (const auto& [length, entry] : scratch.entries) {
      const double weight = index_.weight(entry);
      for (const Posting& other : index_.later(entry)) {
        if (scratch.seen[other.place] != place + 1) {
          scratch.seen[other.place] = place + 1;
          scratch.scores[other.place] = 0;
          scratch.touched.push_back(other.place);
        }
        scratch.scores[other.place] += cosine_ ? weight * other.weight : std::min(weight, other.weight);
      }
    }
  }

  // Σmin / Σmax ≥ t means Σmin ≥ t/(1+t) · (Σa + Σb).
  double least_score(std::uint32_t place, std::uint32_t other) const {
    return cosine_ ? least_ : least_ / (1 + least_) * (norms_[place] + norms_[other]);
  }

  void probe(std::uint32_t place, ScoreScratch& scratch, JoinResult& found) const {
    const double rest = choose_entries(place, scratch);
    add_scores(place, scratch);
    const Row row = members_[place];
    for (const std::uint32_t other : scratch.touched) {
      if (scratch.scores[other] + rest < least_score(place, other) || task_.skips(row, members_[other])) continue;
      ++found.looked_at;
      settle(row, members_[other], space_.value(row, members_[other]), task_.border, found);
    }
  }

  const VectorTask& task_;
  std::span<const Row> members_;
  bool cosine_;
  Space space_;
  std::vector<double> scales_;
  std::vector<double> norms_;
  double least_;  // the border, less what rounding may take from a score
  std::size_t lefts_;
  InvertedIndex index_;
};

}  // namespace

bool can_join_sparse(const Vectors& vectors, std::span<const Row> members, Measure measure, const Border& border) {
  if (vectors.kind != Vectors::Kind::sparse || (measure != Measure::cosine && measure != Measure::weighted_jaccard)) return false;
  if (border.limit() <= 2 * kSlack || vectors.values.size() >= UINT32_MAX) return false;
  return std::all_of(members.begin(), members.end(), [&](Row row) {
    const double norm = norm_of(vectors, row, measure);
    return measure == Measure::cosine ? squares_are_safe(norm) : norm > 1e-300 && sums_are_safe(norm);
  });
}

void join_sparse(const VectorTask& task, MatchOutlet& outlet) { SparseJoin(task).run(outlet); }

}  // namespace nearkin
