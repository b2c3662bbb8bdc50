#include <map>
#include <set>

#include <nearkin/tools/names.h>

#include "base/hash.h"
#include "io/io_support.h"
#include "io/source/chunker.h"

namespace nearkin::test::edges_test {
namespace {

Input edges_of(const std::string& path, Directed directed = Directed::no) {
  Input input = input_of(path, Format::edges);
  input.directed = directed;
  return input;
}

TEST(Edges, MakeNodesWithTheirNeighboursInOrderOfFirstAppearance) {
  TempDir dir;
  const std::string path = dir.write("g.edges", "# a graph\nb a\n\nb c\r\n  a\tc  \nc b\nd d\n");
  const Everything all = read_everything(input_of(path));
  EXPECT_EQ(all.ids, (Texts{"b", "a", "c", "d"}));
  EXPECT_EQ(all.texts, (Texts{"a c", "b c", "b a", ""}));
  EXPECT_EQ(all.faults.count, 0U);
}

TEST(Edges, FollowTheDirectionAskedFor) {
  TempDir dir;
  const std::string path = dir.write("g.edges", "a b\na c\nb a\na b\n");
  EXPECT_EQ(read_everything(edges_of(path, Directed::out)).texts, (Texts{"b c", "a", ""}));
  EXPECT_EQ(read_everything(edges_of(path, Directed::in)).texts, (Texts{"b", "a", "a"}));
  EXPECT_EQ(read_everything(edges_of(path, Directed::both)).texts, (Texts{">b >c <b", ">a <a", "<a"}));
  EXPECT_EQ(read_everything(edges_of(path, Directed::no)).texts, (Texts{"b c", "a", "a"}));
}

TEST(Edges, HaveTwoNodesAndPerhapsANumber) {
  TempDir dir;
  const std::string path = dir.write("g.edges", "a b 0.5\na\nc d e\nc d 1 2\n\xFF b\nb c 1e9\n");
  const Everything all = read_everything(input_of(path));
  EXPECT_EQ(all.ids, (Texts{"a", "b", "c"}));
  ASSERT_EQ(all.faults.count, 4U);
  EXPECT_EQ(all.faults.first[0].where, path + ":2");
  EXPECT_EQ(all.faults.first[0].message, "1 field; an edge is two nodes with a blank or a tab between them; record skipped");
  EXPECT_EQ(all.faults.first[1].message,
            "the third field, \"e\", is not a number; an edge is two nodes and perhaps a weight; record skipped");
  EXPECT_EQ(all.faults.first[2].message, "4 fields; an edge is two nodes with a blank or a tab between them; record skipped");
  EXPECT_EQ(all.faults.first[3].message, "invalid UTF-8 at byte 1 of the record; record skipped");
}

TEST(Edges, StopAtTheFirstFaultWhenStrict) {
  TempDir dir;
  Input input = input_of(dir.write("g.edges", "a b\nc\n"));
  input.strict = true;
  const Error error = error_of([&] { read_everything(input); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(error.subject(), dir.path("g.edges:2"));
}

TEST(Edges, OfAllFilesMakeOneGraph) {
  TempDir dir;
  dir.write("d/1.edges", "a b\n");
  dir.write("d/2.edges.gz", gzip("b c\n"));
  dir.write("d/3.edges.zst", zstd("c a\nbad\n"));
  Sources sources(input_of(dir.path("d")), true);
  const Everything all = read_everything(sources);
  EXPECT_EQ(all.ids, (Texts{"a", "b", "c"}));
  EXPECT_EQ(all.texts, (Texts{"b c", "a c", "a b"}));
  ASSERT_EQ(sources.size(), 4U);
  EXPECT_EQ(sources.name(3), dir.path("d/1.edges"));
  EXPECT_EQ(sources.format(3), Format::edges);
  ASSERT_EQ(all.fault_locations.size(), 1U);
  std::string buffer;
  EXPECT_EQ(sources.read(all.fault_locations[0], buffer), "bad\n");
}

TEST(Edges, AreReadAgainAsListsOfNeighbours) {
  TempDir dir;
  Sources sources(edges_of(dir.write("g.txt", "a b\nb c\n"), Directed::both), true);
  const Everything all = read_everything(sources);
  std::string buffer;
  EXPECT_EQ(sources.read(all.locations[1], buffer), "b >c <a\n");
  Batch batch;
  sources.parse_again(all.locations[2], buffer, batch);
  ASSERT_EQ(batch.items.size(), 1U);
  EXPECT_EQ(batch.items.id(0), "c");
  EXPECT_EQ(batch.items.text(0), "<b");
}

TEST(Edges, ComeFromStandardInput) {
  TempDir dir;
  const StandardInput in(dir.write("g", "a b\n"));
  EXPECT_EQ(read_everything(edges_of("-")).texts, (Texts{"b", "a"}));
}

TEST(Edges, OfALargeGraphAreThoseOfAPlainOne) {
  TempDir dir;
  SplitMix random(7);
  std::string bytes;
  std::map<std::string, std::size_t> order;
  std::map<std::string, std::set<std::string>> neighbours;
  std::vector<std::string> nodes;
  while (bytes.size() < 2 * kChunkBytes) {
    const std::string u = "node-" + std::to_string(random() % 20000), v = "node-" + std::to_string(random() % 20000);
    bytes += u + ' ' + v + '\n';
    for (const std::string& node : {u, v}) {
      if (order.emplace(node, order.size()).second) nodes.push_back(node);
    }
    if (u == v) continue;
    neighbours[u].insert(v);
    neighbours[v].insert(u);
  }
  Sources sources(input_of(dir.write("g.edges", bytes)), true);
  const Everything all = read_everything(sources);
  EXPECT_GT(all.chunks, 4U);
  ASSERT_EQ(all.ids, nodes);
  std::string buffer;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<std::string> expected(neighbours[nodes[i]].begin(), neighbours[nodes[i]].end());
    std::sort(expected.begin(), expected.end(), [&](const auto& a, const auto& b) { return order[a] < order[b]; });
    std::string text;
    for (const std::string& node : expected) text += (text.empty() ? "" : " ") + node;
    ASSERT_EQ(all.texts[i], text);
    ASSERT_EQ(all.locations[i].line, i + 1);
    ASSERT_EQ(sources.read(all.locations[i], buffer), nodes[i] + (text.empty() ? "" : " ") + text + "\n");
  }
}

TEST(Edges, CutShortGiveWhatIsThere) {
  TempDir dir;
  const std::vector<std::size_t> items = cut_at_every_byte(dir, "g.edges", "a b\nc d\n");
  EXPECT_EQ(items, (std::vector<std::size_t>{0, 0, 0, 2, 2, 2, 2, 4, 4}));
}

TEST(Edges, OfAnEmptyFileAreNoItems) {
  TempDir dir;
  EXPECT_TRUE(read_everything(input_of(dir.write("g.edges", ""))).ids.empty());
  EXPECT_TRUE(read_everything(input_of(dir.write("h.edges", "# nothing\n\n"))).ids.empty());
}

TEST(Directions, ParseTheirNames) {
  EXPECT_EQ(parse_directed("no"), Directed::no);
  EXPECT_EQ(parse_directed("out"), Directed::out);
  EXPECT_EQ(parse_directed("in"), Directed::in);
  EXPECT_EQ(parse_directed("both"), Directed::both);
  const Error error = error_of([] { parse_directed("up", "--directed"); });
  EXPECT_EQ(error.subject(), "--directed");
  EXPECT_EQ(error.message(), "\"up\" is not a direction; use no, out, in or both");
}

}  // namespace
}  // namespace nearkin::test::edges_test
