// Who is let in: tokens, addresses, hosts, methods, types.
#include "server/fixture.h"

#include <tuple>

#include <nearkin/error.h>

#include "server/rate.h"

namespace nearkin::server_test::access_test {
namespace {

class ServerAccess : public ServerTest {};

constexpr const char* kToken = "0123456789abcdef";

TEST_F(ServerAccess, EveryRequestNeedsTheTokenButThePageAndTheChecks) {
  start({.token = kToken});
  for (const char* path : {"/v1/index", "/v1/index/curve", "/v1/items", "/v1/items/a", "/metrics"}) {
    const Response response = ask("GET", path);
    EXPECT_EQ(response.status, 401) << path;
    EXPECT_EQ(response.headers.at("www-authenticate"), "Bearer realm=\"nearkin\"");
  }
  EXPECT_EQ(ask("PUT", "/v1/items/a", text_body(kFox)).status, 401);
  EXPECT_FALSE(index_->get("a"));
  for (const char* path : {"/", "/app.js", "/address.js", "/served.js", "/parts.js", "/pair.js", "/viewer.js", "/shared.js", "/shared.css",
                           "/style.css", "/healthz", "/readyz", "/openapi.json"})
    EXPECT_EQ(ask("GET", path).status, 200) << path;
  EXPECT_EQ(ask("GET", "/v1/index", {}, "Authorization: Bearer 0123456789abcdef\r\n").status, 200);
  EXPECT_EQ(ask("GET", "/v1/index", {}, "Authorization: bearer 0123456789abcdef\r\n").status, 200);
}

TEST_F(ServerAccess, TheTokenForReadingReadsAndChangesNothing) {
  constexpr const char* kReader = "fedcba9876543210";
  start({.token = kToken, .read_token = kReader, .backup_folder = folder_.path("")});
  const std::string reads = "Authorization: Bearer fedcba9876543210\r\n", writes = "Authorization: Bearer 0123456789abcdef\r\n";
  EXPECT_EQ(ask("PUT", "/v1/items/a", text_body(kFox), writes).status, 201);
  for (const auto& [method, target, body, type] : std::vector<std::tuple<std::string, std::string, std::string, std::string>>{
           {"PUT", "/v1/items/b", text_body(kFox), ""},
           {"DELETE", "/v1/items/a", "", ""},
           {"POST", "/v1/items", "{\"id\":\"b\",\"text\":\"x\"}", "Content-Type: application/x-ndjson\r\n"},
           {"POST", "/v1/delete", "{\"ids\":[\"a\"]}", ""},
           {"POST", "/v1/backups", "{\"name\":\"b\"}", ""}}) {
    const Response refused = ask(method, target, body, reads + type);
    EXPECT_EQ(refused.status, 403) << method << target;
    EXPECT_TRUE(contains(refused.body, "for reading only")) << refused.body;
  }
  EXPECT_EQ(index_->info().items, 1U);
  for (const char* path : {"/v1/items/a", "/v1/items", "/v1/index", "/metrics"}) EXPECT_EQ(ask("GET", path, {}, reads).status, 200) << path;
  EXPECT_EQ(ask("POST", "/v1/query", text_body(kFox), reads).status, 200);
  EXPECT_EQ(ask("GET", "/v1/index", {}, "Authorization: Bearer fedcba9876543211\r\n").status, 401);
  EXPECT_THROW(server::Server(*index_, {.port = 0, .read_token = kReader}), Error);
  EXPECT_THROW(server::Server(*index_, {.port = 0, .token = kToken, .read_token = kToken}), Error);
}

TEST_F(ServerAccess, AClientThatAsksTooOftenIsToldWhenToComeBack) {
  Client client(start({.limits = {.requests_per_second = 0.001}}));
  EXPECT_EQ(client.ask(request("GET", "/v1/index")).status, 200);
  const Response refused = client.ask(request("GET", "/v1/index"));
  EXPECT_EQ(refused.status, 429);
  EXPECT_GT(std::stoi(refused.headers.at("retry-after")), 500);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.ask(request("GET", "/healthz")).status, 200);
  EXPECT_EQ(client.ask(request("GET", "/readyz")).status, 200);
}

TEST(ServerRate, ABucketHoldsTwoSecondsAndIsFilledAtTheRate) {
  using namespace std::chrono_literals;
  server::RateLimiter rates(10);
  const auto begin = server::RateLimiter::Clock::now();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(rates.take("a", begin), 0);
  EXPECT_NEAR(rates.take("a", begin), 0.1, 1e-6);
  EXPECT_EQ(rates.take("b", begin), 0);
  EXPECT_NEAR(rates.take("a", begin + 50ms), 0.05, 1e-6);
  EXPECT_EQ(rates.take("a", begin + 150ms), 0);
  EXPECT_GT(rates.take("a", begin + 150ms), 0);
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(rates.take(std::to_string(i), begin + 10s), 0);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(rates.take("a", begin + 20s), 0);
  EXPECT_EQ(server::RateLimiter(0).take("a"), 0);
}

TEST_F(ServerAccess, AWrongTokenIsRefusedHoweverNearItIs) {
  start({.token = kToken});
  for (const char* wrong : {"Bearer 0123456789abcdeg", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0123456789abcdef", "Bearer ",
                            "Bearer", "Basic 0123456789abcdef", "0123456789abcdef", "Bearer 0123456789ABCDEF"}) {
    EXPECT_EQ(ask("GET", "/v1/index", {}, "Authorization: " + std::string(wrong) + "\r\n").status, 401) << wrong;
  }
}

TEST_F(ServerAccess, OtherAddressesNeedAToken) {
  make_index();
  try {
    server::Server server(*index_, {.address = "0.0.0.0", .port = 0});
    FAIL() << "it listens";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "listen: 0.0.0.0 can be reached from other machines; give a token file, or listen at 127.0.0.1");
  }
  EXPECT_THROW(server::Server(*index_, {.address = "::", .port = 0}), Error);
  EXPECT_THROW(server::Server(*index_, {.address = "example", .port = 0}), Error);
  EXPECT_THROW(server::Server(*index_, {.address = "0.0.0.0", .port = 0, .token = ""}), Error);
  const server::Server open(*index_, {.address = "0.0.0.0", .port = 0, .token = kToken});
  EXPECT_GT(open.port(), 0);
}

