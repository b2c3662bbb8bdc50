// Direction codes: a few bytes of each dense vector, which prove that most vectors are too far from a query. Nothing near is missed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/vectors.h>

#include "kernel/kernel.h"

namespace nearkin {

/// For cosine and Euclidean distance. Cosine is compared as the distance of vectors of length 1: d² = 2 − 2·cosine.
///
/// A vector has a coordinate along each of some directions, and a last one: the length of what the directions leave of it. The distance of
/// two vectors' coordinates is never more than that of the vectors, whatever the directions are. It comes near to it if the directions are
/// those along which the items differ most; they are found by iteration over a sample, relative to the middle of the sample. Coordinates
/// are kept as bytes: first they are clipped to a range, which brings no two of them further apart, then they are rounded. How much
/// rounding moves an item at most is the `error` of a level.
class DirectionCodes {
 public:
  /// Whether the measure and the kind of vectors allow them.
  static bool possible(const Vectors& vectors, Measure measure);

  /// Codes of the vectors of these rows, of which there are some. They depend on the rows alone, not on `threads`.
  DirectionCodes(const Vectors& vectors, std::span<const Row> rows, Measure measure, unsigned threads);

  std::size_t size() const { return size_; }
  std::uint32_t dimensions() const { return static_cast<std::uint32_t>(dimensions_); }

 private:
  friend class CodeAim;

  struct alignas(kernel::kRowCode) Line {
    std::int8_t bytes[kernel::kRowCode];
  };
  /// Codes of one length: coordinate i is step·byte + middle[i]. Those of level 0 lie in blocks (kernel::block_scores), and `heights` has
  /// their heights. Those of the others lie one after the other (kernel::row_scores), in one line or two.
  struct Level {
    std::size_t width = 0;       // coordinates, and zeros
    std::size_t directions = 0;  // the last coordinate comes after these
    std::size_t lines_each = 0;  // 0: in blocks
    std::vector<double> middle;
    double step = 1;
    double error = 0;  // the largest of all items
    std::vector<Line> lines;
    std::vector<std::int32_t> heights;

    std::int8_t* codes() { return lines.data()->bytes; }
    const std::int8_t* codes() const { return lines.data()->bytes; }
  };

  void find_centre(const Vectors& vectors, std::span<const Row> sample);
  void find_directions(const Vectors& vectors, std::span<const Row> sample, unsigned threads);
  void place_level(Level& level, std::span<const double> sampled) const;
  void encode_all(const Vectors& vectors, std::span<const Row> rows, unsigned threads);
  /// Returns the error of rounding.
  static double encode(Level& level, std::size_t item, const double* projections, double squares);
  /// The vector (of length 1 for cosine) less the centre.
  void centre(const Vectors& vectors, std::size_t row, float* out) const;
  /// Projects a centred vector on the directions; returns the square of its length.
  double project(const float* centred, double* projections) const;
  /// The coordinates of a level, `width` of them, before they are clipped.
  static void coordinates(const Level& level, const double* projections, double squares, double* out);

  Measure measure_;
  std::size_t size_ = 0, dimensions_ = 0, directions_ = 0;
  std::vector<float> centre_;
  std::vector<float> basis_;   // directions_ rows of dimensions_
  std::vector<Level> levels_;  // the shortest codes first
};

/// One query after the other. Distances are those of vectors (Euclidean), or of vectors of length 1 (cosine).
class CodeAim {
 public:
  /// The codes must outlive it.
  explicit CodeAim(const DirectionCodes& codes);

  void aim(const Vectors& queries, std::size_t row);
  /// The distance that belongs to a value of the measure; a little more, for what is rounded.
  double distance_at(double value) const;

  /// Codes of how many lengths there are, the shortest being level 0; at least two.
  std::size_t levels() const { return coded_.size(); }
  /// Scores of items [begin, end) by their codes of level 0; both multiples of kernel::kCodeBlock, or end = size().
  void score(std::size_t begin, std::size_t end, std::vector<std::int32_t>& scores) const;
  /// Scores of these items by their codes of another level.
  void score(std::size_t level, std::span<const std::uint32_t> items, std::vector<std::int32_t>& scores);
  /// An item with a larger score is farther away than that.
  std::int32_t most(std::size_t level, double distance) const;

 private:
  struct Coded {
    std::vector<std::int16_t> numbers;  // the query's coordinates in steps of 1/256 of a code's
    double squares = 0;                 // Σ numbers²
    double error = 0;
  };
  static void encode(const DirectionCodes::Level& level, const double* projections, double squares, Coded& coded);

  const DirectionCodes& codes_;
  std::vector<Coded> coded_;  // of each level
  std::vector<float> centred_;
  std::vector<double> projections_;
  std::vector<std::uint32_t> lines_;
  std::vector<std::int32_t> line_scores_;
};

}  // namespace nearkin
