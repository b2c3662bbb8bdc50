// The pure stages: Arrow in, Arrow out.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>

#include <nearkin/nearkin.h>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "arrow_in.h"
#include "arrow_out.h"
#include "bind.h"
#include "items.h"
#include "values.h"

namespace nearkin::python {
namespace {

// Lists of 64-bit hashes, in one piece. A null has none.
Features features_of(const py::handle& given, const char* what) {
  const ArrowData data(given);
  if (!holds_lists(data.schema()) || !holds_integers(*data.schema().children[0]) || std::strchr("lL", data.schema().children[0]->format[0]) == nullptr) {
    throw py::value_error(std::string(what) + ": " + type_name(data.schema()) + "; expected lists of 64-bit numbers, as shingle gives them");
  }
  Features features;
  for (const ArrowView& chunk : data.chunks()) {
    const ArrowView child = chunk.child();
    const std::uint64_t* const hashes = child.buffer<std::uint64_t>(1) + child.begin;
    for (std::int64_t i = 0; i < chunk.length; ++i) {
      const ListBounds bounds = list_bounds(chunk, i);
      features.hashes.insert(features.hashes.end(), hashes + bounds.begin, hashes + bounds.end);
      features.ends.push_back(features.hashes.size());
    }
  }
  return features;
}

// Rows of 32-bit numbers, `size` each; `null` says where there is none.
struct Slots {
  std::vector<std::uint32_t> values;
  std::vector<std::uint8_t> null;
  std::size_t rows() const { return null.size(); }
};

Slots slots_of(const py::handle& given, std::size_t size, const char* what) {
  const ArrowData data(given);
  if (!holds_lists(data.schema()) || !holds_integers(*data.schema().children[0]) || std::strchr("iI", data.schema().children[0]->format[0]) == nullptr) {
    throw py::value_error(std::string(what) + ": " + type_name(data.schema()) + "; expected lists of 32-bit numbers, as sketch gives them");
  }
  Slots slots;
  for (const ArrowView& chunk : data.chunks()) {
    const ArrowView child = chunk.child();
    const std::uint32_t* const values = child.buffer<std::uint32_t>(1) + child.begin;
    for (std::int64_t i = 0; i < chunk.length; ++i) {
      const bool null = chunk.is_null(i);
      const ListBounds bounds = list_bounds(chunk, i);
      if (!null && static_cast<std::size_t>(bounds.end - bounds.begin) != size) {
        throw py::value_error(std::string(what) + ":" + std::to_string(slots.rows()) + ": " + std::to_string(bounds.end - bounds.begin) +
                              " numbers, the plan has " + std::to_string(size));
      }
      if (null) {
        slots.values.resize(slots.values.size() + size);
      } else {
        slots.values.insert(slots.values.end(), values + bounds.begin, values + bounds.end);
      }
      slots.null.push_back(null);
    }
  }
  return slots;
}

Column features_column(Features&& features, std::string name = {}) {
  return list_of(std::move(name), features.ends, numbers("item", "L", std::move(features.hashes)));
}

// The stages are those of sets of shingles.
void require_shingles(const Plan& plan, bool sketched) {
  const bool fits = plan.kind == Kind::shingles && (plan.measure == Measure::jaccard || plan.measure == Measure::weighted_jaccard);
  if (fits && (!sketched || plan.sketch.hashes > 0)) return;
  throw Error(ErrorCode::plan, "plan", "'" + to_string(plan) + "' is not for this stage; use jaccard or weighted-jaccard" + (sketched ? " with a recall below 1" : ""));
}

std::shared_ptr<GivenItems> texts_of(const py::handle& given, const Plan& plan) {
  std::shared_ptr<GivenItems> items = items_of(given, "texts");
  if (items->items.vectors) throw py::value_error("texts: vectors; this stage takes texts or sets");
  require_fitting(*items, plan);
  return items;
}

Column shingle_stage(const py::handle& texts, const Plan& plan) {
  const auto items = texts_of(texts, plan);
  const py::gil_scoped_release released;
  return features_column(shingle(items->items.texts, plan.shingle));
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
    const std::vector<std::uint32_t> own = band_keys(std::span(slots.values).subspan(i * plan.sketch.hashes, plan.sketch.hashes), plan.band);
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

Column describe_stage(const py::handle& texts, const Plan& plan, bool features) {
  const auto items = texts_of(texts, plan);
  const py::gil_scoped_release released;
  const std::span<const std::string_view> all = items->items.texts;
  Descriptions described = describe(all, plan);
  std::vector<Column> children;
  children.push_back(booleans("empty", described.empty));
  children.push_back(fixed_bytes("content", 16, bytes_of(described.contents), all.size()));
  if (plan.band.bands > 0) {
    children.push_back(rows_column("keys", plan.band.bands, std::move(described.keys), described.empty));
    children.push_back(with_nulls(fixed_bytes("signature", plan.sketch.hashes, std::move(described.signatures), all.size()), described.empty));
  }
  if (features) children.push_back(features_column(shingle(all, plan.shingle), "features"));
  return structure(std::move(children), all.size());
}

// Rows of bytes, where they lie.
std::vector<std::string_view> byte_rows(const ArrowData& data) {
  std::vector<std::string_view> rows;
  for (const ArrowView& chunk : data.chunks()) {
    const std::string_view format = chunk.format();
    if (!format.starts_with("w:")) {
      append_strings(chunk, rows);
      continue;
    }
    const std::size_t width = std::stoul(std::string(format.substr(2)));
    for (std::int64_t i = 0; i < chunk.length; ++i) {
      rows.push_back(chunk.is_null(i) ? std::string_view() : std::string_view(chunk.buffer<char>(1) + static_cast<std::size_t>(chunk.begin + i) * width, width));
    }
  }
  return rows;
}

void require_same(std::size_t a, std::size_t b) {
  if (a != b) throw py::value_error("a has " + std::to_string(a) + " rows, b has " + std::to_string(b) + "; a pair has one of each");
}

Column agree_stage(const py::handle& a, const py::handle& b, const Plan& plan) {
  const ArrowData first(a), second(b);
  const std::vector<std::string_view> x = byte_rows(first), y = byte_rows(second);
  require_same(x.size(), y.size());
  const py::gil_scoped_release released;
  const std::uint32_t least = least_equal_bytes(plan);
  std::vector<std::uint8_t> agree(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::uint32_t equal = 0;
    for (std::size_t k = 0; k < std::min(x[i].size(), y[i].size()); ++k) equal += x[i][k] == y[i][k];
    agree[i] = equal >= least;
  }
  return booleans("", agree);
}

// Row i of a with row i of b. With the threshold 0 every pair is told.
Column verify_stage(const py::handle& a, const py::handle& b, const Plan& plan, bool every) {
  require_shingles(plan, false);
  Features both = features_of(a, "a");
  const Features second = features_of(b, "b");
  require_same(both.size(), second.size());
  const py::gil_scoped_release released;
  const std::size_t rows = second.size();
  const std::uint64_t base = both.hashes.size();
  both.hashes.insert(both.hashes.end(), second.hashes.begin(), second.hashes.end());
  for (const std::uint64_t end : second.ends) both.ends.push_back(base + end);
  Pairs pairs;
  for (Row i = 0; i < rows; ++i) pairs.push_back({i, static_cast<Row>(rows + i)});
  const Matches matches = verify(pairs, both, every ? Ratio{0, 1} : plan.threshold);
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

py::tuple cluster_stage(const py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>& a,
                        const py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>& b, std::size_t items, const std::string& linkage) {
  require_same(static_cast<std::size_t>(a.size()), static_cast<std::size_t>(b.size()));
  Matches matches;
  matches.reserve(static_cast<std::size_t>(a.size()));
  for (py::ssize_t i = 0; i < a.size(); ++i) {
    const std::int64_t low = std::min(a.data()[i], b.data()[i]), high = std::max(a.data()[i], b.data()[i]);
    if (low < 0 || high >= static_cast<std::int64_t>(items) || low == high) {
      throw py::value_error("pair " + std::to_string(i) + " is of rows " + std::to_string(low) + " and " + std::to_string(high) + "; rows are two different ones below " + std::to_string(items));
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
  module.def("shingle", &shingle_stage, py::arg("texts"), py::arg("plan"));
  module.def("sketch", &sketch_stage, py::arg("features"), py::arg("plan"));
  module.def("band_keys", &keys_stage, py::arg("sketches"), py::arg("plan"));
  module.def("signature", &signature_stage, py::arg("sketches"), py::arg("plan"));
  module.def("describe", &describe_stage, py::arg("texts"), py::arg("plan"), py::arg("features"));
  module.def("agree", &agree_stage, py::arg("a"), py::arg("b"), py::arg("plan"));
  module.def("verify", &verify_stage, py::arg("a"), py::arg("b"), py::arg("plan"), py::arg("every"));
  module.def("cluster_rows", &cluster_stage, py::arg("a"), py::arg("b"), py::arg("items"), py::arg("linkage"));
}

}  // namespace nearkin::python
