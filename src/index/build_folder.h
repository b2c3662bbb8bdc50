// BuildFolder: where an index is made before it gets its name.
#pragma once

#include <string>

#include "io/bytes/descriptor.h"

namespace nearkin {

/// A folder beside the one that it will become. As long as it lives it holds a lock on a file inside, which the system gives back when the
/// process ends, however it ends: a folder whose lock can be taken was abandoned, on whatever machine, and in whatever container, it was
/// begun.
class BuildFolder {
 public:
  /// Removes what was abandoned on the way to the same name. Throws Error(file) naming `folder`.
  explicit BuildFolder(const std::string& folder);
  /// Removes it, unless it was published.
  ~BuildFolder();
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Gives it its name, on the disk when this returns. Throws Error(file) where there is something else of that name.
  void publish();

 private:
  bool make(const std::string& path);

  std::string folder_;
  std::string path_;  // empty: published
  Descriptor lock_;
};

}  // namespace nearkin
