#include "arrow_out.h"

#include "arguments.h"
#include "arrow_abi.h"

namespace nearkin::python {
namespace {

// What an exported schema or array keeps alive until its release.
struct SchemaPrivate {
  Column column;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};
struct ArrayPrivate {
  Column column;
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

// A consumer may have moved children out: those are no longer ours to release.
template <typename Exported, typename Private>
void release(Exported* exported) {
  auto* const held = static_cast<Private*>(exported->private_data);
  for (Exported& child : held->children) {
    if (child.release != nullptr) child.release(&child);
  }
  delete held;
  exported->release = nullptr;
}

void export_schema(const Column& column, ArrowSchema& out) {
  auto* const held = new SchemaPrivate{column, std::vector<ArrowSchema>(column.children.size()), {}};
  for (std::size_t i = 0; i < column.children.size(); ++i) {
    export_schema(column.children[i], held->children[i]);
    held->pointers.push_back(&held->children[i]);
  }
  out = {.format = held->column.format.c_str(),
         .name = held->column.name.c_str(),
         .metadata = nullptr,
         .flags = kArrowNullable,
         .n_children = static_cast<std::int64_t>(held->pointers.size()),
         .children = held->pointers.data(),
         .dictionary = nullptr,
         .release = release<ArrowSchema, SchemaPrivate>,
         .private_data = held};
}

void export_array(const Column& column, ArrowArray& out) {
  auto* const held = new ArrayPrivate{column, {}, std::vector<ArrowArray>(column.children.size()), {}};
  for (const Buffer& buffer : column.buffers) held->buffers.push_back(buffer.data);
  for (std::size_t i = 0; i < column.children.size(); ++i) {
    export_array(column.children[i], held->children[i]);
    held->pointers.push_back(&held->children[i]);
  }
  out = {.length = column.length,
         .null_count = column.null_count,
         .offset = 0,
         .n_buffers = static_cast<std::int64_t>(held->buffers.size()),
         .n_children = static_cast<std::int64_t>(held->pointers.size()),
         .buffers = held->buffers.data(),
         .children = held->pointers.data(),
         .dictionary = nullptr,
         .release = release<ArrowArray, ArrayPrivate>,
         .private_data = held};
}

template <typename Exported>
void destroy(PyObject* capsule) {
  auto* const exported = static_cast<Exported*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
  if (exported == nullptr) return PyErr_Clear();
  if (exported->release != nullptr) exported->release(exported);
  delete exported;
}

py::capsule array_capsule(const Column& column) {
  auto* const array = new ArrowArray{};
  export_array(column, *array);
  return py::capsule(array, "arrow_array", destroy<ArrowArray>);
}

std::vector<std::uint8_t> packed(const std::vector<std::uint8_t>& bytes, bool inverted) {
  std::vector<std::uint8_t> bits((bytes.size() + 7) / 8);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if ((bytes[i] != 0) != inverted) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1u << (i % 8));
  }
  return bits;
}

}  // namespace

py::capsule Column::arrow_c_schema() const {
  auto* const schema = new ArrowSchema{};
  export_schema(*this, *schema);
  return py::capsule(schema, "arrow_schema", destroy<ArrowSchema>);
}

// A wish for another type may be ignored: the consumer casts.
py::tuple Column::arrow_c_array(const py::object&) const { return py::make_tuple(arrow_c_schema(), array_capsule(*this)); }

Column with_nulls(Column column, const std::vector<std::uint8_t>& null) {
  column.null_count = 0;
  for (const std::uint8_t one : null) column.null_count += one != 0;
  if (column.null_count > 0) column.buffers[0] = shared_buffer(packed(null, true));
  return column;
}

Column booleans(std::string name, const std::vector<std::uint8_t>& values) {
  return {.name = std::move(name),
          .format = "b",
          .length = static_cast<std::int64_t>(values.size()),
          .buffers = {{}, shared_buffer(packed(values, false))}};
}

