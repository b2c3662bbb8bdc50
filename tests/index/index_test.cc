// One protocol over every state of an index, against a model.
#include <nearkin/index.h>
#include <nearkin/tools/names.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include <gtest/gtest.h>

#include "index/index_support.h"
#include "index/model.h"
#include "support/temp_dir.h"

namespace nearkin::index_test {
namespace {

using test::IndexModel;
using test::message_of;
using test::neighbours_of;
using test::some_text;
using test::TempDir;

Plan banded_plan() { return test::small_plan(); }
Plan exact_plan() { return tune({.threshold = 0.5, .recall = 1}, {.shingle = parse_shingle("word:2")}); }

std::string number_id(std::uint64_t number) { return "id-" + std::to_string(number); }

/// What an index has been through before, between and behind the operations.
struct IndexHistory {
  const char* name;
  Plan (*plan)();
  bool texts;
  std::function<void(std::optional<Index>&, const std::string& folder)> happens;
};
void PrintTo(const IndexHistory& history, std::ostream* out) { *out << history.name; }

void reopen(std::optional<Index>& index, const std::string& folder) {
  index.reset();
  index.emplace(Index::open(folder));
}

/// Puts and erases items of its own until it is killed.
[[noreturn]] void write_for_ever(const std::string& folder) {
  Index writing = Index::open(folder);
  SplitMix random(static_cast<std::uint64_t>(::getpid()));
  for (;;) {
    std::vector<std::string> ids, texts;
    for (int i = 0; i < 100; ++i) {
      ids.push_back("crash-" + std::to_string(random() % 300));
      texts.push_back(some_text(random));
    }
    std::vector<IndexItem> items;
    for (std::size_t i = 0; i < ids.size(); ++i) items.push_back({ids[i], texts[i]});
    writing.put(items);
    ids.resize(30);
    writing.erase(ids);
  }
}

/// A process that is killed while it writes. What it left whole is taken away again.
void crash(std::optional<Index>& index, const std::string& folder) {
  index.reset();
  const pid_t child = ::fork();
  if (child == 0) write_for_ever(folder);
  ::usleep(static_cast<unsigned>(20'000 + child % 60'000));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  index.emplace(Index::open(folder));
  ASSERT_EQ(index->verify().problem_count, 0u);
  std::vector<std::string> left;
  for (const std::string& id : index->ids()) {
    if (id.starts_with("crash-")) left.push_back(id);
  }
  ASSERT_EQ(index->erase(left), left.size());
}

class IndexProtocol : public testing::TestWithParam<IndexHistory> {
 protected:
  void SetUp() override {
    index_.emplace(Index::create(folder_, GetParam().plan(), {.texts = GetParam().texts}));
    model_.emplace(index_->plan());
  }

  void happen() { GetParam().happens(index_, folder_); }

  void put(const std::string& id, const std::string& text) {
    const bool replaced = model_->put(id, text);
    const IndexPut done = index_->put(id, text);
    ASSERT_EQ(done.replaced, replaced ? 1u : 0u);
    ASSERT_EQ(done.added, replaced ? 0u : 1u);
  }

  void put_many(std::uint64_t most) {
    std::vector<std::string> ids, texts;
    for (std::uint64_t i = 0; i < most; ++i) {
      ids.push_back(number_id(random_() % 400));
      texts.push_back(some_text(random_));
    }
    std::vector<IndexItem> items;
    for (std::size_t i = 0; i < ids.size(); ++i) items.push_back({ids[i], texts[i]});
    const std::size_t before = model_->size();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      // Of equal ids the last counts.
      if (std::find(ids.begin() + static_cast<std::ptrdiff_t>(i) + 1, ids.end(), ids[i]) == ids.end()) model_->put(ids[i], texts[i]);
    }
    ASSERT_EQ(index_->put(items).added, model_->size() - before);
  }

