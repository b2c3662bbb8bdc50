#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace nearkin {

std::uint64_t checksum64(const void* bytes, std::size_t size) { return XXH3_64bits(bytes, size); }

struct ContentHash::State {
  XXH3_state_t hash;
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->hash); }
ContentHash::~ContentHash() = default;
ContentHash::ContentHash(ContentHash&&) noexcept = default;
ContentHash& ContentHash::operator=(ContentHash&&) noexcept = default;

void ContentHash::add(std::string_view bytes) { XXH3_64bits_update(&state_->hash, bytes.data(), bytes.size()); }

std::uint64_t ContentHash::value() const {
  const std::uint64_t hash = XXH3_64bits_digest(&state_->hash);
  return hash != 0 ? hash : 1;
}

}  // namespace nearkin
