// Arrow data of any library → views: what has __arrow_c_stream__ or __arrow_c_array__ is read where it lies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pybind11/pybind11.h>

#include "arrow_abi.h"

namespace nearkin::python {

namespace py = pybind11;

/// An array with its type, seen from row `begin` of it: where the array is a part of another (sliced, or a child), that is not 0.
struct ArrowView {
  const ArrowSchema* schema = nullptr;
  const ArrowArray* array = nullptr;
  std::int64_t begin = 0;
  std::int64_t length = 0;
  const std::uint8_t* outer = nullptr;  ///< validity of the structure that this is a column of; null: all of its rows are there
  std::int64_t outer_begin = 0;

  std::string_view format() const { return schema->format; }
  bool is_null(std::int64_t i) const;
  /// One bit a row of the array; null: all rows are there.
  const std::uint8_t* validity() const;
  template <typename T>
  const T* buffer(int which) const {
    return static_cast<const T*>(array->buffers[which]);
  }
  /// Child `which`, all of it.
  ArrowView child(int which = 0) const;
};

/// What an object exported, in chunks; released when the last copy is gone. Releasing needs no GIL from us: producers see to that.
class ArrowData {
 public:
  /// Throws TypeError where the object has no Arrow interface.
  explicit ArrowData(const py::handle& object);

  static bool is_arrow(const py::handle& object);
  std::vector<ArrowView> chunks() const;
  const ArrowSchema& schema() const { return owned_->schema; }
  /// The same chunks, of one column of a table. Throws ValueError naming the columns there are.
  std::vector<ArrowView> column(const std::string& name) const;

 private:
  struct Owned {
    ArrowSchema schema{};
    std::vector<ArrowArray> arrays;
    Owned() = default;
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned();
  };
  void take_stream(const py::handle& object);
  void take_array(const py::handle& object);
  std::shared_ptr<Owned> owned_;
};

/// The strings of an array: string, large_string, string_view, their binary twins, and dictionaries of them. Nulls have no data.
/// Throws ValueError for any other type, naming it.
void append_strings(const ArrowView& view, std::vector<std::string_view>& out);
bool holds_strings(const ArrowSchema& schema);

/// Where the elements of row i of a list begin and end in its child: list, large_list, fixed_size_list.
struct ListBounds {
  std::int64_t begin = 0, end = 0;
};
bool holds_lists(const ArrowSchema& schema);
ListBounds list_bounds(const ArrowView& view, std::int64_t i);

/// Whole numbers of an array of any width, as 64 bits with their sign. Throws ValueError for another type.
bool holds_integers(const ArrowSchema& schema);
std::int64_t integer_at(const ArrowView& view, std::int64_t i);
bool is_unsigned(const ArrowSchema& schema);
bool holds_floats(const ArrowSchema& schema);
double float_at(const ArrowView& view, std::int64_t i);

/// "large_string", "list<int64>": the type as people call it.
std::string type_name(const ArrowSchema& schema);

}  // namespace nearkin::python
