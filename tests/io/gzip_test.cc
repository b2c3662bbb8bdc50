// gzip as it comes: many members, with every kind of header, padded, cut short and damaged.
#include <random>

#include "io/bytes/byte_stream.h"
#include "io/io_support.h"

namespace nearkin::test::gzip_test {
namespace {

/// Random, repeating, or both.
std::string some_bytes(std::mt19937& random, std::size_t size) {
  std::string bytes(size, 'a');
  const unsigned alphabet = 1 + random() % 256;
  for (std::size_t i = 0; i < size; ++i) bytes[i] = i > 300 && random() % 4 != 0 ? bytes[i - 300] : static_cast<char>(random() % alphabet);
  return bytes;
}

/// One member, with what a header may have before its end: extra bytes, a name, a comment, a check of the header.
std::string member(std::mt19937& random, const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(
      deflateInit2(&stream, static_cast<int>(random() % 10), Z_DEFLATED, 15 + 16, 8, random() % 5 == 0 ? Z_FIXED : Z_DEFAULT_STRATEGY),
      Z_OK);
  gz_header header{};
  std::string extra(random() % 70000, 'e'), name(random() % 600, 'n'), comment(random() % 600, 'c');
  header.extra = random() % 2 ? reinterpret_cast<Bytef*>(extra.data()) : nullptr;
  header.extra_len = static_cast<uInt>(std::min<std::size_t>(extra.size(), 65535));
  header.name = random() % 2 ? reinterpret_cast<Bytef*>(name.data()) : nullptr;
  header.comment = random() % 2 ? reinterpret_cast<Bytef*>(comment.data()) : nullptr;
  header.hcrc = random() % 2;
  if (random() % 3 == 0) {
    EXPECT_EQ(deflateSetHeader(&stream, &header), Z_OK);
  }
  std::string out(deflateBound(&stream, bytes.size()) + 80000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

// What is read of a file, in pieces of every size.
std::string unpacked_bytes(const std::string& path) {
  ByteStream stream(OpenedFile::open(path, false), path);
  std::string bytes, room(5'000, '\0');
  for (std::size_t size = 1;; size = size * 7 % 4'999 + 1) {
    const std::size_t got = stream.read(room.data(), size);
    bytes.append(room, 0, got);
    if (got < size) return bytes;
  }
}

// The bytes of members one after the other, each of them some lines.
struct Members {
  std::string bytes, packed;
};
Members some_members(std::mt19937& random, int count) {
  Members members;
  for (int i = 0; i < count; ++i) {
    const std::string line = std::string(random() % 200, 'x') + std::to_string(i) + "\n";
    members.bytes += line;
    members.packed += member(random, line);
    if (i % 50 == 0) members.packed += std::string(random() % 600, '\0');
    if (i % 70 == 0) members.packed += member(random, "");
  }
  return members;
}

TEST(GzipInput, OfManyMembersWithPaddingIsOneText) {
  std::mt19937 random(4);
  TempDir dir;
  const Members members = some_members(random, 400);
  EXPECT_EQ(unpacked_bytes(dir.write("d.gz", members.packed)), members.bytes);
  EXPECT_EQ(read_everything(input_of(dir.write("d.txt.gz", members.packed))).texts, Texts{members.bytes});
}

TEST(GzipInput, OfMembersOfEverySizeIsTheirBytes) {
  std::mt19937 random(1);
  TempDir dir;
  for (int run = 0; run < 60; ++run) {
    std::string bytes = some_bytes(random, random() % (run % 10 == 0 ? 300'000 : 3'000));
    std::erase(bytes, '\n');
    const std::string packed = member(random, bytes.substr(0, bytes.size() / 3)) + member(random, bytes.substr(bytes.size() / 3));
    ASSERT_EQ(unpacked_bytes(dir.write("d.gz", packed)), bytes) << run;
  }
}

// A flipped bit is noticed, or was one that says nothing about the bytes (a date, a name, how full the last byte is).
TEST(GzipInput, ThatIsDamagedIsRefusedOrGivesItsBytesAllTheSame) {
  std::mt19937 random(3);
  TempDir dir;
  std::size_t refused = 0, runs = 600;
  for (std::size_t run = 0; run < runs; ++run) {
    const std::string bytes = some_bytes(random, 20 + random() % 2'000);
    std::string packed = gzip(bytes);
    const std::size_t place = 3 + random() % (packed.size() - 3);  // the two bytes before are what shows that it is gzip
    packed[place] = static_cast<char>(packed[place] ^ 1 << random() % 8);
    try {
      ASSERT_EQ(unpacked_bytes(dir.write("d.gz", packed)), bytes) << run;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("compressed data"), std::string::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, runs * 8 / 10);
}

TEST(GzipInput, ThatIsCutShortIsRefused) {
  std::mt19937 random(2);
  TempDir dir;
  for (int run = 0; run < 10; ++run) {
    const std::string packed = member(random, some_bytes(random, random() % 400));
    for (std::size_t cut = 3; cut < packed.size(); cut += 1 + packed.size() / 40)
      EXPECT_THROW(unpacked_bytes(dir.write("d.gz", packed.substr(0, cut))), Error) << run << ' ' << cut;
  }
}

}  // namespace
}  // namespace nearkin::test::gzip_test
