#include "io/source/extract.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>

#include <fcntl.h>
#include <fnmatch.h>
#include <unistd.h>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "base/system.h"
#include "io/bytes/program.h"
#include "io/formats/formats.h"
#include "io/formats/records.h"

namespace nearkin {
namespace {

/// Programs that most people would name.
struct UsualProgram {
  std::string_view extension;
  const char* command;
  const char* package;  ///< of Debian
};
constexpr std::array<UsualProgram, 5> kUsual{{{"pdf", "pdftotext -q -enc UTF-8 {} -", "poppler-utils"},
                                              {"docx", "pandoc --sandbox -t plain --wrap=none -f docx", "pandoc"},
                                              {"odt", "pandoc --sandbox -t plain --wrap=none -f odt", "pandoc"},
                                              {"epub", "pandoc --sandbox -t plain --wrap=none -f epub", "pandoc"},
                                              {"rtf", "pandoc --sandbox -t plain --wrap=none -f rtf", "pandoc"}}};

std::string_view name_of_file(std::string_view path) { return path.substr(path.rfind('/') + 1); }

const UsualProgram* usual_program(const std::string& path) {
  const std::string_view name = name_of_file(path);
  const std::size_t dot = name.rfind('.');
  const std::string extension = dot == name.npos ? std::string() : lower(name.substr(dot + 1));
  const auto* const found =
      std::find_if(kUsual.begin(), kUsual.end(), [&](const UsualProgram& usual) { return usual.extension == extension; });
  return found == kUsual.end() ? nullptr : found;
}

bool matches(const std::string& path, const std::vector<std::string>& globs) {
  const std::string name(name_of_file(path));
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0 || ::fnmatch(glob.c_str(), path.c_str(), 0) == 0;
  });
}

std::vector<std::string> words_of(const std::string& command, const std::string& path) {
  std::vector<std::string> words;
  for (std::size_t at = command.find_first_not_of(" \t"); at < command.size(); at = command.find_first_not_of(" \t", at)) {
    const std::size_t end = std::min(command.find_first_of(" \t", at), command.size());
    words.push_back(command.substr(at, end - at));
    at = end;
  }
  // A path that begins with a dash would be taken for a flag.
  const std::string safe = path.starts_with('-') ? "./" + path : path;
  const auto hole = std::find(words.begin(), words.end(), "{}");
  hole != words.end() ? void(*hole = safe) : words.push_back(safe);
  return words;
}

/// Where files that nobody sees may be made.
Descriptor open_spool() {
  const char* const asked = std::getenv("TMPDIR");
  for (const char* const folder : {asked != nullptr ? asked : "/var/tmp", "/var/tmp", "/tmp"}) {
    Descriptor file(open_unnamed(folder, O_RDWR, 0600));
    if (file) return file;
  }
  return Descriptor();
}

/// What was extracted ahead of a run, of all inputs of the process, until the run takes it.
class ExtractedAhead {
 public:
  static ExtractedAhead& all() {
    static ExtractedAhead texts;
    return texts;
  }

  /// Where it cannot be written it is not remembered, and will be made again.
  void remember(const std::string& key, const Extracted& extracted) {
    const std::lock_guard lock(mutex_);
    if (!spool_) spool_ = open_spool();
    const std::string& text = extracted.text;
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t wrote = ::pwrite(spool_.get(), text.data() + done, text.size() - done, static_cast<off_t>(end_ + done));
      if (wrote <= 0) return;
      done += static_cast<std::size_t>(wrote);
    }
    entries_[key] = {end_, text.size(), extracted.problem, extracted.state};
    end_ += text.size();
  }

  std::optional<Extracted> find(const std::string& key, const FileState& state, bool take) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second.state != state) return std::nullopt;
    const Entry& entry = found->second;
    Extracted extracted{std::string(entry.length, '\0'), entry.problem, entry.state};
    if (read_fully_at(spool_.get(), extracted.text.data(), entry.length, entry.offset, "scratch") != entry.length) return std::nullopt;
    if (!take) return extracted;
    drop_bytes(spool_.get(), static_cast<off_t>(entry.offset), static_cast<off_t>(entry.length));
    entries_.erase(found);
    return extracted;
  }

 private:
  struct Entry {
    std::uint64_t offset = 0;
    std::size_t length = 0;
    std::string problem;
    FileState state;
  };
  std::mutex mutex_;
  Descriptor spool_;
  std::uint64_t end_ = 0;
  std::map<std::string, Entry> entries_;
};