TEST_F(ServerAccess, APortInUseIsNamed) {
  const unsigned short port = start();
  try {
    server::Server second(*index_, {.port = port});
    FAIL() << "two listen at one port";
  } catch (const Error& error) {
    EXPECT_EQ(error.subject(), "127.0.0.1:" + std::to_string(port));
    EXPECT_EQ(error.code(), ErrorCode::file);
  }
}

TEST_F(ServerAccess, WithoutATokenOnlyNamesOfThisMachineAreAnswered) {
  start({.hosts = {"search.example"}});
  const auto host = [&](const std::string& name) { return ask("GET /healthz HTTP/1.1\r\nHost: " + name + "\r\n\r\n").status; };
  for (const char* name :
       {"localhost", "localhost:8787", "127.0.0.1:8787", "[::1]:8787", "LOCALHOST", "search.example", "search.example:443"})
    EXPECT_EQ(host(name), 200) << name;
  for (const char* name : {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "[::2]", "[",
                           "[::1]evil.example", "[::1].evil.example:80", "localhost:80@evil", "localhost:x", "x@localhost"})
    EXPECT_EQ(host(name), 421) << name;
  start({.token = kToken});
  EXPECT_EQ(host("evil.example"), 200);
}

TEST_F(ServerAccess, TheHostOfTheTargetCountsNotThatOfTheHeader) {
  start({.hosts = {"search.example"}});
  const auto answer = [&](const std::string& target, const std::string& host) {
    return ask("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n").status;
  };
  EXPECT_EQ(answer("http://localhost/healthz", "localhost"), 200);
  EXPECT_EQ(answer("http://search.example/healthz", "evil.example"), 200);
  EXPECT_EQ(answer("http://evil.example/healthz", "localhost"), 421);
  EXPECT_EQ(answer("http://evil.example", "localhost"), 421);
  EXPECT_EQ(answer("http:///healthz", "localhost"), 400);
}

TEST_F(ServerAccess, AFieldThatDecidesIsGivenOnce) {
  start({.token = kToken});
  const std::string head = "GET /v1/index HTTP/1.1\r\nHost: localhost\r\n", right = std::string("Authorization: Bearer ") + kToken + "\r\n";
  EXPECT_EQ(ask(head + right + "\r\n").status, 200);
  EXPECT_EQ(ask(head + right + "Authorization: Bearer other\r\n\r\n").status, 400);
  EXPECT_EQ(ask(head + right + right + "\r\n").status, 400);
  EXPECT_EQ(ask(head + right + "Content-Type: text/plain\r\nContent-Type: application/json\r\n\r\n").status, 400);
}

