#include "flags.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <variant>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nearkin/tools/spelling.h>

#include "errors.h"
#include "values.h"

namespace nearkin::cli {
namespace {

enum class Group { goal, plan, input, resources, limits, output };
constexpr std::array<const char*, 6> kGroupNames{"Goal", "Plan", "Input", "Resources", "Limits", "Output"};

using TextMember = ParsedArgs::Text ParsedArgs::*;
using SwitchMember = bool ParsedArgs::*;
using ListMember = std::vector<std::string> ParsedArgs::*;  ///< a flag that may be given again and again

struct Flag {
  const char* names;  ///< as CLI11 wants them: "-o,--output"
  const char* value;  ///< how the help calls the value; empty for a switch
  Group group;
  unsigned commands;  ///< CommandBits
  std::variant<TextMember, SwitchMember, ListMember> member;
  const char* text;  ///< {values} stands for the words of values.h
};

constexpr unsigned kRuns = kPairs | kCluster | kDedup;
constexpr unsigned kSearches = kQuery | kEvaluate;
constexpr unsigned kPlanned = kRuns | kSearches | kCompare | kTune;
constexpr unsigned kChosen = kPlanned | kIndex;    ///< what says which plan to choose
constexpr unsigned kSketched = kChosen | kSketch;  ///< what says how sets are sketched
constexpr unsigned kReaders = kRuns | kSearches | kTune | kDistinct | kSketch | kIndex | kPassages | kDecontaminate;
constexpr unsigned kTimed = kRuns | kSearches | kDistinct | kSketch | kIndex | kPassages | kDecontaminate;
constexpr unsigned kTables = kPairs | kCluster | kSearches | kCompare | kTune | kCurve | kDistinct | kExplain | kPassages;
constexpr unsigned kAll = kTables | kDedup | kSketch | kIndex | kServe | kDecontaminate;
constexpr unsigned kStudied = kExplain | kTune | kSearches;  ///< where bands and rows also have the names of textbooks
constexpr unsigned kTexts = kPassages | kDecontaminate;      ///< what reads texts alone

// A flag whose text differs between commands has a line for each text.
// clang-format off
const Flag kFlags[] = {
    {"--measure", "NAME", Group::goal, kCurve, &ParsedArgs::measure,
     "{values} (default jaccard)"},
    {"--measure", "NAME", Group::goal, kPlanned, &ParsedArgs::measure,
     "{values}\n(equal items only). Default: jaccard; for dense and sparse vectors cosine, for bits hamming"},
    {"--measure", "NAME", Group::goal, kIndex, &ParsedArgs::measure,
     "{values}\n(default jaccard; dense and sparse vectors: cosine; bits: hamming)"},
    {"--measure", "NAME", Group::goal, kExplain, &ParsedArgs::measure, "{values} (default jaccard)"},
    {"--measure", "NAME", Group::goal, kSketch, &ParsedArgs::measure, "{values} (default jaccard); hamming only with --format table"},
    {"--threshold", "S", Group::goal, kCurve, &ParsedArgs::threshold, "add to the table how often a pair is missed at S or above (false negatives), and found below S\n(false positives)"},
    {"--radius", "D", Group::goal, kCurve, &ParsedArgs::radius, "the same for distances: false negatives (missed within D) and false positives (found beyond D)"},
    {"--threshold", "S", Group::goal, kQuery, &ParsedArgs::threshold, "neighbours of this similarity or more, 0 to 1 (default: that of INDEX; in a COLLECTION 0.8, or none\nwith --limit); for distances use --radius"},
    {"--threshold", "S", Group::goal, kEvaluate, &ParsedArgs::threshold, "pairs of this similarity or more, 0 to 1 (default 0.8, with --truth: 0.1; with --limit, none); for\ndistances use --radius"},
    {"--threshold", "S", Group::goal, kSketched & ~kSearches, &ParsedArgs::threshold, "pairs of this similarity or more, 0 to 1 (default 0.8); for distances use --radius"},
    {"--threshold", "S", Group::goal, kExplain, &ParsedArgs::threshold, "pairs of this similarity or more, 0 to 1 (default 0.8)"},
    {"--radius", "D", Group::goal, kChosen, &ParsedArgs::radius,
     "euclidean, manhattan, hamming: pairs of this distance or less. For hamming, D is the number of\nplaces that differ; if D is below 1, the share of the places that differ"},
    {"--radius", "D", Group::goal, kSketch, &ParsedArgs::radius, "hamming: pairs of this distance or less. D is the number of places that differ; if D is below 1, the\nshare of the places that differ"},
    {"--limit", "K", Group::goal, kQuery, &ParsedArgs::limit, "list only the K nearest items. In a COLLECTION they may be at any distance, unless --threshold or\n--radius is given"},
    {"--limit", "K", Group::goal, kEvaluate, &ParsedArgs::limit, "ask only for the K nearest items; they may be at any distance, unless --threshold or --radius is\ngiven"},
    {"--limit", "K", Group::goal, kTune, &ParsedArgs::limit, "make a plan for queries that ask for the K nearest items, instead of a --threshold or --radius"},
    {"--thresholds", "S,S,...", Group::goal, kRuns, &ParsedArgs::thresholds,
     "write no result, only how many pairs, clusters and removals each of these thresholds would give"},
    {"--radii", "D,D,...", Group::goal, kRuns, &ParsedArgs::radii, "the same as --thresholds, for distances"},
    {"--best", "", Group::goal, kEvaluate | kTune, &ParsedArgs::best, "with --truth: only the best partner of each item counts as found"},
    {"--top", "N", Group::goal, kEvaluate | kTune, &ParsedArgs::top, "with --truth: only the N best partners of each item count as found"},
    {"--one-to-one", "", Group::goal, kEvaluate | kTune, &ParsedArgs::one_to_one, "with --truth: only the pairs of a one-to-one matching count as found"},
    {"--best", "", Group::goal, kPairs, &ParsedArgs::best, "list the best partner of each item (with --against: of each item of INPUT); the same as --top 1"},
    {"--top", "N", Group::goal, kPairs, &ParsedArgs::top, "list the N best partners of each item; among equally similar ones, the first in input order"},
    {"--one-to-one", "", Group::goal, kPairs, &ParsedArgs::one_to_one,
     "list each item in at most one pair: take the most similar pair first, then the next one whose items\nare both unused, and so on"},
    {"--optimal", "", Group::goal, kPairs | kEvaluate, &ParsedArgs::optimal,
     "with --one-to-one and --against: choose the matching whose similarities have the greatest sum,\ninstead of taking the most similar pair first"},
    {"--score", "PARTS", Group::goal, kCluster, &ParsedArgs::score,
     "compare field by field. PARTS are FIELD:HOW*WEIGHT, joined by +; HOW is 'equal' or\n'jaccard(SHINGLE)'. The similarity is the weighted mean of the parts:\n'title:jaccard(char:3)*2 + year:equal'"},
    {"--score", "PARTS", Group::goal, kPairs | kDedup | kEvaluate, &ParsedArgs::score,
     "compare field by field. PARTS are FIELD:HOW*WEIGHT, joined by +; HOW is 'equal' or\n'jaccard(SHINGLE)'. The similarity is the weighted mean of the parts: 'title:jaccard(char:3)*2 +\nyear:equal'. With --against, a field may have two names: name=label is 'name' in INPUT and 'label'\nin OTHER"},
    {"--thresholds", "S,S,...", Group::goal, kEvaluate, &ParsedArgs::thresholds,
     "with --truth: print the figures at these thresholds (default: from --threshold to 1)"},
    {"--radii", "D,D,...", Group::goal, kEvaluate, &ParsedArgs::radii, "with --truth: print the figures at these radii (default: 20 steps up to --radius)"},
    {"--max-candidates", "N", Group::goal, kSearches, &ParsedArgs::max_candidates,
     "stop a query once it has looked at N items. N is a number, such as 500, or a multiple of the\nnumber of bands, such as 3L for three times that number"},
    {"--share-of", "WHICH", Group::goal, kQuery, &ParsedArgs::share_of,
     "with --measure containment: query (default): the similarity is the share of the query that is in the\nitem; item: it is the share of the item that is in the query"},
    {"--like", "ID", Group::goal, kQuery, &ParsedArgs::like,
     "with INDEX, in place of QUERIES: list the neighbours of this item of the index, itself left out; may\nbe repeated"},
    {"--where", "FIELD=VALUE", Group::goal, kQuery, &ParsedArgs::where, "with INDEX: only items whose metadata has this value; may be repeated for other fields"},
    {"--recall", "R", Group::goal, (kPlanned | kExplain) & ~kSearches, &ParsedArgs::recall,
     "chance of finding a pair exactly at the threshold (default 0.95; 1 finds all pairs). Pairs above the\nthreshold have a higher chance"},
    {"--recall", "R", Group::goal, kQuery, &ParsedArgs::recall,
     "chance of finding a neighbour exactly at the threshold (default 0.95; 1 finds all). Nearer ones have\na higher chance. With --limit alone: the average share of the K nearest items that is found"},
    {"--recall", "R", Group::goal, kEvaluate, &ParsedArgs::recall,
     "chance of finding a pair exactly at the threshold (default 0.95, with --truth: 1). Pairs above the\nthreshold have a higher chance; 1 finds all pairs. With --limit alone: the average share of the K\nnearest items that is found"},
    {"--recall", "R", Group::goal, kIndex, &ParsedArgs::recall,
     "chance of finding a neighbour exactly at the threshold (default 0.95; 1 compares every item). Nearer\nones have a higher chance"},
    {"--recall", "R", Group::goal, kSketch, &ParsedArgs::recall, "chance of finding a pair exactly at the threshold (default 0.95; R must be below 1). Pairs above the\nthreshold have a higher chance"},
    {"--recall-at", "WHERE", Group::goal, kSketched, &ParsedArgs::recall_at,
     "threshold (default): --recall is the chance for pairs at the threshold, and above it the chance is\nhigher; average: --recall is the average chance of all pairs at or above the threshold"},
    {"--error", "D", Group::goal, kTune, &ParsedArgs::error, "print only the number of hashes with which an estimate is rarely below (1 - D) times the similarity\n(how rarely: --failure)"},
    {"--failure", "E", Group::goal, kTune, &ParsedArgs::failure, "with --error: the share of pairs whose estimate may be too low (default 0.05)"},
    {"--above", "C", Group::goal, kTune, &ParsedArgs::above, "with --error: for similarities of C or more (default: the threshold)"},
    {"--for", "COMMAND", Group::goal, kTune, &ParsedArgs::command,
     "make the plan for 'pairs', 'cluster' or 'dedup' (default dedup); 'pairs' compares more items in\nlarge buckets"},
    {"--sensitive", "R1,R2", Group::goal, kTune, &ParsedArgs::sensitive,
     "show how well one hash separates two distances (1 - similarity): print p1 and p2, the chances that\ntwo items at distance R1, or R2, have an equal hash; rho = ln p1 / ln p2; and with --items the k and\nL for N items. Textbooks call such a hash (r1, r2, p1, p2)-sensitive"},
    {"--items", "N", Group::goal, kTune, &ParsedArgs::items, "make the plan for N items, such as 1e9; with INPUT: for N items like those of INPUT"},

    {"--least", "T", Group::goal, kPassages, &ParsedArgs::least, "list passages of T or more tokens, 5 to 1000000 (default 50)"},
    {"--gap", "G", Group::goal, kPassages, &ParsedArgs::gap,
     "join passages if at most G tokens lie between them in both records (default: join none). A column is\nadded: similarity, the share of equal tokens"},
    {"--share", "S", Group::goal, kDecontaminate, &ParsedArgs::share,
     "a record contains an item if one place in it has at least the share S of the item's n-grams (S is\nabove 0 and at most 1; default 0.45). Items of fewer than 20 words are also found if a word or two\nwere changed, unless S is above 0.9"},
    {"--least-item", "T", Group::goal, kDecontaminate, &ParsedArgs::least_item, "do not look for items of fewer than T tokens (default 5)"},
    {"--need", "FIELD,...", Group::goal, kDecontaminate, &ParsedArgs::need,
     "look for each field of --against-text by itself, not for all of them as one text. A record contains\nan item if it contains all fields named here; the others are only listed where they occur"},

    {"--plan", "LINE", Group::plan, kSketched | kExplain, &ParsedArgs::plan,
     "all search settings as one line (a plan), as 'nearkin tune' prints it; or @FILE: the plan of a\nsketch file, of an index, or of a text file whose first line is a plan"},
    {"--shingle", "TOKEN:K", Group::plan, kSketched | kExplain, &ParsedArgs::shingle,
     "what to compare: runs of K tokens (shingles), as {values}\n(default word:5, which leaves out punctuation; sets: element:1)"},
    {"--shingle", "TOKEN", Group::plan, kPassages, &ParsedArgs::shingle, "what a token is: {values} (default word)"},
    {"--shingle", "TOKEN:N", Group::plan, kDecontaminate, &ParsedArgs::shingle, "an n-gram: {values} (default word:4)"},
    {"--features", "NAME", Group::plan, kPlanned & ~kCompare, &ParsedArgs::features, "tfidf: compare texts as vectors; a shingle weighs most if it is frequent in its text and rare in the\ncollection. Options: tfidf:sublinear (n occurrences weigh 1 + ln n), tfidf:cap=N (occurrences beyond\nthe Nth are ignored), tfidf:sublinear:cap=N"},
    {"--binarise", "RULE", Group::plan, kPlanned, &ParsedArgs::binarise, "turn dense vectors into bits, for hamming. median, mean: the bit is 1 if a number is above the\nmedian or mean of its column; sign: if it is above 0; unary:N: N bits for each number; the larger\nthe number, the more of them are 1"},
    {"--binarise", "RULE", Group::plan, kIndex, &ParsedArgs::binarise, "turn dense vectors into bits, for hamming. sign: the bit is 1 if a number is above 0"},
    {"--dimensions", "D", Group::plan, kSketched & ~(kTune | kSketch), &ParsedArgs::dimensions,
     "hamming: length of the bit strings; needed only for standard input"},
    {"--dimensions", "D", Group::plan, kTune, &ParsedArgs::dimensions, "hamming: length of the bit strings; needed for standard input and without INPUT"},
    {"--dimensions", "D", Group::plan, kCurve, &ParsedArgs::dimensions, "hamming: length of the bit strings (required)"},
    {"--width", "W", Group::plan, kCurve, &ParsedArgs::width, "euclidean, manhattan: width of the intervals into which a hash sorts values, such as 4 (required)"},
    {"--width", "W", Group::plan, kChosen, &ParsedArgs::width, "euclidean, manhattan: width of the intervals into which a hash sorts values; wider ones find more\npairs and take longer (default: chosen to reach --recall)"},
    {"--probes", "T", Group::plan, kSearches | kTune, &ParsedArgs::probes,
     "euclidean: number of buckets to search in each band: the query's own, then those likeliest to hold\nneighbours (default 1)"},
    {"--bag", "", Group::plan, kSketched | kExplain, &ParsedArgs::bag, "count a shingle as often as it occurs in an item, instead of once"},
    {"--normalise", "NAME", Group::plan, kSketched | kDistinct | kExplain | kTexts, &ParsedArgs::normalise,
     "text (default): case folded, white space collapsed; none: text unchanged; code: white space\ncollapsed; code:no-comments: also without comments; code:identifiers: without comments, and all\nnames count as one name, all numbers as one number"},
    {"--ignore", "PATH", Group::plan, kPassages, &ParsedArgs::ignore,
     "ignore templates such as licence headers: any five or more tokens in a row that are also in this\nfile, or in a file of this folder; may be repeated"},
    {"--ignore", "PATH", Group::plan, kSketched | kExplain, &ParsedArgs::ignore,
     "ignore shingles that occur in PATH: a file, a folder of files, or a list that --ignored wrote. Use\nit for licence headers, or for code given to students; may be repeated"},
    {"--ignore-common", "N", Group::plan, kSketched & ~(kCompare | kRuns | kSketch), &ParsedArgs::ignore_common,
     "ignore shingles that more than N items have; a number with a decimal point is a share: 0.1 is a\ntenth of the items"},
    {"--ignore-common", "N", Group::plan, kRuns | kSketch, &ParsedArgs::ignore_common,
     "ignore shingles that occur in more than N items; a number with a decimal point is a share: 0.1 is a\ntenth of the items. With --across author, N counts authors instead: shingles that more than N\nauthors use are ignored"},
    {"--permutations", "FILE|N", Group::plan, kExplain, &ParsedArgs::permutations,
     "textbook min-hashing by N random permutations, or those of FILE, one per line. A line '2 3 1' gives\nthe new place of each row (rows are counted from 0, places from 1): row 0 goes to place 2, row 1 to\n3, row 2 to 1. 'order: 2 0 1' gives the same permutation as the rows in their\nnew order: first row 2, then 0, then 1"},
    {"--hash", "FUNCTION", Group::plan, kExplain, &ParsedArgs::row_hashes,
     "textbook min-hashing by a hash function of the row number x, such as 'x+1 mod 5'; may be repeated"},
    {"--hashes", "K", Group::plan, kSketched | kExplain, &ParsedArgs::hashes, "number of hashes in the sketch (short summary) of an item (default: chosen to reach --recall)"},
    {"--bands", "B", Group::plan, kSketched & ~kStudied, &ParsedArgs::bands, "number of bands (groups of hashes) in a sketch: two items are compared if all hashes of a band are\nequal (default: chosen to reach --recall)"},
    {"-L,--bands", "B", Group::plan, kStudied, &ParsedArgs::bands, "number of bands (groups of hashes) in a sketch, L in textbooks: two items are compared if all hashes\nof a band are equal (default: chosen to reach --recall)"},
    {"-L,--bands", "B,...", Group::plan, kCurve, &ParsedArgs::bands, "number of bands (groups of hashes) in a sketch, L in textbooks (required); several numbers draw\nseveral curves"},
    {"--rows", "R", Group::plan, kSketched & ~kStudied, &ParsedArgs::rows, "hashes in a band (default: chosen to reach --recall)"},
    {"-k,--rows", "R", Group::plan, kStudied, &ParsedArgs::rows, "hashes in a band, k in textbooks (default: chosen to reach --recall)"},
    {"-k,--rows", "R,...", Group::plan, kCurve, &ParsedArgs::rows, "hashes in a band, k in textbooks (required); if several, as many numbers as for --bands"},
    {"--large-bucket", "N", Group::plan, kPairs, &ParsedArgs::large_bucket,
     "in buckets (items with equal hashes) of up to N items, all items are compared with each other\n(default 10000); in larger ones, each item is compared with only some of the others"},
    {"--large-bucket", "N", Group::plan, kTune, &ParsedArgs::large_bucket,
     "in buckets (items with equal hashes) of up to N items, all items are compared with each other\n(default 128; for pairs 10000); in larger ones, each item is compared with only some of the others"},
    {"--large-bucket", "N", Group::plan, kPlanned & ~(kPairs | kTune | kQuery | kCompare), &ParsedArgs::large_bucket,
     "in buckets (items with equal hashes) of up to N items, all items are compared with each other\n(default 128); in larger ones, each item is compared with only some of the others"},
    {"--verify", "NAME", Group::plan, kSketched & ~kIndex, &ParsedArgs::verify, "what to do with candidates (pairs that share a band): exact compares them, estimate compares their\nsketches, none reports them all (default exact)"},
    {"--seed", "N", Group::plan, kSketched | kExplain, &ParsedArgs::seed, "seed of the hash functions (default 1)"},
    {"--inject", "N", Group::plan, kDecontaminate, &ParsedArgs::inject,
     "test the search: plant N items of each suite in a copy of the data, once verbatim and in four\nchanged forms, and print for each form the share that is found; no records are written"},
    {"--changed", "SHARE", Group::plan, kDecontaminate, &ParsedArgs::changed, "with --inject: share of words that differ in the form called \"changed\", one of the four changed\nforms (default 0.1)"},
    {"--seed", "N", Group::plan, kDecontaminate, &ParsedArgs::seed, "with --inject: seed for the choice of items, places and words (default 1)"},
    {"--linkage", "NAME", Group::plan, kCluster, &ParsedArgs::linkage,
     "connected (default): an item joins a cluster if it is similar to any item of it; star: only if it is\nsimilar to the keeper (see --keep)"},
    {"--linkage", "NAME", Group::plan, kDedup, &ParsedArgs::linkage,
     "which records are removed (default star). star: those that are similar to the record that is kept;\nconnected: also those that are linked to it by a chain of similar records"},
    {"--keep", "RULE", Group::plan, kCluster, &ParsedArgs::keep,
     "which item (the keeper) stands for its cluster (default first):\n{values}"},
    {"--keep", "RULE", Group::plan, kDedup, &ParsedArgs::keep,
     "which item of a group to keep (its keeper): {values}\n(default first)"},
    {"--keep", "RULE", Group::plan, kSketch, &ParsedArgs::keep, "{values}: store the numbers of this field with the sketches, so a later run with the\nsame --keep can use them to choose which items to keep"},
    {"--keep-at-most", "N", Group::plan, kDedup, &ParsedArgs::keep_at_most, "keep up to N of a group (default 1)"},
    {"--passages", "T", Group::goal, kDedup, &ParsedArgs::passages,
     "cut repeated passages of T or more words out of the records, except the first occurrence;\nwith --against, cut the passages that occur in OTHER"},
    {"--drop", "repeated", Group::plan, kDedup, &ParsedArgs::drop, "keep no item of a group of two or more"},
    {"--repeats", "WHICH", Group::plan, kDedup, &ParsedArgs::repeats,
     "with --unit, which copy of a repeated part to keep: first (default) or none"},
    {"--size-field", "NAME", Group::plan, kDedup, &ParsedArgs::size_field,
     "add to each record the size of its group, as a field of this name (jsonl, csv, tsv)"},
    {"--least-left", "N", Group::plan, kDedup, &ParsedArgs::least_left, "with --unit or --passages: remove a record that is cut to fewer than N words"},
    {"--most-cut", "SHARE", Group::plan, kDedup, &ParsedArgs::most_cut,
     "with --unit or --passages: do not cut a record that would lose more than this share of its words\n(default 1)"},
    {"--share-field", "NAME", Group::output, kDedup, &ParsedArgs::share_field,
     "with --unit: add a field of this name to each record: the share of the record's words that are in\nrepeated parts"},
    {"--bloom", "RATE", Group::plan, kDedup, &ParsedArgs::bloom, "with --measure exact: use a Bloom filter; RATE is the share of items removed wrongly, 0 to 1"},
    {"--precision", "P", Group::plan, kDistinct, &ParsedArgs::precision, "use 2^P counters of one byte each; P is 4 to 18 (default 14: error 0.8 %)"},
    {"--at", "S,S,...", Group::plan, kCurve, &ParsedArgs::at, "similarities, or distances, to list (default 0.1,0.2,...,1)"},
    {"--sweep", "NAME=VALUES", Group::plan, kEvaluate, &ParsedArgs::sweeps,
     "try a plan for each value, such as rows=8:40:4 (8 to 40 in steps of 4) or bands=5,10,20; may be\nrepeated, to try all combinations; NAME is rows, bands, hashes, max-candidates, probes, width,\nrecall or seed"},
    {"--queries", "N", Group::plan, kEvaluate, &ParsedArgs::queries, "use a sample of at most N queries (default 1000)"},

    {"--files-from", "FILE", Group::input, kEvaluate, &ParsedArgs::files_from, "with --truth: read the paths of inputs from FILE, one per line"},
    {"--files-from", "FILE", Group::input, kReaders & ~kSearches, &ParsedArgs::files_from, "read the paths of further inputs from FILE, one per line"},
    {"--format", "NAME", Group::input, kTexts, &ParsedArgs::format, "{values} (default: by extension). packed: a binary form that other\nprograms write"},
    {"--format", "NAME", Group::input, kSketch, &ParsedArgs::format, "{values} (default: by extension). edges: a\ngraph; table: rows, such as answers to a survey, which are alike if many columns are equal; packed:\na binary form that other programs write"},
    {"--format", "NAME", Group::input, kReaders & ~(kTexts | kSketch), &ParsedArgs::format, "{values} (default: by\nextension). edges: a graph; table: rows, such as answers to a survey, which are alike if many\ncolumns are equal; packed: a binary form that other programs write"},
    {"--format", "NAME", Group::input, kCompare, &ParsedArgs::format, "if A and B are items of files, the format of these files: {values}\n(default: by extension; files with other extensions are texts)"},
    {"--id", "FIELD", Group::input, kCompare, &ParsedArgs::id, "table: column of the id"},
    {"--directed", "WAY", Group::input, kReaders & ~kTexts, &ParsedArgs::directed, "for --format edges: which neighbours of a node are compared. out: the nodes that it points to; in:\nthe nodes that point to it; both: these two lists, kept apart. Default: all neighbours, in one list"},
    {"--id", "FIELD", Group::input, kReaders, &ParsedArgs::id, "field of the id (default id); first-word: first word of a line; none: use FILE:LINE"},
    {"--text", "FIELD", Group::input, kTexts | kDistinct, &ParsedArgs::text, "name of the field with the text (default text); title,body: both; '*': all but the id; '*,-price':\nall but id and price"},
    {"--text", "FIELD", Group::input, kReaders & ~(kTexts | kDistinct | kSketch | kIndex), &ParsedArgs::text, "name of the field with the text (default text); title,body: both; '*': all but the id; '*,-price':\nall but id and price; title^3: title counts three times (only with weighted-jaccard or tfidf)"},
    {"--text", "FIELD", Group::input, kSketch | kIndex, &ParsedArgs::text, "name of the field with the text (default text); title,body: both; '*': all but the id; '*,-price':\nall but id and price; title^3: title counts three times (only with weighted-jaccard)"},
    {"--matrix", "FILE", Group::input, kExplain, &ParsedArgs::matrix,
     "sets as a matrix instead of texts, for --permutations and --hash: one row of 0 and 1 per element,\none column per set; the first line and the first column may contain names"},
    {"--text", "TEXT", Group::input, kExplain, &ParsedArgs::text, "the text itself instead of FILE; OTHER is then a text, too"},
    {"--encoding", "NAME", Group::input, kReaders | kCompare | kExplain, &ParsedArgs::encoding, "encoding of texts that are not UTF-8: latin1, windows-1252, utf-16, any that iconv knows, or auto"},
    {"--html", "WAY", Group::input, kReaders | kCompare | kExplain, &ParsedArgs::html,
     "text (read all inputs as HTML, and compare only the visible text) or raw (compare the markup, too);\ndefault: text for files .html, .htm and .xhtml, raw for others"},
    {"--pre", "COMMAND", Group::input, kReaders | kCompare | kExplain, &ParsedArgs::pre,
     "program that prints the text of a file; the path is its last argument, or replaces {};\nnone: no program (default: pdftotext for .pdf, pandoc for .docx, .odt, .epub, .rtf)"},
    {"--pre-glob", "PATTERN", Group::input, kReaders | kCompare | kExplain, &ParsedArgs::pre_globs,
     "with --pre: use it only for files with these names, such as '*.djvu'; may be repeated"},
    {"--pre-timeout", "SECS", Group::input, kReaders | kCompare | kExplain, &ParsedArgs::pre_timeout, "skip a file if its program takes longer (default 30)"},
    {"--unit", "NAME", Group::input, kDistinct, &ParsedArgs::unit,
     "count parts of texts: paragraph, line, sentence or window:WORDS/STEP (default document). In\nwindow:50/25, a part has 50 words and begins at every 25th word"},
    {"--unit", "NAME", Group::input, kReaders & ~(kTexts | kDistinct), &ParsedArgs::unit,
     "compare parts of texts: paragraph, line, sentence or window:WORDS/STEP (default document). In\nwindow:50/25, a part has 50 words and begins at every 25th word"},
    {"--least-unit", "N", Group::input, kReaders & ~kTexts, &ParsedArgs::least_unit, "with --unit: ignore parts of fewer than N words"},
    {"--within", "FIELD", Group::input, kRuns | kSketch, &ParsedArgs::within,
     "compare only items with the same value of this field, such as lang; 'file' and 'folder' mean the\nfile or the folder that an item comes from"},
    {"--across", "FIELD", Group::input, kRuns | kSketch, &ParsedArgs::across, "compare only items with different values of this field, such as author; 'file' and 'folder' mean the\nfile or the folder that an item comes from"},
    {"--separator", "CHAR", Group::input, kReaders, &ParsedArgs::separator, "csv: the character between fields (default ,)"},
    {"--no-header", "", Group::input, kReaders, &ParsedArgs::no_header, "csv, tsv: the first line is data; columns are called 1, 2, 3 …"},
    {"--faults", "HOW", Group::input, kReaders & ~(kDedup | kDecontaminate), &ParsedArgs::faults,
     "what to do with records that cannot be used (no text, broken JSON): skip (exit status 0) or stop;\nwithout this flag they are skipped, and the exit status is 1"},
    {"--faults", "HOW", Group::input, kDedup, &ParsedArgs::faults,
     "what to do with records that cannot be used (no text, broken JSON): keep (write them as they are;\nthe default), skip (the default with --skipped), or stop"},
    {"--faults", "HOW", Group::input, kDecontaminate, &ParsedArgs::faults,
     "for records that cannot be used (no text, broken JSON …). With --do: keep (write them as they are;\nthe default), skip (the default with --skipped), or stop. Without --do: skip (exit status 0) or\nstop; without this flag they are skipped, and the exit status is 1"},
    {"--same-id", "HOW", Group::input, kRuns | kSearches | kSketch | kPassages, &ParsedArgs::same_id,
     "what to do with a record whose id was used before: refuse (default): treat it as a record that\ncannot be used; keep: compare it under the name ID@ROW"},
    {"--against", "OTHER", Group::input, kPairs, &ParsedArgs::against, "only the pairs between INPUT and OTHER"},
    {"--against", "OTHER", Group::input, kEvaluate | kTune, &ParsedArgs::against, "with --truth: only the pairs between INPUT and OTHER"},
    {"--truth", "FILE", Group::input, kEvaluate, &ParsedArgs::truth,
     "print precision, recall and F1 by threshold, from labels in FILE (CSV, TSV, JSON lines): pairs of\nids that belong together, or each id with its cluster"},
    {"--truth", "FILE", Group::input, kTune, &ParsedArgs::truth,
     "propose measure, shingle and threshold by cross-validation, from labels in FILE (CSV, TSV, JSON\nlines): pairs of ids that belong together, or each id with its cluster"},
    {"--truth-kind", "KIND", Group::input, kEvaluate | kTune, &ParsedArgs::truth_kind,
     "what --truth contains: {values} (default: clusters if its second column is cluster or\ncluster_id)"},
    {"--truth-fields", "A,B", Group::input, kEvaluate | kTune, &ParsedArgs::truth_fields,
     "the two columns of --truth (default: those named a and b, or unique_id_l and unique_id_r, or id and\ncluster; otherwise the first two)"},
    {"--against", "OTHER", Group::input, kPassages, &ParsedArgs::against, "only the passages of INPUT that occur in OTHER"},
    {"--against", "OTHER", Group::input, kDedup, &ParsedArgs::against, "remove the records that are similar to a record of OTHER; duplicates within INPUT stay"},
    {"--against", "[NAME=]SUITE", Group::input, kDecontaminate, &ParsedArgs::suites,
     "the items of a benchmark: a file, a folder or a quoted glob (required); may be repeated"},
    {"--against-text", "FIELD", Group::input, kPairs | kDedup | kPassages | kEvaluate | kTune, &ParsedArgs::against_text, "with --against: field of OTHER's texts (default: that of --text)"},
    {"--against-id", "FIELD", Group::input, kPairs | kDedup | kPassages | kEvaluate | kTune, &ParsedArgs::against_id, "with --against: field of OTHER's ids (default: that of --id)"},
    {"--against-format", "NAME", Group::input, kPairs | kDedup | kPassages | kEvaluate | kTune, &ParsedArgs::against_format, "with --against: format of OTHER (default: that of --format, else by extension)"},
    {"--against-text", "FIELD", Group::input, kDecontaminate, &ParsedArgs::against_text, "field of the suites' texts (default: that of --text); several: question,answer"},
    {"--against-id", "FIELD", Group::input, kDecontaminate, &ParsedArgs::against_id, "field of the suites' ids (default: that of --id)"},
    {"--against-format", "NAME", Group::input, kDecontaminate, &ParsedArgs::against_format, "format of the suites (default: that of --format, else by extension)"},

    {"--index", "INDEX", Group::input, kDedup, &ParsedArgs::index, "keep only records that are not similar to anything in INDEX or to an earlier record, and add them to\nINDEX"},
    {"--metadata", "FIELD,...", Group::input, kIndex, &ParsedArgs::metadata, "create, add: store these fields with each item, as its metadata"},
    {"--metadata", "FIELD,...", Group::input, kDedup, &ParsedArgs::metadata, "with --index: store these fields with each item that is added"},
    {"--store-texts", "", Group::input, kIndex, &ParsedArgs::store_texts, "create: store the texts too, compressed, to show them later"},
    {"--token-file", "FILE", Group::input, kServe, &ParsedArgs::token_file,
     "file with one line: the bearer token that requests must carry; required for addresses that other\nmachines can reach"},
    {"--read-token-file", "FILE", Group::input, kServe, &ParsedArgs::read_token_file, "file with a second token, for requests that change nothing"},
    {"--tls-certificate", "FILE", Group::input, kServe, &ParsedArgs::tls_certificate, "serve HTTPS with this certificate (PEM, followed by its chain)"},
    {"--tls-key", "FILE", Group::input, kServe, &ParsedArgs::tls_key, "the key of the certificate (PEM)"},
    {"--backup-folder", "DIR", Group::output, kServe, &ParsedArgs::backup_folder, "folder for the copies of the index that clients ask for (POST /v1/backups)"},

    {"--listen", "HOST:PORT", Group::resources, kServe, &ParsedArgs::listen, "where to listen (default 127.0.0.1:8787)"},
    {"--host", "NAME", Group::resources, kServe, &ParsedArgs::hosts, "also answer requests for this host name, such as that of a reverse proxy; may be repeated"},
    {"--max-header", "BYTES", Group::limits, kServe, &ParsedArgs::max_header, "largest request line and header, such as 64KiB (default 16KiB); HTTP status 431 if exceeded"},
    {"--max-body", "BYTES", Group::limits, kServe, &ParsedArgs::max_body, "largest body of a request (default 16MiB); 413 if exceeded. If the body has one item per line, this\nis the limit of each line"},
    {"--max-buffered", "BYTES", Group::limits, kServe, &ParsedArgs::max_buffered,
     "memory for all requests together: bodies, parsed JSON and answers; 503 if exceeded\n(default: 2.5 times --max-body, at least 40MiB)"},
    {"--max-connections", "N", Group::limits, kServe, &ParsedArgs::max_connections, "maximum number of open connections (default 1024); when it is reached, a new connection takes the\nplace of an idle one, or gets 503 if none is idle"},
    {"--rate-limit", "N", Group::limits, kServe, &ParsedArgs::rate_limit, "requests per second of one client, such as 0.5 (default: no limit); 429 if exceeded"},
    {"--header-timeout", "SECS", Group::limits, kServe, &ParsedArgs::header_timeout, "longest wait for a header (default 10): a new connection is closed if its first byte is late;\nif the rest of a header is late, the answer is 408"},
    {"--body-timeout", "SECS", Group::limits, kServe, &ParsedArgs::body_timeout, "longest time to receive a body (default 60); 408 if exceeded. If the body has one item per line:\nlongest time without new bytes"},
    {"--query-timeout", "SECS", Group::limits, kServe, &ParsedArgs::query_timeout, "time for a query (default 30); if exceeded, 503 with what was found so far"},
    {"--write-timeout", "SECS", Group::limits, kServe, &ParsedArgs::write_timeout, "time for a client to read the next 64 KiB of an answer, or the rest if it is shorter (default 60);\nif it takes longer, the connection is closed"},
    {"--idle-timeout", "SECS", Group::limits, kServe, &ParsedArgs::idle_timeout, "time between two requests of a connection (default 75); closed if exceeded"},
    {"--stop-timeout", "SECS", Group::limits, kServe, &ParsedArgs::stop_timeout, "time to finish requests in progress when the server is told to stop (default 30); then\nrunning queries are ended"},
    {"--audit", "N", Group::resources, kRuns, &ParsedArgs::audit,
     "compare N random items with all others, exactly, and say what share of their pairs was found"},
    {"--threads", "N", Group::resources, kTimed, &ParsedArgs::threads, "threads to use (default: one for each core)"},
    {"--threads", "N", Group::resources, kServe, &ParsedArgs::threads, "threads that search the index (default: one for each core, at least two)"},
    {"--threads", "N", Group::resources, kTune, &ParsedArgs::threads, "estimate the time with N threads (default: one for each core)"},
    {"--memory", "SIZE", Group::resources, kRuns | kSketch | kPassages, &ParsedArgs::memory,
     "memory to use at most, such as 2GiB (2G, 2048MiB); what does not fit goes to files\n(default: half of what is free)"},
    {"--memory", "SIZE", Group::resources, kEvaluate, &ParsedArgs::memory,
     "with --truth: memory to use at most, such as 2GiB; what does not fit goes to files"},
    {"--memory", "SIZE", Group::resources, kTune, &ParsedArgs::memory, "say whether a run with this limit of memory, such as 2GiB, would use files"},
    {"--scratch", "DIR", Group::resources, kRuns | kSketch, &ParsedArgs::scratch,
     "folder for what does not fit in memory (default: $TMPDIR or /var/tmp); if given, the run uses files\nfrom the start, and --resume can continue it"},
    {"--scratch", "DIR", Group::resources, kPassages, &ParsedArgs::scratch,
     "folder for what does not fit in memory (default: $TMPDIR or /var/tmp)"},
    {"--resume", "", Group::resources, kRuns | kSketch, &ParsedArgs::resume, "continue an interrupted run from its files; a run without --scratch has such files only if the data\ndid not fit in memory"},
    {"--max-pairs", "N", Group::resources, kPairs, &ParsedArgs::max_pairs, "stop if there are more pairs than this to list (with --score: to compare); default 100000000"},
    {"--max-pairs", "N", Group::resources, kCluster | kDedup | kEvaluate, &ParsedArgs::max_pairs, "with --score: stop if there are more pairs than this to compare (default 100000000)"},

    {"--do", "WHAT", Group::output, kDecontaminate, &ParsedArgs::act,
     "write the records, and change those that contain an item. mark: add a field \"contaminated\"; cut: cut\nthe item out of the text; remove: leave the record out (default: only list the hits)"},
    {"--hits", "FILE", Group::output, kDecontaminate, &ParsedArgs::hits, "with --do: list the hits"},
    {"-o,--output", "FILE", Group::output, kDecontaminate, &ParsedArgs::output, "write the hits, or with --do the records, to FILE; .gz and .zst compress (default: standard output)"},
    {"-o,--output", "FILE", Group::output, kAll & ~(kSketch | kIndex | kServe | kDecontaminate), &ParsedArgs::output, "write the result to FILE; .gz and .zst compress it (default -: standard output)"},
    {"-o,--output", "FILE", Group::output, kIndex, &ParsedArgs::output, "info, verify: write the result to FILE (default -: standard output)"},
    {"-o,--output", "FILE", Group::output, kSketch, &ParsedArgs::output, "write the sketches to FILE (required)"},
    {"--json", "", Group::output, kTables, &ParsedArgs::json, "results as JSON, one object per line"},
    {"--json", "", Group::output, kIndex, &ParsedArgs::json, "info, verify: the result as one JSON object"},
    {"--json", "", Group::output, kDecontaminate, &ParsedArgs::json, "the hits, or the table of --inject, as JSON, one object per line"},
    {"--with-metadata", "", Group::output, kQuery, &ParsedArgs::with_metadata, "with INDEX and --json: add the metadata of each neighbour"},
    {"--backup", "DIR", Group::output, kIndex, &ParsedArgs::backup, "info: make a consistent copy of the index, called DIR, even while others write to the index"},
    {"--json", "", Group::output, kDedup, &ParsedArgs::json, "the --removed file as JSON, one object per line"},
    {"--all", "", Group::output, kExplain, &ParsedArgs::all, "print all lists in full"},
    {"--min-size", "N", Group::output, kCluster, &ParsedArgs::min_size, "leave out clusters of fewer than N items (default 1: list every item)"},
    {"--summary", "FILE", Group::output, kCluster, &ParsedArgs::summary, "list each cluster: its number, its size, its keeper (see --keep), and the smallest similarity found\nin it"},
    {"--decisions", "FILE", Group::goal, kPairs | kCluster | kDedup, &ParsedArgs::decisions,
     "apply a person's decisions about pairs, as the page of --report saves them. Each line has the two\nids and the word accept (the items are similar) or reject (they are not), separated by tabs"},
    {"--removed", "FILE", Group::output, kDedup, &ParsedArgs::removed, "list each removed item, its keeper and their similarity; with --passages, what was cut, as\n'nearkin passages' lists it"},
    {"--annotate", "", Group::output, kDedup, &ParsedArgs::annotate, "keep all records and add the fields cluster, keeper and similarity (or distance); with --unit, add\ntwo fields instead: 'cut' (the spans that would be cut) and 'cut_share' (their share of the words)"},
    {"--ignored", "FILE", Group::output, kRuns | kSketch | kQuery, &ParsedArgs::ignored,
     "list the shingles that were ignored and how many items have each, as JSON lines\nthat --ignore can read"},
    {"--ignored", "FILE", Group::output, kIndex, &ParsedArgs::ignored,
     "create: list the shingles that were ignored and how many items have each, as JSON lines that\n--ignore can read"},
    {"--skipped", "FILE", Group::output, kDedup, &ParsedArgs::skipped, "write to FILE, unchanged, the records that cannot be used"},
    {"--skipped", "FILE", Group::output, kDecontaminate, &ParsedArgs::skipped, "with --do: write to FILE, unchanged, the records that cannot be used"},
    {"--plot", "FILE", Group::output, kEvaluate, &ParsedArgs::plot, "draw the curves of a sweep, or of --truth, to FILE, whose name must end in .svg or .html"},
    {"--plot", "FILE", Group::output, kTune | kCurve, &ParsedArgs::plot, "draw to FILE the chance of finding a pair at each similarity (the S-curve); the name of FILE must\nend in .svg or .html"},
    {"--report", "FILE", Group::output, kRuns | kEvaluate | kTune | kCompare | kDecontaminate | kPassages, &ParsedArgs::report,
     "write a page about the result, as one self-contained HTML file"},
    {"--passages", "N", Group::output, kCompare, &ParsedArgs::passages, "show the N longest shared passages (default 5)"},
    {"--stats", "FILE", Group::output, kTimed, &ParsedArgs::stats, "write figures about the run as one JSON object"},
    {"--progress", "WHEN", Group::output, kTimed, &ParsedArgs::progress, "show progress: {values} (default auto: on a terminal)"},
    {"-q,--quiet", "", Group::output, kAll & ~kServe, &ParsedArgs::quiet,
     "on standard error, print only errors, and warnings that say that the result is incomplete"},
    {"-q,--quiet", "", Group::output, kServe, &ParsedArgs::quiet, "print nothing on standard error except errors: no line per request"},
    {"-h,--help", "", Group::output, kAll, &ParsedArgs::help, "show this text"},
};
// clang-format on

void add(CLI::App& app, const Flag& flag, ParsedArgs& typed) {
  if (const auto* member = std::get_if<SwitchMember>(&flag.member)) {
    app.add_flag(flag.names, typed.*(*member));
    return;
  }
  if (const auto* member = std::get_if<ListMember>(&flag.member)) {
    std::vector<std::string>& list = typed.*(*member);
    app.add_option_function<std::vector<std::string>>(flag.names, [&list](const std::vector<std::string>& words) { list = words; })
        ->expected(1)
        ->allow_extra_args(false)  // what follows the value is an INPUT, as behind every other flag
        ->take_all();
    return;
  }
  // The raw words are taken as they are: CLI11's own conversions would split "[a]" and accept "1e3" as a whole number.
  ParsedArgs::Text& target = typed.*std::get<TextMember>(flag.member);
  app.add_option(flag.names,
                 [&target](const CLI::results_t& words) {
                   target = words.front();
                   return true;
                 })
      ->expected(1);
}

std::string with_values(std::string text, const std::vector<std::string>& values) {
  constexpr std::string_view kMark = "{values}";
  if (const std::size_t at = text.find(kMark); at != std::string::npos) text.replace(at, kMark.size(), listed_values(values));
  return text;
}

std::vector<std::string> long_names(const Command& command) {
  std::vector<std::string> names;
  for (const Flag& flag : kFlags) {
    const std::string_view all = flag.names;
    if (flag.commands & command.bit) names.emplace_back(all.substr(all.find("--")));
  }
  return names;
}

/// The flags that begin with the word, without those that only add to another of them, as --against-text to --against.
std::vector<std::string> flags_beginning_with(std::string_view word, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (name.starts_with(word)) found.push_back(name);
  }
  std::vector<std::string> shortest;
  for (const std::string& name : found) {
    const bool adds =
        std::any_of(found.begin(), found.end(), [&](const std::string& other) { return other != name && name.starts_with(other); });
    if (!adds) shortest.push_back(name);
  }
  return shortest;
}

/// What may have been meant by a flag that there is not: "--against", "--recall, --report or --resume"; empty where nothing is near.
std::string suggested_flags(const std::string& flag, const std::vector<std::string>& names) {
  constexpr std::size_t kLeast = 3, kMost = 6;  // two dashes and a letter; more flags are no suggestion
  const std::vector<std::string> longer = flag.size() < kLeast ? std::vector<std::string>() : flags_beginning_with(flag, names);
  if (!longer.empty() && longer.size() <= kMost) return listed_values(longer);
  return nearest_name(flag, names).value_or("");
}

[[noreturn]] void refuse_extra(const Command& command, const std::string& word) {
  if (word.size() < 2 || word[0] != '-') throw UsageError(fmt::format("unexpected argument {}; see 'nearkin help {}'", word, command.name));
  const std::string flag = word.substr(0, word.find('='));
  if (flag == "--strict") throw UsageError("--strict: is now called --faults stop");
  const std::string near = suggested_flags(flag, long_names(command));
  throw UsageError(near.empty() ? fmt::format("unknown flag {}; see 'nearkin help {}'", flag, command.name)
                                : fmt::format("unknown flag {}; did you mean {}?", flag, near));
}

/// CLI11 says "--seed: 1 required TEXT missing" and the like: the flag is kept, the rest said our way.
[[noreturn]] void rethrow(const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  const std::string what = error.what();
  std::string flag = what.substr(0, what.find_first_of(": "));
  const bool once = std::count_if(arguments.begin(), arguments.end(),
                                  [&](const std::string& word) { return word.substr(0, word.find('=')) == flag; }) < 2;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    throw UsageError(flag + (once && what.find("issing") != std::string::npos ? ": needs a value" : ": given more than once"));
  }
  if (const auto name = what.find("--"); dynamic_cast<const CLI::ConversionError*>(&error) && name != std::string::npos) {
    throw UsageError(what.substr(name, what.find(' ', name) - name) + ": takes no value");
  }
  throw UsageError(what);
}

}  // namespace

