#include "runs/suites.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/spelling.h>

#include "base/field_names.h"
#include "base/hash.h"
#include "base/in_quotes.h"
#include "collect/collect.h"
#include "io/formats/json_text.h"
#include "io/formats/result_rows.h"
#include "io/source/for_each_batch.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

// Words that were changed are not of interest where next to the whole of an item is asked for; and other tokens are no words.
bool looks_for_edited(const DecontaminateOptions& options) {
  return options.token == Token::word && 10 * options.share.numerator <= 9 * options.share.denominator;
}

std::string fields_as_text(const std::vector<std::string>& fields) {
  std::string out;
  for (const std::string& field : fields) out += (out.empty() ? "" : ", ") + field;
  return out;
}

std::vector<std::string> text_fields(const Input& input) {
  std::vector<std::string> fields;
  for (const FieldPath& path : fields_of(input).texts) fields.push_back(path.name);
  return fields;
}

std::string path_of(const Suite& suite) { return suite.input.paths.empty() ? suite.name : suite.input.paths.front(); }

struct SuiteRecords {
  Items items;     // where their fields are looked for apart, with the texts of those that are needed
  Strings fields;  // and of each item its text fields as a JSON object
};

// A record must have the fields that are needed. It may lack the others.
void read_apart(Input& input, const std::vector<std::string>& fields, const std::vector<bool>& needed) {
  input.metadata = fields;
  const std::vector<std::string> typed = split_names(input.text, "text");  // as many, in their quotation marks
  input.text.clear();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (needed[i]) input.text += (input.text.empty() ? "" : ",") + typed[i];
  }
}

SuiteRecords read_records(const Input& input, const Suite& suite, const Sources& train, const RunOptions& run, Faults& faults) {
  Sources sources(input, false);
  if (!input.memory) refuse_common_files(train, sources, "each record would contain itself");
  RunStats stats;
  Reading reading = reading_of(run, &stats);
  reading.stage = "suites";
  reading.on_source = [&](std::size_t i) { require_texts(sources.format(i), sources.name(i)); };
  reading.needs_records = true;
  SuiteRecords records;
  for_each_batch(sources, reading, [&](ReadBatch& part) {
    records.items.ids.append(part.batch.items.ids);
    records.items.texts.append(part.batch.items.texts);
    records.fields.append(part.batch.metadata);
  });
  merge_faults(faults, stats.faults);
  if (records.items.size() == 0) throw Error(ErrorCode::data, path_of(suite), "is a suite without items; leave it out");
  return records;
}

// What a string says, or how a number is spelled; absent for other values.
std::optional<std::string> text_or_number(JsonValues& values, const FieldPath& path) {
  if (std::optional<std::string> text = values.text(path)) return text;
  const std::optional<std::string_view> spelling = values.spelling(path);
  const bool is_number =
      spelling && !spelling->empty() && (spelling->front() == '-' || (spelling->front() >= '0' && spelling->front() <= '9'));
  return is_number ? std::optional<std::string>(*spelling) : std::nullopt;
}

// An item whose fields are looked for apart.
struct ItemFields {
  std::string text;             // its fields, one on each line; those that it lacks are empty
  std::vector<TextSpan> spans;  // of the fields
  bool lacks = false;           // one of them
};

ItemFields fields_of_item(std::string_view fields, const std::vector<std::string>& names) {
  JsonValues values(padded_json(fields));
  ItemFields item;
  for (const std::string& name : names) {
    const std::optional<std::string> text = text_or_number(values, {.name = name, .parts = {name}});
    item.lacks = item.lacks || !text;
    if (!item.spans.empty()) item.text += '\n';
    const std::size_t begin = item.text.size();
    item.text += text.value_or("");
    item.spans.push_back({begin, item.text.size()});
  }
  return item;
}

