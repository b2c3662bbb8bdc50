// Parts of a JSON object as they were written: numbers keep their spelling, fields their order.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace nearkin::server {

/// Name and value of each field of an object that is known to be valid JSON; names without their quotes, escapes as they stand.
std::vector<std::pair<std::string_view, std::string_view>> raw_fields(std::string_view object);
/// The value of the last field of that name; empty where there is none.
std::string_view raw_field(std::string_view object, std::string_view name);

}  // namespace nearkin::server
