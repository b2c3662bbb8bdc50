#include "match/direction_codes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/hash.h"
#include "base/parallel.h"

namespace nearkin {
namespace {

// With bytes c of an item, and numbers n of a query in steps of 1/256 of a byte's step s, the square of their distance is
//   s²·(Σc² + Σn²/256² − 2·Σcn/256) = s²/128·(score + Σn²/512), where score = 128·Σc² − Σcn.
// An item's height is 128·Σc², so its score is a sum of whole numbers (kernel::block_scores, row_scores). CodeAim::most turns a distance
// into the largest score that an item at that distance can have.
constexpr std::size_t kMostSample = 1024;  // items that the directions are found from
constexpr std::size_t kSampleNumbers = 1 << 20;
constexpr std::size_t kMostDimensions = 4096;                           // for longer vectors, finding the directions would take too long
constexpr int kRounds = 6;                                              // of the iteration
constexpr std::size_t kShortWidth = 24;                                 // coordinates of the shortest code
constexpr std::size_t kLine = kernel::kRowCode - sizeof(std::int32_t);  // coordinates in a line; a height comes after them
constexpr std::size_t kMostWidth = 2 * kLine;
constexpr std::size_t kLongVectors = 256;  // dimensions from which codes of two lines are worth their memory
constexpr int kMostByte = 127;
constexpr int kFine = 256;              // steps of a query's coordinate in one step of a code
constexpr double kInsideShare = 0.995;  // of the sampled items, so many are not clipped
constexpr double kFarTimes = 4;         // longer items than that, in medians of the sample, are shortened before they give directions
constexpr double kMostCentre = 1e30;    // so that no float less the centre is infinite
// Rounding to floats could make the directions longer than 1 together, and vectors longer than they are, which would break the bound.
// kShrink makes the directions shorter by more than that. Then what they leave of a vector is at least 2e-6 of its square, so its length
// does not suffer from cancellation, and kRoundingShare of a vector's length is more than all sums and the centring can be off.
constexpr double kShrink = 1 - 1e-6;
constexpr double kRoundingShare = 1e-6;
constexpr std::int32_t kAlways = -(1 << 30);      // the height of an item that is never passed over
constexpr std::int32_t kLeastScore = -(1 << 29);  // of the others
constexpr std::uint64_t kSeed = 0x5d1ec7105c0de5u;

constexpr std::int64_t kMostHeight = std::int64_t{kFine / 2} * kMostByte * kMostByte * kMostWidth;
constexpr std::int64_t kMostProducts = std::int64_t{kFine} * kMostByte * kMostByte * kMostWidth;
static_assert(kMostHeight + kMostProducts <= std::numeric_limits<std::int32_t>::max());
static_assert(-kMostProducts >= kLeastScore && kAlways + kMostProducts < kLeastScore);

std::vector<Row> spread_over(std::span<const Row> rows, std::size_t most) {
  const std::size_t count = std::min(rows.size(), most);
  std::vector<Row> some(count);
  for (std::size_t i = 0; i < count; ++i) some[i] = rows[i * rows.size() / count];
  return some;
}

double plain_dot(const double* a, const double* b, std::size_t size) {
  double s[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) s[k] += a[i + k] * b[i + k];
  }
  for (; i < size; ++i) s[0] += a[i] * b[i];
  return (s[0] + s[2]) + (s[1] + s[3]);
}

// Gram and Schmidt's way, twice, which is enough for full precision. A direction of which nothing is left becomes zero.
void make_orthonormal(std::vector<double>& directions, std::size_t size) {
  const std::size_t count = directions.size() / size;
  for (std::size_t i = 0; i < count; ++i) {
    double* const own = directions.data() + i * size;
    const double before = std::sqrt(plain_dot(own, own, size));
    for (int round = 0; round < 2; ++round) {
      for (std::size_t j = 0; j < i; ++j) {
        const double* const other = directions.data() + j * size;
        const double along = plain_dot(own, other, size);
        for (std::size_t k = 0; k < size; ++k) own[k] -= along * other[k];
      }
    }
    const double length = std::sqrt(plain_dot(own, own, size));
    const double factor = length > before * 1e-9 ? 1 / length : 0;
    for (std::size_t k = 0; k < size; ++k) own[k] *= factor;
  }
}

// The sample, column by column in panels as kernel::sum_rows takes them.
std::vector<float> panels_of(const std::vector<float>& sample, std::size_t count, std::size_t dimensions) {
  const std::size_t panels = (dimensions + kernel::kPanel - 1) / kernel::kPanel;
  std::vector<float> out(panels * count * kernel::kPanel);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < dimensions; ++c) {
      out[(c / kernel::kPanel * count + i) * kernel::kPanel + c % kernel::kPanel] = sample[i * dimensions + c];
    }
  }
  return out;
}

