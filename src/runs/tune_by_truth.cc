// The measure, the shingles and the threshold that agree best with labels.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include <nearkin/error.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/truth.h>

#include "analysis/cross_validate.h"
#include "analysis/sample_rows.h"
#include "analysis/truth.h"
#include "base/hash.h"
#include "group/linkage.h"

namespace nearkin {
namespace {

/// Texts to compare: of the input, then of `against`; all of them or a part.
struct LabelledTexts {
  std::vector<std::string_view> texts;
  Row split = 0;  ///< texts of the input
  bool across = false;
  std::vector<WeighedPair> labels;
  std::unordered_set<std::uint64_t> true_pairs;
  std::vector<std::uint32_t> group;  ///< of each text; UINT32_MAX where no label names it
  std::uint32_t groups = 0;
  std::vector<double> weight;  ///< of each text: how many it stands for
};

/// All texts, and the labels by rows.
struct ReadTexts {
  Items items;
  Row split = 0;
  bool across = false;
  TruthByRows truth;
};

ReadTexts read_texts(const Input& input, const TruthTable& table, const Input* against, RunStats& stats) {
  ReadTexts read;
  read.across = against != nullptr;
  for (const Input* const part : {&input, against}) {
    if (part == nullptr) continue;
    const std::optional<Format> format = format_of(*part);
    if (format && (holds_vectors(*format) || *format == Format::edges || *format == Format::table || *format == Format::sets)) {
      throw Error(ErrorCode::data, "truth",
                  "settings can be chosen for texts only, and this input has none; use 'evaluate' with the labels instead");
    }
    const Items items = read_items(*part, &stats.faults);
    for (Row i = 0; i < items.size(); ++i) read.items.add(items.id(i), items.text(i));
    if (part == &input) read.split = static_cast<Row>(items.size());
  }
  stats.items = read.items.size();
  read.truth =
      truth_by_rows(table, {.rows = static_cast<Row>(read.items.size()), .split = read.split, .across = read.across, .id = [&](Row row) {
                              return read.items.id(row);
                            }});
  return read;
}

/// Pairs of a truth of clusters are those of each cluster.
std::vector<std::uint64_t> true_pairs_of(const TruthByRows& truth) {
  if (truth.kind == TruthKind::pairs) return truth.pairs;
  constexpr std::uint64_t kMost = 50'000'000;
  if (truth.notes.labels > kMost) {
    throw Error(
        ErrorCode::data, "truth",
        std::to_string(truth.notes.labels) + " true pairs in these clusters are too many to choose by; give a sample of the clusters");
  }
  std::vector<std::vector<Row>> members;
  for (Row row = 0; row < truth.clusters.size(); ++row) {
    if (truth.clusters[row] == TruthByRows::kNoCluster) continue;
    if (truth.clusters[row] >= members.size()) members.resize(truth.clusters[row] + 1);
    members[truth.clusters[row]].push_back(row);
  }
  std::vector<std::uint64_t> pairs;
  for (const std::vector<Row>& cluster : members) {
    for (std::size_t i = 0; i < cluster.size(); ++i) {
      for (std::size_t j = i + 1; j < cluster.size(); ++j) pairs.push_back(packed_pair(cluster[i], cluster[j]));
    }
  }
  return pairs;
}

/// The group of each row: true pairs join rows to groups. UINT32_MAX for a row without a true pair.
struct Groups {
  std::vector<std::uint32_t> of;
  std::uint32_t count = 0;
};

Groups groups_of(const std::vector<std::uint64_t>& pairs, std::size_t rows) {
  Components components(rows);
  std::vector<bool> named(rows);
  for (const std::uint64_t pair : pairs) {
    const Row a = static_cast<Row>(pair >> 32), b = static_cast<Row>(pair);
    components.unite(a, b);
    named[a] = named[b] = true;
  }
  Groups groups{std::vector<std::uint32_t>(rows, UINT32_MAX), 0};
  for (Row row = 0; row < rows; ++row) {
    if (!named[row]) continue;
    const Row root = components.root(row);
    groups.of[row] = root == row ? groups.count++ : groups.of[root];
  }
  return groups;
}

/// Which rows to compare: groups of labelled items whole, up to two thirds of `most`, then others.
std::vector<bool> chosen_rows(const Groups& groups, std::uint64_t most, std::uint64_t seed) {
  const std::size_t rows = groups.of.size();
  if (rows <= most) return std::vector<bool>(rows, true);
  std::vector<std::uint64_t> sizes(groups.count);
  std::vector<Row> alone;
  for (Row row = 0; row < rows; ++row) {
    if (groups.of[row] == UINT32_MAX)
      alone.push_back(row);
    else
      ++sizes[groups.of[row]];
  }
  std::vector<std::uint32_t> order(groups.count);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) { return mix64(mix64(seed) ^ x) < mix64(mix64(seed) ^ y); });
  std::vector<bool> taken(groups.count), chosen(rows);
  std::uint64_t labelled = 0;
  for (const std::uint32_t group : order) {
    if (labelled + sizes[group] > most * 2 / 3) continue;
    labelled += sizes[group];
    taken[group] = true;
  }
  for (Row row = 0; row < rows; ++row) {
    if (groups.of[row] != UINT32_MAX) chosen[row] = taken[groups.of[row]];
  }
  for (const Row place : sample_rows(alone.size(), most - labelled, seed)) chosen[alone[place]] = true;
  return chosen;
}

