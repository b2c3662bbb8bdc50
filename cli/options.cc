#include "options.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include <nearkin/tools/front_end.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/sample.h>
#include <nearkin/tools/sketch_file.h>

#include "disagreement.h"
#include "errors.h"
#include "ignore.h"
#include "index_folder.h"

namespace nearkin::cli {
namespace {

constexpr std::uint64_t kMost32 = 0xffffffff;

std::optional<std::uint32_t> count32(const ParsedArgs::Text& text, const char* flag) {
  if (!text) return {};
  return static_cast<std::uint32_t>(whole(*text, flag, 1, kMost32));
}

/// For vectors, and for other inputs under a measure of vectors.
std::string why_no_shingles(const std::optional<Format>& format, Measure measure) {
  if (!format || holds_vectors(*format)) return "has no use with vectors, which are not cut into shingles; leave it out";
  const bool texts = *format != Format::sets && *format != Format::edges && *format != Format::table && measure != Measure::hamming;
  return fmt::format("measure {} compares vectors, and the input is {}; {}", name(measure), name(*format),
                     texts ? "add --features tfidf, which turns texts into vectors" : "use another measure, such as jaccard");
}

/// Absent when nothing typed has a say, so that `tune` keeps its own default.
std::optional<ShinglePlan> shingle_of(const ParsedArgs& typed, const Input& input, Measure measure, Kind kind) {
  if (kind == Kind::numbers || kind == Kind::bits) {
    refuse_typed({{typed.shingle.has_value(), "--shingle"},
                  {typed.normalise.has_value(), "--normalise"},
                  {typed.bag, "--bag"},
                  {!typed.ignore.empty(), "--ignore"},
                  {typed.ignore_common.has_value(), "--ignore-common"}},
                 why_no_shingles(format_of(input), measure));
    return {};
  }
  if (measure == Measure::hamming) {
    refuse_typed({{!typed.ignore.empty(), "--ignore"}, {typed.ignore_common.has_value(), "--ignore-common"}},
                 "hamming compares all answers of a row; leave it out, or use --measure jaccard");
  }
  const bool sets = !typed.shingle && measure != Measure::exact && reads_sets(input);
  const bool words = !typed.shingle && kind == Kind::tfidf;
  const bool bag = typed.bag || (measure == Measure::weighted_jaccard && kind == Kind::shingles);
  if (!typed.shingle && !typed.normalise && !bag && !sets && !words) return {};
  ShinglePlan shingle;
  if (typed.shingle)
    shingle = parse_shingle(*typed.shingle);
  else if (sets)
    shingle = parse_shingle("element:1");
  else if (words)
    shingle = parse_shingle("word:1");
  if (typed.normalise) shingle.normalise = parse_normalise(*typed.normalise);
  shingle.bag = shingle.bag || bag;
  return shingle;
}

Measure measure_of(const ParsedArgs& typed, const std::optional<Format>& format) {
  if (typed.measure) return parse_measure(*typed.measure);
  if (typed.binarise || format == Format::bits) return Measure::hamming;
  if (typed.features || (format && holds_vectors(*format))) return Measure::cosine;
  return Measure::jaccard;
}

/// --features. The other kinds follow from the format.
TfidfPlan tfidf_of(const std::string& typed) {
  if (typed != "tfidf" && !typed.starts_with("tfidf:")) {
    throw UsageError(fmt::format("--features: \"{}\" is not tfidf, tfidf:sublinear, tfidf:cap=N or tfidf:sublinear:cap=N", typed));
  }
  return parse_features(typed).tfidf;
}

Kind kind_of(const ParsedArgs& typed, const std::optional<Format>& format, Measure measure) {
  if (typed.features) return Kind::tfidf;
  if (measure == Measure::hamming) return format == Format::table ? Kind::shingles : Kind::bits;
  if (measure == Measure::weighted_jaccard) return format && holds_vectors(*format) ? Kind::numbers : Kind::shingles;
  const bool of_numbers = measure == Measure::cosine || measure == Measure::euclidean || measure == Measure::manhattan;
  return of_numbers ? Kind::numbers : Kind::shingles;
}

void refuse_too_few_hashes(const Choices& choices) {
  if (!choices.bands || !choices.rows || !choices.hashes) return;
  const std::uint64_t needed = std::uint64_t{*choices.bands} * *choices.rows;
  if (needed <= *choices.hashes) return;
  const std::uint32_t rows = *choices.hashes / *choices.bands;
  throw UsageError(fmt::format("--bands {} with --rows {} needs {} hashes, the sketch has {}; use {}--hashes {}", *choices.bands,
                               *choices.rows, needed, *choices.hashes, rows > 0 ? fmt::format("--rows {} or ", rows) : "", needed));
}

}  // namespace

Choices choices_of(const ParsedArgs& typed, const Input& input, const std::optional<DataSample>& sample) {
  Choices choices;
  if (typed.seed) choices.seed = whole(*typed.seed, "--seed", 0);
  const Plan outline = outline_of(typed, input);
  choices.kind = outline.kind;
  choices.tfidf = outline.tfidf;
  choices.shingle = shingle_of(typed, input, outline.measure, outline.kind);
  if (asks_to_ignore(typed)) choices.shingle = outline.shingle;
  if (typed.binarise) {
    choices.binarise = outline.binarise;
    choices.levels = outline.levels;
  }
  choices.dimensions = count32(typed.dimensions, "--dimensions");
  if (typed.width) choices.width = positive(*typed.width, "--width");
  if (typed.probes) choices.probes = static_cast<std::uint32_t>(whole(*typed.probes, "--probes", 1, 256));
  choices.sample = sample;
  // An input without items does not tell the number of places, so any will do.
  if (sample && sample->items == 0 && sample->dimensions == 0 && outline.measure == Measure::hamming)
    choices.dimensions = SketchPlan::kAnyDimensions;
  choices.hashes = count32(typed.hashes, "--hashes");
  choices.bands = count32(typed.bands, "--bands");
  choices.rows = count32(typed.rows, "--rows");
  choices.large_bucket = count32(typed.large_bucket, "--large-bucket");
  if (typed.verify) choices.verify = parse_verify(*typed.verify);
  refuse_too_few_hashes(choices);
  return choices;
}

namespace {

std::string plan_line(const std::string& path) {
  const Items lines = read_items({.paths = {path}, .files_from = {}, .format = Format::lines, .number = {}});
  if (lines.size() == 0) throw UsageError(fmt::format("--plan: {} is empty; it should begin with a plan", path));
  return std::string(lines.text(0));
}

void refuse_similarity_flags(const ParsedArgs& typed) {
  refuse_typed({{typed.threshold.has_value(), "--threshold"},
                {typed.radius.has_value(), "--radius"},
                {typed.recall.has_value(), "--recall"},
                {typed.shingle.has_value(), "--shingle"},
                {typed.bag, "--bag"},
                {!typed.ignore.empty(), "--ignore"},
                {typed.ignore_common.has_value(), "--ignore-common"},
                {typed.large_bucket.has_value(), "--large-bucket"}},
               "has no use with --measure exact, which finds equal texts; leave it out");
}

char separator_of(const std::string& typed) {
  if (typed == "tab" || typed == "\\t") return '\t';
  const bool usable =
      typed.size() == 1 && static_cast<unsigned char>(typed[0]) < 0x80 && typed.find_first_of("\"\r\n") == std::string::npos;
  if (!usable) throw UsageError(fmt::format("--separator: \"{}\" is not one ASCII character, such as ; or |, or tab", typed));
  return typed[0];
}

void set_unit(const ParsedArgs& typed, Unit& unit) {
  if (typed.unit) unit = parse_unit(*typed.unit);
  if (!typed.least_unit) return;
  if (!unit.divides() && typed.unit)
    throw UsageError("--least-unit: --unit document takes whole texts; use another unit, such as --unit paragraph, or leave it out");
  if (!unit.divides()) throw UsageError("--least-unit: needs --unit, such as --unit paragraph");
  unit.least = static_cast<std::uint32_t>(whole(*typed.least_unit, "--least-unit", 1, 1'000'000'000));
}

void set_scope(const ParsedArgs& typed, Scope& scope) {
  if (typed.within && typed.across) throw UsageError("--across: --within is given as well; leave one of them out");
  if (typed.within) scope = {Scope::Rule::within, *typed.within};
  if (typed.across) scope = {Scope::Rule::across, *typed.across};
  if (scope.rule != Scope::Rule::none && scope.field.empty()) {
    throw UsageError(fmt::format("--{}: an empty name; name a field, or file or folder", typed.within ? "within" : "across"));
  }
}

}  // namespace

FaultRule fault_rule(const ParsedArgs& typed) {
  if (!typed.faults) return typed.skipped ? FaultRule::skip : FaultRule::keep;
  if (*typed.faults == "keep") return FaultRule::keep;
  if (*typed.faults == "skip") return FaultRule::skip;
  if (*typed.faults == "stop") return FaultRule::stop;
  throw UsageError(fmt::format("--faults: \"{}\" is not keep, skip or stop", *typed.faults));
}

void set_pages(const ParsedArgs& typed, Input& input) {
  if (typed.encoding) input.encoding = *typed.encoding;
  if (typed.html) input.html = parse_html(*typed.html);
  if (typed.pre && typed.pre->find_first_not_of(" \t") == std::string::npos)
    throw UsageError("--pre: an empty command; name a program, or none");
  if (!typed.pre_globs.empty() && (!typed.pre || *typed.pre == "none"))
    throw UsageError("--pre-glob: says which files --pre reads; add --pre, or leave it out");
  if (typed.pre) input.extraction.command = *typed.pre == "none" ? "" : *typed.pre;
  input.extraction.globs = typed.pre_globs;
  if (typed.pre_timeout) input.extraction.seconds = static_cast<std::uint32_t>(whole(*typed.pre_timeout, "--pre-timeout", 1, 86'400));
}

namespace {

void set_reading(const ParsedArgs& typed, Input& input) {
  if (typed.format) input.format = parse_format(*typed.format);
  if (typed.id) input.id = *typed.id;
  if (typed.text) input.text = *typed.text;
  if (typed.text && typed.text->empty()) throw UsageError("--text: an empty name; name a field");
  if (typed.metadata) input.metadata = field_names(*typed.metadata, "--metadata", "lang,url");
  set_pages(typed, input);
  if (typed.separator) input.separator = separator_of(*typed.separator);
  set_unit(typed, input.unit);
  set_scope(typed, input.scope);
  input.strict = fault_rule(typed) == FaultRule::stop;
  if (typed.same_id && *typed.same_id != "keep" && *typed.same_id != "refuse")
    throw UsageError(fmt::format("--same-id: \"{}\" is not keep or refuse", *typed.same_id));
  input.rename_same_ids = typed.same_id == "keep";
  input.header = !typed.no_header;
  if (typed.directed) input.directed = parse_directed(*typed.directed);
}

/// Sets how the collection is read that the input is compared with, where that differs.
void set_other_reading(const ParsedArgs& typed, Input& other) {
  if (typed.against_format) other.format = parse_format(*typed.against_format, "against_format");
  if (typed.against_text && typed.against_text->empty()) throw UsageError("--against-text: an empty name; name a field");
  if (typed.against_text) other.text = *typed.against_text;
  if (typed.against_id) other.id = *typed.against_id;
}

}  // namespace

std::vector<std::string> field_names(const std::string& typed, const char* flag, const char* example) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0; begin <= typed.size();) {
    const std::size_t end = std::min(typed.find(',', begin), typed.size());
    fields.push_back(typed.substr(begin, end - begin));
    if (fields.back().empty()) throw UsageError(fmt::format("{}: \"{}\" has an empty name; name fields, such as {}", flag, typed, example));
    begin = end + 1;
  }
  return fields;
}

Input input_of(const ParsedArgs& typed) {
  Input input;
  input.paths = typed.inputs;
  input.files_from = typed.files_from;
  if (input.paths.empty() && !input.files_from) input.paths = {"-"};
  set_reading(typed, input);
  return input;
}

std::optional<Input> against_of(const ParsedArgs& typed) {
  if (!typed.against && typed.suites.empty()) {
    refuse_typed({{typed.against_text.has_value(), "--against-text"},
                  {typed.against_id.has_value(), "--against-id"},
                  {typed.against_format.has_value(), "--against-format"}},
                 "says how the input of --against is read; add --against, or leave it out");
  }
  if (!typed.against) return {};
  Input input;
  input.paths = {*typed.against};
  set_reading(typed, input);
  set_other_reading(typed, input);
  return input;
}

bool is_pattern(const std::string& path) {
  std::error_code ignored;
  return path.find_first_of("*?[") != std::string::npos && !std::filesystem::exists(path, ignored);
}

NamedSuite named_suite(const std::string& typed) {
  std::error_code ignored;
  const std::size_t equals = typed.find('=');
  const bool names = equals != std::string::npos && equals > 0 && typed.find('/') > equals && !std::filesystem::exists(typed, ignored);
  if (names) return {typed.substr(0, equals), typed.substr(equals + 1)};
  std::string name = std::filesystem::path(typed).lexically_normal().filename().string();
  if (name.empty()) name = std::filesystem::path(typed).lexically_normal().parent_path().filename().string();
  const std::size_t dot = name.find('.', 1);
  if (dot != std::string::npos) name.resize(dot);
  // A suite of the files that a pattern stands for is called as their folder is.
  const bool several = name.find_first_of("*?[") != std::string::npos && is_pattern(typed);
  if (several) name = std::filesystem::path(typed).lexically_normal().parent_path().filename().string();
  if (several && (name.empty() || name == ".." || name.find_first_of("*?[") != std::string::npos))
    throw UsageError(fmt::format("--against: {} stands for several files; give the suite a name, as in suite={}", typed, typed));
  return {name, typed};
}

std::vector<Suite> suites_of(const ParsedArgs& typed) {
  std::vector<Suite> suites;
  for (const std::string& word : typed.suites) {
    const NamedSuite named = named_suite(word);
    Suite suite{.name = named.name, .input = {}};
    suite.input.paths = {named.path};
    set_reading(typed, suite.input);
    set_other_reading(typed, suite.input);
    suites.push_back(suite);
  }
  return suites;
}

Input input_at(const ParsedArgs& typed, std::size_t argument) {
  Input input;
  input.paths = {typed.inputs.at(argument)};
  set_reading(typed, input);
  return input;
}

Plan outline_of(const ParsedArgs& typed, const Input& input) {
  Plan outline;
  const std::optional<Format> format = format_of(input);
  outline.measure = measure_of(typed, format);
  outline.kind = kind_of(typed, format, outline.measure);
  if (typed.features) outline.tfidf = tfidf_of(*typed.features);
  if (const auto shingle = shingle_of(typed, input, outline.measure, outline.kind)) outline.shingle = *shingle;
  // Measure exact, which has no shingles, is refused with the goal.
  if (outline.measure != Measure::exact) outline.shingle = ignoring(typed, input, outline.shingle);
  if (typed.binarise) {
    const BinariseChoice choice = parse_binarise(*typed.binarise);
    outline.binarise = choice.binarise;
    outline.levels = choice.levels;
  }
  return outline;
}

ShareOf share_of(const ParsedArgs& typed, const Plan& plan) {
  if (!typed.share_of) return ShareOf::query;
  if (plan.measure != Measure::containment) {
    throw UsageError(
        fmt::format("--share-of: measure {} is the same from both sides; use --measure containment, or leave it out", name(plan.measure)));
  }
  return parse_share_of(*typed.share_of);
}

std::uint32_t limit_of(const ParsedArgs& typed) { return count32(typed.limit, "--limit").value_or(0); }

std::optional<std::uint64_t> max_candidates_of(const std::string& text, const Plan& plan) {
  if (text.empty()) return {};
  if (text.back() != 'L') return whole(text, "--max-candidates", 1);
  const std::uint64_t times = text.size() == 1 ? 1 : whole(text.substr(0, text.size() - 1), "--max-candidates", 1, 1'000'000);
  if (plan.band.bands == 0)
    throw UsageError(fmt::format("--max-candidates: {} counts tables, and a plan with recall 1 has none; give a number", text));
  return times * plan.band.bands;
}

Goal goal_of(const ParsedArgs& typed, const Input& input) {
  Goal goal;
  goal.measure = measure_of(typed, format_of(input));
  if (goal.measure == Measure::exact) refuse_similarity_flags(typed);
  if (typed.threshold && is_distance(goal.measure)) {
    throw UsageError(fmt::format("--threshold: measure {} is a distance; use --radius", name(goal.measure)));
  }
  if (typed.threshold) goal.threshold = parse_ratio(*typed.threshold, "threshold").value();
  if (typed.radius) goal.radius = positive(*typed.radius, "--radius");
  if (typed.recall) goal.recall = parse_ratio(*typed.recall, "recall").value();
  if (typed.recall_at) goal.recall_at = parse_recall_at(*typed.recall_at);
  if (!typed.threshold && !typed.radius) goal.nearest = limit_of(typed);
  return goal;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::uint64_t audit_of(const ParsedArgs& typed, const Plan& plan) {
  if (!typed.audit) return 0;
  if (plan.measure == Measure::exact)
    throw UsageError("--audit: --measure exact finds all equal texts, so there is nothing to audit; leave it out");
  return whole(*typed.audit, "--audit", 1);
}

/// Whether a plan for sets depends on how similar they are: not one whose shape was typed, and not an exact join.
static bool is_tuned(const ParsedArgs& typed) {
  const bool shape_typed = typed.bands && typed.rows;
  return !shape_typed && !(typed.recall && parse_ratio(*typed.recall, "recall").value() == 1);
}

/// What is typed there goes to the run, which says that it waits for it.
static bool reads_terminal(const Input& input) {
  const bool reads = std::find(input.paths.begin(), input.paths.end(), "-") != input.paths.end() || input.files_from == "-";
  return reads && ::isatty(STDIN_FILENO) != 0;
}

std::optional<DataSample> sample_of(const ParsedArgs& typed, const Input& input) {
  if (typed.plan || (input.paths.empty() && !input.files_from) || reads_terminal(input)) return {};
  const Plan outline = outline_of(typed, input);
  const std::optional<std::uint64_t> seed = typed.seed ? std::optional(whole(*typed.seed, "--seed", 0)) : std::nullopt;
  if (outline.kind != Kind::shingles || outline.measure == Measure::hamming) return sample_data(input, outline, seed);
  return is_tuned(typed) ? sample_sets(input, outline, seed.value_or(1)) : std::nullopt;
}

std::optional<Plan> plan_of_sketch_file(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return {};  // reading a pipe would empty it
  Input input;
  input.paths = {path};
  return plan_of_sketches(input);
}

Plan parsed_plan(const std::string& typed) {
  const bool in_file = typed.starts_with('@');
  if (in_file) {
    if (const std::optional<Plan> plan = plan_of_sketch_file(typed.substr(1))) return *plan;
    if (is_index(typed.substr(1))) return Index::open(typed.substr(1), Index::Access::read).plan();
  }
  const std::string line = in_file ? plan_line(typed.substr(1)) : typed;
  try {
    return parse_plan(line);
  } catch (const Error& error) {
    if (error.subject() == "plan") throw;
    throw UsageError(fmt::format("--plan: {}: {}", error.subject(), error.message()));
  }
}

Plan plan_of(const ParsedArgs& typed, const Input& input, std::optional<std::uint32_t> large_bucket) {
  return plan_for(typed, input, sample_of(typed, input), large_bucket);
}

Plan plan_for(const ParsedArgs& typed, const Input& input, const std::optional<DataSample>& sample,
              std::optional<std::uint32_t> large_bucket) {
  if (typed.plan) {
    const Plan plan = parsed_plan(*typed.plan);
    refuse_disagreement(typed, plan, [](std::string_view flag, std::string_view value, std::string_view planned) {
      return fmt::format("{}{}{} disagrees with --plan, which has {}; leave one of them out", flag, value.empty() ? "" : " ", value,
                         planned);
    });
    return with_its_ignored(typed, input, plan, Given::line);
  }
  const Goal goal = goal_of(typed, input);
  Choices choices = choices_of(typed, input, sample);
  if (!choices.large_bucket) choices.large_bucket = large_bucket;
  return tune(goal, choices);
}

Keep keep_of(const ParsedArgs& typed, Measure measure) {
  if (typed.keep) return parse_keep(*typed.keep);
  // By containment, an item that is part of another is removed, and the longer one is kept.
  return measure == Measure::containment ? Keep{.rule = Keep::Rule::longest} : Keep{};
}

RowStyle style_of(const ParsedArgs& typed) { return typed.json ? RowStyle::json : RowStyle::tsv; }

unsigned threads_of(const ParsedArgs& typed) {
  return typed.threads ? static_cast<unsigned>(whole(*typed.threads, "--threads", 1, 4096)) : 0;
}

std::string output_of(const ParsedArgs& typed) { return typed.output.value_or("-"); }

}  // namespace nearkin::cli
