// The files of one run: a folder of its own, locked while the run lasts, removed when it is done.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nearkin/error.h>
#include <nearkin/run.h>

#include "base/hash.h"
#include "io/bytes/descriptor.h"
#include "io/bytes/output.h"
#include "io/run_file/run_file.h"

namespace nearkin {

class Scratch {
 public:
  struct Options {
    std::optional<std::string> folder;  ///< absent: $TMPDIR, else /var/tmp
    Hash128 run;                        ///< identifies the run: everything that its units of work depend on
    std::string plan;
    bool resume = false;
    bool keep = true;  ///< keep the units of an interrupted run for --resume; else they are removed with this object
  };
  /// Makes the run's folder, or opens it with `resume`. If a folder was given and only its last part does not exist, it is made as well,
  /// and removed again once it is empty. Throws Error(file) if the run's folder already holds units of work and `resume` is false, is in
  /// use by another process, or cannot be made.
  explicit Scratch(const Options& options);
  ~Scratch();  ///< a folder in which no unit was done is removed
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& folder() const { return folder_; }
  /// Begins a unit of work: a file of this kind, which appears under its name when it is complete.
  RunFileWriter create(const std::string& kind, std::uint32_t number) const;
  /// The file of a complete unit, opened and checked to belong to this run; null if the unit is not done.
  std::shared_ptr<const RunFile> open(const std::string& kind, std::uint32_t number) const;
  /// As `open`, for a unit that an earlier process may have left; counts it as taken over.
  std::shared_ptr<const RunFile> resume(const std::string& kind, std::uint32_t number);
  void count_resumed() { ++resumed_; }
  void remove(const std::string& kind, std::uint32_t number);
  /// Removes the units of this kind from this number on.
  void remove_from(const std::string& kind, std::uint32_t number);
  /// Call when the run is done and its files are no longer needed.
  void remove_folder();
  /// Call with the error that ended the run. If the data or the request is at fault, resuming cannot help (corrected data makes another
  /// run), so the units are removed with this object. After any other error, and if the run may be given more memory or more pairs, the
  /// units stay and the run can be resumed.
  void note_failure(const Error& error);

  /// Call after each file is written.
  void note_size();
  std::uint64_t most_bytes() const { return most_; }
  std::uint64_t resumed() const { return resumed_; }
  /// Throws Error(file) unless this many more bytes can be written.
  void require_room(std::uint64_t bytes) const;

 private:
  std::string path(const std::string& kind, std::uint32_t number) const;
  RunFileInfo info(const std::string& kind, std::uint32_t number) const;
  void remove_parent() const;

  std::string parent_, folder_;
  bool parent_made_ = false;  ///< made for this run, by this process or an earlier one
  Hash128 run_;
  std::string plan_;
  Descriptor lock_;
  bool keep_;
  Unfinished unfinished_;  ///< the folder, for when the process is ended by a signal
  std::uint64_t most_ = 0, resumed_ = 0;
};

/// A folder for this process and this run only, made on first use. Runs cannot be resumed from it.
class OwnScratch {
 public:
  explicit OwnScratch(const Scratch::Options& options) : options_(of_this_process(options)) {}
  /// The options with another folder each time.
  static Scratch::Options of_this_process(Scratch::Options options);
  Scratch& folder();
  std::uint64_t most_bytes() const { return scratch_ ? scratch_->most_bytes() : 0; }
  void remove() { scratch_.reset(); }

 private:
  Scratch::Options options_;
  std::unique_ptr<Scratch> scratch_;
};

/// Calls work(), which may create the scratch folder, and reports an Error to it.
template <typename Work>
void noting_failure(const std::unique_ptr<Scratch>& scratch, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    if (scratch) scratch->note_failure(error);
    throw;
  }
}

}  // namespace nearkin
