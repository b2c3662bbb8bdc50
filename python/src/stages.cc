// The pure stages: Arrow in, Arrow out.
#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <nearkin/nearkin.h>
#include <nearkin/tools/describe.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/sample.h>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "arguments.h"
#include "arrow_in.h"
#include "arrow_out.h"
#include "bind.h"
#include "interrupt.h"
#include "items.h"
#include "values.h"

namespace nearkin::python {
namespace {

ArrowData arrow_of(const py::handle& given, const char* what) {
  if (ArrowData::is_arrow(given)) return ArrowData(given);
  throw py::type_error(std::string(what) + ": " + type_of(given) +
                       " is no Arrow data; give an array of pyarrow, or what else has __arrow_c_array__");
}

bool is_directed(const Plan& plan) { return plan.measure == Measure::containment; }

// What the numbers of lists are, of either sign, as engines without unsigned numbers hand them on.
template <typename Number>
bool holds(const ArrowSchema& schema) {
  if (!holds_lists(schema) || !holds_integers(*schema.children[0])) return false;
  return std::strchr(sizeof(Number) == 8 ? "lL" : "iI", schema.children[0]->format[0]) != nullptr;
}

// take(numbers, whether the row is null) for each row. No number of a row is null.
template <typename Number, typename Take>
void each_list(const py::handle& given, const char* what, const char* stage, Take take) {
  const ArrowData data = arrow_of(given, what);
  if (!holds<Number>(data.schema())) {
    const std::string bits = std::to_string(8 * sizeof(Number));
    throw py::value_error(std::string(what) + ": " + type_name(data.schema()) + "; expected lists of " + bits + "-bit numbers, as " +
                          stage + " gives them");
  }
  std::size_t row = 0;
  for (const ArrowView& chunk : data.chunks()) {
    const ArrowView child = chunk.child();
    const Number* const numbers = child.buffer<Number>(1) + child.begin;
    for (std::int64_t i = 0; i < chunk.length; ++i, ++row) {
      const ListBounds bounds = list_bounds(chunk, i);
      for (std::int64_t k = bounds.begin; child.validity() != nullptr && k < bounds.end; ++k) {
        if (!child.is_null(k)) continue;
        throw py::value_error(at(what, row) + "number " + std::to_string(k - bounds.begin + 1) +
                              " is null; a row may be null, but not a number in it");
      }
      take(std::span(numbers + bounds.begin, numbers + bounds.end), chunk.is_null(i));
    }
  }
}

// Lists of 64-bit hashes, in one piece. A null has none.
Features features_of(const py::handle& given, const char* what) {
  Features features;
  each_list<std::uint64_t>(given, what, "shingle", [&](std::span<const std::uint64_t> hashes, bool) {
    if (std::adjacent_find(hashes.begin(), hashes.end(), std::greater_equal<>()) != hashes.end()) {
      throw py::value_error(at(what, features.size()) +
                            "the hashes are not in ascending order without repetition; sort them as unsigned numbers");
    }
    features.hashes.insert(features.hashes.end(), hashes.begin(), hashes.end());
    features.ends.push_back(features.hashes.size());
  });
  return features;
}

// Rows of 32-bit numbers, `size` each; `null` says where there is none.
struct Slots {
  std::vector<std::uint32_t> values;
  std::vector<std::uint8_t> null;
  std::size_t rows() const { return null.size(); }
};

Slots slots_of(const py::handle& given, std::size_t size, const char* what) {
  Slots slots;
  each_list<std::uint32_t>(given, what, "sketch", [&](std::span<const std::uint32_t> values, bool null) {
    if (!null && values.size() != size) {
      throw py::value_error(at(what, slots.rows()) + std::to_string(values.size()) + " numbers, the plan has " + std::to_string(size));
    }
    slots.values.insert(slots.values.end(), values.begin(), values.end());
    slots.null.push_back(null);
    slots.values.resize(slots.rows() * size);
  });
  return slots;
}

Column features_column(Features&& features, std::string name = {}) {
  return list_of(std::move(name), features.ends, numbers("item", "L", std::move(features.hashes)));
}

// The stages are those of sets of shingles. Containment has no sketches.
void require_shingles(const Plan& plan, bool sketched) {
  const bool symmetric = plan.measure == Measure::jaccard || plan.measure == Measure::weighted_jaccard;
  const bool fits = plan.kind == Kind::shingles && (sketched ? symmetric && plan.sketch.hashes > 0 : symmetric || is_directed(plan));
  if (fits) return;
  throw Error(ErrorCode::plan, "plan",
              "'" + to_string(plan) + "' is not for this stage; use " +
                  (sketched ? "jaccard or weighted-jaccard with a recall below 1" : "jaccard, weighted-jaccard or containment"));
}

std::shared_ptr<GivenItems> texts_of(const py::handle& given, const Plan& plan) {
  std::shared_ptr<GivenItems> items = items_of(given, "texts");
  if (items->items.vectors) throw py::value_error("texts: vectors; this stage takes texts or sets");
  require_fitting(*items, plan);
  if (!items->sets) require_utf8(*items);
  return items;
}

template <typename T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void append(Features& all, const Features& more) {
  const std::uint64_t base = all.hashes.size();
  append(all.hashes, more.hashes);
  for (const std::uint64_t end : more.ends) all.ends.push_back(base + end);
}

void append(Descriptions& all, const Descriptions& more) {
  append(all.empty, more.empty);
  append(all.contents, more.contents);
  append(all.keys, more.keys);
  append(all.signatures, more.signatures);
}

using Views = std::span<const std::string_view>;

// The sum of work(piece, its scopes) over pieces of some MiB, one after the other, without the GIL and with a look for Ctrl-C in between.
// The later stages take little longer than the copy of what they are given.
template <typename Work>
auto in_pieces(Views texts, Views scopes, Work work) {
  constexpr std::size_t kPiece = 4 << 20, kRow = 64;  // bytes; a row is some work even if it has none
  WithoutGil released;
  decltype(work(texts, scopes)) all;
  for (std::size_t begin = 0, end = 0; begin < texts.size(); begin = end) {
    for (std::size_t bytes = 0; end < texts.size() && bytes < kPiece; ++end) bytes += texts[end].size() + kRow;
    if (begin > 0) released.look_for_signals();
    append(all, work(texts.subspan(begin, end - begin), scopes.empty() ? scopes : scopes.subspan(begin, end - begin)));
  }
  return all;
}

// One for each text, where they are given; a null is empty.
struct Scopes {
  Scopes(const py::object& given, std::size_t texts) {
    if (given.is_none()) return;
    data.emplace(arrow_of(given, "scopes"));
    if (!holds_strings(data->schema())) throw py::value_error("scopes: " + type_name(data->schema()) + "; expected strings, one per text");
    for (const ArrowView& chunk : data->chunks()) append_strings(chunk, values);
    if (values.size() != texts)
      throw py::value_error("scopes: " + std::to_string(values.size()) + " of " + std::to_string(texts) + " texts; give one for each");
    for (std::string_view& value : values) value = value.data() == nullptr ? std::string_view("") : value;
  }
  std::optional<ArrowData> data;
  std::vector<std::string_view> values;
};

Column shingle_stage(const py::handle& texts, const Plan& plan, const py::object& given_scopes) {
  const auto items = texts_of(texts, plan);
  const Scopes scopes(given_scopes, items->items.texts.size());
  return features_column(
      in_pieces(items->items.texts, scopes.values, [&](Views piece, Views of) { return shingle(piece, plan.shingle, of); }));
}

// Of rows without a sketch nothing is told.
Column rows_column(std::string name, std::size_t size, std::vector<std::uint32_t>&& values, const std::vector<std::uint8_t>& null) {
  return with_nulls(fixed_list(std::move(name), size, numbers("item", "I", std::move(values)), null.size()), null);
}

Column sketch_stage(const py::handle& features, const Plan& plan) {
  require_shingles(plan, true);
  const Features given = features_of(features, "features");
  const py::gil_scoped_release released;
  Sketches sketches = sketch(given, plan.sketch);
  return rows_column("", plan.sketch.hashes, std::move(sketches.slots), sketches.empty);
}

Column keys_stage(const py::handle& sketches, const Plan& plan) {
  require_shingles(plan, true);
  const Slots slots = slots_of(sketches, plan.sketch.hashes, "sketches");
  const py::gil_scoped_release released;
  std::vector<std::uint32_t> keys;
  keys.reserve(slots.rows() * plan.band.bands);
  for (std::size_t i = 0; i < slots.rows(); ++i) {
    const std::vector<std::uint32_t> own =
        band_keys(std::span(slots.values).subspan(i * plan.sketch.hashes, plan.sketch.hashes), plan.band);
    keys.insert(keys.end(), own.begin(), own.end());
  }
  return rows_column("", plan.band.bands, std::move(keys), slots.null);
}

Column signature_stage(const py::handle& sketches, const Plan& plan) {
  require_shingles(plan, true);
  const Slots slots = slots_of(sketches, plan.sketch.hashes, "sketches");
  const py::gil_scoped_release released;
  std::vector<std::uint8_t> bytes = signature(slots.values);
  return with_nulls(fixed_bytes("", plan.sketch.hashes, std::move(bytes), slots.rows()), slots.null);
}

std::vector<std::uint8_t> bytes_of(const std::vector<Content>& contents) {
  std::vector<std::uint8_t> bytes(16 * contents.size());
  if (!contents.empty()) std::memcpy(bytes.data(), contents.data(), bytes.size());
  return bytes;
}

Column describe_stage(const py::handle& texts, const Plan& plan, bool features, const py::object& given_scopes) {
  const auto items = texts_of(texts, plan);
  const Views all = items->items.texts;
  const Scopes scopes(given_scopes, all.size());
  if (all.empty()) describe(all, plan);  // which looks at the plan
  Descriptions described = in_pieces(all, scopes.values, [&](Views piece, Views of) { return describe(piece, plan, of); });
  std::vector<Column> children;
  children.push_back(booleans("empty", described.empty));
  children.push_back(fixed_bytes("content", 16, bytes_of(described.contents), all.size()));
  if (plan.band.bands > 0) {
    children.push_back(rows_column("keys", plan.band.bands, std::move(described.keys), described.empty));
    children.push_back(
        with_nulls(fixed_bytes("signature", plan.sketch.hashes, std::move(described.signatures), all.size()), described.empty));
  }
  if (features) {
    children.push_back(features_column(
        in_pieces(all, scopes.values, [&](Views piece, Views of) { return shingle(piece, plan.shingle, of); }), "features"));
  }
  return structure(std::move(children), all.size());
}

// Rows of bytes, where they lie.
std::vector<std::string_view> byte_rows(const ArrowData& data, const char* what) {
  const std::string_view format = data.schema().format;
  const bool fixed = format.starts_with("w:");
  if (!fixed && !holds_strings(data.schema())) {
    throw py::value_error(std::string(what) + ": " + type_name(data.schema()) + "; expected bytes, as signature gives them");
  }
  const std::size_t width = fixed ? std::stoul(std::string(format.substr(2))) : 0;
  std::vector<std::string_view> rows;
  for (const ArrowView& chunk : data.chunks()) {
    if (!fixed) append_strings(chunk, rows);
    for (std::int64_t i = 0; fixed && i < chunk.length; ++i) {
      rows.push_back(chunk.is_null(i) ? std::string_view()
                                      : std::string_view(chunk.buffer<char>(1) + static_cast<std::size_t>(chunk.begin + i) * width, width));
    }
  }
  return rows;
}

void require_same(std::size_t a, std::size_t b) {
  if (a != b) throw py::value_error("a has " + std::to_string(a) + " rows, b has " + std::to_string(b) + "; a pair has one of each");
}

void require_width(const std::vector<std::string_view>& rows, const char* what, std::size_t width) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].data() != nullptr && rows[i].size() != width) {
      throw py::value_error(at(what, i) + "a signature of " + std::to_string(rows[i].size()) + " bytes, those of the plan have " +
                            std::to_string(width));
    }
  }
}

