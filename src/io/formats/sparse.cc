// One sparse vector a line, as svmlight and its kin write them: [label] [qid:N] index:value … [# comment].
#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include <nearkin/tools/spelling.h>

#include "base/in_quotes.h"
#include "io/formats/dense_text.h"
#include "io/formats/records.h"

namespace nearkin {
namespace {

constexpr std::string_view kSparseBlanks = " \t\r";
constexpr std::uint64_t kMostIndex = std::uint64_t{1} << 63;

/// The first word, taken off `rest` with the blanks after it; `rest` begins with no blank.
std::string_view take_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find_first_of(kSparseBlanks), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(rest.find_first_not_of(kSparseBlanks, end), rest.size()));
  return word;
}

/// A number, or several with commas between them.
bool is_label(std::string_view word) { return word.find_first_not_of("0123456789+-.,eE") == std::string_view::npos; }

class SparseLine {
 public:
  SparseLine(const Fields& fields, RecordSink& sink) : fields_(fields), sink_(sink) {}

  void add(std::string_view line, const Location& location) {
    const std::size_t hash = std::min(line.find('#'), line.size());
    std::string_view rest = trimmed(line.substr(0, hash));
    if (rest.empty()) return;
    id_ = fields_.comment && hash < line.size() ? trimmed(line.substr(hash + 1)) : std::string_view();
    problem_.clear();
    take_front(rest);
    while (problem_.empty() && !rest.empty()) take_entry(rest);
    if (problem_.empty()) sort_entries();
    if (problem_.empty() && !is_utf8(id_)) problem_ = "its id " + in_quotes(id_) + " is not valid UTF-8";
    if (problem_.empty()) return sink_.vector(id_.empty() ? sink_.place(location) : id_, 0, location);
    sink_.drop_vector();
    sink_.fault(location, problem_);
  }

 private:
  /// Id or label, and the query's number.
  void take_front(std::string_view& rest) {
    std::string_view after = rest;
    const std::string_view word = take_word(after);
    if (word.find(':') == std::string_view::npos) {
      if (fields_.first_word) id_ = word;
      if (!fields_.first_word && !is_label(word)) problem_ = in_quotes(word) + " is neither a label, which is a number, nor index:value";
      rest = after;
    } else if (fields_.first_word) {
      problem_ = "no first word to take as the id; the line begins with " + in_quotes(word);
    }
    if (rest.starts_with("qid:")) take_word(rest);
  }

  void take_entry(std::string_view& rest) {
    const char* at = rest.data();
    const char* const end = at + rest.size();
    std::uint64_t index = 0;
    double value = 0;
    const auto [after, error] = std::from_chars(at, end, index);
    if (error == std::errc::result_out_of_range || index > kMostIndex) return refuse(rest, ": the index is above 2^63");
    if (error != std::errc() || after == end || *after != ':') {
      return refuse(rest, " is not index:value, the index a whole number of 0 and more");
    }
    at = after + 1;
    const Spelt spelt = read_number(at, end, value);
    if (spelt == Spelt::not_finite) return refuse(rest, ": the value is not finite");
    // Squares of larger ones, and their sums, would leave the range of a double.
    if (spelt == Spelt::too_large || std::abs(value) > 1e100) return refuse(rest, ": the value is beyond ±1e100");
    const bool whole = at == end || kSparseBlanks.find(*at) != std::string_view::npos;
    if (spelt == Spelt::nothing || !whole) return refuse(rest, ": the value is not a number");
    sink_.vectors().indices.push_back(index);
    sink_.vectors().values.push_back(value);
    while (at < end && kSparseBlanks.find(*at) != std::string_view::npos) ++at;
    rest.remove_prefix(static_cast<std::size_t>(at - rest.data()));
  }

  void refuse(std::string_view rest, const char* why) { problem_ = in_quotes(take_word(rest)) + why; }

  /// Ascending by index, none twice, without zeros.
  void sort_entries() {
    std::vector<std::uint64_t>& indices = sink_.vectors().indices;
    std::vector<double>& values = sink_.vectors().values;
    const auto begin = static_cast<std::size_t>(sink_.vectors().ends.empty() ? 0 : sink_.vectors().ends.back());
    if (!std::is_sorted(indices.begin() + static_cast<std::ptrdiff_t>(begin), indices.end())) {
      entries_.clear();
      for (std::size_t i = begin; i < indices.size(); ++i) entries_.emplace_back(indices[i], values[i]);
      std::sort(entries_.begin(), entries_.end());
      for (std::size_t i = begin; i < indices.size(); ++i) std::tie(indices[i], values[i]) = entries_[i - begin];
    }
    const auto twice = std::adjacent_find(indices.begin() + static_cast<std::ptrdiff_t>(begin), indices.end());
    if (twice != indices.end()) problem_ = "index " + std::to_string(*twice) + " is given twice";
    std::size_t kept = begin;
    for (std::size_t i = begin; i < indices.size(); ++i) {
      if (values[i] == 0) continue;
      indices[kept] = indices[i];
      values[kept++] = values[i];
    }
    indices.resize(kept);
    values.resize(kept);
  }

  const Fields& fields_;
  RecordSink& sink_;
  std::string_view id_;
  std::string problem_;
  std::vector<std::pair<std::uint64_t, double>> entries_;
};

}  // namespace

void parse_sparse(const Chunk& chunk, const Fields& fields, RecordSink& sink) {
  sink.begin_vectors(Vectors::Kind::sparse);
  SparseLine one(fields, sink);
  for_each_line(chunk, [&](std::string_view, std::string_view line, const Location& location) { one.add(line, location); });
}

}  // namespace nearkin
