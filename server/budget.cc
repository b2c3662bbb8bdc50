#include "budget.h"

#include <fmt/format.h>

#include "http.h"

namespace nearkin::server {

void refuse_memory(const Charge& charge, std::size_t more) {
  if (charge.hopeless(more))
    throw Problem(
        413, fmt::format("body: its JSON takes more than the {} bytes allowed for requests; send less at a time", charge.held() + more));
  throw Problem(503, "body: other requests use all the memory for requests and answers; try again");
}

void take_for_answer(Charge& charge, std::size_t bytes, const char* way_out) {
  if (charge.grow(bytes)) return;
  if (charge.hopeless(bytes))
    throw Problem(422, fmt::format("answer: it takes more than the {} bytes allowed for answers; {}", charge.budget().most(), way_out));
  throw Problem(503, "answer: other requests use all the memory for requests and answers; try again");
}

}  // namespace nearkin::server
