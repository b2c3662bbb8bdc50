#include "base/units.h"

#include <charconv>

#include "base/blanks.h"
#include "base/sentences.h"
#include "base/words.h"

namespace nearkin {
namespace {

class Spans {
 public:
  /// `from`: the place of the text in the one that the spans are of.
  Spans(std::string_view text, std::size_t from, std::uint32_t least, std::vector<Span>& spans)
      : text_(text), from_(from), least_(least), spans_(spans) {}

  void add(std::size_t begin, std::size_t end) {
    begin = behind_blanks(text_.substr(0, end), begin);
    end = begin + before_blanks(text_.substr(begin, end - begin));
    if (begin < end && has_words(text_.substr(begin, end - begin))) spans_.push_back({from_ + begin, from_ + end});
  }

 private:
  bool has_words(std::string_view part) const { return least_ == 0 || count_words(part) >= least_; }

  std::string_view text_;
  std::size_t from_;
  std::uint32_t least_;
  std::vector<Span>& spans_;
};

bool is_blank_line(std::string_view line) { return behind_blanks(line, 0) == line.size(); }

void find_lines(std::string_view text, Spans& spans) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_line(text, at);
    spans.add(at, end);
    at = next_line(text, end);
  }
}

void find_paragraphs(std::string_view text, Spans& spans) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_line(text, at);
    if (is_blank_line(text.substr(at, end - at))) {
      spans.add(begin, at);
      begin = end;
    }
    at = next_line(text, end);
  }
  if (begin < text.size()) spans.add(begin, text.size());
}

void find_windows(std::string_view text, const Unit& unit, Spans& spans) {
  std::vector<Span> words;
  for_each_word(text, false, [&](const char* begin, const char* end) {
    words.push_back({static_cast<std::uint64_t>(begin - text.data()), static_cast<std::uint64_t>(end - text.data())});
  });
  for (std::size_t first = 0; first < words.size(); first += unit.step) {
    const std::size_t behind = std::min<std::size_t>(first + unit.words, words.size());
    spans.add(words[first].begin, words[behind - 1].end);
    if (behind == words.size()) return;
  }
}

void add_units(std::string_view text, std::size_t from, const Unit& unit, std::vector<Span>& spans) {
  Spans found(text, from, unit.least, spans);
  switch (unit.kind) {
    case Unit::Kind::document: found.add(0, text.size()); break;
    case Unit::Kind::paragraph: find_paragraphs(text, found); break;
    case Unit::Kind::line: find_lines(text, found); break;
    case Unit::Kind::sentence: for_each_sentence(text, [&](std::size_t begin, std::size_t end) { found.add(begin, end); }); break;
    case Unit::Kind::window: find_windows(text, unit, found); break;
  }
}

}  // namespace

void find_units(std::string_view text, const Unit& unit, std::vector<Span>& spans, std::span<const std::size_t> fields) {
  spans.clear();
  std::size_t from = 0;
  for (const std::size_t end : fields) {
    add_units(text.substr(from, end - from), from, unit, spans);
    from = end + 1;
  }
  if (fields.empty()) add_units(text, 0, unit, spans);
  if (spans.empty()) spans.push_back({});
}

void name_unit(std::string_view owner, const Span& span, std::string& out) {
  char number[24];
  const auto append = [&](std::uint64_t value) { out.append(number, std::to_chars(number, number + sizeof number, value).ptr); };
  out.assign(owner);
  out += ':';
  append(span.begin);
  out += '-';
  append(span.end);
}

std::string_view owner_of(std::string_view id) { return id.substr(0, id.rfind(':')); }

bool is_unit_of(std::string_view id, std::string_view owner) {
  if (id.size() <= owner.size() || !id.starts_with(owner) || id[owner.size()] != ':') return false;
  std::string name;
  name_unit(owner, span_of(id), name);
  return name == id;
}

Span span_of(std::string_view id) {
  Span span;
  const char* const end = id.data() + id.size();
  const char* const middle = std::from_chars(id.data() + id.rfind(':') + 1, end, span.begin).ptr;
  if (middle < end) std::from_chars(middle + 1, end, span.end);
  return span;
}

}  // namespace nearkin