/// How many of all such rows one of the chosen stands for.
double times(const Groups& groups, const std::vector<bool>& chosen, bool labelled) {
  double all = 0, some = 0;
  for (std::size_t row = 0; row < chosen.size(); ++row) {
    if ((groups.of[row] != UINT32_MAX) != labelled) continue;
    all += 1;
    some += chosen[row] ? 1 : 0;
  }
  return some == 0 ? 1 : all / some;
}

LabelledTexts texts_to_compare(const ReadTexts& read, std::uint64_t most, std::uint64_t seed) {
  const std::vector<std::uint64_t> pairs = true_pairs_of(read.truth);
  const Groups groups = groups_of(pairs, read.items.size());
  const std::vector<bool> chosen = chosen_rows(groups, most, seed);
  const double labelled = times(groups, chosen, true), alone = times(groups, chosen, false);
  LabelledTexts out;
  out.across = read.across;
  std::vector<Row> place(read.items.size(), kNoRow);
  std::vector<std::uint32_t> number(groups.count, UINT32_MAX);
  for (Row row = 0; row < chosen.size(); ++row) {
    if (!chosen[row]) continue;
    place[row] = static_cast<Row>(out.texts.size());
    out.texts.push_back(read.items.text(row));
    out.split += row < read.split ? 1 : 0;
    const std::uint32_t group = groups.of[row];
    out.weight.push_back(group == UINT32_MAX ? alone : labelled);
    if (group != UINT32_MAX && number[group] == UINT32_MAX) number[group] = out.groups++;
    out.group.push_back(group == UINT32_MAX ? UINT32_MAX : number[group]);
  }
  for (const std::uint64_t pair : pairs) {
    const Row a = place[pair >> 32], b = place[static_cast<Row>(pair)];
    if (a == kNoRow) continue;
    out.labels.push_back({a, b, labelled});
    out.true_pairs.insert(packed_pair(a, b));
  }
  return out;
}

/// Some of the texts, as the one or the two inputs of a run.
struct SomeTexts {
  std::vector<Row> rows;  ///< ascending
  Input input;
  std::optional<Input> against;

  SomeTexts(const LabelledTexts& texts, std::vector<Row> chosen) : rows(std::move(chosen)) {
    auto first = std::make_shared<MemoryItems>(), second = std::make_shared<MemoryItems>();
    for (const Row row : rows) (texts.across && row >= texts.split ? second : first)->texts.push_back(texts.texts[row]);
    input.memory = std::move(first);
    if (!texts.across) return;
    against.emplace();
    against->memory = std::move(second);
  }
};

std::vector<Row> all_rows(const LabelledTexts& texts) {
  std::vector<Row> rows(texts.texts.size());
  std::iota(rows.begin(), rows.end(), Row{0});
  return rows;
}

/// Compares the texts by one setting at lower and lower thresholds, until none below can be better.
class SettingSearch {
 public:
  SettingSearch(const LabelledTexts& texts, const TruthTuneOptions& options, const RunOptions& run)
      : texts_(texts), options_(options), run_(run), all_(texts, all_rows(texts)) {
    run_.progress = {};
    run_.max_pairs = kMostPairs;
  }

  ScoredPairs pairs(const Setting& setting) {
    constexpr double kThresholds[] = {0.6, 0.4, 0.25, 0.15, 0.1, 0.05};
    ScoredPairs found{.pairs = {}, .lowest = kThresholdSteps - 1};
    double searched = 1;
    for (const double threshold : kThresholds) {
      const bool complete = take(setting, threshold, found);
      // Too many pairs there; somewhat above there may be fewer.
      for (double between = (searched + threshold) / 2; !complete && searched - between >= kLeastStep; between = (searched + between) / 2) {
        if (take(setting, std::round(between * 100) / 100, found)) return found;
      }
      if (!complete || nothing_better_below(found)) break;
      searched = threshold;
    }
    return found;
  }

 private:
  static constexpr std::uint64_t kMostPairs = 10'000'000;
  static constexpr double kLeastStep = 0.02;
  static constexpr double kMargin = 0.02;  // the best threshold of some folds may be lower than that of all

