// Sentences by the rules of Unicode (UAX #29), with a table of our own: libraries' tables differ from machine to machine.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace nearkin {

/// Calls emit(begin, end) for each sentence of a text in UTF-8, in order, with the blanks behind it; together they are the text.
void for_each_sentence(std::string_view text, const std::function<void(std::size_t begin, std::size_t end)>& emit);

}  // namespace nearkin
