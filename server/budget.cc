#include "budget.h"

#include <fmt/format.h>

#include "http.h"

namespace nearkin::server {

void refuse_memory(const Charge& charge, std::size_t more) {
  if (charge.hopeless(more))
    throw Problem(
        413, fmt::format("body: it takes more memory, with its JSON, than the {} bytes of the server's --max-buffered; send less at a time",
                         charge.budget().most()));
  throw Problem(503, "body: other requests use all the memory for requests and answers; try again");
}

void take_for_answer(Charge& charge, std::size_t bytes, const char* way_out) {
  if (charge.grow(bytes)) return;
  if (charge.hopeless(bytes))
    throw Problem(422, fmt::format("answer: to make it takes more memory than the {} bytes of the server's --max-buffered; {}",
                                   charge.budget().most(), way_out));
  throw Problem(503, "answer: other requests use all the memory for requests and answers; try again");
}

}  // namespace nearkin::server