// Items that the directions are found from: making codes takes as long as comparing 100 to 500 queries with all items.
std::size_t sample_size(std::size_t items, std::size_t dimensions) {
  return std::clamp(std::min(items / 4, kSampleNumbers / dimensions), std::min(items, kMostWidth), kMostSample);
}

std::vector<std::uint32_t> first_numbers(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint32_t>(i);
  return numbers;
}

// 0 for what is no number.
double clipped_to(double most, double x) { return x > most ? most : x < -most ? -most : x == x ? x : 0; }

// The lower one of two. Reorders the values, of which there are some.
template <typename Number>
Number median_of(std::vector<Number>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The squares of a few vectors of great length would decide alone.
void shorten_far_ones(std::vector<float>& numbers, std::size_t dimensions) {
  std::vector<double> lengths;
  for (std::size_t at = 0; at < numbers.size(); at += dimensions) {
    lengths.push_back(std::sqrt(kernel::dot(numbers.data() + at, numbers.data() + at, dimensions)));
  }
  std::vector<double> sorted = lengths;
  const double most = kFarTimes * median_of(sorted);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (!(lengths[i] > most)) continue;
    for (std::size_t c = 0; c < dimensions; ++c) {
      float& number = numbers[i * dimensions + c];
      number = static_cast<float>(number * (most / lengths[i]));
    }
  }
}

}  // namespace

bool DirectionCodes::possible(const Vectors& vectors, Measure measure) {
  return vectors.kind == Vectors::Kind::dense && vectors.dimensions > 0 && vectors.dimensions <= kMostDimensions &&
         (measure == Measure::cosine || measure == Measure::euclidean);
}

DirectionCodes::DirectionCodes(const Vectors& vectors, std::span<const Row> rows, Measure measure, unsigned threads)
    : measure_(measure), size_(rows.size()), dimensions_(vectors.dimensions) {
  levels_.resize(dimensions_ < kLongVectors ? 2 : 3);
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    levels_[i].lines_each = i;
    levels_[i].width = i == 0 ? kShortWidth : i * kLine;
  }
  directions_ = std::min(dimensions_, levels_.back().width - 1);
  const std::vector<Row> sample = spread_over(rows, sample_size(rows.size(), dimensions_));
  find_centre(vectors, sample);
  find_directions(vectors, sample, thread_count(threads));
  std::vector<double> sampled(sample.size() * (directions_ + 1));
  std::vector<float> centred(dimensions_);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    double* const own = sampled.data() + i * (directions_ + 1);
    centre(vectors, sample[i], centred.data());
    own[directions_] = project(centred.data(), own);
  }
  for (Level& level : levels_) {
    level.directions = std::min(directions_, level.width - 1);
    place_level(level, sampled);
  }
  encode_all(vectors, rows, thread_count(threads));
}

void DirectionCodes::encode_all(const Vectors& vectors, std::span<const Row> rows, unsigned threads) {
  const std::size_t room = (size_ + kernel::kCodeBlock - 1) / kernel::kCodeBlock * kernel::kCodeBlock;
  for (Level& level : levels_) {
    level.lines.resize(level.lines_each != 0 ? size_ * level.lines_each : (room * level.width + sizeof(Line) - 1) / sizeof(Line));
    if (level.lines_each == 0) level.heights.resize(room);
  }
  std::vector<std::vector<double>> errors(threads, std::vector<double>(levels_.size()));
  parallel_for(size_, 256, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
    std::vector<double> projections(directions_);
    std::vector<float> centred(dimensions_);
    for (std::size_t i = begin; i < end; ++i) {
      centre(vectors, rows[i], centred.data());
      const double squares = project(centred.data(), projections.data());
      for (std::size_t level = 0; level < levels_.size(); ++level) {
        double& error = errors[worker][level];
        error = std::max(error, encode(levels_[level], i, projections.data(), squares));
      }
    }
  });
  for (const std::vector<double>& of_worker : errors) {
    for (std::size_t level = 0; level < levels_.size(); ++level) levels_[level].error = std::max(levels_[level].error, of_worker[level]);
  }
}

// A median, because a mean follows a few vectors that are far from all others.
void DirectionCodes::find_centre(const Vectors& vectors, std::span<const Row> sample) {
  centre_.assign(dimensions_, 0);
  std::vector<float> whole(sample.size() * dimensions_);
  for (std::size_t i = 0; i < sample.size(); ++i) centre(vectors, sample[i], whole.data() + i * dimensions_);
  std::vector<float> column(sample.size());
  for (std::size_t c = 0; c < dimensions_; ++c) {
    for (std::size_t i = 0; i < sample.size(); ++i) column[i] = whole[i * dimensions_ + c];
    centre_[c] = static_cast<float>(std::clamp(double{median_of(column)}, -kMostCentre, kMostCentre));
  }
}

