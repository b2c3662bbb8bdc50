#include <nearkin/ignore.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <nearkin/error.h>
#include <nearkin/tools/compare.h>

#include "collect/for_each_text.h"
#include "collect/ignored_list.h"
#include "feature/ignored.h"
#include "feature/shingler.h"
#include "io/source/inputs.h"

namespace nearkin {
namespace {

// All shingles, each once.
ShinglePlan every_shingle(const ShinglePlan& plan) {
  ShinglePlan every = ignore_hashes(plan, {});
  every.bag = false;
  return every;
}

using Found = std::unordered_map<std::uint64_t, IgnoredShingle>;

// Several spellings may be one shingle ("a, b" and "a b"): the choice must not depend on threads.
void take_text(IgnoredShingle& shingle, std::string_view text) {
  if (shingle.text.empty() || text < shingle.text) shingle.text = text;
}

// Counts the item for each of its shingles that is ignored.
void find_ignored(const ShingleSpans& shingles, const IgnoredShingles& ignored, Found& found) {
  std::vector<std::uint64_t> met;
  for (const ShingleSpans::Span& span : shingles.spans) {
    if (!ignored.contains(span.hash)) continue;
    met.push_back(span.hash);
    take_text(found[span.hash], std::string_view(shingles.normalised).substr(span.begin, span.end - span.begin));
  }
  std::sort(met.begin(), met.end());
  met.erase(std::unique(met.begin(), met.end()), met.end());
  for (const std::uint64_t hash : met) ++found[hash].items;
}

// The hash of a shingle of characters that begins or ends with a blank, as list_ignored spells it; as a text it would lose the blank.
// Absent for other texts.
std::optional<std::uint64_t> shingle_with_blanks(std::string_view text, const ShinglePlan& plan) {
  constexpr std::size_t kMostBytes = 4;  // of a character
  if (plan.token != Token::character || text.empty() || text.size() > kMostBytes * plan.size) return std::nullopt;
  if (text.front() != ' ' && text.back() != ' ') return std::nullopt;
  const std::string before = text.front() == ' ' ? "x" : "", after = text.back() == ' ' ? "x" : "";
  const ShingleSpans shingles = shingle_spans(before + std::string(text) + after, plan);
  for (const ShingleSpans::Span& span : shingles.spans) {
    if (span.begin == before.size() && std::string_view(shingles.normalised).substr(span.begin, span.end - span.begin) == text)
      return span.hash;
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t ignored_count(const ShinglePlan& plan) { return plan.ignored ? plan.ignored->hashes().size() : 0; }

std::vector<std::uint64_t> ignored_hashes(const ShinglePlan& plan) {
  if (!plan.ignored) return {};
  return {plan.ignored->hashes().begin(), plan.ignored->hashes().end()};
}

ShinglePlan ignore_hashes(const ShinglePlan& plan, std::vector<std::uint64_t> hashes) {
  ShinglePlan result = plan;
  result.ignored = hashes.empty() ? nullptr : std::make_shared<const IgnoredShingles>(std::move(hashes));
  result.ignore = result.ignored ? result.ignored->identity() : 0;
  return result;
}

ShinglePlan ignore_templates(const ShinglePlan& plan, const Input& templates, const RunOptions& run) {
  struct Gatherer {
    Shingler shingler;
    std::vector<std::uint64_t> hashes = {};
  };
  const ShinglePlan every = every_shingle(plan);
  std::vector<std::uint64_t> hashes = ignored_hashes(plan);
  const std::size_t before = hashes.size();
  const ListedTemplates listed = read_ignored_lists(templates, every);
  hashes.insert(hashes.end(), listed.hashes.begin(), listed.hashes.end());
  if (listed.lists > 0 && listed.texts.paths.empty()) return ignore_hashes(plan, std::move(hashes));
  RunStats read;  // a record without the text's field must not look like an empty template
  for (const Gatherer& part : for_each_text(
           listed.texts, nullptr, run, [&] { return Gatherer{Shingler(every)}; },
           [&](Gatherer&gatherer, std::string_view text, std::uint64_t) {
             if (const auto blank = shingle_with_blanks(text, every)) return gatherer.hashes.push_back(*blank);
             const std::span<const std::uint64_t> shingles = gatherer.shingler.shingles(text);
             gatherer.hashes.insert(gatherer.hashes.end(), shingles.begin(), shingles.end());
           },
           &read)) {
    hashes.insert(hashes.end(), part.hashes.begin(), part.hashes.end());
  }
  if (hashes.size() == before) {
    const std::string what = templates.paths.size() == 1 ? templates.paths.front() : "what is to be ignored";
    throw Error(ErrorCode::plan, "ignore", what + " has no shingles; name files with text");
  }
  return ignore_hashes(plan, std::move(hashes));
}

void require_ignored_listable(const Input& input, const Input* against) {
  if (can_be_read_again(input) && (against == nullptr || can_be_read_again(*against))) return;
  throw Error(ErrorCode::plan, "ignored",
              "standard input and pipes can be read only once, and the list needs them again; write the data to a file, and name that");
}

std::vector<IgnoredShingle> list_ignored(const ShinglePlan& plan, const Input& input, const Input* against, const RunOptions& run) {
  if (!plan.ignored) return {};
  require_ignored_listable(input, against);
  const ShinglePlan every = every_shingle(plan);
  Found all;
  for (const Found& part : for_each_text(
           input, against, run, [] { return Found(); },
           [&](Found&found, std::string_view text, std::uint64_t) { find_ignored(shingle_spans(text, every), *plan.ignored, found); })) {
    for (const auto& [hash, shingle] : part) {
      IgnoredShingle& sum = all[hash];
      sum.items += shingle.items;
      take_text(sum, shingle.text);
    }
  }
  std::vector<IgnoredShingle> list;
  for (auto& [hash, shingle] : all) {
    list.push_back(std::move(shingle));
    list.back().hash = hash;
  }
  std::sort(list.begin(), list.end(), [](const IgnoredShingle& a, const IgnoredShingle& b) {
    if (a.items != b.items) return a.items > b.items;
    return a.text != b.text ? a.text < b.text : a.hash < b.hash;
  });
  return list;
}

}  // namespace nearkin
