#include "match/vector_parts.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/parallel.h"
#include "match/join_parts.h"
#include "match/space.h"

namespace nearkin {
namespace {

// Bytes that a join takes for a row: the vector, an index of it or a copy, and what is known of it for each thread.
std::uint64_t join_bytes(const VectorRows& rows, Row row, unsigned threads) {
  return 3 * rows.size(row) + 64 + std::uint64_t{12} * threads;
}

using Rows = std::vector<Row>;

// Stretches of the rows that take about `room` bytes each, one row at least.
std::vector<std::span<const Row>> parts_of(const VectorRows& rows, std::span<const Row> members, std::uint64_t room, unsigned threads) {
  std::vector<std::span<const Row>> parts;
  for (std::size_t begin = 0, end = 0; begin < members.size(); begin = end) {
    std::uint64_t bytes = 0;
    for (end = begin; end < members.size(); ++end) {
      bytes += join_bytes(rows, members[end], threads);
      if (end > begin && bytes > room) break;
    }
    parts.push_back(members.subspan(begin, end - begin));
  }
  return parts;
}

// Joins vectors that were loaded for `rows`, and tells of the rows what is found of their places.
class PartJoin {
 public:
  PartJoin(const VectorRows& rows, const Plan& plan, const JoinLimits& limits, const MatchSink& emit, const SkipPair& skip)
      : rows_(rows), plan_(plan), limits_(limits), emit_(emit), skip_(skip) {}

  // Pairs of the first `lefts` rows with the others; 0: all pairs.
  void join(std::span<const Row> rows, std::size_t lefts) {
    Rows places(rows.size());
    std::iota(places.begin(), places.end(), Row{0});
    const Vectors vectors = rows_.load(rows);
    const MatchSink emit = [&](std::span<const Match> matches) {
      Matches named(matches.begin(), matches.end());
      for (Match& match : named) match.a = rows[match.a], match.b = rows[match.b];
      emit_(named);
    };
    SkipPair skip;
    if (skip_) skip = [&](Row a, Row b) { return skip_(rows[a], rows[b]); };
    const JoinNotes notes = join_vectors(vectors, places, static_cast<Row>(lefts), plan_, limits_.threads, emit, skip, advance_);
    notes_.looked_at += notes.looked_at;
    const Border border(plan_, vectors.dimensions);
    if (notes.closest_below != 0) notes_.closest_below = border.closer(notes.closest_below, notes_.closest_below);
  }
  void join(std::span<const Row> lefts, std::span<const Row> rights) {
    Rows both(lefts.begin(), lefts.end());
    both.insert(both.end(), rights.begin(), rights.end());
    join(both, lefts.size());
  }
  JoinNotes notes() const { return notes_; }
  // The next joins are all there is to do, or one of several.
  void tell_of_pairs(Advance* advance) { advance_ = advance; }

 private:
  const VectorRows& rows_;
  const Plan& plan_;
  JoinLimits limits_;
  const MatchSink& emit_;
  const SkipPair& skip_;
  Advance* advance_ = nullptr;
  JoinNotes notes_;
};

class VectorStar {
 public:
  VectorStar(const VectorRows& rows, std::span<const Row> order, const Plan& plan, const JoinLimits& limits)
      : rows_(rows), order_(order), plan_(plan), limits_(limits), taken_(order.size()) {}

  StarResult run() {
    std::vector<std::uint32_t> left(order_.size());
    std::iota(left.begin(), left.end(), 0u);
    expect(limits_.advance, order_.size());
    while (!left.empty()) left = round(left);
    StarResult result;
    static_cast<JoinNotes&>(result) = notes_;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      if (taken_[i].keeper != kNone) result.removed.push_back({order_[i], order_[taken_[i].keeper], 0, 0, taken_[i].value});
    }
    return result;
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  using Places = std::vector<std::uint32_t>;  // in the order; ascending, so that the first is most worth keeping
  struct Taken {
    std::uint32_t keeper = kNone;
    double value = 0;
  };
  // Vectors of some places.
  struct Loaded {
    Places places;
    Vectors vectors;
  };