ParsedArgs parse(const Command& command, const std::vector<std::string>& arguments) {
  ParsedArgs typed;
  typed.words = arguments;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  for (const Flag& flag : kFlags) {
    if (flag.commands & command.bit) add(app, flag, typed);
  }
  const auto mark = std::find(arguments.begin(), arguments.end(), "--");
  try {
    app.parse(std::vector<std::string>(std::make_reverse_iterator(mark), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    rethrow(error, arguments);
  }
  if (typed.help) return typed;
  // The inputs are what no flag took: as a positional of CLI11's, a file called "[a]" would be taken for a list.
  for (const std::string& word : app.remaining()) {
    if (!*command.arguments || (word.size() > 1 && word[0] == '-')) refuse_extra(command, word);
    typed.inputs.push_back(word);
  }
  if (mark != arguments.end()) typed.inputs.insert(typed.inputs.end(), mark + 1, arguments.end());
  return typed;
}

std::vector<std::string_view> given_flags(const Command& command, const ParsedArgs& typed) {
  const auto given = [&](const Flag& flag) {
    if (const auto* member = std::get_if<SwitchMember>(&flag.member)) return typed.*(*member);
    if (const auto* member = std::get_if<ListMember>(&flag.member)) return !(typed.*(*member)).empty();
    return (typed.*std::get<TextMember>(flag.member)).has_value();
  };
  std::vector<std::string_view> names;
  for (const Flag& flag : kFlags) {
    const std::string_view all = flag.names;
    if ((flag.commands & command.bit) && given(flag)) names.push_back(all.substr(all.find("--")));
  }
  return names;
}

std::vector<FlagText> flags_of(const Command& command) {
  std::vector<FlagText> flags;
  for (std::size_t group = 0; group < kGroupNames.size(); ++group) {
    for (const Flag& flag : kFlags) {
      if (!(flag.commands & command.bit) || flag.group != static_cast<Group>(group)) continue;
      const std::string_view names = flag.names;
      const std::size_t comma = names.find(',');
      const std::string_view name = names.substr(comma == std::string_view::npos ? 0 : comma + 1);
      flags.push_back({.short_name = comma == std::string_view::npos ? std::string_view() : names.substr(0, comma),
                       .name = name,
                       .value = flag.value,
                       .group = kGroupNames[group],
                       .values = values_of(name, command.bit),
                       .text = {}});
      flags.back().text = with_values(flag.text, flags.back().values);
    }
  }
  return flags;
}

std::string_view given_input_flag(const Command& command, const ParsedArgs& typed) {
  const std::vector<std::string_view> given = given_flags(command, typed);
  for (const FlagText& flag : flags_of(command)) {
    if (flag.group != "Input" || flag.name == "--format") continue;
    const auto found = std::find(given.begin(), given.end(), flag.name);
    if (found != given.end()) return *found;
  }
  return {};
}

}  // namespace nearkin::cli
