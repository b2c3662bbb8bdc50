#include "io/formats/formats.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "base/in_quotes.h"
#include "io/formats/records.h"
#include "io/formats/warc.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

/// In the order of their declaration.
constexpr std::string_view kNames[] = {"jsonl", "csv",    "tsv",   "lines", "files",  "sets", "edges",
                                       "table", "sparse", "dense", "bits",  "packed", "warc"};
constexpr std::string_view kDirections[] = {"no", "out", "in", "both"};
constexpr std::string_view kHtml[] = {"text", "raw"};
constexpr std::string_view kUnits[] = {"document", "paragraph", "line", "sentence", "window"};
static_assert(std::size(kNames) == std::size_t(Format::warc) + 1 && std::size(kDirections) == std::size_t(Directed::both) + 1 &&
              std::size(kUnits) == std::size_t(Unit::Kind::window) + 1);

/// Beside the names, which are extensions too, but for "files" and "dense".
constexpr std::pair<std::string_view, Format> kExtensions[] = {
    {"ndjson", Format::jsonl},  {"json", Format::jsonl}, {"tab", Format::tsv},     {"svm", Format::sparse},  {"svmlight", Format::sparse},
    {"libsvm", Format::sparse}, {"npy", Format::dense},  {"fvecs", Format::dense}, {"bvecs", Format::dense}, {"wet", Format::warc}};

/// IDX files are called "train-images-idx3-ubyte", "train-images.idx3-ubyte.gz" and the like: no extension tells them.
constexpr std::array<std::string_view, 3> kIdxNames{"idx3-ubyte", "idx1-ubyte", ".idx"};

using namespace std::string_view_literals;

/// First bytes and what they tell. UTF-32 comes before UTF-16, whose mark it begins with.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kForeign{{
    {"\xFF\xFE\x00\x00"sv, "looks like UTF-32; convert it to UTF-8 (iconv -f UTF-32 -t UTF-8)"sv},
    {"\x00\x00\xFE\xFF"sv, "looks like UTF-32; convert it to UTF-8 (iconv -f UTF-32 -t UTF-8)"sv},
    {"\xFF\xFE"sv, "looks like UTF-16; read it by encoding utf-16, or auto"sv},
    {"\xFE\xFF"sv, "looks like UTF-16; read it by encoding utf-16, or auto"sv},
    {"\xFD"
     "7zXZ\x00"sv,
     "xz is not supported; use 'xz -dc FILE | nearkin … -'"sv},
    {"PK\x03\x04"sv, "zip is not supported; use 'unzip -p FILE | nearkin … -'"sv},
    {"7z\xBC\xAF\x27\x1C"sv, "7z is not supported; use '7z x -so FILE | nearkin … -'"sv},
    {"\x93NUMPY"sv, "looks like a NumPy array; read it with format dense"sv},
    {"PAR1"sv, "Parquet is read by the command of the Python package: pip install 'nearkin[arrow]'"sv},
    {"\x89nearkin"sv, "is a sketch file; give its path, as a sketch file cannot be read from standard input"sv},
    {"BZh"sv, "bzip2 is not supported; use 'bzip2 -dc FILE | nearkin … -'"sv},
}};

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Takes the last extension off `name` and returns it in lower case.
std::string take_extension(std::string_view& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  std::string extension = lower(name.substr(dot + 1));
  name = name.substr(0, dot);
  return extension;
}

bool is_idx_name(std::string_view path) {
  const std::string file = lower(file_name(path));
  return std::any_of(kIdxNames.begin(), kIdxNames.end(), [&](std::string_view part) { return file.find(part) != std::string::npos; });
}

}  // namespace

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

std::string extension_of(std::string_view path) {
  std::string_view file = file_name(path);
  std::string extension = take_extension(file);
  if (extension == "gz" || extension == "zst" || extension == "zstd") extension = take_extension(file);
  return extension;
}

Directed parse_directed(std::string_view text, const std::string& subject) {
  if (const auto directed = find_name<Directed>(text, kDirections)) return *directed;
  throw Error(ErrorCode::plan, subject, "\"" + std::string(text) + "\" is not a direction; use no, out, in or both");
}

