// The style sheets and the script of pages, which are files beside this one and built into the library (cmake/embed.cmake). The
// Content-Security-Policy of a page allows only its own style and script, by their SHA-256, so nothing in a document can run or load
// anything.
//
// One column, calm colours, system fonts. Every text has a contrast of 4.5 or more on its ground in both themes. What is shared is tinted
// and underlined, what is chosen is filled and outlined: colour is never the only sign. The seven colours of charts are told apart by
// people with any kind of colour vision (after Okabe and Ito, "Color Universal Design", 2008), darker on white and lighter on black, and
// written out for each theme: many viewers of SVG files know no custom properties. The script reads numbers and texts from the page itself
// and writes them as text only.
#pragma once

#include <string>
#include <string_view>

namespace nearkin::page {

/// A file by its name: "chart.css", the style of all pictures, for light and dark; "colours.css", "page.css", "sides.css", "list.css" and
/// the scripts of a page about a run; "plot.css" of a page of plots. Empty for any other name.
std::string_view embedded(std::string_view name);

/// All of a page about a run.
inline std::string page_style() {
  return std::string(embedded("colours.css"))
      .append(embedded("chart.css"))
      .append(embedded("picture.css"))
      .append(embedded("page.css"))
      .append(embedded("sides.css"))
      .append(embedded("list.css"));
}
/// The page can be read without it. It adds the list to choose from, the view of a pair over the whole window, the slider and marks.
inline std::string page_script() {
  std::string script;
  for (const char* const name : {"elements.js", "dom.js", "diff.js", "shown.js", "viewer.js", "sides.js", "vectors.js", "graph.js",
                                 "marks.js", "list.js", "page.js"})
    script += embedded(name);
  return script;
}

/// Base64 of the SHA-256 of style and script. If either is changed, a test prints the new values.
inline constexpr std::string_view kStyleHash = "wMnR6wyWxCzPTN2QNzfe+nGCrZFOl04qfUp8rM1EeJo=";
inline constexpr std::string_view kScriptHash = "FC7SQD5H+EJR5R82vPxC1XBk2M4op5O7e/8cJtXSQjA=";

}  // namespace nearkin::page
