#include "text_file.h"

#include <filesystem>

#include <nearkin/nearkin.h>

#include "options.h"

namespace nearkin::cli {

std::string read_text_file(const ParsedArgs& typed, const std::string& path, const std::string& command) {
  const std::string file = path.substr(0, path.rfind(':'));
  if (!std::filesystem::exists(path) && file != path && std::filesystem::exists(file))
    throw Error(ErrorCode::file, path, "no such file; " + command + " takes whole texts, not single records of " + file);
  Faults faults;
  Input input{.paths = {path}, .files_from = {}, .format = Format::files, .number = {}};
  set_pages(typed, input);
  const Items items = read_items(input, &faults);
  if (items.size() == 1) return std::string(items.text(0));
  if (items.size() > 1) throw Error(ErrorCode::file, path, "holds several files; " + command + " takes single ones");
  const std::string reason = faults.first.empty() ? "not a text file" : faults.first.front().message;
  throw Error(ErrorCode::file, path, reason.substr(0, reason.rfind(';')) + "; " + command + " takes text files");
}

}  // namespace nearkin::cli
