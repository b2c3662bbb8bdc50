// An explanation in words and tables.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <nearkin/tools/compare.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/theory.h>

#include "explanation.h"
#include "layout.h"
#include "safe_text.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

constexpr std::size_t kShingleCharacters = 40;

std::string letter(std::size_t item) { return item == 0 ? "a" : "b"; }

std::string shown_shingle(const Explanation& e, const ExplainedShingle& shingle) {
  const std::string text = safe_text(e.text_of(shingle), kShingleCharacters);
  return shingle.earlier == 0 ? text : fmt::format("{} (number {})", text, shingle.earlier + 1);
}

std::string normalise_words(Normalise normalise) {
  if (normalise == Normalise::none) return "The text is taken as it is (--normalise none).";
  std::string words = fmt::format("The text is normalised (--normalise {}): ", name(normalise));
  if (normalise == Normalise::text) {
    return words +
           "upper and lower case become the same, and so do the several ways to write one letter; the amount of white space between words "
           "makes no difference.";
  }
  if (normalise >= Normalise::code_no_comments) words += "comments are dropped; ";
  if (normalise >= Normalise::code_identifiers) {
    words += "every identifier becomes I, every number 0, every string S, every character C and every regular expression R; ";
  }
  return words + "the amount of white space between words makes no difference; case counts.";
}

std::string text_step(const Explanation& e, const ExplainLimits& limits) {
  std::vector<Cells> rows;
  for (std::size_t i = 0; i < e.items.size(); ++i) {
    const ExplainedItem& item = e.items[i];
    const bool same = item.text == item.spans.normalised;
    const std::string who = e.two() ? letter(i) + " " : "";
    rows.push_back({who + "as read", safe_text(item.text, limits.characters)});
    rows.push_back({who + "normalised", same ? "the same" : safe_text(item.spans.normalised, limits.characters)});
  }
  return heading(1, "Text") + paragraph(normalise_words(e.plan.shingle.normalise)) + "\n" + table(rows);
}

std::string unit_words(const ShinglePlan& shingle) {
  const auto tokens = [&](const char* one, const char* many, const char* what) {
    const std::string every = shingle.size == 1 ? fmt::format("Every {} is a shingle", one)
                                                : fmt::format("Every {} {} in a row form a shingle", shingle.size, many);
    const std::string shorter = shingle.size == 1 ? "." : "; a text with fewer is one shingle as a whole.";
    return fmt::format("{} (--shingle {}){}{}", every, shingle_name(shingle), shorter, what);
  };
  switch (shingle.token) {
    case Token::character: return tokens("character", "characters", "");
    case Token::word: return tokens("word", "words", " Everything between words is ignored.");
    case Token::code: return tokens("token", "tokens", " A token is a name, a number, or any other visible character.");
    case Token::line: return tokens("line", "lines", " Empty lines do not count.");
    case Token::element: return tokens("element", "elements", " Elements are separated by blanks.");
  }
  return {};
}

std::string size_line(const Explanation& e, std::size_t i) {
  const ExplainedItem& item = e.items[i];
  const std::string who = e.two() ? letter(i) + " has" : "It has";
  if (item.size == 0 && item.ignored > 0) return who + " only shingles that are ignored: it is EMPTY, and similar to nothing.";
  if (item.size == 0) return who + " no shingle: it is EMPTY, and similar to nothing.";
  const std::size_t all = item.spans.spans.size() - item.ignored;
  const std::string rest =
      item.ignored == 0 ? "." : fmt::format("; {} more {} ignored.", counted(item.ignored), item.ignored == 1 ? "is" : "are");
  if (e.plan.shingle.bag || all == item.size) return fmt::format("{} {}{}", who, counted(all, "shingle"), rest);
  return fmt::format("{} {}, {} of them different{}", who, counted(all, "shingle"), counted(item.size), rest);
}

std::string shared_words(const Explanation& e) {
  const auto in_both = [](const ExplainedShingle& shingle) { return shingle.times[0] > 0 && shingle.times[1] > 0; };
  const auto both = std::count_if(e.shingles.begin(), e.shingles.end(), in_both);
  const std::string shared = both == 0 ? "None is" : both == 1 ? "1 is" : counted(static_cast<std::uint64_t>(both)) + " are";
  return fmt::format("{} in both, of {} in all.", shared, counted(e.shingles.size()));
}