void DirectionCodes::centre(const Vectors& vectors, std::size_t row, float* out) const {
  const float* const numbers = vectors.dense(row).data();
  double factor = 1;
  if (measure_ == Measure::cosine) {
    const double squares = kernel::dot(numbers, numbers, dimensions_);
    factor = squares > 0 ? 1 / std::sqrt(squares) : 0;
  }
  for (std::size_t c = 0; c < dimensions_; ++c) out[c] = static_cast<float>(double{numbers[c]} * factor - double{centre_[c]});
}

// Simultaneous iteration: all directions are multiplied by the sample's matrix of products and made orthonormal again, in turns.
void DirectionCodes::find_directions(const Vectors& vectors, std::span<const Row> sample, unsigned threads) {
  std::vector<float> numbers(sample.size() * dimensions_);
  for (std::size_t i = 0; i < sample.size(); ++i) centre(vectors, sample[i], numbers.data() + i * dimensions_);
  shorten_far_ones(numbers, dimensions_);
  const std::vector<float> panels = panels_of(numbers, sample.size(), dimensions_);
  const std::vector<std::uint32_t> all = first_numbers(sample.size());

  std::vector<double> directions(directions_ * dimensions_);
  SplitMix random(kSeed);
  for (double& x : directions) x = (random() & 1) != 0 ? 1 : -1;
  make_orthonormal(directions, dimensions_);
  basis_.resize(directions.size());
  const auto take_as_basis = [&] {
    for (std::size_t k = 0; k < directions.size(); ++k) basis_[k] = static_cast<float>(directions[k] * kShrink);
  };
  take_as_basis();
  for (int round = 0; round < kRounds; ++round) {
    parallel_for(directions_, 1, threads, [&](std::size_t begin, std::size_t end, unsigned) {
      std::vector<double> along(sample.size());
      double sums[kernel::kPanel];
      for (std::size_t i = begin; i < end; ++i) {
        kernel::float_sums(kernel::FloatSum::dot, basis_.data() + i * dimensions_, numbers.data(), all.data(), dimensions_, sample.size(),
                           along.data());
        for (std::size_t c = 0; c < dimensions_; c += kernel::kPanel) {
          kernel::sum_rows(panels.data() + c * sample.size(), all.data(), along.data(), sample.size(), sums);
          std::copy_n(sums, std::min(kernel::kPanel, dimensions_ - c), directions.data() + i * dimensions_ + c);
        }
      }
    });
    make_orthonormal(directions, dimensions_);
    take_as_basis();
  }
}

double DirectionCodes::project(const float* centred, double* projections) const {
  static const std::vector<std::uint32_t> all = first_numbers(kMostWidth);
  kernel::float_sums(kernel::FloatSum::dot, centred, basis_.data(), all.data(), dimensions_, directions_, projections);
  return kernel::dot(centred, centred, dimensions_);
}

void DirectionCodes::coordinates(const Level& level, const double* projections, double squares, double* out) {
  double rest = squares;
  for (std::size_t i = 0; i < level.directions; ++i) {
    out[i] = projections[i] - level.middle[i];
    rest -= projections[i] * projections[i];
  }
  out[level.directions] = std::sqrt(std::max(0.0, rest)) - level.middle[level.directions];
  std::fill(out + level.directions + 1, out + level.width, 0.0);
}

// The middle is the median of the sample's coordinates; the range is that of most of its items.
void DirectionCodes::place_level(Level& level, std::span<const double> sampled) const {
  const std::size_t count = sampled.size() / (directions_ + 1);
  level.middle.assign(level.width, 0);
  std::vector<double> all(count * level.width), column(count), largest(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double* const projections = sampled.data() + i * (directions_ + 1);
    coordinates(level, projections, projections[directions_], all.data() + i * level.width);
  }
  for (std::size_t c = 0; c <= level.directions; ++c) {
    for (std::size_t i = 0; i < count; ++i) column[i] = all[i * level.width + c];
    level.middle[c] = median_of(column);
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < level.width; ++c) largest[i] = std::max(largest[i], std::abs(all[i * level.width + c] - level.middle[c]));
  }
  std::sort(largest.begin(), largest.end());
  const double range = largest[static_cast<std::size_t>(static_cast<double>(count - 1) * kInsideShare)];
  level.step = std::max(range, std::numeric_limits<double>::min() * 1e30) / kMostByte;
}