// Eight at a time: of the exclusive or a byte is 0 where they are equal, and its highest bit becomes 1 there and nowhere else.
std::uint32_t equal_bytes(const char* a, const char* b, std::size_t size) {
  constexpr std::uint64_t kLow = 0x7F7F7F7F7F7F7F7F;
  std::uint32_t equal = 0;
  std::size_t at = 0;
  for (std::uint64_t x = 0, y = 0; at + 8 <= size; at += 8) {
    std::memcpy(&x, a + at, 8);
    std::memcpy(&y, b + at, 8);
    x ^= y;
    const std::uint64_t zero = ~(((x & kLow) + kLow) | x | kLow);
    equal += static_cast<std::uint32_t>(((zero >> 7) * 0x0101010101010101) >> 56);
  }
  for (; at < size; ++at) equal += a[at] == b[at];
  return equal;
}

// A null agrees with nothing.
Column agree_stage(const py::handle& a, const py::handle& b, const Plan& plan) {
  const ArrowData first = arrow_of(a, "a"), second = arrow_of(b, "b");
  const std::vector<std::string_view> x = byte_rows(first, "a"), y = byte_rows(second, "b");
  require_same(x.size(), y.size());
  require_width(x, "a", plan.sketch.hashes);
  require_width(y, "b", plan.sketch.hashes);
  const py::gil_scoped_release released;
  const std::uint32_t least = least_equal_bytes(plan);
  std::vector<std::uint8_t> agree(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    agree[i] = x[i].data() != nullptr && y[i].data() != nullptr && equal_bytes(x[i].data(), y[i].data(), plan.sketch.hashes) >= least;
  }
  return booleans("", agree);
}

