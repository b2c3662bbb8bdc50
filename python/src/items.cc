#include "items.h"

#include <charconv>
#include <cmath>

#include <pybind11/numpy.h>

#include "bind.h"

namespace nearkin::python {
namespace {

// What one row of a Python list turned out to be.
enum class RowKind { text, set, vector };

std::string at(const std::string& what, std::size_t row) { return what + ":" + std::to_string(row) + ": "; }

std::string type_of(const py::handle& object) { return py::str(py::type::of(object).attr("__name__")); }

void append_integer(std::int64_t value, bool is_unsigned_value, std::string& out) {
  char digits[24];
  char* const end = is_unsigned_value ? std::to_chars(digits, digits + sizeof digits, static_cast<std::uint64_t>(value)).ptr
                                      : std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

bool is_utf8(std::string_view bytes) {
  const py::object text = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), nullptr));
  if (!text) PyErr_Clear();
  return static_cast<bool>(text);
}

// A str lends its UTF-8 bytes as long as it lives.
std::string_view text_of(const py::handle& object, const std::string& what, std::size_t row) {
  if (object.is_none()) return {};
  if (PyBytes_Check(object.ptr())) {
    const std::string_view bytes(PyBytes_AS_STRING(object.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(object.ptr())));
    if (is_utf8(bytes)) return bytes;
    throw py::value_error(at(what, row) + "the bytes are not UTF-8; decode them first");
  }
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
  PyErr_Clear();
  throw py::value_error(at(what, row) + "the text has surrogates that are no characters; clean it, as by text.encode(errors=\"replace\")");
}

bool is_text(const py::handle& object) { return object.is_none() || PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()); }

bool is_float_like(const py::handle& element) {
  return PyFloat_Check(element.ptr()) || (py::hasattr(element, "dtype") && py::str(element.attr("dtype").attr("kind")).cast<std::string>() == "f");
}

void append_element_object(const py::handle& element, const std::string& what, std::size_t row, std::string& out) {
  if (PyUnicode_Check(element.ptr()) || PyBytes_Check(element.ptr())) return append_element(text_of(element, what, row), out);
  if (PyIndex_Check(element.ptr()) != 0) {
    const py::object number = py::reinterpret_steal<py::object>(PyNumber_Index(element.ptr()));
    if (!number) {
      PyErr_Clear();
      throw py::type_error(at(what, row) + "an element of a set is " + type_of(element) + "; elements are str, bytes or int");
    }
    return void(out.append(py::str(number).cast<std::string>()));
  }
  throw py::type_error(at(what, row) + "an element of a set is " + type_of(element) + "; elements are str, bytes or int");
}

// Sets written as one text each.
class SetWriter {
 public:
  explicit SetWriter(GivenItems& given) : given_(given) {}
  std::string& begin() {
    text_.clear();
    return text_;
  }
  void separate() {
    if (!text_.empty()) text_ += ' ';
  }
  void end() { given_.made.add(text_); }

 private:
  GivenItems& given_;
  std::string text_;
};

void take_made(GivenItems& given) {
  given.items.texts.resize(given.made.size());
  for (std::size_t row = 0; row < given.made.size(); ++row) given.items.texts[row] = given.made[row];
  given.sets = true;
}

void add_set(const py::handle& object, const std::string& what, std::size_t row, SetWriter& writer) {
  std::string& text = writer.begin();
  for (const py::handle element : py::reinterpret_borrow<py::object>(object)) {
    writer.separate();
    append_element_object(element, what, row, text);
  }
  writer.end();
}

// Beyond the range of floats a number would silently become infinite.
float as_float(double value, const std::string& what, std::size_t row) {
  const auto narrow = static_cast<float>(value);
  if (std::isfinite(value) && !std::isfinite(narrow)) throw py::value_error(at(what, row) + std::to_string(value) + " is beyond ±3.4e38, the range of 32-bit floats");
  return narrow;
}

void add_vector(const py::handle& object, const std::string& what, std::size_t row, Vectors& vectors) {
  if (object.is_none()) throw py::value_error(at(what, row) + "a vector is missing (None)");
  std::uint32_t length = 0;
  for (const py::handle number : py::reinterpret_borrow<py::object>(object)) {
    vectors.numbers.push_back(as_float(py::float_(py::reinterpret_borrow<py::object>(number)), what, row));
    ++length;
  }
  if (row == 0) vectors.dimensions = length;
  if (length != vectors.dimensions) {
    throw py::value_error(at(what, row) + std::to_string(length) + " numbers, the first vector has " + std::to_string(vectors.dimensions));
  }
  ++vectors.count;
}

