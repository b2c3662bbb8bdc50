#include "report/page_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include <nearkin/tools/spelling.h>

#include "base/hash.h"
#include "report/html.h"
#include "report/sections.h"
#include "report/words.h"
#include "theory/plan_rules.h"

namespace nearkin::page {
namespace {

/// JSON that can stand in a <script>: none of its bytes means anything in HTML, so that nothing in it ends the element.
void append_text(std::string& out, std::string_view text) {
  std::string spelled;
  append_json_string(spelled, text);
  out += '"';
  for (std::size_t i = 1; i + 1 < spelled.size(); ++i) {
    const char c = spelled[i];
    if (c == '\\') {
      const bool quote = spelled[++i] == '"';
      out += quote ? std::string("\\u0022") : spelled.substr(i - 1, 2);
    } else if (c == '<' || c == '>' || c == '&' || c == '\'' || c == '\x7f') {
      constexpr char kDigits[] = "0123456789abcdef";
      out += {'\\', 'u', '0', '0', kDigits[c >> 4], kDigits[c & 15]};
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_number(std::string& out, std::optional<double> value) {
  if (!value || !std::isfinite(*value)) {
    out += "null";
    return;
  }
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, *value, std::chars_format::general, 7).ptr);
}

/// Opens with "[", and puts commas between.
template <typename Values, typename Append>
void append_array(std::string& out, const Values& values, Append append) {
  out += '[';
  bool first = true;
  for (const auto& value : values) {
    if (!first) out += ',';
    first = false;
    append(value);
  }
  out += ']';
}

/// Items that are named in rows and clusters, each once.
class ItemTable {
 public:
  std::size_t place(const ListedItem& item) {
    std::string key = item.id;
    key += '\0';
    key += item.beginning;
    key += !item.kept ? '?' : *item.kept ? '+' : '-';
    const auto [known, is_new] = places_.try_emplace(std::move(key), places_.size());
    if (is_new) append(item);
    if (is_new) firsts_.try_emplace(item.id + '\0' + item.beginning, known->second);
    return known->second;
  }
  /// Of the first item with this id and beginning, whether it was kept or not; absent if there is none.
  std::optional<std::size_t> place_of(const std::string& id, const std::string& beginning) const {
    const auto known = firsts_.find(id + '\0' + beginning);
    return known == firsts_.end() ? std::nullopt : std::optional(known->second);
  }
  std::string json() const { return '[' + text_ + ']'; }

 private:
  void append(const ListedItem& item) {
    if (!text_.empty()) text_ += ",\n";
    text_ += '[';
    append_text(text_, item.id);
    text_ += ',';
    append_text(text_, item.beginning);
    text_ += !item.kept ? ",null" : *item.kept ? ",1" : ",0";
    if (!item.keeper.empty()) {
      text_ += ',';
      append_text(text_, item.keeper);
    }
    text_ += ']';
  }

  std::unordered_map<std::string, std::size_t> places_, firsts_;
  std::string text_;
};

std::string first_words(std::string_view text) {
  constexpr std::size_t kBytes = 80;
  std::size_t end = std::min(text.size(), kBytes);
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  std::string out(text.substr(0, end));
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return end < text.size() ? out + "\u2026" : out;
}

/// From where both texts are the same: an excerpt has some of the text before that.
std::string_view shared_part(const MarkedText& text) {
  const std::size_t begin = !text.parts.empty() ? text.parts.front().begin : !text.shared.empty() ? text.shared.front().begin : 0;
  return std::string_view(text.text).substr(std::min(begin, text.text.size()));
}

/// The rows of the list: those of the report, or the pairs that it shows in full.
std::vector<ListedPair> rows_of(const Report& report) {
  if (!report.listed.empty()) return report.listed;
  std::vector<ListedPair> rows;
  for (std::uint32_t i = 0; i < report.pairs.size(); ++i) {
    const ShownPair& pair = report.pairs[i];
    const double value = shows_lengths(report) ? static_cast<double>(pair.comparison.shared) : pair.comparison.similarity;
    rows.push_back({{pair.a, first_words(shared_part(pair.texts.a))}, {pair.b, first_words(shared_part(pair.texts.b))}, value, i});
  }
  return rows;
}

void append_rows(std::string& out, const std::vector<ListedPair>& rows, ItemTable& items) {
  append_array(out, rows, [&](const ListedPair& row) {
    const std::size_t a = items.place(row.a), b = items.place(row.b);
    out += "\n[" + std::to_string(a) + ',' + std::to_string(b) + ',';
    append_number(out, row.value);
    out += ',' + (row.shown ? std::to_string(*row.shown) : "-1") + ']';
  });
}

/// The rows that a person accepted before, by their places.
void append_accepted(std::string& out, const std::vector<ListedPair>& rows) {
  if (std::none_of(rows.begin(), rows.end(), [](const ListedPair& row) { return row.accepted; })) return;
  out += ",\"accepted\":[";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].accepted) out += (out.back() == '[' ? "" : ",") + std::to_string(i);
  }
  out += ']';
}