// What b has of each a, at or above the threshold.
Matches contained(const Pairs& pairs, const Features& features, Ratio threshold) {
  Matches matches;
  for (Match match : verify(pairs, features, Ratio{0, 1})) {
    match.total = static_cast<std::uint32_t>(features[match.a].size());
    const std::uint64_t share = std::uint64_t{match.shared} * threshold.denominator;
    if (match.shared > 0 && share >= threshold.numerator * match.total) matches.push_back(match);
  }
  return matches;
}

// Row i of a with row i of b. With the threshold 0 every pair is told.
Column verify_stage(const py::handle& a, const py::handle& b, const Plan& plan, bool every) {
  require_shingles(plan, false);
  Features both = features_of(a, "a");
  const Features second = features_of(b, "b");
  require_same(both.size(), second.size());
  const py::gil_scoped_release released;
  const std::size_t rows = second.size();
  append(both, second);
  Pairs pairs;
  for (Row i = 0; i < rows; ++i) pairs.push_back({i, static_cast<Row>(rows + i)});
  const Ratio least = every ? Ratio{0, 1} : plan.threshold;
  const Matches matches = is_directed(plan) ? contained(pairs, both, least) : verify(pairs, both, least);
  std::vector<std::uint32_t> shared(rows), total(rows);
  std::vector<double> similarity(rows);
  std::vector<std::uint8_t> null(rows, 1);
  for (const Match& match : matches) {
    null[match.a] = 0;
    shared[match.a] = match.shared;
    total[match.a] = match.total;
    similarity[match.a] = match.similarity();
  }
  if (every) std::fill(null.begin(), null.end(), std::uint8_t{0});
  std::vector<Column> children;
  children.push_back(numbers("shared", "I", std::move(shared)));
  children.push_back(numbers("total", "I", std::move(total)));
  children.push_back(numbers("similarity", "g", std::move(similarity)));
  return with_nulls(structure(std::move(children), rows), null);
}