  // The first places that fit are decided among themselves; the others are held against those of them that are kept. Returns what is left.
  Places round(const Places& left) {
    const std::uint64_t room = limits_.memory / 4;
    const std::size_t count = fitting(left, 0, room);
    const Loaded first = load({left.begin(), left.begin() + static_cast<std::ptrdiff_t>(count)});
    Places here(count);
    std::iota(here.begin(), here.end(), 0u);
    const Loaded kept = chosen(first, decide(first, here));
    Places remaining;
    for (std::size_t begin = count, end = count; begin < left.size(); begin = end) {
      end = fitting(left, begin, room);
      Loaded others = load({left.begin() + static_cast<std::ptrdiff_t>(begin), left.begin() + static_cast<std::ptrdiff_t>(end)});
      others.places.insert(others.places.begin(), kept.places.begin(), kept.places.end());
      join({others.places, joined(kept.vectors, others.vectors)}, kept.places.size());
      const std::size_t before = remaining.size();
      std::copy_if(left.begin() + static_cast<std::ptrdiff_t>(begin), left.begin() + static_cast<std::ptrdiff_t>(end),
                   std::back_inserter(remaining), [&](std::uint32_t place) { return taken_[place].keeper == kNone; });
      add(limits_.advance, 0, end - begin - (remaining.size() - before));
    }
    return remaining;
  }

  std::size_t fitting(const Places& places, std::size_t begin, std::uint64_t room) const {
    std::uint64_t bytes = 0;
    std::size_t end = begin;
    for (; end < places.size(); ++end) {
      bytes += join_bytes(rows_, order_[places[end]], limits_.threads);
      if (end > begin && bytes > room) break;
    }
    return end;
  }

  Loaded load(Places places) const {
    std::vector<Row> by_row(places.size()), ascending(places.size()), at(places.size());
    std::iota(by_row.begin(), by_row.end(), Row{0});
    std::sort(by_row.begin(), by_row.end(), [&](Row x, Row y) { return order_[places[x]] < order_[places[y]]; });
    for (std::size_t i = 0; i < by_row.size(); ++i) {
      ascending[i] = order_[places[by_row[i]]];
      at[by_row[i]] = static_cast<Row>(i);
    }
    return {std::move(places), gather(rows_.load(ascending), at)};
  }

  static Loaded chosen(const Loaded& from, std::span<const std::uint32_t> which) {
    Loaded some{{}, gather(from.vectors, which)};
    for (const std::uint32_t i : which) some.places.push_back(from.places[i]);
    return some;
  }

  // Decides on some of the loaded, given in order. Returns those that are kept.
  Places decide(const Loaded& all, const Places& which) {
    constexpr std::size_t kFew = 32;
    if (which.size() <= kFew) return decide_few(chosen(all, which), which);
    const auto middle = which.begin() + static_cast<std::ptrdiff_t>(which.size() / 2);
    Places kept = decide(all, {which.begin(), middle});
    Places rest(middle, which.end());
    Places both = kept;
    both.insert(both.end(), rest.begin(), rest.end());
    join(chosen(all, both), kept.size());
    add(limits_.advance, 0, std::erase_if(rest, [&](std::uint32_t i) { return taken_[all.places[i]].keeper != kNone; }));
    rest = decide(all, rest);
    kept.insert(kept.end(), rest.begin(), rest.end());
    return kept;
  }

  Places decide_few(const Loaded& few, const Places& which) {
    const Space space(few.vectors, few.vectors, plan_.measure);
    const Border border(plan_, few.vectors.dimensions);
    add(limits_.advance, 0, which.size());
    std::vector<std::size_t> kept;
    Places result;
    for (std::size_t i = 0; i < few.places.size(); ++i) {
      Taken& taken = taken_[few.places[i]];
      for (auto keeper = kept.begin(); keeper != kept.end() && taken.keeper == kNone; ++keeper) {
        const double value = space.value(*keeper, i);
        ++notes_.looked_at;
        if (border.inside(value)) taken = {few.places[*keeper], value};
        if (!border.inside(value)) notes_.closest_below = border.closer(value, notes_.closest_below);
      }
      if (taken.keeper != kNone) continue;
      kept.push_back(i);
      result.push_back(which[i]);
    }
    return result;
  }

  // Each that matches one of the first `kept` is taken by the first of them; these are one at least.
  void join(const Loaded& both, std::size_t kept) {
    std::vector<Row> members(both.places.size());
    std::iota(members.begin(), members.end(), Row{0});
    const MatchSink take = [&](std::span<const Match> matches) {
      for (const Match& match : matches) {
        Taken& taken = taken_[both.places[match.b]];
        if (both.places[match.a] < taken.keeper) taken = {both.places[match.a], match.value};
      }
    };
    const JoinNotes notes = join_vectors(both.vectors, members, static_cast<Row>(kept), plan_, limits_.threads, take);
    notes_.looked_at += notes.looked_at;
    const Border border(plan_, both.vectors.dimensions);
    if (notes.closest_below != 0) notes_.closest_below = border.closer(notes.closest_below, notes_.closest_below);
  }