RowKind kind_of_row(const py::handle& object, const std::string& what, std::size_t row) {
  if (is_text(object)) return RowKind::text;
  // What has keys, bytes that change, or no second time would be read as something else than was meant.
  const bool misread = PyDict_Check(object.ptr()) || PyByteArray_Check(object.ptr()) || PyMemoryView_Check(object.ptr()) || PyIter_Check(object.ptr()) != 0;
  if (misread || !py::isinstance<py::iterable>(object)) {
    throw py::type_error(at(what, row) + "is " + type_of(object) + "; an item is a text (str), a set (of str or int) or a vector (of float)");
  }
  if (PyAnySet_Check(object.ptr())) return RowKind::set;
  for (const py::handle element : py::reinterpret_borrow<py::object>(object)) return is_float_like(element) ? RowKind::vector : RowKind::set;
  return RowKind::set;
}

void take_list(const py::list& rows, const std::string& what, GivenItems& given) {
  given.objects.push_back(rows);
  SetWriter writer(given);
  auto vectors = std::make_shared<Vectors>();
  RowKind kind = RowKind::text;
  bool known = false;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const py::handle object = PyList_GET_ITEM(rows.ptr(), static_cast<Py_ssize_t>(row));
    const RowKind own = object.is_none() && known ? kind : kind_of_row(object, what, row);
    if (!object.is_none() && !known) {
      known = true;
      if (row > 0 && own != RowKind::text) {
        if (own == RowKind::vector) throw py::value_error(at(what, 0) + "a vector is missing (None)");
        for (std::size_t i = 0; i < row; ++i) given.made.add({});
      }
      kind = own;
    }
    if (own != kind && !(own == RowKind::set && kind == RowKind::vector)) throw py::type_error(at(what, row) + "is " + type_of(object) + ", unlike the items before it");
    switch (kind) {
      case RowKind::text: given.items.texts.push_back(text_of(object, what, row)); break;
      case RowKind::set: object.is_none() ? given.made.add({}) : add_set(object, what, row, writer); break;
      case RowKind::vector: add_vector(object, what, row, *vectors); break;
    }
  }
  if (kind == RowKind::set) take_made(given);
  if (kind == RowKind::vector) given.items.vectors = std::move(vectors);
}

// Rows of a matrix.
template <typename Number>
std::shared_ptr<Vectors> dense_of(const py::array& array, const std::string& what) {
  const auto numbers = py::array_t<Number, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!numbers) throw py::error_already_set();
  auto vectors = std::make_shared<Vectors>();
  vectors->count = static_cast<std::size_t>(numbers.shape(0));
  vectors->dimensions = static_cast<std::uint32_t>(numbers.shape(1));
  const std::size_t size = vectors->count * vectors->dimensions;
  if constexpr (std::is_same_v<Number, float>) {
    vectors->numbers.assign(numbers.data(), numbers.data() + size);
  } else {
    vectors->numbers.resize(size);
    for (std::size_t i = 0; i < size; ++i) vectors->numbers[i] = as_float(static_cast<double>(numbers.data()[i]), what, i / vectors->dimensions);
  }
  return vectors;
}

