#include <algorithm>

#include "search/passages.h"

namespace nearkin {
namespace {

// Runs of one pair of records, in order; joined in place, with their number.
class Joiner {
 public:
  Joiner(std::span<JoinedRun> runs, std::uint32_t gap) : runs_(runs), gap_(gap) {}

  std::size_t join() {
    std::size_t joined = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (i > 0 && follows(runs_[i])) {
        extend(runs_[joined - 1], runs_[i]);
      } else {
        here_ = runs_[i].place.token + runs_[i].tokens;
        there_ = runs_[i].source.token + runs_[i].tokens;
        open_ = last_ = runs_[i];
        runs_[joined++] = open_;
      }
    }
    return joined;
  }

 private:
  // Where a token was doubled or left out, the two runs have a few tokens in common in one of the records.
  bool is_near(std::uint64_t end, std::uint64_t next) const { return std::max(end, next) - std::min(end, next) <= gap_; }

  bool goes_on(const JoinedRun& next) const {
    return next.place.token > last_.place.token && next.source.token > last_.source.token && next.place.token + next.tokens > here_ &&
           next.source.token + next.tokens > there_;
  }

  bool follows(const JoinedRun& next) const {
    const bool overlaps = open_.place.row == open_.source.row && next.source.token + next.tokens > open_.place.token;
    return is_near(here_, next.place.token) && is_near(there_, next.source.token) && goes_on(next) && !overlaps;
  }

  void extend(JoinedRun& run, const JoinedRun& next) {
    const std::uint32_t twice_here = here_ - std::min(here_, next.place.token), twice_there = there_ - std::min(there_, next.source.token);
    run.end = next.end;
    run.in_end = next.in_end;
    run.tokens += next.tokens - std::max(twice_here, twice_there);
    last_ = next;
    here_ = next.place.token + next.tokens;
    there_ = next.source.token + next.tokens;
    run.of = std::max(here_ - run.place.token, there_ - run.source.token);
  }

  std::span<JoinedRun> runs_;
  std::uint32_t gap_;
  JoinedRun open_, last_;               // the first and the last of those that are being joined
  std::uint32_t here_ = 0, there_ = 0;  // where they end, in tokens
};

void join_runs(std::vector<JoinedRun>& runs, std::uint32_t gap) {
  std::stable_sort(runs.begin(), runs.end(), [](const EqualRun& a, const EqualRun& b) { return a.source.row < b.source.row; });
  std::vector<JoinedRun> joined;
  for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
    while (end < runs.size() && runs[end].source.row == runs[begin].source.row) ++end;
    const std::size_t count = Joiner(std::span(runs).subspan(begin, end - begin), gap).join();
    joined.insert(joined.end(), runs.begin() + static_cast<std::ptrdiff_t>(begin),
                  runs.begin() + static_cast<std::ptrdiff_t>(begin + count));
  }
  std::sort(joined.begin(), joined.end(), [](const JoinedRun& a, const JoinedRun& b) { return static_cast<const EqualRun&>(a) < b; });
  runs.swap(joined);
}

// Calls use(row, runs) for each record, in order, its runs each once and ascending.
template <typename Use>
void for_each_record(const EqualRuns& all, Use&& use) {
  for (std::uint32_t part = 0; part < all.parts(); ++part) {
    std::vector<EqualRun> runs = all.part(part);
    std::sort(runs.begin(), runs.end());
    runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
    for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
      while (end < runs.size() && runs[end].place.row == runs[begin].place.row) ++end;
      use(runs[begin].place.row, std::span<const EqualRun>(runs).subspan(begin, end - begin));
    }
  }
}

}  // namespace

void for_each_record_with_runs(const EqualRuns& runs, std::optional<std::uint32_t> gap,
                               const std::function<void(Row row, std::span<const JoinedRun> runs)>& use) {
  std::vector<JoinedRun> joined;
  for_each_record(runs, [&](Row row, std::span<const EqualRun> found) {
    joined.clear();
    for (const EqualRun& run : found) joined.push_back({run, run.tokens});
    if (gap) join_runs(joined, *gap);
    use(row, joined);
  });
}

RepeatedText repeated_text(std::span<const EqualRun> runs) {
  RepeatedText repeated;
  std::uint32_t end = 0;  // of the tokens taken so far
  for (const EqualRun& run : runs) {
    const std::uint32_t run_end = run.place.token + run.tokens;
    if (!repeated.spans.empty() && run.place.token <= end) {
      repeated.spans.back().end = std::max<std::size_t>(repeated.spans.back().end, run.end);
    } else {
      repeated.spans.push_back({run.begin, run.end});
    }
    const std::uint32_t from = std::max(end, run.place.token);
    repeated.tokens += run_end > from ? run_end - from : 0;
    end = std::max(end, run_end);
  }
  return repeated;
}

void for_each_repeated_text(const EqualRuns& runs, const std::function<void(Row row, const RepeatedText& repeated)>& use) {
  for_each_record(runs, [&](Row row, std::span<const EqualRun> found) { use(row, repeated_text(found)); });
}

}  // namespace nearkin
