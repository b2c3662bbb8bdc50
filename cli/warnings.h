// The warnings and errors that have a name: printed in brackets behind the message, and explained by 'nearkin help NAME'.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nearkin/error.h>

namespace nearkin::cli {

/// In the order of the table. Names are stable: scripts look for them.
enum class Warning {
  average_unknown,
  bad_record,
  damaged_index,
  disk_full,
  empty_item,
  estimates,
  first_line,
  given_twice,
  input_changed,
  large_buckets,
  no_neighbour,
  no_number,
  no_passage,
  not_utf_8,
  nothing_found,
  nothing_ignored,
  nothing_to_compare,
  nothing_to_resume,
  one_item,
  one_scope,
  out_of_memory,
  recall_missed,
  repeated_id,
  run_in_use,
  short_template,
  stopped_early,
  too_large,
  unfinished_run,
  unknown_ids,
  unknown_kernel,
  unverified,
  weak_bands,
  words_of_programs,
};

struct WarningText {
  Warning warning;
  const char* name;        ///< "large-buckets"
  const char* short_text;  ///< one line, for the list
  const char* what;        ///< what was met
  const char* why;         ///< why it matters
  const char* to_do;       ///< what to do about it
};
/// All of them, by name.
std::span<const WarningText> warnings();
const WarningText& text_of(Warning warning);
/// Null where no warning has this name.
const WarningText* find_warning(std::string_view name);

/// "MESSAGE [large-buckets]"
std::string named(std::string_view message, Warning warning);
/// The message with the name of what it tells of, where that has one.
std::string named(std::string_view message, const Error& error);

/// What 'nearkin help NAME' and 'nearkin help warnings' print; the latter as a page of the documentation too.
std::string explained(const WarningText& warning);
std::string list_of_warnings();
std::string page_of_warnings();

}  // namespace nearkin::cli
