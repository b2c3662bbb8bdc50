// The words that flags take as their values: one table for help, completion and suggestions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin::cli {

/// The words that a flag ("--keep") of a command (its CommandBit) takes, as the help spells them; empty where it takes anything. What
/// begins with a capital letter stands for something of the user's own: "max:FIELD".
std::vector<std::string> values_of(std::string_view flag, unsigned command);
/// "first, last or max:FIELD"
std::string listed_values(const std::vector<std::string>& values);
/// "max:" of "max:FIELD"; other words as they are.
std::string beginning_of_value(std::string_view value);

/// What was most likely meant by `typed`: "euclidean", or "max:score" for maxx:score. Absent where nothing is near, and for one of the
/// words.
std::optional<std::string> nearest_value(const std::string& typed, const std::vector<std::string>& values);

}  // namespace nearkin::cli
