#include <filesystem>

#include <sys/stat.h>

#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>

#include "io/formats/formats.h"
#include "io/io_support.h"
#include "io/source/inputs.h"

namespace nearkin::test::inputs_test {
namespace {

namespace fs = std::filesystem;

Texts names(const Input& input) {
  const Sources sources(input, false);
  Texts all;
  for (std::size_t i = 0; i < sources.size(); ++i) all.push_back(sources.name(i));
  return all;
}

TEST(Inputs, WalksAFolderInOrderOfPathBytes) {
  TempDir dir;
  for (const char* name : {"b.txt", "a/z.txt", "a.txt", "a/c/d.txt", "B.txt", "a-b.txt"}) dir.write(name, "x");
  Texts expected;
  for (const char* name : {"B.txt", "a-b.txt", "a.txt", "a/c/d.txt", "a/z.txt", "b.txt"}) expected.push_back(dir.path(name));
  EXPECT_EQ(names(input_of(dir.path())), expected);
}

TEST(Inputs, LeavesOutHiddenEntriesAndLinksFoundInAFolder) {
  TempDir dir;
  dir.write("seen.txt", "x");
  dir.write(".hidden.txt", "x");
  dir.write(".git/config", "x");
  fs::create_symlink(dir.path("seen.txt"), dir.path("link.txt"));
  fs::create_directory_symlink(dir.path(), dir.path("loop"));
  EXPECT_EQ(names(input_of(dir.path())), Texts{dir.path("seen.txt")});
}

TEST(Inputs, FollowsHiddenPathsAndLinksThatAreNamed) {
  TempDir dir;
  dir.write(".git/config", "x");
  fs::create_directory_symlink(dir.path(".git"), dir.path("link"));
  EXPECT_EQ(names(input_of(dir.path(".git"))), Texts{dir.path(".git/config")});
  EXPECT_EQ(names(input_of(dir.path("link"))), Texts{dir.path("link/config")});
  EXPECT_EQ(names(input_of(dir.path("link/config"))), Texts{dir.path("link/config")});
}

TEST(Inputs, ExpandsAGlobInOrder) {
  TempDir dir;
  for (const char* name : {"b.txt", "a.txt", "c.md", "Z.txt"}) dir.write(name, "x");
  EXPECT_EQ(names(input_of(dir.path("*.txt"))), (Texts{dir.path("Z.txt"), dir.path("a.txt"), dir.path("b.txt")}));
}

TEST(Inputs, TakesANameWithGlobCharactersLiterallyWhenItExists) {
  TempDir dir;
  dir.write("a[1].txt", "x");
  dir.write("a1.txt", "x");
  EXPECT_EQ(names(input_of(dir.path("a[1].txt"))), Texts{dir.path("a[1].txt")});
}

TEST(Inputs, RefusesAPathThatDoesNotExist) {
  TempDir dir;
  const Error error = error_of([&] { Sources(input_of(dir.path("none.txt")), false); });
  EXPECT_EQ(error.code(), ErrorCode::file);
  EXPECT_EQ(error.subject(), dir.path("none.txt"));
  EXPECT_EQ(error.message(), "no such file or folder");
}

TEST(Inputs, RefusesAGlobWithoutAMatch) {
  TempDir dir;
  EXPECT_EQ(error_of([&] { Sources(input_of(dir.path("*.none")), false); }).code(), ErrorCode::file);
}

TEST(Inputs, ReadsAListOfPathsAndPassesOverBlankLines) {
  TempDir dir;
  const std::string a = dir.write("a.txt", "x"), b = dir.write("b.txt", "x");
  Input input;
  input.files_from = dir.write("list", b + "\n\n" + a + "\r\n   \n" + b);
  EXPECT_EQ(names(input), (Texts{b, a, b}));
  input.paths = {a};
  EXPECT_EQ(names(input), (Texts{a, b, a, b}));
}

TEST(Inputs, ReadsAListFromStandardInput) {
  TempDir dir;
  const std::string a = dir.write("a.txt", "x");
  const StandardInput in(dir.write("list", a + "\n"));
  Input input;
  input.files_from = "-";
  EXPECT_EQ(names(input), Texts{a});
}

TEST(Inputs, AnEmptyListIsAnEmptyInputNotStandardInput) {
  TempDir dir;
  Input input;
  input.files_from = dir.write("list", "");
  EXPECT_TRUE(names(input).empty());
}

TEST(Inputs, RefusesStandardInputTwice) {
  Input input;
  input.paths = {"-", "-"};
  EXPECT_EQ(error_of([&] { Sources(input, false); }).code(), ErrorCode::plan);
  input.paths = {"-"};
  input.files_from = "-";
  const StandardInput in("/dev/null");
  EXPECT_EQ(error_of([&] { Sources(input, false); }).code(), ErrorCode::plan);
}

TEST(Inputs, ReadsAFileTwiceOnlyWhenItIsNamedTwice) {
  TempDir dir;
  const std::string a = dir.write("d/a.txt", "x"), b = dir.write("d/b.txt", "x"), d = dir.path("d");
  Input input;
  input.paths = {d, a};
  EXPECT_EQ(names(input), (Texts{a, b}));
  input.paths = {b, d};
  EXPECT_EQ(names(input), (Texts{b, a}));
  input.paths = {a, a};
  EXPECT_EQ(names(input), (Texts{a, a}));
  input.paths = {d, a, a};
  EXPECT_EQ(names(input), (Texts{a, b, a}));
  input.paths = {d, dir.path("d/../d")};
  EXPECT_EQ(names(input), (Texts{a, b}));
}

TEST(Inputs, NoPathsMeanStandardInput) {
  TempDir dir;
  const StandardInput in(dir.write("in", "one\ntwo\n"));
  const Everything all = read_everything(Input{});
  EXPECT_EQ(all.ids, (Texts{"-:1", "-:2"}));
  EXPECT_EQ(all.texts, (Texts{"one", "two"}));
}

TEST(Inputs, KnowsTheFormatOfStandardInputByItsFirstByte) {
  TempDir dir;
  {
    const StandardInput in(dir.write("in", "\xEF\xBB\xBF \n {\"text\":\"x\"}\n"));
    EXPECT_EQ(read_everything(input_of("-")).texts, Texts{"x"});
  }
  const StandardInput in(dir.write("in", "[1]\n"));
  EXPECT_EQ(read_everything(input_of("-")).texts, Texts{"[1]"});
}

TEST(Inputs, AnUnreadableFileIsAFaultInAFolderAndAnErrorWhenNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "root can read everything";
  TempDir dir;
  dir.write("a.txt", "x");
  const std::string locked = dir.write("b.txt", "x");
  ::chmod(locked.c_str(), 0);
  const Everything all = read_everything(input_of(dir.path()));
  EXPECT_EQ(all.texts, Texts{"x"});
  ASSERT_EQ(all.faults.count, 1U);
  EXPECT_EQ(all.faults.first[0].where, locked);
  EXPECT_EQ(all.faults.first[0].message, "cannot be read: Permission denied; skipped");
  EXPECT_EQ(error_of([&] { read_everything(input_of(locked)); }).code(), ErrorCode::file);
}

TEST(Inputs, AFileThatVanishesFromAFolderIsAFault) {
  TempDir dir;
  const std::string a = dir.write("a.txt", "x");
  dir.write("b.txt", "y");
  Sources sources(input_of(dir.path()), false);
  fs::remove(a);
  const Everything all = read_everything(sources);
  EXPECT_EQ(all.texts, Texts{"y"});
  ASSERT_EQ(all.faults.first.size(), 1U);
  EXPECT_EQ(all.faults.first[0].where, a);
}

TEST(Inputs, ATableWithoutTheTextColumnIsAFaultInAFolder) {
  TempDir dir;
  dir.write("a.csv", "id,body\n1,x\n");
  dir.write("b.txt", "y");
  const Everything all = read_everything(input_of(dir.path()));
  EXPECT_EQ(all.texts, Texts{"y"});
  ASSERT_EQ(all.faults.first.size(), 1U);
  EXPECT_EQ(all.faults.first[0].where, dir.path("a.csv"));
}

TEST(Inputs, SumsTheBytesToRead) {
  TempDir dir;
  dir.write("a.txt", "12345");
  dir.write("b.gz", gzip("hello"));
  Sources sources(input_of(dir.path()), false);
  EXPECT_EQ(sources.total_bytes(), 5 + gzip("hello").size());
  read_everything(sources);
  EXPECT_EQ(sources.bytes_read(), sources.total_bytes());
}

TEST(Formats, AreKnownByExtension) {
  EXPECT_EQ(format_of_path("a.jsonl"), Format::jsonl);
  EXPECT_EQ(format_of_path("a.ndjson.gz"), Format::jsonl);
  EXPECT_EQ(format_of_path("a.JSON.zst"), Format::jsonl);
  EXPECT_EQ(format_of_path("a.csv.zstd"), Format::csv);
  EXPECT_EQ(format_of_path("a.tsv"), Format::tsv);
  EXPECT_EQ(format_of_path("a.tab"), Format::tsv);
  EXPECT_EQ(format_of_path("a.sets"), Format::sets);
  EXPECT_EQ(format_of_path("a.lines"), Format::lines);
  EXPECT_EQ(format_of_path("a.txt"), Format::files);
  EXPECT_EQ(format_of_path("dir.csv/a"), Format::files);
  EXPECT_EQ(format_of_path("csv"), Format::files);
  EXPECT_EQ(format_of_path("package.json", false), Format::files);
  EXPECT_EQ(format_of_path("package.jsonl", false), Format::jsonl);
  EXPECT_EQ(format_of_path("a.edges"), Format::edges);
  EXPECT_EQ(format_of_path("a.table"), Format::table);
  for (const char* const path : {"a.svm", "a.svmlight", "a.libsvm.gz", "a.sparse"}) EXPECT_EQ(format_of_path(path), Format::sparse);
  for (const char* const path : {"a.npy", "a.fvecs", "a.bvecs.zst", "t10k-images-idx3-ubyte.gz", "train-labels.idx1-ubyte", "a.IDX"}) {
    EXPECT_EQ(format_of_path(path), Format::dense);
  }
  EXPECT_EQ(format_of_path("a.bits"), Format::bits);
  EXPECT_EQ(format_of_path("idx3-ubyte.csv"), Format::csv);
}

TEST(ReadsSets, WhenEverySourceIsOne) {
  TempDir dir;
  dir.write("d/a.sets", "1 2");
  dir.write("d/sub/b.SETS.gz", gzip("1 2"));
  const std::string other = dir.write("c.txt", "x");
  EXPECT_TRUE(reads_sets(input_of(dir.path("d"))));
  EXPECT_TRUE(reads_sets(input_of(dir.path("d/*.sets"))));
  EXPECT_FALSE(reads_sets(input_of(dir.path())));
  EXPECT_FALSE(reads_sets(input_of(other)));
  EXPECT_TRUE(reads_sets(input_of(other, Format::sets)));
  EXPECT_FALSE(reads_sets(input_of(dir.path("d"), Format::lines)));
  fs::create_directory(dir.path("empty"));
  EXPECT_FALSE(reads_sets(input_of(dir.path("empty"))));
  EXPECT_EQ(error_of([&] { reads_sets(input_of(dir.path("none.sets"))); }).code(), ErrorCode::file);
  Input list;
  list.files_from = dir.write("list", dir.path("d") + "\n");
  EXPECT_TRUE(reads_sets(list));
  dir.write("list", dir.path("d") + "\n-\n");
  EXPECT_FALSE(reads_sets(list));
}

TEST(ReadsSets, LeavesStreamsUnread) {
  TempDir dir;
  const std::string a = dir.write("a.sets", "1 2\n");
  const StandardInput in(dir.write("list", a + "\n"));
  Input list;
  list.files_from = "-";
  EXPECT_FALSE(reads_sets(Input{}));
  EXPECT_FALSE(reads_sets(input_of("-")));
  EXPECT_TRUE(reads_sets(input_of("-", Format::sets)));
  EXPECT_FALSE(reads_sets(list));
  EXPECT_EQ(names(list), Texts{a});

  const std::string pipe = dir.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  list.files_from = pipe;
  EXPECT_FALSE(reads_sets(list));
}

TEST(ReadsSets, OfGraphsAndTablesToo) {
  TempDir dir;
  dir.write("d/a.edges", "1 2\n");
  dir.write("d/b.table", "x\n1\n");
  dir.write("d/c.sets", "1\n");
  EXPECT_TRUE(reads_sets(input_of(dir.path("d"))));
  EXPECT_TRUE(reads_sets(input_of("-", Format::edges)));
  dir.write("d/e.csv", "text\nx\n");
  EXPECT_FALSE(reads_sets(input_of(dir.path("d"))));
}

TEST(FormatOf, IsTheOneFormatOfAllSources) {
  TempDir dir;
  const std::string npy = dir.write("d/a.npy", "");
  dir.write("d/b.fvecs", "");
  EXPECT_EQ(format_of(input_of(dir.path("d"))), Format::dense);
  EXPECT_EQ(format_of(input_of("-", Format::bits)), Format::bits);
  EXPECT_EQ(format_of(input_of("-")), std::nullopt);
  EXPECT_EQ(format_of(Input{}), std::nullopt);
  Input two = input_of(npy);
  two.paths.push_back(dir.write("c.bits", ""));
  EXPECT_EQ(format_of(two), std::nullopt);
  EXPECT_EQ(error_of([&] { format_of(input_of(dir.path("none"))); }).code(), ErrorCode::file);
}

TEST(Formats, VectorsMetAmongTextsInAFolderAreFilesLikeAnyOther) {
  TempDir dir;
  const std::string bits = dir.write("d/a.bits", "01\n"), text = dir.write("d/b.txt", "x");
  dir.write("d/c.npy", std::string("\x93NUMPY\0", 7));
  const Everything all = read_everything(input_of(dir.path("d")));
  EXPECT_EQ(all.ids, (Texts{bits, text}));
  EXPECT_EQ(all.faults.binary, 1U);
  EXPECT_EQ(format_of(input_of(dir.path("d"))), Format::files);
}

TEST(Formats, VectorsAreNotNamedTogetherWithTextsOrOtherVectors) {
  TempDir dir;
  Input input = input_of(dir.write("a.bits", "01\n"));
  input.paths.push_back(dir.write("b.svm", "1:1\n"));
  const Error error = error_of([&] { Sources(input, false); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(error.subject(), dir.path("b.svm"));
  EXPECT_EQ(error.message(),
            "is sparse, " + dir.path("a.bits") + " is bits; items of the two cannot be compared: run them separately, or name the format");
  input.paths[1] = dir.write("b.jsonl", "{}\n");
  EXPECT_EQ(error_of([&] { Sources(input, false); }).subject(), dir.path("b.jsonl"));
}

TEST(Formats, ParseBackTheirNames) {
  for (const Format format : {Format::jsonl, Format::csv, Format::tsv, Format::lines, Format::files, Format::sets, Format::edges,
                              Format::table, Format::sparse, Format::dense, Format::bits}) {
    EXPECT_EQ(parse_format(name(format)), format);
  }
  EXPECT_EQ(error_of([] { parse_format("xml", "--format"); }).subject(), "--format");
}

TEST(Formats, AForcedFormatAppliesToEveryFile) {
  TempDir dir;
  dir.write("a.csv", "one\ntwo\n");
  dir.write("b.txt", "three\n");
  EXPECT_EQ(read_everything(input_of(dir.path(), Format::lines)).texts, (Texts{"one", "two", "three"}));
}

}  // namespace
}  // namespace nearkin::test::inputs_test
