// Whatever Python has of texts, sets and vectors → items in memory, without a copy where the layout allows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nearkin/nearkin.h>

#include <pybind11/pybind11.h>

#include "arrow_in.h"

namespace nearkin::python {

namespace py = pybind11;

/// Items with all that they point into. Must be destroyed with the GIL held.
struct GivenItems {
  MemoryItems items;
  bool sets = false;                ///< the texts are sets: elements separated by blanks
  std::vector<py::object> objects;  ///< that own what the texts point to
  std::vector<ArrowData> arrow;
  Strings made;  ///< texts that had to be spelt

  std::size_t size() const;
  /// For a run: points into this.
  Input input() const;
};

/// Lists and iterators of texts (str, bytes, None), of sets (of str or int) or of vectors; NumPy arrays; Arrow data (strings, lists of
/// integers or strings, lists of floats), and tables of it, of which `column` is taken. `what` names the items in messages.
/// Throws TypeError and ValueError naming the row.
std::shared_ptr<GivenItems> items_of(const py::handle& given, const std::string& what = "items", const std::string& column = "text");

/// Refuses items that the plan does not compare, in words that name the way out.
void require_fitting(const GivenItems& given, const Plan& plan);
/// Refuse texts of Arrow that are no UTF-8, and numbers that are none, naming the row: runs look themselves, what takes items one by one
/// does not.
void require_utf8(const GivenItems& given);
void require_finite(const GivenItems& given);

/// An element of a set as a text of format sets spells it: blanks, and what spells them, are escaped so that different elements stay
/// different.
void append_element(std::string_view element, std::string& out);

}  // namespace nearkin::python
