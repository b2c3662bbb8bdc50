// The sections of a page about a run, in the order of the page. One that the report has no values for is empty.
#pragma once

#include <optional>
#include <string>

#include <nearkin/tools/report.h>
#include <nearkin/tools/what_if.h>

namespace nearkin::page {

struct Section {
  std::string id, title;  ///< plain text
  std::string html;
  bool empty() const { return html.empty(); }
};

/// What it is about, and the result in one sentence and in figures.
struct Opening {
  std::string title;  ///< plain text
  std::string html;
};
Opening opening(const Report& report);

/// The row of the slider that is the run's own, where there is one.
std::optional<WhatIf> own_what_if(const Report& report);

Section pairs_section(const Report& report);
Section plan_section(const Report& report);
Section run_section(const Report& report);
Section curve_section(const Report& report);
Section what_if_section(const Report& report);
Section clusters_section(const Report& report);
Section buckets_section(const Report& report);
Section alternatives_section(const Report& report);
Section evaluation_section(const Report& report);
Section figures_section(const Report& report);

}  // namespace nearkin::page
