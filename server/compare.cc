// Two texts side by side, with what they share.
#include <cctype>

#include <fmt/format.h>
#include <nearkin/run.h>
#include <nearkin/tools/compare.h>
#include <nearkin/tools/spelling.h>

#include "decode.h"
#include "ending.h"
#include "handlers.h"
#include "json_out.h"

namespace nearkin::server {
namespace {

/// Only the beginning of longer texts is shown.
constexpr std::size_t kMostShown = 1'000'000;
constexpr std::size_t kPassages = 5;

/// At least as many as the text has shingles.
std::size_t most_shingles(std::string_view text, Token token) {
  if (token == Token::character) return text.size();
  std::size_t count = 0;
  bool in_word = false;
  for (const char byte : text) {
    const unsigned char c = static_cast<unsigned char>(byte);
    const bool goes_on = in_word;
    in_word = std::isalnum(c) != 0 || c == '_';
    count += c > ' ' && !(in_word && goes_on);
  }
  return count;
}

/// Memory that it takes to compare texts: the shingles of both, where these are, and what is shown.
std::size_t bytes_to_compare(std::string_view a, std::string_view b, Token token) {
  constexpr std::size_t kByte = 3, kShingle = 130;
  return kByte * (a.size() + b.size()) + kShingle * (most_shingles(a, token) + most_shingles(b, token));
}

std::string text_of(const Index& index, const Side& side, Charge& charge) {
  if (!side.is_id) return side.value;
  std::optional<StoredItem> item = index.get(side.value);
  if (!item) refuse_absent(side.value);
  if (!item->text)
    throw Problem(409, fmt::format("id: the text of {} is not kept; create the index with --store-texts", shown(side.value)));
  take_for_answer(charge, item->text->size(), "give the server a larger --max-buffered");
  return std::move(*item->text);
}

void end_if_due(Ending& ending) {
  if (ending.is_due()) throw Problem(503, ending.reason());
}

/// The text in parts: what the other one does not have, and what it has, by passages.
class Parts {
 public:
  explicit Parts(const MarkedText& marked) : text_(marked.text) {
    auto part = marked.parts.begin();
    for (const MarkedText::Stretch& stretch : marked.shared) {
      until(stretch.begin, false);
      for (; part != marked.parts.end() && part->begin < stretch.end; ++part) {
        until(part->begin, true);
        until(part->end, true, part->passage);
      }
      until(stretch.end, true);
    }
    until(text_.size(), false);
  }
  std::string json() const {
    return json_array(parts_, [](const std::string& part) -> const std::string& { return part; });
  }

 private:
  void until(std::size_t end, bool shared, std::optional<std::uint32_t> passage = std::nullopt) {
    if (end <= at_) return;
    JsonObject part;
    part.add("text", text_.substr(at_, end - at_)).add("shared", shared);
    if (passage) part.add("passage", *passage);
    parts_.push_back(part.text());
    at_ = end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> parts_;
};

std::string side_json(const Side& side, const MarkedText& marked) {
  JsonObject object;
  if (side.is_id) object.add("id", side.value);
  object.raw("parts", Parts(marked).json()).add("normalised", marked.normalised).add("left_out", marked.left_out);
  return object.text();
}

}  // namespace

Reply compare_items(App& app, Exchange& exchange) {
  const Plan& plan = app.index.plan();
  if (plan.kind != Kind::shingles)
    throw Problem(409, "index: it holds vectors, which have no texts to show side by side; POST /v1/query measures them");
  const SideBySide sides = decode_sides(exchange.request.body, exchange.charge);
  const std::string a = text_of(app.index, sides.a, exchange.charge), b = text_of(app.index, sides.b, exchange.charge);
  take_for_answer(exchange.charge, bytes_to_compare(a, b, plan.shingle.token),
                  "compare shorter texts, or give the server a larger --max-buffered");
  Ending ending(app, exchange, "compare shorter texts");
  end_if_due(ending);
  const Comparison c = compare(a, b, plan, kPassages);
  end_if_due(ending);
  const MarkedPair marked = mark_shared(a, b, plan.shingle, kMostShown);
  end_if_due(ending);
  JsonObject object;
  object.add(is_distance(plan.measure) ? "distance" : "similarity", c.similarity).add("estimate", c.estimate);
  object.add("shared", c.shared).add("total", c.total).add("a_size", c.a_size).add("b_size", c.b_size);
  object.add("found", c.found).add("candidate", c.candidate);
  object.raw("passages", json_array(c.passages, [](const std::string& passage) { return json_string(passage); }));
  object.raw("a", side_json(sides.a, marked.a)).raw("b", side_json(sides.b, marked.b));
  return {.body = object.line()};
}

}  // namespace nearkin::server
