// A plot in a page: its title, the picture for screens and for phones, and its data as a table.
#pragma once

#include <string>
#include <string_view>

#include "report/chart.h"

namespace nearkin::page {

/// `id` is unique on the page; `heading` is the element of the title, "h1".
std::string plot_section(const ChartData& data, const std::string& id, std::string_view heading);

}  // namespace nearkin::page