/// The decisions that the run followed: two ids each, and whether the pair was accepted.
void append_decided(std::string& out, const std::vector<PairDecision>& decided) {
  if (decided.empty()) return;
  out += ",\n\"decided\":";
  append_array(out, decided, [&](const PairDecision& decision) {
    out += '[';
    append_text(out, decision.a);
    out += ',';
    append_text(out, decision.b);
    out += decision.same ? ",1]" : ",0]";
  });
}

void append_clusters(std::string& out, const std::vector<ShownCluster>& clusters, bool valued, ItemTable& items) {
  append_array(out, clusters, [&](const ShownCluster& cluster) {
    out += "\n[" + std::to_string(items.place({cluster.keeper, cluster.beginning})) + ',' + std::to_string(cluster.size) + ',';
    append_number(out, valued ? std::optional(cluster.least) : std::nullopt);
    out += ",[";
    for (std::size_t i = 0; i < cluster.members.size(); ++i) {
      const std::string beginning = i < cluster.beginnings.size() ? cluster.beginnings[i] : "";
      out += (i == 0 ? "[" : ",[") + std::to_string(items.place({cluster.members[i], beginning})) + ',';
      append_number(out, i < cluster.values.size() ? std::optional(cluster.values[i]) : std::nullopt);
      out += ']';
    }
    out += "]]";
  });
}

/// A text in pieces: what the other text does not have, and what it has with the number of the passage.
void append_side(std::string& out, const MarkedText& text) {
  std::vector<MarkedText::Part> parts = text.parts;
  if (parts.empty()) {
    for (std::uint32_t i = 0; i < text.shared.size(); ++i) parts.push_back({text.shared[i].begin, text.shared[i].end, i});
  }
  const std::string_view whole = text.text;
  std::size_t at = 0;
  out += "{\"pieces\":[";
  const auto piece = [&](std::size_t end, std::string_view rest) {
    if (end > at) {
      append_text(out, whole.substr(at, end - at));
      out += rest;
    }
    at = end;
  };
  for (const MarkedText::Part& part : parts) {
    if (part.begin < at || part.end <= part.begin || part.begin >= whole.size()) continue;
    piece(part.begin, ",-1,");
    piece(std::min(part.end, whole.size()), "," + std::to_string(part.passage) + ',');
  }
  piece(whole.size(), ",-1,");
  if (out.back() == ',') out.pop_back();
  out += "],\"more\":" + std::to_string(text.left_out) + (text.normalised ? ",\"normalised\":true}" : "}");
}

/// Texts of items that no pair shows: the place of the item, its text, and how many bytes of it are left out.
void append_texts(std::string& out, const Report& report, const ItemTable& items) {
  out += ",\n\"texts\":[";
  for (const ShownText& shown : report.texts) {
    const std::optional<std::size_t> place = items.place_of(shown.id, shown.beginning);
    if (!place) continue;
    out += (out.back() == '[' ? "[" : ",\n[") + std::to_string(*place) + ',';
    append_text(out, shown.text);
    out += ',' + std::to_string(shown.left_out) + ']';
  }
  out += ']';
}

void append_vectors(std::string& out, const ShownVectors& vectors) {
  if (vectors.a.empty()) return;
  out += ",\"vectors\":{\"a\":";
  append_array(out, vectors.a, [&](double value) { append_number(out, value); });
  out += ",\"b\":";
  append_array(out, vectors.b, [&](double value) { append_number(out, value); });
  out += ",\"rows\":" + std::to_string(vectors.rows) + ",\"columns\":" + std::to_string(vectors.columns) + '}';
}

