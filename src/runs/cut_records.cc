#include "runs/cut_records.h"

#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "base/blanks.h"
#include "base/parallel.h"
#include "base/units.h"
#include "base/words.h"
#include "collect/features_again.h"
#include "runs/write_records.h"

namespace nearkin {
namespace {

using Fate = CutRecords::Fate;

std::vector<Row> first_units(const Rows& rows) {
  std::vector<Row> first;
  RowReader reader(rows);
  Location last;
  for (Row row = 0; row < rows.input_rows(); ++row) {
    const Location location = reader.location(row);
    if (row == 0 || !of_one_record(location, last)) first.push_back(row);
    last = location;
  }
  first.push_back(rows.input_rows());
  return first;
}

// Where some units are in a record's text.
std::vector<Span> parts_of(RowReader& reader, const CutRecords& cuts, std::size_t record, const std::vector<bool>& units) {
  std::vector<Span> parts;
  for (Row row = cuts.first[record]; row < cuts.first[record + 1]; ++row) {
    if (units[row]) add_part(parts, span_of(reader.id(row)));
  }
  return parts;
}

// Records of one thread, and their texts where these are needed.
struct RecordTexts {
  RowReader reader;
  const Sources& sources;
  std::string buffer = {};
  Batch batch = {};
  explicit RecordTexts(const Rows& rows) : reader(rows), sources(rows.inputs.front()) {}
  std::string_view text(const CutRecords& cuts, std::size_t record) {
    return text_at(sources, reader.location(cuts.first[record]), buffer, batch);
  }
};

// What goes of a record's text: the units that are cut, without the words of units that stay whole.
std::vector<Span> cuts_of(RecordTexts& texts, const CutRecords& cuts, std::size_t record) {
  std::vector<Span> gone = parts_of(texts.reader, cuts, record, cuts.is_cut);
  if (gone.empty() || cuts.stays_whole.empty()) return gone;
  const std::vector<Span> spared = parts_of(texts.reader, cuts, record, cuts.stays_whole);
  if (!spared.empty()) spare(texts.text(cuts, record), spared, gone);
  return gone;
}

// Units that stay, of groups that lose one.
std::vector<bool> units_that_stay_whole(const std::vector<bool>& is_cut, std::span<const Row> keepers) {
  std::vector<bool> loses(is_cut.size()), whole(is_cut.size());
  for (Row row = 0; row < is_cut.size(); ++row) {
    if (is_cut[row] && keepers[row] < loses.size()) loses[keepers[row]] = true;
  }
  for (Row row = 0; row < is_cut.size(); ++row) whole[row] = !is_cut[row] && keepers[row] < loses.size() && loses[keepers[row]];
  return whole;
}

std::uint32_t count_words_in(std::string_view text, std::span<const Span> parts) {
  std::uint64_t words = 0;
  for (const Span& part : parts) words += count_words(text.substr(part.begin, part.end - part.begin));
  return static_cast<std::uint32_t>(words);
}

// The words from the first that begins in this part of a text to the last that ends in it.
std::optional<Span> words_of(std::string_view text, const Span& part) {
  std::optional<Span> words;
  const std::string_view within = text.substr(part.begin, part.end - part.begin);
  for_each_word(within, false, [&](const char* begin, const char* end) {
    const auto first = static_cast<std::uint64_t>(begin - text.data()), behind = static_cast<std::uint64_t>(end - text.data());
    words = {words ? words->begin : first, behind};
  });
  return words;
}

}  // namespace

void add_part(std::vector<Span>& parts, const Span& next) {
  if (parts.empty() || next.begin > parts.back().end) return parts.push_back(next);
  parts.back().end = std::max(parts.back().end, next.end);
}

void spare(std::string_view text, std::span<const Span> spared, std::vector<Span>& parts) {
  std::vector<Span> left;
  for (const Span& part : parts) {
    std::uint64_t at = part.begin;
    const auto keep_until = [&](std::uint64_t end) {
      if (at >= end) return;
      if (const std::optional<Span> words = words_of(text, {at, end})) left.push_back(*words);
    };
    for (const Span& stays : spared) {
      if (stays.end <= at || stays.begin >= part.end) continue;
      keep_until(stays.begin);
      at = stays.end;
    }
    keep_until(part.end);
  }
  parts.swap(left);
}

std::vector<Span> rest_of(std::string_view text, std::span<const Span> cuts) {
  std::vector<Span> rest;
  const auto add = [&](std::uint64_t begin, std::uint64_t end) {
    if (begin >= end || count_words(text.substr(begin, end - begin)) == 0) return;
    const std::uint64_t first = behind_blanks(text, begin);
    rest.push_back({first, first + before_blanks(text.substr(first, end - first))});
  };
  std::uint64_t at = 0;
  for (const Span& cut : cuts) {
    add(at, cut.begin);
    at = cut.end;
  }
  add(at, text.size());
  return rest;
}

std::vector<std::string> rest_of_record(const Rows& rows, const CutRecords& cuts, std::size_t record) {
  RecordTexts texts(rows);
  const std::vector<Span> gone = cuts_of(texts, cuts, record);
  const std::string owner(owner_of(texts.reader.id(cuts.first[record])));
  std::vector<std::string> names;
  for (const Span& part : rest_of(texts.text(cuts, record), gone)) name_unit(owner, part, names.emplace_back());
  return names;
}

bool decides_by_words(const DedupOptions& options) { return options.most_cut < 1 || options.least_left > 0; }

CutRecords::Fate fate_by_words(std::string_view text, std::span<const Span> cuts, const DedupOptions& options) {
  const std::uint64_t lost = count_words_in(text, cuts), all = count_words(text);
  if (static_cast<double>(lost) > options.most_cut * static_cast<double>(all)) return Fate::left_alone;
  return all - lost < options.least_left ? Fate::removed : Fate::cut;
}

DedupResult::Records CutRecords::counts() const {
  const auto count = [&](Fate wanted) { return static_cast<std::uint64_t>(std::count(fate.begin(), fate.end(), wanted)); };
  return {.read = fate.size(), .cut = count(Fate::cut), .removed = count(Fate::removed), .left_alone = count(Fate::left_alone)};
}

// A text that was cut because another record has it must not go with that record, however little is left of that.
static void keep_needed_records(std::span<const Row> keepers, CutRecords& cuts) {
  std::vector<bool> needed(cuts.is_cut.size());
  for (std::size_t i = 0; i < cuts.fate.size(); ++i) {
    for (Row row = cuts.first[i]; row < cuts.first[i + 1]; ++row) {
      const Row keeper = keepers[row];
      const bool elsewhere = keeper < cuts.first[i] || keeper >= cuts.first[i + 1];
      if (cuts.is_cut[row] && elsewhere && keeper < needed.size() && !cuts.is_cut[keeper]) needed[keeper] = true;
    }
  }
  for (std::size_t i = 0; i < cuts.fate.size(); ++i) {
    if (cuts.fate[i] != Fate::removed) continue;
    const auto begin = needed.begin() + cuts.first[i], end = needed.begin() + cuts.first[i + 1];
    if (std::find(begin, end, true) != end) cuts.fate[i] = Fate::cut;
  }
}

CutRecords decide_cuts(const Rows& rows, const Stage& stage, std::vector<bool> repeated, std::span<const Row> keepers, bool overlap,
                       const DedupOptions& options) {
  CutRecords cuts{.first = first_units(rows), .fate = {}, .is_cut = std::move(repeated)};
  if (overlap) cuts.stays_whole = units_that_stay_whole(cuts.is_cut, keepers);
  const std::size_t records = cuts.first.size() - 1;
  cuts.fate.assign(records, Fate::as_it_is);
  const bool by_words = decides_by_words(options);
  parallel_for(records, kFeatureBlock, stage.threads, [&](std::size_t begin, std::size_t end, unsigned) {
    RecordTexts texts(rows);
    for (std::size_t i = begin; i < end; ++i) {
      const std::vector<Span> gone = cuts_of(texts, cuts, i);
      if (!gone.empty()) cuts.fate[i] = by_words ? fate_by_words(texts.text(cuts, i), gone, options) : Fate::cut;
    }
  });
  for (std::size_t i = 0; i < records; ++i) {
    if (cuts.fate[i] != Fate::left_alone) continue;
    for (Row row = cuts.first[i]; row < cuts.first[i + 1]; ++row) cuts.is_cut[row] = false;
  }
  if (options.least_left > 0) keep_needed_records(keepers, cuts);
  return cuts;
}

template <typename PartsOf>
static std::vector<CutRecords::Share> shares_by(const Rows& rows, const Stage& stage, const CutRecords& cuts, PartsOf parts_of_record) {
  std::vector<CutRecords::Share> shares(cuts.fate.size());
  parallel_for(shares.size(), kFeatureBlock, stage.threads, [&](std::size_t begin, std::size_t end, unsigned) {
    RecordTexts texts(rows);
    for (std::size_t i = begin; i < end; ++i) {
      const std::vector<Span> parts = parts_of_record(texts, i);
      const std::string_view text = texts.text(cuts, i);
      shares[i] = {.part = count_words_in(text, parts), .words = static_cast<std::uint32_t>(count_words(text))};
    }
  });
  return shares;
}

std::vector<CutRecords::Share> shares_of(const Rows& rows, const Stage& stage, const CutRecords& cuts, const std::vector<bool>& units) {
  return shares_by(rows, stage, cuts, [&](RecordTexts& texts, std::size_t i) { return parts_of(texts.reader, cuts, i, units); });
}

std::vector<CutRecords::Share> shares_cut(const Rows& rows, const Stage& stage, const CutRecords& cuts) {
  return shares_by(rows, stage, cuts, [&](RecordTexts& texts, std::size_t i) { return cuts_of(texts, cuts, i); });
}

namespace {

// What is added to the records, and one record's values of it.
class CutFields {
 public:
  CutFields(const CutRecords& cuts, const DedupOptions& options) : cuts_(cuts) {
    if (options.annotate) fields_ = {.names = {"cut", "cut_share"}, .refusal = "which annotate adds; rename it"};
    if (!options.share_field) return;
    if (!options.annotate) fields_.refusal = "which share_field adds; give it another name";
    fields_.names.push_back(*options.share_field);
  }
  const AddedFields& fields() const { return fields_; }

