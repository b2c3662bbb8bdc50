// The parts of pages about a run. A section that the report has no values for is empty.
#pragma once

#include <optional>
#include <string>

#include <nearkin/tools/compare.h>
#include <nearkin/tools/report.h>
#include <nearkin/tools/what_if.h>

#include "report/chart.h"
#include "report/html.h"

namespace nearkin::page {

/// What it is about, and the result in one sentence and in figures.
struct Opening {
  std::string title;  ///< plain text
  std::string html;
  std::string result;  ///< what came out, in a sentence that `html` leaves out: HTML for the section about the run
};
Opening opening(const Report& report);

/// The row of the slider that is the run's own, where there is one.
std::optional<WhatIf> own_what_if(const Report& report);

/// The HTML of each.
std::string pairs_section(const Report& report);
std::string plan_section(const Report& report);
std::string run_section(const Report& report);
std::string curve_section(const Report& report);
std::string what_if_section(const Report& report);
std::string clusters_section(const Report& report);
std::string buckets_section(const Report& report);
std::string alternatives_section(const Report& report);
std::string evaluation_section(const Report& report);
std::string figures_section(const Report& report);
/// The title of the pairs, plain text.
std::string pairs_title(const Report& report);

/// The slider with the figures of each threshold; empty where only one is known. The list of pairs has it above it.
std::string what_if_slider(const Report& report);
/// What is said of a pair: sizes, similarity, estimate, chance.
Terms parts_of(const Report& report, const ShownPair& shown);
/// The page begins with a list of pairs to choose from.
bool is_listed(const Report& report);
/// Items are shown in letters of one width.
bool is_code(const Report& report);
/// Whether a command follows what a person decides about its pairs.
bool takes_decisions(const Report& report);
/// The first of a pair is a record, the second a benchmark item that was found in it.
bool shows_hits(const Report& report);
/// Whether its pairs are passages, two places that have the same tokens: these are told by their lengths.
bool shows_lengths(const Report& report);

/// Empty where the pair has no texts. `code`: in letters of one width.
std::string side_by_side(const ShownPair& pair, bool code);

/// The text escaped, with line breaks, its shared stretches in <mark>.
std::string marked(const MarkedText& text);

/// One below the other, their axes in line; `heading` is the element of the titles, "h1".
std::string plot_sections(const std::vector<ChartData>& charts, std::string_view heading);

}  // namespace nearkin::page