TEST_F(ServerAccess, ARequestOfHttp11NamesItsHostOnce) {
  start();
  const Response none = ask("GET /healthz HTTP/1.1\r\n\r\n");
  EXPECT_EQ(none.status, 400);
  EXPECT_EQ(none.headers.at("content-type"), "application/problem+json");
  EXPECT_TRUE(contains(none.body, "host: the header has none; HTTP/1.1 requires one, such as Host: localhost")) << none.body;
  EXPECT_EQ(ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n").status, 400);
  EXPECT_EQ(ask("GET /healthz HTTP/1.0\r\nHost: localhost\r\nHost: evil.example\r\n\r\n").status, 400);
  EXPECT_EQ(ask("GET /healthz HTTP/1.0\r\n\r\n").status, 200);
  EXPECT_EQ(ask("GET /healthz HTTP/1.1\r\nHost:\r\n\r\n").status, 200);
  start({.token = kToken});
  EXPECT_EQ(ask("GET /healthz HTTP/1.1\r\n\r\n").status, 400);
}

TEST_F(ServerAccess, OtherMethodsAreToldWhichAreAllowed) {
  start();
  const Response post = ask("POST", "/v1/items/a", text_body(kFox));
  EXPECT_EQ(post.status, 405);
  EXPECT_EQ(post.headers.at("allow"), "PUT, GET, HEAD, DELETE");
  EXPECT_EQ(ask("DELETE", "/v1/items").headers.at("allow"), "GET, HEAD, POST");
  EXPECT_EQ(ask("OPTIONS", "/v1/query").headers.at("allow"), "POST");
  EXPECT_EQ(ask("CONNECT", "/v1/query").status, 405);
  EXPECT_EQ(ask("BREW", "/").status, 405);
}

TEST_F(ServerAccess, BodiesMustSayThatTheyAreJson) {
  start();
  for (const char* type : {"Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n", "Content-Type:\r\n",
                           "Content-Type: application/jsonx\r\n"}) {
    EXPECT_EQ(ask("PUT", "/v1/items/a", text_body(kFox), type).status, 415) << type;
    EXPECT_EQ(ask("POST", "/v1/items", text_body(kFox), type).status, 415) << type;
  }
  EXPECT_EQ(ask("POST", "/v1/items", text_body(kFox)).status, 415);
  EXPECT_EQ(ask("PUT", "/v1/items/a", text_body(kFox), "Content-Type: Application/JSON; charset=utf-8\r\n").status, 201);
  EXPECT_EQ(ask("PUT", "/v1/items/a", text_body(kFox), "Content-Encoding: gzip\r\n").status, 415);
}

TEST_F(ServerAccess, PathsLeadNowhereElse) {
  start();
  for (const char* path : {"/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/app.js/", "/APP.JS", "//", "/v1", "/v1/", "/v1/items/a/b",
                           "/v1/items/a%2Fb/c", "/index.html", "/app.js%00", "/./app.js", "/v1/query/"}) {
    EXPECT_EQ(ask("GET", path).status, 404) << path;
  }
  EXPECT_EQ(ask("GET", "/v1/items/").status, 422);
  EXPECT_EQ(ask("GET", "/v1/items/%").status, 400);
  EXPECT_EQ(ask("GET", "/v1/items/%f").status, 400);
  EXPECT_EQ(ask("GET", "/v1/items/%gg").status, 400);
  EXPECT_EQ(ask("GET", "/v1/items/%ff").status, 400);
  EXPECT_EQ(ask("GET", "/v1/items/%c0%ae").status, 400);
  EXPECT_EQ(ask("GET", "*").status, 400);
  EXPECT_EQ(ask("GET", "http://localhost/healthz").status, 200);
  EXPECT_EQ(ask("GET", "/v1/items/" + std::string(15'000, 'x')).status, 404);
}

TEST(ServerListen, AddressAndPortAreRead) {
  using server::parse_listen;
  EXPECT_EQ(parse_listen("127.0.0.1:8787").address, "127.0.0.1");
  EXPECT_EQ(parse_listen("127.0.0.1:8787").port, 8787);
  EXPECT_EQ(parse_listen("[::1]:80").address, "::1");
  EXPECT_EQ(parse_listen(":80").address, "127.0.0.1");
  EXPECT_EQ(parse_listen("80").port, 80);
  for (const char* wrong : {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "a:b", "1:2x"})
    EXPECT_THROW(parse_listen(wrong), Error) << wrong;
}

/// A file that nobody else can read.
std::string secret(const test::TempDir& folder, const std::string& name, const std::string& text) {
  const std::string path = folder.write(name, text);
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  return path;
}

TEST(ServerListen, ATokenFileThatOthersCanReadIsRefusedWithTheWayOut) {
  const test::TempDir folder;
  const std::string path = secret(folder, "token", "0123456789abcdef\n");
  EXPECT_EQ(server::read_token_file(path), "0123456789abcdef");
  for (const unsigned mode : {0644U, 0604U, 0602U, 0640U, 0660U, 0777U}) {
    std::filesystem::permissions(path, std::filesystem::perms(mode));
    try {
      server::read_token_file(path);
      ADD_FAILURE() << std::oct << mode;
    } catch (const Error& error) {
      EXPECT_TRUE(contains(error.what(), "run 'chmod 600 " + path + "'")) << error.what();
    }
  }
  std::filesystem::permissions(path, std::filesystem::perms(0400));
  EXPECT_EQ(server::read_token_file(path), "0123456789abcdef");
}

TEST(ServerListen, ATokenFileHasOneLine) {
  const test::TempDir folder;
  EXPECT_EQ(server::read_token_file(secret(folder, "good", " 0123456789abcdef\r\n")), "0123456789abcdef");
  for (const char* wrong : {"", "\n", "short\n", "0123456789abcdef\n0123456789abcdef\n", "0123456789abc def", "0123456789abcdef\x01"}) {
    EXPECT_THROW(server::read_token_file(secret(folder, "wrong", wrong)), Error) << wrong;
  }
  EXPECT_THROW(server::read_token_file(secret(folder, "long", std::string(5000, 'x'))), Error);
  EXPECT_THROW(server::read_token_file(folder.path("absent")), Error);
}

}  // namespace
}  // namespace nearkin::server_test::access_test
