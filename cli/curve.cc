// nearkin curve: the S-curve of given bands and rows.
#include <fmt/format.h>
#include <nearkin/nearkin.h>

#include "curve_text.h"
#include "errors.h"
#include "flags.h"
#include "options.h"

namespace nearkin::cli {
namespace {

std::vector<double> points(const Typed& typed) {
  std::vector<double> at;
  if (!typed.at) {
    for (int tenth = 1; tenth <= 10; ++tenth) at.push_back(tenth / 10.0);
    return at;
  }
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = typed.at->find(',', begin);
    at.push_back(parse_ratio(typed.at->substr(begin, end - begin), "--at").value());
  }
  return at;
}

std::uint32_t needed(const Typed::Text& text, const char* flag) {
  if (!text) throw UsageError(fmt::format("{}: missing; curve needs --bands and --rows", flag));
  return static_cast<std::uint32_t>(whole(*text, flag, 1, 1'000'000));
}

int run(const Typed& typed) {
  const std::uint32_t bands = needed(typed.bands, "--bands");
  const std::uint32_t rows = needed(typed.rows, "--rows");
  const std::vector<double> at = points(typed);
  const std::string out = typed.json ? curve_json(bands, rows, at) + "\n"
                                     : curve_table(bands, rows, at) + "\n" + curve_points(bands, rows) + "\n" + curve_plot(bands, rows);
  write_text(out, output_of(typed));
  return 0;
}

}  // namespace

const Command kCurveCommand{
    .bit = kCurve,
    .name = "curve",
    .arguments = "",
    .summary = "show the S-curve of given bands and rows",
    .about = "Shows how likely B bands of R rows find a pair, by its similarity: 1 - (1 - s^R)^B, as a table and a plot.",
    .example = "nearkin curve --bands 20 --rows 5 --at 0.3,0.8",
    .run = run,
};

}  // namespace nearkin::cli
