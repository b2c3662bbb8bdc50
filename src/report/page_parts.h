// The style sheets and the script of pages, which are files beside this one and built into the library (cmake/embed.cmake). The
// Content-Security-Policy of a page allows its style and its script by their SHA-256 and nothing else, so that whatever a document brings
// along can neither run nor load anything.
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

/// A file by its name: "chart.css", the style of all pictures, for light and dark; "colours.css", "page.css" and "page.js" of a page about
/// a run; "plot.css" of a page of plots. Empty for any other name.
std::string_view embedded(std::string_view name);

/// All of a page about a run.
inline std::string page_style() { return std::string(embedded("colours.css")).append(embedded("chart.css")).append(embedded("page.css")); }
/// The page is whole without it; it adds the slider, the search among pairs, steps from pair to pair, and a button to copy.
inline std::string_view page_script() { return embedded("page.js"); }

/// Base64 of the SHA-256 of style and script. A test says what they have to be when either was changed.
inline constexpr std::string_view kStyleHash = "c5fkTDiI1VapyaxNVfxar5tB13cpeDL/tYrWJi/NMbY=";
inline constexpr std::string_view kScriptHash = "vbwOKxZgkuFnHBJ5a+UTnyk8PD3TFlVAZED6guUVbaA=";

}  // namespace nearkin::page
