// The pairs of a report: rows to choose from, some of them in full with their texts or numbers, and texts of the other items.
#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>

#include <nearkin/tools/compare.h>
#include <nearkin/tools/report.h>

#include "analysis/audit_report.h"
#include "analysis/shown_rows.h"
#include "analysis/vector_comparer.h"
#include "collect/row_vectors.h"
#include "collect/sketcher.h"
#include "group/decisions.h"
#include "io/formats/array.h"
#include "io/formats/result_rows.h"
#include "match/space.h"

namespace nearkin {
namespace {

constexpr std::size_t kShownBytes = 200'000;       // of each text of a pair
constexpr std::uint64_t kMostCompared = 16 << 20;  // bytes of all texts that are compared for it, but for the first few pairs
constexpr std::uint64_t kMostOnPage = 3'000'000;   // bytes of texts and numbers on the page
constexpr std::uint64_t kMostInPairs = 2'000'000;  // of these, in pairs whose shared passages the run marks
constexpr std::uint64_t kForClusters = 500'000;    // of these, what the texts of rows leave to members of clusters
constexpr std::size_t kFewestPairs = 5, kMostPairs = 500;
static_assert(kFewestPairs * 2 * kShownBytes <= kMostInPairs);
constexpr std::uint32_t kMostShownNumbers = 4096;  // of a vector

ShownVectors shown_vectors(const Vectors& two) {
  ShownVectors out;
  if (two.dimensions == 0 || two.dimensions > kMostShownNumbers) return out;
  for (std::uint32_t i = 0; i < two.dimensions; ++i) {
    if (two.kind == Vectors::Kind::dense) {
      out.a.push_back(two.dense(0)[i]);
      out.b.push_back(two.dense(1)[i]);
    } else if (two.kind == Vectors::Kind::bits) {
      const auto bit = [&](std::size_t item) { return static_cast<double>(two.bits(item)[i / 64] >> (i % 64) & 1); };
      out.a.push_back(bit(0));
      out.b.push_back(bit(1));
    }
  }
  return out;
}

// The width of the picture that a row is, by the header of its file; 0 where it is none.
std::uint32_t picture_width(const Rows& rows, Row row) {
  RowReader reader(rows);
  const Location location = reader.location(row);
  const Sources& sources = rows.sources_of(row);
  const std::string_view header = sources.is_binary(location.source) ? sources.header(location.source) : std::string_view();
  return header.empty() ? 0 : array_layout(sources.name(location.source), header).columns;
}

ShownPair shown_pair(const ChosenPair& chosen, const Rows& rows, const Plan& plan, VectorComparer& vectors) {
  const auto [a, b] = std::pair(chosen.match.a, chosen.match.b);
  RowReader reader(rows);
  ShownPair pair{.a = std::string(reader.id(a)), .b = std::string(reader.id(b)), .why = chosen.why, .comparison = {}, .texts = {}};
  std::string of_a, of_b;
  if (has_texts(plan)) {
    TextReader texts(rows);
    of_a = texts(a);
    of_b = texts(b);
    pair.texts = mark_shared(of_a, of_b, plan.shingle, kShownBytes);
  }
  if (!compares_vectors(plan)) {
    pair.comparison = compare(of_a, of_b, plan, 0);
    return pair;
  }
  const Vectors two = load_vectors(rows, plan, std::array{a, b}, 1);
  pair.comparison = vectors.compare(two, 0, two, 1);
  if (plan.kind != Kind::tfidf) pair.vectors = shown_vectors(two);
  const std::uint32_t width = rows.inputs.empty() || pair.vectors.a.empty() ? 0 : picture_width(rows, a);
  if (width > 0 && two.dimensions % width == 0 && picture_width(rows, b) == width) {
    pair.vectors.columns = width;
    pair.vectors.rows = two.dimensions / width;
  }
  return pair;
}

std::uint64_t page_bytes(const ShownPair& pair) {
  constexpr std::uint64_t kBytesOfNumber = 8;
  return pair.texts.a.text.size() + pair.texts.b.text.size() + kBytesOfNumber * (pair.vectors.a.size() + pair.vectors.b.size());
}

struct ShownPlaces {
  std::map<Pair, std::uint32_t> places;  // of pairs in Report::pairs
  std::unordered_set<Row> rows;          // whose texts the page holds
  std::uint64_t bytes = 0;               // of texts and numbers on the page
};

// The chosen ones in full, then others of the list, in its order, until the page holds enough. Returns the place of each.
ShownPlaces show_in_full(const Rows& rows, const Plan& plan, std::vector<ChosenPair> chosen, const Matches& listed, Report& report) {
  for (std::size_t i = 0; i < listed.size() && chosen.size() < kMostPairs; ++i) chosen.push_back({listed[i], "other pairs"});
  ShownPlaces shown;
  RowReader reader(rows);
  VectorComparer vectors(plan);
  std::uint64_t compared = 0;
  for (const ChosenPair& pair : chosen) {
    const Pair key{pair.match.a, pair.match.b};
    if (shown.places.contains(key)) continue;
    compared += reader.text_size(key.a) + reader.text_size(key.b);
    const bool few = report.pairs.size() < kFewestPairs;
    if (compared > kMostCompared && !few) break;
    ShownPair in_full = shown_pair(pair, rows, plan, vectors);
    if (shown.bytes + page_bytes(in_full) > kMostInPairs && !few) continue;
    shown.bytes += page_bytes(in_full);
    shown.places[key] = static_cast<std::uint32_t>(report.pairs.size());
    shown.rows.insert({key.a, key.b});
    report.pairs.push_back(std::move(in_full));
  }
  return shown;
}

std::size_t begin_of_character(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return std::min(at, text.size());
}

// The texts of items that no pair shows, each once, as long as they fit on the page.
class OtherTexts {
 public:
  OtherTexts(const Rows& rows, const Plan& plan, ShownPlaces shown, Report& report)
      : texts_(rows), reader_(rows), beginnings_(rows, plan), shown_(std::move(shown)), report_(report) {}

