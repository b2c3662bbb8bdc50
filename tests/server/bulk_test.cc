// POST /v1/items: a line in, a line out.
#include <thread>

#include "index/store.h"
#include "server/bulk.h"
#include "server/fixture.h"
#include "server/spool.h"

namespace nearkin::server_test::bulk_test {
namespace {

constexpr const char* kNdjson = "Content-Type: application/x-ndjson\r\n";

std::string line(int i, int versions = 1) {
  return "{\"id\":\"d" + std::to_string(i) + "\",\"text\":\"" + std::string(kFox) + " number " + std::to_string(i * versions) + "\"}\n";
}
std::string chunk(std::string_view bytes) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + std::string(bytes) + "\r\n";
}
std::size_t lines_of(std::string_view text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

constexpr const char* kChunkedHead =
    "POST /v1/items HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";

class ServerBulk : public ServerTest {};

TEST_F(ServerBulk, EachLineIsAnsweredInOrderAndBadOnesStopNoOther) {
  start();
  ask("PUT", "/v1/items/d2", text_body(kFox));
  const std::string body = line(1) + "\r\n" + line(2) + "not json\n{\"id\":\"\",\"text\":\"x\"}\n{\"text\":\"x\"}\n{\"id\":\"x\"}\n" +
                           line(1) + line(3).substr(0, line(3).size() - 1);
  const Response response = ask("POST", "/v1/items", body, kNdjson);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.at("content-type"), "application/x-ndjson");
  EXPECT_TRUE(response.complete);
  EXPECT_TRUE(
      response.body.starts_with("{\"id\":\"d1\",\"replaced\":false}\n{\"id\":\"d2\",\"replaced\":true}\n"
                                "{\"line\":4,\"status\":400,\"title\":\"Bad Request\",\"detail\":\"body: not JSON at byte "))
      << response.body;
  EXPECT_TRUE(
      contains(response.body,
               "{\"line\":5,\"status\":422,\"title\":\"Unprocessable Content\",\"detail\":\"id: it is empty; an item needs a name\"}\n"));
  EXPECT_TRUE(contains(response.body, "{\"line\":6,\"status\":422"));
  EXPECT_TRUE(response.body.ends_with("{\"id\":\"d1\",\"replaced\":true}\n{\"id\":\"d3\",\"replaced\":false}\n")) << response.body;
  EXPECT_EQ(lines_of(response.body), 8U);
  EXPECT_EQ(index_->info().items, 3U);
}

TEST_F(ServerBulk, TheConnectionGoesOnAfterwards) {
  Client client(start());
  client.send(request("POST", "/v1/items", line(1) + line(2), kNdjson) + request("GET", "/v1/items"));
  EXPECT_EQ(lines_of(client.read().body), 2U);
  EXPECT_EQ(client.read().body, "{\"ids\":[\"d1\",\"d2\"],\"next\":null}\n");
  client.send(request("POST", "/v1/items", {}, std::string(kNdjson) + "Content-Length: 0\r\n"));
  const Response none = client.read();
  EXPECT_EQ(none.status, 200);
  EXPECT_TRUE(none.complete && none.body.empty());
}

TEST_F(ServerBulk, LinesAreAnsweredWhileTheBodyIsStillComing) {
  Client client(start());
  client.send(kChunkedHead + chunk(line(1)));
  EXPECT_TRUE(contains(client.read_until("\"d1\""), "200 OK"));
  EXPECT_TRUE(index_->get("d1").has_value());
  const std::string second = line(2);
  client.send(chunk(second.substr(0, 20)) + chunk(second.substr(20)));
  client.read_until("\"d2\"");
  EXPECT_TRUE(index_->get("d2").has_value());
  client.send("0\r\n\r\n");
  EXPECT_EQ(lines_of(client.read().body), 2U);
}

TEST_F(ServerBulk, AClientThatSendsEverythingBeforeItReadsIsNotLeftWaiting) {
  Client client(start());
  constexpr int kLines = 150'000;
  client.send(kChunkedHead);
  std::string part;
  for (int i = 0; i < kLines; ++i) {
    part += "{\"id\":7}\n";  // answered without the index
    if (part.size() < 200'000 && i + 1 < kLines) continue;
    ASSERT_TRUE(client.send(chunk(part)));
    part.clear();
  }
  ASSERT_TRUE(client.send("0\r\n\r\n"));
  const Response response = client.read();
  EXPECT_TRUE(response.complete);
  EXPECT_EQ(lines_of(response.body), static_cast<std::size_t>(kLines));
  EXPECT_TRUE(contains(response.body, "{\"line\":150000,")) << response.body.substr(response.body.size() - 200);
}

TEST_F(ServerBulk, ALineThatIsTooLongIsPassedOver) {
  start({.limits = {.body_bytes = 1000}});
  const Response response = ask("POST", "/v1/items", line(1) + std::string(5'000, 'x') + "\n" + line(2), kNdjson);
  EXPECT_TRUE(
      contains(response.body, "{\"line\":2,\"status\":413,\"title\":\"Content Too Large\",\"detail\":\"line: it has more than 1000 bytes"));
  EXPECT_EQ(lines_of(response.body), 3U);
  EXPECT_EQ(index_->info().items, 2U);
}

TEST_F(ServerBulk, AVectorAtFaultIsRefusedAlone) {
  make_index(tune({.measure = Measure::cosine, .threshold = 0.9}, {.kind = Kind::numbers}));
  start();
  std::string body;
  for (int i = 0; i < 100; ++i)
    body += "{\"id\":\"v" + std::to_string(i) + "\",\"vector\":[1," + std::to_string(i) + (i == 50 ? ",7]}\n" : "]}\n");
  const Response response = ask("POST", "/v1/items", body, kNdjson);
  EXPECT_EQ(lines_of(response.body), 100U);
  EXPECT_TRUE(contains(response.body, "{\"line\":51,\"status\":422"));
  EXPECT_EQ(index_->info().items, 99U);
}

TEST_F(ServerBulk, ABodyThatBreaksOffSaysSo) {
  start({.limits = {.body_seconds = 0.2}});
  Client slow(server_->port());
  slow.send(kChunkedHead + chunk(line(1)));
  const Response late = slow.read();
  EXPECT_TRUE(contains(late.body, "{\"id\":\"d1\",\"replaced\":false}\n{\"line\":2,\"status\":408,")) << late.body;
  Client silent(server_->port());
  silent.send(kChunkedHead);
  EXPECT_EQ(silent.read().status, 408);
  Client wrong(server_->port());
  wrong.send(kChunkedHead + std::string("zz\r\n"));
  EXPECT_EQ(wrong.read().status, 400);
  Client gone(server_->port());
  gone.send(kChunkedHead + chunk(line(3)));
  gone.read_until("d3");
  gone.reset();
  EXPECT_EQ(ask("GET", "/v1/items").body, "{\"ids\":[\"d1\",\"d3\"],\"next\":null}\n");
}

TEST_F(ServerBulk, AnOlderClientGetsItsAnswersToTheEndOfTheConnection) {
  start();
  const std::string body = line(1) + line(2);
  const Response response =
      ask("POST /v1/items HTTP/1.0\r\nContent-Type: application/x-ndjson\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
          body);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "{\"id\":\"d1\",\"replaced\":false}\n{\"id\":\"d2\",\"replaced\":false}\n");
}

TEST_F(ServerBulk, StoppingFinishesTheBatchAndSaysWhatWasNotRead) {
  start({.limits = {.stop_seconds = 10}});
  Client client(server_->port());
  client.send(kChunkedHead + chunk(line(1)));
  client.read_until("\"d1\"");
  std::thread stops([&] { server_->stop(); });
  client.send(chunk(line(2)));
  const Response response = client.read();
  stops.join();
  EXPECT_TRUE(contains(response.body, "\"status\":503")) << response.body;
  EXPECT_EQ(contains(response.body, "\"d2\""), index_->get("d2").has_value());
}

TEST(ServerLines, AreTheSameHoweverTheBodyIsCut) {
  server::Budget budget(1 << 20);
  const std::string body = "one\n\r\n  \ntwo\r\nthree and more\nlast";
  for (std::size_t cut = 1; cut <= body.size(); ++cut) {
    server::Charge charge(budget);
    server::LineSplitter splitter(10, charge);
    for (std::size_t at = 0; at < body.size(); at += cut) splitter.feed(std::string_view(body).substr(at, cut));
    splitter.end();
    const std::vector<server::BulkLine> lines = splitter.take();
    ASSERT_EQ(lines.size(), 4U) << cut;
    EXPECT_EQ(lines[0].text, "one");
    EXPECT_EQ(lines[1].text, "two");
    EXPECT_EQ(lines[1].number, 4U);
    EXPECT_EQ(lines[2].problem->status(), 413U);
    EXPECT_EQ(lines[3].text, "last");
    EXPECT_EQ(lines[3].number, 6U);
    EXPECT_EQ(charge.held(), 10U);  // one, two, last
  }
  EXPECT_EQ(budget.used(), 0U);
}

TEST_F(ServerBulk, LinesAreCountedUntilTheyAreWrittenEvenIfTheirClientLeaves) {
  constexpr double kBody = 3 << 20, kHeld = kBody - server::Charge::kFree;
  const unsigned short port = start();
  const auto held = [&] {
    const std::string metrics = ask("GET", "/metrics").body, name = "\nnearkin_buffered_bytes ";
    return std::stod(metrics.substr(metrics.find(name) + name.size()));
  };
  {
    const Transaction other_writer = Store::open(folder_.path("index")).write();
    {
      Client client(port);
      const std::string long_line = "{\"id\":\"long\",\"text\":\"" + std::string(static_cast<std::size_t>(kBody), 'x') + "\"}\n";
      client.send(request("POST", "/v1/items", long_line, kNdjson));
      for (int i = 0; i < 6000 && held() < kHeld; ++i) ::usleep(10'000);
      // The last bytes are read before many other requests are answered, and then nothing is left to do but to wait for the other writer.
      for (int i = 0; i < 100; ++i) ASSERT_GE(held(), kHeld);
    }
    for (int i = 0; i < 20; ++i, ::usleep(10'000)) ASSERT_GE(held(), kHeld);
  }
  for (int i = 0; i < 6000 && held() > 0; ++i) ::usleep(10'000);
  EXPECT_EQ(held(), 0);
  EXPECT_TRUE(index_->get("long").has_value());
}

TEST(ServerSpool, GivesBackWhatItTookInOrder) {
  server::Budget budget(1 << 20);
  server::Charge charge(budget);
  server::Spool spool(charge, 100);
  std::string in, out;
  for (int i = 0; i < 2000; ++i) {
    const std::string part(static_cast<std::size_t>(i % 37), static_cast<char>('a' + i % 26));
    spool.add(part);
    in += part;
    if (i % 5 == 0) out += spool.take(50);
    if (i % 700 == 0) {
      while (!spool.empty()) out += spool.take(1000);
    }
  }
  while (!spool.empty()) out += spool.take(1000);
  EXPECT_EQ(in, out);
  EXPECT_EQ(spool.take(1), "");
}

TEST(ServerBudget, AChargeIsGivenBackAndItsFirstBytesAreFree) {
  server::Budget budget(1000);
  {
    server::Charge one(budget), two(budget);
    EXPECT_TRUE(one.grow(server::Charge::kFree + 900));
    EXPECT_EQ(budget.used(), 900U);
    EXPECT_TRUE(two.grow(server::Charge::kFree));
    EXPECT_FALSE(two.grow(101));
    EXPECT_FALSE(two.hopeless(101));
    EXPECT_TRUE(two.hopeless(1001));
    one.shrink(500);
    EXPECT_TRUE(two.grow(101));
    EXPECT_EQ(budget.used(), 501U);
  }
  EXPECT_EQ(budget.used(), 0U);
}

}  // namespace
}  // namespace nearkin::server_test::bulk_test
