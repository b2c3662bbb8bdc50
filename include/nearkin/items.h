// Items: the records of a collection, each with an id and a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

/// The number of an item in its collection, counted from 0 in input order.
using Row = std::uint32_t;

/// Byte strings kept end to end in one block. A view stays good until the next `add`.
class Strings {
 public:
  std::size_t size() const { return ends_.size(); }
  std::string_view operator[](std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return {bytes_.data() + begin, static_cast<std::size_t>(ends_[i] - begin)};
  }
  void add(std::string_view s) {
    bytes_.append(s);
    ends_.push_back(bytes_.size());
  }
  void append(const Strings& other) {
    const std::uint64_t base = bytes_.size();
    bytes_.append(other.bytes_);
    for (const std::uint64_t end : other.ends_) ends_.push_back(base + end);
  }
  void clear() {
    bytes_.clear();
    ends_.clear();
  }
  std::size_t bytes() const { return bytes_.size(); }

 private:
  std::string bytes_;
  std::vector<std::uint64_t> ends_;
};

struct Items {
  Strings ids;
  Strings texts;

  std::size_t size() const { return ids.size(); }
  std::string_view id(Row row) const { return ids[row]; }
  std::string_view text(Row row) const { return texts[row]; }
  void add(std::string_view id, std::string_view text) {
    ids.add(id);
    texts.add(text);
  }
};

enum class Format {
  jsonl,   ///< one JSON object a line
  csv,     ///< comma separated, with a header, RFC 4180 quoting
  tsv,     ///< tab separated, with a header, one record a line; quotes count where they enclose a whole field
  lines,   ///< one item a line
  files,   ///< one item a file
  sets,    ///< one set a line, elements separated by blanks
  edges,   ///< one edge "u v" a line; the items are the nodes, each with the set of its neighbours
  table,   ///< CSV with a header; a row is an item, a column a question, a cell yes, no, a category, or blank for unknown
  sparse,  ///< one vector a line, "index:value" pairs, svmlight's label in front and # comment behind allowed
  dense,   ///< vectors of numbers: .npy, .fvecs, .bvecs, IDX images, or CSV
  bits,    ///< one bit string a line, 0 and 1 or hexadecimal (0x…)
  packed,  ///< ids and texts with their lengths, as another program hands them over (docs/guide.md)
};
/// sparse, dense and bits: read_vectors reads them, read_items does not.
constexpr bool holds_vectors(Format format) { return format == Format::sparse || format == Format::dense || format == Format::bits; }

/// Whose neighbours a node of a graph is described by.
enum class Directed {
  no,    ///< an edge joins its two nodes, whichever stands first
  out,   ///< u v: v is a neighbour of u
  in,    ///< u v: u is a neighbour of v
  both,  ///< v follows u and u precedes v, kept apart: two elements
};
Directed parse_directed(std::string_view text, const std::string& subject = "directed");
Format parse_format(std::string_view text, const std::string& subject = "format");
std::string_view name(Format format);

struct Vectors;

/// Items that are in memory already. Their ids are their row numbers, counted from 0. None can be left out: what would be a fault of a
/// record is an Error(data) here.
struct MemoryItems {
  std::string name = "items";                   ///< in messages: "items:41"
  std::vector<std::string_view> texts = {};     ///< UTF-8, not copied; of format sets the elements of a set, separated by blanks
  std::shared_ptr<const Vectors> vectors = {};  ///< in place of texts
  std::vector<double> numbers = {};             ///< of each item, for keep rules such as max:FIELD (NaN: none), or empty
};

/// What to read and how. Files, folders (walked in order of their paths, hidden entries and links left out), globs, and "-" for
/// standard input; gzip and zstd are known by their content.
struct Input {
  std::vector<std::string> paths = {};
  std::optional<std::string> files_from = {};  ///< a file that lists further paths, one a line ("-": standard input)
  std::optional<Format> format = {};           ///< absent: by extension; standard input by its first byte ('{': jsonl, else lines)
  std::string id = "id";                       ///< field of the id; dots reach into JSON objects. "first-word": the first of a line
  std::string text = "text";  ///< field of the text; several, joined by commas in CSV/JSON, are read as one text; empty: none is read
  char separator = ',';       ///< csv: between two fields
  bool header = true;         ///< csv, tsv: the first record names the columns; else they are called 1, 2, 3 …
  std::optional<std::string> number = {};  ///< field read as a number for keep rules such as max:FIELD
  /// jsonl, csv, tsv: fields that are kept as an item's metadata, a JSON object of these; for an index.
  std::vector<std::string> metadata = {};
  Directed directed = Directed::no;  ///< edges
  /// table: what becomes of an answer. False: the set of what holds ("smoker", "colour=red"; no and unknown bring nothing). True: every
  /// column brings one element ("smoker=yes", "smoker=no", "smoker="), so that two rows differ in as many elements as answers.
  bool all_answers = false;
  bool strict = false;  ///< stop at the first record at fault instead of skipping it
  /// In place of paths, for runs that write no records; `format` is sets, lines, or absent. What it points to must outlive the run.
  std::shared_ptr<const MemoryItems> memory = {};
};

/// A record that could not be used.
struct Fault {
  std::string where;    ///< "docs.jsonl:41"
  std::string message;  ///< what is wrong, with the value
};

/// Records left out of a run: the first few by name, all by count.
struct Faults {
  std::vector<Fault> first;  ///< at most `kNamed`
  std::uint64_t count = 0;   ///< records at fault
  std::uint64_t binary = 0;  ///< binary files left out (not counted as faults)
  static constexpr std::size_t kNamed = 10;
};

/// All items of the input in memory. Throws Error(file) for a path that cannot be read, Error(data) with `strict`.
/// Records at fault are skipped and noted in `faults` when it is given.
Items read_items(const Input& input, Faults* faults = nullptr);

/// True when every source of the input is of format sets, edges or table, whose texts are sets, by extension or because the format is
/// forced; false where that cannot be told without reading a stream (standard input, a list that is no plain file) and for an input
/// without sources. Throws Error(file) for a path that does not exist.
bool reads_sets(const Input& input);
/// The one format of all sources, known in the same way and under the same conditions; absent where it is not known or they differ.
std::optional<Format> format_of(const Input& input);

}  // namespace nearkin