Column fixed_bytes(std::string name, std::size_t width, std::vector<std::uint8_t>&& bytes, std::size_t rows) {
  return {.name = std::move(name),
          .format = "w:" + std::to_string(width),
          .length = static_cast<std::int64_t>(rows),
          .buffers = {{}, shared_buffer(std::move(bytes))}};
}

Column fixed_list(std::string name, std::size_t size, Column child, std::size_t rows) {
  child.name = "item";
  return {.name = std::move(name),
          .format = "+w:" + std::to_string(size),
          .length = static_cast<std::int64_t>(rows),
          .buffers = {{}},
          .children = {std::move(child)}};
}

namespace {

template <typename Offset>
std::vector<Offset> offsets_of(const std::vector<std::uint64_t>& ends) {
  std::vector<Offset> offsets{0};
  offsets.reserve(ends.size() + 1);
  for (const std::uint64_t end : ends) offsets.push_back(static_cast<Offset>(end));
  return offsets;
}

}  // namespace

Column list_of(std::string name, const std::vector<std::uint64_t>& ends, Column child) {
  child.name = "item";
  const bool large = !ends.empty() && ends.back() > INT32_MAX;
  return {.name = std::move(name),
          .format = large ? "+L" : "+l",
          .length = static_cast<std::int64_t>(ends.size()),
          .buffers = {{}, large ? shared_buffer(offsets_of<std::int64_t>(ends)) : shared_buffer(offsets_of<std::int32_t>(ends))},
          .children = {std::move(child)}};
}

Column strings(std::string name, const std::vector<std::uint64_t>& ends, std::vector<char>&& bytes) {
  return {.name = std::move(name),
          .format = "U",
          .length = static_cast<std::int64_t>(ends.size()),
          .buffers = {{}, shared_buffer(offsets_of<std::int64_t>(ends)), shared_buffer(std::move(bytes))}};
}

Column structure(std::vector<Column> children, std::size_t rows) {
  return {.format = "+s", .length = static_cast<std::int64_t>(rows), .buffers = {{}}, .children = std::move(children)};
}

namespace {

// Of a Column in a pickle: (name, format, length, nulls, buffers as bytes or None, children).
py::tuple state_of(const Column& column) {
  py::list buffers, children;
  for (const Buffer& buffer : column.buffers) {
    buffers.append(buffer.owner ? py::object(py::bytes(static_cast<const char*>(buffer.data), buffer.bytes)) : py::none());
  }
  for (const Column& child : column.children) children.append(state_of(child));
  return py::make_tuple(column.name, column.format, column.length, column.null_count, buffers, children);
}

Column column_of(const py::tuple& state) {
  Column column{.name = state[0].cast<std::string>(),
                .format = state[1].cast<std::string>(),
                .length = state[2].cast<std::int64_t>(),
                .null_count = state[3].cast<std::int64_t>()};
  for (const py::handle given : state[4]) {
    const auto bytes = given.is_none() ? std::string_view() : given.cast<std::string_view>();
    column.buffers.push_back(given.is_none() ? Buffer() : shared_buffer(std::vector<char>(bytes.begin(), bytes.end())));
  }
  for (const py::handle child : state[5]) column.children.push_back(column_of(child.cast<py::tuple>()));
  return column;
}

Column child_of(const Column& column, const py::object& name) {
  const std::string wanted = text_argument(name, "name");
  for (const Column& child : column.children) {
    if (column.format == "+s" && child.name == wanted) return child;
  }
  throw py::key_error(wanted);
}

}  // namespace

void bind_column(py::module_& module) {
  py::class_<Column>(
      module, "Column",
      "A result as Arrow data: pyarrow.array(column), or pyarrow.record_batch(column) for a structure, take it without a copy.")
      .def("__arrow_c_array__", &Column::arrow_c_array, py::arg("requested_schema") = py::none())
      .def("__arrow_c_schema__", &Column::arrow_c_schema)
      .def("__len__", [](const Column& column) { return column.length; })
      .def("__getitem__", &child_of, py::arg("name"), "The child of that name.")
      .def(py::pickle(&state_of, &column_of));
}

}  // namespace nearkin::python
