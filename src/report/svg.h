// SVG: the elements of pictures, and pictures in pages.
#pragma once

#include <string>
#include <string_view>

namespace nearkin {

/// SVG elements that fill 0..width and 0..height, coloured by classes of a style sheet.
struct Picture {
  double width = 0, height = 0;
  std::string elements;
};

/// "12.5 40": a place in a path.
std::string svg_place(double x, double y);
std::string svg_path(std::string_view kind, std::string_view path);
/// `kind` may be empty; `text` is plain.
std::string svg_text(double x, double y, std::string_view kind, std::string_view text);

/// What stands for a picture where it is not seen; plain text.
struct PictureText {
  std::string id;  ///< unique on the page
  std::string title, description;
};
/// The same picture for screens and for phones (classes wide and narrow), each with its text.
std::string both_widths(const Picture& wide, const Picture& narrow, const PictureText& text);

}  // namespace nearkin
