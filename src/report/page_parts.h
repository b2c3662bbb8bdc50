// The style and the script of a page. Its Content-Security-Policy allows these two by their SHA-256 and nothing else, so that whatever a
// document brings along can neither run nor load anything.
#pragma once

#include <string>
#include <string_view>

namespace nearkin::page {

std::string page_style();
std::string_view page_script();

/// Base64 of the SHA-256 of style and script. A test says what they have to be when either was changed.
inline constexpr std::string_view kStyleHash = "c5fkTDiI1VapyaxNVfxar5tB13cpeDL/tYrWJi/NMbY=";
inline constexpr std::string_view kScriptHash = "vbwOKxZgkuFnHBJ5a+UTnyk8PD3TFlVAZED6guUVbaA=";

}  // namespace nearkin::page
