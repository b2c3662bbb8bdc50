// Items planted on purpose in copies of records, and what was found of them.
#include <nearkin/decontaminate.h>

#include <algorithm>
#include <cmath>

#include <nearkin/error.h>

#include "base/hash.h"
#include "io/source/for_each_batch.h"
#include "runs/suites.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

constexpr std::size_t kSampleRecords = 20'000, kSampleBytes = std::size_t{64} << 20;

/// The first records of the input.
Items read_sample(Sources& sources, const RunOptions& run, Faults& faults) {
  Items sample;
  const auto enough = [&] { return sample.size() >= kSampleRecords || sample.texts.bytes() >= kSampleBytes; };
  RunStats stats;
  Reading reading = reading_of(run, &stats);
  reading.on_source = [&](std::size_t i) { require_texts(sources.format(i), sources.name(i)); };
  // Threads read ahead: what counts is decided record by record, in order.
  std::atomic<bool> done = false;
  reading.enough = [&] { return done.load(); };
  for_each_batch(sources, reading, [&](ReadBatch& part) {
    for (Row i = 0; i < part.batch.items.size() && !enough(); ++i) sample.add(part.batch.items.id(i), part.batch.items.text(i));
    done = enough();
  });
  require_usable(sample.size(), stats.faults);
  if (sample.size() == 0) throw Error(ErrorCode::data, "inject", "the input has no records to plant items in; name one that has some");
  merge_faults(faults, stats.faults);
  return sample;
}

