// nearkin._core: the library as Python sees it. The package around it (python/nearkin) gives it its face.
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <nearkin/nearkin.h>

#include <pybind11/pybind11.h>

#include "bind.h"

namespace {

// What the library says of files and flags, as one says it who has items and arguments.
constexpr std::pair<std::string_view, std::string_view> kWords[] = {{"name the input", "give a sample"}, {"--limit", "limit"}};

std::string in_our_words(std::string message) {
  for (const auto& [theirs, ours] : kWords) {
    const std::size_t at = message.find(theirs);
    if (at != std::string::npos) message.replace(at, theirs.size(), ours);
  }
  return message;
}

// Errors in the library's own words, as what Python programs catch.
void translate(std::exception_ptr failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const nearkin::Error& error) {
    PyErr_SetString(error.code() == nearkin::ErrorCode::file ? PyExc_OSError : PyExc_ValueError, in_our_words(error.what()).c_str());
  }
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  using namespace nearkin::python;
  pybind11::register_exception_translator(translate);
  module.attr("__version__") = nearkin::version();
  bind_arguments(module);
  bind_column(module);
  bind_items(module);
  bind_plan(module);
  bind_runs(module);
  bind_scores(module);
  bind_stages(module);
  bind_json_lines(module);
  bind_packed(module);
  bind_spelling(module);
  bind_units(module);
  bind_index(module);
}
