// Boost.JSON, kept within the charge of a request.
#pragma once

#include <string_view>

#include <boost/json.hpp>

#include "budget.h"

namespace nearkin::server {

/// Takes what it gives from the charge. Throws Problem 413 or 503 where that does not cover it.
class ChargedMemory final : public boost::json::memory_resource {
 public:
  explicit ChargedMemory(Charge& charge) : charge_(&charge) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t align) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t align) override;
  bool do_is_equal(const boost::json::memory_resource& other) const noexcept override { return this == &other; }

  Charge* charge_;
};

/// An object. Throws Problem(400) naming the byte at which the text stops being JSON, or a name that occurs twice in one object of it;
/// Problem(422) for JSON of another kind.
boost::json::value parse_object(std::string_view text, ChargedMemory& memory);

/// Throws Problem(422) for a field that is none of `known`.
void check_fields(const boost::json::object& object, std::initializer_list<std::string_view> known);

}  // namespace nearkin::server
