#include <algorithm>
#include <cmath>

#include <nearkin/tools/report.h>
#include <nearkin/tools/what_if.h>

#include "report/chart.h"
#include "report/html.h"
#include "report/sections.h"
#include "report/svg.h"
#include "report/text.h"
#include "report/words.h"
#include "theory/plan_rules.h"

namespace nearkin::page {
namespace {

/// The row that is the run's own; the widest where none is.
std::size_t own_row(const Report& report) {
  if (!report.plan) return 0;
  const double own = border_of_values(report);
  std::size_t best = 0;
  for (std::size_t i = 1; i < report.what_if.size(); ++i) {
    if (std::abs(report.what_if[i].border - own) < std::abs(report.what_if[best].border - own)) best = i;
  }
  return best;
}

/// What is known needs no estimate beside it.
bool has_recall(const Report& report) {
  return !known_recall(report) &&
         std::any_of(report.what_if.begin(), report.what_if.end(), [](const WhatIf& row) { return row.recall.has_value(); });
}

std::vector<std::string> cells_of(const WhatIf& row, bool recall) {
  std::vector<std::string> cells{table_number(row.border), whole_text(row.removed), whole_text(row.clusters), whole_text(row.pairs)};
  if (recall)
    cells.push_back(row.recall       ? rounded_percent(row.recall->estimate)
                    : row.pairs == 0 ? "\u2013 (no pairs)"
                                     : "\u2013 (only equal items)");
  return cells;
}

/// Only dedup removes what it counts.
std::string removed_words(const Report& report) {
  const bool removes = report.command == "dedup" && !report.counted_only && !report.annotated;
  return item_name(report) + "s " + (removes ? "removed" : "that dedup would remove");
}

std::string removed_heading(const Report& report) { return capital(removed_words(report)); }

std::vector<std::string> headings_of(const Report& report) {
  std::vector<std::string> out{capital(border_name(measure_of(report))), removed_heading(report), "Clusters", "Pairs"};
  if (has_recall(report)) out.emplace_back(report.plan && report.plan->exact_join() ? "Pair recall" : "Pair recall (estimated)");
  return out;
}

std::string table_of_rows(const Report& report) {
  Table table{"What each " + border_name(measure_of(report)) + " would give", {}, {}, "what-if-table"};
  for (const std::string& heading : headings_of(report)) table.columns.push_back({heading});
  for (const WhatIf& row : report.what_if) table.rows.push_back(cells_of(row, has_recall(report)));
  return table_of(table);
}

/// The bars of items removed, one for each row; the script marks the one that the slider stands at.
class RemovedDrawing {
 public:
  RemovedDrawing(const Report& report, double width) : report_(report), width_(width) {
    double most = 1;
    for (const WhatIf& row : report.what_if) most = std::max(most, static_cast<double>(row.removed));
    const double ends[] = {0, most};
    axis_ = make_axis(ends, {.most_ticks = 5, .from_tick_to_tick = true});
    left_ = axis_.widest_label(kFontSize) + 8;
    step_ = (width - left_) / static_cast<double>(report.what_if.size());
  }

  Picture draw() const { return {width_, kBottom + 26, grid() + bars() + names()}; }

 private:
  static constexpr double kHeight = 150, kBottom = 162;

  std::string grid() const {
    std::string lines, labels;
    for (const Tick& tick : axis_.ticks) {
      const double y = kBottom - axis_.place(tick.value) * kHeight;
      lines += "M" + svg_place(left_, y) + "H" + coordinate(width_);
      labels += svg_text(left_ - 8, y + 4, "muted end", tick.label);
    }
    return svg_path("grid", lines) + labels;
  }

  std::string bars() const {
    std::string out;
    const double gap = std::min(step_ * 0.2, 8.0);
    for (std::size_t i = 0; i < report_.what_if.size(); ++i) {
      const auto removed = static_cast<double>(report_.what_if[i].removed);
      const double height = removed > 0 ? std::max(axis_.place(removed) * kHeight, 1.5) : 0;
      const std::string kind = i == own_row(report_) ? "choice on" : "choice";
      out += "<rect class=\"" + kind + "\" data-row=\"" + std::to_string(i) + "\" x=\"" + coordinate(place(i) + gap / 2) + "\" y=\"" +
             coordinate(kBottom - height) + "\" width=\"" + coordinate(step_ - gap) + "\" height=\"" + coordinate(height) + "\"/>\n";
    }
    return out;
  }

