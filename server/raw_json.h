// Parts of a JSON object as they were written: numbers keep their spelling, fields their order.
#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace nearkin::server {

/// Name and value of each field of an object that is known to be valid JSON; names without their quotes, escapes as they stand.
std::vector<std::pair<std::string_view, std::string_view>> raw_fields(std::string_view object);
/// The same, one after the other, until `use` returns false; without memory of its own.
void for_each_raw_field(std::string_view object, const std::function<bool(std::string_view name, std::string_view value)>& use);
/// The elements of a valid array, until `use` returns false.
void for_each_raw_element(std::string_view array, const std::function<bool(std::string_view element)>& use);
/// How many fields all objects of a valid text have together.
std::size_t raw_members(std::string_view text);
/// The value of the last field of that name; empty where there is none.
std::string_view raw_field(std::string_view object, std::string_view name);

}  // namespace nearkin::server