double DirectionCodes::encode(Level& level, std::size_t item, const double* projections, double squares) {
  double own[kMostWidth];
  coordinates(level, projections, squares, own);
  const double most = kMostByte * level.step;
  double error = 0;
  std::int32_t height = 0;
  const std::size_t block = item / kernel::kCodeBlock * kernel::kCodeBlock;
  const std::size_t first = level.lines_each == 0 ? level.width * block + 2 * (item - block) : item * level.lines_each * kernel::kRowCode;
  for (std::size_t c = 0; c < level.width; ++c) {
    const double clipped = clipped_to(most, own[c]);
    const double byte = std::nearbyint(clipped / level.step);
    error += (clipped - byte * level.step) * (clipped - byte * level.step);
    height += static_cast<std::int32_t>(byte * byte);
    const std::size_t place = level.lines_each == 0 ? c / 2 * 2 * kernel::kCodeBlock + c % 2 : c / kLine * kernel::kRowCode + c % kLine;
    level.codes()[first + place] = static_cast<std::int8_t>(byte);
  }
  error = std::sqrt(error) + kRoundingShare * std::sqrt(squares);
  // A vector that is far longer than the others has a large rounding error, which says nothing about the others.
  const bool usual = error <= level.step * std::sqrt(static_cast<double>(level.width));
  height = usual ? height * (kFine / 2) : kAlways;
  if (level.lines_each == 0) {
    level.heights[item] = height;
  } else {
    std::memcpy(level.codes() + first + kLine, &height, sizeof height);  // that of a second line is 0
  }
  return usual ? error : 0;
}

CodeAim::CodeAim(const DirectionCodes& codes)
    : codes_(codes), coded_(codes.levels_.size()), centred_(codes.dimensions_), projections_(codes.directions_) {}

void CodeAim::aim(const Vectors& queries, std::size_t row) {
  codes_.centre(queries, row, centred_.data());
  const double squares = codes_.project(centred_.data(), projections_.data());
  for (std::size_t level = 0; level < coded_.size(); ++level) encode(codes_.levels_[level], projections_.data(), squares, coded_[level]);
}

void CodeAim::encode(const DirectionCodes::Level& level, const double* projections, double squares, Coded& coded) {
  double own[kMostWidth];
  DirectionCodes::coordinates(level, projections, squares, own);
  coded.numbers.assign(std::max(level.width, level.lines_each * kernel::kRowCode), 0);
  coded.squares = 0;
  const double fine = level.step / kFine, most = kMostByte * level.step;
  double error = 0;
  for (std::size_t c = 0; c < level.width; ++c) {
    const double clipped = clipped_to(most, own[c]);
    const double number = std::nearbyint(clipped / fine);
    error += (clipped - number * fine) * (clipped - number * fine);
    coded.squares += number * number;
    coded.numbers[level.lines_each == 0 ? c : c / kLine * kernel::kRowCode + c % kLine] = static_cast<std::int16_t>(number);
  }
  coded.error = std::sqrt(error) + kRoundingShare * std::sqrt(squares);
}

double CodeAim::distance_at(double value) const {
  return codes_.measure_ == Measure::cosine ? std::sqrt(std::max(0.0, 2 - 2 * value) + 1e-12) : value * (1 + 1e-9);
}

void CodeAim::score(std::size_t begin, std::size_t end, std::vector<std::int32_t>& scores) const {
  const DirectionCodes::Level& level = codes_.levels_.front();
  const std::size_t count = (end - begin + kernel::kCodeBlock - 1) / kernel::kCodeBlock * kernel::kCodeBlock;
  scores.resize(count);
  kernel::block_scores(coded_.front().numbers.data(), level.codes() + begin * level.width, level.heights.data() + begin, level.width / 2,
                       count, scores.data());
  scores.resize(end - begin);
}

void CodeAim::score(std::size_t level, std::span<const std::uint32_t> items, std::vector<std::int32_t>& scores) {
  const DirectionCodes::Level& own = codes_.levels_[level];
  scores.assign(items.size(), 0);
  lines_.resize(items.size());
  line_scores_.resize(items.size());
  for (std::size_t line = 0; line < own.lines_each; ++line) {
    for (std::size_t k = 0; k < items.size(); ++k) lines_[k] = static_cast<std::uint32_t>(items[k] * own.lines_each + line);
    kernel::row_scores(coded_[level].numbers.data() + line * kernel::kRowCode, own.codes(), lines_.data(), items.size(),
                       line_scores_.data());
    for (std::size_t k = 0; k < items.size(); ++k) scores[k] += line_scores_[k];
  }
}

std::int32_t CodeAim::most(std::size_t level, double distance) const {
  const DirectionCodes::Level& own = codes_.levels_[level];
  const double reach = (distance + own.error + coded_[level].error) / own.step;
  const double score = reach * reach * kFine / 2 - coded_[level].squares / (2 * kFine);
  return static_cast<std::int32_t>(std::clamp(std::floor(score), double{kLeastScore}, double{std::numeric_limits<std::int32_t>::max()}));
}

}  // namespace nearkin