  /// False where there are too many pairs.
  bool take(const Setting& setting, double threshold, ScoredPairs& found) {
    const Plan plan =
        tune({.measure = setting.measure, .threshold = threshold, .recall = 1}, {.shingle = setting.shingle, .kind = setting.kind});
    const bool goes_on = can_go_on(setting) && !found.pairs.empty();
    try {
      std::vector<ScoredPair> more = goes_on ? compared(SomeTexts(texts_, rows_left(found)), plan, setting) : compared(all_, plan, setting);
      if (!goes_on) found.pairs.clear();
      found.pairs.insert(found.pairs.end(), more.begin(), more.end());
    } catch (const Error& error) {
      if (error.subject() == "max_pairs") return false;
      throw;
    }
    found.lowest = threshold_step(threshold);
    return true;
  }

  /// One to one, the pairs of a higher threshold stay with a lower one, which adds pairs of items that are left. But tf-idf weighs the
  /// shingles of an item by all items.
  bool can_go_on(const Setting& setting) const {
    return options_.partners.rule == Partners::Rule::one_to_one && setting.kind == Kind::shingles;
  }

  /// Whether each row has a partner.
  std::vector<bool> rows_taken(const ScoredPairs& found) const {
    std::vector<bool> taken(texts_.texts.size());
    for (const ScoredPair& pair : found.pairs) taken[pair.a] = taken[pair.b] = true;
    return taken;
  }

  std::vector<Row> rows_left(const ScoredPairs& found) const {
    std::vector<Row> left = all_.rows;
    std::erase_if(left, [taken = rows_taken(found)](Row row) { return taken[row]; });
    return left;
  }

  /// One to one, whether a lower threshold can find wrong pairs only.
  bool no_true_pair_left(const ScoredPairs& found) const {
    const std::vector<bool> taken = rows_taken(found);
    return std::all_of(texts_.labels.begin(), texts_.labels.end(), [&](const WeighedPair& pair) { return taken[pair.a] || taken[pair.b]; });
  }

  std::vector<ScoredPair> compared(const SomeTexts& some, const Plan& plan, const Setting& setting) const {
    const PairsResult result = nearkin::pairs(some.input, plan, run_, some.against ? &*some.against : nullptr, options_.partners);
    std::vector<ScoredPair> pairs;
    pairs.reserve(result.matches.size());
    for (const Match& match : result.matches) {
      const auto [a, b] = std::minmax(some.rows[match.a], some.rows[match.b]);
      const bool right = texts_.true_pairs.contains(packed_pair(a, b));
      const double weight = right ? texts_.weight[a] : texts_.weight[a] * texts_.weight[b];
      pairs.push_back({a, b, threshold_step(match.similarity()), right, weight});
    }
    if (setting.measure == Measure::containment) keep_greater_direction(pairs);
    return pairs;
  }

  static void keep_greater_direction(std::vector<ScoredPair>& pairs) {
    const auto key = [](const ScoredPair& pair) { return packed_pair(pair.a, pair.b); };
    std::sort(pairs.begin(), pairs.end(),
              [&](const ScoredPair& x, const ScoredPair& y) { return key(x) != key(y) ? key(x) < key(y) : x.step > y.step; });
    pairs.erase(std::unique(pairs.begin(), pairs.end(), [&](const ScoredPair& x, const ScoredPair& y) { return key(x) == key(y); }),
                pairs.end());
  }

  /// With every true pair and no more wrong ones than there are already, F1 would be below that of the best threshold so far.
  bool nothing_better_below(const ScoredPairs& found) const {
    StepCounts counts;
    double wrong = 0;
    for (const ScoredPair& pair : found.pairs) {
      counts.add(pair);
      if (!pair.right) wrong += pair.weight;
    }
    for (const WeighedPair& pair : texts_.labels) counts.labels += pair.weight;
    if (options_.partners.rule == Partners::Rule::one_to_one && no_true_pair_left(found)) return true;
    return 2 * counts.labels / (2 * counts.labels + wrong) < best_threshold(counts, found.lowest).f1 - kMargin;
  }

  const LabelledTexts& texts_;
  const TruthTuneOptions& options_;
  RunOptions run_;
  SomeTexts all_;
};

/// Without those that compare the same shingles as another: of texts that normalising leaves alone.
std::vector<Setting> different_settings(std::vector<Setting> settings, const std::vector<std::string_view>& texts) {
  const auto hashes = [&](Normalise normalise) {
    return shingle(texts, {.token = Token::character, .size = 3, .normalise = normalise}).hashes;
  };
  const bool some = std::any_of(settings.begin(), settings.end(), [](const Setting& s) { return s.shingle.normalise == Normalise::none; });
  if (!some || hashes(Normalise::text) != hashes(Normalise::none)) return settings;
  std::erase_if(settings, [&](const Setting& setting) {
    Setting other = setting;
    other.shingle.normalise = Normalise::text;
    return setting.shingle.normalise == Normalise::none && std::find(settings.begin(), settings.end(), other) != settings.end();
  });
  return settings;
}

