// POST /v1/items: lines of a body that need not fit in memory → items → an answer a line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app.h"

namespace nearkin::server {

/// A line, or what is wrong with it.
struct BulkLine {
  std::uint64_t number = 0;  ///< counted from 1
  std::string text;
  std::optional<Problem> problem = {};
};

/// Cuts a body into lines, however it is cut into parts. Blank lines are counted and passed over.
class LineSplitter {
 public:
  /// Lines of more than `most` bytes become a problem (413), and so do those that the charge does not cover (503).
  LineSplitter(std::size_t most, Charge& charge) : most_(most), charge_(charge) {}

  void feed(std::string_view bytes);
  void end();                                   ///< the last line may have no end of its own
  std::size_t bytes() const { return bytes_; }  ///< of the lines that are complete
  std::size_t count() const { return lines_.size(); }
  std::vector<BulkLine> take();
  std::uint64_t line_number() const { return number_; }  ///< of the line that is being read

 private:
  void extend(std::string_view part);
  void finish();

  std::size_t most_;
  Charge& charge_;
  std::vector<BulkLine> lines_;
  std::size_t bytes_ = 0;
  std::string rest_;
  std::optional<Problem> problem_;
  std::uint64_t number_ = 1;
};

/// Puts the items of the lines, and gives `done` their answers once they are on the disk. `done` may be called by any thread; until then
/// the charge, which must live so long, is used by nobody else.
void put_lines(App& app, std::vector<BulkLine> lines, Charge& charge, std::function<void(std::string answers)> done);

/// {"line":N,"status":…,"title":…,"detail":…}
std::string line_problem(std::uint64_t number, const Problem& problem);

}  // namespace nearkin::server
