#include <algorithm>
#include <iterator>
#include <string_view>

#include <nearkin/tools/compare.h>
#include <nearkin/tools/report.h>

#include "report/html.h"
#include "report/sections.h"
#include "report/text.h"
#include "report/words.h"

namespace nearkin::page {
namespace {

std::string side(const std::string& id, const MarkedText& text, bool code) {
  std::string out = paragraph(named(id_text(id)), " class=\"id\"");
  if (text.text.empty()) {
    out += paragraph("No text.", " class=\"soft\"");
  } else {
    const std::string label = " role=\"region\" tabindex=\"0\" dir=\"auto\" aria-label=\"Text of " + escape(id_text(id)) + '"';
    out += element_of("div", marked(text), (code ? " class=\"text code\"" : " class=\"text\"") + label) + '\n';
  }
  if (text.left_out > 0)
    out += paragraph(whole_text(text.left_out) + (text.left_out == 1 ? " more byte is" : " more bytes are") + " not shown.",
                     " class=\"soft\"");
  if (text.normalised) out += paragraph("This is the normalised text, not the original.", " class=\"soft\"");
  const std::string left_out = text.left_out > 0 ? " data-more=\"" + std::to_string(text.left_out) + '"' : "";
  return "<div class=\"side\"" + left_out + (text.normalised ? " data-normalised" : "") + ">\n" + out + "</div>\n";
}

constexpr std::size_t kMostUnscripted = 40;            // pairs that a page without a script shows
constexpr std::size_t kMostBytesUnscripted = 500'000;  // of their texts, but for the first pair: the script has them a second time

bool has_texts(const Report& report) {
  return std::any_of(report.pairs.begin(), report.pairs.end(),
                     [](const ShownPair& pair) { return !pair.texts.a.text.empty() || !pair.texts.b.text.empty(); });
}

bool has_parts(const Report& report, const Comparison& pair) {
  return pair.total > 0 && measure_of(report) != Measure::exact && (!report.plan || report.plan->kind == Kind::shingles);
}

std::uint64_t only(std::uint64_t size, std::uint64_t shared) { return size > shared ? size - shared : 0; }

/// Only in a, in both, only in b: as long as they are many.
std::string parts_picture(const Comparison& pair) {
  const std::uint64_t a = only(pair.a_size, pair.shared), b = only(pair.b_size, pair.shared), all = a + pair.shared + b;
  if (all == 0) return "";
  const auto share = [all](std::uint64_t part) { return 100 * static_cast<double>(part) / static_cast<double>(all); };
  const auto piece = [](std::string_view kind, double from, double width) {
    return "<rect class=\"" + std::string(kind) + "\" x=\"" + coordinate(from) + "%\" width=\"" + coordinate(width) +
           "%\" height=\"100%\"/>";
  };
  return "<svg class=\"venn\" aria-hidden=\"true\">" + piece("one", 0, share(a)) + piece("both", share(a), share(pair.shared)) +
         piece("one", share(a) + share(pair.shared), share(b)) + "</svg>\n";
}

/// "115 / 142 = 0.809859"
std::string fraction_words(const Report& report, const Comparison& pair) {
  const Measure measure = measure_of(report);
  const std::string value = value_text(pair, measure);
  if (is_distance(measure) || measure == Measure::exact || !has_parts(report, pair)) return value;
  return whole_text(pair.shared) + " / " + whole_text(pair.total) + " = " + value;
}

std::string passages_of(const Comparison& pair) {
  if (pair.passages.empty()) return "";
  std::string list;
  for (const std::string& passage : pair.passages) list += element_of("li", escape_lines(passage), " dir=\"auto\"") + '\n';
  return fold("The longest shared passages", element_of("ol", '\n' + list));
}

std::string pair_body(const Report& report, const ShownPair& pair) {
  const std::string picture =
      has_parts(report, pair.comparison) && !shows_hits(report) && !shows_lengths(report) ? parts_picture(pair.comparison) : "";
  return picture + terms_of(parts_of(report, pair), "parts") + side_by_side(pair, is_code(report)) + passages_of(pair.comparison);
}

std::string pair_of(const Report& report, const ShownPair& pair) {
  const std::string words =
      shows_lengths(report) ? counted(pair.comparison.shared, "token") : value_text(pair.comparison, measure_of(report));
  const std::string value = element_of("span", escape(words), " class=\"value\"");
  const std::string names =
      element_of("span", named(id_text(pair.a)) + " <span class=\"soft\">and</span> " + named(id_text(pair.b)), " class=\"names\"");
  return fold(value + ' ' + names, pair_body(report, pair), " class=\"pair\"");
}

/// The reasons for listing, in the order in which they first occur.
std::vector<std::string> reasons_of(const std::vector<ShownPair>& pairs) {
  std::vector<std::string> out;
  for (const ShownPair& pair : pairs) {
    if (std::find(out.begin(), out.end(), pair.why) == out.end()) out.push_back(pair.why);
  }
  return out;
}

std::vector<ShownPair> unscripted_pairs(const Report& report) {
  std::vector<ShownPair> out;
  std::size_t bytes = 0;
  for (const ShownPair& pair : report.pairs) {
    bytes += pair.texts.a.text.size() + pair.texts.b.text.size();
    if (!out.empty() && (out.size() == kMostUnscripted || bytes > kMostBytesUnscripted)) break;
    out.push_back(pair);
  }
  return out;
}

/// For browsers that run no script: the script puts its list in the place of it.
std::string groups_of(const Report& report) {
  const std::vector<ShownPair> pairs = unscripted_pairs(report);
  std::string out;
  for (const std::string& why : reasons_of(pairs)) {
    std::string group = element_of("h3", why.empty() ? "Pairs" : escape(capital(why))) + '\n';
    for (const ShownPair& pair : pairs) {
      if (pair.why == why) group += pair_of(report, pair);
    }
    out += "<div class=\"group\">\n" + group + "</div>\n";
  }
  return "<div id=\"plain-pairs\">\n" + out + "</div>\n";
}

/// How near a search came that found nothing.
std::string nothing_section(const Report& report) {
  if (!is_listed(report) || !report.stats || !report.plan || report.stats->pairs > 0) return "";
  const Plan& plan = *report.plan;
  if (plan.measure == Measure::exact) return paragraph("No two items are equal.");
  std::string words = "No pair " + goal_text(plan) + " was found";
  if (report.stats->closest_below > 0) words += "; the closest candidate had " + value_text(report.stats->closest_below, plan.measure);
  words += is_distance(plan.measure) ? ". A wider --radius may find some." : ". A lower --threshold may find some.";
  return paragraph(escape(words), " class=\"lead\"");
}

}  // namespace

bool is_listed(const Report& report) {
  if (!report.pairs.empty()) return report.command != "compare";
  constexpr std::string_view kSearches[] = {"pairs", "cluster", "dedup", "decontaminate", "passages"};
  return std::find(std::begin(kSearches), std::end(kSearches), report.command) != std::end(kSearches);
}

bool takes_decisions(const Report& report) { return report.command == "pairs" || report.command == "cluster" || report.command == "dedup"; }

bool shows_hits(const Report& report) { return report.command == "decontaminate"; }
bool shows_lengths(const Report& report) { return report.command == "passages"; }

bool is_code(const Report& report) {
  return report.plan && (report.plan->shingle.token == Token::code || report.plan->shingle.token == Token::line);
}

Terms parts_of(const Report& report, const ShownPair& shown) {
  const Comparison& pair = shown.comparison;
  if (shows_hits(report))
    return {{"N-grams of the item (words if it is short) found in this place", whole_text(pair.shared) + " of " + whole_text(pair.total)}};
  if (shows_lengths(report))
    return {{"Equal tokens (words, unless --shingle says otherwise)", whole_text(pair.shared) + " of " + whole_text(pair.total)}};
  const std::string part = report.plan ? part_name(*report.plan) : "shingle";
  Terms terms;
  if (has_parts(report, pair)) {
    terms.emplace_back("Only in the first", whole_text(only(pair.a_size, pair.shared)) + " of its " + counted(pair.a_size, part));
    terms.emplace_back("In both", counted(pair.shared, part));
    terms.emplace_back("Only in the second", whole_text(only(pair.b_size, pair.shared)) + " of its " + counted(pair.b_size, part));
  }
  const bool equality = measure_of(report) == Measure::exact;
  terms.emplace_back(equality ? "Texts" : capital(measure_text(measure_of(report))), fraction_words(report, pair));
  if (!report.plan || report.plan->sketch.hashes == 0) return terms;
  if (pair.estimate > 0) {
    const bool similarity = report.plan->measure == Measure::jaccard || report.plan->measure == Measure::weighted_jaccard;
    terms.emplace_back(similarity ? "Similarity estimated from the sketches" : "Hashes that agree",
                       similarity ? decimals_text(pair.estimate, 3) : percent_text(pair.estimate));
  }
  // Vectors of one direction need not be equal.
  const bool equal = report.plan->measure != Measure::cosine && pair.similarity == (is_distance(report.plan->measure) ? 0 : 1);
  if (report.command != "compare" && equal) {
    terms.emplace_back("Search", "equal items are always found, without being compared");
    return terms;
  }
  const bool compared = verifies(*report.plan);
  terms.emplace_back(std::string("Chance of being ") + (compared ? "compared" : "a candidate") + ", with new random hashes",
                     percent_text(pair.found));
  const std::string candidate = pair.candidate ? "a candidate pair" : "no candidate pair";
  terms.emplace_back("With these hashes",
                     !compared ? candidate
                     : report.command == "compare"
                         ? (pair.candidate ? "a search would compare them (" : "a search would not compare them (") + candidate + ")"
                         : (pair.candidate ? "compared (" : "not compared (") + candidate + ")");
  return terms;
}

std::string marked(const MarkedText& text) {
  const std::string_view whole = text.text;
  std::string out;
  std::size_t at = 0;
  const auto mark = [&](std::size_t begin, std::size_t end, const std::string& attributes) {
    if (begin < at || end <= begin || begin >= whole.size()) return;
    const std::size_t last = std::min(end, whole.size());
    out += escape_lines(whole.substr(at, begin - at)) + element_of("mark", escape_lines(whole.substr(begin, last - begin)), attributes);
    at = last;
  };
  for (const MarkedText::Part& part : text.parts) {
    constexpr std::uint32_t kColours = 8;
    mark(part.begin, part.end,
         " class=\"p" + std::to_string(part.passage % kColours) + "\" data-passage=\"" + std::to_string(part.passage) + '"');
  }
  if (text.parts.empty()) {
    for (const auto& [begin, end] : text.shared) mark(begin, end, "");
  }
  return out + escape_lines(whole.substr(at));
}

std::string side_by_side(const ShownPair& pair, bool code) {
  if (pair.texts.a.text.empty() && pair.texts.b.text.empty()) return "";
  return paragraph("Text that both contain is " + element_of("mark", "marked and underlined") + ".", " class=\"soft\"") +
         "<div class=\"sides\">\n" + side(pair.a, pair.texts.a, code) + side(pair.b, pair.texts.b, code) + "</div>\n";
}

std::string pairs_title(const Report& report) {
  if (report.command == "compare") return "Side by side";
  if (shows_hits(report)) return "Records and items side by side";
  if (shows_lengths(report)) return "Passages side by side";
  return report.clusters.empty() ? "Pairs" : "Pairs and clusters";
}

namespace {

/// Which of the pairs are listed; `whole`: all, but for those of copies.
std::string listed_words(const Report& report, std::size_t listed, bool whole) {
  const std::string many = whole_text(listed), are = listed == 1 ? " is listed here" : " are listed here";
  if (whole) return many + are;
  if (shows_hits(report)) return "the " + many + " with the greatest share of a benchmark item" + are;
  return shows_lengths(report) ? "the " + many + " longest" + are : "a sample of " + many + " is listed here";
}

/// The pairs of the list, and how they are called.
struct Listed {
  std::size_t many;
  std::string one;      ///< "pair", "passage"
  bool chosen = false;  ///< by a rule
  bool whole = false;   ///< all of them, but for pairs of copies
};

Listed listed_in(const Report& report) {
  const std::string one = shows_hits(report)      ? "place"
                          : shows_lengths(report) ? "passage"
                          : report.plan           ? found_name(*report.plan)
                                                  : "pair";
  return {.many = std::max(report.listed.size(), report.pairs.size()),
          .one = one,
          .chosen = report.stats && report.stats->listed,
          .whole = !report.listed.empty() && !report.sampled};
}

std::string counts_of(const Report& report, const Listed& listed) {
  std::string out = counted(std::max<std::uint64_t>(listed.many, report.pairs_in_all), listed.one);
  out += report.decisions ? ", with a person\u2019s decisions followed" : listed.chosen ? " chosen" : " found";
  if (listed.many < report.pairs_in_all) out += "; " + listed_words(report, listed.many, listed.whole);
  out += '.';
  if (!report.against.empty() && !shows_hits(report) && !shows_lengths(report))
    out += " The first item of a pair is from " + escape(paths_text(report.inputs)) + ", the second from " +
           escape(paths_text(report.against)) + ".";
  return out;
}

/// What is read once: on a phone it comes after the list.
std::string explanation_of(const Report& report, const Listed& listed) {
  std::string out;
  if (listed.many < report.pairs_in_all && listed.whole)
    out += report.against.empty() ? "For a copy (an item equal to an earlier one), only its pair with that earlier item is listed. "
                                  : "Of several equal items in one collection, only the first is listed with its pairs. ";
  if (listed.chosen && *report.stats->listed < report.stats->pairs)
    out += "The run found " + counted(report.stats->pairs, listed.one) + "; --best, --top or --one-to-one chose those that are listed. ";
  if (shows_lengths(report)) out += "A token is a word, unless --shingle says otherwise. ";
  out += shows_hits(report)  ? "Open a place to see the record and the item side by side."
         : has_texts(report) ? "Open a " + listed.one + " to see both texts side by side, and what they share."
                             : "Open a " + listed.one + " to compare the two items.";
  if (report.unit.divides())
    out += " The numbers after an id say where the " + item_name(report) + " begins and ends in its record, in bytes.";
  return out;
}

}  // namespace

std::string pairs_section(const Report& report) {
  if (report.pairs.empty()) return nothing_section(report);
  if (report.command == "compare") return pair_body(report, report.pairs.front());
  const Listed listed = listed_in(report);
  return paragraph(counts_of(report, listed), " class=\"soft counts\"") +
         paragraph(explanation_of(report, listed), " class=\"soft explains\"") + what_if_slider(report) + "<div id=\"list\"></div>\n" +
         groups_of(report);
}

}  // namespace nearkin::page
