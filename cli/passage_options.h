// What `passages` and `dedup --passages` have in common.
#pragma once

#include <string>

#include <nearkin/nearkin.h>

#include "flags.h"
#include "progress.h"

namespace nearkin::cli {

/// `least`: what was typed as the tokens of a passage, by this flag. --shingle says what a token is, and nothing else.
PassageOptions passage_options(const ParsedArgs& typed, const ParsedArgs::Text& least, const char* flag);

/// dedup --passages.
int dedup_passages_of(const ParsedArgs& typed);
/// Warns that no passage was found.
void say_no_passage(const ParsedArgs& typed, const PassageOptions& options);
/// For the summary of a run: how many tokens --ignore left out; nothing without the flag.
std::string ignored_text(const ParsedArgs& typed, std::uint64_t tokens);

}  // namespace nearkin::cli
