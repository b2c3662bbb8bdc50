// What the script of a page reads: the rows of the list, the pairs that can be opened and the clusters, as JSON inside the page.
#pragma once

#include <string>

#include <nearkin/tools/report.h>

namespace nearkin::page {

/// A <script> of type application/json, which no browser runs; empty where the report has no pairs. No text in it can end the element.
std::string data_element(const Report& report);

/// The same for the same inputs, plan and results: marks that a person sets on a page are kept under it.
std::string run_key(const Report& report);

}  // namespace nearkin::page
