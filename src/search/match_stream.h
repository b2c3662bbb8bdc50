// MatchStream: the matches of a search in ascending order, wherever they are held.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <nearkin/stages.h>

#include "io/run_file/run_file.h"

namespace nearkin {

/// Ascending by (a, b), as a stream has them.
inline bool by_rows(const Match& x, const Match& y) { return Pair{x.a, x.b} < Pair{y.a, y.b}; }
/// Whether one match comes before another; empty: by their rows.
using MatchOrder = std::function<bool(const Match&, const Match&)>;

/// Between representatives of copies, ascending by (a, b). Held in a vector; in match files that follow one another; or in match files each
/// of which is ascending by itself, and which are merged as they are read. It can be read any number of times.
class MatchStream {
 public:
  using Files = std::vector<std::shared_ptr<const RunFile>>;
  using Test = std::function<bool(const Match&)>;

  MatchStream() = default;
  explicit MatchStream(Matches matches) : matches_(std::make_shared<const Matches>(std::move(matches))) {}
  enum class Order { one_after_the_other, merged };
  explicit MatchStream(Files files, Order order = Order::one_after_the_other) : files_(std::move(files)), order_(order) {}
  /// From files that are each sorted by `before`, to be merged in that order; `where` and `with` cannot be used then.
  MatchStream(Files files, MatchOrder before) : files_(std::move(files)), order_(Order::merged), before_(std::move(before)) {}

  /// The same stream without the matches that fail the test.
  MatchStream where(Test test) const;
  /// The same stream with some more, ascending, none of which it has.
  MatchStream with(Matches more) const;

  /// Calls use(match) for each match.
  template <typename Use>
  void for_each(Use&& use) const {
    std::size_t added = 0;
    const auto add_before = [&](const Match* match) {
      for (; more_ && added < more_->size() && (match == nullptr || by_rows((*more_)[added], *match)); ++added) use((*more_)[added]);
    };
    for_each_block([&](std::span<const Match> block) {
      for (const Match& match : block) {
        if (test_ && !test_(match)) continue;
        add_before(&match);
        use(match);
      }
    });
    add_before(nullptr);
  }
  /// Reads the files if a test was given.
  std::uint64_t count() const;
  /// The vector, if all matches are held in one; else null.
  const Matches* in_memory() const { return test_ || more_ ? nullptr : matches_.get(); }
  /// All of them in a vector.
  Matches to_vector() const;

 private:
  void for_each_block(const std::function<void(std::span<const Match>)>& use) const;

  std::shared_ptr<const Matches> matches_;
  Files files_;
  Order order_ = Order::one_after_the_other;
  MatchOrder before_;
  Test test_;
  std::shared_ptr<const Matches> more_;  // the test is not applied to these: they passed it, or were added later
};

void sort_by_rows(Matches& matches);

/// Match files: pairs packed as a << 32 | b, ascending, and what is known of each. Sections of nothing where nothing was verified.
enum MatchSection : std::uint32_t { kMatchPairs = 16, kMatchShared, kMatchTotal, kMatchNotes, kMatchValues };
/// All sections but the notes; values only where they are asked for. Does not finish the file.
void write_match_sections(RunFileWriter& writer, std::span<const Match> matches, bool with_values);

}  // namespace nearkin
