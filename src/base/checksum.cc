#include "base/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace nearkin {

std::uint64_t checksum64(const void* bytes, std::size_t size) { return XXH3_64bits(bytes, size); }

}  // namespace nearkin