std::string shingle_step(const Explanation& e, const ExplainLimits& limits) {
  std::string out = heading(2, "Shingles") +
                    paragraph(unit_words(e.plan.shingle) +
                              (e.plan.shingle.bag ? " An item is the bag of its shingles: one that occurs again counts as another shingle."
                                                  : " An item is the set of its shingles: how often one occurs does not count."));
  std::string sizes = size_line(e, 0);
  if (e.two()) sizes += " " + size_line(e, 1) + " " + shared_words(e);
  out += paragraph(sizes);
  if (e.shingles.empty()) return out;
  std::vector<Cells> rows{e.two() ? Cells{"no.", "in a", "in b", "shingle"} : Cells{"no.", "times", "shingle"}};
  for (std::size_t i = 0; i < std::min(limits.rows, e.shingles.size()); ++i) {
    const ExplainedShingle& shingle = e.shingles[i];
    Cells cells{fmt::format("{}", i + 1), counted(shingle.times[0])};
    if (e.two()) cells.push_back(counted(shingle.times[1]));
    cells.push_back(shown_shingle(e, shingle));
    rows.push_back(std::move(cells));
  }
  return out + "\n" + table(rows) + left_out(e.shingles.size(), limits.rows);
}

std::string hash_step(const Explanation& e, const ExplainLimits& limits) {
  std::string out = heading(3, "Hashed shingles") +
                    paragraph(
                        "Each shingle is hashed to a number of 64 bits, and from here on only the numbers count. Equal shingles have "
                        "equal numbers; two different ones agree by chance once in 2^64.");
  if (e.shingles.empty()) return out;
  std::vector<Cells> rows{{"no.", "hash", "shingle"}};
  for (std::size_t i = 0; i < std::min(limits.rows, e.shingles.size()); ++i) {
    rows.push_back({fmt::format("{}", i + 1), fmt::format("{:016x}", e.shingles[i].feature), shown_shingle(e, e.shingles[i])});
  }
  return out + "\n" + table(rows) + left_out(e.shingles.size(), limits.rows);
}

bool thrown_again(const ExplainedItem& item) {
  return std::any_of(item.origins.begin(), item.origins.end(), [](const SlotOrigin& origin) { return origin.round.value_or(0) > 0; });
}

std::string sketch_words(const Explanation& e) {
  const Plan& plan = e.plan;
  const bool is_again = std::any_of(e.items.begin(), e.items.end(), thrown_again);
  const char* const again = is_again ? " For slots that are still empty all shingles are thrown again." : "";
  return fmt::format(
      "{} of 32 bits now represent the item, instead of the whole set. With the seed, {}, each hash gives a slot and a value: the shingle "
      "is thrown into that slot, and each slot keeps the least value thrown into it.{} A slot into which no shingle fell has a hash "
      "function of its own, and takes the least value over all shingles. Either way, the least is equally likely to be any shingle of the "
      "two items together. So a slot agrees in both with a probability that is exactly their similarity.",
      counted(plan.sketch.hashes, "slot"), plan.sketch.seed, again);
}

/// The value of a slot and the shingle it comes from.
void add_slot(const Explanation& e, const ExplainedItem& item, std::size_t slot, Cells& cells) {
  if (item.slots.empty()) {
    cells.insert(cells.end(), {"EMPTY", ""});
    return;
  }
  const SlotOrigin& origin = item.origins[slot];
  const std::size_t place = e.places.at(origin.element);
  const std::string how = !origin.round        ? "least of all"
                          : *origin.round == 0 ? "thrown"
                                               : fmt::format("thrown, time {}", *origin.round + 1);
  cells.push_back(fmt::format("{:08x}", item.slots[slot]));
  cells.push_back(fmt::format("from {}, {}", place + 1, how));
}

std::string sketch_step(const Explanation& e, const ExplainLimits& limits) {
  std::string out = heading(4, "Sketch");
  if (!e.sketched()) {
    return out +
           paragraph(e.plan.measure == Measure::containment
                         ? "Containment is joined exactly: every pair that can reach the threshold is compared, and no sketch is needed."
                         : "The plan has recall 1: every pair that can reach the threshold is compared exactly, and no sketch is "
                           "needed. Leave out --recall 1 to see one.");
  }
  out += paragraph(sketch_words(e));
  if (e.shingles.empty()) return out;
  const std::size_t slots = e.plan.sketch.hashes;
  std::vector<Cells> rows{{"slot", e.two() ? "a" : "value", "shingle"}};
  if (e.two()) rows[0].insert(rows[0].end(), {"b", "shingle"});
  for (std::size_t slot = 0; slot < std::min(limits.rows, slots); ++slot) {
    Cells cells{fmt::format("{}", slot + 1)};
    for (const ExplainedItem& item : e.items) add_slot(e, item, slot, cells);
    if (e.slots_compare()) cells.emplace_back(e.same_slot(slot) ? "the same" : "");
    rows.push_back(std::move(cells));
  }
  out += "\n" + table(rows) + left_out(slots, limits.rows);
  if (e.slots_compare()) out += fmt::format("\n{}The same: {} of {}.\n", kIndent, counted(e.equal_slots()), counted(slots, "slot"));
  return out;
}

