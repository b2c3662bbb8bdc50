// Sketch files among the paths of an input.
#include <chrono>
#include <filesystem>
#include <utility>

#include <nearkin/run.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/vectors.h>

#include "io/resume_support.h"
#include "io/source/inputs.h"
#include "io/source/sample_records.h"

namespace nearkin::test::sketch_inputs_test {
namespace {

namespace fs = std::filesystem;

Input named(Texts paths) {
  Input input;
  input.paths = std::move(paths);
  return input;
}

/// "path", and "path (sketch file)" for those that a sketch file stands for.
Texts listed(const Input& input) {
  Texts all;
  for (const InputPath& path : expand(input)) all.push_back(path.sketch.empty() ? path.path : path.path + " (" + path.sketch + ")");
  return all;
}

std::string in(const std::string& path, const std::string& sketch) { return path + " (" + sketch + ")"; }

/// All records by their locations in the input that the sketch was made of, read through another.
std::string read_through(const Sources& sources, std::uint32_t first_source, const std::vector<Location>& locations) {
  std::string all, buffer;
  for (Location location : locations) {
    location.source += first_source;
    all += sources.read(location, buffer);
  }
  return all;
}

TEST(SketchInputs, StandForTheirSourcesAsOneChunk) {
  TempDir dir;
  Input files = named({dir.write("a.jsonl", "{\"text\":\"one\"}\n"), dir.write("b.csv", "id,text\n1,\"x\ny\"\n2,z\n"),
                       dir.write("c.lines.gz", gzip("two\nthree\n")), dir.write("d.table", "q,r\nyes,no\n")});
  const Everything all = read_everything(files);
  const std::string sketch = make_sketch(files, dir.path("s.sketch")), before = dir.write("0.lines", "zero\n"),
                    behind = dir.write("9.lines", "nine\n");
  Sources sources(named({before, sketch, behind}), true);
  ASSERT_EQ(sources.size(), 6U);
  EXPECT_EQ(sources.total_bytes(), 10 + fs::file_size(files.paths[0]) + fs::file_size(files.paths[1]) + fs::file_size(files.paths[2]) +
                                       fs::file_size(files.paths[3]));
  const std::vector<SeenChunk> chunks = all_chunks(sources);
  ASSERT_EQ(chunks.size(), 3U);
  EXPECT_EQ(chunks[1].sketch, sketch);
  EXPECT_EQ(chunks[1].source, 1U);
  EXPECT_EQ(chunks[1].bytes, "");
  EXPECT_EQ(chunks[2].source, 5U);
  EXPECT_EQ(chunks[2].bytes, "nine\n");
  EXPECT_EQ(sources.bytes_read(), sources.total_bytes());
  Sources direct(files, true);
  while (direct.next()) continue;
  EXPECT_EQ(read_through(sources, 1, all.locations), read_through(direct, 0, all.locations));
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(sources.name(i + 1), files.paths[i]);
    EXPECT_EQ(sources.format(i + 1), direct.format(i));
    EXPECT_EQ(sources.header(i + 1), direct.header(i));
    EXPECT_EQ(sources.columns(i + 1), direct.columns(i));
  }
  std::string buffer;
  Batch batch;
  for (std::size_t i = 0; i < all.locations.size(); ++i) {
    Location location = all.locations[i];
    ++location.source;
    batch.clear();
    sources.parse_again(location, buffer, batch);
    ASSERT_EQ(batch.items.size(), 1U);
    EXPECT_EQ(batch.items.id(0), all.ids[i]);
    EXPECT_EQ(batch.items.text(0), all.texts[i]);
  }
}

TEST(SketchInputs, OfStandardInputAndCompressedFilesNeedNothingElse) {
  TempDir dir;
  const std::string packed = dir.write("a.lines.gz", gzip("one\ntwo\n"));
  std::string a, b;
  {
    const StreamedInput stream("three\nfour\n");
    a = make_sketch(named({packed}), dir.path("a.sketch"));
    b = make_sketch(named({"-"}), dir.path("b.sketch"));
  }
  fs::remove(packed);
  Sources sources(named({b, a}), true);
  EXPECT_EQ(all_chunks(sources).size(), 2U);
  std::string buffer;
  EXPECT_EQ(sources.read({0, 2, 6, 5}, buffer), "four\n");
  EXPECT_EQ(sources.read({1, 2, 4, 4}, buffer), "two\n");
}

TEST(SketchInputs, StandWhereTheFirstOfTheirFilesIsNamed) {
  TempDir dir;
  const std::string a = dir.write("d/a.lines", "a\n"), b = dir.write("d/b.lines", "b\n"), c = dir.write("d/c.lines", "c\n");
  const std::string sketch = make_sketch(named({a, b}), dir.path("s.sketch"));
  const std::string in_a = in(a, sketch), in_b = in(b, sketch);
  EXPECT_EQ(listed(named({sketch})), (Texts{in_a, in_b}));
  EXPECT_EQ(listed(named({c, sketch})), (Texts{c, in_a, in_b}));
  EXPECT_EQ(listed(named({sketch, c})), (Texts{in_a, in_b, c}));
  EXPECT_EQ(listed(named({b, c, sketch})), (Texts{in_a, in_b, c}));
  EXPECT_EQ(listed(named({sketch, c, a, b, a})), (Texts{c, in_a, in_b}));
  EXPECT_EQ(listed(named({sketch, dir.path("d")})), (Texts{in_a, in_b, c}));
  EXPECT_EQ(listed(named({c, dir.path("d"), sketch})), (Texts{c, in_a, in_b}));
  fs::create_hard_link(b, dir.path("link.lines"));
  EXPECT_EQ(listed(named({dir.path("link.lines"), sketch})), (Texts{in_a, in_b}));
}

TEST(SketchInputs, MetInAFolderAreNoSketchesAndNoItemsWhereTheyAreNamedToo) {
  TempDir dir;
  const std::string a = dir.write("d/a.lines", "a\n"), b = dir.write("d/b.lines", "b\n");
  const std::string sketch = make_sketch(named({a}), dir.path("d/s.sketch"));
  EXPECT_EQ(listed(named({dir.path("d")})), (Texts{a, b, sketch}));
  EXPECT_EQ(read_everything(named({dir.path("d")})).faults.binary, 1U);
  EXPECT_EQ(listed(named({dir.path("d"), sketch})), (Texts{in(a, sketch), b}));
  EXPECT_EQ(listed(named({sketch, dir.path("d")})), (Texts{in(a, sketch), b}));
}

TEST(SketchInputs, MayBeMatchedAndListed) {
  TempDir dir;
  const std::string a = dir.write("a.lines", "a\n"), b = dir.write("b.lines", "b\n");
  const std::string first = make_sketch(named({a}), dir.path("1.sketch")), second = make_sketch(named({b}), dir.path("2.sketch"));
  const Texts both{in(a, first), in(b, second)};
  EXPECT_EQ(listed(named({dir.path("*.sketch")})), both);
  Input list;
  list.files_from = dir.write("list", first + "\n" + second + "\n");
  EXPECT_EQ(listed(list), both);
  EXPECT_TRUE(can_be_read_again(list));
}

TEST(SketchInputs, AreRefusedTwice) {
  TempDir dir;
  const std::string a = dir.write("a.lines", "a\n"), b = dir.write("b.lines", "b\n");
  const std::string first = make_sketch(named({a, a}), dir.path("1.sketch")), second = make_sketch(named({b, a}), dir.path("2.sketch"));
  EXPECT_EQ(listed(named({first})), (Texts{in(a, first), in(a, first)}));
  Error error = error_of([&] { expand(named({first, first})); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.subject(), first);
  EXPECT_EQ(error.message(), "is named more than once; name a sketch file once");
  error = error_of([&] { expand(named({first, second})); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.subject(), second);
  EXPECT_EQ(error.message(), "holds " + a + ", and so does " + first + "; name one of the two");
  fs::create_symlink(first, dir.path("link.sketch"));
  EXPECT_EQ(error_of([&] { expand(named({first, dir.path("link.sketch")})); }).subject(), dir.path("link.sketch"));
}

TEST(SketchInputs, MustHaveBeenMadeWithTheSameOptions) {
  TempDir dir;
  const Input made = named({dir.write("a.lines", "a\n")});
  const std::string sketch = make_sketch(made, dir.path("s.sketch"));
  const auto message_with = [&](auto change) {
    Input input = named({sketch});
    change(input);
    const Error error = error_of([&] { Sources(input, false); });
    EXPECT_EQ(error.code(), ErrorCode::plan);
    EXPECT_EQ(error.subject(), sketch);
    return error.message();
  };
  const std::string way_out = "; give the same, or sketch it again";
  EXPECT_EQ(message_with([](Input& i) { i.id = "url"; }), "made with id \"id\", the input has \"url\"" + way_out);
  EXPECT_EQ(message_with([](Input& i) { i.text = "body"; }), "made with text \"text\", the input has \"body\"" + way_out);
  EXPECT_EQ(message_with([](Input& i) { i.separator = ';'; }), "made with separator \",\", the input has \";\"" + way_out);
  EXPECT_EQ(message_with([](Input& i) { i.header = false; }), "made with header yes, the input has no" + way_out);
  EXPECT_EQ(message_with([](Input& i) { i.number = "score"; }), "made with number none, the input has \"score\"" + way_out);
  EXPECT_EQ(message_with([](Input& i) { i.directed = Directed::both; }), "made with directed no, the input has both" + way_out);
  EXPECT_EQ(message_with([](Input& i) { i.all_answers = true; }), "made with all answers no, the input has yes" + way_out);
  EXPECT_EQ(message_with([](Input& i) { i.format = Format::lines; }), "made with format none, the input has lines" + way_out);
  Input strict = named({sketch});
  strict.strict = true;
  EXPECT_EQ(Sources(strict, false).size(), 1U);
}

TEST(SketchInputs, MayHaveNumbersThatTheInputDoesNotAskFor) {
  TempDir dir;
  Input made = named({dir.write("a.jsonl", "{\"text\":\"a\",\"score\":1}\n")});
  made.number = "score";
  const std::string sketch = make_sketch(made, dir.path("s.sketch"));
  EXPECT_EQ(Sources(named({sketch}), false).size(), 1U);
  Input other = named({sketch});
  other.number = "score";
  EXPECT_EQ(Sources(other, false).size(), 1U);
  other.number = "rank";
  EXPECT_EQ(error_of([&] { Sources(other, false); }).message(),
            "made with number \"score\", the input has \"rank\"; give the same, or sketch it again");
}

/// The current folder is another while this lives.
class CurrentFolder {
 public:
  explicit CurrentFolder(const std::string& path) : before_(fs::current_path()) { fs::current_path(path); }
  ~CurrentFolder() { fs::current_path(before_); }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  fs::path before_;
};

TEST(SketchInputs, FindFilesFromTheCurrentFolderOrFromTheirOwn) {
  TempDir dir;
  dir.write("d/sub/a.lines", "one\ntwo\n");
  dir.write("other/x", "");
  {
    const CurrentFolder here(dir.path("d"));
    make_sketch(named({"sub/a.lines"}), "s.sketch");
    Sources sources(named({"s.sketch"}), true);
    EXPECT_TRUE(sources.next());
    EXPECT_EQ(sources.name(0), "sub/a.lines");
    std::string buffer;
    EXPECT_EQ(sources.read({0, 2, 4, 4}, buffer), "two\n");
  }
  fs::rename(dir.path("d"), dir.path("moved"));
  const CurrentFolder here(dir.path("other"));
  Sources sources(named({"../moved/s.sketch"}), true);
  EXPECT_TRUE(sources.next());
  EXPECT_EQ(sources.name(0), "sub/a.lines");
  std::string buffer;
  EXPECT_EQ(sources.read({0, 2, 4, 4}, buffer), "two\n");
  EXPECT_EQ(listed(named({"../moved/sub/a.lines", "../moved/s.sketch"})), Texts{in("sub/a.lines", "../moved/s.sketch")});
}

TEST(SketchInputs, AreRefusedWhereAFileHasChanged) {
  TempDir dir;
  const std::string a = dir.write("a.lines", "one\n"), sketch = make_sketch(named({a}), dir.path("s.sketch"));
  const auto message = [&](const Input& input) {
    const Error error = error_of([&] {
      Sources sources(input, true);
      sources.next();
    });
    EXPECT_EQ(error.code(), ErrorCode::file);
    EXPECT_EQ(error.subject(), a);
    return error.message();
  };
  const std::string changed = "changed since " + sketch + " was made; sketch it again";
  for (const char* const bytes : {"One\n", "one more\n", ""}) {
    dir.write("a.lines", bytes);
    fs::last_write_time(a, fs::last_write_time(a) + std::chrono::seconds(5));
    EXPECT_EQ(message(named({sketch})), changed);
    EXPECT_EQ(message(named({sketch, a})), changed);
  }
  dir.write("a.lines", "one\n");  // another time, the same content
  Sources sources(named({sketch}), true);
  EXPECT_TRUE(sources.next());
  fs::remove(a);
  EXPECT_EQ(message(named({sketch})),
            "cannot be read: No such file or directory; it was there when " + sketch + " was made: put it back, or sketch it again");
}

TEST(SketchInputs, OfACompressedFileAreRefusedBesideItOnlyWhereItHasChanged) {
  TempDir dir;
  const std::string a = dir.write("a.lines.gz", gzip("one\n")), sketch = make_sketch(named({a}), dir.path("s.sketch"));
  EXPECT_EQ(listed(named({a, sketch})), Texts{in(a, sketch)});
  dir.write("a.lines.gz", gzip("one more\n"));
  EXPECT_EQ(error_of([&] { expand(named({a, sketch})); }).subject(), a);
  EXPECT_EQ(listed(named({sketch})), Texts{in(a, sketch)});
}

TEST(SketchInputs, OfFoldersMayHoldWhatWasLeftOut) {
  TempDir dir;
  dir.write("d/a.txt", "one");
  dir.write("d/b.bin", std::string("\0\1", 2));
  dir.write("d/c.csv", "id,body\n1,x\n");
  dir.write("d/e.txt", "");
  const std::string sketch = make_sketch(named({dir.path("d")}), dir.path("s.sketch"));
  fs::remove(dir.path("d/b.bin"));
  dir.write("d/c.csv", "id,body\n");
  Sources sources(named({sketch}), true);
  EXPECT_TRUE(sources.next());
  EXPECT_FALSE(sources.next());
  std::string buffer;
  EXPECT_EQ(sources.read({0, 1, 0, 3}, buffer), "one");
  EXPECT_EQ(sources.size(), 4U);
}

TEST(SketchInputs, OfAGraphHoldItsNodesAndTakeNoFurtherEdges) {
  TempDir dir;
  const std::string a = dir.write("a.edges", "a b\nb c\n"), more = dir.write("b.edges", "c d\n");
  Sources direct(named({a}), true);
  const Everything all = read_everything(direct);
  const std::string sketch = make_sketch(named({a}), dir.path("s.sketch"));
  Sources sources(named({dir.write("x.sets", "1 2\n"), sketch}), true);
  EXPECT_EQ(all_chunks(sources).size(), 2U);
  EXPECT_EQ(sources.size(), 3U);
  EXPECT_EQ(read_through(sources, 1, all.locations), "a b\nb a c\nc b\n");
  std::string buffer;
  Batch batch;
  Location nodes = all.locations[1];
  ++nodes.source;
  sources.parse_again(nodes, buffer, batch);
  EXPECT_EQ(batch.items.text(0), "a c");
  EXPECT_EQ(listed(named({a, sketch})), (Texts{in(a, sketch), in(a, sketch)}));
  const Error error = error_of([&] { Sources(named({sketch, more}), true); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.message(), "holds the nodes of a graph, which the edges of " + more + " would change; sketch all edges together");
  const std::string other = make_sketch(named({more}), dir.path("t.sketch"));
  EXPECT_EQ(error_of([&] { Sources(named({sketch, other}), true); }).code(), ErrorCode::plan);
}

TEST(SketchInputs, TellTheirFormats) {
  TempDir dir;
  const std::string a = dir.write("a.sets", "1 2\n"), b = dir.write("b.txt", "text");
  const std::string sets = make_sketch(named({a}), dir.path("1.sketch")), texts = make_sketch(named({b}), dir.path("2.sketch"));
  EXPECT_TRUE(reads_sets(named({sets})));
  EXPECT_FALSE(reads_sets(named({sets, texts})));
  EXPECT_EQ(format_of(named({texts})), Format::files);
  EXPECT_EQ(format_of(named({sets, texts})), std::nullopt);
  EXPECT_TRUE(can_be_read_again(named({sets, b})));
  std::string stream;
  {
    const StreamedInput from("{\"text\":\"x\"}\n");
    stream = make_sketch(named({"-"}), dir.path("3.sketch"));
  }
  EXPECT_EQ(format_of(named({stream})), Format::jsonl);
  EXPECT_TRUE(can_be_read_again(named({stream})));
}

TEST(SketchInputs, HaveNoRecordsForReadersOfRecords) {
  TempDir dir;
  const std::string sketch = make_sketch(named({dir.write("a.lines", "one\n")}), dir.path("s.sketch"));
  const Error error = error_of([&] { read_items(named({sketch})); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.subject(), sketch);
}

TEST(SketchInputs, AreSampledByTheirPlainFiles) {
  TempDir dir;
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += "line " + std::to_string(i * 7919LL % 300'000) + "\n";
  const std::string a = dir.write("d/a.lines", bytes), b = dir.write("d/b.lines", "one\ntwo\n"),
                    packed = dir.write("c.lines.gz", gzip("three\n"));
  const std::string sketch = make_sketch(named({dir.path("d")}), dir.path("1.sketch")),
                    other = make_sketch(named({packed}), dir.path("2.sketch"));
  const RecordSample from_files = sample_records(named({dir.path("d")}), 1), from_sketch = sample_records(named({sketch, other}), 1);
  ASSERT_GT(from_files.texts.size(), 1000U);
  ASSERT_EQ(from_sketch.texts.size(), from_files.texts.size());
  EXPECT_EQ(from_sketch.records, from_files.records);
  for (std::size_t i = 0; i < from_files.texts.size(); ++i) ASSERT_EQ(from_sketch.texts[i], from_files.texts[i]);
  EXPECT_EQ(sample_records(named({other}), 1).texts.size(), 0U);
}

TEST(SketchInputs, AreTakenOverByARunThatIsResumed) {
  TempDir dir;
  const std::string a = dir.write("a.lines", "a\n"), b = dir.write("b.lines.gz", gzip("b\n")), c = dir.write("c.lines", "c\n");
  const std::string sketch = make_sketch(named({a, b}), dir.path("s.sketch"));
  const Input input = named({sketch, c});
  Sources first(input, true);
  while (first.next()) continue;
  Sources second(input, true);
  second.go_to({.source = 2}, records_until(first, 2));
  const auto chunk = second.next();
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->bytes, "c\n");
  std::string buffer;
  EXPECT_EQ(second.read({1, 1, 0, 2}, buffer), "b\n");
  Sources third(input, true);
  third.go_to({.source = 0}, {});
  EXPECT_EQ(third.next()->sketch->path(), sketch);
}

TEST(SketchInputs, AreNoScratchFiles) {
  TempDir dir;
  RunFileWriter writer(dir.path("a.run"), {"segment", {1, 1}, ""});
  write_source_records(writer, {}, {});
  writer.finish();
  Error error = error_of([&] { expand(named({dir.path("a.run")})); });
  EXPECT_EQ(error.code(), ErrorCode::file);
  EXPECT_EQ(error.subject(), dir.path("a.run"));
  EXPECT_EQ(error.message(), "is a scratch file of a run, not a sketch file; 'sketch' makes sketch files");
  RunFileWriter other(dir.path("b.run"), {"pairs", {}, ""});
  other.begin(kFirstFreeSection);
  other.finish();
  EXPECT_EQ(error_of([&] { expand(named({dir.path("b.run")})); }).subject(), dir.path("b.run"));
}

TEST(SketchInputs, ThatAreDamagedAnywhereAreNamedOrDoNoHarm) {
  TempDir dir;
  const std::string packed = dir.write("a.lines.gz", gzip("one\ntwo\n"));
  const std::string path = make_sketch(named({packed}), dir.path("s.sketch")), good = dir.read("s.sketch");
  const auto read = [&] {
    Sources sources(named({path}), true);
    std::string buffer;
    return sources.next() ? std::string(sources.read({0, 1, 0, 8}, buffer)) : "";
  };
  ASSERT_EQ(read(), "one\ntwo\n");
  std::size_t refused = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x20);
    dir.write("s.sketch", bad);
    try {
      const std::string bytes = read();
      // Not a run file any more by its first bytes: then it is a file like any other.
      EXPECT_TRUE(bytes == "one\ntwo\n" || bytes.empty() || !RunFile::is_one(path)) << i;
    } catch (const Error& error) {
      ++refused;
      EXPECT_EQ(error.subject(), path) << i << ": " << error.message();
    }
  }
  EXPECT_GT(refused, good.size() / 2);
  for (std::size_t size = 0; size < good.size(); ++size) {
    dir.write("s.sketch", good.substr(0, size));
    if (RunFile::is_one(path)) {
      EXPECT_EQ(error_of([&] { read(); }).subject(), path) << size;
    }
  }
}

TEST(SketchInputs, AreReadWithTheFilesThatTheyWereMadeOf) {
  TempDir dir;
  const std::string a = dir.write("a.lines", "one\n"), b = dir.write("folder/b.txt", "two"), c = dir.write("c.lines", "three\n");
  const std::string sketch = make_sketch(named({a}), dir.path("a.sketch")), list = dir.write("list", c + "\n");
  Input input = named({sketch, dir.path("folder")});
  input.files_from = list;
  EXPECT_EQ(files_of(input), (Texts{b, c, sketch, a}));
  EXPECT_EQ(files_of(named({"-"})), Texts{});
}

TEST(SketchInputs, WithoutTheirBeginningAreNamedUnderAnyName) {
  TempDir dir;
  const std::string text = dir.write("a.lines", "one\n"), sketch = make_sketch(named({text}), dir.path("a.sketch"));
  const std::string good = dir.read("a.sketch"), bad = dir.write("b.lines", "12345678" + good.substr(8));
  EXPECT_EQ(error_of([&] { files_of(named({bad})); }).subject(), bad);
  EXPECT_EQ(files_of(named({sketch})), (Texts{sketch, text}));
  const std::string cut = dir.write("c.lines", "12345678" + good.substr(8, good.size() - 9));  // which nothing tells from a text any more
  EXPECT_EQ(files_of(named({cut})), Texts{cut});
}

TEST(SketchInputs, ThatAreUsedFromAnotherFolderSayWhereTheyLooked) {
  TempDir dir;
  dir.write("a.lines", "one\n");
  const fs::path before = fs::current_path();
  fs::current_path(dir.path());
  fs::create_directory("else");
  make_sketch(named({"a.lines"}), "else/a.sketch");
  fs::current_path(before);
  const std::string sketch = dir.path("else/a.sketch");
  Sources sources(named({sketch}), true);
  const Error error = error_of([&] { sources.next(); });
  EXPECT_EQ(error.subject(), "a.lines");
  for (const std::string& told : {sketch, "looked for from " + before.string(), dir.path("else")}) {
    EXPECT_NE(error.message().find(told), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace nearkin::test::sketch_inputs_test
