// SVG: the elements of pictures, pictures in pages, and labels at the ends of lines.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

/// The text alternative of a picture; plain text.
struct PictureText {
  std::string id;  ///< unique on the page
  std::string title, description;
};
/// The attribute of an element that is `width` wide.
std::string svg_view(double width, double height);
/// The end of an element's attributes, and the text at its beginning.
std::string svg_words(const PictureText& text);
/// The same picture for screens and for phones (classes wide and narrow), each with its text.
std::string both_widths(const std::function<Picture(double width)>& draw, const PictureText& text, double wide = 840, double narrow = 340);

struct Spot {
  double x, y;
};
struct Box {
  double left, top, right, bottom;
};
struct Curve {
  std::string name;
  std::vector<Spot> spots;
};
struct PlacedLabel {
  std::size_t curve;
  double x, y;  ///< the beginning of its base line
  double right;
};

/// From the end of a line to its label.
inline constexpr double kLabelGap = 10;

/// The names that fit beside the rightmost point of their curve, a little higher or lower if necessary, without leaving `room` and without
/// touching a line or each other. None if another curve is so near to that point that the label could be taken for its own.
std::vector<PlacedLabel> place_labels(const std::vector<Curve>& curves, const Box& room, double size);

}  // namespace nearkin