std::string band_words(const Plan& plan) {
  const std::uint32_t over = plan.sketch.hashes - plan.band.bands * plan.band.rows;
  const std::string rest = over == 0 ? "" : fmt::format(" The last {} in no band.", over == 1 ? "slot is" : counted(over) + " slots are");
  return fmt::format(
      "The sketch is cut into {} of {}.{} The rows of a band are hashed to one number, the bucket. Two items that agree in all "
      "rows of a band are in the same bucket there.",
      counted(plan.band.bands, "band"), counted(plan.band.rows, "row"), rest);
}

std::string rows_that_agree(const Explanation& e, std::size_t band) {
  std::size_t equal = 0;
  for (std::size_t row = 0; row < e.plan.band.rows; ++row) equal += e.same_slot(band * e.plan.band.rows + row);
  return e.same_bucket(band) ? "the same bucket" : fmt::format("{} of {} agree", equal, counted(e.plan.band.rows, "row"));
}

std::string band_step(const Explanation& e, const ExplainLimits& limits) {
  if (!e.sketched()) return {};
  std::string out = heading(5, "Bands");
  out += paragraph(band_words(e.plan));
  if (e.shingles.empty()) return out;
  std::vector<Cells> rows{{"band", "slots", e.two() ? "bucket of a" : "bucket"}};
  if (e.two()) rows[0].push_back("bucket of b");
  const std::size_t height = e.plan.band.rows;
  for (std::size_t band = 0; band < std::min<std::size_t>(limits.rows, e.plan.band.bands); ++band) {
    const std::size_t first = band * height + 1, last = (band + 1) * height;
    Cells cells{fmt::format("{}", band + 1), first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last)};
    for (const ExplainedItem& item : e.items) cells.push_back(item.buckets.empty() ? "EMPTY" : fmt::format("{:08x}", item.buckets[band]));
    if (e.buckets_compare()) cells.push_back(rows_that_agree(e, band));
    rows.push_back(std::move(cells));
  }
  return out + "\n" + table(rows) + left_out(e.plan.band.bands, limits.rows);
}

/// "2", "2 and 4", "1, 2, 3 and 9 more"
std::string shared_bands(const Explanation& e) {
  constexpr std::size_t kNamed = 5;
  std::vector<std::size_t> bands;
  for (std::size_t band = 0; e.buckets_compare() && band < e.plan.band.bands; ++band) {
    if (e.same_bucket(band)) bands.push_back(band + 1);
  }
  std::string out;
  const std::size_t named = std::min(kNamed, bands.size());
  for (std::size_t i = 0; i < named; ++i) {
    const bool last = i + 1 == bands.size();
    out += (i == 0 ? "" : last ? " and " : ", ") + fmt::format("{}", bands[i]);
  }
  return out + (bands.size() > named ? fmt::format(" and {} more", bands.size() - named) : "");
}

std::string chance_formula(const Plan& plan) { return fmt::format("1 − (1 − s^{})^{}", plan.band.rows, plan.band.bands); }

std::string chances_by_similarity(const Plan& plan) {
  std::vector<Cells> rows{{"s", "chance"}};
  for (const double s : {0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}) {
    rows.push_back({fmt::format("{}", s), fmt::format("{:.4f}", found_probability(plan, s))});
  }
  return table(rows);
}

std::string candidates_of_two(const Explanation& e) {
  const Comparison& c = *e.comparison;
  if (!e.buckets_compare()) return paragraph("An EMPTY item is in no bucket, and never a candidate.");
  const std::string bands = shared_bands(e);
  const std::string so = bands.empty() ? "These share none: a run with this plan would not look at them."
                                       : fmt::format("These are: they share the bucket of band {}.", bands);
  const std::string chances = fmt::format(
      "What were the chances? At similarity s = {:.4f} all rows of a band agree with probability s^{} = {:.4f}, and in at least one of {} "
      "with "
      "{} = {:.4f}. At the threshold, {}, that is {:.4f}.",
      c.similarity, e.plan.band.rows, std::pow(c.similarity, e.plan.band.rows), counted(e.plan.band.bands, "band"), chance_formula(e.plan),
      c.found, to_string(e.plan.threshold), found_probability(e.plan, e.plan.threshold.value()));
  return paragraph("Two items that share a bucket in at least one band are candidates, and will be compared. " + so) + paragraph(chances);
}