/// A comparison has its texts on the page already.
void append_shown(std::string& out, const Report& report) {
  if (!is_listed(report)) {
    out += "[]";
    return;
  }
  append_array(out, report.pairs, [&](const ShownPair& pair) {
    out += "\n{\"why\":";
    append_text(out, pair.why);
    out += ",\"facts\":";
    append_array(out, parts_of(report, pair), [&](const auto& term) {
      out += '[';
      append_text(out, term.first);
      out += ',';
      append_text(out, term.second);
      out += ']';
    });
    out += ",\"a\":";
    append_side(out, pair.texts.a);
    out += ",\"b\":";
    append_side(out, pair.texts.b);
    append_vectors(out, pair.vectors);
    out += '}';
  });
}

/// What the page is about, apart from items.
std::string setting(const Report& report) {
  const Measure measure = measure_of(report);
  const bool valued = measure != Measure::exact && !(report.plan && report.plan->verify == Verify::none && !report.plan->exact_join());
  std::string out = "{\"run\":\"" + run_key(report) + "\",\"distance\":" + (is_distance(measure) ? "true" : "false") +
                    ",\"valued\":" + (valued ? "true" : "false") + ",\"directed\":" + (measure == Measure::containment ? "true" : "false") +
                    ",\"single\":" + (report.command == "compare" ? "true" : "false") +
                    ",\"code\":" + (is_code(report) ? "true" : "false") + (shows_lengths(report) ? ",\"lengths\":true" : "") +
                    (takes_decisions(report) ? ",\"marks\":true" : "") +
                    (report.plan && (report.plan->kind == Kind::numbers || report.plan->kind == Kind::bits) ? ",\"vectors\":true" : "") +
                    (report.against.empty() ? "" : ",\"across\":true") +
                    (shows_hits(report)      ? ",\"noun\":\"place\""
                     : shows_lengths(report) ? ",\"noun\":\"passage\""
                                             : "") +
                    ",\"border\":";
  append_number(out, report.plan && valued ? std::optional(border_of_values(report)) : std::nullopt);
  const std::string value = shows_hits(report) ? "share of the item" : shows_lengths(report) ? "length" : value_name(measure);
  return out + ",\"value\":\"" + value + "\",\"ties\":\"" + other_ties(report) +
         "\",\"pairsInAll\":" + std::to_string(report.pairs_in_all) + ",\"clustersInAll\":" + std::to_string(report.clusters_in_all);
}

}  // namespace

std::string run_key(const Report& report) {
  std::string told = report.command + '\n' + (report.plan ? to_string(*report.plan) : "");
  for (const std::string& input : report.inputs) told += '\n' + input;
  for (const std::string& input : report.against) told += "\n+" + input;
  if (report.stats) told += '\n' + std::to_string(report.stats->items) + ' ' + std::to_string(report.stats->pairs);
  ContentHash hash;
  hash.add(told);
  for (const ListedPair& row : report.listed) {
    for (const ListedItem* const item : {&row.a, &row.b}) hash.add('\n' + item->id);
  }
  for (const PairDecision& decision : report.decided) hash.add('\n' + decision.a + '\n' + decision.b + (decision.same ? "+" : "-"));
  char digits[17] = {};
  std::to_chars(digits, digits + 16, hash.value(), 16);
  return digits;
}

std::string data_element(const Report& report) {
  const std::vector<ListedPair> rows = rows_of(report);
  if (rows.empty()) return "";
  const bool valued = report.plan && report.plan->measure != Measure::exact && report.plan->verify != Verify::none;
  std::string out = "<script type=\"application/json\" id=\"data\">" + setting(report);
  append_accepted(out, rows);
  append_decided(out, report.decided);
  out += ",\n\"pairs\":";
  ItemTable items;
  append_rows(out, rows, items);
  out += ",\n\"clusters\":";
  append_clusters(out, report.clusters, valued, items);
  out += ",\n\"items\":" + items.json();
  append_texts(out, report, items);
  out += ",\n\"shown\":";
  append_shown(out, report);
  return out + "}</script>\n";
}

}  // namespace nearkin::page
