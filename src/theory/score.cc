#include "theory/score.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "base/field_names.h"
#include "base/in_quotes.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

constexpr double kMostWeight = 1000;  // larger ones would be spelled with a +
constexpr const char* kExample = ", such as 'title:jaccard(char:3)*2 + year:equal'";

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::plan, "score", message); }

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n"), end = text.find_last_not_of(" \t\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

// The same text with letters in the place of names in quotation marks, so that what is left are the signs of the score.
std::string without_quoted(std::string_view text) {
  std::string out(text);
  bool begins_name = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_name && text[i] == '"') {
      const std::size_t end = end_of_quoted(text, i);
      if (end == std::string_view::npos)
        refuse(in_quotes(text.substr(i)) + " has no closing quotation mark; write a name as \"a + b\", and double any mark inside a name");
      out.replace(i, end - i, end - i, 'q');
      i = end - 1;
      begins_name = false;
    } else if (text[i] != ' ' && text[i] != '\t' && text[i] != '\n') {
      begins_name = text[i] == '+' || text[i] == '=' || text[i] == ',';
    }
  }
  return out;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  const std::string signs = without_quoted(text);
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && signs[i] != '+') continue;
    parts.push_back(trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

// One or several names, each without blanks around it.
std::string names_of(std::string_view text) {
  std::string out, signs = without_quoted(text);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(signs.find(',', begin), text.size());
    out += (begin == 0 ? "" : ",") + std::string(trim(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  split_names(out, "score");  // throws for what follows a closing mark
  return out;
}

double parse_weight(std::string_view text, std::string_view part) {
  const std::optional<double> weight = parse_number(text);
  if (!weight || !(*weight > 0) || *weight > kMostWeight)
    refuse("the weight " + in_quotes(text) + " of " + in_quotes(part) + " is not a number above 0, up to 1000");
  return *weight;
}

void set_how(ScorePart& part, std::string_view how, std::string_view whole) {
  if (how == "equal") {
    part.how = ScorePart::How::equal;
    return;
  }
  if (how == "jaccard") return;
  constexpr std::string_view kBegin = "jaccard(";
  if (!how.starts_with(kBegin) || !how.ends_with(')'))
    refuse(in_quotes(how) + " in " + in_quotes(whole) + " is not equal, jaccard or jaccard(SHINGLE)" + kExample);
  part.shingle = parse_shingle(trim(how.substr(kBegin.size(), how.size() - kBegin.size() - 1)), "score");
}

ScorePart parse_part(std::string_view whole) {
  if (whole.empty()) refuse(std::string("there is nothing beside a +; write FIELD:HOW*WEIGHT") + kExample);
  ScorePart part;
  const std::string signs = without_quoted(whole);
  if (signs.starts_with('*'))
    refuse(in_quotes(whole) + " names no field; write FIELD:HOW, with the name in double quotes if it contains a *");
  for (const char* const end_of_part : {":equal ", ":jaccard ", ") "}) {
    if (trim(signs).find(end_of_part) < signs.rfind(':')) refuse(in_quotes(whole) + " seems to be two parts; put a + between them");
  }
  const std::size_t colon = std::string_view(signs).substr(0, signs.find('(')).rfind(':', signs.find('*'));
  if (colon == std::string_view::npos) refuse(in_quotes(whole) + " does not say how its field is compared; write FIELD:HOW" + kExample);
  std::string_view field = trim(whole.substr(0, colon)), how = trim(whole.substr(colon + 1));
  if (const std::size_t star = how.rfind('*'); star != std::string_view::npos) {
    part.weight = parse_weight(trim(how.substr(star + 1)), whole);
    how = trim(how.substr(0, star));
  }
  if (const std::size_t equals = without_quoted(field).find('='); equals != std::string::npos) {
    part.against_text = names_of(trim(field.substr(equals + 1)));
    field = trim(field.substr(0, equals));
    if (part.against_text.empty()) refuse(in_quotes(whole) + " names no field behind =; write FIELD=FIELD OF THE OTHER:HOW");
  }
  if (field.empty()) refuse(in_quotes(whole) + " names no field; write FIELD:HOW" + kExample);
  if (without_quoted(field).find('^') != std::string::npos || without_quoted(part.against_text).find('^') != std::string::npos)
    refuse(in_quotes(whole) + " gives a field a weight of its own; a part has one, as in title:equal*2");
  part.text = names_of(field);
  set_how(part, how, whole);
  return part;
}

// Names that a score could not tell from its signs are put in quotation marks.
std::string spelled(const std::string& names) {
  std::string out;
  for (const std::string& name : split_names(names, "score")) {
    const bool odd = !is_quoted(name) && (name.find_first_of("+=*(") != std::string::npos || trim(name) != name);
    out += (out.empty() ? "" : ",") + (odd ? quoted_name(name) : name);
  }
  return out;
}

double weight_of(const Score& score) {
  double sum = 0;
  for (const ScorePart& part : score.parts) sum += part.weight;
  return sum;
}

// Bands for a low similarity take many more tables and meet many more pairs by chance.
double cost_of(const Score& score, std::span<const std::size_t> parts, double level, double items, std::span<const double> equal_pairs) {
  double cost = 0;
  for (const std::size_t part : parts) {
    const double pairs = items + equal_pairs[part];
    cost += score.parts[part].how == ScorePart::How::equal ? pairs : pairs / (level * level * level);
  }
  return cost;
}

}  // namespace

Score parse_score(std::string_view text) {
  if (trim(text).empty()) refuse(std::string("an empty score; write parts with + between them") + kExample);
  Score score;
  for (const std::string_view part : parts_of(text)) score.parts.push_back(parse_part(part));
  require_score(score, {});
  return score;
}

std::string to_string(const Score& score) {
  std::string out;
  for (const ScorePart& part : score.parts) {
    if (!out.empty()) out += " + ";
    out += spelled(part.text);
    if (!part.against_text.empty()) out += '=' + spelled(part.against_text);
    out += part.how == ScorePart::How::equal ? std::string(":equal") : ":jaccard(" + shingle_name(part.shingle) + ")";
    if (part.weight != 1) out += '*' + shortest(part.weight);
  }
  return out;
}

std::vector<std::string> fields_of(const Score& score, bool against) {
  std::vector<std::string> fields;
  for (const ScorePart& part : score.parts) {
    for (const std::string& name : split_names(against && !part.against_text.empty() ? part.against_text : part.text, "score")) {
      const std::string field = is_quoted(name) ? unquoted_name(name) : name;
      if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
    }
  }
  return fields;
}

void require_score(const Score& score, const ScoreOptions& options) {
  if (score.parts.empty() || score.parts.size() > Score::kMostParts)
    refuse(std::to_string(score.parts.size()) + " parts; a score has 1 to " + std::to_string(Score::kMostParts));
  for (const ScorePart& part : score.parts) {
    if (part.text.empty()) refuse("a part names no field");
    if (!(part.weight > 0 && part.weight <= kMostWeight))
      refuse("the weight " + shortest(part.weight) + " of " + part.text + " is not a number above 0, up to 1000");
  }
  require_share(options.threshold, "threshold", "list every pair", "0.8");
  border_ratio(options.threshold, "threshold");
  if (options.threshold < 0.001)
    throw Error(ErrorCode::plan, "threshold", shortest(options.threshold) + " is too low for a score; use 0.001 or more");
  require_share(options.recall, "recall", "find nothing", "0.95");
}

void require_no_partners(const ScoreOptions& options) {
  if (options.partners.rule == Partners::Rule::all && options.partners.decisions.empty()) return;
  throw Error(ErrorCode::plan, "partners", "choose among pairs that are listed; groups and removals need all pairs, so leave them out");
}

std::uint32_t score_units(const Score& score, std::span<const double> values) {
  double sum = 0;
  for (std::size_t i = 0; i < score.parts.size(); ++i) sum += score.parts[i].weight * values[i];
  return static_cast<std::uint32_t>(std::floor(std::min(1.0, sum / weight_of(score)) * kScoreUnits + 0.5));
}

double level_of(const Score& score, std::span<const std::size_t> parts, double threshold) {
  double searched = 0;
  for (const std::size_t part : parts) searched += score.parts[part].weight;
  constexpr double kRounding = 1e-6;  // far more than sums and nine decimals can be off
  return 1 - (1 - threshold) * weight_of(score) / searched - kRounding;
}

// Every part alone may be one of them or not, which are few enough choices to try them all. All parts together can always decide.
std::vector<std::size_t> parts_to_search(const Score& score, double threshold, double items, std::span<const double> equal_pairs) {
  std::vector<std::size_t> best, some;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t choice = 1; choice < std::uint32_t{1} << score.parts.size(); ++choice) {
    some.clear();
    for (std::size_t part = 0; part < score.parts.size(); ++part) {
      if (choice >> part & 1) some.push_back(part);
    }
    const double level = level_of(score, some, threshold);
    if (level <= 0) continue;
    const double cost = cost_of(score, some, level, items, equal_pairs);
    if (cost >= least) continue;
    least = cost;
    best = some;
  }
  return best;
}

}  // namespace nearkin