std::shared_ptr<Vectors> bits_of(const py::array& array) {
  const auto bits = py::array_t<bool, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!bits) throw py::error_already_set();
  auto vectors = std::make_shared<Vectors>();
  vectors->kind = Vectors::Kind::bits;
  vectors->count = static_cast<std::size_t>(bits.shape(0));
  vectors->dimensions = static_cast<std::uint32_t>(bits.shape(1));
  vectors->words.resize(vectors->count * vectors->word_count());
  for (std::size_t row = 0; row < vectors->count; ++row) {
    for (std::size_t i = 0; i < vectors->dimensions; ++i) {
      if (bits.data()[row * vectors->dimensions + i]) vectors->words[row * vectors->word_count() + i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }
  return vectors;
}

// 32-bit floats hold whole numbers up to 2^24.
void require_exact(const py::array& array, const std::string& what) {
  constexpr double kMost = 16777216;
  if (array.size() == 0) return;
  const double low = array.attr("min")().cast<double>(), high = array.attr("max")().cast<double>();
  if (low >= -kMost && high <= kMost) return;
  throw py::value_error(what + ": whole numbers beyond 16,777,216, which 32-bit floats cannot hold; subtract an offset");
}

void take_numpy(const py::array& array, const std::string& what, GivenItems& given) {
  const char kind = array.dtype().kind();
  if (array.ndim() == 1 && (kind == 'O' || kind == 'U' || kind == 'S' || kind == 'T')) return take_list(array.attr("tolist")(), what, given);
  if (array.ndim() != 2) {
    throw py::value_error(what + ": a NumPy array of " + std::to_string(array.ndim()) + " dimensions; texts have one, vectors two (a row each)");
  }
  switch (kind) {
    case 'b': given.items.vectors = bits_of(array); return;
    case 'f': given.items.vectors = array.itemsize() == 4 ? dense_of<float>(array, what) : dense_of<double>(array, what); return;
    case 'i':
    case 'u':
      require_exact(array, what);
      given.items.vectors = dense_of<float>(array, what);
      return;
    default: throw py::type_error(what + ": a NumPy array of type " + py::str(array.dtype()).cast<std::string>() + "; vectors are numbers or bool");
  }
}

// Rows of compressed sparse rows, as SciPy has them.
void take_sparse(const py::handle& matrix, const std::string& what, GivenItems& given) {
  const py::object rows = matrix.attr("tocsr")(py::arg("copy") = true);  // which is put in order, and the caller's is not
  rows.attr("sum_duplicates")();
  rows.attr("eliminate_zeros")();
  const auto ends = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(rows.attr("indptr"));
  const auto indices = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(rows.attr("indices"));
  const auto values = py::array_t<double, py::array::c_style | py::array::forcecast>(rows.attr("data"));
  auto vectors = std::make_shared<Vectors>();
  vectors->kind = Vectors::Kind::sparse;
  vectors->count = static_cast<std::size_t>(ends.size()) - 1;
  vectors->indices.assign(indices.data(), indices.data() + indices.size());
  vectors->values.assign(values.data(), values.data() + values.size());
  vectors->ends.assign(ends.data() + 1, ends.data() + ends.size());
  given.items.vectors = std::move(vectors);
  given.items.name = what;
}

void add_arrow_set(const ArrowView& child, ListBounds bounds, const std::vector<std::string_view>& strings, SetWriter& writer) {
  std::string& text = writer.begin();
  for (std::int64_t i = bounds.begin; i < bounds.end; ++i) {
    if (child.is_null(i)) continue;
    writer.separate();
    if (strings.empty()) {
      append_integer(integer_at(child, i), is_unsigned(*child.schema), text);
    } else {
      append_element(strings[static_cast<std::size_t>(i)], text);
    }
  }
  writer.end();
}

void take_arrow_sets(const std::vector<ArrowView>& chunks, const std::string& what, GivenItems& given) {
  SetWriter writer(given);
  for (const ArrowView& chunk : chunks) {
    const ArrowView child = chunk.child();
    std::vector<std::string_view> strings;
    if (holds_strings(*child.schema)) {
      append_strings(child, strings);
    } else if (!holds_integers(*child.schema)) {
      throw py::value_error(what + ": lists of " + type_name(*child.schema) + "; sets are lists of strings or whole numbers, vectors lists of floats");
    }
    for (std::int64_t row = 0; row < chunk.length; ++row) add_arrow_set(child, list_bounds(chunk, row), strings, writer);
  }
  take_made(given);
}

void take_arrow_vectors(const std::vector<ArrowView>& chunks, const std::string& what, GivenItems& given) {
  auto vectors = std::make_shared<Vectors>();
  for (const ArrowView& chunk : chunks) {
    const ArrowView child = chunk.child();
    for (std::int64_t row = 0; row < chunk.length; ++row) {
      const ListBounds bounds = list_bounds(chunk, row);
      const auto length = static_cast<std::uint32_t>(bounds.end - bounds.begin);
      if (vectors->count == 0) vectors->dimensions = length;
      if (chunk.is_null(row) || length != vectors->dimensions) {
        throw py::value_error(at(what, vectors->count) + (chunk.is_null(row) ? "a vector is missing (null)" : std::to_string(length) + " numbers, the first vector has " + std::to_string(vectors->dimensions)));
      }
      for (std::int64_t i = bounds.begin; i < bounds.end; ++i) {
        vectors->numbers.push_back(child.is_null(i) ? std::nanf("") : as_float(float_at(child, i), what, vectors->count));
      }
      ++vectors->count;
    }
  }
  given.items.vectors = std::move(vectors);
}

void take_arrow(const py::handle& object, const std::string& what, const std::string& column, GivenItems& given) {
  const ArrowData& data = given.arrow.emplace_back(object);
  const bool table = std::string_view(data.schema().format) == "+s";
  const bool one = table && data.schema().n_children == 1;
  const std::vector<ArrowView> chunks = !table ? data.chunks() : data.column(one && data.schema().children[0]->name != nullptr ? data.schema().children[0]->name : one ? "" : column);
  const ArrowSchema& schema = !table ? data.schema() : chunks.empty() ? data.schema() : *chunks.front().schema;
  if (chunks.empty()) return;
  if (holds_strings(schema)) {
    for (const ArrowView& chunk : chunks) append_strings(chunk, given.items.texts);
  } else if (holds_lists(schema)) {
    holds_floats(*schema.children[0]) ? take_arrow_vectors(chunks, what, given) : take_arrow_sets(chunks, what, given);
  } else {
    throw py::value_error(what + ": Arrow data " + type_name(schema) + "; items are strings, lists of whole numbers or strings, or lists of floats");
  }
}

}  // namespace

