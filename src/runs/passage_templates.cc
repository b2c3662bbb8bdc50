// The shingles of templates that no passage may contain.
#include <string>

#include <nearkin/error.h>
#include <nearkin/ignore.h>
#include <nearkin/passages.h>

#include "collect/for_each_text.h"
#include "collect/ignored_list.h"
#include "feature/shingler.h"

namespace nearkin {
namespace {

// A thread's part.
struct Gatherer {
  Shingler shingler, tokens;
  PassageTemplates found = {};
};

void add_template(Gatherer& gatherer, std::string_view text) {
  PassageTemplates& found = gatherer.found;
  ++found.items;
  if (gatherer.tokens.shingles(text).size() < PassageOptions::kLeast) {
    ++found.too_short;
    return;
  }
  const std::span<const std::uint64_t> shingles = gatherer.shingler.shingles(text);
  found.ignored.insert(found.ignored.end(), shingles.begin(), shingles.end());
}

}  // namespace

PassageTemplates passage_templates(const PassageOptions& options, const std::vector<Input>& templates, const RunOptions& run) {
  const ShinglePlan plan = passage_shingles(options);
  ShinglePlan token = plan;
  token.size = 1;
  PassageTemplates all;
  for (const Input& input : templates) {
    const ListedTemplates listed = read_ignored_lists(input, plan);
    all.items += listed.hashes.size();
    all.ignored.insert(all.ignored.end(), listed.hashes.begin(), listed.hashes.end());
    if (listed.lists > 0 && listed.texts.paths.empty()) continue;
    RunStats read;  // a record without the text's field must not look like an empty template
    for (const Gatherer& part : for_each_text(
             listed.texts, nullptr, run,
             [&] {
               return Gatherer{Shingler(plan), Shingler(token)};
             },
             [](Gatherer&gatherer, std::string_view text, std::uint64_t) { add_template(gatherer, text); }, &read)) {
      all.items += part.found.items;
      all.too_short += part.found.too_short;
      all.ignored.insert(all.ignored.end(), part.found.ignored.begin(), part.found.ignored.end());
    }
  }
  if (all.ignored.empty()) {
    const bool one = templates.size() == 1 && templates.front().paths.size() == 1;
    throw Error(ErrorCode::plan, "ignore",
                (one ? templates.front().paths.front() + " has no text" : "there is no template") + " of " +
                    std::to_string(PassageOptions::kLeast) + " tokens or more, the least that passages can ignore; give a longer template");
  }
  all.ignored = ignored_hashes(ignore_hashes(plan, std::move(all.ignored)));
  return all;
}

}  // namespace nearkin