std::string_view name(Directed directed) { return kDirections[static_cast<std::size_t>(directed)]; }

Html parse_html(std::string_view text, const std::string& subject) {
  if (const auto html = find_name<Html>(text, kHtml)) return *html;
  throw Error(ErrorCode::plan, subject, in_quotes(text) + " is not text or raw");
}

Unit parse_unit(std::string_view text, const std::string& subject) {
  if (const auto kind = find_name<Unit::Kind>(text, kUnits); kind && *kind != Unit::Kind::window) return {.kind = *kind};
  constexpr std::string_view kWindow = "window:";
  Unit unit{.kind = Unit::Kind::window};
  const char* const end = text.data() + text.size();
  if (text.starts_with(kWindow)) {
    const auto words = std::from_chars(text.data() + kWindow.size(), end, unit.words);
    unit.step = unit.words;
    auto last = words;
    if (words.ec == std::errc() && words.ptr < end && *words.ptr == '/') last = std::from_chars(words.ptr + 1, end, unit.step);
    if (last.ec == std::errc() && last.ptr == end && unit.step >= 1 && unit.step <= unit.words) return unit;
  }
  throw Error(
      ErrorCode::plan, subject,
      in_quotes(text) + " is not document, paragraph, line, sentence or window:WORDS/STEP, such as window:100/50 with a step of 1 to 100");
}

std::string to_string(const Unit& unit) {
  std::string text(name_of(unit.kind, kUnits));
  if (unit.kind == Unit::Kind::window) text += ":" + std::to_string(unit.words) + "/" + std::to_string(unit.step);
  return unit.least > 0 ? text + ", of " + std::to_string(unit.least) + " words or more" : text;
}

std::string to_string(const Scope& scope) {
  if (scope.rule == Scope::Rule::none) return "none";
  return (scope.rule == Scope::Rule::within ? "within " : "across ") + scope.field;
}

std::string to_string(const Extraction& extraction) {
  if (!extraction.command) return "the usual";
  if (extraction.command->empty()) return "none";
  std::string text = *extraction.command;
  for (const std::string& glob : extraction.globs) text += (&glob == extraction.globs.data() ? " for " : " ") + glob;
  return text;
}

Format parse_format(std::string_view text, const std::string& subject) {
  if (const auto format = find_name<Format>(text, kNames)) return *format;
  std::string message =
      in_quotes(text) + " is not a format; use jsonl, csv, tsv, lines, files, sets, edges, table, sparse, dense, bits, packed or warc";
  if (text == "parquet") message += ". Parquet is read by the command of the Python package: pip install 'nearkin[arrow]'";
  throw Error(ErrorCode::plan, subject, message);
}

std::string_view name(Format format) { return name_of(format, kNames); }
std::string_view name(Html html) { return name_of(html, kHtml); }

Format format_of_path(std::string_view path, bool named) {
  const std::string extension = extension_of(path);
  if (extension == "json" && !named) return Format::files;
  for (const auto& [word, format] : kExtensions) {
    if (word == extension) return format;
  }
  const std::optional<Format> named_so = find_name<Format>(extension, kNames);
  if (named_so && named_so != Format::files && named_so != Format::dense) return *named_so;
  return is_idx_name(path) ? Format::dense : Format::files;
}

Format format_of_content(std::string_view bytes) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  if (bytes.starts_with(kWarcMark)) return Format::warc;
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{' ? Format::jsonl : Format::lines;
}

std::string_view foreign_content(std::string_view bytes) {
  for (const auto& [magic, message] : kForeign) {
    if (!bytes.starts_with(magic)) continue;
    // "BZh" alone may begin a text; the size and the mark of the first block, or of an empty stream's end, do not.
    const std::string_view block = bytes.substr(0, 10).substr(std::min<std::size_t>(4, bytes.size()));
    if (magic == "BZh" && block != "1AY&SY" && block != "\x17\x72\x45\x38\x50\x90") continue;
    return message;
  }
  return {};
}

}  // namespace nearkin
