#include "items.h"

#include <charconv>
#include <cmath>

#include <pybind11/numpy.h>

#include <nearkin/tools/names.h>
#include <nearkin/tools/spelling.h>

#include "arguments.h"
#include "bind.h"

namespace nearkin::python {
namespace {

// What one row of a Python list turned out to be.
enum class RowKind { text, set, vector, whole };  // whole: numbers that a set or a vector may hold

void append_integer(std::int64_t value, bool is_unsigned_value, std::string& out) {
  char digits[24];
  char* const end = is_unsigned_value ? std::to_chars(digits, digits + sizeof digits, static_cast<std::uint64_t>(value)).ptr
                                      : std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

// A str lends its UTF-8 bytes as long as it lives.
std::string_view text_of(const py::handle& object, const std::string& what, std::size_t row) {
  if (object.is_none()) return {};
  if (PyBytes_Check(object.ptr())) {
    const std::string_view bytes(PyBytes_AS_STRING(object.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(object.ptr())));
    if (is_utf8(bytes)) return bytes;
    throw py::value_error(at(what, row) + "the bytes are not UTF-8; decode them first");
  }
  return utf8_of(object, [&] { return at(what, row) + "the text"; });
}

bool is_text(const py::handle& object) { return object.is_none() || PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()); }

bool is_float_like(const py::handle& element) {
  if (PyIndex_Check(element.ptr()) != 0 || PyUnicode_Check(element.ptr())) return false;
  return PyFloat_Check(element.ptr()) ||
         py::str(py::getattr(py::getattr(element, "dtype", py::none()), "kind", py::none())).cast<std::string>() == "f";
}

// What pandas has where a text is missing.
bool is_missing(const py::handle& object) {
  return (PyFloat_Check(object.ptr()) && std::isnan(PyFloat_AS_DOUBLE(object.ptr()))) || type_of(object) == "NAType" ||
         type_of(object) == "NaTType";
}

void append_element_object(const py::handle& element, const std::string& what, std::size_t row, std::string& out) {
  if (PyUnicode_Check(element.ptr()) || PyBytes_Check(element.ptr())) return append_element(text_of(element, what, row), out);
  if (PyBool_Check(element.ptr())) {
    throw py::type_error(at(what, row) + "an element of a set is bool; for bit strings, give a NumPy array of bool with a row for each");
  }
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

std::string number_at(const std::string& what, std::size_t row, std::size_t place) {
  return at(what, row) + "number " + std::to_string(place + 1) + " is ";
}

// Vectors are 32-bit floats. A number beyond their range would silently become infinite, a long whole number another one.
template <typename Number>
float as_float(Number value, const std::string& what, std::size_t row, std::size_t place) {
  constexpr Number kWhole = 1 << 24;  // up to here every one is a float
  const auto narrow = static_cast<float>(value);
  if (std::is_integral_v<Number> ? value <= kWhole && (!std::is_signed_v<Number> || value >= -kWhole) : !std::isfinite(value))
    return narrow;
  const bool beyond = !std::isfinite(narrow);
  const auto number = static_cast<double>(value);
  const bool whole = std::is_integral_v<Number> || (std::abs(number) > static_cast<double>(kWhole) && number == std::floor(number));
  if (!beyond && !(whole && static_cast<long double>(narrow) != static_cast<long double>(value))) return narrow;
  char digits[32];
  const std::string spelt(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  throw py::value_error(number_at(what, row, place) + spelt +
                        (beyond ? ", beyond ±3.4e38, the range of 32-bit floats"
                                : ", and vectors hold whole numbers up to 16,777,216; subtract an offset, or give a SciPy sparse matrix"));
}

double double_of(const py::handle& number, const std::string& what, std::size_t row, std::size_t place) {
  const double value = PyFloat_AsDouble(number.ptr());
  if (value != -1 || PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();
  throw py::type_error(number_at(what, row, place) + shown(number) + " (" + type_of(number) + "); vectors hold numbers");
}

// The first vector says how long all are.
void require_length(std::uint32_t length, const std::string& what, Vectors& vectors) {
  if (vectors.count == 0) vectors.dimensions = length;
  if (length == vectors.dimensions) return;
  throw py::value_error(at(what, vectors.count) + std::to_string(length) + " numbers, the first vector has " +
                        std::to_string(vectors.dimensions));
}

void add_vector(const py::handle& object, const std::string& what, std::size_t row, Vectors& vectors) {
  if (object.is_none()) throw py::value_error(at(what, row) + "a vector is missing (None)");
  std::uint32_t length = 0;
  for (const py::handle number : py::reinterpret_borrow<py::object>(object)) {
    vectors.numbers.push_back(as_float(double_of(number, what, row, length), what, row, length));
    ++length;
  }
  require_length(length, what, vectors);
  ++vectors.count;
}

void require_item(const py::handle& object, const std::string& what, std::size_t row) {
  if (is_text(object)) return;
  // What has keys, bytes that change, or no second time would be read as something else than was meant.
  const bool misread =
      PyDict_Check(object.ptr()) || PyByteArray_Check(object.ptr()) || PyMemoryView_Check(object.ptr()) || PyIter_Check(object.ptr()) != 0;
  if (!misread && py::isinstance<py::iterable>(object)) return;
  if (is_missing(object)) {
    throw py::type_error(at(what, row) + "is " + shown(object) +
                         ", a missing value; give None in its place, as series.where(series.notna(), None) does");
  }
  throw py::type_error(at(what, row) + "is " + type_of(object) + "; an item is a text (str), a set (of str or int) or a vector (of float)");
}

RowKind kind_of_row(const py::handle& object) {
  if (is_text(object)) return RowKind::text;
  if (PyAnySet_Check(object.ptr())) return RowKind::set;
  for (const py::handle element : py::reinterpret_borrow<py::object>(object)) {
    if (is_float_like(element)) return RowKind::vector;
    if (PyIndex_Check(element.ptr()) == 0) return RowKind::set;
  }
  return RowKind::whole;
}

// The first row that can be one thing only decides: [[1, 2], [2, 1.5]] are vectors, [[1, 2], ["a"]] sets, and so are whole numbers alone.
RowKind kind_of_list(const py::list& rows, const std::string& what) {
  RowKind kind = RowKind::text;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const py::handle object = PyList_GET_ITEM(rows.ptr(), static_cast<Py_ssize_t>(row));
    if (object.is_none()) continue;
    require_item(object, what, row);
    kind = kind_of_row(object);
    if (kind != RowKind::whole) return kind;
  }
  return kind == RowKind::whole ? RowKind::set : kind;
}

// What stands in a set or a vector is looked at where it is taken.
bool is_unlike(const py::handle& object, RowKind kind) {
  return is_text(object) != (kind == RowKind::text) || (kind == RowKind::vector && PyAnySet_Check(object.ptr()));
}

void take_list(const py::list& rows, const std::string& what, GivenItems& given) {
  given.objects.push_back(rows);
  SetWriter writer(given);
  auto vectors = std::make_shared<Vectors>();
  const RowKind kind = kind_of_list(rows, what);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const py::handle object = PyList_GET_ITEM(rows.ptr(), static_cast<Py_ssize_t>(row));
    require_item(object, what, row);
    if (!object.is_none() && is_unlike(object, kind))
      throw py::type_error(at(what, row) + "is " + type_of(object) + ", unlike the other items");
    switch (kind) {
      case RowKind::text: given.items.texts.push_back(text_of(object, what, row)); break;
      case RowKind::whole:
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
    for (std::size_t i = 0; i < size; ++i)
      vectors->numbers[i] = as_float(numbers.data()[i], what, i / vectors->dimensions, i % vectors->dimensions);
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

// Whether all are within what every 32-bit float holds: then they need no look at each.
bool are_short(const py::array& array) {
  return array.size() == 0 || (array.attr("min")().cast<double>() >= -0x1p24 && array.attr("max")().cast<double>() <= 0x1p24);
}

std::shared_ptr<Vectors> vectors_of(const py::array& array, const std::string& what) {
  switch (array.dtype().kind()) {
    case 'b': return bits_of(array);
    case 'f': return array.itemsize() <= 4 ? dense_of<float>(array, what) : dense_of<double>(array, what);
    case 'i': return are_short(array) ? dense_of<float>(array, what) : dense_of<std::int64_t>(array, what);
    case 'u': return are_short(array) ? dense_of<float>(array, what) : dense_of<std::uint64_t>(array, what);
    default:
      throw py::type_error(what + ": a NumPy array of type " + py::str(array.dtype()).cast<std::string>() +
                           "; vectors are numbers or bool");
  }
}

// The number under a mask is not meant to be seen.
void require_unmasked(const py::array& array, const std::string& what) {
  if (!py::hasattr(array, "mask")) return;
  const py::object mask = py::module_::import("numpy").attr("ma").attr("getmaskarray")(array);
  const py::list rows = mask.attr("any")(py::arg("axis") = 1).attr("nonzero")().attr("__getitem__")(0).attr("tolist")();
  if (!rows.empty()) throw py::value_error(at(what, rows[0].cast<std::size_t>()) + "a number is masked; fill it, or leave the row out");
}

void take_numpy(const py::array& array, const std::string& what, GivenItems& given) {
  const char kind = array.dtype().kind();
  if (array.ndim() == 1 && (kind == 'O' || kind == 'U' || kind == 'S' || kind == 'T'))
    return take_list(array.attr("tolist")(), what, given);
  if (array.ndim() == 1 && array.size() == 0) return;  // np.array([]) is as empty as []
  if (array.ndim() != 2) {
    const std::string type = py::str(array.dtype()), shape = py::str(array.attr("shape"));
    throw py::value_error(what + ": a NumPy array of " + type + " of shape " + shape +
                          "; give a matrix with a vector in each row (array[None, :] makes one of a single vector), or an array of str");
  }
  require_unmasked(array, what);
  given.items.vectors = vectors_of(array, what);
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

void add_arrow_set(const ArrowView& child, ListBounds bounds, const std::vector<std::string_view>& strings, const std::string& what,
                   std::size_t row, SetWriter& writer) {
  std::string& text = writer.begin();
  for (std::int64_t i = bounds.begin; i < bounds.end; ++i) {
    if (child.is_null(i)) throw py::value_error(at(what, row) + "an element of the set is null; leave it out");
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
  std::size_t count = 0;
  for (const ArrowView& chunk : chunks) {
    const ArrowView child = chunk.child();
    std::vector<std::string_view> strings;
    if (holds_strings(*child.schema)) {
      append_strings(child, strings);
    } else if (!holds_integers(*child.schema)) {
      throw py::value_error(what + ": lists of " + type_name(*child.schema) +
                            "; sets are lists of strings or whole numbers, vectors lists of floats");
    }
    for (std::int64_t row = 0; row < chunk.length; ++row) add_arrow_set(child, list_bounds(chunk, row), strings, what, count++, writer);
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
      if (chunk.is_null(row)) throw py::value_error(at(what, vectors->count) + "a vector is missing (null)");
      require_length(length, what, *vectors);
      for (std::int64_t i = bounds.begin; i < bounds.end; ++i) {
        const auto place = static_cast<std::size_t>(i - bounds.begin);
        vectors->numbers.push_back(child.is_null(i) ? std::nanf("") : as_float(float_at(child, i), what, vectors->count, place));
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
  const std::vector<ArrowView> chunks =
      !table ? data.chunks()
             : data.column(one && data.schema().children[0]->name != nullptr ? data.schema().children[0]->name
                           : one                                             ? ""
                                                                             : column);
  const ArrowSchema& schema = !table ? data.schema() : chunks.empty() ? data.schema() : *chunks.front().schema;
  if (chunks.empty()) return;
  if (holds_strings(schema)) {
    for (const ArrowView& chunk : chunks) append_strings(chunk, given.items.texts);
  } else if (holds_lists(schema)) {
    holds_floats(*schema.children[0]) ? take_arrow_vectors(chunks, what, given) : take_arrow_sets(chunks, what, given);
  } else {
    throw py::value_error(what + ": Arrow data " + type_name(schema) +
                          "; items are strings, lists of whole numbers or strings, or lists of floats");
  }
}

// Tables that are only planned: they have no rows before they are asked for them.
void refuse_unread(const py::handle& given, const std::string& what) {
  const std::string type = type_of(given), module = py::str(py::getattr(py::type::of(given), "__module__", py::str()));
  if (type == "LazyFrame") throw py::type_error(what + ": a LazyFrame has no rows yet; give what its collect() returns");
  if (module.starts_with("pyspark."))
    throw py::type_error(what + ": " + type + " is Spark's; use nearkin.spark, or give what its toArrow() returns");
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
    throw py::type_error(what + ": one " + type_of(given) +
                         " is no collection; give a list of texts, sets or vectors, a NumPy array or Arrow data");
  }
  refuse_unread(given, what);
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
    throw py::type_error(what + ": " + type_of(given) +
                         " is no collection; give a list of texts, sets or vectors, a NumPy array or Arrow data");
  }
  return result;
}

static std::string kind_of(const GivenItems& given) {
  const bool bits = given.items.vectors && given.items.vectors->kind == Vectors::Kind::bits;
  return bits ? "bits" : given.items.vectors ? "vectors" : given.sets ? "sets" : "texts";
}

void bind_items(py::module_& module) {
  py::class_<GivenItems, std::shared_ptr<GivenItems>>(module, "Items",
                                                      "Items that were checked once and can be given to any number of runs.")
      .def(py::init([](const py::object& items, const py::object& what, const py::object& column) {
             return items_of(items, text_argument(what, "what"), text_argument(column, "column"));
           }),
           py::arg("items"), py::arg("what") = "items", py::arg("column") = "text")
      .def("__len__", &GivenItems::size)
      .def_property_readonly("kind", &kind_of, "texts, sets, vectors or bits.")
      .def("__reduce__", [](const GivenItems&) -> py::object {
        throw py::type_error(
            "items: cannot be pickled, because they point into the data they were made from; pickle that data, and make them again");
      });
}

void require_fitting(const GivenItems& given, const Plan& plan) {
  if (given.size() == 0) return;
  const bool bits = given.items.vectors && given.items.vectors->kind == Vectors::Kind::bits;
  const bool wants_vectors = plan.kind == Kind::numbers || plan.kind == Kind::bits;
  const std::string are = kind_of(given);
  const std::string measure = "measure " + std::string(name(plan.measure));
  const auto refuse = [&](const std::string& is_for, const std::string& way_out) {
    throw Error(ErrorCode::plan, "plan", is_for + ", not for " + are + " (" + given.items.name + "); " + way_out);
  };
  if (given.items.vectors) {
    if (plan.kind == Kind::tfidf) refuse("features=tfidf is for texts", "tune with features=\"numbers\", or with a sample of them");
    const bool of_sets = !wants_vectors || plan.measure == Measure::jaccard;
    const bool weights = plan.measure == Measure::weighted_jaccard && !bits;
    const char* const other = bits ? "use measure hamming" : "use measure cosine, euclidean, manhattan or weighted-jaccard";
    if (of_sets && weights)
      refuse(measure + " of shingles is for texts and sets", "tune with features=\"numbers\", or with a sample of them");
    if (of_sets) refuse(measure + " is for texts and sets", other);
    if (bits && plan.kind != Kind::bits) refuse(measure + " is for numbers", "use measure hamming");
    return;  // the library has words of its own for the rest
  }
  if (plan.measure == Measure::hamming)
    refuse("measure hamming is for bits", "give a NumPy matrix of bool, or one of numbers with a plan that has binarise");
  if (wants_vectors) {
    const std::string tfidf = !given.sets && plan.measure == Measure::cosine ? "tune with features=\"tfidf\", or " : "";
    refuse(measure + " of numbers is for vectors", tfidf + "give vectors: a NumPy matrix, or lists of float");
  }
  if (given.sets && plan.shingle.token != Token::element && plan.kind == Kind::shingles && plan.measure != Measure::exact) {
    refuse("shingle=" + shingle_name(plan.shingle) + " is for texts", "tune with shingle=\"element:1\", or with a sample of them");
  }
}

// Numbers that are none would be neighbours of nothing, for ever.
void require_finite(const GivenItems& given) {
  if (!given.items.vectors) return;
  const Vectors& vectors = *given.items.vectors;
  for (std::size_t i = 0; i < vectors.numbers.size(); ++i) {
    if (!std::isfinite(vectors.numbers[i])) throw py::value_error(at(given.items.name, i / vectors.dimensions) + "a number is not finite");
  }
}

void require_utf8(const GivenItems& given) {
  if (given.arrow.empty() || given.items.vectors) return;
  for (std::size_t row = 0; row < given.items.texts.size(); ++row) {
    if (!is_utf8(given.items.texts[row])) throw py::value_error(at(given.items.name, row) + "the bytes are not UTF-8; decode them first");
  }
}

}  // namespace nearkin::python