std::vector<bool> needed_fields(const std::vector<std::string>& fields, const DecontaminateOptions& options, const std::string& suite) {
  std::vector<bool> needed(fields.size());
  for (const std::string& name : options.need) {
    const auto found = std::find(fields.begin(), fields.end(), name);
    if (found == fields.end()) {
      throw Error(ErrorCode::plan, "need",
                  in_quotes(name) + " is not among the text fields of suite " + in_quotes(suite) + ", which are " + fields_as_text(fields) +
                      "; name one of these, or read more with against_text");
    }
    needed[static_cast<std::size_t>(found - fields.begin())] = true;
  }
  return needed;
}

// Adds the texts of a suite to those that are looked for, and counts the items that cannot be found.
class SuiteTexts {
 public:
  SuiteTexts(std::uint32_t suite, const DecontaminateOptions& options, Tokeniser& tokeniser, ReadSuites& all)
      : suite_(suite), least_(std::max(options.least_item, 1u)), tokeniser_(tokeniser), all_(all), short_(all.needed[suite].size()) {}

  void add_item(Row item, std::string_view id, std::string_view text, std::span<const TextSpan> fields) {
    bool too_short = false;
    for (std::uint32_t field = 0; field < fields.size(); ++field) {
      const TextSpan& span = fields[field];
      const std::span<const std::uint64_t> tokens = tokeniser_.tokens(text.substr(span.begin, span.end - span.begin));
      if (tokens.size() > UINT32_MAX / 4) {
        throw Error(ErrorCode::data, std::string(id), "an item of more than a billion tokens; split it");
      }
      const bool is_short = tokens.size() < least_ && all_.needed[suite_][field];
      short_[field] += is_short;
      too_short = too_short || is_short;
      all_.sought.add(tokens, suite_, item);
      all_.origins.push_back({suite_, item, field, span.begin, span.end - span.begin});
      tokeniser_.give_back();
    }
    all_.stats[suite_].too_short += too_short;
  }

  /// Throws Error(data) where all items are too short.
  void require_usable(const Suite& suite) const {
    const SuiteStats& stats = all_.stats[suite_];
    if (stats.too_short < stats.items) return;
    throw Error(ErrorCode::data, path_of(suite), "has no item " + what_is_short());
  }

 private:
  std::string what_is_short() const {
    const std::string least = std::to_string(least_) + " or more tokens", smaller = "use a smaller least_item";
    const std::vector<std::string>& fields = all_.fields[suite_];
    if (fields.empty()) return "of " + least + "; name other fields with against_text, or " + smaller;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (short_[i] < all_.stats[suite_].items) continue;
      return "with " + least + " in the needed field " + in_quotes(fields[i]) + "; need other fields, or " + smaller;
    }
    return "with " + least + " in each needed field; need fewer fields, or " + smaller;
  }

  std::uint32_t suite_, least_;
  Tokeniser& tokeniser_;
  ReadSuites& all_;
  std::vector<std::uint64_t> short_;  // of each field that is needed: items in which it is too short
};

// Items that are looked for as one text.
void add_texts(const SuiteRecords& records, SuiteTexts& texts) {
  const Items& items = records.items;
  for (Row item = 0; item < items.size(); ++item) {
    const TextSpan whole{0, items.text(item).size()};
    texts.add_item(item, items.id(item), items.text(item), std::span(&whole, 1));
  }
}

// Items whose fields are looked for apart, and whose texts become all of their fields. Returns how many lack one.
std::uint64_t add_fields(SuiteRecords& records, const std::vector<std::string>& names, SuiteTexts& texts) {
  std::uint64_t lacking = 0;
  Strings joined;
  for (Row item = 0; item < records.items.size(); ++item) {
    const ItemFields fields = fields_of_item(records.fields[item], names);
    texts.add_item(item, records.items.id(item), fields.text, fields.spans);
    joined.add(fields.text);
    lacking += fields.lacks;
  }
  records.items.texts = std::move(joined);
  return lacking;
}