Extracted run_for(const std::string& path, const Extraction& extraction, const std::atomic<bool>& stop) {
  Extracted extracted;
  const std::optional<FileState> state = file_state_at(path);
  if (!state) {
    extracted.problem = reason("cannot be read", errno);
    return extracted;
  }
  extracted.state = *state;
  const UsualProgram* const usual = extraction.command ? nullptr : usual_program(path);
  const std::vector<std::string> words = words_of(usual != nullptr ? usual->command : *extraction.command, path);
  ProgramResult result = run_program(words, {.seconds = extraction.seconds}, stop);
  if (result.missing && usual != nullptr) {
    extracted.problem = words.front() + " is needed to read ." + std::string(usual->extension) +
                        " and is not installed; install the package " + usual->package;
  } else if (!result.problem.empty()) {
    extracted.problem = words.front() + " " + result.problem;
  } else if (result.output.find('\0') < kFirstBytes) {
    extracted.problem =
        words.front() + " wrote something that is not text (NUL byte at " + std::to_string(result.output.find('\0') + 1) + ")";
  }
  if (!extracted.problem.empty()) return extracted;
  if (result.output.starts_with(kByteOrderMark)) result.output.erase(0, kByteOrderMark.size());
  extracted.text = std::move(result.output);
  return extracted;
}

}  // namespace

bool is_extracted(const std::string& path, Format format, const Input& input) {
  const Extraction& extraction = input.extraction;
  if (path == "-" || (input.format && *input.format != Format::files)) return false;
  if (!extraction.command) return format == Format::files && usual_program(path) != nullptr;
  if (extraction.command->empty()) return false;
  return extraction.globs.empty() ? format == Format::files : matches(path, extraction.globs);
}

bool is_mail(const std::string& path, Format format, const Input& input) {
  return format == Format::files && !input.extraction.command && extension_of(path) == "eml";
}

void require_extraction(const Extraction& extraction) {
  if (!extraction.globs.empty() && (!extraction.command || extraction.command->empty()))
    throw Error(ErrorCode::plan, "pre", "there is no command for " + extraction.globs.front() + "; name one");
  if (extraction.command && !extraction.command->empty() && extraction.command->find_first_not_of(" \t") == std::string::npos)
    throw Error(ErrorCode::plan, "pre", "names no program");
  if (extraction.seconds == 0) throw Error(ErrorCode::plan, "pre_timeout", "0 seconds are too few; give 1 or more");
}

Extractor::~Extractor() { stop_ = true; }  // each future waits for its program, which is ended

void Extractor::begin(std::size_t source, const std::string& path) {
  running_[source] = std::async(std::launch::async, [this, path] {
    const std::string key = path + '\0' + to_string(extraction_);
    if (const std::optional<FileState> state = file_state_at(path)) {
      if (auto known = ExtractedAhead::all().find(key, *state, !ahead_)) return *std::move(known);
    }
    Extracted extracted = run_for(path, extraction_, stop_);
    if (ahead_ && !stop_) ExtractedAhead::all().remember(key, extracted);
    return extracted;
  });
}

Extracted Extractor::take(std::size_t source, const std::string& path) {
  if (!is_begun(source)) begin(source, path);
  std::future<Extracted>& running = running_.at(source);
  while (running.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) end_if_stopped();
  Extracted extracted = running.get();
  running_.erase(source);
  return extracted;
}

}  // namespace nearkin
