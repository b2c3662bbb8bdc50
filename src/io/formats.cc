#include "io/formats.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <nearkin/error.h>

#include "io/utf8.h"

namespace nearkin {

namespace {

using Named = std::pair<std::string_view, Format>;

constexpr std::array<Named, 6> kNames{{{"jsonl", Format::jsonl},
                                       {"csv", Format::csv},
                                       {"tsv", Format::tsv},
                                       {"lines", Format::lines},
                                       {"files", Format::files},
                                       {"sets", Format::sets}}};

constexpr std::array<Named, 8> kExtensions{{{"jsonl", Format::jsonl},
                                            {"ndjson", Format::jsonl},
                                            {"json", Format::jsonl},
                                            {"csv", Format::csv},
                                            {"tsv", Format::tsv},
                                            {"tab", Format::tsv},
                                            {"lines", Format::lines},
                                            {"sets", Format::sets}}};

using namespace std::string_view_literals;

/// First bytes and what they tell. UTF-32 comes before UTF-16, whose mark it begins with.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kForeign{{
    {"\xFF\xFE\x00\x00"sv, "looks like UTF-32; convert it to UTF-8 (iconv -f UTF-32 -t UTF-8)"sv},
    {"\x00\x00\xFE\xFF"sv, "looks like UTF-32; convert it to UTF-8 (iconv -f UTF-32 -t UTF-8)"sv},
    {"\xFF\xFE"sv, "looks like UTF-16; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)"sv},
    {"\xFE\xFF"sv, "looks like UTF-16; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)"sv},
    {"\xFD" "7zXZ\x00"sv, "xz is not supported; use 'xz -dc FILE | nearkin … -'"sv},
    {"PK\x03\x04"sv, "zip is not supported; use 'unzip -p FILE | nearkin … -'"sv},
    {"7z\xBC\xAF\x27\x1C"sv, "7z is not supported; use '7z x -so FILE | nearkin … -'"sv},
    {"BZh"sv, "bzip2 is not supported; use 'bzip2 -dc FILE | nearkin … -'"sv},
}};

/// Takes the last extension off `name` and returns it in lower case.
std::string take_extension(std::string_view& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  std::string extension(name.substr(dot + 1));
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  name = name.substr(0, dot);
  return extension;
}

}  // namespace

Format parse_format(std::string_view text, const std::string& subject) {
  for (const auto& [word, format] : kNames) {
    if (word == text) return format;
  }
  throw Error(ErrorCode::plan, subject, "\"" + std::string(text) + "\" is not a format; use jsonl, csv, tsv, lines, files or sets");
}

std::string_view name(Format format) {
  for (const auto& [word, value] : kNames) {
    if (value == format) return word;
  }
  return {};
}

Format format_of_path(std::string_view path, bool named) {
  std::string_view file = path.substr(path.rfind('/') + 1);
  std::string extension = take_extension(file);
  if (extension == "gz" || extension == "zst" || extension == "zstd") extension = take_extension(file);
  if (extension == "json" && !named) return Format::files;
  for (const auto& [word, format] : kExtensions) {
    if (word == extension) return format;
  }
  return Format::files;
}

Format format_of_content(std::string_view bytes) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
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
