// Dense vectors: lines of numbers, .npy, IDX, .fvecs, .bvecs.
#include <bit>
#include <cstring>
#include <limits>

#include "io/io_support.h"
#include "io/source/chunker.h"

namespace nearkin::test::dense_test {
namespace {

template <typename T>
std::string bytes_of(T value, bool big_endian = false) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  if (big_endian != (std::endian::native == std::endian::big)) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

template <typename T>
std::string numbers(const std::vector<T>& values, bool big_endian = false) {
  std::string bytes;
  for (const T value : values) bytes += bytes_of(value, big_endian);
  return bytes;
}

std::string npy(const std::string& descr, const std::string& shape, std::string_view data, const std::string& order = "False",
                int version = 1) {
  std::string dictionary = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  bytes += version == 1 ? bytes_of(static_cast<std::uint16_t>(dictionary.size())) : bytes_of(static_cast<std::uint32_t>(dictionary.size()));
  return bytes + dictionary + std::string(data);
}

std::string idx(char type, const std::vector<std::uint32_t>& sizes, std::string_view data) {
  const char magic[] = {0, 0, type, static_cast<char>(sizes.size())};
  return std::string(magic, 4) + numbers(sizes, true) + std::string(data);
}

template <typename T>
std::string vecs(const std::vector<std::vector<T>>& rows) {
  std::string bytes;
  for (const auto& row : rows) bytes += bytes_of(static_cast<std::int32_t>(row.size())) + numbers(row);
  return bytes;
}

class Dense : public testing::Test {
 protected:
  Everything read(const std::string& name, std::string_view bytes) { return read_everything(input_of(dir.write(name, bytes))); }
  Everything read_text(std::string_view bytes) { return read_everything(input_of(dir.write("t.csv", bytes), Format::dense)); }
  std::string refused(const std::string& name, std::string_view bytes) {
    const Error error = error_of([&] { read(name, bytes); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(error.subject(), dir.path(name));
    return error.message();
  }
  TempDir dir;
};

// ---- text

TEST_F(Dense, LinesHaveTheirNumbersBetweenCommasSemicolonsTabsOrBlanks) {
  const Everything all = read_text("1,2.5,-3e1\n4 ; +5;6\r\n7\t8\t9\n\n# comment\n 1   2  3 \n1, 2, 3\t");
  EXPECT_EQ(all.vectors, (Texts{"1 2.5 -30", "4 5 6", "7 8 9", "1 2 3", "1 2 3"}));
  const std::string path = dir.path("t.csv");
  EXPECT_EQ(all.ids, (Texts{path + ":1", path + ":2", path + ":3", path + ":6", path + ":7"}));
  EXPECT_EQ(all.faults.count, 0U);
}

TEST_F(Dense, LinesMayHaveAHeaderAndAnIdColumn) {
  Sources sources(input_of(dir.write("t.csv", "\n# about\nx,id,\"the y\"\n1,a b,2\n3,\"c,d\",4\n"), Format::dense), true);
  const Everything all = read_everything(sources);
  EXPECT_EQ(sources.header(0), "\n# about\nx,id,\"the y\"\n");
  EXPECT_EQ(all.ids, (Texts{"a b", "c,d"}));
  EXPECT_EQ(all.vectors, (Texts{"1 2", "3 4"}));
  EXPECT_EQ(all.locations[0].line, 4U);
  EXPECT_FALSE(sources.is_binary(0));
  EXPECT_EQ(header_for(sources, 0, 1), "");
}

TEST_F(Dense, LinesWithoutAnIdColumnAreNamedByTheirPlace) {
  const Everything all = read_text("x y\n1 2\n");
  EXPECT_EQ(all.ids, Texts{dir.path("t.csv:2")});
  EXPECT_EQ(all.vectors, Texts{"1 2"});
}

TEST_F(Dense, AFirstColumnWithoutANameNumbersTheRows) {
  const Everything all = read_text(",0,1\n7,0.5,0.25\n");
  EXPECT_EQ(all.ids, Texts{"7"});
  EXPECT_EQ(all.vectors, Texts{"0.5 0.25"});
}

TEST_F(Dense, TheIdColumnMayBeNamedNumberedOrFirst) {
  Input input = input_of(dir.write("t.txt", "name x\na 1\n"), Format::dense);
  input.id = "name";
  EXPECT_EQ(read_everything(input).ids, Texts{"a"});
  input.id = "other";
  EXPECT_EQ(error_of([&] { read_everything(input); }).code(), ErrorCode::data);
  input = input_of(dir.write("u.txt", "1|a|2\n3|b|4\n"), Format::dense);
  input.separator = '|';
  input.header = false;
  input.id = "2";
  EXPECT_EQ(read_everything(input).ids, (Texts{"a", "b"}));
  EXPECT_EQ(read_everything(input).vectors, (Texts{"1 2", "3 4"}));
  input.id = "x";
  EXPECT_EQ(error_of([&] { read_everything(input); }).message(),
            "no column \"x\"; without a header line columns are called 1, 2, 3 and so on");
  input = input_of(dir.write("v.txt", "the 0.5 1\nof 2 3\n"), Format::dense);
  input.id = "first-word";
  EXPECT_EQ(read_everything(input).ids, (Texts{"the", "of"}));
}

TEST_F(Dense, LinesAtFaultAreNamedWithTheFieldAndWhatItSays) {
  const auto fault = [&](const std::string& line) {
    const Everything all = read_text("1,2\n" + line + "\n3,4\n");
    EXPECT_EQ(all.vectors, (Texts{"1 2", "3 4"}));
    return all.faults.first.empty() ? "" : all.faults.first[0].where == dir.path("t.csv:2") ? first_fault(all) : "wrong place";
  };
  EXPECT_EQ(fault("1,x"), "field 2 is \"x\"; a number is expected");
  EXPECT_EQ(fault("1,2x"), "field 2 is \"2x\"; a number is expected");
  EXPECT_EQ(fault("1,,2"), "field 2 is empty; a number is expected");
  EXPECT_EQ(fault("1,2,"), "field 3 is empty; a number is expected");
  EXPECT_EQ(fault(",1"), "field 1 is empty; a number is expected");
  EXPECT_EQ(fault("1,5;2,5"), "field 2 is \"5;2\"; a number is expected");
  EXPECT_EQ(fault("1,2 3"), "field 2 is \"2 3\"; a number is expected");
  EXPECT_EQ(fault("1,nan"), "field 2 is \"nan\", which is not finite");
  EXPECT_EQ(fault("-inf,2"), "field 1 is \"-inf\", which is not finite");
  EXPECT_EQ(fault("1,3.5e38"), "field 2 is \"3.5e38\", beyond ±3.4e38");
  EXPECT_EQ(fault("1,01e99"), "field 2 is \"01e99\", beyond ±3.4e38");
  EXPECT_EQ(fault("1,0x10"), "field 2 is \"0x10\"; a number is expected");
}

TEST_F(Dense, AFirstLineThatLacksANumberIsAFaultNotAHeader) {
  const Everything all = read_text("1,,3\n4,5,6\n");
  EXPECT_EQ(all.faults.count, 1U);
  EXPECT_EQ(all.vectors, Texts{"4 5 6"});
}

TEST_F(Dense, NumbersTooSmallForAFloatAreZero) {
  EXPECT_EQ(read_text("1e-60 -1e-60 0." + std::string(80, '0') + "1 1e-999 5\n").vectors, Texts{"0 0 0 0 5"});
}

TEST_F(Dense, LinesKeepRecordsOfEveryLength) { EXPECT_EQ(read_text("1 2\n3\n4 5 6\n").vectors, (Texts{"1 2", "3", "4 5 6"})); }

TEST_F(Dense, LinesAreTheSameAcrossChunksPackedAndFromStandardInput) {
  std::string bytes = "id,x,y,z\n";
  for (int i = 0; bytes.size() < 3 * kChunkBytes; ++i) {
    bytes += "row" + std::to_string(i) + "," + std::to_string(i) + "," + std::to_string(i * 0.5) + (i % 5000 == 7 ? ",bad\n" : ",-1\n");
  }
  const std::string plain = dir.write("t.txt", bytes);
  const Everything expected = read_everything(input_of(plain, Format::dense));
  EXPECT_GT(expected.faults.count, 5U);
  const StandardInput in(plain);
  for (const std::string& path : {plain, dir.write("t.txt.gz", gzip(bytes)), dir.write("t.txt.zst", zstd(bytes)), std::string("-")}) {
    Sources sources(input_of(path, Format::dense), true);
    const Everything all = read_everything(sources);
    EXPECT_TRUE(all.ids == expected.ids && all.vectors == expected.vectors);
    EXPECT_TRUE(all_bytes(sources, all) == bytes);
  }
}

TEST_F(Dense, LinesCutShortGiveWhatIsThere) {
  Input input = input_of("", Format::dense);
  const std::vector<std::size_t> items = cut_at_every_byte(dir, "t.csv", "id,x\na,1\nb,\"2\n", input);
  for (const std::size_t count : items) EXPECT_LE(count, 1U);
  EXPECT_EQ(items[9], 1U);
}

// ---- .npy

TEST_F(Dense, NpyRowsAreItemsNamedByTheirNumberFromZero) {
  const std::string path = dir.write("a.npy", npy("<f4", "(2, 3)", numbers<float>({1, 2.5F, -3, 4, 5, 6})));
  Sources sources(input_of(path), true);
  const Everything all = read_everything(sources);
  EXPECT_EQ(all.ids, (Texts{path + ":0", path + ":1"}));
  EXPECT_EQ(all.vectors, (Texts{"1 2.5 -3", "4 5 6"}));
  EXPECT_EQ(all.locations[1].line, 1U);
  EXPECT_TRUE(sources.is_binary(0));
  EXPECT_TRUE(all_bytes(sources, all) == dir.read("a.npy"));
}

TEST_F(Dense, NpyTakesAllTypesOfNumbers) {
  const auto row = [&](const std::string& type, std::string_view data) { return read("a.npy", npy(type, "(1, 2)", data)).vectors; };
  EXPECT_EQ(row("|u1", numbers<std::uint8_t>({0, 255})), Texts{"0 255"});
  EXPECT_EQ(row("|b1", numbers<std::uint8_t>({0, 1})), Texts{"0 1"});
  EXPECT_EQ(row("|i1", numbers<std::int8_t>({-128, 127})), Texts{"-128 127"});
  EXPECT_EQ(row("<u2", numbers<std::uint16_t>({1, 65535})), Texts{"1 65535"});
  EXPECT_EQ(row("<i2", numbers<std::int16_t>({-32768, 1})), Texts{"-32768 1"});
  EXPECT_EQ(row("<u4", numbers<std::uint32_t>({1, 1U << 31})), Texts{"1 2147483648"});
  EXPECT_EQ(row("<i4", numbers<std::int32_t>({-5, 1 << 30})), Texts{"-5 1073741824"});
  EXPECT_EQ(row("<u8", numbers<std::uint64_t>({1, std::uint64_t{1} << 40})), Texts{"1 1099511627776"});
  EXPECT_EQ(row("<i8", numbers<std::int64_t>({-1, 7})), Texts{"-1 7"});
  EXPECT_EQ(row("<f8", numbers<double>({0.5, 1e-300})), Texts{"0.5 0"});
  // 0x3C00 is 1, 0xC100 is -2.5; then the smallest and the largest half.
  EXPECT_EQ(row("<f2", numbers<std::uint16_t>({0x3C00, 0xC100})), Texts{"1 -2.5"});
  EXPECT_EQ(row("<f2", numbers<std::uint16_t>({0x0001, 0x7BFF})), Texts{"5.9604644775390625e-08 65504"});
}

TEST_F(Dense, NpyFlattensFurtherDimensionsAndReadsEveryVersion) {
  const std::string eight = numbers<std::uint8_t>({1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(read("a.npy", npy("|u1", "(2, 2, 2)", eight, "False", 2)).vectors, (Texts{"1 2 3 4", "5 6 7 8"}));
  EXPECT_EQ(read("a.npy", npy("|u1", "(1L,2L)", numbers<std::uint8_t>({1, 2}), "False", 3)).vectors, Texts{"1 2"});
  EXPECT_TRUE(read("a.npy", npy("|u1", "(0, 2)", "")).ids.empty());
}

TEST_F(Dense, NpyIsKnownByItsFirstBytesWhateverItsName) {
  const std::string bytes = npy("|u1", "(1, 2)", numbers<std::uint8_t>({1, 2}));
  const StandardInput in(dir.write("a.bin", bytes));
  EXPECT_EQ(read_everything(input_of(dir.path("a.bin"), Format::dense)).vectors, Texts{"1 2"});
  EXPECT_EQ(read_everything(input_of("-", Format::dense)).vectors, Texts{"1 2"});
  EXPECT_EQ(read("a.npy.gz", gzip(bytes)).vectors, Texts{"1 2"});
}

TEST_F(Dense, NpyIsNotTakenForText) {
  const std::string path = dir.write("a.lines", npy("|u1", "(1, 2)", numbers<std::uint8_t>({1, 2})));
  EXPECT_EQ(error_of([&] { read_everything(input_of(path)); }).message(), "looks like a NumPy array; read it with format dense");
}

TEST_F(Dense, NpyHeadersThatCannotBeReadAreNamed) {
  EXPECT_EQ(refused("a.npy", npy(">f4", "(1, 1)", "1234")),
            "its numbers are big-endian (>f4); save it as little-endian, with a.astype('<f4')");
  EXPECT_EQ(refused("a.npy", npy("<f4", "(1, 1)", "1234", "True")),
            "its rows are not together (fortran_order); save it in C order, with numpy.ascontiguousarray");
  EXPECT_EQ(refused("a.npy", npy("<c8", "(1, 1)", "12345678")),
            "numbers of type \"<c8\" are not supported; save it as float32, with a.astype('<f4')");
  EXPECT_EQ(refused("a.npy", npy("|O", "(1, 1)", "")),
            "numbers of type \"|O\" are not supported; save it as float32, with a.astype('<f4')");
  EXPECT_EQ(refused("a.npy", npy("<f4", "(5,)", "")),
            "its shape has one dimension; it needs two, items and numbers: a.reshape(-1, 1) makes items of one number");
  EXPECT_EQ(refused("a.npy", npy("<f4", "(5, 0)", "")), "its rows have 0 numbers; a row has 1 to 16,777,216");
  EXPECT_EQ(refused("a.npy", npy("<f4", "(1, 4294967296, 4294967296)", "")), "its rows have more than 16,777,216 numbers");
  EXPECT_EQ(refused("a.npy", npy("<f4", "(-1, 5)", "")), "its .npy header has no descr, fortran_order and shape that can be read");
  EXPECT_EQ(refused("a.npy", npy("<f4", "(1, 99999999999999999999)", "")),
            "its .npy header has no descr, fortran_order and shape that can be read");
  EXPECT_EQ(refused("a.npy", npy("<f4", "(1, 1)", "", "False", 9)), ".npy version 9 is not supported; versions 1 to 3 are");
  EXPECT_EQ(refused("a.npy", "no header"), "is no .npy file; such a file begins with \\x93NUMPY");
  EXPECT_EQ(refused("a.npy", ""), "is empty; a .npy file has a header");
  EXPECT_EQ(refused("a.npy", std::string("\x93NUMPY\2\0\xFF\xFF\xFF\xFF", 12)),
            "a .npy header of 4294967295 bytes is too long; up to 65,524 are read");
}

TEST_F(Dense, NpyOfAnotherSizeThanItsHeaderSaysLosesTheRest) {
  const auto problem = [&](std::string_view data) {
    const Everything all = read("a.npy", npy("<f4", "(3, 2)", data));
    EXPECT_EQ(all.faults.count, all.faults.first.size());
    return std::pair(all.ids.size(), all.faults.first.empty() ? "" : all.faults.first[0].message);
  };
  const std::string data = numbers<float>({1, 2, 3, 4, 5, 6});
  using Result = std::pair<std::size_t, std::string>;
  EXPECT_EQ(problem(data), (Result{3, ""}));
  EXPECT_EQ(problem(data + "x"), (Result{3, "the header says 3 rows, more bytes follow them; the rest is skipped"}));
  EXPECT_EQ(problem(data.substr(0, 16)), (Result{2, "the header says 3 rows, the file ends after 2; the rest is skipped"}));
  EXPECT_EQ(problem(data.substr(0, 13)),
            (Result{1, "row 1: the file ends after 5 of its 8 bytes; the header says 3 rows; the rest is skipped"}));
  EXPECT_EQ(problem(""), (Result{0, "the header says 3 rows, the file ends after 0; skipped"}));
}

TEST_F(Dense, AHugeNumberOfRowsInAHeaderCostsNothing) {
  const Everything all = read("a.npy", npy("<f8", "(18446744073709551615, 16777216)", "12345678"));
  EXPECT_TRUE(all.ids.empty());
  EXPECT_EQ(all.faults.count, 1U);
  EXPECT_EQ(read("b.idx", idx(0x0E, {0xFFFFFFFF, 4096, 4096}, "1234")).faults.count, 1U);
}

TEST_F(Dense, NumbersThatAreNoFiniteFloatsAreFaultsOfTheirRows) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const std::string data = numbers<double>({1, nan, 2, 3, -infinity, 1, 1, 1e39, 3.4028234663852886e38, 5});
  const std::string path = dir.write("a.npy", npy("<f8", "(5, 2)", data));
  const Everything all = read_everything(input_of(path));
  EXPECT_EQ(all.ids, (Texts{path + ":1", path + ":4"}));
  ASSERT_EQ(all.faults.count, 3U);
  EXPECT_EQ(all.faults.first[0].where, path + ":0");
  EXPECT_EQ(all.faults.first[0].message, "number 2 is not a number (NaN); record skipped");
  EXPECT_EQ(all.faults.first[1].message, "number 1 is minus infinite; record skipped");
  EXPECT_EQ(all.faults.first[2].message, "number 2 is 1e+39, beyond ±3.4e38; record skipped");
  EXPECT_EQ(read("h.npy", npy("<f2", "(1, 1)", numbers<std::uint16_t>({0x7C00}))).faults.count, 1U);
  Input strict = input_of(path);
  strict.strict = true;
  EXPECT_EQ(error_of([&] { read_everything(strict); }).subject(), path + ":0");
}

TEST_F(Dense, NpyCutShortAnywhereIsNamed) {
  const std::string bytes = npy("<f4", "(2, 2)", numbers<float>({1, 2, 3, 4}));
  const std::vector<std::size_t> items = cut_at_every_byte(dir, "a.npy", bytes);
  for (std::size_t size = 0; size < items.size(); ++size) {
    EXPECT_EQ(items[size], size < bytes.size() - 8 ? 0U : size < bytes.size() ? 1U : 2U) << size;
  }
}

TEST_F(Dense, DamagedNpyHeadersNeverDoWorseThanAnError) {
  const std::string bytes = npy("<f4", "(2, 2)", numbers<float>({1, 2, 3, 4}));
  for (std::size_t at = 0; at < 80; ++at) {
    for (const char c : {'\0', '\xFF', '(', '}', '\'', ',', '9'}) {
      std::string damaged = bytes;
      damaged[at] = c;
      try {
        read("a.npy", damaged);
      } catch (const Error& error) {
        EXPECT_FALSE(error.message().empty());
      }
    }
  }
}

TEST_F(Dense, HeadersAreWrittenForAnotherNumberOfRows) {
  for (const int version : {1, 2}) {
    const std::string data = numbers<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    Sources sources(input_of(dir.write("a.npy", npy("<f4", "(3,2,2)", data, "False", version))), true);
    read_everything(sources);
    const std::string header = header_for(sources, 0, 1000000);
    EXPECT_EQ(header.size() % 64, 0U);
    EXPECT_EQ(header.back(), '\n');
    EXPECT_NE(header.find("'shape': (1000000, 2, 2), }"), std::string::npos);
    EXPECT_EQ(read("b.npy", header_for(sources, 0, 2) + data.substr(0, 32)).vectors, (Texts{"1 2 3 4", "5 6 7 8"}));
    EXPECT_EQ(read("b.npy", header_for(sources, 0, 2) + data.substr(0, 32)).faults.count, 0U);
  }
  Sources sources(input_of(dir.write("a.idx", idx(8, {2, 2}, "abcd"))), true);
  read_everything(sources);
  EXPECT_EQ(header_for(sources, 0, 1), idx(8, {1, 2}, ""));
  Sources vectors(input_of(dir.write("a.bvecs", vecs<std::uint8_t>({{1, 2}}))), true);
  read_everything(vectors);
  EXPECT_EQ(header_for(vectors, 0, 1), "");
}

// ---- IDX

TEST_F(Dense, IdxTakesAllItsTypesBigEndian) {
  EXPECT_EQ(read("train-images-idx3-ubyte", idx(0x08, {2, 2, 1}, "\x01\x02\x03\xFF")).vectors, (Texts{"1 2", "3 255"}));
  EXPECT_EQ(read("a.idx1-ubyte", idx(0x08, {2}, "\x01\x02")).vectors, (Texts{"1", "2"}));
  EXPECT_EQ(read("a.idx", idx(0x09, {1, 2}, "\x01\xFF")).vectors, Texts{"1 -1"});
  EXPECT_EQ(read("a.idx", idx(0x0B, {1, 2}, numbers<std::int16_t>({-2, 300}, true))).vectors, Texts{"-2 300"});
  EXPECT_EQ(read("a.idx", idx(0x0C, {1, 2}, numbers<std::int32_t>({-2, 70000}, true))).vectors, Texts{"-2 70000"});
  EXPECT_EQ(read("a.idx", idx(0x0D, {1, 2}, numbers<float>({0.5F, -1}, true))).vectors, Texts{"0.5 -1"});
  EXPECT_EQ(read("a.idx", idx(0x0E, {1, 2}, numbers<double>({0.25, 9}, true))).vectors, Texts{"0.25 9"});
}

TEST_F(Dense, IdxIsReadPackedAndByItsFirstBytes) {
  const std::string bytes = idx(8, {2, 2}, "\x01\x02\x03\x04");
  EXPECT_EQ(read("t10k-images-idx3-ubyte.gz", gzip(bytes)).vectors, (Texts{"1 2", "3 4"}));
  EXPECT_EQ(read_everything(input_of(dir.write("plain", bytes), Format::dense)).vectors, (Texts{"1 2", "3 4"}));
  const Everything all = read("a.idx", bytes);
  EXPECT_EQ(all.ids, (Texts{dir.path("a.idx:0"), dir.path("a.idx:1")}));
  EXPECT_EQ(all.locations[0].offset, 12U);
}

TEST_F(Dense, IdxThatIsNoneIsNamed) {
  EXPECT_EQ(refused("a.idx", "text"), "is no IDX file; such a file begins with two zero bytes, a type and a number of dimensions");
  EXPECT_EQ(refused("a.idx", std::string("\0\0\x08\x03\0\0", 6)), "ends within its IDX header");
  EXPECT_EQ(refused("a.idx", idx(8, {2, 0}, "")), "its rows have 0 numbers; a row has 1 to 16,777,216");
  const std::string bytes = idx(8, {3, 2}, "abcdef");
  const std::vector<std::size_t> items = cut_at_every_byte(dir, "a.idx", bytes);
  for (std::size_t size = 0; size < items.size(); ++size) EXPECT_EQ(items[size], size < 12 ? 0 : (size - 12) / 2);
}

// ---- .fvecs, .bvecs

TEST_F(Dense, FvecsAndBvecsHaveTheirLengthInFront) {
  const std::string path = dir.write("a.fvecs", vecs<float>({{1, 2.5F}, {-3, 4}}));
  Sources sources(input_of(path), true);
  const Everything all = read_everything(sources);
  EXPECT_EQ(all.ids, (Texts{path + ":0", path + ":1"}));
  EXPECT_EQ(all.vectors, (Texts{"1 2.5", "-3 4"}));
  EXPECT_TRUE(all_bytes(sources, all) == dir.read("a.fvecs"));
  EXPECT_EQ(read("a.bvecs.gz", gzip(vecs<std::uint8_t>({{1, 2, 255}, {7}}))).vectors, (Texts{"1 2 255", "7"}));
  EXPECT_TRUE(read("empty.fvecs", "").ids.empty());
}

TEST_F(Dense, FvecsMayBeginAsOtherFilesDo) {
  // 65279 numbers: the bytes of a UTF-16 mark.
  EXPECT_EQ(read("a.bvecs", vecs<std::uint8_t>({std::vector<std::uint8_t>(65279, 1)})).ids.size(), 1U);
}

TEST_F(Dense, FvecsWithALengthThatIsNoneLoseTheRest) {
  const auto problem = [&](std::string_view end) {
    const Everything all = read("a.fvecs", vecs<float>({{1, 2}}) + std::string(end));
    EXPECT_EQ(all.ids.size(), 1U);
    return first_fault(all);
  };
  EXPECT_EQ(problem(bytes_of<std::int32_t>(-3) + std::string(3 * kChunkBytes, 'x')),
            "row 1: -3 numbers; a row has 1 to 16777216; the rest is skipped");
  EXPECT_EQ(problem(bytes_of<std::int32_t>(0)), "row 1: 0 numbers; a row has 1 to 16777216; the rest is skipped");
  EXPECT_EQ(problem(bytes_of<std::int32_t>(1 << 25)), "row 1: 33554432 numbers; a row has 1 to 16777216; the rest is skipped");
  EXPECT_EQ(problem(bytes_of<std::int32_t>(2) + "1234567"), "row 1: the file ends after 11 of its 12 bytes; the rest is skipped");
  EXPECT_EQ(problem("xyz"), "row 1: the file ends within its length; the rest is skipped");
  Input strict = input_of(dir.write("b.fvecs", "xyz"));
  strict.strict = true;
  EXPECT_EQ(error_of([&] { read_everything(strict); }).subject(), dir.path("b.fvecs"));
}

TEST_F(Dense, FvecsCutShortAnywhereKeepTheirWholeRows) {
  const std::vector<std::size_t> items = cut_at_every_byte(dir, "a.fvecs", vecs<float>({{1, 2}, {3, 4}, {5, 6}}));
  for (std::size_t size = 0; size < items.size(); ++size) EXPECT_EQ(items[size], size / 12);
}

TEST_F(Dense, ADamagedFileMetInAFolderIsAFault) {
  dir.write("d/a.npy", "no header");
  dir.write("d/b.fvecs", vecs<float>({{1}}));
  const Everything all = read_everything(input_of(dir.path("d")));
  EXPECT_EQ(all.vectors, Texts{"1"});
  ASSERT_EQ(all.faults.count, 1U);
  EXPECT_EQ(all.faults.first[0].where, dir.path("d/a.npy"));
}

// Rows of 1,000 numbers do not end where chunks do; one row is longer than a chunk.
TEST_F(Dense, RowsAreTheSameAcrossChunksPackedAndFromStandardInput) {
  std::vector<std::vector<float>> rows(700, std::vector<float>(1000));
  std::string data;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < 1000; ++j) rows[i][j] = static_cast<float>(i * 1000 + j);
    data += numbers(rows[i]);
  }
  const std::string fixed = npy("<f4", "(700, 1000)", data);
  rows.emplace_back(600000, 1.0F);
  rows.emplace_back(1000, 2.0F);
  const std::string prefixed = vecs(rows);
  const auto check = [&](const std::string& bytes, const std::string& path, std::size_t count) {
    Sources sources(input_of(path, Format::dense), true);
    const Everything all = read_everything(sources);
    EXPECT_GT(all.chunks, 2U);
    ASSERT_EQ(all.ids.size(), count);
    EXPECT_EQ(all.faults.count, 0U);
    EXPECT_TRUE(all_bytes(sources, all) == bytes);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(all.locations[i].line, i);
      ASSERT_EQ(all.ids[i], path + ":" + std::to_string(i));
    }
    for (const std::size_t i : {std::size_t{0}, std::size_t{262}, std::size_t{699}}) {
      EXPECT_EQ(all.vectors[i].substr(0, all.vectors[i].find(' ')), std::to_string(i * 1000));
    }
    std::string buffer;
    Batch batch;
    sources.parse_again(all.locations[500], buffer, batch);
    EXPECT_EQ(shown_vector(batch, 0), all.vectors[500]);
  };
  check(fixed, dir.write("a.npy", fixed), 700);
  check(fixed, dir.write("a.npy.zst", zstd(fixed)), 700);
  check(prefixed, dir.write("a.fvecs", prefixed), 702);
  check(prefixed, dir.write("a.fvecs.gz", gzip(prefixed)), 702);
  const StandardInput in(dir.path("a.npy"));
  check(fixed, "-", 700);
}

}  // namespace
}  // namespace nearkin::test::dense_test
