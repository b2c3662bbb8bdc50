// The one exception of the library, thrown at three borders: making a plan, touching files, decoding bytes.
#pragma once

#include <stdexcept>
#include <string>

namespace nearkin {

enum class ErrorCode {
  plan,     ///< a goal, plan or option that cannot be carried out
  file,     ///< a file that cannot be opened, read, written or renamed
  stopped,  ///< the caller asked for it (`stoppable`)
  data,     ///< bytes that are not what they should be (only with `strict`; otherwise records are skipped and counted)
};

/// `what()` reads "SUBJECT: what is wrong, with the value; what would be right".
/// The subject is the plain name of the option or file; a surface may spell it its own way ("--bands", "bands=").
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