  std::string add_to(const std::string& record, const Sources& sources, RecordTexts& texts, std::size_t i) const {
    if (fields_.names.empty()) return record;
    const Location location = texts.reader.location(cuts_.first[i]);
    const bool json = sources.format(location.source) == Format::jsonl;
    std::string spans, cut, repeated;
    std::vector<AddedValue> values;
    if (!cuts_.cut.empty()) {
      for (const Span& span : cuts_of(texts, cuts_, i)) {
        spans += (spans.empty() ? "" : " ") + std::to_string(span.begin) + "-" + std::to_string(span.end);
      }
      cut = share_text(cuts_.cut[i], json);
      values = {std::string_view(spans), SpelledNumber{cut}};
    }
    if (!cuts_.repeated.empty()) {
      repeated = share_text(cuts_.repeated[i], json);
      values.emplace_back(SpelledNumber{repeated});
    }
    return with_added(sources, location, record, fields_, values);
  }

 private:
  static std::string share_text(const CutRecords::Share& share, bool json) {
    if (share.words == 0) return "0";
    const Match part{.a = 0, .b = 0, .shared = share.part, .total = share.words};
    return json ? number_text(part, Measure::jaccard) : similarity_text(part);
  }

  const CutRecords& cuts_;
  AddedFields fields_;
};

}  // namespace

void write_cut(const Rows& rows, const Stage& stage, const CutRecords& cuts, const DedupOptions& options, std::span<const Location> faults,
               OutputFile& output) {
  constexpr std::size_t kAtOnce = 1024;
  const Sources& sources = rows.inputs.front();
  const CutFields added(cuts, options);
  RecordWriter writer(sources, output, added.fields());
  writer.begin_with_header();
  std::vector<std::string> buffers(stage.threads);
  std::size_t next = 0;
  ordered_pipeline(
      stage.threads,
      [&]() -> std::optional<std::size_t> {
        const std::size_t begin = next;
        next += kAtOnce;
        return begin < cuts.fate.size() ? std::optional(begin) : std::nullopt;
      },
      [&](std::size_t&& begin, unsigned worker) {
        RecordTexts texts(rows);
        RowReader& reader = texts.reader;
        std::vector<std::string> records;
        FaultCursor cursor = begin == 0 ? FaultCursor(faults) : FaultCursor(faults, reader.location(cuts.first[begin]));
        const auto add_fault = [&](const Location& fault) {
          records.push_back(with_blanks(sources, fault, sources.read(fault, buffers[worker]), added.fields()));
        };
        const std::size_t end = std::min(begin + kAtOnce, cuts.fate.size());
        for (std::size_t i = begin; i < end; ++i) {
          const Location location = reader.location(cuts.first[i]);
          const Fate fate = options.annotate ? Fate::as_it_is : cuts.fate[i];
          cursor.before(location, add_fault);
          if (fate == Fate::removed) continue;
          const std::string record = fate == Fate::cut ? sources.read_without(location, cuts_of(texts, cuts, i), buffers[worker])
                                                       : std::string(sources.read(location, buffers[worker]));
          records.push_back(added.add_to(record, sources, texts, i));
        }
        if (end == cuts.fate.size()) {
          cursor.rest(add_fault);
        } else {
          cursor.before(reader.location(cuts.first[end]), add_fault);
        }
        return records;
      },
      [&](const std::vector<std::string>& records) {
        for (const std::string& record : records) writer.write(record);
      });
}

void require_cuttable(const Sources& sources, const char* option) {
  for (std::size_t i = 0; i < sources.size(); ++i) require_cuttable(sources, i, option);
}

void require_cuttable(const Sources& sources, std::size_t source, const char* option) {
  const Format format = sources.format(source);
  const bool lines = format == Format::jsonl || format == Format::csv || format == Format::tsv || format == Format::lines;
  if (lines && sources.reads_pages(source)) {
    throw Error(ErrorCode::plan, option,
                sources.name(source) +
                    " is read as pages of HTML, which are not cut; leave html out, or write their visible texts as records first");
  }
  if (lines) return;
  throw Error(ErrorCode::plan, option,
              sources.name(source) + " is read as format " + std::string(name(format)) + ", whose records are not cut; " +
                  (std::string_view(option) == "passages" ? "'passages' lists" : "'pairs' and 'cluster' list") +
                  " what repeats, and jsonl, csv, tsv and lines can be cut");
}

}  // namespace nearkin
