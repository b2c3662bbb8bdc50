// Answers that wait for a client: in memory, and beyond a bound in a file without a name, so that a client that sends everything before it
// reads anything neither stops the server nor fills its memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "budget.h"

namespace nearkin::server {

class Spool {
 public:
  /// In memory goes what the charge covers, at most so much.
  explicit Spool(Charge& charge, std::size_t in_memory = 1 << 20) : charge_(charge), in_memory_(in_memory) {}
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  /// Throws Error(file) where there is no room.
  void add(std::string_view bytes);
  /// The next bytes, at most `most`; empty where there are none.
  std::string take(std::size_t most);
  bool empty() const { return memory_.empty() && read_ == written_; }

 private:
  void write(std::string_view bytes);

  Charge& charge_;
  std::size_t in_memory_;
  std::string memory_;  ///< what comes before the file
  int file_ = -1;
  std::uint64_t read_ = 0, written_ = 0;
};

}  // namespace nearkin::server
