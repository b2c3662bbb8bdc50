#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>

#include "report/html.h"
#include "report/sections.h"
#include "report/text.h"
#include "report/words.h"
#include "theory/code_rule.h"
#include "theory/numbers.h"

namespace nearkin::page {
namespace {

std::string measure_words(const Plan& plan) {
  const std::string part = part_name(plan);
  switch (plan.measure) {
    case Measure::jaccard:
      return "The number of " + part + "s that two items share, divided by the number of " + part +
             "s that are in at least one of them: 1 if they have the same ones, 0 if they share none.";
    case Measure::weighted_jaccard:
      if (part.empty())
        return "At each place, take the smaller and the larger of the two weights. The similarity is the sum of the smaller ones, "
               "divided by the sum of the larger ones.";
      return "Like the Jaccard similarity, but a " + part + " counts as often as it occurs. For each " + part +
             ", take the smaller and the larger of its counts in the two items. The similarity is the sum of the smaller ones, divided by "
             "the sum of the larger ones.";
    case Measure::containment:
      return "How much of one item occurs in another: the share of the " + part +
             "s of A that B has, too. It has a direction: a book may contain a whole passage, but the passage does not contain the book.";
    case Measure::cosine:
      return "The cosine of the angle between two vectors: 1 if they point the same way, 0 if they are at right angles, \u22121 if they "
             "point in opposite directions.";
    case Measure::hamming:
      return part.empty() ? "The number of places in which two items differ."
                          : "The number of columns in which two rows have different answers.";
    case Measure::euclidean: return "The straight-line distance between two vectors, \u221A\u03A3(a\u2212b)\u00B2.";
    case Measure::manhattan: return "The differences of two vectors, place by place, added up: \u03A3|a\u2212b|.";
    case Measure::exact: return "Two items are alike only if their texts are equal after normalisation.";
  }
  return {};
}

std::string promise_words(const Plan& plan) {
  const std::string border = border_name(plan.measure);
  const bool distance = is_distance(plan.measure);
  if (plan.exact_join()) return plan.nearest > 0 ? "All of them are found." : "All of them: every such pair is found.";
  const std::string recall = percent_text(plan.recall);
  if (plan.nearest > 0) return "On average at least " + recall + " of them are found.";
  if (plan.recall_at == RecallAt::average) {
    return "A sample shows how many pairs " + std::string(distance ? "within the " : "at or above the ") + border +
           " to expect. On average, " + recall + " of them are found. Pairs close to the " + border +
           " may be found less often; the others make up for them.";
  }
  if (!keeps_promise(plan)) {
    return "Nothing: with these bands and rows, a pair exactly at the " + border + " is found with a probability of " +
           percent_text(found_probability(plan, border_of(plan))) + ", and " + recall + " was asked for.";
  }
  return "A pair that lies exactly at the " + border + (verifies(plan) ? " is found with a" : " becomes a candidate with a") +
         " probability of at least " + recall + ". The " + (distance ? "nearer" : "more similar") +
         " two items are, the more likely they are to be found.";
}

std::string reduction_words(const CodeRule& rule, Normalise normalise) {
  const std::string language(name(normalise).substr(name(normalise).rfind(':') + 1));
  std::string out = "comments are dropped";
  if (rule.identifiers) out += ", all identifiers become the same, and so do all literals of one kind";
  return out + (rule.language ? " (the language is " + language + ")" : " (in the language that was detected for each text)") +
         "; then white space is collapsed, and case is kept";
}

std::string normalise_words(Normalise normalise) {
  if (const std::optional<CodeRule> rule = code_rule(normalise)) return reduction_words(*rule, normalise);
  if (normalise == Normalise::text)
    return "letters are made lower-case. All kinds of white space are treated alike, and so are the different Unicode forms of a character";
  if (normalise == Normalise::code) return "white space is collapsed, and case is kept";
  return "nothing is changed: the text is taken as it is";
}

std::string shingle_words(const ShinglePlan& shingle) {
  if (shingle.token == Token::element) return "Items are sets, taken as they are.";
  const bool character = shingle.token == Token::character, code = shingle.token == Token::code;
  const std::string token = character ? "character" : code ? "token of code" : std::string(name(shingle.token));
  const std::string many = code ? "tokens of code" : token + "s";
  const std::string piece = shingle.size == 1 ? "each " + token : "each sequence of " + std::to_string(shingle.size) + " " + many;
  return capital(normalise_words(shingle.normalise)) + ". Then the text is cut into shingles: " + piece + " is one." +
         (shingle.size > 1 ? " A shorter text is one shingle." : "") + (shingle.token == Token::word ? " Punctuation does not count." : "");
}

std::string binarise_words(const Plan& plan) {
  switch (plan.binarise) {
    case Binarise::none: return "";
    case Binarise::median: return " Each number becomes a bit: 1 where it is above the collection\u2019s median for its place.";
    case Binarise::mean: return " Each number becomes a bit: 1 where it is above the collection\u2019s mean for its place.";
    case Binarise::sign: return " Each number becomes a bit: 1 where it is above 0.";
    case Binarise::unary:
      return " Each number becomes " + counted(plan.levels, "bit") +
             ": one for each step between the least and the greatest value, 1 if the number is above that step.";
  }
  return "";
}

std::string tfidf_words(const TfidfPlan& tfidf) {
  std::string words;
  if (tfidf.cap > 0)
    words += " At most " + counted(tfidf.cap, "occurrence") + " of a shingle in a text " + (tfidf.cap == 1 ? "counts." : "count.");
  if (tfidf.sublinear) words += " A shingle that occurs n times counts 1 + ln n times.";
  return words;
}

std::string ignored_words(const Plan& plan) {
  return plan.shingle.ignore == 0 ? "" : " Shingles that --ignore or --ignore-common leaves out do not count.";
}

std::string item_words(const Plan& plan) {
  switch (plan.kind) {
    case Kind::shingles:
      if (plan.measure == Measure::hamming) return "Items are rows of a table, compared column by column.";
      if (plan.shingle.token == Token::element) return shingle_words(plan.shingle);
      return shingle_words(plan.shingle) +
             (plan.shingle.bag ? " Each counts as often as it occurs." : " An item is the set of its shingles, each counted once.") +
             ignored_words(plan);
    case Kind::numbers: return "Items are vectors of numbers." + binarise_words(plan);
    case Kind::tfidf:
      return shingle_words(plan.shingle) +
             " An item is a vector with a number for each shingle: how often it occurs in the text, times how rare it is in the "
             "collection." +
             tfidf_words(plan.tfidf) + ignored_words(plan);
    case Kind::bits: return "Items are strings of bits." + binarise_words(plan);
  }
  return {};
}

std::string family_words(const Plan& plan) {
  switch (plan.sketch.family) {
    case Family::minhash:
      if (plan.measure == Measure::hamming)
        return "two rows that differ in d of D columns have the same value of a hash with probability (D\u2212d)/(D+d)";
      return "for each hash, the chance that two items have the same value is equal to their similarity";
    case Family::weighted_minhash: return "for each hash, the chance that two items have the same value is equal to their similarity";
    case Family::hyperplane:
      return "each says on which side of a random plane the item lies, so two items agree in a hash with probability 1 \u2212 angle/\u03C0";
    case Family::bit_sampling:
      return "each is the item\u2019s bit at a random place, so two items agree in a hash with a probability equal to the share of "
             "places in which they have the same bit";
    case Family::gaussian:
    case Family::cauchy:
      return "each hash projects the item onto a random line that is cut into slots of width " + shortest(plan.sketch.width) +
             "; its value is the slot in which the item falls, so near items agree often and far ones seldom";
  }
  return {};
}

std::string bands_words(const Plan& plan) {
  const std::string rows = std::to_string(plan.band.rows), bands = std::to_string(plan.band.bands);
  if (plan.band.rows == 0) {
    return counted(plan.band.bands, "table") +
           ", sorted by hash codes. A query first looks at items that share a long prefix of a code, then at those that share a shorter "
           "one, until the recall is reached.";
  }
  const std::uint64_t used = std::uint64_t{plan.band.bands} * plan.band.rows;
  const bool all = used == plan.sketch.hashes;
  std::string out =
      (all ? "The hashes are" : whole_text(used) + " of the hashes are") + " divided into " + counted(plan.band.bands, "band") + " of " +
      counted(plan.band.rows, "row") + " (each row is one hash)" +
      (all ? ""
           : "; the other " + whole_text(plan.sketch.hashes - used) +
                 (verifies(plan) ? " are not needed for this search" : " serve only to estimate similarities")) +
      ". Two items become a candidate pair if they agree in at least one whole band. If each hash agrees with probability p, two "
      "items become a candidate pair with probability 1 \u2212 (1 \u2212 p" +
      element_of("sup", rows) + ")" + element_of("sup", bands) + ".";
  if (plan.band.probes > 1) out += " Queries look into " + std::to_string(plan.band.probes) + " buckets per band.";
  return out;
}

std::string verify_words(const Plan& plan) {
  switch (plan.verify) {
    case Verify::exact: return "Every candidate is compared exactly before it is listed.";
    case Verify::estimate: return "The similarity of a candidate is estimated by the share of equal hashes; it is not compared exactly.";
    case Verify::none: return "Every candidate is listed without being compared.";
  }
  return {};
}

std::string bucket_words(const Plan& plan) {
  return "Items that agree in a whole band share a bucket. If more than " + counted(plan.band.large_bucket, "item") +
         " share a bucket, each is compared with a few dozen of the others "
         "instead of with all of them. The promise does not cover pairs that are left out for this reason.";
}

std::string looked_for(const Plan& plan) {
  if (verifies(plan)) return capital(wanted_text(plan));
  return plan.verify == Verify::none ? "Candidates (not verified) that may be pairs " + goal_text(plan)
                                     : "Pairs " + estimated_goal_text(plan);
}

Terms plan_terms(const Plan& plan) {
  Terms terms{{capital(measure_text(plan.measure)), measure_words(plan)}};
  if (plan.measure == Measure::exact) {
    terms.emplace_back("Normalised", capital(normalise_words(plan.shingle.normalise)) + ".");
    return terms;
  }
  if (has_goal(plan)) {
    terms.emplace_back("Looked for", escape(looked_for(plan)) + ".");
    terms.emplace_back("Promised", promise_words(plan));
  }
  terms.emplace_back("Items", item_words(plan));
  if (!has_goal(plan)) return terms;
  if (plan.sketch.hashes == 0) {
    terms.emplace_back(
        "Search", std::string(plan.nearest > 0 ? "An exact search" : "An exact join") + ", without sketches: nothing is left to chance.");
    return terms;
  }
  terms.emplace_back("Sketch",
                     "An item is represented by " + counted(plan.sketch.hashes, "hash", "hashes") + ": " + family_words(plan) + ".");
  terms.emplace_back("Bands", bands_words(plan));
  terms.emplace_back("Verified", verify_words(plan));
  if (plan.band.rows > 0) terms.emplace_back("Large buckets", bucket_words(plan));
  return terms;
}

}  // namespace

std::string plan_section(const Report& report) {
  if (!report.plan) return "";
  const std::string terms = terms_of(plan_terms(*report.plan), "said");
  if (!has_goal(*report.plan)) return terms;  // no run takes such a line
  const std::string searched =
      report.command == "compare" ? paragraph("This is how a search with these settings would work. No search was run here.") : "";
  return searched + terms +
         paragraph(
             "The same plan as one line. To search with this plan, give the line to <code>--plan</code>. Flags about the input, such as "
             "<code>--unit</code> and <code>--against</code>, are not part of it.") +
         "<pre class=\"line\" id=\"plan-line\">" + named(to_string(*report.plan)) + "</pre>\n";
}

}  // namespace nearkin::page
