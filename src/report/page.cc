
#include <nearkin/nearkin.h>
#include <nearkin/tools/report.h>

#include "report/html.h"
#include "report/page_data.h"
#include "report/page_parts.h"
#include "report/sections.h"
#include "report/text.h"

namespace nearkin {
namespace {

struct Section {
  std::string id, title;  ///< plain text
  std::string html;
};

std::string head_of(const std::string& title) {
  const std::string policy = "default-src 'none'; style-src 'sha256-" + std::string(page::kStyleHash) + "'; script-src 'sha256-" +
                             std::string(page::kScriptHash) + "'; base-uri 'none'; form-action 'none'";
  return "<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
         policy +
         "\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"nearkin " +
         std::string(version()) + "\">\n" + page::element_of("title", escape(title)) + "\n<style>" + page::page_style() +
         "</style>\n</head>\n";
}

/// `result`: HTML that the section about the run begins with.
std::vector<Section> sections_of(const Report& report, const std::string& result) {
  using namespace page;
  const bool distance = report.plan && is_distance(report.plan->measure);
  std::vector<Section> out = {
      {"evaluation",
       report.command == "decontaminate" ? "Suites"
       : report.truth.empty()            ? "Compared with the exact answer"
                                         : "Compared with the labels",
       evaluation_section(report)},
      {"plan", "The plan", plan_section(report)},
      {"run", "What was read and done", result + run_section(report)},
      {"recall", "What is found, and what is missed", curve_section(report)},
      {"alternatives", "What other plans would cost", alternatives_section(report)},
      {"what-if", distance ? "What another radius would give" : "What another threshold would give", what_if_section(report)},
      {"clusters", "Clusters", clusters_section(report)},
      {"buckets", "The biggest buckets", buckets_section(report)},
      {"figures", "Further figures", figures_section(report)},
  };
  // What was found comes first; suites of benchmark items are what was found there.
  const bool suites_first = report.command == "decontaminate";
  out.insert(suites_first ? out.begin() + 1 : out.begin(), {"pairs", pairs_title(report), pairs_section(report)});
  std::erase_if(out, [](const Section& section) { return section.html.empty(); });
  return out;
}

std::string contents_of(const std::vector<Section>& sections) {
  if (sections.size() < 2) return "";
  std::string list;
  for (const Section& section : sections) {
    list += page::element_of("li", page::element_of("a", escape(section.title), " href=\"#" + section.id + '"')) + '\n';
  }
  return page::element_of("nav", '\n' + page::element_of("ul", '\n' + list) + '\n', " aria-label=\"Contents\"") + '\n';
}

/// `folded`: it shows its title until a person opens it.
std::string section_html(const Section& section, bool folded) {
  const std::string title = page::element_of("h2", escape(section.title), " id=\"" + section.id + '"');
  const std::string inner = folded ? page::fold(title, section.html, " class=\"fold\"") : title + '\n' + section.html;
  return "<section aria-labelledby=\"" + section.id + "\">\n" + inner + "</section>\n";
}

/// On a page that begins with pairs, or says that there are none, what is behind that is read now and then.
bool folds(const Report& report, const Section& section) {
  return page::is_listed(report) && section.id != "pairs" && section.id != "evaluation";
}

}  // namespace

std::string report_html(const Report& report) {
  const page::Opening opening = page::opening(report);
  const std::vector<Section> sections = sections_of(report, opening.result);
  std::string main;
  for (const Section& section : sections) main += section_html(section, &section != &sections.front() && folds(report, section));
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n" + head_of(opening.title + " \u2013 nearkin") +
                    (page::is_listed(report)       ? "<body class=\"listed wide\">"
                     : report.command == "compare" ? "<body class=\"wide\">"
                                                   : "<body>") +
                    "\n<header>\n" + opening.html + "</header>\n" + contents_of(sections) + "<main>\n";
  out += main;
  out += "</main>\n<footer>\n" +
         page::paragraph("Made by nearkin " + escape(version()) + ". This page needs no network: it contains everything that it shows.") +
         "</footer>\n";
  out += page::data_element(report);
  return out + "<script>" + page::page_script() + "</script>\n</body>\n</html>\n";
}

std::string curve_html(const Plan& plan) { return page::curve_section({.command = "index", .plan = plan}); }

}  // namespace nearkin