  const VectorRows& rows_;
  std::span<const Row> order_;
  const Plan& plan_;
  JoinLimits limits_;
  std::vector<Taken> taken_;  // by place
  JoinNotes notes_;
};

}  // namespace

VectorRows rows_in_memory(const Vectors& vectors) {
  const auto size = [&vectors](Row row) -> std::uint64_t {
    switch (vectors.kind) {
      case Vectors::Kind::dense: return sizeof(float) * vectors.dimensions;
      case Vectors::Kind::bits: return sizeof(std::uint64_t) * vectors.word_count();
      default: return sizeof(std::uint64_t) + (sizeof(std::uint64_t) + sizeof(double)) * vectors.sparse(row).values.size();
    }
  };
  return {.size = size, .load = [&vectors](std::span<const Row> rows) { return gather(vectors, rows); }};
}

Vectors gather(const Vectors& vectors, std::span<const Row> rows) {
  Vectors some{.kind = vectors.kind, .dimensions = vectors.dimensions, .count = rows.size()};
  for (const Row row : rows) {
    if (vectors.kind == Vectors::Kind::dense) {
      some.numbers.insert(some.numbers.end(), vectors.dense(row).begin(), vectors.dense(row).end());
    } else if (vectors.kind == Vectors::Kind::bits) {
      some.words.insert(some.words.end(), vectors.bits(row).begin(), vectors.bits(row).end());
    } else {
      const SparseView item = vectors.sparse(row);
      some.indices.insert(some.indices.end(), item.indices.begin(), item.indices.end());
      some.values.insert(some.values.end(), item.values.begin(), item.values.end());
      some.ends.push_back(some.indices.size());
    }
  }
  return some;
}

Vectors joined(Vectors first, const Vectors& second) {
  const std::uint64_t base = first.indices.size();
  first.count += second.count;
  first.numbers.insert(first.numbers.end(), second.numbers.begin(), second.numbers.end());
  first.words.insert(first.words.end(), second.words.begin(), second.words.end());
  first.indices.insert(first.indices.end(), second.indices.begin(), second.indices.end());
  first.values.insert(first.values.end(), second.values.begin(), second.values.end());
  for (const std::uint64_t end : second.ends) first.ends.push_back(base + end);
  return first;
}

JoinNotes join_vectors(const VectorRows& rows, std::span<const Row> members, Row split, const Plan& plan, const JoinLimits& limits,
                       const MatchSink& emit, const SkipPair& skip) {
  Rows ascending(members.begin(), members.end());
  std::sort(ascending.begin(), ascending.end());
  const auto middle = static_cast<std::size_t>(std::lower_bound(ascending.begin(), ascending.end(), split) - ascending.begin());
  const std::span<const Row> lefts = std::span(ascending).first(split == 0 ? 0 : middle),
                             rights = std::span(ascending).subspan(lefts.size());
  PartJoin join(rows, plan, limits, emit, skip);
  if (const auto whole = parts_of(rows, ascending, limits.memory, limits.threads); whole.size() == 1) {
    join.tell_of_pairs(limits.advance);
    if (split == 0) join.join(ascending, std::size_t{0});
    if (!lefts.empty() && !rights.empty()) join.join(lefts, rights);
    return join.notes();
  }
  const auto left_parts = parts_of(rows, lefts, limits.memory / 2, limits.threads);
  const auto right_parts = parts_of(rows, rights, limits.memory / 2, limits.threads);
  const std::uint64_t rights_joined = split == 0 ? right_parts.size() * (right_parts.size() + 1) / 2 : 0;
  expect(limits.advance, left_parts.size() * right_parts.size() + rights_joined);
  for (const std::span<const Row> left : left_parts) {
    for (const std::span<const Row> right : right_parts) {
      join.join(left, right);
      add(limits.advance, 0, 1);
    }
  }
  for (std::size_t i = 0; split == 0 && i < right_parts.size(); ++i) {
    join.join(right_parts[i], std::size_t{0});
    add(limits.advance, 0, 1);
    for (std::size_t j = i + 1; j < right_parts.size(); ++j) {
      join.join(right_parts[i], right_parts[j]);
      add(limits.advance, 0, 1);
    }
  }
  return join.notes();
}

StarResult star_vectors(const VectorRows& rows, std::span<const Row> order, const Plan& plan, const JoinLimits& limits) {
  return VectorStar(rows, order, plan, {limits.memory, thread_count(limits.threads), limits.advance}).run();
}

}  // namespace nearkin
