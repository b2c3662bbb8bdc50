// Any line as a plan, and the other texts that options are made of.
#include <nearkin/error.h>
#include <nearkin/plan.h>
#include <nearkin/score.h>
#include <nearkin/tools/names.h>

#include "support.h"

namespace nearkin::fuzz {
namespace {

template <class Parse>
void attempt(Parse parse) {
  try {
    parse();
  } catch (const Error& error) {
    require(error.code() == ErrorCode::plan, "what cannot be parsed is an Error(plan)");
    require(!error.subject().empty() && !error.message().empty(), "an error says what is wrong with what");
  }
}

void round_trip(std::string_view line) {
  const Plan plan = parse_plan(line);
  const std::string printed = to_string(plan);
  bool same = false;
  try {
    const Plan again = parse_plan(printed);
    same = again == plan && to_string(again) == printed;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n%s\n", printed.c_str(), error.what());
  }
  require(same, "a plan's own line parses back to the plan");
}

void round_trip_of_score(std::string_view text) {
  const std::string printed = to_string(parse_score(text));
  require(to_string(parse_score(printed)) == printed, "a score's own spelling parses back to it");
}

}  // namespace
}  // namespace nearkin::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nearkin;
  const std::string_view text = fuzz::bytes_of(data, size);
  fuzz::attempt([&] { fuzz::round_trip(text); });
  fuzz::attempt([&] { fuzz::round_trip_of_score(text); });
  fuzz::attempt([&] { parse_shingle(text); });
  fuzz::attempt([&] { parse_ratio(text, "threshold"); });
  fuzz::attempt([&] { parse_binarise(text); });
  fuzz::attempt([&] { parse_recall_at(text); });
  return 0;
}
