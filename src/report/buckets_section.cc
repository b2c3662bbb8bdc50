#include <nearkin/tools/report.h>
#include "report/html.h"

#include "report/sections.h"
#include "report/text.h"
#include "report/words.h"

namespace nearkin::page {
namespace {

std::string passage_of(const ShownBucket& bucket) {
  if (bucket.looked_at == 0) return "";
  if (bucket.passage.empty()) return paragraph("Those looked at have no long passage in common.", " class=\"soft\"");
  return element_of("blockquote", escape_lines(bucket.passage), " dir=\"auto\"") + '\n' +
         paragraph(whole_text(bucket.having) + " of the " + counted(bucket.looked_at, "item") + " looked at " +
                       (bucket.having == 1 ? "has" : "have") + " this passage.",
                   " class=\"soft\"");
}

std::string members_of(const ShownBucket& bucket) {
  if (bucket.members.empty()) return "";
  std::string list;
  for (const std::string& member : bucket.members) list += element_of("li", named(id_text(member))) + '\n';
  const bool all = bucket.members.size() >= bucket.size;
  return fold(all ? "Its items" : whole_text(bucket.members.size()) + " of its items", element_of("ul", '\n' + list));
}

std::string bucket_item(const ShownBucket& bucket) {
  std::string facts = counted(bucket.size, "item");
  if (bucket.bands > 0) facts += " together in " + counted(bucket.bands, "band");
  return paragraph(facts, " class=\"id\"") + passage_of(bucket) + members_of(bucket);
}

}  // namespace

Section buckets_section(const Report& report) {
  Section section{"buckets", "The biggest buckets", ""};
  if (report.buckets.empty()) return section;
  std::vector<std::string> cards;
  for (const ShownBucket& bucket : report.buckets) cards.push_back(bucket_item(bucket));
  section.html = paragraph(
                     "Items that agree in a whole band share a bucket. Many items in one bucket mostly have something in common that says "
                     "little about them: a licence, a footer, a form. Such boilerplate costs time and makes items look alike; it may be "
                     "worth taking out before.") +
                 cards_of(cards);
  return section;
}

}  // namespace nearkin::page
