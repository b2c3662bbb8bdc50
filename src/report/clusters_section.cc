#include <algorithm>
#include <span>

#include <nearkin/tools/report.h>

#include "base/portable_math.h"
#include "report/html.h"
#include "report/sections.h"
#include "report/text.h"
#include "report/words.h"
#include "theory/plan_rules.h"

namespace nearkin::page {
namespace {

/// Clusters of `from` to `to` items.
struct SizeClass {
  std::uint64_t from = 0, to = 0;
  std::uint64_t clusters = 0, items = 0;
};

/// 2 to 9 one by one, then up to 19, 49, 99, 199, 499 …: about three classes for every power of ten.
std::uint64_t last_of_class(std::uint64_t size) {
  if (size < 10) return size;
  std::uint64_t power = 10;
  while (size / power >= 10) power *= 10;
  const std::uint64_t digit = size / power;
  return (digit < 2 ? 2 : digit < 5 ? 5 : 10) * power - 1;
}

std::vector<SizeClass> classes_of(const std::vector<SizeCount>& sizes) {
  std::vector<SizeClass> out;
  for (const SizeCount& count : sizes) {
    if (out.empty() || count.size > last_of_class(out.back().from)) out.push_back({count.size, count.size});
    SizeClass& last = out.back();
    last.to = count.size;
    last.clusters += count.clusters;
    last.items += count.clusters * count.size;
  }
  return out;
}

/// Whether bars by the logarithm say more: some are so few that a bar in proportion could not be seen.
bool far_apart(const std::vector<SizeClass>& classes) {
  const auto fewer = [](const SizeClass& a, const SizeClass& b) { return a.clusters < b.clusters; };
  const auto [least, most] = std::minmax_element(classes.begin(), classes.end(), fewer);
  return most->clusters > 100 * std::max<std::uint64_t>(least->clusters, 1);
}

double bar_share(std::uint64_t clusters, std::uint64_t most, bool logarithmic) {
  if (!logarithmic) return static_cast<double>(clusters) / static_cast<double>(most);
  // One cluster still has a bar.
  return portable::log(1 + static_cast<double>(clusters)) / portable::log(1 + static_cast<double>(most));
}

std::string sizes_of(const Report& report) {
  if (report.sizes.empty()) return "";
  const std::vector<SizeClass> classes = classes_of(report.sizes);
  std::uint64_t most = 1;
  for (const SizeClass& size : classes) most = std::max(most, size.clusters);
  const bool logarithmic = far_apart(classes);
  Table table{"Sizes of clusters",
              {{"Items in a cluster"},
               {"Clusters"},
               {"Items in all"},
               {logarithmic ? "Clusters, as logarithmic bars" : "Clusters, as bars", false}},
              {}};
  for (const SizeClass& size : classes) {
    const std::string name = whole_text(size.from) + (size.to > size.from ? " to " + whole_text(size.to) : "");
    table.rows.push_back({name, whole_text(size.clusters), whole_text(size.items), bar_of(bar_share(size.clusters, most, logarithmic))});
  }
  return element_of("h3", "How large they are") + '\n' + table_of(table);
}

constexpr std::size_t kMostCards = 100, kMostMembersOfCard = 200;  // the list of the script has more

std::string members_of(const std::vector<std::string>& members, const std::string& summary) {
  if (members.empty()) return "";
  std::string list;
  for (const std::string& member : std::span(members).first(std::min(members.size(), kMostMembersOfCard)))
    list += element_of("li", named(id_text(member))) + '\n';
  return fold(summary, element_of("ul", '\n' + list));
}

std::string others_of(const ShownCluster& cluster) {
  const std::uint64_t others = cluster.size > 0 ? cluster.size - 1 : 0, shown = std::min(cluster.members.size(), kMostMembersOfCard);
  return members_of(cluster.members, shown >= others ? (others == 1 ? "The other" : "The others")
                                                     : whole_text(shown) + " of the " + whole_text(others) + " others");
}

std::string cluster_item(const Report& report, const ShownCluster& cluster) {
  std::string facts = counted(cluster.size, "item");
  if (report.plan && report.plan->measure != Measure::exact && report.plan->verify != Verify::none) {
    const Measure measure = report.plan->measure;
    const bool equal = is_distance(measure) ? cluster.least == 0 : cluster.least == 1;
    const std::string value = value_text(cluster.least, measure);
    const bool two = cluster.size == 2;
    facts += equal                  ? (two ? "; the other is the same as the keeper" : "; the others are the same as the keeper")
             : is_distance(measure) ? (two ? "; the other is at a distance of " + value : "; the others are within " + value) +
                                          (two ? " from" : " of") + " the keeper"
                                    : (two ? "; the other has a " + value_name(measure) + " of " + value
                                           : "; each of the others has a " + value_name(measure) + " of " + value + " or more") +
                                          " with the keeper";
    const double border = border_of_values(report);
    const bool beyond = is_distance(measure) ? cluster.least > border : cluster.least < border;
    if (beyond) {
      facts += (two ? "; it is " : "; those ") + std::string(is_distance(measure) ? "beyond the " : "below the ") + border_name(measure) +
               (two ? ", and belongs here by " : " belong here by ") + other_ties(report);
    }
  }
  return paragraph(named(id_text(cluster.keeper)), " class=\"id\"") + paragraph(facts, " class=\"soft\"") + others_of(cluster);
}

std::string largest_of(const Report& report) {
  if (report.clusters.empty()) return "";
  std::vector<std::string> cards;
  for (const ShownCluster& cluster : std::span(report.clusters).first(std::min(report.clusters.size(), kMostCards)))
    cards.push_back(cluster_item(report, cluster));
  const bool all = cards.size() >= report.clusters_in_all;
  const std::string words =
      (all ? "" : "These are the " + whole_text(cards.size()) + " largest of " + whole_text(report.clusters_in_all) + " clusters. ") +
      "Each cluster is named after one item, its keeper: the first item, unless --keep chooses another.";
  return element_of("h3", "The largest") + '\n' + paragraph(words) + cards_of(cards);
}

std::string passage_of(const ShownBucket& bucket) {
  if (bucket.looked_at == 0) return "";
  if (bucket.passage.empty()) return paragraph("The items that were examined have no long passage in common.", " class=\"soft\"");
  return element_of("blockquote", escape_lines(bucket.passage), " dir=\"auto\"") + '\n' +
         paragraph(whole_text(bucket.having) + " of the " + counted(bucket.looked_at, "item") + " that were examined " +
                       (bucket.having == 1 ? "has" : "have") + " this passage.",
                   " class=\"soft\"");
}

std::string bucket_item(const ShownBucket& bucket, std::uint64_t bands) {
  std::string facts = counted(bucket.size, "item");
  if (bucket.bands > 1) {
    facts += ". In " + counted(bucket.bands - 1, "other band") + (bands > 0 ? " (of " + whole_text(bands) + ")" : "") +
             ", a bucket begins with the same item";
  }
  const std::size_t shown = bucket.members.size();
  return paragraph(facts, " class=\"id\"") + passage_of(bucket) +
         members_of(bucket.members, shown >= bucket.size ? "Its items" : whole_text(shown) + " of its items");
}

}  // namespace

std::string clusters_section(const Report& report) {
  if (report.sizes.empty() && report.clusters.empty()) return "";
  std::uint64_t items = 0;
  for (const SizeCount& count : report.sizes) items += count.clusters * count.size;
  std::string words = counted(report.clusters_in_all, "cluster") + " of two or more items";
  if (items > 0) words += ", " + counted(items, "item") + " in all";
  if (report.linkage == Linkage::connected) {
    words += ". A cluster joins all items that a chain of similar pairs connects. So two of its items may have a ";
    words += is_distance(measure_of(report)) ? "distance beyond the radius" : "similarity below the threshold";
  }
  if (report.linkage == Linkage::star && report.against.empty() && !report.decisions)
    words += ". Each item of a cluster is similar to its keeper";
  return paragraph(words + ".") + sizes_of(report) + largest_of(report);
}

std::string buckets_section(const Report& report) {
  if (report.buckets.empty()) return "";
  std::vector<std::string> cards;
  for (const ShownBucket& bucket : report.buckets) cards.push_back(bucket_item(bucket, report.plan ? report.plan->band.bands : 0));
  const bool texts = report.plan && report.plan->kind == Kind::shingles && report.plan->shingle.token != Token::element;
  return paragraph(std::string("Items that agree in a whole band share a bucket.") +
                   (texts ? " Many items in one bucket usually share something that says little about them: a licence, a footer, a form. "
                            "Such boilerplate costs time and makes items look alike. It may be worth removing, or ignoring with "
                            "<code>--ignore</code> or <code>--ignore-common</code>."
                          : " Many items in one bucket cost time, and make many pairs.") +
                   (scope_text(report.scope).empty() ? ""
                                                     : " Only items " + escape(scope_text(report.scope)) +
                                                           " are compared, so a bucket may also hold items that were not compared.")) +
         cards_of(cards);
}

}  // namespace nearkin::page
