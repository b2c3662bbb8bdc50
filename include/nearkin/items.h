// Items: the records of a collection, each with an id and a text; and Input: where to read them from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

/// The number of an item in its collection, counted from 0 in input order. A collection has at most 4,294,967,294 items.
using Row = std::uint32_t;

/// A list of byte strings in one block of memory. As with std::vector, indices are not checked and views are valid until the next change.
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
  std::size_t bytes() const { return bytes_.size(); }  ///< of all strings together

 private:
  std::string bytes_;
  std::vector<std::uint64_t> ends_;
};

/// Items in memory, row by row. `ids` and `texts` have the same size.
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
  jsonl,   ///< one JSON object per line
  csv,     ///< comma-separated values with a header, quoted as in RFC 4180
  tsv,     ///< tab-separated values with a header, one record per line; quotes count only where they enclose a whole field
  lines,   ///< one item per line
  files,   ///< one item per file
  sets,    ///< one set per line, elements separated by blanks
  edges,   ///< one edge "u v" per line; the items are the nodes, each with the set of its neighbours
  table,   ///< CSV with a header; a row is an item, a column a question, a cell yes, no, a category, or blank for unknown
  sparse,  ///< one vector per line as "index:value" pairs; a label before them and a # comment after them are allowed, as in svmlight
  dense,   ///< vectors of numbers: .npy, .fvecs, .bvecs, IDX images, or CSV
  bits,    ///< one bit string per line, as 0 and 1 or hexadecimal (0x…)
  packed,  ///< ids and texts, each preceded by its length, as other programs hand them over (docs/reference.md)
  warc,    ///< a web archive; its pages and other texts are the items, called by their addresses
};
/// True for sparse, dense and bits. read_vectors reads these, read_items the others.
constexpr bool holds_vectors(Format format) { return format == Format::sparse || format == Format::dense || format == Format::bits; }

/// Format edges: which nodes are the neighbours of a node.
enum class Directed {
  no,    ///< an edge makes each of its nodes a neighbour of the other
  out,   ///< "u v" makes v a neighbour of u
  in,    ///< "u v" makes u a neighbour of v
  both,  ///< "u v" adds "to v" to the set of u and "from u" to the set of v; the two are different elements
};

/// Which parts of a text are items. A part is called OWNER:BEGIN-END, by the id of its record and its bytes in the text as it was read.
struct Unit {
  enum class Kind {
    document,   ///< the whole text
    paragraph,  ///< up to a blank line
    line,
    sentence,  ///< by the rules of Unicode (UAX #29)
    window,    ///< `words` words, beginning at every `step`th; the last reaches the end of the text
  };
  Kind kind = Kind::document;
  std::uint32_t words = 0;  ///< window
  std::uint32_t step = 0;   ///< window: 1 to `words`
  std::uint32_t least = 0;  ///< a part of fewer words is not an item; a record without other parts is one EMPTY item, OWNER:0-0
  bool operator==(const Unit&) const = default;
  bool divides() const { return kind != Kind::document; }
};

/// Which items are compared with one another, by the value of one field of their records: a language, a day, a site, a student.
struct Scope {
  enum class Rule {
    none,    ///< all of them
    within,  ///< those that agree in the field
    across,  ///< those that differ in it
  };
  Rule rule = Rule::none;
  /// A field of jsonl, csv, tsv or table; a record without it counts as having an empty value. "file" and "folder" mean the file and the
  /// folder that the record is in.
  std::string field = {};
  bool operator==(const Scope&) const = default;
};

/// How a text with the markup of HTML is read.
enum class Html {
  text,  ///< its visible text
  raw,   ///< as it is
};

/// Files whose texts are made by another program: what it writes to its standard output, in UTF-8, is the text. It is run once per file.
struct Extraction {
  /// The words of the command are separated by blanks; no shell interprets them. The path replaces {}, or is added as the last word. Empty:
  /// no program is run. Absent: pdftotext for .pdf, pandoc for .docx, .odt, .epub and .rtf.
  std::optional<std::string> command = {};
  std::vector<std::string> globs = {};  ///< the files it is for, by their names or paths (* ? []); empty: all of format files
  std::uint32_t seconds = 30;           ///< a program that takes longer is killed, and its file is skipped
  bool operator==(const Extraction&) const = default;
};

struct Vectors;