bool is_blank_byte(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// Makes the forms of items. All that is random comes from one stream.
class Planter {
 public:
  Planter(const ReadSuites& suites, const Items& sample, const InjectOptions& options)
      : sample_(sample), options_(options), tokeniser_(suites.tokens), random_(mix64(options.seed)) {}

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(multiply128(random_(), limit).high); }

  /// Behind a word of a record of the sample.
  std::string inside(std::string_view item) {
    const std::string_view host = sample_.text(static_cast<Row>(below(sample_.size())));
    std::size_t at = below(host.size() + 1);
    while (at < host.size() && !is_blank_byte(host[at])) ++at;
    return std::string(host.substr(0, at)).append("\n\n").append(item).append("\n\n").append(host.substr(at));
  }

  /// A share of its tokens, at least one, replaced by tokens of the sample.
  std::string changed(std::string_view item) {
    const std::vector<TextSpan> spans = tokeniser_.spans(item);
    std::vector<std::size_t> order(spans.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto share = static_cast<std::size_t>(std::llround(options_.changed * static_cast<double>(spans.size())));
    const std::size_t count = std::min(std::max<std::size_t>(share, 1), spans.size());
    for (std::size_t i = 0; i < count; ++i) std::swap(order[i], order[i + below(order.size() - i)]);
    std::vector<bool> goes(spans.size());
    for (std::size_t i = 0; i < count; ++i) goes[order[i]] = true;
    std::string out;
    std::size_t at = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (!goes[i] || spans[i].begin < at) continue;
      out.append(item, at, spans[i].begin - at).append(other_word(item.substr(spans[i].begin, spans[i].end - spans[i].begin)));
      at = spans[i].end;
    }
    return out.append(item, at);
  }

  /// Four words a line.
  static std::string lines(std::string_view item) {
    std::string out;
    std::size_t blanks = 0;
    for (const char c : item) out += is_blank_byte(c) && ++blanks % 4 == 0 ? '\n' : c;
    return out;
  }

  /// Capital letters, and other marks in place of those between words.
  static std::string other_case(std::string_view item) {
    constexpr std::string_view kMarks = ".,;:!?\"'()-", kOthers = "!;,.?.'\"[]/";
    std::string out;
    for (const char c : item) {
      const std::size_t mark = kMarks.find(c);
      out += mark != std::string_view::npos ? kOthers[mark] : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return out;
  }

 private:
  std::string other_word(std::string_view word) {
    for (int tries = 0; tries < 20; ++tries) {
      const std::string_view host = sample_.text(static_cast<Row>(below(sample_.size())));
      std::size_t begin = below(host.size() + 1);
      while (begin < host.size() && !is_blank_byte(host[begin])) ++begin;
      while (begin < host.size() && is_blank_byte(host[begin])) ++begin;
      std::size_t end = begin;
      while (end < host.size() && !is_blank_byte(host[end])) ++end;
      if (end > begin && host.substr(begin, end - begin) != word) return std::string(host.substr(begin, end - begin));
    }
    return "other";
  }

  const Items& sample_;
  const InjectOptions& options_;
  Tokeniser tokeniser_;
  SplitMix random_;
};

/// Those that can be found at all.
std::vector<Row> usable_items(const ReadSuites& suites, std::uint32_t suite) {
  std::vector<Row> usable;
  std::vector<bool> bad(suites.items[suite].size());
  for (std::size_t text = 0; text < suites.origins.size(); ++text) {
    const SoughtOrigin& origin = suites.origins[text];
    if (origin.suite == suite && suites.needed[suite][origin.field] && suites.sought[text].grams == 0) bad[origin.item] = true;
  }
  for (Row item = 0; item < bad.size(); ++item) {
    if (!bad[item]) usable.push_back(item);
  }
  return usable;
}

class Planting {
 public:
  Planting(const ReadSuites& suites, const Items& sample, const InjectOptions& options)
      : suites_(suites), options_(options), planter_(suites, sample, options), search_(suites) {
    for (const char* const name : {"verbatim", "inside", "changed", "lines", "case"}) forms_.push_back({.name = name});
  }

  std::vector<InjectedForm> plant_all() {
    for (std::uint32_t suite = 0; suite < suites_.items.size(); ++suite) {
      std::vector<Row> items = usable_items(suites_, suite);
      const std::size_t count = std::min<std::size_t>(options_.items, items.size());
      for (std::size_t i = 0; i < count; ++i) {
        std::swap(items[i], items[i + planter_.below(items.size() - i)]);
        plant(suite, items[i]);
      }
    }
    return forms_;
  }

 private:
  void plant(std::uint32_t suite, Row item) {
    const std::string_view text = suites_.items[suite].text(item);
    const std::string texts[] = {std::string(text), planter_.inside(text), planter_.changed(text), Planter::lines(text),
                                 Planter::other_case(text)};
    for (std::size_t form = 0; form < forms_.size(); ++form) {
      hits_.clear();
      search_.find(texts[form], 0, hits_);
      ++forms_[form].planted;
      forms_[form].found +=
          std::any_of(hits_.begin(), hits_.end(), [&](const Contamination& hit) { return hit.suite == suite && hit.item == item; });
    }
  }

  const ReadSuites& suites_;
  const InjectOptions& options_;
  Planter planter_;
  ItemSearch search_;
  std::vector<InjectedForm> forms_;
  std::vector<Contamination> hits_;
};

void flag_clean(const ReadSuites& suites, const Items& sample, InjectResult& result) {
  ItemSearch search(suites);
  SuiteCounts counts(suites);
  std::vector<Contamination> hits;
  for (Row row = 0; row < sample.size(); ++row) {
    hits.clear();
    search.find(sample.text(row), row, hits);
    if (hits.empty()) continue;
    ++result.flagged;
    counts.add(hits);
    if (result.first.size() == InjectResult::kNamed) continue;
    const Contamination& hit = hits.front();
    result.first.push_back(
        {std::string(sample.id(row)), suites.stats[hit.suite].name, std::string(suites.items[hit.suite].id(hit.item)), hit});
  }
  result.clean = sample.size();
  result.suites = counts.take();
}

}  // namespace

InjectResult inject(const Input& input, const std::vector<Suite>& suites, const DecontaminateOptions& options, const InjectOptions& planted,
                    const RunOptions& run) {
  check_decontaminate_options(input, suites, options, run);
  require_between(planted.items, 1, UINT32_MAX, "inject");
  require_share(planted.changed, "changed", "nothing would be changed", "0.1");
  Sources sources(input, false);
  const ReadSuites read = read_suites(sources, suites, options, run);
  InjectResult result;
  result.faults = read.faults;
  const Items sample = read_sample(sources, run, result.faults);
  result.forms = Planting(read, sample, planted).plant_all();
  flag_clean(read, sample, result);
  return result;
}

}  // namespace nearkin
