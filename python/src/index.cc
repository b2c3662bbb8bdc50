// The living index.
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include <nearkin/nearkin.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bind.h"
#include "interrupt.h"
#include "items.h"

namespace nearkin::python {
namespace {

// An index that can be closed, and is not while a call of another thread uses it.
class OpenIndex {
 public:
  explicit OpenIndex(Index index, bool read_only) : index_(std::make_shared<Index>(std::move(index))), folder_(index_->folder()), read_only_(read_only) {}
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

std::string json_of(const py::handle& metadata) {
  if (metadata.is_none()) return {};
  if (py::isinstance<py::str>(metadata)) return metadata.cast<std::string>();
  return py::module_::import("json").attr("dumps")(metadata, py::arg("ensure_ascii") = false).cast<std::string>();
}

py::object from_json(const std::string& text) {
  if (text.empty()) return py::none();
  return py::module_::import("json").attr("loads")(text);
}

std::vector<std::string> strings_of(const py::handle& ids) {
  std::vector<std::string> out;
  if (py::isinstance<py::str>(ids) || py::isinstance<py::bytes>(ids)) throw py::type_error("ids: one " + py::repr(ids).cast<std::string>() + "; give a list of them");
  if (ArrowData::is_arrow(ids)) {
    const ArrowData data(ids);
    std::vector<std::string_view> views;
    for (const ArrowView& chunk : data.chunks()) append_strings(chunk, views);
    return {views.begin(), views.end()};
  }
  for (const py::handle id : py::reinterpret_borrow<py::object>(ids)) {
    Py_ssize_t size = 0;
    const char* const bytes = py::isinstance<py::str>(id) ? PyUnicode_AsUTF8AndSize(id.ptr(), &size) : nullptr;
    if (bytes == nullptr) {
      PyErr_Clear();
      throw py::type_error("ids: " + py::repr(id).attr("encode")("ascii", "backslashreplace").attr("decode")().cast<std::string>() + " is no text; ids are str");
    }
    out.emplace_back(bytes, static_cast<std::size_t>(size));
  }
  return out;
}

void require_as_many(std::size_t ids, std::size_t others, const char* what) {
  if (ids != others) throw py::value_error(std::string(what) + ": " + std::to_string(others) + " of them, and " + std::to_string(ids) + " ids; give one an id");
}

// Numbers that are none would be neighbours of nothing, for ever.
void require_finite(const GivenItems& given) {
  if (!given.items.vectors) return;
  const Vectors& vectors = *given.items.vectors;
  for (std::size_t i = 0; i < vectors.numbers.size(); ++i) {
    if (!std::isfinite(vectors.numbers[i])) throw py::value_error(given.items.name + ":" + std::to_string(i / vectors.dimensions) + ": a number is not finite");
  }
}

py::dict put_many(const OpenIndex& open, const py::object& ids, const py::object& items, const py::object& metadata, const std::string& column) {
  const std::shared_ptr<Index> index = open.get();
  const std::vector<std::string> names = strings_of(ids);
  const auto given = items_of(items, "items", column);
  require_fitting(*given, index->plan());
  require_finite(*given);
  require_as_many(names.size(), given->size(), "items");
  std::vector<std::string> json;
  if (!metadata.is_none()) {
    for (const py::handle one : metadata) json.push_back(json_of(one));
    require_as_many(names.size(), json.size(), "metadata");
  }
  const IndexPut put = interruptibly(py::none(), [&](const Progress&) {
    if (given->items.vectors) {
      Strings all_ids, all_metadata;
      for (const std::string& id : names) all_ids.add(id);
      for (const std::string& one : json) all_metadata.add(one);
      return index->put(all_ids, *given->items.vectors, all_metadata);
    }
    std::vector<IndexItem> all;
    for (std::size_t i = 0; i < names.size(); ++i) all.push_back({names[i], given->items.texts[i], json.empty() ? std::string_view() : std::string_view(json[i])});
    return index->put(all);
  });
  py::dict out;
  out["added"] = put.added;
  out["replaced"] = put.replaced;
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

IndexAsk ask_of(std::uint32_t limit, std::optional<double> threshold, std::optional<std::uint64_t> max_candidates, const py::object& where, bool metadata) {
  IndexAsk ask{.limit = limit, .threshold = threshold, .max_candidates = max_candidates, .where = {}, .metadata = metadata};
  if (where.is_none()) return ask;
  for (const auto& [field, value] : py::cast<py::dict>(where)) {
    const bool text = py::isinstance<py::str>(value);
    ask.where.push_back({field.cast<std::string>(), text ? value.cast<std::string>() : py::module_::import("json").attr("dumps")(value).cast<std::string>()});
  }
  return ask;
}

// For each item of the query a tuple: hits (id, similarity, metadata), items looked at, whether it was stopped early.
py::list query_many(const OpenIndex& open, const py::object& items, const std::string& column, std::uint32_t limit, std::optional<double> threshold,
                    std::optional<std::uint64_t> max_candidates, const py::object& where, bool metadata) {
  const std::shared_ptr<Index> index = open.get();
  const auto given = items_of(items, "queries", column);
  require_fitting(*given, index->plan());
  require_finite(*given);
  const IndexAsk ask = ask_of(limit, threshold, max_candidates, where, metadata);
  const std::vector<IndexAnswer> answers = interruptibly(py::none(), [&](const Progress&) {
    std::vector<IndexAnswer> all;
    for (std::size_t i = 0; i < given->size(); ++i) {
      all.push_back(given->items.vectors ? index->query(*given->items.vectors, i, ask) : index->query(given->items.texts[i], ask));
    }
    return all;
  });
  py::list out;
  for (const IndexAnswer& answer : answers) {
    py::list hits;
    for (const Hit& hit : answer.hits) hits.append(py::make_tuple(hit.id, hit.similarity, from_json(hit.metadata)));
    out.append(py::make_tuple(hits, answer.looked_at, answer.stopped_early));
  }
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
      .def_static("create", [](const std::string& folder, const Plan& plan, bool texts) {
        return std::make_unique<OpenIndex>(Index::create(folder, plan, {.texts = texts}), false);
      }, py::arg("folder"), py::arg("plan"), py::arg("texts"))
      .def_static("open", [](const std::string& folder, bool read_only) { return std::make_unique<OpenIndex>(opened(folder, read_only), read_only); },
                  py::arg("folder"), py::arg("read_only"))
      .def("close", &OpenIndex::close)
      .def_property_readonly("folder", &OpenIndex::folder)
      .def_property_readonly("read_only", &OpenIndex::read_only)
      .def_property_readonly("plan", [](const OpenIndex& open) { return open.get()->plan(); })
      .def_property_readonly("texts", [](const OpenIndex& open) { return open.get()->keeps_texts(); })
      .def("put_many", &put_many, py::arg("ids"), py::arg("items"), py::arg("metadata"), py::arg("column"))
      .def("erase", [](const OpenIndex& open, const py::object& ids) {
        const std::vector<std::string> names = strings_of(ids);
        const std::shared_ptr<Index> index = open.get();
        return interruptibly(py::none(), [&](const Progress&) { return index->erase(names); });
      }, py::arg("ids"))
      .def("get", &get_item, py::arg("id"))
      .def("ids", [](const OpenIndex& open, const std::string& after, std::size_t limit) {
        const std::shared_ptr<Index> index = open.get();
        return interruptibly(py::none(), [&](const Progress&) { return index->ids(after, limit); });
      }, py::arg("after"), py::arg("limit"))
      .def("query_many", &query_many, py::arg("items"), py::arg("column"), py::arg("limit"), py::arg("threshold"), py::arg("max_candidates"), py::arg("where"),
           py::arg("metadata"))
      .def("info", &info_of)
      .def("verify", &verify_all)
      .def("compact", [](const OpenIndex& open) {
        const std::shared_ptr<Index> index = open.get();
        const py::gil_scoped_release released;
        index->compact();
      })
      .def("backup", [](const OpenIndex& open, const std::string& folder) {
        const std::shared_ptr<Index> index = open.get();
        const py::gil_scoped_release released;
        index->backup(folder);
      }, py::arg("folder"));
}

}  // namespace nearkin::python
