// nearkin explain: one or two small items, step by step.
#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>

#include "errors.h"
#include "explanation.h"
#include "flags.h"
#include "lecture.h"
#include "options.h"
#include "talk.h"
#include "text_file.h"

namespace nearkin::cli {
namespace {

constexpr std::size_t kSmall = 100'000;  // bytes
constexpr ExplainLimits kForTheEye{.rows = 12, .characters = 300};
constexpr ExplainLimits kForPrograms{.rows = 1000, .characters = 100'000};
constexpr std::size_t kMostColumns = 100;
constexpr ExplainLimits kEverything{.rows = SIZE_MAX, .characters = SIZE_MAX};

/// --permutations and --hash: the lecture on min-hashing.
bool is_lecture(const ParsedArgs& typed) { return typed.permutations || !typed.row_hashes.empty(); }

/// --text and OTHER are texts; without it FILE and OTHER are files. A lecture takes more of them.
std::vector<NamedText> texts_of(const ParsedArgs& typed) {
  std::vector<NamedText> texts;
  const std::size_t most = is_lecture(typed) ? kMostColumns : 2;
  if (typed.text) {
    if (typed.inputs.size() >= most) {
      throw UsageError(fmt::format("explain: takes one other text beside --text, {} given", typed.inputs.size()));
    }
    texts.push_back({"", *typed.text});
    for (const std::string& other : typed.inputs) texts.push_back({"", other});
    return texts;
  }
  if (typed.inputs.empty() || typed.inputs.size() > most) {
    throw UsageError(fmt::format("explain: takes one file or two, {} given; --text \"...\" gives a text by itself", typed.inputs.size()));
  }
  for (const std::string& path : typed.inputs) texts.push_back({path, read_text_file(typed, path, "explain")});
  return texts;
}

void refuse_other_measures(Measure measure, const char* flag) {
  if (measure == Measure::jaccard || measure == Measure::weighted_jaccard || measure == Measure::containment) return;
  throw UsageError(fmt::format("{}: explain shows how sets of shingles are compared, not {}; use jaccard, weighted-jaccard or containment",
                               flag, name(measure)));
}

/// Nothing is read to tune for: it is the plan that the goal has by itself.
Plan explained_plan(const ParsedArgs& typed) {
  if (typed.measure) refuse_other_measures(parse_measure(*typed.measure), "--measure");
  const Plan plan = plan_for(typed, {}, {});
  refuse_other_measures(plan.measure, "--plan");
  if (plan.kind != Kind::shingles) {
    throw UsageError(fmt::format("--plan: explain shows shingles, and features={} has none; use another plan", name(plan.kind)));
  }
  if (plan.nearest > 0) throw UsageError("--plan: explain shows bands, and a plan for the nearest has none; use one with a threshold");
  return plan;
}

/// How files are read, while --text gives the text itself.
void refuse_reading_beside_text(const ParsedArgs& typed) {
  if (!typed.text) return;
  refuse_typed({{typed.encoding.has_value(), "--encoding"},
                {typed.html.has_value(), "--html"},
                {typed.pre.has_value(), "--pre"},
                {!typed.pre_globs.empty(), "--pre-glob"},
                {typed.pre_timeout.has_value(), "--pre-timeout"}},
               "has no use with --text, which is the text itself; leave one of them out");
}

/// "3": so many random ones.
bool is_number(const std::string& text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos; }

void refuse_beside_lecture(const ParsedArgs& typed) {
  refuse_typed(
      {{typed.hashes.has_value(), "--hashes"}, {typed.threshold.has_value(), "--threshold"}, {typed.recall.has_value(), "--recall"}},
      fmt::format("has no use with {}, which needs no sketch; leave one of them out", typed.permutations ? "--permutations" : "--hash"));
  if (typed.seed && !(typed.permutations && is_number(*typed.permutations))) {
    throw UsageError("--seed: has no use here, as nothing is random; --permutations N takes random ones");
  }
  if (!typed.matrix) return;
  refuse_typed({{!typed.inputs.empty(), "FILE"},
                {typed.text.has_value(), "--text"},
                {typed.plan.has_value(), "--plan"},
                {typed.shingle.has_value(), "--shingle"},
                {typed.measure.has_value(), "--measure"},
                {typed.bag, "--bag"},
                {typed.html.has_value(), "--html"},
                {typed.pre.has_value(), "--pre"},
                {!typed.pre_globs.empty(), "--pre-glob"},
                {typed.pre_timeout.has_value(), "--pre-timeout"},
                {!typed.ignore.empty(), "--ignore"},
                {typed.normalise.has_value(), "--normalise"}},
               "has no use with --matrix, which has the sets; leave one of them out");
}

std::vector<RowFunction> row_functions(const ParsedArgs& typed, const Matrix& matrix) {
  std::vector<RowFunction> functions;
  if (typed.permutations) {
    const std::string& text = *typed.permutations;
    const std::uint64_t seed = typed.seed ? whole(*typed.seed, "--seed", 0) : 1;
    functions = is_number(text) ? random_permutations(whole(text, "--permutations", 1, 1000), matrix.rows.size(), seed)
                                : parse_permutations(read_text_file(typed, text, "explain"), matrix);
  }
  const std::vector<RowFunction> hashes = hash_functions(typed.row_hashes, matrix);
  functions.insert(functions.end(), hashes.begin(), hashes.end());
  return functions;
}

/// --bands and --rows; one of the two follows from the other.
std::optional<Banding> banding_of(const ParsedArgs& typed, std::size_t functions) {
  if (!typed.bands && !typed.rows) return {};
  const auto given = [](const std::string& text, const char* flag) { return static_cast<std::size_t>(whole(text, flag, 1, 1'000'000)); };
  Banding banding;
  banding.bands = typed.bands ? given(*typed.bands, "--bands") : functions / given(*typed.rows, "--rows");
  banding.rows = typed.rows ? given(*typed.rows, "--rows") : functions / banding.bands;
  if (banding.bands * banding.rows == functions) return banding;
  throw UsageError(fmt::format("{}: {} cannot be divided into {}; bands times rows must be their number",
                               typed.bands ? "--bands" : "--rows", counted(functions, "function"),
                               typed.bands && typed.rows ? fmt::format("{} bands of {} rows", banding.bands, banding.rows)
                               : typed.bands             ? counted(banding.bands, "band")
                                                         : fmt::format("bands of {} rows", *typed.rows)));
}

/// The signatures after each row are kept, which no one can read of a large matrix.
void refuse_large(const Matrix& matrix, std::size_t functions) {
  constexpr std::size_t kMostSlots = 10'000'000;
  if (matrix.rows.empty()) throw UsageError("explain: the texts have no shingle, so there is no row to hash");
  if (matrix.rows.size() * matrix.columns.size() * functions <= kMostSlots) return;
  throw UsageError(fmt::format("explain: {} of {} by {} are too much to show step by step; take a shorter text or fewer functions",
                               counted(matrix.rows.size(), "row"), counted(matrix.columns.size(), "column"),
                               counted(functions, "function")));
}

int run_lecture(const ParsedArgs& typed) {
  refuse_beside_lecture(typed);
  Matrix matrix = typed.matrix ? parse_matrix(read_text_file(typed, *typed.matrix, "explain"))
                               : matrix_of(texts_of(typed), explained_plan(typed).shingle);
  refuse_large(matrix, 1);
  std::vector<RowFunction> functions = row_functions(typed, matrix);
  refuse_large(matrix, functions.size());
  const std::optional<Banding> banding = banding_of(typed, functions.size());
  Lecture lesson = lecture(std::move(matrix), std::move(functions));
  lesson.banding = banding;
  write_text(typed.json ? lecture_json(lesson) : lecture_text(lesson, typed.all ? kEverything : kForTheEye), output_of(typed));
  return 0;
}

int run_explain(const ParsedArgs& typed) {
  refuse_reading_beside_text(typed);
  if (is_lecture(typed)) return run_lecture(typed);
  if (typed.matrix) throw UsageError("--matrix: needs --permutations or --hash, such as --permutations 3 or --hash 'x+1 mod 5'");
  const Plan plan = explained_plan(typed);
  const std::vector<NamedText> texts = texts_of(typed);
  const Explanation explanation = explain(texts, plan);
  const ExplainLimits limits = typed.all ? kEverything : typed.json ? kForPrograms : kForTheEye;
  write_text(typed.json ? explanation_json(explanation, limits) : explanation_text(explanation, limits), output_of(typed));
  for (const NamedText& text : texts) {
    if (text.text.size() <= kSmall) continue;
    say(typed, fmt::format("{}: {}; explain is for small items, and shows the beginning of large ones",
                           text.name.empty() ? "--text" : text.name, counted(text.text.size(), "byte")));
  }
  return 0;
}

}  // namespace

const Command kExplainCommand{
    .bit = kExplain,
    .name = "explain",
    .arguments = "FILE|--text TEXT|--matrix FILE [OTHER]",
    .summary = "show every step for one or two small items",
    .about =
        "Shows every step for a small text: its shingles, their hashes, the slots of its sketch (one hash each), its bands and buckets. "
        "For\n"
        "two texts it also shows whether they become candidates, and the estimate of their similarity beside the exact value.\n"
        "With --permutations or --hash it shows textbook min-hashing instead: the matrix of elements and sets (from the shingles of\n"
        "the texts, or from --matrix), one pass over its rows step by step, the signatures, what they estimate, and with --bands the\n"
        "candidate pairs.",
    .examples =
        "nearkin explain --text \"the cat sat on the mat\" \"the cat sat on a mat\" --shingle word:2 --hashes 12 --bands 4 --rows 3\n"
        "nearkin explain --text \"a b c\" \"b c d\" --shingle word:1 --hash 'x+1 mod 5'  # min-hashing as in a lecture",
    .run = run_explain,
};

}  // namespace nearkin::cli
