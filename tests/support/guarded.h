// Memory between two pages that may not be touched: a read or write past either end stops the test, with or without a sanitizer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include <sys/mman.h>
#include <unistd.h>

namespace nearkin::test {

class Guarded {
 public:
  /// Room for `bytes` and up to one page more.
  explicit Guarded(std::size_t bytes) : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    inner_ = (bytes + page_ - 1) / page_ * page_ + page_;
    void* const mapped = ::mmap(nullptr, inner_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::runtime_error("mmap failed");
    base_ = static_cast<std::uint8_t*>(mapped);
    if (::mprotect(base_ + page_, inner_, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("mprotect failed");
  }
  ~Guarded() { ::munmap(base_, inner_ + 2 * page_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  /// The first byte that may be touched.
  template <typename T>
  T* front() {
    return reinterpret_cast<T*>(base_ + page_);
  }
  /// `count` values that end where the forbidden page begins.
  template <typename T>
  T* back(std::size_t count) {
    return reinterpret_cast<T*>(base_ + page_ + inner_) - count;
  }

 private:
  std::size_t page_;
  std::size_t inner_;
  std::uint8_t* base_;
};

}  // namespace nearkin::test
