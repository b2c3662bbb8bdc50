#include "collect/ignored_list.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <nearkin/error.h>
#include <nearkin/ignore.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/spelling.h>

#include "io/bytes/byte_stream.h"
#include "io/formats/json_text.h"
#include "io/source/inputs.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

// The text, which may be long, comes last: what tells a list from other files is then near its beginning.
constexpr std::size_t kLookedAt = 4096;

std::string list_plan(std::string_view shingle, std::string_view normalise) {
  return "shingle=" + std::string(shingle) + " normalise=" + std::string(normalise);
}

bool begins_as_list(const std::string& path) {
  OpenedFile file = OpenedFile::open(path, true);
  if (!file) return false;  // whoever reads it as text says why
  std::string begin(kLookedAt, '\0');
  ByteStream bytes(std::move(file), path);
  begin.resize(bytes.read_sound(begin.data(), begin.size()));
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || begin[first] != '{') return false;
  for (const char* const key : {"\"items\":", "\"shingle\":", "\"normalise\":", "\"hash\":"}) {
    if (begin.find(key) == std::string::npos) return false;
  }
  return true;
}

std::string all_bytes(const std::string& path) {
  ByteStream bytes(OpenedFile::open(path, false), path);
  constexpr std::size_t kPart = std::size_t{1} << 20;
  std::string all;
  for (std::size_t read = kPart; read == kPart;) {
    const std::size_t size = all.size();
    all.resize(size + kPart);
    read = bytes.read(all.data() + size, kPart);
    all.resize(size + read);
  }
  return all;
}

[[noreturn]] void refuse_line(const std::string& path, std::size_t number) {
  throw Error(ErrorCode::data, path + ":" + std::to_string(number),
              "is no line of a list of ignored shingles, as the lines before it are; it needs \"shingle\", \"normalise\" and \"hash\"");
}

std::uint64_t hash_of_line(std::string_view line, const std::string& wanted, const std::string& path, std::size_t number) {
  if (!is_json_object(line)) refuse_line(path, number);
  JsonValues values(padded_json(line));
  const auto text = [&](const char* name) { return values.text({.name = name, .parts = {name}}); };
  const std::optional<std::string> shingle = text("shingle"), normalise = text("normalise"), digits = text("hash");
  const std::optional<std::uint64_t> hash = digits ? parse_hex(*digits) : std::nullopt;
  if (!shingle || !normalise || !hash) refuse_line(path, number);
  const std::string listed = list_plan(*shingle, *normalise);
  if (listed == wanted) return *hash;
  throw Error(ErrorCode::plan, "ignore",
              path + " lists shingles made with " + listed + "; here they are made with " + wanted + "; list them anew with the same");
}

void read_list(const std::string& path, const ShinglePlan& plan, std::vector<std::uint64_t>& hashes) {
  const std::string wanted = list_plan(shingle_name(plan), name(plan.normalise)), all = all_bytes(path);
  std::size_t number = 0;
  for (std::string_view rest = all; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) hashes.push_back(hash_of_line(line, wanted, path, number));
  }
}

}  // namespace

std::string ignored_list(const ShinglePlan& plan, const std::vector<IgnoredShingle>& shingles) {
  std::string lines;
  for (const IgnoredShingle& shingle : shingles) {
    lines += "{\"items\":" + std::to_string(shingle.items) + ",\"shingle\":" + json_string(shingle_name(plan)) +
             ",\"normalise\":" + json_string(name(plan.normalise)) + ",\"hash\":\"" + hex_of(shingle.hash) + "\",\"text\":";
    append_json_string(lines, shingle.text);
    lines += "}\n";
  }
  return lines;
}

ListedTemplates read_ignored_lists(const Input& templates, const ShinglePlan& plan) {
  ListedTemplates found{.hashes = {}, .lists = 0, .texts = templates};
  if (templates.memory) return found;
  std::vector<std::string> texts;
  for (const InputPath& source : expand(templates)) {
    if (!source.sketch.empty() || !source.problem.empty() || !begins_as_list(source.path)) {
      texts.push_back(source.path);
      continue;
    }
    ++found.lists;
    read_list(source.path, plan, found.hashes);
  }
  if (found.lists == 0) return found;  // the paths stay as they were named
  found.texts.paths = std::move(texts);
  found.texts.files_from.reset();
  return found;
}

}  // namespace nearkin
