// Compression of what is written.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace nearkin {

class Encoder {
 public:
  virtual ~Encoder() = default;
  /// Hands what is ready to `put`; `last`: nothing follows, so everything.
  virtual void encode(std::string_view bytes, bool last, const std::function<void(std::string_view)>& put) = 0;
};
std::unique_ptr<Encoder> make_gzip_encoder();  ///< level 6
std::unique_ptr<Encoder> make_zstd_encoder();  ///< level 3, with a checksum

}  // namespace nearkin
