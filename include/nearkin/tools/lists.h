// Results as rows of a file, as the command line writes them. Unlike the functions of run.h and query.h these do not hold their results in
// memory. Path "-" is standard output; names that end in .gz or .zst are compressed; a file appears under its name when it is complete.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <nearkin/decontaminate.h>
#include <nearkin/index.h>
#include <nearkin/passages.h>
#include <nearkin/query.h>
#include <nearkin/run.h>
#include <nearkin/score.h>

namespace nearkin {

enum class RowStyle {
  tsv,   ///< tab-separated, without a header
  json,  ///< one JSON object per line
};

struct PairsOutput {
  std::string path = "-";
  RowStyle style = RowStyle::tsv;
  Partners partners = {};
  /// For front ends: called when the result is known and no output is in place yet; may throw to prevent that.
  std::function<void(const RunStats&)> on_result = {};
};
/// `pairs` to a file: a, b, similarity (or distance).
RunStats list_pairs(const Input& input, const Plan& plan, const PairsOutput& output, const RunOptions& options = {},
                    const Input* against = nullptr);

struct ScoresListed {
  std::vector<SearchedPart> searched;
  RunStats stats;
};
/// `score_pairs` to a file: a, b, score; JSON adds "parts", the value of each field. The partners are those of the options.
ScoresListed list_score_pairs(const Input& input, const Score& score, const PairsOutput& output, const ScoreOptions& options = {},
                              const RunOptions& run = {}, const Input* against = nullptr);

struct ClustersListed {
  std::uint64_t clusters = 0;  ///< with two or more members
  RunStats stats;
};
struct ClustersOutput {
  std::string path = "-";
  RowStyle style = RowStyle::tsv;
  std::uint32_t least = 1;                            ///< leave out clusters with fewer members than this
  std::optional<std::string> summary = std::nullopt;  ///< another file, with one row per cluster of two (or `least`) or more members
  /// For front ends: called when the result is known and no output is in place yet; may throw to prevent that.
  std::function<void(const ClustersListed&)> on_result = {};
};
/// `cluster` to files: id, cluster.
ClustersListed list_clusters(const Input& input, const Plan& plan, const ClustersOutput& output, const ClusterOptions& options = {},
                             const RunOptions& run = {});

struct ScoreClustersListed {
  ClustersListed listed;
  std::vector<SearchedPart> searched;
};
/// `cluster_by_score` to files.
ScoreClustersListed list_score_clusters(const Input& input, const Score& score, const ClustersOutput& output, const ScoreOptions& by = {},
                                        const ClusterOptions& options = {}, const RunOptions& run = {});

struct PassagesOutput {
  std::string path = "-";
  RowStyle style = RowStyle::tsv;
  /// For front ends: called when the result is known and no output is in place yet; may throw to prevent that.
  std::function<void(const PassageStats&)> on_result = {};
};
/// `passages` to a file: id, begin, end, in, in_begin, in_end, tokens; with a gap also similarity, the share of equal tokens.
PassageStats list_passages(const Input& input, const PassagesOutput& output, const PassageOptions& options = {},
                           const RunOptions& run = {});

/// What happens to records in which an item of a suite is found.
enum class Decontaminate {
  list,    ///< nothing: the hits are the result
  mark,    ///< they get a field "contaminated" that names the suites, separated by commas (jsonl, csv, tsv)
  cut,     ///< the places are cut out of their texts, all else stays byte for byte (jsonl, csv, tsv, lines)
  remove,  ///< they are left out
};
struct DecontaminateOutput {
  std::string path = "-";          ///< the hits; or the records, in input order
  RowStyle style = RowStyle::tsv;  ///< of the hits
  Decontaminate act = Decontaminate::list;
  std::optional<std::string> hits = {};     ///< with another act than list: write the hits to this file
  std::optional<std::string> skipped = {};  ///< with another act than list: write bad records to this file, bytes unchanged
  bool keep_faults = true;                  ///< with another act than list: write bad records unchanged, in their places
  /// For front ends: called when the result is known and no output is in place yet; may throw to prevent that.
  std::function<void(const DecontaminateStats&)> on_result = {};
};
/// `decontaminate` to files. A hit: id, suite, item, share, run, begin, end, item_begin, item_end; with `need` also the field.
DecontaminateStats write_decontaminated(const Input& input, const std::vector<Suite>& suites, const DecontaminateOutput& output,
                                        const DecontaminateOptions& options = {}, const RunOptions& run = {});

/// The hits of a query: query, id, similarity (or distance). JSON adds "stopped_early":true for queries that were stopped.
void write_hits(const QueryResult& result, const std::string& path, RowStyle style);

struct HitsListed {
  std::uint64_t queries = 0, with_hits = 0, hits = 0, looked_at = 0, stopped_early = 0;
  RunStats stats;  ///< of the queries
};
/// Asks an index with every record of the input, in order, and writes rows as write_hits does. Each part of the input is answered from the
/// state of the index once that part was read.
HitsListed query_index(const Index& index, const Input& queries, const std::string& path, RowStyle style, const Ask& ask = {},
                       const RunOptions& run = {});
/// Asks an index with items of its own, by their ids; each is left out of its answer. Throws Error(plan) for an id that it does not have.
HitsListed query_index_like(const Index& index, std::span<const std::string> ids, const std::string& path, RowStyle style,
                            const Ask& ask = {});

}  // namespace nearkin
