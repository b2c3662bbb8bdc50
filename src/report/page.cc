
#include <nearkin/nearkin.h>
#include <nearkin/tools/report.h>

#include "report/html.h"
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

std::vector<Section> sections_of(const Report& report) {
  using namespace page;
  const bool distance = report.plan && is_distance(report.plan->measure);
  std::vector<Section> out = {
      {"evaluation",
       report.command == "decontaminate" ? "Suites"
       : report.truth.empty()            ? "Against the exact answer"
                                         : "Against the labels",
       evaluation_section(report)},
      {"plan", "The plan", plan_section(report)},
      {"run", "What was read and done", run_section(report)},
      {"recall", "What is found, and what is missed", curve_section(report)},
      {"alternatives", "What other plans would cost", alternatives_section(report)},
      {"what-if", distance ? "What another radius would give" : "What another threshold would give", what_if_section(report)},
      {"clusters", "Clusters", clusters_section(report)},
      {"buckets", "The biggest buckets", buckets_section(report)},
      {"figures", "Further figures", figures_section(report)},
  };
  const bool pair_first = report.command == "compare";
  out.insert(pair_first ? out.begin() : out.end() - 1, {"pairs", pairs_title(report), pairs_section(report)});
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

std::string section_html(const Section& section) {
  return "<section aria-labelledby=\"" + section.id + "\">\n" + page::element_of("h2", escape(section.title), " id=\"" + section.id + '"') +
         '\n' + section.html + "</section>\n";
}

}  // namespace

std::string report_html(const Report& report) {
  const page::Opening opening = page::opening(report);
  const std::vector<Section> sections = sections_of(report);
  std::string main;
  for (const Section& section : sections) main += section_html(section);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n" + head_of(opening.title + " \u2013 nearkin") + "<body>\n<header>\n" + opening.html +
         "</header>\n" + contents_of(sections) + "<main>\n" + main + "</main>\n<footer>\n" +
         page::paragraph("Made by nearkin " + escape(version()) + ". This page needs no network and holds all that it shows.") +
         "</footer>\n<script>" + std::string(page::page_script()) + "</script>\n</body>\n</html>\n";
}

}  // namespace nearkin