  /// As many as stand side by side without touching.
  std::string names() const {
    double widest = 0;
    for (const WhatIf& row : report_.what_if) widest = std::max(widest, text_width(table_number(row.border), kFontSize) + 6);
    std::size_t every = 1;
    for (const std::size_t round : {1, 2, 5, 10, 20, 50, 100}) {
      every = round;
      if (static_cast<double>(round) * step_ >= widest) break;
    }
    std::string out;
    for (std::size_t i = 0; i < report_.what_if.size(); i += every) {
      out += svg_text(place(i) + step_ / 2, kBottom + 18, "muted mid", table_number(report_.what_if[i].border));
    }
    return out;
  }

  double place(std::size_t row) const { return left_ + step_ * static_cast<double>(row); }

  const Report& report_;
  double width_, left_ = 0, step_ = 0;
  Axis axis_;
};

std::string picture_of(const Report& report) {
  const WhatIf &first = report.what_if.front(), &last = report.what_if.back();
  const std::string border = border_name(measure_of(report));
  const PictureText text{"what-if-bars", removed_heading(report) + " by " + border,
                         "Bars show how many items each " + border + " would remove: " + whole_text(first.removed) + " at " +
                             table_number(first.border) + ", " + whole_text(last.removed) + " at " + table_number(last.border) +
                             ". The table below has all numbers."};
  return "<figure>\n<figcaption>" + removed_heading(report) + ", by " + border + "</figcaption>\n" +
         both_widths([&](double width) { return RemovedDrawing(report, width).draw(); }, text) + "</figure>\n";
}

/// The slider shows itself when there is a script to move it; the figures are those of the run itself until then.
std::string slider_of(const Report& report) {
  const std::size_t own = own_row(report);
  const std::vector<std::string> headings = headings_of(report), cells = cells_of(report.what_if[own], has_recall(report));
  const std::string label = "<label for=\"what-if-slider\">" + headings[0] + " <output for=\"what-if-slider\" data-cell=\"0\">" + cells[0] +
                            "</output></label>\n";
  const std::string slider = "<input type=\"range\" id=\"what-if-slider\" min=\"0\" max=\"" + std::to_string(report.what_if.size() - 1) +
                             "\" step=\"1\" value=\"" + std::to_string(own) + "\" aria-valuetext=\"" + cells[0] + ": " + cells[1] + ' ' +
                             removed_words(report) + "\" data-words=\"" + removed_words(report) + "\">\n";
  Terms figures;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    figures.emplace_back(headings[i], "<span data-cell=\"" + std::to_string(i) + "\">" + cells[i] + "</span>");
  }
  return "<div class=\"what-if\">\n<div class=\"told\">\n<p class=\"scripted\" hidden>" + label + "</p>\n" +
         "<p class=\"soft unscripted\">At the run\u2019s own " + border_name(measure_of(report)) + ", " + cells[0] + ":</p>\n" +
         terms_of(figures, "inline") + "</div>\n<div class=\"slider scripted\" hidden>\n" + slider + "</div>\n</div>\n";
}

std::string counted_words_of(const Report& report) {
  const bool chains = report.linkage == Linkage::connected && report.against.empty();
  const bool removes = report.command == "dedup";
  std::string out = "These figures come from the pairs found. For each " + border_name(measure_of(report)) +
                    " they say how many pairs still count as similar, how many clusters these make, and how many items ";
  out += removes ? "would be removed. " : "dedup would remove with the same flags. ";
  if (report.records_left_alone > 0)
    out += "They include " + item_name(report) + "s that stayed because --most-cut left their record unchanged. ";
  if (report.records_removed > 0)
    out += "They do not include " + item_name(report) + "s that were removed because too little was left of their record. ";
  if (!report.against.empty()) out += escape(cluster_across(report)) + " ";
  if (!chains) return out;
  out += "A cluster joins all items that a chain of similar pairs connects. ";
  return removes ? out
                 : out + "Dedup removes an item only if it is similar to one that stays, so it may keep several items of one cluster. ";
}

std::string searched_words(const Report& report) {
  const Measure measure = measure_of(report);
  if (!report.plan) return "";
  const std::string own = is_distance(measure) ? table_number(border_of_values(report)) : border_text(*report.plan);
  return is_distance(measure)
             ? "The run looked only for pairs within " + own + ". For wider radii, run again with a wider --radius."
             : "The run looked only for pairs at " + own + " or above. For lower thresholds, run again with a lower --threshold.";
}

}  // namespace

std::optional<WhatIf> own_what_if(const Report& report) {
  return report.what_if.empty() ? std::nullopt : std::optional(report.what_if[own_row(report)]);
}

std::string what_if_slider(const Report& report) { return report.what_if.empty() ? "" : slider_of(report); }

std::string what_if_section(const Report& report) {
  if (report.what_if.empty()) return "";
  return paragraph(counted_words_of(report) + escape(searched_words(report))) + (report.pairs.empty() ? slider_of(report) : "") +
         picture_of(report) + fold("All values as a table", table_of_rows(report));
}

}  // namespace nearkin::page
