// Arrays that a caller passes, held against one another before they are read.
#pragma once

#include <cstddef>

#include <nearkin/query.h>

namespace nearkin {

/// Throws Error(plan) naming both counts where `i` is none of the items, or the arrays end before it does.
void require_item(const Features& sets, std::size_t i);
void require_item(const Vectors& vectors, std::size_t i);
void require_item(const Points& points, std::size_t i);
/// The same for all of them.
void require_items(const Vectors& vectors);
void require_items(const Points& points);

}  // namespace nearkin