std::string candidate_step(const Explanation& e) {
  if (!e.sketched()) return {};
  std::string out = heading(6, "Candidates");
  if (e.two()) return out + candidates_of_two(e);
  out +=
      paragraph(fmt::format("Items that share a bucket with it in at least one band are candidates, and will be compared. For an item of "
                            "similarity s the chance of that is {}:",
                            chance_formula(e.plan)));
  return out + "\n" + chances_by_similarity(e.plan);
}

/// Two sets, by their counts.
struct Counts {
  std::uint64_t shared, all;
  double share() const { return all == 0 ? 0 : static_cast<double>(shared) / static_cast<double>(all); }
  std::string text() const { return similarity_text({0, 1, static_cast<std::uint32_t>(shared), static_cast<std::uint32_t>(all)}); }
};

std::string estimate_words(const Explanation& e, const Counts& jaccard) {
  const double s = jaccard.share(), slots = e.plan.sketch.hashes, error = std::sqrt(s * (1 - s) / slots);
  const double estimate = static_cast<double>(e.equal_slots()) / slots;
  std::string out = fmt::format(
      "From {} at s = {:.4f}, estimates spread around the truth by √(s·(1 − s)/{}) = {:.4f}, the standard "
      "error.",
      counted(e.plan.sketch.hashes, "slot"), s, e.plan.sketch.hashes, error);
  if (error > 0) out += fmt::format(" This one is {:.1f} standard errors off.", std::abs(estimate - s) / error);
  return paragraph(out);
}

std::string verdict(const Explanation& e) {
  const Comparison& c = *e.comparison;
  const bool reached = c.total > 0 && c.shared * e.plan.threshold.denominator >= e.plan.threshold.numerator * c.total;
  const char* const so = !reached        ? "the pair is not reported"
                         : !e.sketched() ? "the pair is reported"
                         : c.candidate   ? "the pair is reported"
                                         : "the pair should be reported, and is missed with this seed";
  const char* const reaches = reached ? "reaches" : "does not reach";
  return paragraph(fmt::format("The truth {} the threshold, {}: {}.", reaches, to_string(e.plan.threshold), so));
}

std::string truth_step(const Explanation& e) {
  const Comparison& c = *e.comparison;
  const bool contained = e.plan.measure == Measure::containment;
  const Counts jaccard{c.shared, c.a_size + c.b_size - c.shared};
  const auto row = [](const char* name, const Counts& counts, const char* noun, const char* of_a, const char* so) {
    const char* const is = counts.shared == 1 ? "is" : "are";
    return Cells{name, counts.text(), fmt::format("{} of {}{} {} {}", counted(counts.shared), counted(counts.all, noun), of_a, is, so)};
  };
  std::vector<Cells> rows;
  if (e.slots_compare()) {
    const Counts equal{e.equal_slots(), e.plan.sketch.hashes};
    rows.push_back(row("estimate", equal, "slot", "", "the same"));
  }
  rows.push_back(row(contained ? "Jaccard" : "truth", jaccard, "shingle", "", "in both"));
  if (contained) rows.push_back(row("containment", {c.shared, c.a_size}, "shingle", " of a", "in b"));
  std::string out = heading(e.sketched() ? 7 : 5, e.sketched() ? "Estimate and truth" : "Truth") + table(rows) + "\n";
  if (e.slots_compare()) out += estimate_words(e, jaccard);
  return out + verdict(e);
}

}  // namespace

std::string explanation_text(const Explanation& e, const ExplainLimits& limits) {
  std::string out;
  for (std::size_t i = 0; i < e.items.size(); ++i) {
    if (!e.items[i].name.empty()) out += fmt::format("{}: {}\n", e.two() ? letter(i) : "item", safe_text(e.items[i].name, SIZE_MAX));
  }
  out += fmt::format("plan: {}\n", to_string(e.plan));
  out += text_step(e, limits) + shingle_step(e, limits) + hash_step(e, limits) + sketch_step(e, limits) + band_step(e, limits);
  return out + candidate_step(e) + (e.two() ? truth_step(e) : "");
}

}  // namespace nearkin::cli
