// Error: the one exception that this library throws. Bad records in an input are not errors: they are skipped and counted (Faults).
#pragma once

#include <stdexcept>
#include <string>

namespace nearkin {

enum class ErrorCode {
  plan,     ///< an argument, goal, plan or option that cannot be used
  file,     ///< a file that cannot be opened, read, written or renamed
  stopped,  ///< the caller asked for it (`stoppable` in run.h)
  data,     ///< bytes that are not what they should be (in inputs only with Input::strict)
};

/// `what()` reads "SUBJECT: what is wrong, with the value; what would be right". The subject is the plain name of the argument, option or
/// file. A front end may spell it its own way, such as "--bands" for "bands".
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& subject, const std::string& message)
      : std::runtime_error(subject + ": " + message), code_(code), subject_(subject), message_(message) {}

  ErrorCode code() const { return code_; }
  const std::string& subject() const { return subject_; }
  const std::string& message() const { return message_; }

 private:
  ErrorCode code_;
  std::string subject_;
  std::string message_;
};

}  // namespace nearkin
