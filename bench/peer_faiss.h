// The indexes of faiss behind plain functions, so that the rest of the benchmark builds without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nearkin::bench {

/// An index of vectors that answers with the rows of the k nearest.
class VectorPeer {
 public:
  virtual ~VectorPeer() = default;
  virtual std::string name() const = 0;
  virtual void build(const std::vector<float>& numbers, std::size_t dimensions) = 0;
  /// Settings from cheap to thorough; the benchmark takes the first that reaches the recall.
  virtual std::size_t settings() const = 0;
  virtual std::string use(std::size_t setting) = 0;
  virtual void find(const float* query, std::size_t k, std::vector<std::int64_t>& rows) = 0;
};

/// An index of bit strings that answers with the rows within a radius.
class BitPeer {
 public:
  virtual ~BitPeer() = default;
  virtual std::string name() const = 0;
  virtual void build(const std::vector<std::uint8_t>& codes, std::size_t bits) = 0;
  virtual std::size_t settings() const = 0;
  virtual std::string use(std::size_t setting) = 0;
  virtual void find(const std::uint8_t* query, std::uint32_t radius, std::vector<std::int64_t>& rows) = 0;
};

/// Empty where the benchmark was built without faiss.
std::vector<std::unique_ptr<VectorPeer>> vector_peers();
std::vector<std::unique_ptr<BitPeer>> bit_peers();
std::string peer_version();

}  // namespace nearkin::bench
