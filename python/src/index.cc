// The living index.
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include <nearkin/nearkin.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/spelling.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "arguments.h"
#include "bind.h"
#include "interrupt.h"
#include "items.h"

namespace nearkin::python {
namespace {

// An index that can be closed, and is not while a call of another thread uses it.
class OpenIndex {
 public:
  explicit OpenIndex(Index index, bool read_only)
      : index_(std::make_shared<Index>(std::move(index))), folder_(index_->folder()), read_only_(read_only) {}
  std::shared_ptr<Index> get() const {
    const std::shared_lock lock(mutex_);
    if (!index_) throw py::value_error(folder_ + ": the index is closed; open it again");
    return index_;
  }
  void close() {
    const std::unique_lock lock(mutex_);
    index_.reset();
  }
  const std::string& folder() const { return folder_; }
  bool read_only() const { return read_only_; }

 private:
  mutable std::shared_mutex mutex_;
  std::shared_ptr<Index> index_;
  std::string folder_;
  bool read_only_;
};

// `place` stands in front of what json has to say.
std::string dumped(const py::handle& value, const std::string& place) {
  const py::module_ json = py::module_::import("json");
  try {
    return std::string(utf8_of(json.attr("dumps")(value, py::arg("ensure_ascii") = false, py::arg("allow_nan") = false),
                               [&] { return place + shown(value); }));
  } catch (py::error_already_set& failure) {
    const bool wrong_type = failure.matches(PyExc_TypeError);
    if (!wrong_type && !failure.matches(PyExc_ValueError)) throw;
    const std::string words = place + shown(value) + " is no JSON: " + py::str(failure.value()).cast<std::string>();
    if (wrong_type) throw py::type_error(words);
    throw py::value_error(words);
  }
}

std::string json_of(const py::handle& metadata, std::size_t row) {
  if (metadata.is_none()) return {};
  const std::string place = at("metadata", row);
  return py::isinstance<py::str>(metadata) ? std::string(utf8_of(metadata, [&] { return place + shown(metadata); }))
                                           : dumped(metadata, place);
}

py::object from_json(const std::string& text) {
  if (text.empty()) return py::none();
  return py::module_::import("json").attr("loads")(text);
}

std::string id_of(const py::handle& id, std::size_t row) {
  if (!PyUnicode_Check(id.ptr())) throw py::type_error(at("ids", row) + shown(id) + " is no text; ids are str");
  return std::string(utf8_of(id, [&] { return at("ids", row) + shown(id); }));
}

std::vector<std::string> arrow_ids(const ArrowData& data) {
  std::vector<std::string> out;
  for (const ArrowView& chunk : data.chunks()) {
    std::vector<std::string_view> views;
    append_strings(chunk, views);
    for (std::size_t i = 0; i < views.size(); ++i) {
      const bool null = chunk.is_null(static_cast<std::int64_t>(i));
      if (null) throw py::value_error(at("ids", out.size()) + "is missing (null); every item of an index needs an id");
      if (!is_utf8(views[i])) throw py::value_error(at("ids", out.size()) + "the bytes are not UTF-8; decode them first");
      out.emplace_back(views[i]);
    }
  }
  return out;
}

std::vector<std::string> strings_of(const py::handle& ids) {
  const std::string given = "ids: " + shown(ids);
  if (py::isinstance<py::str>(ids) || py::isinstance<py::bytes>(ids)) throw py::type_error(given + " is one; give a list of them");
  if (ArrowData::is_arrow(ids)) return arrow_ids(ArrowData(ids));
  if (!py::isinstance<py::iterable>(ids)) throw py::type_error(given + " is " + type_of(ids) + "; give a list of str");
  std::vector<std::string> out;
  for (const py::handle id : py::reinterpret_borrow<py::object>(ids)) out.push_back(id_of(id, out.size()));
  return out;
}

std::vector<std::string> metadata_of(const py::handle& metadata) {
  std::vector<std::string> out;
  if (metadata.is_none()) return out;
  if (PyDict_Check(metadata.ptr()) || PyUnicode_Check(metadata.ptr()) || !py::isinstance<py::iterable>(metadata)) {
    throw py::type_error("metadata: " + shown(metadata) + " is " + type_of(metadata) + "; give a list of dict or None, one per item");
  }
  for (const py::handle one : metadata) out.push_back(json_of(one, out.size()));
  return out;
}

void require_as_many(std::size_t ids, std::size_t others, const char* what) {
  if (ids != others)
    throw py::value_error(std::string(what) + ": " + std::to_string(others) + " of them, and " + std::to_string(ids) +
                          " ids; give one an id");
}

void require_usable(const GivenItems& given, const Plan& plan) {
  require_fitting(given, plan);
  require_utf8(given);
  require_finite(given);
}

py::dict put_many(const OpenIndex& open, const py::object& ids, const py::object& items, const py::object& metadata,
                  const std::string& column) {
  const std::shared_ptr<Index> index = open.get();
  const std::vector<std::string> names = strings_of(ids);
  const auto given = items_of(items, "items", column);
  require_usable(*given, index->plan());
  require_as_many(names.size(), given->size(), "items");
  const std::vector<std::string> json = metadata_of(metadata);
  if (!metadata.is_none()) require_as_many(names.size(), json.size(), "metadata");
  const IndexPut put = interruptibly(py::none(), [&](const Progress&) {
    if (given->items.vectors) {
      Strings all_ids, all_metadata;
      for (const std::string& id : names) all_ids.add(id);
      for (const std::string& one : json) all_metadata.add(one);
      return index->put(all_ids, *given->items.vectors, all_metadata);
    }
    std::vector<IndexItem> all;
    for (std::size_t i = 0; i < names.size(); ++i)
      all.push_back({names[i], given->items.texts[i], json.empty() ? std::string_view() : std::string_view(json[i])});
    return index->put(all);
  });
  py::dict out;
  out["added"] = put.added;
  out["replaced"] = put.replaced;
  if (index->unit().divides()) out["outdated"] = put.outdated;
  return out;
}

py::object get_item(const OpenIndex& open, const std::string& id) {
  const std::shared_ptr<Index> index = open.get();
  std::optional<StoredItem> item;
  {
    const py::gil_scoped_release released;
    item = index->get(id);
  }
  if (!item) return py::none();
  py::dict out;
  out["id"] = item->id;
  out["metadata"] = from_json(item->metadata);
  out["text"] = item->text ? py::object(py::str(*item->text)) : py::none();
  out["size"] = item->size;
  return out;
}

std::vector<std::string> parts_of(const OpenIndex& open, const std::string& id) {
  const std::shared_ptr<Index> index = open.get();
  const py::gil_scoped_release released;
  return index->parts(id);
}

Ask ask_of(std::uint32_t limit, std::optional<double> threshold, std::optional<std::uint64_t> max_candidates, const py::object& where,
           bool metadata, const std::string& share_of) {
  Ask ask{.limit = limit, .threshold = threshold, .max_candidates = max_candidates, .where = {}, .metadata = metadata};
  ask.share_of = parse_share_of(share_of);
  if (where.is_none()) return ask;
  for (const auto& entry : py::cast<py::dict>(where)) {
    const py::handle field = entry.first, value = entry.second;
    if (!PyUnicode_Check(field.ptr()))
      throw py::type_error("where: the field " + shown(field) + " is " + type_of(field) + "; fields are named by str");
    const std::string place = "where: " + shown(field) + ": ";
    const bool is_string = PyUnicode_Check(value.ptr()) != 0;
    std::string wanted = is_string ? std::string(utf8_of(value, [&] { return place + shown(value); })) : dumped(value, place);
    ask.where.push_back({std::string(utf8_of(field, [&] { return "where: the field " + shown(field); })), std::move(wanted),
                         is_string ? MetadataTest::Type::string : MetadataTest::Type::literal});
  }
  return ask;
}

// A tuple: hits (id, similarity, metadata), items looked at, whether it was stopped early.
py::tuple answer_tuple(const IndexAnswer& answer) {
  py::list hits;
  for (const Hit& hit : answer.hits) hits.append(py::make_tuple(hit.id, hit.similarity, from_json(hit.metadata)));
  return py::make_tuple(hits, answer.looked_at, answer.stopped_early);
}

// None if there is no item of this id.
py::object neighbours(const OpenIndex& open, const std::string& id, std::uint32_t limit, std::optional<double> threshold,
                      std::optional<std::uint64_t> max_candidates, const py::object& where, bool metadata, const std::string& share_of) {
  const std::shared_ptr<Index> index = open.get();
  const Ask ask = ask_of(limit, threshold, max_candidates, where, metadata, share_of);
  const std::optional<IndexAnswer> answer = interruptibly(py::none(), [&](const Progress&) { return index->neighbours(id, ask); });
  return answer ? py::object(answer_tuple(*answer)) : py::none();
}

// One answer for each item of the query.
py::list query_many(const OpenIndex& open, const py::object& items, const std::string& column, std::uint32_t limit,
                    std::optional<double> threshold, std::optional<std::uint64_t> max_candidates, const py::object& where, bool metadata,
                    const std::string& share_of) {
  const std::shared_ptr<Index> index = open.get();
  const auto given = items_of(items, "queries", column);
  require_usable(*given, index->plan());
  const Ask ask = ask_of(limit, threshold, max_candidates, where, metadata, share_of);
  const std::vector<IndexAnswer> answers = interruptibly(py::none(), [&](const Progress&) {
    std::vector<IndexAnswer> all;
    for (std::size_t i = 0; i < given->size(); ++i) {
      all.push_back(given->items.vectors ? index->query(*given->items.vectors, i, ask) : index->query(given->items.texts[i], ask));
    }
    return all;
  });
  py::list out;
  for (const IndexAnswer& answer : answers) out.append(answer_tuple(answer));
  return out;
}

py::dict info_of(const OpenIndex& open) {
  const std::shared_ptr<Index> index = open.get();
  IndexInfo info;
  {
    const py::gil_scoped_release released;
    info = index->info();
  }
  py::dict out;
  out["folder"] = open.folder();
  out["format"] = info.format;
  out["plan"] = to_string(info.plan);
  out["texts"] = info.texts;
  out["items"] = info.items;
  out["empty"] = info.empty;
  out["bytes"] = info.bytes;
  out["free_bytes"] = info.free_bytes;
  out["vectors"] = info.vectors;
  return out;
}

py::dict verify_all(const OpenIndex& open) {
  const std::shared_ptr<Index> index = open.get();
  const IndexCheck check = interruptibly(py::none(), [&](const Progress&) { return index->verify(); });
  py::dict out;
  out["items"] = check.items;
  out["entries"] = check.entries;
  out["problems"] = check.problems;
  out["problem_count"] = check.problem_count;
  return out;
}

Index opened(const std::string& folder, bool read_only) {
  const py::gil_scoped_release released;
  return Index::open(folder, read_only ? Index::Access::read : Index::Access::write);
}

}  // namespace

void bind_index(py::module_& module) {
  py::class_<OpenIndex, std::unique_ptr<OpenIndex>>(module, "OpenIndex")
      .def_static(
          "create",
          [](const std::string& folder, const Plan& plan, bool texts) {
            return std::make_unique<OpenIndex>(Index::create(folder, plan, {.texts = texts}), false);
          },
          py::arg("folder"), py::arg("plan"), py::arg("texts"))
      .def_static(
          "open",
          [](const std::string& folder, bool read_only) { return std::make_unique<OpenIndex>(opened(folder, read_only), read_only); },
          py::arg("folder"), py::arg("read_only"))
      .def("close", &OpenIndex::close)
      .def_property_readonly("folder", &OpenIndex::folder)
      .def_property_readonly("read_only", &OpenIndex::read_only)
      .def_property_readonly("plan", [](const OpenIndex& open) { return open.get()->plan(); })
      .def_property_readonly("texts", [](const OpenIndex& open) { return open.get()->keeps_texts(); })
      .def("put_many", &put_many, py::arg("ids"), py::arg("items"), py::arg("metadata"), py::arg("column"))
      .def(
          "erase",
          [](const OpenIndex& open, const py::object& ids) {
            const std::vector<std::string> names = strings_of(ids);
            const std::shared_ptr<Index> index = open.get();
            return interruptibly(py::none(), [&](const Progress&) { return index->erase(names); });
          },
          py::arg("ids"))
      .def("get", &get_item, py::arg("id"))
      .def("parts", &parts_of, py::arg("id"))
      .def(
          "ids",
          [](const OpenIndex& open, const std::string& after, std::size_t limit) {
            const std::shared_ptr<Index> index = open.get();
            return interruptibly(py::none(), [&](const Progress&) { return index->ids(after, limit); });
          },
          py::arg("after"), py::arg("limit"))
      .def("neighbours", &neighbours, py::arg("id"), py::arg("limit"), py::arg("threshold"), py::arg("max_candidates"), py::arg("where"),
           py::arg("metadata"), py::arg("share_of"))
      .def("query_many", &query_many, py::arg("items"), py::arg("column"), py::arg("limit"), py::arg("threshold"),
           py::arg("max_candidates"), py::arg("where"), py::arg("metadata"), py::arg("share_of"))
      .def("info", &info_of)
      .def("verify", &verify_all)
      .def("compact",
           [](const OpenIndex& open) {
             const std::shared_ptr<Index> index = open.get();
             const py::gil_scoped_release released;
             index->compact();
           })
      .def(
          "backup",
          [](const OpenIndex& open, const std::string& folder) {
            const std::shared_ptr<Index> index = open.get();
            const py::gil_scoped_release released;
            index->backup(folder);
          },
          py::arg("folder"));
}

}  // namespace nearkin::python
