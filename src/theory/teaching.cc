#include <algorithm>
#include <limits>

#include <nearkin/error.h>
#include <nearkin/tools/theory.h>

namespace nearkin {
namespace {

// (a·x + b) mod m without losing the high half of the product, by adding and doubling below m.
std::uint64_t linear_hash(const LinearHash& hash, std::uint64_t x) {
  const auto add = [m = hash.m](std::uint64_t u, std::uint64_t v) { return u >= m - v ? u - (m - v) : u + v; };
  std::uint64_t sum = hash.b % hash.m;
  std::uint64_t doubled = hash.a % hash.m;
  for (; x != 0; x >>= 1) {
    if (x & 1) sum = add(sum, doubled);
    doubled = add(doubled, doubled);
  }
  return sum;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> minhash_by_permutations(std::span<const std::vector<std::uint32_t>> columns,
                                                                std::span<const std::vector<std::uint32_t>> ranks) {
  std::vector<std::vector<std::uint32_t>> signature;
  for (const std::vector<std::uint32_t>& rank : ranks) {
    std::vector<std::uint32_t>& line = signature.emplace_back(columns.size(), std::numeric_limits<std::uint32_t>::max());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (const std::uint32_t row : columns[c]) {
        if (row >= rank.size()) {
          throw Error(ErrorCode::data, "columns",
                      "row " + std::to_string(row) + " is not among the " + std::to_string(rank.size()) + " rows of the permutation");
        }
        line[c] = std::min(line[c], rank[row]);
      }
    }
  }
  return signature;
}

std::vector<std::vector<std::uint64_t>> minhash_by_functions(std::span<const std::vector<std::uint32_t>> columns,
                                                             std::span<const LinearHash> functions) {
  std::vector<std::vector<std::uint64_t>> signature;
  for (const LinearHash& hash : functions) {
    if (hash.m == 0) throw Error(ErrorCode::data, "functions", "0 is not a modulus; use the number of rows or a prime above it");
    std::vector<std::uint64_t>& line = signature.emplace_back(columns.size(), std::numeric_limits<std::uint64_t>::max());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (const std::uint32_t row : columns[c]) line[c] = std::min(line[c], linear_hash(hash, row));
    }
  }
  return signature;
}

std::uint32_t hamming_distance(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) {
    throw Error(
        ErrorCode::data, "hamming distance",
        "the bit strings have " + std::to_string(a.size()) + " and " + std::to_string(b.size()) + " positions; they must be equally long");
  }
  std::uint32_t distance = 0;
  for (std::size_t i = 0; i < a.size(); ++i) distance += a[i] != b[i];
  return distance;
}

}  // namespace nearkin