// ESC stands before what it escapes: it is no blank, and no element that holds none of these changes.
void append_element(std::string_view element, std::string& out) {
  constexpr char kEscape = '\x1b';
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  if (element.empty()) return void(out.append({kEscape, 'e'}));
  for (const char c : element) {
    const std::size_t blank = kBlanks.find(c);
    if (blank != std::string_view::npos) {
      out.append({kEscape, static_cast<char>('0' + blank)});
    } else if (c == kEscape) {
      out.append({kEscape, kEscape});
    } else {
      out += c;
    }
  }
}

std::size_t GivenItems::size() const { return items.vectors ? items.vectors->size() : items.texts.size(); }

Input GivenItems::input() const {
  Input input;
  input.memory = std::shared_ptr<const MemoryItems>(std::shared_ptr<void>(), &items);
  if (sets) input.format = Format::sets;
  return input;
}

std::shared_ptr<GivenItems> items_of(const py::handle& given, const std::string& what, const std::string& column) {
  if (py::isinstance<GivenItems>(given)) return given.cast<std::shared_ptr<GivenItems>>();
  auto result = std::make_shared<GivenItems>();
  result->items.name = what;
  if (is_text(given) || PyDict_Check(given.ptr())) {
    throw py::type_error(what + ": one " + type_of(given) + " is no collection; give a list of texts, sets or vectors, a NumPy array or Arrow data");
  }
  if (py::hasattr(given, "tocsr")) {
    take_sparse(given, what, *result);
  } else if (py::isinstance<py::array>(given)) {
    take_numpy(py::reinterpret_borrow<py::array>(given), what, *result);
  } else if (ArrowData::is_arrow(given)) {
    take_arrow(given, what, column, *result);
  } else if (py::isinstance<py::iterable>(given)) {
    // A list of our own: whoever changes theirs meanwhile takes nothing away from under the run.
    const py::object rows = py::reinterpret_steal<py::object>(PySequence_List(given.ptr()));
    if (!rows) throw py::error_already_set();
    take_list(py::reinterpret_borrow<py::list>(rows), what, *result);
  } else {
    throw py::type_error(what + ": " + type_of(given) + " is no collection; give a list of texts, sets or vectors, a NumPy array or Arrow data");
  }
  return result;
}

void bind_items(py::module_& module) {
  py::class_<GivenItems, std::shared_ptr<GivenItems>>(module, "Items", "Items that were looked through once and can be given to any number of runs.")
      .def(py::init([](const py::object& items, const std::string& what, const std::string& column) { return items_of(items, what, column); }),
           py::arg("items"), py::arg("what") = "items", py::arg("column") = "text")
      .def("__len__", &GivenItems::size);
}

void require_fitting(const GivenItems& items, const Plan& plan) {
  if (items.size() == 0 || items.items.vectors) return;  // the library has words of its own for vectors
  const bool element = plan.shingle.unit == Unit::element;
  if (items.sets && !element && plan.kind == Kind::shingles && plan.measure != Measure::exact) {
    throw Error(ErrorCode::plan, "plan", "shingle=" + shingle_name(plan.shingle) + " is for texts, and " + items.items.name + " are sets; tune with shingle=\"element:1\", or with a sample of them");
  }
}

}  // namespace nearkin::python