  void ask() {
    const std::string text = some_text(random_);
    ASSERT_EQ(neighbours_of(index_->query(text)), model_->query(text));
    const std::size_t limit = 1 + random_() % 4;
    ASSERT_EQ(neighbours_of(index_->query(text, {.limit = static_cast<std::uint32_t>(limit)})), model_->query(text, limit));
  }

  void look_up() {
    const std::string id = number_id(random_() % 400);
    const std::optional<StoredItem> item = index_->get(id);
    ASSERT_EQ(item.has_value(), model_->holds(id));
    if (item && GetParam().texts) {
      ASSERT_EQ(item->text, model_->text(id));
    }
    ask_like(id);
  }

  void ask_like(const std::string& id) {
    const auto limit = static_cast<std::uint32_t>(random_() % 3);
    const std::optional<IndexAnswer> answer = index_->neighbours(id, {.limit = limit});
    ASSERT_EQ(answer.has_value(), model_->holds(id));
    if (!answer) return;
    std::vector<IndexModel::Neighbour> others = model_->query(model_->text(id));
    std::erase_if(others, [&](const IndexModel::Neighbour& one) { return one.id == id; });
    if (limit != 0 && others.size() > limit) others.resize(limit);
    ASSERT_EQ(neighbours_of(*answer), others);
  }

  void operate() {
    const std::uint64_t kind = random_() % 20;
    const std::string id = number_id(random_() % 400);
    if (kind < 8) {
      put(id, kind == 0 ? "" : some_text(random_));
    } else if (kind < 12) {
      ASSERT_EQ(index_->erase(id), model_->erase(id));
    } else if (kind == 12) {
      put_many(1 + random_() % 40);
    } else if (kind < 17) {
      ask();
    } else {
      look_up();
    }
  }

  void check_whole() {
    ASSERT_EQ(index_->ids(), model_->ids());
    ASSERT_EQ(index_->info().items, model_->size());
    const IndexCheck check = index_->verify();
    ASSERT_EQ(check.problem_count, 0u) << check.problems.front();
    ASSERT_EQ(check.items, model_->size());
  }