// Items of which all texts have the same tokens as those of an item of another suite.
void count_shared(ReadSuites& all) {
  std::map<std::uint64_t, std::set<std::uint32_t>> suites_of;
  std::vector<std::uint64_t> hashes;
  for (std::size_t i = 0; i < all.origins.size();) {
    const SoughtOrigin& origin = all.origins[i];
    std::uint64_t hash = 0;
    for (; i < all.origins.size() && all.origins[i].suite == origin.suite && all.origins[i].item == origin.item; ++i) {
      const std::span<const std::uint64_t> tokens = all.sought.tokens(i);
      hash = mix64(hash + checksum64(tokens.data(), tokens.size_bytes()));
    }
    suites_of[hash].insert(origin.suite);
    hashes.push_back(hash);
  }
  std::size_t item = 0;
  for (std::uint32_t suite = 0; suite < all.items.size(); ++suite) {
    for (Row i = 0; i < all.items[suite].size(); ++i) all.stats[suite].shared += suites_of[hashes[item++]].size() > 1;
  }
}

}  // namespace

void check_decontaminate_options(const Input& input, const std::vector<Suite>& suites, const DecontaminateOptions& options,
                                 const RunOptions& run) {
  require_between(options.size, 1, DecontaminateOptions::kMostSize, "shingle");
  require_share(options.share.value(), "share", "find every item everywhere", "0.45");
  require_between(options.least_item, 1, UINT32_MAX, "least_item");
  if (options.token == Token::element)
    throw Error(ErrorCode::plan, "shingle", "elements of a set have no order; use word, code, char or line");
  if (run.resume) throw Error(ErrorCode::plan, "resume", "a search for benchmark items cannot be resumed; leave it out");
  if (suites.empty()) throw Error(ErrorCode::plan, "against", "names no suite; name at least one file of benchmark items");
  if (input.unit.divides()) throw Error(ErrorCode::plan, "unit", "items are looked for in whole texts; leave it out");
  require_unweighted(input, "a search for benchmark items");
  std::set<std::string> names;
  for (const Suite& suite : suites) {
    require_unweighted(suite.input, "a search for benchmark items");
    if (!options.need.empty()) require_named_texts(suite.input, "each of them is searched for separately");
    if (suite.name.empty()) throw Error(ErrorCode::plan, "against", "a suite without a name; write it as NAME=PATH");
    if (names.insert(suite.name).second) continue;
    throw Error(ErrorCode::plan, "against", "two suites are called " + in_quotes(suite.name) + "; name one of them, as in other=PATH");
  }
}

void require_texts(Format format, const std::string& path) {
  const bool texts = !holds_vectors(format) && format != Format::sets && format != Format::edges && format != Format::table;
  if (texts) return;
  throw Error(ErrorCode::plan, path,
              "is " + std::string(name(format)) + ", and items are looked for in texts; use jsonl, csv, tsv, lines or files");
}

ReadSuites read_suites(const Sources& input, const std::vector<Suite>& suites, const DecontaminateOptions& options, const RunOptions& run) {
  const bool apart = !options.need.empty();
  ReadSuites all{.items = {},
                 .stats = {},
                 .faults = {},
                 .tokens = {.token = options.token, .size = 1, .bag = false, .normalise = options.normalise},
                 .sought = SoughtTexts(
                     {.size = options.size, .least = options.least_item, .share = options.share, .edited = looks_for_edited(options)}),
                 .origins = {},
                 .fields = {},
                 .needed = {}};
  Tokeniser tokeniser(all.tokens);
  for (std::uint32_t suite = 0; suite < suites.size(); ++suite) {
    all.fields.push_back(apart ? text_fields(suites[suite].input) : std::vector<std::string>());
    all.needed.push_back(apart ? needed_fields(all.fields.back(), options, suites[suite].name) : std::vector<bool>{true});
    Input read = suites[suite].input;
    if (apart) read_apart(read, all.fields.back(), all.needed.back());
    SuiteRecords records = read_records(read, suites[suite], input, run, all.faults);
    all.stats.push_back({.name = suites[suite].name, .items = records.items.size()});
    SuiteTexts texts(suite, options, tokeniser, all);
    if (apart) all.stats.back().lacking = add_fields(records, all.fields.back(), texts);
    if (!apart) add_texts(records, texts);
    texts.require_usable(suites[suite]);
    all.items.push_back(std::move(records.items));
  }
  all.sought.finish();
  for (std::uint32_t suite = 0; suite < suites.size(); ++suite) all.stats[suite].common = all.sought.common(suite);
  if (suites.size() > 1) count_shared(all);
  return all;
}

