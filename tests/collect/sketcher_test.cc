// What a chunk becomes, and where reading goes on behind it.
#include "collect/sketcher.h"

#include <gtest/gtest.h>
#include <nearkin/nearkin.h>

#include "support/packed_record.h"
#include "support/temp_dir.h"

namespace nearkin::sketcher_test {
namespace {

TEST(Sketcher, SaysTheRowThatFollowsAChunkOfPackedRecords) {
  const test::TempDir dir;
  std::string bytes;
  for (int i = 0; i < 40; ++i) bytes += test::packed("", std::string(100'000, 'a') + "\n\n" + std::to_string(i));
  const Input input{.paths = {dir.write("a.packed", bytes)}};
  Sources sources(input, true);
  const Plan plan = tune({});
  Sketcher sketcher(plan);
  const std::optional<Chunk> first = sources.next(), second = sources.next();
  const std::optional<Position> end = sketcher.sketch(sources, *first)->end;
  ASSERT_TRUE(end && second);
  EXPECT_EQ(end->line, second->first_line);
  Sources again(input, true);
  again.go_to(*end, {sources.record(0)});
  const Sketched& sketched = *sketcher.sketch(again, *again.next());
  EXPECT_EQ(sketched.batch.items.id(0), input.paths[0] + ":" + std::to_string(second->first_line));
}

}  // namespace
}  // namespace nearkin::sketcher_test