/// Items that a program already holds in memory. Their ids are their row numbers, counted from 0. An item that cannot be used (invalid
/// UTF-8, a number that is not finite) is an Error(data): it is never skipped. Set either `texts` or `vectors`.
struct MemoryItems {
  std::string name = "items";                   ///< for messages, as in "items:41"
  std::vector<std::string_view> texts = {};     ///< UTF-8, not copied; with Format::sets the elements of a set, separated by blanks
  std::shared_ptr<const Vectors> vectors = {};  ///< instead of texts
  std::vector<std::string> scopes = {};         ///< one per item, where Input::scope has a rule
  std::vector<double> numbers = {};             ///< one per item, for keep rules such as max:FIELD (NaN: none); empty: no item has one
};

/// What to read and how. Set `paths`; the other defaults suit files with fields "id" and "text". Compressed files (gzip, zstd) are
/// recognised by their content.
struct Input {
  std::vector<std::string> paths = {};  ///< files, folders, globs, "-" for standard input; hidden files and links in folders are skipped
  std::optional<std::string> files_from = {};  ///< a file that lists more paths, one per line; "-" = standard input
  std::optional<Format> format = {};  ///< absent: by file extension or content; standard input is jsonl if it begins with '{', else lines
  /// Field of the id; dots reach into JSON objects. "first-word" = the first word of a line; "none" = records are called FILE:LINE.
  std::string id = "id";
  /// Field of the text, or several separated by commas, read as one; empty: no text is read. "*" is every field except the id, in the order
  /// of their names; "*,-price" every field except the id and price. "title^3" counts three times, where a plan counts (docs/reference.md).
  std::string text = "text";
  Unit unit = {};                          ///< texts: which parts of them are the items
  Scope scope = {};                        ///< texts, sets, tables: which items are compared with which
  std::string encoding = "utf-8";          ///< of texts: also latin1, windows-1252, utf-16, what iconv knows, or auto (docs/reference.md)
  std::optional<Html> html = {};           ///< absent: web pages (.html, .htm, .xhtml; text/html in WARC) as text, everything else as it is
  Extraction extraction = {};              ///< files that another program reads
  char separator = ',';                    ///< csv: between two fields
  bool header = true;                      ///< csv, tsv: the first record names the columns; false: they are called 1, 2, 3 …
  std::optional<std::string> number = {};  ///< field to read as a number; keep rules set it themselves
  std::vector<std::string> metadata = {};  ///< jsonl, csv, tsv: fields that an index keeps with each item, as one JSON object
  Directed directed = Directed::no;        ///< edges
  /// table: false = a row becomes the set of what holds ("smoker", "colour=red"). true = every column adds one element ("smoker=yes",
  /// "smoker=no", "smoker="), so two rows differ in as many elements as answers. Runs by hamming set it themselves.
  bool all_answers = false;
  /// jsonl: a text field that is missing or null is empty, and a value that is not a string is read as it is spelled. false: such a record
  /// is bad.
  bool loose_texts = false;
  bool strict = false;                             ///< throw Error(data) at the first bad record instead of leaving it out
  bool rename_same_ids = false;                    ///< a record whose id was used before is called ID@ROW; false: it is a bad record
  std::shared_ptr<const MemoryItems> memory = {};  ///< instead of paths; what it points to must outlive the run
};

/// A record that could not be used.
struct Fault {
  std::string where;    ///< "docs.jsonl:41"
  std::string message;  ///< what is wrong, with the value
};

/// Records that a run could not use: all are counted, the first few are described.
struct Faults {
  std::vector<Fault> first;  ///< at most kNamed
  std::uint64_t count = 0;   ///< bad records
  std::uint64_t kept = 0;    ///< of these, the ones that were written to the output as they came
  std::uint64_t lost = 0;    ///< in runs that write records: of these, the ones that are not records, such as the rest of a truncated file
  std::uint64_t binary = 0;  ///< binary files skipped; not part of `count`
  /// Records of web archives that are no texts, such as requests and images; not part of `count`.
  std::uint64_t no_texts = 0;
  static constexpr std::size_t kNamed = 10;
};

/// All items of the input, in memory. Bad records are skipped and described in `faults`, if given. Throws Error(file) for a path that
/// cannot be read and, with `strict`, Error(data) for a bad record.
Items read_items(const Input& input, Faults* faults = nullptr);

}  // namespace nearkin
