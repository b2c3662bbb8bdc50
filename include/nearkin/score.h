// A similarity put together from several fields of a record, such as title and year of two tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/run.h>

namespace nearkin {

/// One field and how it is compared. Its value is from 0 to 1; it is 0 if one of the two records has nothing in the field.
struct ScorePart {
  enum class How {
    jaccard,  ///< |A∩B| / |A∪B| of the shingles of both texts
    equal,    ///< 1 if both texts are equal after normalising, else 0
  };
  std::string text;               ///< field, or several separated by commas, read as one
  std::string against_text = {};  ///< the same of `against`; empty: `text`
  How how = How::jaccard;
  ShinglePlan shingle = {.token = Token::character, .size = 3};  ///< jaccard
  double weight = 1;                                             ///< above 0, at most 1000
};

/// The weighted mean of its parts, rounded to nine decimals.
struct Score {
  std::vector<ScorePart> parts;  ///< 1 to kMostParts
  static constexpr std::size_t kMostParts = 12;
};

/// "title:jaccard(char:3)*2 + year:equal": parts with + between them, each FIELD[=FIELD OF AGAINST]:HOW[*WEIGHT]. HOW is equal, jaccard
/// (of char:3), or jaccard(SHINGLE). Throws Error(plan) naming the part that is wrong.
Score parse_score(std::string_view text);
std::string to_string(const Score& score);
/// The fields that a score reads, each once, without quotation marks; `against`: those of the other input.
std::vector<std::string> fields_of(const Score& score, bool against = false);

struct SearchedPart;

struct ScoreOptions {
  double threshold = 0.8;  ///< pairs with this score or more; above 0, at most 1
  double recall = 0.95;    ///< each of these is found with at least this probability; 1: all are
  std::uint64_t seed = 1;
  /// As in BandPlan, of the searches by fields; pairs that they leave out in larger buckets are in RunStats::buckets.
  std::uint32_t large_bucket = BandPlan::kLargeBucketOfPairs;
  Partners partners = {};  ///< of `score_pairs`; other runs need all pairs
  /// For front ends: called with what the results will have as `searched`, right before on_result of the outputs.
  std::function<void(const std::vector<SearchedPart>&)> on_searched = {};
};

/// A field by which candidates are searched for. A pair that reaches the threshold has a value of at least `level` in one of these fields.
struct SearchedPart {
  std::size_t part = 0;
  double level = 1;
  std::string plan = {};    ///< the line
  std::uint64_t pairs = 0;  ///< found by it
};

struct ScoreResult {
  Strings ids;                         ///< of the input, then of `against`
  Matches matches;                     ///< as in PairsResult; shared of total is the score, with a total of 10^9
  std::vector<double> values;          ///< for each match in turn: one value per part
  std::vector<SearchedPart> searched;  ///< chosen to keep the number of candidates small
  RunStats stats;
};

/// Every pair of the input, or of the input and `against`, whose score reaches the threshold. Reads jsonl, csv and tsv, several times.
ScoreResult score_pairs(const Input& input, const Score& score, const ScoreOptions& options = {}, const RunOptions& run = {},
                        const Input* against = nullptr);

struct ScoreClusters {
  ClusterResult result;  ///< Match::shared of total is the score
  std::vector<SearchedPart> searched;
};
/// As `cluster`, of records whose score reaches the threshold.
ScoreClusters cluster_by_score(const Input& input, const Score& score, const ScoreOptions& by = {}, const ClusterOptions& options = {},
                               const RunOptions& run = {});

struct ScoreDedup {
  DedupResult result;
  std::vector<SearchedPart> searched;
};
/// As `dedup`, of records whose score reaches the threshold. The longest record is the one with the most text in the fields of the score.
ScoreDedup dedup_by_score(const Input& input, const std::string& output, const Score& score, const ScoreOptions& by = {},
                          const DedupOptions& options = {}, const RunOptions& run = {});

struct ScoreDedupRows {
  DedupRows rows;
  std::vector<SearchedPart> searched;
};
/// As `dedup_rows`: what `dedup_by_score` decides, without writing anything. The input is files here, too.
ScoreDedupRows dedup_rows_by_score(const Input& input, const Score& score, const ScoreOptions& by = {}, const DedupOptions& options = {},
                                   const RunOptions& run = {});

}  // namespace nearkin
