// HTML of pages: elements, tables and folds around text that is already escaped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nearkin::page {

/// `<name attributes>inner</name>`, both as they are.
std::string element_of(std::string_view name, std::string_view inner, std::string_view attributes = {});
std::string paragraph(std::string_view inner, std::string_view attributes = {});

/// A name from the data (id, file, plan line), escaped; it may be broken anywhere.
std::string named(std::string_view text);

/// Fit for HTML, with line breaks and tabs as they are: well-formed UTF-8, < > & " ' as references, every other control character, and
/// those that turn the writing direction, as U+FFFD.
std::string escape_lines(std::string_view text);

/// A table that can be scrolled sideways by itself. Cells are HTML; the first of each row is its heading.
struct Table {
  struct Column {
    std::string heading;  ///< HTML
    bool number = true;   ///< at the right side
  };
  std::string label;  ///< what it shows, for those who do not see it; plain text
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::string id = {};  ///< of the <table>; none where empty
};
std::string table_of(const Table& table);

/// What is closed until a person opens it.
std::string fold(std::string_view summary, std::string_view inner, std::string_view attributes = {});

/// Parts under one another, the first few at once and the others when asked for; HTML.
std::string cards_of(const std::vector<std::string>& cards);

/// A list of terms and what is said of each; both HTML.
using Terms = std::vector<std::pair<std::string, std::string>>;
std::string terms_of(const Terms& terms, std::string_view kind);

/// A bar across a table's cell, `share` of its width; only visual: the number is beside it.
std::string bar_of(double share);

}  // namespace nearkin::page