  // All of these texts, or none of them.
  void add(std::span<const Row> rows, std::uint64_t most) {
    std::uint64_t more = 0;
    for (const Row row : rows) more += shown_.rows.contains(row) ? 0 : std::min<std::uint64_t>(reader_.text_size(row), kShownBytes);
    if (shown_.bytes + more > most) return;
    shown_.bytes += more;
    for (const Row row : rows) {
      if (shown_.rows.insert(row).second) add(row);
    }
  }

 private:
  void add(Row row) {
    ShownText shown{.id = std::string(reader_.id(row)), .beginning = beginnings_(row), .text = {}};
    const std::string_view text = texts_(row);
    if (text.empty()) return;
    shown.text = text.substr(0, begin_of_character(text, kShownBytes));
    shown.left_out = text.size() - shown.text.size();
    report_.texts.push_back(std::move(shown));
  }

  TextReader texts_;
  RowReader reader_;
  Beginnings beginnings_;
  ShownPlaces shown_;
  Report& report_;
};

// Of both items of a row, in the order of the list, then of members of clusters.
void show_texts(const Rows& rows, const Plan& plan, const Matches& listed, std::span<const Row> in_clusters, ShownPlaces shown,
                Report& report) {
  if (!has_texts(plan)) return;
  OtherTexts texts(rows, plan, std::move(shown), report);
  for (const Match& match : listed) texts.add(std::array{match.a, match.b}, kMostOnPage - (in_clusters.empty() ? 0 : kForClusters));
  for (const Row& row : in_clusters) texts.add({&row, 1}, kMostOnPage);
}

}  // namespace

void show_pairs(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers, bool removes,
                std::span<const Row> in_clusters, Report& report) {
  const Plan& plan = stage.plan;
  const std::vector<ChosenPair> chosen = pairs_to_show(rows, found, plan, keepers);
  auto [listed, sampled] = pairs_to_list(rows, found, plan);
  report.sampled = sampled;
  Matches in_order = listed;  // those nearest to the border first, as the page lists them
  std::stable_sort(in_order.begin(), in_order.end(), [&](const Match& x, const Match& y) { return nearer(y, x, plan.measure); });
  const ShownPlaces shown = show_in_full(rows, plan, chosen, in_order, report);
  show_texts(rows, plan, in_order, in_clusters, shown, report);
  for (const ChosenPair& pair : chosen) listed.push_back(pair.match);
  sort_by_rows(listed);
  listed.erase(std::unique(listed.begin(), listed.end(), [](const Match& x, const Match& y) { return x.a == y.a && x.b == y.b; }),
               listed.end());
  RowReader ids(rows);
  Beginnings beginnings(rows, plan);
  const auto item = [&](Row row) {
    ListedItem listed_item{.id = std::string(ids.id(row)), .beginning = beginnings(row)};
    if (!removes || row >= rows.input_rows()) return listed_item;
    listed_item.kept = keepers[row] == row;
    if (!*listed_item.kept) listed_item.keeper = std::string(ids.id(keepers[row]));
    return listed_item;
  };
  const bool valued = plan.verify != Verify::none || plan.exact_join() || plan.measure == Measure::exact;
  for (const Match& match : listed) {
    const auto place = shown.places.find({match.a, match.b});
    report.listed.push_back({item(match.a), item(match.b), valued ? std::optional(measured(match, plan.measure)) : std::nullopt,
                             place == shown.places.end() ? std::nullopt : std::optional(place->second), is_accepted(found, match)});
  }
  report.pairs_in_all = count_pairs(found, rows.across(), plan.measure).all;
}

}  // namespace nearkin
