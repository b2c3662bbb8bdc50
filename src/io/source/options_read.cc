// Whether the options of an input are read by any of its sources.
#include <algorithm>
#include <cerrno>

#include <nearkin/error.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>

#include "io/bytes/byte_stream.h"
#include "io/formats/formats.h"
#include "io/source/inputs.h"
#include "io/source/layout.h"

namespace nearkin {
namespace {

/// What standard input holds, by a look at its beginning.
Format format_of_stdin(const Input& input) {
  OpenedFile file = OpenedFile::open("-", true);
  if (!file) throw Error(ErrorCode::file, "-", reason("cannot be read", errno));
  std::string first(kFirstBytes, '\0');
  first.resize(ByteStream(std::move(file), "-").read(first.data(), first.size()));
  return format_of_content(text_of_first(first, input));
}

std::vector<Format> formats_ahead(const Input& input) {
  if (input.memory) return {};  // it has no options of a file
  if (input.format) return {*input.format};
  const std::vector<InputPath> sources = expand_with_sketches(input, true).paths;
  std::vector<Format> formats = formats_of(sources, input);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].path == "-" && !sources[i].format) formats[i] = format_of_stdin(input);
  }
  return formats;
}

bool reads_field(Format format) { return format == Format::jsonl || format == Format::csv || format == Format::tsv; }

bool reads_id(Format format, const std::string& id) {
  if (id == "none") return format != Format::edges;
  switch (format) {
    case Format::jsonl:
    case Format::csv:
    case Format::tsv:
    case Format::table:
    case Format::dense: return true;
    case Format::lines:
    case Format::sets:
    case Format::bits: return id == "first-word";
    case Format::sparse: return id == "first-word" || id == "comment";
    case Format::files:
    case Format::edges:
    case Format::packed: break;
    case Format::warc: return true;
  }
  return false;
}

bool reads_separator(Format format) { return format == Format::csv || format == Format::table || format == Format::dense; }
bool reads_header(Format format) { return reads_separator(format) || format == Format::tsv; }

struct Option {
  const char* name;
  bool given;
  std::string value;
  bool (*is_read)(Format, const Input&);
  const char* way_out;
};

std::vector<Option> reading_options(const Input& input) {
  const Input usual;
  return {
      {"id", input.id != usual.id, input.id, [](Format format, const Input& of) { return reads_id(format, of.id); },
       "lines, sets, bits and sparse take first-word; without an id, items are named by their place"},
      {"text", input.text != usual.text && !input.text.empty(), input.text, [](Format format, const Input&) { return reads_field(format); },
       "only jsonl, csv and tsv have fields"},
      {"separator", input.separator != usual.separator, std::string(1, input.separator),
       [](Format format, const Input&) { return reads_separator(format); }, "only csv, table and dense have one"},
      {"header", !input.header, "", [](Format format, const Input&) { return reads_header(format); },
       "only csv, tsv, table and dense may have a header"},
      {"pre", input.extraction.command && !input.extraction.command->empty(), input.extraction.command.value_or(""),
       [](Format format, const Input&) { return format == Format::files; }, "only files that are one text each are handed to a program"},
      {"directed", input.directed != usual.directed, "", [](Format format, const Input&) { return format == Format::edges; },
       "only edges have a direction"}};
}

/// "jsonl and csv", each once.
std::string listed(const std::vector<Format>& formats) {
  std::vector<Format> met;
  for (const Format format : formats) {
    if (std::find(met.begin(), met.end(), format) == met.end()) met.push_back(format);
  }
  std::string names;
  for (std::size_t i = 0; i < met.size(); ++i) names.append(i == 0 ? "" : i + 1 == met.size() ? " and " : ", ").append(name(met[i]));
  return names;
}

void require_read(const Option& option, const Input& input, const std::vector<Format>& formats, const std::string& prefix) {
  if (!option.given || formats.empty()) return;
  // Packed items are handed over by another program, which has read these options itself.
  const bool read =
      std::any_of(formats.begin(), formats.end(), [&](Format format) { return format == Format::packed || option.is_read(format, input); });
  if (read) return;
  const std::string value = option.value.empty() ? "" : "\"" + option.value + "\": ";
  throw Error(ErrorCode::plan, prefix + option.name,
              value + "has no use, as the input is read as format " + listed(formats) + "; " + option.way_out +
                  "; leave it out, or name the format");
}

}  // namespace

void require_options_read(const Input& input, const Input* against) {
  const std::vector<Option> options = reading_options(input);
  const std::vector<Option> others = against != nullptr ? reading_options(*against) : options;
  const auto given = [](const Option& option) { return option.given; };
  if (std::none_of(options.begin(), options.end(), given) && std::none_of(others.begin(), others.end(), given)) return;
  const std::vector<Format> formats = formats_ahead(input), more = against != nullptr ? formats_ahead(*against) : std::vector<Format>();
  std::vector<Format> all = formats;
  all.insert(all.end(), more.begin(), more.end());
  for (std::size_t i = 0; i < options.size(); ++i) {
    // What holds for both must be of use for one of them.
    const bool same = options[i].given == others[i].given && options[i].value == others[i].value;
    require_read(options[i], input, same ? all : formats, "");
    if (!same) require_read(others[i], *against, more, "against_");
  }
}

}  // namespace nearkin