  TempDir dir_{std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path()};  // many writes wait for the disk
  std::string folder_ = dir_.path("docs.nearkin");
  std::optional<Index> index_;
  std::optional<IndexModel> model_;
  SplitMix random_{42};
};

TEST_P(IndexProtocol, DoesWhatTheModelDoes) {
  for (int step = 0; step < 1600; ++step) {
    operate();
    if (HasFatalFailure()) FAIL() << "at step " << step;
    if (step % 200 == 199) {
      happen();
      check_whole();
      if (HasFatalFailure()) FAIL() << "behind step " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryState, IndexProtocol,
                         testing::Values(IndexHistory{"fresh", banded_plan, false, [](auto&, auto&) {}},
                                         IndexHistory{"with_texts", banded_plan, true, [](auto&, auto&) {}},
                                         IndexHistory{"exact", exact_plan, false, [](auto&, auto&) {}},
                                         IndexHistory{"reopened", banded_plan, true, reopen},
                                         IndexHistory{"compacted", banded_plan, true, [](auto& index, auto&) { index->compact(); }},
                                         IndexHistory{"compacted_by_another", banded_plan, false,
                                                      [](auto&, const std::string& folder) { Index::open(folder).compact(); }},
                                         IndexHistory{"from_a_backup", banded_plan, true,
                                                      [](auto& index, const std::string& folder) {
                                                        index->backup(folder + ".copy");
                                                        index.reset();
                                                        std::filesystem::remove_all(folder);
                                                        std::filesystem::rename(folder + ".copy", folder);
                                                        index.emplace(Index::open(folder));
                                                      }},
                                         IndexHistory{"crashed", banded_plan, true, crash}),
                         [](const auto& state) { return state.param.name; });

// --- What is refused

TEST(Index, ThePlanIsKept) {
  const TempDir dir;
  const std::string folder = dir.path("a");
  { const Index index = Index::create(folder, banded_plan()); }
  EXPECT_EQ(Index::open(folder).plan(), banded_plan());
}

TEST(Index, AFolderThatIsThereIsNotOverwritten) {
  const TempDir dir;
  dir.write("full/x", "y");
  EXPECT_NE(message_of([&] { Index::create(dir.path("full"), banded_plan()); }).find("already exists"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(dir.path("full/x")));
  std::filesystem::create_directory(dir.path("empty"));
  EXPECT_EQ(message_of([&] { Index::create(dir.path("empty"), banded_plan()); }), "");
}

TEST(Index, WhatIsNoIndexIsSaidToBeNone) {
  const TempDir dir;
  dir.write("folder/x", "y");
  EXPECT_NE(message_of([&] { Index::open(dir.path("folder")); }).find("is not an index"), std::string::npos);
  EXPECT_NE(message_of([&] { Index::open(dir.path("missing")); }).find("no such index"), std::string::npos);
  EXPECT_NE(message_of([&] { Index::open(dir.path("folder/x")); }).find("is not an index"), std::string::npos);
}

TEST(Index, AnIndexOfAnotherPlanInItsPlaceIsNotTakenForIt) {
  const TempDir dir;
  const std::string folder = dir.path("a");
  Index index = Index::create(folder, banded_plan());
  index.put("a", "some words of a text");
  { const Index other = Index::create(dir.path("b"), exact_plan()); }
  std::filesystem::rename(folder, dir.path("old"));
  std::filesystem::rename(dir.path("b"), folder);
  EXPECT_NE(message_of([&] { index.put("b", "other words"); }).find("replaced by an index with another plan"), std::string::npos);
  EXPECT_NE(message_of([&] { index.query("other words"); }).find("replaced by an index with another plan"), std::string::npos);
  EXPECT_EQ(Index::open(folder).info().items, 0u);
}

TEST(Index, CompactionLeavesOneGenerationAndItsOwners) {
  const TempDir dir;
  Index index = Index::create(dir.path("a"), banded_plan());
  index.put("a", "some words of a text");
  dir.write("a/tables-77/data.mdb", "left by a compaction that was killed");
  std::filesystem::permissions(dir.path("a/tables-1/data.mdb"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  index.compact();
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path("a"))) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"CURRENT", "tables-2"}));
  EXPECT_EQ(std::filesystem::status(dir.path("a/tables-2/data.mdb")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(index.query("some words of a text").hits.size(), 1u);
}

TEST(Index, ALaterFormatIsRefusedByItsNumber) {
  const TempDir dir;
  const std::string folder = dir.path("a");
  { const Index index = Index::create(folder, banded_plan()); }
  std::ofstream(folder + "/CURRENT") << "nearkin-index 7\ntables-1\n";
  EXPECT_NE(message_of([&] { Index::open(folder); }).find("has format 7, this nearkin knows format 2"), std::string::npos);
}

TEST(Index, AFileThatWasCutIsSaidToBe) {
  const TempDir dir;
  const std::string folder = dir.path("a");
  {
    Index index = Index::create(folder, banded_plan());
    SplitMix random(1);
    for (int i = 0; i < 200; ++i) index.put(number_id(static_cast<std::uint64_t>(i)), some_text(random));
  }
  const std::string data = folder + "/tables-1/data.mdb";
  for (std::uintmax_t size = std::filesystem::file_size(data); size > 0;
       size = size > 9000 ? size * 2 / 3 : size - std::min<std::uintmax_t>(size, 4000)) {
    if (size == std::filesystem::file_size(data)) continue;
    std::filesystem::resize_file(data, size);
    EXPECT_NE(message_of([&] { Index::open(folder); }), "") << size;
  }
}

TEST(Index, AnEmptyFileInPlaceOfTheTablesIsNotWrittenTo) {
  const TempDir dir;
  const std::string folder = dir.path("a"), data = folder + "/tables-1/data.mdb";
  { const Index index = Index::create(folder, banded_plan()); }
  std::filesystem::resize_file(data, 0);
  EXPECT_NE(message_of([&] { Index::open(folder, Index::Access::read); }).find("data.mdb has 0 bytes"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(data), 0u);
}

TEST(Index, ABackupIntoTheIndexItselfIsRefused) {
  const TempDir dir;
  const Index index = Index::create(dir.path("a"), banded_plan());
  for (const char* const name : {"a", "a/", "a/copy", "a/tables-1/copy", "a/../a/copy"}) {
    EXPECT_NE(message_of([&] { index.backup(dir.path(name)); }).find("is in the folder of the index itself"), std::string::npos) << name;
  }
  EXPECT_EQ(std::distance(std::filesystem::recursive_directory_iterator(dir.path("a")), {}), 4);
  EXPECT_EQ(message_of([&] { index.backup(dir.path("a-copy")); }), "");
}

TEST(Index, ACurrentThatNamesNoGenerationIsAnErrorAlsoForCompaction) {
  const TempDir dir;
  const std::string folder = dir.path("a");
  Index index = Index::create(folder, banded_plan());
  std::filesystem::rename(folder + "/tables-1", folder + "/tables-x");
  std::ofstream(folder + "/CURRENT") << "nearkin-index 2\ntables-x\n";
  EXPECT_NE(message_of([&] { Index::open(folder).compact(); }).find("CURRENT is damaged"), std::string::npos);
}

TEST(Index, WhatAnIndexCannotKeepIsNamed) {
  const TempDir dir;
  const auto refused = [&](const Plan& plan) { return message_of([&] { Index::create(dir.path("a"), plan); }); };
  EXPECT_NE(refused(tune({.measure = Measure::exact})).find("exact cannot be used for an index"), std::string::npos);
  EXPECT_NE(refused(parse_plan("jaccard>=0.8 sketch=minhash:128 bands=8x5 verify=estimate")).find("exact similarities"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(dir.path("a")));
}

TEST(Index, BadItemsAreRefusedAndNothingOfTheirBatchIsPut) {
  const TempDir dir;
  Index index = Index::create(dir.path("a"), banded_plan());
  const std::vector<IndexItem> items{{"good", "some words here"}, {"bad", "other words", "[1]"}};
  EXPECT_NE(message_of([&] { index.put(items); }).find("\"bad\" is not a JSON object"), std::string::npos);
  EXPECT_NE(message_of([&] { index.put("", "words"); }).find("is empty"), std::string::npos);
  EXPECT_NE(message_of([&] { index.put(std::string(70'000, 'x'), "words"); }).find("70000 bytes"), std::string::npos);
  EXPECT_EQ(index.info().items, 0u);
}

TEST(Index, LongIdsAreKeptApart) {
  const TempDir dir;
  Index index = Index::create(dir.path("a"), banded_plan());
  const std::string base(600, 'p');
  for (const char* const end : {"1", "2", ""}) index.put(base + end, std::string("text number ") + end);
  EXPECT_EQ(index.info().items, 3u);
  EXPECT_EQ(index.get(base + "2")->id, base + "2");
  EXPECT_TRUE(index.erase(base + "1"));
  EXPECT_FALSE(index.get(base + "1"));
  EXPECT_EQ(index.ids().size(), 2u);
  EXPECT_EQ(index.verify().problem_count, 0u);
}

TEST(Index, AReaderDoesNotWrite) {
  const TempDir dir;
  { const Index index = Index::create(dir.path("a"), banded_plan()); }
  Index reading = Index::open(dir.path("a"), Index::Access::read);
  EXPECT_NE(message_of([&] { reading.put("a", "b"); }).find("opened for reading"), std::string::npos);
}

TEST(Index, AnswersAreFilteredByMetadataBeforeTheyAreCounted) {
  const TempDir dir;
  Index index = Index::create(dir.path("a"), banded_plan());
  for (int i = 0; i < 20; ++i) {
    const std::string id = number_id(static_cast<std::uint64_t>(i)),
                      metadata = i % 2 == 0 ? R"({"lang":"en","n":)" + std::to_string(i) + "}" : "";
    index.put(IndexItem{id, "the same five words again", metadata});
  }
  const IndexAnswer answer = index.query("the same five words again", {.limit = 3, .where = {{"lang", "en"}}, .metadata = true});
  ASSERT_EQ(answer.hits.size(), 3u);
  EXPECT_EQ(answer.hits[1].id, "id-2");
  EXPECT_EQ(answer.hits[1].metadata, R"({"lang":"en","n":2})");
  EXPECT_EQ(index.query("the same five words again", {.where = {{"n", "4"}}}).hits.size(), 1u);
  EXPECT_EQ(index.query("the same five words again", {.where = {{"lang", "de"}}}).hits.size(), 0u);
}

TEST(Index, HasNoRowNumbersToLeaveOut) {
  const TempDir dir;
  const Index index = Index::create(dir.path("a"), banded_plan());
  EXPECT_NE(message_of([&] { index.query("some words", {.except = 0}); }).find("except: an index has no row numbers"), std::string::npos);
}

TEST(Index, AnItemHasTheNeighboursThatItsTextHas) {
  const TempDir dir;
  for (const Goal& goal : {Goal{.measure = Measure::containment, .threshold = 0.6, .recall = 0.99}, Goal{.threshold = 0.3, .recall = 1},
                           Goal{.measure = Measure::weighted_jaccard, .threshold = 0.4, .recall = 0.99}}) {
    Index index = Index::create(dir.path(std::string(name(goal.measure))), tune(goal, {.shingle = parse_shingle("word:1")}));
    const std::string short_text = "one two three four", long_text = "one two three four five six";
    index.put(IndexItem{"short", short_text, R"({"lang":"en"})"});
    index.put(IndexItem{"long", long_text, R"({"lang":"en"})"});
    index.put(IndexItem{"again", long_text, R"({"lang":"de"})"});
    index.put("empty", "...");
    for (const ShareOf share : {ShareOf::query, ShareOf::item}) {
      for (const auto& [id, text] : {std::pair<const char*, const std::string&>("short", short_text), {"long", long_text}}) {
        Ask ask{.where = {{"lang", "en"}}, .metadata = true};
        if (goal.measure == Measure::containment) ask.share_of = share;
        IndexAnswer expected = index.query(text, ask);
        std::erase_if(expected.hits, [&, own = id](const Hit& hit) { return hit.id == own; });
        const std::optional<IndexAnswer> like = index.neighbours(id, ask);
        ASSERT_TRUE(like.has_value());
        EXPECT_EQ(neighbours_of(*like), neighbours_of(expected)) << name(goal.measure) << ' ' << id;
        EXPECT_EQ(like->hits.empty() ? "" : like->hits[0].metadata, expected.hits.empty() ? "" : R"({"lang":"en"})");
      }
    }
    EXPECT_TRUE(index.neighbours("empty")->hits.empty());
    EXPECT_FALSE(index.neighbours("none").has_value());
  }
}

TEST(Index, MetadataOfSeveralLinesIsKeptInOne) {
  const TempDir dir;
  Index index = Index::create(dir.path("a"), banded_plan());
  index.put(IndexItem{"a", "some words", "{\n  \"lang\": \"en\"\r\n}"});
  EXPECT_EQ(index.get("a")->metadata, "{   \"lang\": \"en\"  }");
}

TEST(Index, WhatAProcessLeftThatWasKilledWhileItMadeAnIndexIsTakenAway) {
  const TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  dir.write("a.part-" + std::to_string(child) + "-0/x", "");
  const std::vector<std::string> others = {"a.part-12", "a.part-notes", "a.part-1-2-3", "a.part-1-", "a.part--1", "ab.part-1-2"};
  for (const std::string& name : others) dir.write(name + "/x", "");
  Index::create(dir.path("a"), banded_plan());
  EXPECT_FALSE(std::filesystem::exists(dir.path("a.part-" + std::to_string(child) + "-0")));
  for (const std::string& name : others) EXPECT_TRUE(std::filesystem::exists(dir.path(name))) << name;
}

TEST(Index, ACapOnCandidatesStopsEarlyAndSaysSo) {
  const TempDir dir;
  Index index = Index::create(dir.path("a"), banded_plan());
  for (int i = 0; i < 20; ++i) index.put(number_id(static_cast<std::uint64_t>(i)), "the same five words again");
  const IndexAnswer some = index.query("the same five words again", {.max_candidates = 5});
  EXPECT_EQ(some.hits.size(), 5u);
  EXPECT_EQ(some.looked_at, 5u);
  EXPECT_TRUE(some.stopped_early);
  EXPECT_FALSE(index.query("the same five words again", {.max_candidates = 20}).stopped_early);
}

TEST(Index, AThresholdWithinThePlansOwnMayBeAskedFor) {
  const TempDir dir;
  Index index = Index::create(dir.path("a"), exact_plan());
  index.put("a", "one two three four five six seven");
  index.put("b", "one two three four five six eight");
  EXPECT_EQ(index.query("one two three four five six seven").hits.size(), 2u);
  EXPECT_EQ(index.query("one two three four five six seven", {.threshold = 0.9}).hits.size(), 1u);
  EXPECT_NE(message_of([&] { index.query("one", {.threshold = 0.4}); }).find("less than the index was made for, 0.5"), std::string::npos);
}

// --- Vectors

TEST(Index, KeepsVectorsOfEveryKind) {
  struct Case {
    Plan plan;
    Vectors vectors;
  };
  const Goal cosine{.measure = Measure::cosine, .threshold = 0.9}, euclidean{.measure = Measure::euclidean, .radius = 1.5};
  const Vectors dense{.kind = Vectors::Kind::dense, .dimensions = 3, .count = 3, .numbers = {1, 2, 3, 1, 2, 3.1f, -9, 0, 1}};
  const Vectors bits{.kind = Vectors::Kind::bits, .dimensions = 64, .count = 3, .words = {0xff, 0xfe, 0xffff0000}};
  const Vectors sparse{
      .kind = Vectors::Kind::sparse, .count = 3, .indices = {1, 5, 1, 5, 9}, .values = {1, 2, 1, 2.1, 4}, .ends = {2, 4, 5}};
  const Case cases[] = {{tune(cosine), dense},
                        {tune(euclidean, {.width = 6}), dense},
                        {tune({.measure = Measure::hamming, .radius = 2}, {.dimensions = 64}), bits},
                        {tune(cosine), sparse}};
  for (const Case& one : cases) {
    const TempDir dir;
    Index index = Index::create(dir.path("v"), one.plan);
    Strings ids;
    for (const char* const id : {"a", "b", "c"}) ids.add(id);
    EXPECT_EQ(index.put(ids, one.vectors).added, 3u);
    const IndexAnswer answer = index.query(one.vectors, 0);
    ASSERT_EQ(answer.hits.size(), 2u) << one.plan;
    EXPECT_EQ(answer.hits[0].id, "a");
    EXPECT_EQ(answer.hits[1].id, "b");
    const std::optional<IndexAnswer> like = index.neighbours("a");
    ASSERT_TRUE(like && like->hits.size() == 1) << one.plan;
    EXPECT_EQ(like->hits[0].id, "b");
    EXPECT_EQ(like->hits[0].similarity, answer.hits[1].similarity);
    EXPECT_DOUBLE_EQ(answer.hits[1].similarity, value_between(one.vectors, 0, one.vectors, 1, one.plan.measure));
    EXPECT_TRUE(index.erase("b"));
    EXPECT_EQ(index.query(one.vectors, 0).hits.size(), 1u);
    EXPECT_EQ(index.verify().problem_count, 0u);
    EXPECT_NE(message_of([&] { index.put("x", "a text"); }).find("holds vectors"), std::string::npos);
  }
}

TEST(Index, WithoutItemsTheNextVectorsDecideTheirDimensions) {
  const TempDir dir;
  const Vectors three{.kind = Vectors::Kind::dense, .dimensions = 3, .count = 1, .numbers = {1, 2, 3}};
  const Vectors two{.kind = Vectors::Kind::dense, .dimensions = 2, .count = 1, .numbers = {1, 2}};
  Strings ids;
  ids.add("a");
  Index index = Index::create(dir.path("i"), tune({.measure = Measure::cosine, .threshold = 0.9}));
  index.put(ids, three);
  index.erase("a");
  EXPECT_EQ(index.info().vectors, "");
  EXPECT_TRUE(index.query(two, 0).hits.empty());
  index.put(ids, two);
  EXPECT_EQ(index.info().vectors, "dense 2");
  EXPECT_EQ(index.query(two, 0).hits.size(), 1u);
  index.compact();
  EXPECT_NE(message_of([&] { index.put(ids, three); }), "") << "also the last item is only replaced by its like";
  EXPECT_EQ(index.verify().problem_count, 0u);
}

TEST(Index, ATrialWriteChangesNothing) {
  const TempDir dir;
  Index index = Index::create(dir.path("i"), banded_plan());
  index.put("a", "some words of a text");
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{5'000}, std::size_t{1} << 20}) index.try_write(bytes);
  EXPECT_EQ(index.ids(), std::vector<std::string>{"a"});
  EXPECT_EQ(index.verify().problem_count, 0u);
  EXPECT_GT(index.info().free_bytes, std::uint64_t{1} << 20) << "what it wrote is free again";
}

TEST(Index, VectorsOfOtherDimensionsAreRefused) {
  const TempDir dir;
  Index index = Index::create(dir.path("v"), tune({.measure = Measure::cosine, .threshold = 0.9}));
  Strings ids;
  ids.add("a");
  const Vectors three{.kind = Vectors::Kind::dense, .dimensions = 3, .count = 1, .numbers = {1, 2, 3}};
  const Vectors two{.kind = Vectors::Kind::dense, .dimensions = 2, .count = 1, .numbers = {1, 2}};
  EXPECT_EQ(index.query(two, 0).hits.size(), 0u);
  index.put(ids, three);
  EXPECT_NE(message_of([&] { index.put(ids, two); }).find("these are vectors of 2 numbers; the index has vectors of 3 numbers"),
            std::string::npos);
  EXPECT_NE(message_of([&] { index.query(two, 0); }).find("this is a vector of 2 numbers; the index has vectors of 3 numbers"),
            std::string::npos);
}

TEST(Index, ArraysThatAreNotAsLongAsTheVectorsAreRefused) {
  const TempDir dir;
  Index index = Index::create(dir.path("v"), tune({.measure = Measure::cosine, .threshold = 0.9}));
  const Vectors three{.kind = Vectors::Kind::dense, .dimensions = 2, .count = 3, .numbers = {1, 2, 3, 4, 5, 6}};
  const Vectors cut{.kind = Vectors::Kind::dense, .dimensions = 2, .count = 3, .numbers = {1, 2, 3, 4, 5}};
  const Vectors no_ends{.kind = Vectors::Kind::sparse, .count = 2, .indices = {1, 2}, .values = {1}, .ends = {1, 2}};
  Strings one, two, all;
  for (const char* const id : {"a", "b", "c"}) all.add(id);
  one.add("{}");
  two.add("a");
  two.add("b");
  const auto says = [](const std::function<void()>& act, const std::string& expected) {
    const std::string said = message_of(act);
    EXPECT_NE(said.find(expected), std::string::npos) << said << ", expected: " << expected;
  };
  says([&] { index.put(two, three); }, "ids: there are 2 for 3 vectors");
  says([&] { index.put(all, three, one); }, "metadata: there are 1 for 3 vectors");
  says([&] { index.put(all, cut); }, "vectors: 5 numbers where there must be 6");
  says([&] { index.put(two, no_ends); }, "vectors: 1 values where there must be 2");
  says([&] { index.query(three, 3); }, "vectors: row 3 is not among the 3 items");
  says([&] { index.query(cut, 0); }, "vectors: 5 numbers where there must be 6");
  EXPECT_EQ(index.info().items, 0u);
}

}  // namespace
}  // namespace nearkin::index_test
