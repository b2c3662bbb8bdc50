// Files whose texts another program extracts: which program, and running it some files ahead of the reader.
#pragma once

#include <atomic>
#include <future>
#include <map>

#include <nearkin/items.h>

#include "base/parallel.h"
#include "io/bytes/descriptor.h"

namespace nearkin {

/// Whether another program makes the text of the file at `path`, which has this format.
bool is_extracted(const std::string& path, Format format, const Input& input);
/// Whether the file at `path` is a mail, of which the text is read.
bool is_mail(const std::string& path, Format format, const Input& input);
/// Throws Error(plan) for a command without a word, globs without a command, and no time at all.
void require_extraction(const Extraction& extraction);

struct Extracted {
  std::string text;     ///< as the program wrote it, without a byte-order mark
  std::string problem;  ///< why there is none
  FileState state;      ///< of the file, before the program was run
};

/// Runs programs for the files of an input. What is extracted ahead of a run (Sources) is remembered in a file without a name, so no
/// program runs twice.
class Extractor {
 public:
  Extractor(const Input& input, bool ahead) : extraction_(input.extraction), ahead_(ahead) {}
  ~Extractor();
  Extractor(const Extractor&) = delete;
  Extractor& operator=(const Extractor&) = delete;

  /// The most programs to run at one time.
  void run_at_once(unsigned programs) { programs_ = programs; }
  bool has_room() const { return running_.size() < programs_; }
  bool is_begun(std::size_t source) const { return running_.contains(source); }
  /// Starts the program for a file. has_room() must be true.
  void begin(std::size_t source, const std::string& path);
  /// The text of a file; may wait for its program.
  Extracted take(std::size_t source, const std::string& path);

 private:
  Extraction extraction_;
  bool ahead_;
  unsigned programs_ = thread_count(0);
  std::atomic<bool> stop_{false};
  std::map<std::size_t, std::future<Extracted>> running_;  ///< by source
};

}  // namespace nearkin