struct Judged {
  SettingScore score;
  std::vector<double> f1;  // of each fold
};

Judged judge(const Setting& setting, const ScoredPairs& found, const LabelledTexts& texts, const Folds& folds) {
  StepCounts counts;
  for (const ScoredPair& pair : found.pairs) counts.add(pair);
  for (const WeighedPair& pair : texts.labels) counts.labels += pair.weight;
  const BestThreshold best = best_threshold(counts, found.lowest);
  Judged judged{.score = {}, .f1 = f1_of_folds(found, texts.labels, folds)};
  judged.score.setting = setting;
  judged.score.threshold = static_cast<double>(best.step) / (kThresholdSteps - 1);
  judged.score.all = best.agreement;
  const auto n = static_cast<double>(judged.f1.size());
  judged.score.f1 = std::accumulate(judged.f1.begin(), judged.f1.end(), 0.0) / n;
  double squares = 0;
  for (const double f1 : judged.f1) squares += (f1 - judged.score.f1) * (f1 - judged.score.f1);
  judged.score.spread = std::sqrt(squares / (n - 1));
  return judged;
}

void require_options(const TruthTuneOptions& options) {
  if (options.folds < 2 || options.folds > 20) {
    throw Error(ErrorCode::plan, "folds", std::to_string(options.folds) + " is out of range; use 2 to 20");
  }
  if (options.repeats < 1 || options.repeats > 1000) {
    throw Error(ErrorCode::plan, "repeats", std::to_string(options.repeats) + " is out of range; use 1 to 1000");
  }
  if (options.most_items < 10)
    throw Error(ErrorCode::plan, "most_items", std::to_string(options.most_items) + " are too few to compare; use 10 or more");
}

}  // namespace

std::string to_string(const Setting& setting) {
  return std::string(name(setting.measure)) + (setting.kind == Kind::tfidf ? " tfidf " : " ") + shingle_name(setting.shingle) + " " +
         std::string(name(setting.shingle.normalise));
}

std::vector<Setting> usual_settings() {
  std::vector<Setting> settings;
  for (const Normalise normalise : {Normalise::text, Normalise::none}) {
    for (const auto& [measure, kind] :
         {std::pair{Measure::jaccard, Kind::shingles}, {Measure::cosine, Kind::tfidf}, {Measure::containment, Kind::shingles}}) {
      for (std::uint32_t size = 1; size <= 3; ++size)
        settings.push_back({measure, kind, {.token = Token::word, .size = size, .normalise = normalise}});
      for (std::uint32_t size = 2; size <= 5; ++size)
        settings.push_back({measure, kind, {.token = Token::character, .size = size, .normalise = normalise}});
    }
  }
  return settings;
}

TruthTuned tune_by_truth(const Input& input, const TruthTable& table, const TruthTuneOptions& options, const RunOptions& run,
                         const Input* against) {
  require_options(options);
  TruthTuned tuned;
  const ReadTexts read = read_texts(input, table, against, tuned.stats);
  const LabelledTexts texts = texts_to_compare(read, options.most_items, options.seed);
  tuned.notes = read.truth.notes;
  tuned.items = read.items.size();
  tuned.compared = texts.texts.size();
  tuned.groups = texts.groups;
  if (texts.groups < 2) {
    throw Error(ErrorCode::data, table.path,
                "its labels join all labelled items into one group; two groups are needed: one to choose the settings, one to judge them");
  }
  tuned.folds = std::min(options.folds, texts.groups);
  const Folds folds = make_folds(texts.group, texts.groups, tuned.folds, options.repeats, options.seed);
  const std::vector<Setting> settings = different_settings(options.settings.empty() ? usual_settings() : options.settings, texts.texts);
  SettingSearch search(texts, options, run);
  std::vector<Judged> judged;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (run.progress) run.progress("settings", i, settings.size());
    judged.push_back(judge(settings[i], search.pairs(settings[i]), texts, folds));
  }
  std::stable_sort(judged.begin(), judged.end(), [](const Judged& x, const Judged& y) { return x.score.f1 > y.score.f1; });
  for (const Judged& one : judged) tuned.scores.push_back(one.score);
  if (judged.size() > 1) {
    const Lead lead = lead_over(judged[0].f1, judged[1].f1, tuned.folds);
    tuned.lead = lead.mean, tuned.lead_low = lead.low, tuned.lead_high = lead.high;
  }
  return tuned;
}

}  // namespace nearkin
