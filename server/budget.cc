#include "budget.h"

#include <fmt/format.h>

#include "http.h"

namespace nearkin::server {

void refuse_memory(const Charge& charge, std::size_t more) {
  if (charge.hopeless(more))
    throw Problem(
        413, fmt::format("body: its JSON takes more than the {} bytes there are for requests; send less at a time", charge.held() + more));
  throw Problem(503, "body: other requests hold the memory there is for bodies; try again", {{"Retry-After", "1"}});
}

}  // namespace nearkin::server
