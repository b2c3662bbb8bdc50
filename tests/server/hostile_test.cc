// Clients that no server wants: it stays up, within bounds, and answers others meanwhile.
#include <atomic>
#include <fstream>
#include <thread>

#include <nearkin/error.h>

#include "server/fixture.h"

namespace nearkin::server_test::hostile_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

std::size_t bytes_in_use() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::strtoull(line.c_str() + 8, nullptr, 10) << 10;
  }
  return 0;
}

/// How long a server that is not held up may take on a machine that does other work: far above what it needs, far below for ever.
constexpr double kPatience = 60;
constexpr milliseconds kPatienceTime{60'000};

/// Looks every few milliseconds at what the process holds, and asks the server something.
class Watch {
 public:
  explicit Watch(unsigned short port, std::string question = request("POST", "/v1/query", text_body(kFox)))
      : port_(port), question_(std::move(question)), before_(bytes_in_use()), thread_([this] { run(); }) {}
  ~Watch() { stop(); }
  void stop() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::size_t growth() const { return most_ > before_ ? most_ - before_ : 0; }
  int answers() const { return answers_; }
  double slowest() const { return slowest_; }

 private:
  void run() {
    for (; !done_; ::usleep(2000)) {
      most_ = std::max(most_, bytes_in_use());
      const auto begin = steady_clock::now();
      Client client(port_);
      if (client.ask(question_).status == 200) ++answers_;
      slowest_ = std::max(slowest_, std::chrono::duration<double>(steady_clock::now() - begin).count());
    }
  }
  unsigned short port_;
  std::string question_;
  std::size_t before_, most_ = 0;
  std::atomic<bool> done_{false};
  int answers_ = 0;
  double slowest_ = 0;
  std::thread thread_;
};

class ServerHostile : public ServerTest {
 protected:
  /// Within 64 MB, and others were answered all the time.
  static void expect_unmoved(Watch& watch) {
    watch.stop();
    EXPECT_GT(watch.answers(), 0);
    EXPECT_LT(watch.slowest(), kPatience);
    if (!kSanitized) {
      EXPECT_LT(watch.growth(), 64U << 20);
    }
    testing::Test::RecordProperty("growth_bytes", std::to_string(watch.growth()));
  }
};

TEST_F(ServerHostile, IdleSocketsHoldNobodyUp) {
  const unsigned short port = start({.limits = {.header_seconds = 0.5, .idle_seconds = 1}});
  std::vector<Client> idle, half;
  for (int i = 0; i < 100; ++i) idle.emplace_back(port);
  for (int i = 0; i < 100; ++i) half.emplace_back(port).send("GET /healthz HTTP/1.1\r\nHost: loc");
  Watch watch(port);
  for (Client& client : half) EXPECT_EQ(client.read().status, 408);
  for (Client& client : idle) EXPECT_TRUE(client.closed_within(kPatienceTime));
  expect_unmoved(watch);
}

TEST_F(ServerHostile, ASlowHeaderIsCutOffHoweverSteadyItComes) {
  const unsigned short port = start({.limits = {.header_seconds = 0.3}});
  Client client(port);
  const auto begin = steady_clock::now();
  bool open = client.send("GET /healthz HTTP/1.1\r\n");
  while (open && steady_clock::now() - begin < kPatienceTime) open = !client.closed_within(milliseconds(10)) && client.send("a: b\r\n");
  EXPECT_FALSE(open);
}

TEST_F(ServerHostile, ASlowBodyIsCutOff) {
  const unsigned short port = start({.limits = {.body_seconds = 0.3}});
  Client client(port);
  client.send("PUT /v1/items/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"te");
  EXPECT_EQ(client.read().status, 408);
}

TEST_F(ServerHostile, LargeBodiesAreRefusedWithoutBeingHeld) {
  const unsigned short port = start();
  Watch watch(port);
  const std::string megabyte(1 << 20, 'x');
  for (const char* target : {"PUT /v1/items/a", "POST /v1/query", "GET /healthz"}) {
    Client client(port);
    client.send(std::string(target) +
                " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
    bool taken = true;
    for (int i = 0; i < 200 && taken; ++i) taken = client.send("100000\r\n") && client.send(megabyte) && client.send("\r\n");
    EXPECT_EQ(client.read().status, 413) << target;
  }
  Client declared(port);
  declared.send("PUT /v1/items/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 200000000\r\n\r\n");
  EXPECT_EQ(declared.read().status, 413);
  expect_unmoved(watch);
}

TEST_F(ServerHostile, ALineWithoutEndIsReadToItsEndAndForgotten) {
  const unsigned short port = start();
  Watch watch(port);
  Client client(port);
  client.send("POST /v1/items HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(client.send("100000\r\n") && client.send(megabyte) && client.send("\r\n"));
  client.send("1\r\n\n\r\n0\r\n\r\n");
  EXPECT_TRUE(contains(client.read().body, "{\"line\":1,\"status\":413"));
  expect_unmoved(watch);
}

TEST_F(ServerHostile, ManyLargeBodiesAtOnceGetTheirTurnOrAreToldToWait) {
  const unsigned short port = start();
  const std::string blanks(std::size_t{14} << 20, ' ');  // JSON too
  const std::string item = text_body(kFox);
  Watch watch(port);
  std::vector<std::thread> senders;
  std::atomic<int> refused{0}, taken{0}, other{0};
  for (int i = 0; i < 12; ++i) {
    senders.emplace_back([&, i] {
      Client client(port);
      client.send("PUT /v1/items/" + std::to_string(i) +
                  " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
                  std::to_string(blanks.size() + item.size()) + "\r\n\r\n");
      client.send(blanks);
      client.send(item);
      const int status = client.read().status;
      ++(status == 503 ? refused : status == 201 ? taken : other);
    });
  }
  for (std::thread& sender : senders) sender.join();
  EXPECT_GT(taken, 0);
  EXPECT_EQ(other, 0);
  expect_unmoved(watch);
}

TEST_F(ServerHostile, EndlessHeadersAreRefused) {
  const unsigned short port = start();
  Watch watch(port);
  for (const char* beginning :
       {"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nx: ", "GET /"}) {
    Client client(port);
    client.send(beginning);
    const std::string more = std::string(beginning).ends_with("\r\n") ? "a: b\r\n" : std::string(6, 'x');
    bool taken = true;
    for (int i = 0; i < 200'000 && taken; ++i) taken = client.send(more + more + more + more);
    EXPECT_EQ(client.read().status, 431) << beginning;
  }
  expect_unmoved(watch);
}

TEST_F(ServerHostile, WhatIsNotHttpIsRefused) {
  start();
  EXPECT_EQ(ask("\r\n\r\nnonsense\r\n\r\n").status, 400);
  EXPECT_EQ(ask("GET /healthz HTTP/9.9\r\n\r\n").status, 505);
  EXPECT_EQ(ask("GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n").status, 400);
  EXPECT_EQ(ask(std::string("GET /\0 HTTP/1.1\r\n\r\n", 18)).status, 400);
  EXPECT_EQ(ask("PUT /v1/items/a HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n").status, 400);
  EXPECT_EQ(ask("PUT /v1/items/a HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n").status, 400);
  EXPECT_EQ(ask("PUT /v1/items/a HTTP/1.1\r\nContent-Length: -5\r\n\r\n").status, 400);
  EXPECT_EQ(ask("PUT /v1/items/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n").status, 501);
  EXPECT_EQ(ask("PUT /v1/items/a HTTP/1.1\r\nHost: localhost\r\nExpect: the-unexpected\r\nContent-Length: 5\r\n\r\n").status, 417);
  EXPECT_EQ(ask("\x16\x03\x01\x02").status, 400);
  EXPECT_EQ(ask("GET", "/healthz").status, 200);
}

TEST_F(ServerHostile, BadJsonAndBadUtf8AreRefused) {
  start();
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
  for (const std::string& body :
       std::vector<std::string>{"{", "{}}", "{\"text\":\"\xc3\x28\"}", "{\"text\":\"\xed\xa0\x80\"}", "{\"text\":\"\\ud800\"}",
                                "{\"text\":nan}", "\xef\xbb\xbf{}", std::string("{\"text\":\"a\0b\"}", 14), deep, "{\"text\":\"a\",}"}) {
    EXPECT_EQ(ask("PUT", "/v1/items/a", body).status, 400) << body.substr(0, 40);
  }
  EXPECT_EQ(ask("PUT", "/v1/items/a", "{\"text\":\"a\",\"metadata\":[1]}").status, 422);
  EXPECT_EQ(ask("PUT", "/v1/items/a", "{\"id\":\"b\",\"text\":\"a\"}").status, 422);
  EXPECT_EQ(index_->info().items, 0U);
}

TEST_F(ServerHostile, JsonThatGrowsInMemoryIsBounded) {
  make_index(tune({.measure = Measure::cosine, .threshold = 0.9}, {.kind = Kind::numbers}));
  const unsigned short port = start();
  Watch watch(port, request("GET", "/v1/index"));
  std::string zeros;  // two bytes each, and 24 as a value
  for (int i = 0; i < 500'000; ++i) zeros += "0,";
  for (int i = 0; i < 3; ++i) {
    Client client(port);
    client.send("PUT /v1/items/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
                std::to_string(15 * zeros.size() + 14) + "\r\n\r\n{\"vector\":[");
    for (int part = 0; part < 15; ++part) client.send(zeros);
    client.send("0]}");
    const int status = client.read().status;
    EXPECT_TRUE(status == 413 || status == 503) << status;
  }
  expect_unmoved(watch);
}

TEST_F(ServerHostile, PipelinedRequestsAreAnsweredInOrder) {
  const unsigned short port = start();
  Client client(port);
  std::string all;
  for (int i = 0; i < 200; ++i)
    all += request("PUT", "/v1/items/" + std::to_string(i), text_body(kFox)) + request("GET", "/v1/items/" + std::to_string(i));
  std::thread sender([&] { client.send(all); });
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(client.read().body, "{\"id\":\"" + std::to_string(i) + "\",\"replaced\":false}\n");
    ASSERT_TRUE(client.read().body.starts_with("{\"id\":\"" + std::to_string(i) + "\",\"size\""));
  }
  sender.join();
}

TEST_F(ServerHostile, AClientThatNeverReadsIsLetGo) {
  const unsigned short port = start({.limits = {.write_seconds = 0.3}});
  Watch watch(port);
  Client client(port);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += request("GET", "/openapi.json");
  std::thread sender([&] { client.send(many); });
  bool gone = false;
  for (int i = 0; i < 6000 && !gone; ++i, ::usleep(10'000)) {
    const std::vector<std::string> lines = log();
    gone = std::any_of(lines.begin(), lines.end(),
                       [](const std::string& text) { return contains(text, "the client did not read the answer"); });
  }
  EXPECT_TRUE(gone);
  client.reset();
  sender.join();
  expect_unmoved(watch);
}

TEST_F(ServerHostile, DisconnectsInTheMiddleHurtNobody) {
  const unsigned short port = start();
  Watch watch(port);
  const std::string whole = request("PUT", "/v1/items/a", text_body(kFox));
  for (std::size_t i = 0; i < 10 * whole.size(); ++i) {
    Client client(port);
    client.send(std::string_view(whole).substr(0, i % (whole.size() + 1)));
    i % 3 == 0 ? client.reset() : client.close();
  }
  expect_unmoved(watch);
  EXPECT_EQ(ask("GET", "/healthz").status, 200);
}

TEST_F(ServerHostile, ManyBodiesThatStopHalfwayTakeLittle) {
  const unsigned short port = start();
  Watch watch(port);
  const std::string half =
      "POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{\"text\":\"" +
      std::string(60'000, 'x');
  std::vector<Client> clients;
  for (int i = 0; i < 600; ++i) {
    clients.emplace_back(port);
    clients.back().send(half);
  }
  ::usleep(500'000);
  expect_unmoved(watch);
}

TEST_F(ServerHostile, AHeaderOfVeryManyFieldsIsRefused) {
  start();
  std::string fields;
  for (int i = 0; i < 198; ++i) fields += "a:b\r\n";
  EXPECT_EQ(ask("GET", "/healthz", {}, fields).status, 200);
  for (int i = 0; i < 2000; ++i) fields += "a:b\r\n";
  const Response refused = ask("GET", "/healthz", {}, fields);
  EXPECT_EQ(refused.status, 431);
  EXPECT_TRUE(contains(refused.body, "more than 200 fields")) << refused.body;
  const Response unfinished = ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + fields);
  EXPECT_EQ(unfinished.status, 431);
}

TEST_F(ServerHostile, TooManyConnectionsAreToldSo) {
  const unsigned short port = start({.limits = {.connections = 10}});
  std::vector<Client> open;
  for (int i = 0; i < 10; ++i) open.emplace_back(port);
  // Each is sending a body: none of them is silent, so that none gives way.
  const std::string part =
      "POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n";
  for (Client& client : open) client.send(part);
  for (Client& client : open) EXPECT_TRUE(contains(client.read_until("\r\n\r\n"), "100 Continue"));
  const Response refused = Client(port).ask(request("GET", "/healthz"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  open.clear();
  int status = 503;
  for (int i = 0; i < 6000 && status == 503; ++i, ::usleep(10'000)) status = ask("GET", "/healthz").status;
  EXPECT_EQ(status, 200);
}

TEST_F(ServerHostile, WritesOfManyConnectionsAreAllKept) {
  const unsigned short port = start();
  std::vector<std::thread> writers;
  for (int w = 0; w < 8; ++w) {
    writers.emplace_back([&, w] {
      Client client(port);
      for (int i = 0; i < 50; ++i)
        ASSERT_EQ(client.ask(request("PUT", "/v1/items/" + std::to_string(w * 100 + i), text_body(kFox))).status, 201);
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(index_->info().items, 400U);
}

TEST_F(ServerHostile, StoppingAnswersWhatIsUnderWayAndClosesTheRest) {
  const unsigned short port = start();
  std::vector<Client> idle;
  for (int i = 0; i < 20; ++i) idle.emplace_back(port);
  std::atomic<bool> done{false};
  std::atomic<int> acknowledged = 0;
  std::thread writer([&] {
    for (int i = 0; !done; ++i) {
      try {
        if (Client(port).ask(request("PUT", "/v1/items/" + std::to_string(i), text_body(kFox))).status != 201) return;
      } catch (const std::runtime_error&) {
        return;
      }
      ++acknowledged;
    }
  });
  for (int i = 0; i < 6000 && acknowledged == 0; ++i) ::usleep(10'000);
  server_->stop();
  done = true;
  writer.join();
  EXPECT_GT(acknowledged, 0);
  EXPECT_GE(index_->info().items, static_cast<std::uint64_t>(acknowledged.load()));
  for (Client& client : idle) EXPECT_TRUE(client.closed_within(kPatienceTime));
  server_->stop();
}

TEST_F(ServerHostile, WhoAsksBeforeSendingIsAnswered) {
  const unsigned short port = start();
  Client client(port);
  const std::string body = text_body(kFox);
  client.send("PUT /v1/items/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n");
  EXPECT_TRUE(contains(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n"));
  client.send(body);
  EXPECT_EQ(client.read().status, 201);
}

}  // namespace
}  // namespace nearkin::server_test::hostile_test
