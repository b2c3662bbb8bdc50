#include "peer_faiss.h"

#include <iterator>

#ifdef NEARKIN_HAVE_FAISS
#include <faiss/IndexBinaryFlat.h>
#include <faiss/IndexBinaryHash.h>
#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
#include <faiss/IndexLSH.h>
#include <faiss/IndexRefine.h>
#include <faiss/impl/AuxIndexStructures.h>
#include <omp.h>
#endif

namespace nearkin::bench {

#ifdef NEARKIN_HAVE_FAISS
namespace {

class Flat : public VectorPeer {
 public:
  std::string name() const override { return "faiss IndexFlatL2 (brute force)"; }
  void build(const std::vector<float>& numbers, std::size_t dimensions) override {
    index_ = std::make_unique<faiss::IndexFlatL2>(static_cast<faiss::Index::idx_t>(dimensions));
    index_->add(static_cast<faiss::Index::idx_t>(numbers.size() / dimensions), numbers.data());
  }
  std::size_t settings() const override { return 1; }
  std::string use(std::size_t) override { return ""; }
  void find(const float* query, std::size_t k, std::vector<std::int64_t>& rows) override {
    rows.resize(k);
    distances_.resize(k);
    index_->search(1, query, static_cast<faiss::Index::idx_t>(k), distances_.data(), rows.data());
  }

 private:
  std::unique_ptr<faiss::IndexFlatL2> index_;
  std::vector<float> distances_;
};

// Hyperplane bits, scanned, then the best k·factor ranked again by their true distance: the documented way to a usable recall.
class Lsh : public VectorPeer {
 public:
  std::string name() const override { return "faiss IndexLSH, refined"; }
  void build(const std::vector<float>& numbers, std::size_t dimensions) override {
    const auto count = static_cast<faiss::Index::idx_t>(numbers.size() / dimensions);
    const auto d = static_cast<faiss::Index::idx_t>(dimensions);
    lsh_ = std::make_unique<faiss::IndexLSH>(d, kBits, true, true);
    lsh_->train(count, numbers.data());
    refined_ = std::make_unique<faiss::IndexRefineFlat>(lsh_.get());
    refined_->add(count, numbers.data());
  }
  std::size_t settings() const override { return 8; }
  std::string use(std::size_t setting) override {
    refined_->k_factor = static_cast<float>(std::size_t{4} << setting);
    return std::to_string(kBits) + " bits, best " + std::to_string(10 * (std::size_t{4} << setting)) + " refined";
  }
  void find(const float* query, std::size_t k, std::vector<std::int64_t>& rows) override {
    rows.resize(k);
    distances_.resize(k);
    refined_->search(1, query, static_cast<faiss::Index::idx_t>(k), distances_.data(), rows.data());
  }

 private:
  static constexpr int kBits = 512;
  std::unique_ptr<faiss::IndexLSH> lsh_;
  std::unique_ptr<faiss::IndexRefineFlat> refined_;
  std::vector<float> distances_;
};

class Hnsw : public VectorPeer {
 public:
  explicit Hnsw(int links) : links_(links) {}
  std::string name() const override { return "faiss IndexHNSWFlat, M " + std::to_string(links_); }
  void build(const std::vector<float>& numbers, std::size_t dimensions) override {
    index_ = std::make_unique<faiss::IndexHNSWFlat>(static_cast<int>(dimensions), links_);
    index_->hnsw.efConstruction = 100;
    index_->add(static_cast<faiss::Index::idx_t>(numbers.size() / dimensions), numbers.data());
  }
  std::size_t settings() const override { return std::size(kWidths); }
  std::string use(std::size_t setting) override {
    index_->hnsw.efSearch = kWidths[setting];
    return "efSearch " + std::to_string(kWidths[setting]);
  }
  void find(const float* query, std::size_t k, std::vector<std::int64_t>& rows) override {
    rows.resize(k);
    distances_.resize(k);
    index_->search(1, query, static_cast<faiss::Index::idx_t>(k), distances_.data(), rows.data());
  }

 private:
  static constexpr int kWidths[] = {5, 7, 10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100, 140, 200, 400, 800};
  int links_;
  std::unique_ptr<faiss::IndexHNSWFlat> index_;
  std::vector<float> distances_;
};

template <typename Index>
void range_search(const Index& index, const std::uint8_t* query, std::uint32_t radius, std::vector<std::int64_t>& rows) {
  faiss::RangeSearchResult result(1);
  index.range_search(1, query, static_cast<int>(radius) + 1, &result);  // faiss wants strictly less
  rows.assign(result.labels, result.labels + result.lims[1]);
}

// What the indexes of bits have in common; `flips` says that neighbouring buckets can be looked into.
template <typename Index, bool flips>
class Bits : public BitPeer {
 public:
  using Make = std::unique_ptr<Index> (*)(int bits);
  Bits(const char* name, Make make) : name_(name), make_(make) {}
  std::string name() const override { return name_; }
  void build(const std::vector<std::uint8_t>& codes, std::size_t bits) override {
    index_ = make_(static_cast<int>(bits));
    index_->add(static_cast<faiss::Index::idx_t>(codes.size() * 8 / bits), codes.data());
  }
  std::size_t settings() const override { return flips ? 5 : 1; }
  std::string use(std::size_t setting) override {
    if constexpr (flips) {
      index_->nflip = static_cast<int>(setting);
      return std::to_string(setting) + " flips";
    }
    return "";
  }
  void find(const std::uint8_t* query, std::uint32_t radius, std::vector<std::int64_t>& rows) override {
    range_search(*index_, query, radius, rows);
  }

 private:
  const char* name_;
  Make make_;
  std::unique_ptr<Index> index_;
};

}  // namespace

std::vector<std::unique_ptr<VectorPeer>> vector_peers() {
  omp_set_num_threads(1);
  std::vector<std::unique_ptr<VectorPeer>> peers;
  peers.push_back(std::make_unique<Flat>());
  peers.push_back(std::make_unique<Lsh>());
  for (const int links : {8, 16, 32}) peers.push_back(std::make_unique<Hnsw>(links));
  return peers;
}

std::vector<std::unique_ptr<BitPeer>> bit_peers() {
  omp_set_num_threads(1);
  std::vector<std::unique_ptr<BitPeer>> peers;
  peers.push_back(std::make_unique<Bits<faiss::IndexBinaryFlat, false>>(
      "faiss IndexBinaryFlat (scan)", [](int bits) { return std::make_unique<faiss::IndexBinaryFlat>(bits); }));
  peers.push_back(std::make_unique<Bits<faiss::IndexBinaryHash, true>>(
      "faiss IndexBinaryHash, 24 bits", [](int bits) { return std::make_unique<faiss::IndexBinaryHash>(bits, 24); }));
  peers.push_back(std::make_unique<Bits<faiss::IndexBinaryMultiHash, true>>(
      "faiss IndexBinaryMultiHash, 10 tables of 25 bits",
      [](int bits) { return std::make_unique<faiss::IndexBinaryMultiHash>(bits, 10, 25); }));
  return peers;
}

std::string peer_version() {
  return "faiss " + std::to_string(FAISS_VERSION_MAJOR) + "." + std::to_string(FAISS_VERSION_MINOR) + "." +
         std::to_string(FAISS_VERSION_PATCH);
}
#else
std::vector<std::unique_ptr<VectorPeer>> vector_peers() { return {}; }
std::vector<std::unique_ptr<BitPeer>> bit_peers() { return {}; }
std::string peer_version() { return "faiss is not installed"; }
#endif

}  // namespace nearkin::bench
