// Any bytes as two texts, what they share marked in every way. The first byte NUL parts the texts.
#include <algorithm>
#include <string>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/stages.h>
#include <nearkin/tools/compare.h>

#include "base/unicode.h"
#include "support.h"

namespace nearkin::fuzz {
namespace {

std::vector<std::size_t> borders_of(std::string_view text) {
  std::vector<std::size_t> borders{0};
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    next_code_point(p, end);
    borders.push_back(static_cast<std::size_t>(p - text.data()));
  }
  return borders;
}

void check_marked(const MarkedText& marked, std::string_view text, std::size_t most) {
  require(!marked.normalised, "what is shared can be traced back");
  require(text.starts_with(marked.text) && marked.text.size() + marked.left_out == text.size(), "the text is the original's beginning");
  require(marked.text.size() <= most, "no more is kept than was asked for");
  const std::vector<std::size_t> borders = borders_of(text);
  const auto is_border = [&](std::size_t at) { return std::binary_search(borders.begin(), borders.end(), at); };
  require(is_border(marked.text.size()), "the text is cut between characters");
  std::size_t last = 0;
  for (const auto& [begin, end] : marked.shared) {
    require(begin < end && end <= marked.text.size(), "a stretch is part of the text");
    require(begin > last || (last == 0 && begin == 0), "stretches ascend and are apart");
    require(is_border(begin) && is_border(end), "stretches lie between characters");
    last = end;
  }
}

void check(std::string_view a, std::string_view b, const ShinglePlan& plan, std::size_t most) {
  const MarkedPair pair = mark_shared(a, b, plan);
  check_marked(pair.a, a, SIZE_MAX);
  check_marked(pair.b, b, SIZE_MAX);
  require(pair.a.shared.empty() == pair.b.shared.empty(), "what one shares the other shares");
  const MarkedText cut = mark_shared(a, b, plan, most).a;
  check_marked(cut, a, most);
  std::vector<MarkedText::Stretch> clipped;
  for (const auto& [begin, end] : pair.a.shared) {
    if (begin < cut.text.size()) clipped.push_back({begin, std::min(end, cut.text.size())});
  }
  require(cut.shared == clipped, "cutting changes nothing before the cut");
  require(mark_shared(a, a, plan).a.shared.empty() == shingle_spans(a, plan).spans.empty(), "a text shares with itself what it has");
}

}  // namespace
}  // namespace nearkin::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nearkin;
  const std::string_view bytes = fuzz::bytes_of(data, size), a = bytes.substr(0, bytes.find('\0'));
  const std::string_view b = a.size() == size ? a : bytes.substr(a.size() + 1);
  for (const Token unit : {Token::character, Token::word, Token::code, Token::line, Token::element}) {
    for (int value = 0; value <= int(Normalise::code_identifiers_rust); ++value) {
      const auto normalise = static_cast<Normalise>(value);
      const std::uint32_t length = unit == Token::element ? 1 : 1 + static_cast<std::uint32_t>(size % 4);
      fuzz::check(a, b, {.token = unit, .size = length, .bag = size % 2 == 1, .normalise = normalise}, a.size() * (size % 5) / 4);
    }
  }
  return 0;
}
