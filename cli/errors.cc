#include "errors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nearkin/tools/spelling.h>

#include "values.h"

namespace nearkin::cli {
namespace {

constexpr std::string_view kOptions[] = {
    "measure",
    "threshold",
    "recall",
    "recall_at",
    "sensitive",
    "plan",
    "shingle",
    "bag",
    "normalise",
    "hashes",
    "bands",
    "rows",
    "large_bucket",
    "bucket",
    "verify",
    "seed",
    "files_from",
    "format",
    "id",
    "text",
    "faults",
    "same_id",
    "against",
    "threads",
    "linkage",
    "keep",
    "output",
    "max_pairs",
    "min_size",
    "summary",
    "removed",
    "decisions",
    "skipped",
    "annotate",
    "bloom",
    "precision",
    "passages",
    "radius",
    "limit",
    "max_candidates",
    "features",
    "binarise",
    "dimensions",
    "width",
    "probes",
    "directed",
    "plot",
    "sweep",
    "queries",
    "thresholds",
    "radii",
    "memory",
    "scratch",
    "resume",
    "metadata",
    "listen",
    "token",
    "where",
    "texts",
    "separator",
    "header",
    "encoding",
    "unit",
    "most_cut",
    "keep_at_most",
    "size_field",
    "drop_repeated",
    "read_token",
    "tls_certificate",
    "tls_key",
    "least",
    "gap",
    "ignore",
    "ignore_common",
    "ignored",
    "like",
    "within",
    "across",
    "share_of",
    "share_field",
    "against_text",
    "against_id",
    "against_format",
    "partners",
    "share",
    "least_item",
    "need",
    "do",
    "inject",
    "changed",
    "html",
    "pre",
    "pre_timeout",
    "truth_kind",
    "truth_fields",
};

/// Where the library and the command line have another name for one thing.
constexpr std::pair<std::string_view, std::string_view> kPartFlags[] = {{"bucket", "large_bucket"}, {"texts", "store_texts"},
                                                                        {"token", "token_file"},    {"drop_repeated", "drop"},
                                                                        {"header", "no_header"},    {"read_token", "read_token_file"}};

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// What the library's messages advise, and the same with its flag.
constexpr std::pair<std::string_view, std::string_view> kAdvice[] = {
    {"read the table without a header", "read the table without a header (--no-header)"},
    {"continue with resume", "continue with --resume"},
    {"or leave optimal out", "or leave --optimal out"},
    {"or leave bloom out", "or leave --bloom out"},
    {"choose another port", "choose another port with --listen"},
    {"choose another address or port", "choose another address or port with --listen"},
    {"with against_text", "with --against-text"},
    {"a smaller least_item", "a smaller --least-item"},
    {"; need other fields", "; name other fields with --need"},
    {"; need fewer fields", "; name fewer fields with --need"},
    {"by encoding utf-16", "by --encoding utf-16"},
    {"made with encoding", "made with --encoding"},
    {"made with html none, the input has", "made without --html, the input has"},
    {"made with html", "made with --html"},
    {"made with extraction", "made with --pre"},
    {"leave html out", "leave --html out"},
    {"made with unit", "made with --unit"},
    {"leave drop_repeated and keep_at_most out", "leave --drop, --repeats and --keep-at-most out"},
    {"a group, but keep_at_most", "a group, but --keep-at-most"},
    {"which share_field adds", "which --share-field adds"},
    {"which annotate adds", "which --annotate adds"},
    {"field that annotate adds", "field that --annotate adds"},
    {"cannot be combined with against,", "cannot be combined with --against,"},
    {"use removed to list", "use --removed to list"},
    {"leave least_left out", "leave --least-left out"},
    {"which least_left, most_cut and share_field are about", "which --least-left, --most-cut and --share-field are about"},
    {"which would be added", "which would be added by --annotate or --size-field"},
    {"another folder with scratch", "another folder with --scratch"},
    {"a folder with scratch", "a folder with --scratch"},
    {"made with number none, the input has", "made without the numbers of --keep, which has"},
    {"made with number", "made with the numbers of --keep"},
    {"made with format none, the input has", "made without --format, the input has"},
    {"made with format", "made with --format"},
    {", the input has none", ", which is not given"},
    {"made with id", "made with --id"},
    {"made with text", "made with --text"},
    {"made with separator", "made with --separator"},
    {"made with directed", "made with --directed"},
    {"give a token file", "give a --token-file"},
    {"say so (truth_kind clusters); if its ids are of another input, name that input (against)",
     "say so: --truth-kind clusters; if its ids are of another input, name that input: --against OTHER"},
    {"name the columns of the ids (truth_fields), or the field of the items' ids (id)",
     "name the columns of the ids (--truth-fields A,B), or the field of the items' ids (--id)"},
    {"make it the separator", "make it the separator (--separator)"},
    {"name the separator if", "give --separator if"},
};

}  // namespace

std::string with_flags(std::string message) {
  for (const auto& [advice, with_flag] : kAdvice) {
    if (const std::size_t at = message.find(advice); at != std::string::npos) message.replace(at, advice.size(), with_flag);
  }
  return message;
}

void refuse_typed(const std::vector<TypedFlag>& flags, std::string_view why) {
  for (const auto& [given, flag] : flags) {
    if (!given) continue;
    std::string message = fmt::format("{}: {}", flag, why);
    constexpr std::string_view kFlag = "{flag}";
    if (const std::size_t at = message.find(kFlag); at != std::string::npos) message.replace(at, kFlag.size(), flag);
    throw UsageError(message);
  }
}

std::string spelled(const Error& error) {
  std::string subject = error.subject();
  if (error.code() == ErrorCode::plan && std::find(std::begin(kOptions), std::end(kOptions), subject) != std::end(kOptions)) {
    for (const auto& [name, flag] : kPartFlags) {
      if (subject == name) subject = flag;
    }
    std::replace(subject.begin(), subject.end(), '_', '-');
    subject = "--" + subject;
  }
  // The library calls both streams "-".
  if (error.code() == ErrorCode::file && subject == "-") {
    subject = error.message().starts_with("cannot be written") ? "standard output" : "standard input";
  }
  const std::string way_out = error.code() == ErrorCode::data ? way_out_of_clash(error.message()) : "";
  return fmt::format("{}: {}{}", subject, with_flags(error.message()), way_out.empty() ? "" : "; " + way_out);
}

std::string way_out_of_clash(std::string_view message) {
  if (!message.starts_with("id \"-:") || message.find("was used before") == std::string_view::npos) return "";
  return "records of standard input are called by their lines, in one sketch file as in the other: sketch with --id FIELD, or files under "
         "their names";
}

namespace {

/// The words of a list such as "a, b:K or c", up to its end.
std::vector<std::string> listed_words(std::string_view list) {
  std::vector<std::string> words;
  std::string word;
  list = list.substr(0, std::min(list.find_first_of(";(\""), list.find(", such as")));
  for (const char c : list) {
    if (c != ' ' && c != ',') {
      word += c;
      continue;
    }
    if (!word.empty() && word != "or" && word != "nor") words.push_back(word);
    word.clear();
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

/// The value of a flag among the arguments; the last one where it was given several times.
std::optional<std::string> typed_value(const std::string& flag, const std::vector<std::string>& arguments) {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == flag && i + 1 < arguments.size()) value = arguments[i + 1];
    if (arguments[i].starts_with(flag + "=")) value = arguments[i].substr(flag.size() + 1);
  }
  return value;
}

/// For what the library or the command line lists itself, and no table has: "..." is not a, b or c.
std::string with_word_of_list(const std::string& message) {
  const std::size_t open = message.find('"'), close = open == std::string::npos ? open : message.find('"', open + 1);
  if (!message.starts_with("--") || close == std::string::npos || close < open + 3) return message;  // one letter is near to anything
  constexpr std::string_view kLeads[] = {"\" is not ", "\" is neither "};
  for (const std::string_view lead : kLeads) {
    const std::string_view rest = std::string_view(message).substr(close);
    if (!rest.starts_with(lead) || rest.substr(lead.size()).starts_with("a ")) continue;  // "a number", and no list
    const auto near = nearest_name(message.substr(open + 1, close - open - 1), listed_words(rest.substr(lead.size())));
    return near ? fmt::format("{}; did you mean {}?", message, *near) : message;
  }
  return message;
}

}  // namespace

std::string with_suggestion(const std::string& message, unsigned command, const std::vector<std::string>& arguments) {
  if (!message.starts_with("--") || message.find("did you mean") != std::string::npos) return message;
  const std::string flag = message.substr(0, message.find_first_of(": "));
  const std::vector<std::string> values = values_of(flag, command);
  if (values.empty()) return with_word_of_list(message);
  const std::optional<std::string> typed = typed_value(flag, arguments);
  const auto near = typed ? nearest_value(*typed, values) : std::nullopt;
  return near ? fmt::format("{}; did you mean {}?", message, *near) : message;
}

std::optional<std::string> nearest_or_longer(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLeast = 5;  // two dashes and three letters
  if (auto near = nearest_name(word, known)) return near;
  const auto longer = std::find_if(known.begin(), known.end(), [&](const std::string& one) { return one.starts_with(word); });
  return word.size() < kLeast || longer == known.end() ? std::nullopt : std::optional(*longer);
}

std::uint64_t whole(const std::string& text, const char* flag, std::uint64_t least, std::uint64_t most) {
  const std::string_view digits = text.starts_with('-') ? std::string_view(text).substr(1) : std::string_view(text);
  if (!all_digits(digits)) throw UsageError(fmt::format("{}: {} is not a whole number", flag, text.empty() ? "''" : text));
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool fits = code == std::errc() && !text.starts_with('-') && value >= least && value <= most;
  if (fits) return value;
  if (code == std::errc() && most == std::numeric_limits<std::uint64_t>::max()) {
    throw UsageError(fmt::format("{}: {} is too small; {} is the least", flag, text, least));
  }
  throw UsageError(fmt::format("{}: {} is not between {} and {}", flag, text, least, most));
}

// By strtod, as std::from_chars does not read decimals in every C++ library; so what strtod takes beyond them is refused first.
std::optional<double> decimal(const std::string& text) {
  if (text.empty() || text.starts_with('+') || text.find_first_not_of("0123456789.eE+-") != text.npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

double open_share(const std::string& text, const char* flag) {
  const std::optional<double> value = decimal(text);
  if (!value) throw UsageError(fmt::format("{}: {} is not a number between 0 and 1", flag, text.empty() ? "''" : text));
  if (!(*value > 0 && *value < 1)) throw UsageError(fmt::format("{}: {} is not above 0 and below 1", flag, text));
  return *value;
}

double positive(const std::string& text, const char* flag) {
  const std::optional<double> value = decimal(text);
  if (!value || *value < 0 || *value > 1e300) throw UsageError(fmt::format("{}: \"{}\" is not a number of 0 or more", flag, text));
  return *value;
}

}  // namespace nearkin::cli
