#include "report/svg.h"

#include <algorithm>

#include "report/text.h"

namespace nearkin {
namespace {

std::string svg_element(const Picture& picture, PictureText text, const std::string& kind) {
  text.id += '-' + kind;
  return "<svg class=\"nk " + kind + '"' + svg_view(picture.width, picture.height) + svg_words(text) + picture.elements + "</svg>\n";
}

bool overlap(const Box& a, const Box& b) { return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom; }

/// Narrows first..last, the part of a segment (0..1) that is inside so far, to where begin + t·change is within low..high.
bool narrow(double begin, double change, double low, double high, double& first, double& last) {
  if (change == 0) return begin > low && begin < high;
  const double a = (low - begin) / change, b = (high - begin) / change;
  first = std::max(first, std::min(a, b));
  last = std::min(last, std::max(a, b));
  return first < last;
}

bool crosses(const Spot& from, const Spot& to, const Box& box) {
  double first = 0, last = 1;
  return narrow(from.x, to.x - from.x, box.left, box.right, first, last) && narrow(from.y, to.y - from.y, box.top, box.bottom, first, last);
}

constexpr double kMark = 5;  // half the size of a mark

bool touches(const Curve& curve, const Box& box) {
  for (std::size_t i = 0; i < curve.spots.size(); ++i) {
    const Spot& spot = curve.spots[i];
    if (overlap(box, {spot.x - kMark, spot.y - kMark, spot.x + kMark, spot.y + kMark})) return true;
    if (i > 0 && crosses(curve.spots[i - 1], spot, box)) return true;
  }
  return false;
}

bool is_free(const Box& box, const Box& room, const std::vector<Curve>& curves, const std::vector<Box>& taken) {
  if (box.left < room.left || box.right > room.right || box.top < room.top || box.bottom > room.bottom) return false;
  return std::none_of(curves.begin(), curves.end(), [&](const Curve& curve) { return touches(curve, box); }) &&
         std::none_of(taken.begin(), taken.end(), [&](const Box& other) { return overlap(box, other); });
}

/// Whether no other curve comes near the end of curve `i`.
bool ends_alone(const std::vector<Curve>& curves, std::size_t i, const Spot& end) {
  constexpr double kNear = 2;
  for (std::size_t j = 0; j < curves.size(); ++j) {
    if (j != i && touches(curves[j], {end.x - kNear, end.y - kNear, end.x + kNear, end.y + kNear})) return false;
  }
  return true;
}

}  // namespace

std::string svg_place(double x, double y) { return coordinate(x) + ' ' + coordinate(y); }

std::string svg_path(std::string_view kind, std::string_view path) {
  return "<path class=\"" + std::string(kind) + "\" d=\"" + std::string(path) + "\"/>\n";
}

std::string svg_text(double x, double y, std::string_view kind, std::string_view text) {
  std::string out = "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + '"';
  if (!kind.empty()) out += " class=\"" + std::string(kind) + '"';
  return out + '>' + escape(text) + "</text>\n";
}

std::string svg_view(double width, double height) { return " viewBox=\"0 0 " + svg_place(width, height) + '"'; }

std::string svg_words(const PictureText& text) {
  const std::string title = '"' + text.id + "-title\"", words = '"' + text.id + "-text\"";
  return " role=\"img\" aria-labelledby=" + title + " aria-describedby=" + words + ">\n<title id=" + title + '>' + escape(text.title) +
         "</title>\n<desc id=" + words + '>' + escape(text.description) + "</desc>\n";
}

std::string both_widths(const std::function<Picture(double width)>& draw, const PictureText& text, double wide, double narrow) {
  return svg_element(draw(wide), text, "wide") + svg_element(draw(narrow), text, "narrow");
}

std::vector<PlacedLabel> place_labels(const std::vector<Curve>& curves, const Box& room, double size) {
  std::vector<PlacedLabel> placed;
  std::vector<Box> taken;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Curve& curve = curves[i];
    if (curve.name.empty() || curve.spots.empty()) continue;
    const Spot end = *std::max_element(curve.spots.begin(), curve.spots.end(), [](const Spot& a, const Spot& b) { return a.x < b.x; });
    if (!ends_alone(curves, i, end)) continue;
    const double width = text_width(curve.name, size);
    for (const double shift : {0.0, -4.0, 4.0, -8.0, 8.0}) {
      const double middle = end.y + shift, left = end.x + kLabelGap;
      const Box box{left, middle - size / 2 - 1, left + width, middle + size / 2 + 1};
      if (!is_free(box, room, curves, taken)) continue;
      taken.push_back(box);
      placed.push_back({i, left, middle + size / 3, box.right});
      break;
    }
  }
  return placed;
}

}  // namespace nearkin
