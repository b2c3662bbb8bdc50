#include "report/labels.h"

#include <algorithm>

#include "report/text.h"

namespace nearkin {
namespace {

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
