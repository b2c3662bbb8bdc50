// Errors as the command line spells them, and whole numbers and shares from words.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/error.h>

namespace nearkin::cli {

/// A command line that makes no sense; `what()` is the whole message, flags spelled out.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A flag, and whether it was typed.
struct TypedFlag {
  bool given;
  const char* flag;
};
/// Throws UsageError "FLAG: WHY" for the first that was typed; {flag} in `why` names it again.
void refuse_typed(const std::vector<TypedFlag>& flags, std::string_view why);

/// "SUBJECT: message", where the subject is spelled "--large-bucket" if it is the name of an option, as it is otherwise; "-" is
/// spelled out, and a way out gets its flag.
std::string spelled(const Error& error);
/// A message of the library, with the flags of what it advises.
std::string with_flags(std::string message);

/// The way out where a record's id of standard input ("-:1") was used before; empty for all other messages.
std::string way_out_of_clash(std::string_view message);

/// "--measure: "jacard" is not jaccard, … or exact", with "; did you mean jaccard?" where one of the words that the flag takes in this
/// command (its CommandBit; 0: none is known), or else one of those that the message lists, is near to what was typed.
std::string with_suggestion(const std::string& message, unsigned command, const std::vector<std::string>& arguments);

/// The nearest name, or else the first that begins with the word, where that has three letters or more.
std::optional<std::string> nearest_or_longer(std::string_view word, const std::vector<std::string>& known);

/// A whole number from `least` to `most`, all of the text. Throws UsageError naming `flag` ("--threads").
std::uint64_t whole(const std::string& text, const char* flag, std::uint64_t least,
                    std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// All of the text as a finite decimal number; absent where it is none.
std::optional<double> decimal(const std::string& text);

/// A number above 0 and below 1, such as 1e-6. Throws UsageError naming `flag`.
double open_share(const std::string& text, const char* flag);

/// A finite number of 0 or more. Throws UsageError naming `flag`.
double positive(const std::string& text, const char* flag);

}  // namespace nearkin::cli
