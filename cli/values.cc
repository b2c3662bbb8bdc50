#include "values.h"

#include <algorithm>

#include <fmt/format.h>
#include <nearkin/tools/spelling.h>

#include "flags.h"
#include "split.h"

namespace nearkin::cli {
namespace {

struct FlagWords {
  std::string_view flag;
  unsigned commands;  ///< CommandBits; the first row of a flag that has the command counts
  const char* words;
};

constexpr const char* kFormatsOfTexts = "jsonl csv tsv lines files warc packed";
constexpr const char* kFormatsOfSets = "jsonl csv tsv lines files sets edges table warc packed";
constexpr const char* kEveryFormat = "jsonl csv tsv lines files sets edges table sparse dense bits warc packed";
constexpr unsigned kReadTexts = kPassages | kDecontaminate;

constexpr FlagWords kFlagWords[] = {
    {"--measure", kCurve, "jaccard weighted-jaccard cosine hamming euclidean manhattan"},
    {"--measure", kIndex, "jaccard weighted-jaccard containment cosine hamming euclidean manhattan"},
    {"--measure", kExplain, "jaccard weighted-jaccard containment"},
    {"--measure", kSketch, "jaccard weighted-jaccard hamming"},
    {"--measure", ~0u, "jaccard weighted-jaccard containment cosine hamming euclidean manhattan exact"},
    {"--shingle", kPassages, "word code char line"},
    {"--shingle", kDecontaminate, "word:N code:N char:N line:N"},
    {"--shingle", ~0u, "char:K word:K code:K line:K element:K"},
    {"--normalise", ~0u, "text none code code:no-comments code:identifiers"},
    {"--features", ~0u, "tfidf tfidf:sublinear tfidf:cap=N tfidf:sublinear:cap=N"},
    {"--binarise", kIndex, "sign"},
    {"--binarise", ~0u, "median mean sign unary:N"},
    {"--recall-at", ~0u, "threshold average"},
    {"--share-of", ~0u, "query item"},
    {"--for", ~0u, "pairs cluster dedup"},
    {"--verify", ~0u, "exact estimate none"},
    {"--linkage", ~0u, "connected star"},
    {"--keep", kSketch, "max:FIELD min:FIELD"},
    {"--keep", ~0u, "first last longest shortest max:FIELD min:FIELD"},
    {"--drop", ~0u, "repeated"},
    {"--repeats", ~0u, "first none"},
    {"--sweep", ~0u, "rows=VALUES bands=VALUES hashes=VALUES max-candidates=VALUES probes=VALUES width=VALUES recall=VALUES seed=VALUES"},
    {"--format", kReadTexts, kFormatsOfTexts},
    {"--format", kSketch, kFormatsOfSets},
    {"--format", kCompare, "sparse dense bits sets edges table"},
    {"--format", ~0u, kEveryFormat},
    {"--against-format", kReadTexts, kFormatsOfTexts},
    {"--against-format", ~0u, kEveryFormat},
    {"--directed", ~0u, "out in both"},
    {"--encoding", ~0u, "utf-8 latin1 windows-1252 utf-16 auto"},
    {"--html", ~0u, "text raw"},
    {"--unit", ~0u, "document paragraph line sentence window:WORDS/STEP"},
    {"--faults", kDedup | kDecontaminate, "keep skip stop"},
    {"--faults", ~0u, "skip stop"},
    {"--same-id", ~0u, "refuse keep"},
    {"--truth-kind", ~0u, "pairs clusters"},
    {"--do", ~0u, "mark cut remove"},
    {"--progress", ~0u, "auto always never"},
};

bool is_open(std::string_view value) { return beginning_of_value(value).size() < value.size(); }

/// Where a value's own part begins: behind the last sign of its beginning.
std::size_t behind_sign(std::string_view typed) {
  const std::size_t sign = typed.find_first_of(":=");
  return sign == std::string_view::npos ? 0 : sign + 1;
}

}  // namespace

std::vector<std::string> values_of(std::string_view flag, unsigned command) {
  const auto* const found = std::find_if(std::begin(kFlagWords), std::end(kFlagWords),
                                         [&](const FlagWords& row) { return row.flag == flag && (row.commands & command) != 0; });
  return found == std::end(kFlagWords) ? std::vector<std::string>() : split(found->words, ' ');
}

std::string listed_values(const std::vector<std::string>& values) {
  std::string list;
  for (std::size_t i = 0; i < values.size(); ++i) list += (i == 0 ? "" : i + 1 == values.size() ? " or " : ", ") + values[i];
  return list;
}

std::string beginning_of_value(std::string_view value) {
  return std::string(value.substr(0, value.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ")));
}

std::optional<std::string> nearest_value(const std::string& typed, const std::vector<std::string>& values) {
  std::vector<std::string> heads;
  for (const std::string& value : values) {
    const std::string head = beginning_of_value(value);
    if (is_open(value) ? typed.size() > head.size() && typed.starts_with(head) : typed == value) return std::nullopt;
    if (is_open(value)) heads.push_back(head);
  }
  if (typed.size() < 2) return std::nullopt;  // one letter is near to anything
  // words:5 as word:5, before it is taken for some other word.
  const std::size_t own = behind_sign(typed);
  if (const auto head = own == 0 ? std::nullopt : nearest_name(typed.substr(0, own), heads)) return *head + typed.substr(own);
  const auto near = nearest_name(typed, values);
  if (near) return typed.starts_with(*near + ":") ? std::nullopt : near;  // code:identifiers:jaba: what is wrong comes behind
  constexpr std::size_t kLeast = 3;
  const auto longer =
      std::find_if(values.begin(), values.end(), [&](const std::string& value) { return value.starts_with(typed) && !is_open(value); });
  return typed.size() < kLeast || longer == values.end() ? std::nullopt : std::optional(*longer);
}

}  // namespace nearkin::cli
