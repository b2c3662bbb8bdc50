#include "io/formats/warc.h"

#include "io/io_support.h"

namespace nearkin::test::warc_test {
namespace {

/// A record of WARC with these lines in its header.
std::string record(const std::string& lines, const std::string& content, const std::string& ends = "\r\n\r\n") {
  return "WARC/1.0\r\n" + lines + "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content + ends;
}

std::string response(const std::string& id, const std::string& headers, const std::string& body) {
  return record("WARC-Type: response\r\nWARC-Target-URI: " + id + "\r\nContent-Type: application/http; msgtype=response\r\n",
                "HTTP/1.1 200 OK\r\n" + headers + "\r\n" + body);
}

std::string page(const std::string& id, const std::string& body) { return response(id, "Content-Type: text/html\r\n", body); }

Everything read(const std::string& bytes, const char* name = "a.warc") {
  static const TempDir dir;
  return read_everything(input_of(dir.write(name, bytes)), true);
}

TEST(Warc, TextsAreItems) {
  const std::string info = record("WARC-Type: warcinfo\r\nContent-Type: application/warc-fields\r\n", "software: none\r\n");
  const std::string request =
      record("WARC-Type: request\r\nWARC-Target-URI: http://a\r\nContent-Type: application/http\r\n", "GET / HTTP/1.1\r\n\r\n");
  const std::string picture = response("http://p", "Content-Type: image/png\r\n", std::string("\x89PNG\0", 5));
  const std::string wet = record("WARC-Type: conversion\r\nWARC-Target-URI: <http://w>\r\nContent-Type: text/plain\r\n", "a < b\n");
  const std::string resource = record("WARC-Type: resource\r\nWARC-Target-URI: file:///r\r\nContent-Type: text/html\r\n", "<b>r</b>");
  const std::string dns = record("WARC-Type: response\r\nWARC-Target-URI: dns:a\r\nContent-Type: text/dns\r\n", "20200101\n");
  const std::string all = info + request + page("http://a", "<p>one<p>two") + picture + wet + dns + resource;
  const Everything got = read(all);
  EXPECT_EQ(got.ids, (Texts{"http://a", "http://w", "file:///r"}));
  EXPECT_EQ(got.texts, (Texts{"one\n\ntwo", "a < b\n", "r"}));
  EXPECT_EQ(got.faults.count, 0U);
  for (const Location& location : got.locations) EXPECT_TRUE(all.substr(location.offset, location.length).starts_with(kWarcMark));
  EXPECT_EQ(got.locations[0].line, 3U);
}

TEST(Warc, IsKnownByItsContentToo) {
  EXPECT_EQ(read(page("http://a", "x"), "noname").ids, (Texts{"http://a"}));
  EXPECT_EQ(read(gzip(page("http://a", "x")) + gzip(page("http://b", "y")), "a.warc.gz").ids, (Texts{"http://a", "http://b"}));
  EXPECT_EQ(read(gzip(page("http://a", "x")), "a.warc.wet.gz").ids, (Texts{"http://a"}));
}

TEST(Warc, BodiesAreDecoded) {
  const std::string type = "content-TYPE: text/html\r\n";
  EXPECT_EQ(read(response("a", type + "Transfer-Encoding: chunked\r\n", "3\r\n<p>\r\n5;x=y\r\nhello\r\n0\r\n\r\n")).texts,
            (Texts{"hello"}));
  EXPECT_EQ(read(response("a", type + "Transfer-Encoding: chunked\r\n", "<p>joined before")).texts, (Texts{"joined before"}));
  EXPECT_EQ(read(response("a", type + "Content-Encoding: gzip\r\n", gzip("<p>packed"))).texts, (Texts{"packed"}));
  EXPECT_EQ(read(response("a", type + "Content-Encoding: gzip\r\n", "<p>unpacked before")).texts, (Texts{"unpacked before"}));
  const Everything bad = read(response("a", type + "Content-Encoding: br\r\n", "xyz") + page("b", "y"));
  EXPECT_EQ(bad.ids, (Texts{"b"}));
  ASSERT_EQ(bad.faults.count, 1U);
  EXPECT_EQ(bad.faults.first[0].message, "the record at byte 0: its content coding \"br\" is not supported; record skipped");
}

TEST(Warc, ABombIsNotUnpackedBeyondItsBound) {
  const std::string bomb = gzip(std::string(100 << 20, 'a'));
  const Everything got = read(response("a", "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n", bomb));
  EXPECT_TRUE(got.ids.empty());
  EXPECT_EQ(got.faults.count, 1U);
}

TEST(Warc, CharsetsComeFromMarkHeaderAndPage) {
  EXPECT_EQ(read(response("a", "Content-Type: text/html; charset=iso-8859-1\r\n", "caf\xE9")).texts, (Texts{"café"}));
  EXPECT_EQ(read(page("a", "<meta charset=koi8-r>\xC4\xC1")).texts, (Texts{"да"}));
  EXPECT_EQ(read(response("a", "Content-Type: text/html; charset=koi8-r\r\n",
                          "\xEF\xBB\xBF"
                          "caf\xC3\xA9"))
                .texts,
            (Texts{"café"}));
  EXPECT_EQ(read(page("a", "caf\xE9!")).texts, (Texts{"caf\uFFFD!"}));
  const std::string high("\0d\0a", 4), low("d\0a\0", 4);
  EXPECT_EQ(read(response("a", "Content-Type: text/html; charset=utf-16be\r\n", high)).texts, (Texts{"da"}));
  EXPECT_EQ(read(response("a", "Content-Type: text/html; charset=UTF-16LE\r\n", low)).texts, (Texts{"da"}));
  EXPECT_EQ(read(page("a", "<meta charset=utf-16>caf\xC3\xA9")).texts, (Texts{"café"})) << "it could not be read if it were so";
  EXPECT_EQ(read(response("a", "Content-Type: text/plain; charset=iso-8859-8-i\r\n", "\xE0")).texts, (Texts{"א"}));
}

TEST(Warc, BinaryDataThatIsDeclaredAsTextIsAFault) {
  const Everything got = read(page("a", std::string("x\0y", 3)) + page("b", "z"));
  EXPECT_EQ(got.ids, (Texts{"b"}));
  ASSERT_EQ(got.faults.count, 1U);
  EXPECT_TRUE(got.faults.first[0].message.find("NUL byte") != std::string::npos) << got.faults.first[0].message;
}

TEST(Warc, BrokenRecordsAreNamedAndTheNextIsFound) {
  const std::string good = page("good", "x");
  const std::string no_length = "WARC/1.0\r\nWARC-Type: response\r\n\r\n";
  for (const std::string& broken :
       {std::string("garbage\r\n"), no_length, "WARC/1.0\r\nContent-Length: x\r\n\r\n" + std::string(3'000'000, 'y') + "\r\n"}) {
    const Everything got = read(good + broken + page("after", "z"));
    EXPECT_EQ(got.ids, (Texts{"good", "after"})) << broken.substr(0, 40);
    EXPECT_GE(got.faults.count, 1U);
    EXPECT_TRUE(got.faults.first[0].message.starts_with("the record at byte " + std::to_string(good.size()) + ": "))
        << got.faults.first[0].message;
  }
  const Everything cut = read(good + page("after", "zzzz").substr(0, 150));
  EXPECT_EQ(cut.ids, (Texts{"good"}));
  EXPECT_EQ(cut.faults.count, 1U);
}

TEST(Warc, EveryTruncationIsAFaultOrShorter) {
  const std::string all =
      page("a", "<p>one") + response("b", "Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n", "2\r\nxy\r\n0\r\n\r\n");
  for (std::size_t size = 0; size <= all.size(); ++size) {
    const Everything got = read(all.substr(0, size));
    EXPECT_LE(got.ids.size(), 2U);
    EXPECT_LE(got.faults.count, 1U) << size;
  }
}

TEST(Warc, TooLongRecordsArePassedOver) {
  const TempDir dir;
  const std::string header = "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: 70000000\r\n\r\n";
  const std::string all = page("a", "x") + header + std::string(70'000'000, 'y') + "\r\n\r\n" + page("b", "z");
  for (const std::string& path : {dir.write("a.warc", all), dir.write("a.warc.gz", gzip(all))}) {
    const Everything got = read_everything(input_of(path));
    EXPECT_EQ(got.ids, (Texts{"a", "b"}));
    EXPECT_EQ(got.faults.count, 1U);
    EXPECT_EQ(all.substr(got.locations.at(1).offset + got.locations.at(1).length), "");
  }
}

TEST(Warc, RecordsAreFoundAgain) {
  std::string all;
  for (int i = 0; i < 3000; ++i)
    all += page("http://x/" + std::to_string(i), "<p>" + std::string(static_cast<std::size_t>(i), 'w')) + (i % 7 == 0 ? "\r\n" : "");
  const TempDir dir;
  for (const std::string& path : {dir.write("a.warc", all), dir.write("a.warc.gz", gzip(all))}) {
    Sources sources(input_of(path), true);
    const Everything got = read_everything(sources);
    ASSERT_EQ(got.ids.size(), 3000U);
    EXPECT_GE(got.chunks, 3U);
    std::string buffer;
    for (std::size_t i = 0; i < got.ids.size(); i += 37) {
      Batch batch;
      sources.parse_again(got.locations[i], buffer, batch);
      EXPECT_EQ(batch.items.text(0), got.texts[i]);
    }
  }
}

TEST(Warc, AnotherHeaderMayBeTheId) {
  const TempDir dir;
  Input input =
      input_of(dir.write("a.warc", record("WARC-Type: conversion\r\nWARC-Record-ID: <urn:uuid:1>\r\nContent-Type: text/plain\r\n", "x") +
                                       record("WARC-Type: conversion\r\nWARC-Target-URI: u\r\nContent-Type: text/plain\r\n", "x")));
  input.id = "warc-record-id";
  const Everything got = read_everything(input);
  EXPECT_EQ(got.ids, (Texts{"urn:uuid:1"}));
  EXPECT_EQ(got.faults.count, 1U);
}

}  // namespace
}  // namespace nearkin::test::warc_test
