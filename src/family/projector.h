// Projections of vectors onto random directions, Gaussian or Cauchy.
#pragma once

#include <nearkin/plan.h>
#include <nearkin/vectors.h>

namespace nearkin {

enum class Directions { gaussian, cauchy };

/// One for each thread; it owns the scratch. Copies share the directions.
///
/// Each single direction a has independent standard Gaussian (Cauchy) entries, so a·x and a·y have the right joint distribution. There are
/// three methods, chosen by the shape of the vectors only. FROZEN:
/// - dense, 64 dimensions and more, Gaussian: fast rotations. x is padded by zeros to a power of two n ≥ 256. With random signs D, the
///   Hadamard matrix H and diagonals G of independent numbers, uniform from −√3 to √3: y = H·D₂·H·D₁·x / n is x rotated, and each G gives
///   n projections H·G·y. They are sums of n numbers each, and so Gaussian up to a share of 1/n. Gaussian numbers in G would make them
///   exactly Gaussian, but they would vary together more than independent directions do, with signs less; with these numbers the S-curves
///   hold (tests).
/// - otherwise dense: a stored matrix, summed in double precision, up to 2^24 numbers;
/// - sparse, or too large for that: the number of a place and a hash is looked up by hashing the two.
class Projector {
 public:
  /// Throws Error(plan) for bits.
  Projector(const SketchPlan& plan, Directions directions, Vectors::Kind kind, std::uint32_t dimensions);

  /// Room that `project` needs: plan.hashes rounded up.
  std::size_t room() const { return room_; }
  /// projections[j]·unit is the projection onto direction j, for j < plan.hashes; returns the unit, a power of two.
  double project(const Vectors& vectors, std::size_t i, float* projections);

 private:
  enum class Road { rotation, matrix, lookup };
  struct Tables {
    std::vector<float> first, second;  // rotation: the signs
    std::vector<float> diagonals;      // rotation: G / n, n numbers for each
    std::vector<float> panels;         // matrix: kernel::kPanel columns, dimensions rows each
  };

  static Road road(std::uint32_t hashes, Directions directions, Vectors::Kind kind, std::uint32_t dimensions);
  void make_rotations(std::uint64_t sign_seed, std::uint64_t number_seed);
  void make_matrix(std::uint64_t number_seed);
  double rotate(std::span<const float> x, float* projections);
  double multiply(std::span<const float> x, float* projections);
  double look_up(float* projections);
  void look_up_cauchy(float* projections);
  void keep_sparse(const Vectors& vectors, std::size_t i);

  Directions directions_;
  Vectors::Kind kind_;
  std::uint32_t dimensions_;
  std::uint32_t hashes_;
  Road road_;
  std::size_t padded_ = 0;  // rotation: n
  std::size_t room_ = 0;
  std::uint64_t key_ = 0;  // lookup
  std::shared_ptr<const Tables> tables_;
  std::vector<float> rotated_;
  std::vector<std::uint32_t> rows_;
  std::vector<double> factors_, sums_;
  std::vector<std::uint64_t> keys_;
  std::vector<float> small_factors_;
};

}  // namespace nearkin
