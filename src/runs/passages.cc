// Every passage of a collection, as a value or as lines of a file.
#include <nearkin/passages.h>
#include <nearkin/tools/lists.h>

#include "io/bytes/output.h"
#include "io/formats/result_rows.h"
#include "runs/passage_search.h"
#include "runs/shown_passages.h"
#include "runs/write_results.h"

namespace nearkin {

PassagesResult passages(const Input& input, const PassageOptions& options, const RunOptions& run) {
  check_passage_options(options, run);
  PassageSearch search(input, options, run);
  StageClock clock;
  PassagesResult result;
  result.stats = for_each_passage(search, options.gap, [&](const Passage& passage) { result.passages.push_back(passage); });
  RowReader ids(search.rows);
  for (Row row = 0; row < search.rows.size(); ++row) (row < search.rows.split ? result.against_ids : result.ids).add(ids.id(row));
  result.stats.stats.seconds.emplace_back("list", clock.lap());
  finish_search(search, result.stats.stats);
  return result;
}

PassageStats list_passages(const Input& input, const PassagesOutput& output, const PassageOptions& options, const RunOptions& run) {
  check_passage_options(options, run);
  OutputFile file(output.path);
  PassageSearch search(input, options, run);
  StageClock clock;
  LineWriter lines(file);
  RowReader first(search.rows), second(search.rows);
  ShownPassages shown;
  PassageStats stats = for_each_passage(search, options.gap, [&](const Passage& passage) {
    if (run.report != nullptr) shown.add(passage);
    const std::string_view id = first.id(passage.row + search.rows.split);
    append_passage(lines.text(), id, second.id(passage.in), passage, options.gap.has_value(), output.style);
  });
  lines.flush();
  if (run.report != nullptr) shown.fill(*run.report, input, options, search, stats);
  stats.stats.seconds.emplace_back("list", clock.lap());
  finish_search(search, stats.stats);
  if (run.before_output) run.before_output();
  if (output.on_result) output.on_result(stats);
  file.commit();
  return stats;
}

}  // namespace nearkin
