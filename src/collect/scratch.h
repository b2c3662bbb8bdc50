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
#include "io/run_file/run_file.h"

namespace nearkin {

class Scratch {
 public:
  struct Options {
    std::optional<std::string> folder;  ///< absent: $TMPDIR, else /var/tmp
    Hash128 run;                        ///< what decides every unit of work
    std::string plan;
    bool resume = false;
    bool keep = true;  ///< units of a run that was ended stay for one that goes on; else they are removed with this object
  };
  /// Makes the run's folder, or opens it with `resume`. The folder that it goes in is made too, where one was given and the folder of that
  /// is there, and removed again when nothing else is in it. Throws Error(file) where the run's folder holds units of work already without
  /// `resume`, is in use by another process, or cannot be made.
  explicit Scratch(const Options& options);
  ~Scratch();  ///< a folder in which no unit was done is removed
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& folder() const { return folder_; }
  /// A unit of work: a file of this kind, complete under its name when it was done.
  RunFileWriter create(const std::string& kind, std::uint32_t number) const;
  /// The unit's file, where it was done; opened, and checked for being of this run.
  std::shared_ptr<const RunFile> open(const std::string& kind, std::uint32_t number) const;
  /// As `open`, for what an ended process may have left: such a unit counts as taken over.
  std::shared_ptr<const RunFile> resume(const std::string& kind, std::uint32_t number);
  void count_resumed() { ++resumed_; }
  void remove(const std::string& kind, std::uint32_t number);
  /// The units of this kind from this number on.
  void remove_from(const std::string& kind, std::uint32_t number);
  /// The run is done: nothing is needed any more.
  void remove_folder();
  /// The run has failed by this. A fault of the data stays in it, and once it is mended the units are those of other data; what cannot be
  /// done with these inputs cannot be done by going on: the units are removed with this object. After any other error a run can go on with
  /// them, and so it can when it is allowed more memory or more pairs.
  void note_failure(const Error& error);

  /// To be told after each file.
  void note_size();
  std::uint64_t most_bytes() const { return most_; }
  std::uint64_t resumed() const { return resumed_; }
  /// Throws Error(file) unless so many bytes more can be written.
  void require_room(std::uint64_t bytes) const;

 private:
  std::string path(const std::string& kind, std::uint32_t number) const;
  RunFileInfo info(const std::string& kind, std::uint32_t number) const;
  void remove_parent() const;

  std::string parent_, folder_;
  bool parent_made_ = false;  ///< for this run, by this process or the one before
  Hash128 run_;
  std::string plan_;
  Descriptor lock_;
  bool keep_;
  std::uint64_t most_ = 0, resumed_ = 0;
};

/// A folder of this process and this run alone, made when it is first asked for: nothing goes on with its files.
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

/// Does `work`, during which the files may be begun; where it fails, they are told by what.
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