// An item is found where all the fields of it that are needed are; the others of its fields go with them.
void ItemSearch::leave_out_items_in_part(std::vector<FoundText>& found) const {
  std::vector<FoundText> kept;
  const auto origin = [&](const FoundText& text) -> const SoughtOrigin& { return suites_.origins[text.text]; };
  for (std::size_t i = 0; i < found.size();) {
    const SoughtOrigin& first = origin(found[i]);
    std::vector<bool> missing = suites_.needed[first.suite];
    std::size_t end = i;
    for (; end < found.size() && origin(found[end]).suite == first.suite && origin(found[end]).item == first.item; ++end) {
      missing[origin(found[end]).field] = false;
    }
    if (std::find(missing.begin(), missing.end(), true) == missing.end()) {
      kept.insert(kept.end(), found.begin() + static_cast<std::ptrdiff_t>(i), found.begin() + static_cast<std::ptrdiff_t>(end));
    }
    i = end;
  }
  found = std::move(kept);
}

void ItemSearch::find(std::string_view text, Row row, std::vector<Contamination>& hits) {
  const std::vector<FoundText>* found = &search_.find(tokeniser_.tokens(text));
  tokeniser_.give_back();
  if (found->empty()) return;
  std::vector<FoundText> whole = *found;
  leave_out_items_in_part(whole);
  if (whole.empty()) return;
  const std::vector<TextSpan> spans = tokeniser_.spans(text);
  std::vector<TextSpan> in_item;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const FoundText& place = whole[i];
    const SoughtOrigin& origin = suites_.origins[place.text];
    if (i == 0 || place.text != whole[i - 1].text) in_item = tokeniser_.spans(suites_.text(place.text));
    hits.push_back({.row = row,
                    .suite = origin.suite,
                    .item = origin.item,
                    .field = origin.field,
                    .covered = place.covered,
                    .grams = place.grams,
                    .run = place.run,
                    .begin = spans[place.begin].begin,
                    .end = spans[place.end - 1].end,
                    .item_begin = origin.offset + in_item[place.in_begin].begin,
                    .item_end = origin.offset + in_item[place.in_end - 1].end,
                    .edited = place.edited});
  }
}

SuiteCounts::SuiteCounts(const ReadSuites& suites) : suites_(suites), records_(suites.items.size()) {
  for (const Items& items : suites.items) best_.emplace_back(items.size(), Match{.a = 0, .b = 0, .shared = 0, .total = 0});
}

void SuiteCounts::add(std::span<const Contamination> hits) {
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const Contamination& hit = hits[i];
    if (i == 0 || hits[i - 1].suite != hit.suite) ++records_[hit.suite];
    if (!suites_.needed[hit.suite][hit.field]) continue;
    Match& best = best_[hit.suite][hit.item];
    const Match match{.a = 0, .b = 0, .shared = hit.covered, .total = hit.grams};
    if (best.total == 0 || nearer(match, best, Measure::jaccard)) best = match;
  }
}

std::vector<SuiteStats> SuiteCounts::take() const {
  std::vector<SuiteStats> stats = suites_.stats;
  for (std::size_t suite = 0; suite < stats.size(); ++suite) {
    stats[suite].records = records_[suite];
    for (const Match& best : best_[suite]) {
      const std::uint64_t tenths = best.total == 0 ? 0 : std::uint64_t{10} * best.shared / best.total;
      if (best.total == 0) continue;
      ++(tenths == 10 ? stats[suite].whole : tenths >= 8 ? stats[suite].most : tenths >= 5 ? stats[suite].half : stats[suite].less);
    }
  }
  return stats;
}

}  // namespace nearkin
