#include <algorithm>

#include <nearkin/tools/forecast.h>
#include <nearkin/tools/report.h>
#include <nearkin/tools/theory.h>

#include "report/chart.h"
#include "report/html.h"
#include "report/sections.h"
#include "report/text.h"
#include "report/words.h"
#include "theory/plan_rules.h"

namespace nearkin::page {
namespace {

bool is_chosen(const Report& report, const Plan& plan) {
  return report.plan && plan.band.bands == report.plan->band.bands && plan.band.rows == report.plan->band.rows;
}

/// Nominal nanoseconds an item of the chosen plan, or of the cheapest where it is not among them.
double yardstick(const Report& report) {
  double least = 0;
  for (const PlanWork& other : report.alternatives) {
    if (is_chosen(report, other.plan)) return other.work.total();
    least = least == 0 ? other.work.total() : std::min(least, other.work.total());
  }
  return least;
}

std::vector<std::string> work_row(const Report& report, const PlanWork& other, double yard) {
  const bool chosen = is_chosen(report, other.plan);
  const std::string shape = whole_text(other.plan.band.bands) + "\u00A0\u00D7\u00A0" + whole_text(other.plan.band.rows);
  return {chosen ? element_of("strong", (keeps_promise(*report.plan) ? "chosen: " : "given: ") + shape) : shape,
          whole_text(other.plan.sketch.hashes),
          about_text(other.work.sketch),
          about_text(other.work.bands),
          about_text(other.work.candidates),
          about_text(other.work.total()),
          yard > 0 ? decimals_text(other.work.total() / yard, 2) + "\u00A0\u00D7" : ""};
}

std::string choice_words(const Report& report) {
  const double yard = yardstick(report);
  bool chosen = false, least = true;
  for (const PlanWork& other : report.alternatives) {
    chosen = chosen || is_chosen(report, other.plan);
    least = least && other.work.total() >= yard;
  }
  if (!chosen) return "; the plan above is not among them.";
  return least ? "; the one with the least work was chosen."
               : ". Plans with fewer rows are less work on this sample, but riskier: if the collection has more pairs of middling "
                 "similarity than the sample shows, they make many more candidates, and become slower or need more memory.";
}

bool at_least_128(const Report& report) {
  return std::any_of(report.alternatives.begin(), report.alternatives.end(), [](const PlanWork& other) {
    return other.plan.sketch.hashes == 128 && other.plan.sketch.hashes > other.plan.band.bands * other.plan.band.rows;
  });
}

bool is_number(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.,+-\u2212eE%\u00A0 ") == std::string::npos;
}

/// A column is of numbers where all its cells are, or are empty.
bool all_numbers(const std::vector<std::vector<std::string>>& table, std::size_t column) {
  return std::all_of(table.begin() + 1, table.end(), [column](const std::vector<std::string>& row) {
    return column >= row.size() || row[column].empty() || is_number(row[column]);
  });
}

/// What is compared with what, and what a plan is that has no bands.
std::string tables_words(const Report& report) {
  if (report.command != "evaluate" || !report.truth.empty()) return "";
  const std::string exact = paragraph(
      "The exact answer is what an exact search finds for the same queries. Recall is the share of the exact answer that a plan finds. "
      "In a small collection, an exact search may take less time than a plan.");
  for (const std::vector<std::string>& row : report.table) {
    for (const std::string& cell : row) {
      if (cell.ends_with(" tables"))
        return exact + paragraph(
                           "A plan with 64 tables, for example, sorts all items 64 times, each time by another short hash code. A query "
                           "looks only at items whose "
                           "codes are close to its own: it compares these exactly. To find them takes time, too, so in a small collection "
                           "a query may "
                           "take as long as an exact search.");
    }
  }
  return exact;
}

std::string suites_words() {
  return "A suite is the items of one benchmark: one of the files that --against names. Each item that was found is counted in one of the "
         "columns from \u2018in whole\u2019 to \u2018below 0.5\u2019, by the largest share of its n-grams in any one place. (An n-gram is "
         "four words in a row, unless --shingle says otherwise. For short items, words may be counted instead.) Items of fewer than "
         "--least-item "
         "words "
         "(default 5) are too short to be searched for. The last column counts the records in which an item was found.";
}

std::string evaluation_table(const Report& report) {
  const std::vector<std::vector<std::string>>& rows = report.table;
  if (rows.size() < 2) return "";
  Table table{report.command == "decontaminate" ? "Items of each suite that were found"
              : report.truth.empty()            ? "Plans compared with an exact search"
                                                : "Precision, recall and F1",
              {},
              {}};
  for (std::size_t i = 0; i < rows.front().size(); ++i) table.columns.push_back({escape(rows.front()[i]), all_numbers(rows, i)});
  for (std::size_t r = 1; r < rows.size(); ++r) {
    std::vector<std::string> cells;
    for (const std::string& cell : rows[r]) cells.push_back(escape(cell));
    table.rows.push_back(cells);
  }
  const bool suites = report.command == "decontaminate";
  return table_of(table) + (suites ? fold("What the columns count", paragraph(suites_words())) : tables_words(report));
}

}  // namespace

std::string alternatives_section(const Report& report) {
  if (report.alternatives.empty() || !report.plan) return "";
  const double yard = yardstick(report);
  Table table{"Plans and what they cost",
              {{"Bands\u00A0\u00D7\u00A0rows"},
               {"Hashes"},
               {"Sketching, ns"},
               {"Banding, ns"},
               {"Comparing, ns"},
               {"Total, ns"},
               {keeps_promise(*report.plan) ? "Compared with the chosen plan" : "Compared with the given plan"}},
              {}};
  for (const PlanWork& other : report.alternatives) table.rows.push_back(work_row(report, other, yard));
  const std::string kept =
      keeps_promise(*report.plan)
          ? "Each of these plans reaches the promised recall" + choice_words(report)
          : "The bands and rows that were given do not reach the recall that was asked for; the other plans of this table do.";
  return paragraph(kept +
                   " The work for an item is to sketch it, to sort it into bands and to compare its candidates. The times, in nanoseconds "
                   "per item, are "
                   "calculated from preset costs, and not measured on this machine. More rows make fewer candidates but need more hashes." +
                   std::string(at_least_128(report) ? " A sketch has at least 128 hashes, even if the bands use fewer." : "")) +
         table_of(table);
}

std::string evaluation_section(const Report& report) {
  std::vector<ChartData> charts;
  for (const Plot& plot : report.plots) charts.push_back(chart_data(plot));
  return evaluation_table(report) + plot_sections(charts, "h3");
}

std::string figures_section(const Report& report) {
  if (report.figures.empty()) return "";
  Terms terms;
  for (const auto& [name, value] : report.figures) {
    const bool count = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    terms.emplace_back(escape(capital(name)), count ? whole_text(std::stoull(value)) : escape(value));
  }
  return terms_of(terms, "said");
}

}  // namespace nearkin::page
