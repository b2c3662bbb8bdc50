// Labels at the ends of lines: which of them fit, and where.
#pragma once

#include <string>
#include <vector>

namespace nearkin {

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

/// The names that can stand beside the rightmost spot of their curve, a little higher or lower where need be, without leaving `room`,
/// touching a line or one another. None where another curve is so near to the end that the label could be its own.
std::vector<PlacedLabel> place_labels(const std::vector<Curve>& curves, const Box& room, double size);

}  // namespace nearkin
