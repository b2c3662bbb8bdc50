// The content of a file in one number, by which a copy of it is known, taken in piece by piece.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace nearkin {

/// XXH3 over all bytes. FROZEN: sketch files carry it.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(ContentHash&&) noexcept;
  ContentHash& operator=(ContentHash&&) noexcept;

  void add(std::string_view bytes);
  /// Of the bytes added so far; never 0, which stands for a content that is not known.
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nearkin