using RowNumbers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

RowNumbers row_numbers(const py::object& given, const char* what) {
  const py::array array = py::array::ensure(given);
  const bool whole = array && (array.size() == 0 || array.dtype().kind() == 'i' || array.dtype().kind() == 'u');
  if (!whole || array.ndim() != 1)
    throw py::type_error(std::string(what) + ": " + shown(given) + " is no list of row numbers; give whole numbers, one per pair");
  return RowNumbers(array);
}

py::tuple cluster_stage(const py::object& of_a, const py::object& of_b, std::size_t items, const std::string& linkage) {
  const RowNumbers a = row_numbers(of_a, "a"), b = row_numbers(of_b, "b");
  require_same(static_cast<std::size_t>(a.size()), static_cast<std::size_t>(b.size()));
  Matches matches;
  matches.reserve(static_cast<std::size_t>(a.size()));
  for (py::ssize_t i = 0; i < a.size(); ++i) {
    const std::int64_t low = std::min(a.data()[i], b.data()[i]), high = std::max(a.data()[i], b.data()[i]);
    if (low < 0 || high >= static_cast<std::int64_t>(items) || low == high) {
      throw py::value_error("pair " + std::to_string(i) + " is of rows " + std::to_string(low) + " and " + std::to_string(high) +
                            "; rows are two different ones below " + std::to_string(items));
    }
    matches.push_back({static_cast<Row>(low), static_cast<Row>(high), 1, 1});
  }
  const Linkage way = parse_linkage(linkage);
  std::vector<std::int64_t> numbers_of, keepers;
  {
    const py::gil_scoped_release released;
    std::sort(matches.begin(), matches.end(), [](const Match& x, const Match& y) { return Pair{x.a, x.b} < Pair{y.a, y.b}; });
    const Clusters clusters = cluster(matches, items, way);
    numbers_of.assign(clusters.cluster.begin(), clusters.cluster.end());
    for (const std::uint32_t number : clusters.cluster) keepers.push_back(clusters.keeper[number]);
  }
  return py::make_tuple(array_of(std::move(numbers_of)), array_of(std::move(keepers)));
}

}  // namespace

void bind_stages(py::module_& module) {
  module.def("shingle", &shingle_stage, py::arg("texts"), py::arg("plan"), py::arg("scopes"));
  module.def("sketch", &sketch_stage, py::arg("features"), py::arg("plan"));
  module.def("band_keys", &keys_stage, py::arg("sketches"), py::arg("plan"));
  module.def("signature", &signature_stage, py::arg("sketches"), py::arg("plan"));
  module.def("describe", &describe_stage, py::arg("texts"), py::arg("plan"), py::arg("features"), py::arg("scopes"));
  module.def("agree", &agree_stage, py::arg("a"), py::arg("b"), py::arg("plan"));
  module.def("verify", &verify_stage, py::arg("a"), py::arg("b"), py::arg("plan"), py::arg("every"));
  // The rule for large buckets, for searches that are made elsewhere.
  module.attr("other_bands") = LargeBucketRule::kOtherBands;
  module.attr("sampled_records") = kSampledRecords;
  module.attr("most_looks") = SecondLookRule::kMostRounds;
  module.attr("few_agreeing") = LargeBucketRule::kFew;
  module.def("cluster_rows", &cluster_stage, py::arg("a"), py::arg("b"), py::arg("items"), py::arg("linkage"));
}

}  // namespace nearkin::python
