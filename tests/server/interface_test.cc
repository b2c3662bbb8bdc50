// What each route answers.
#include <atomic>
#include <csignal>
#include <set>
#include <thread>

#include <boost/json.hpp>

#include <nearkin/tools/report.h>
#include <nearkin/tools/theory.h>

#include "server/assets.h"
#include "server/fixture.h"
#include "server/routes.h"

namespace nearkin::server_test::interface_test {
namespace {

namespace json = boost::json;

class ServerInterface : public ServerTest {};

TEST_F(ServerInterface, AnItemIsPutReplacedReadAndRemoved) {
  start();
  const Response put = ask("PUT", "/v1/items/fox", R"({"text":"a quick brown fox","metadata":{"year":2024.50,"tags":["a"]}})");
  EXPECT_EQ(put.status, 201);
  EXPECT_EQ(put.body, "{\"id\":\"fox\",\"replaced\":false}\n");
  EXPECT_EQ(put.headers.at("content-type"), "application/json");
  const Response again = ask("PUT", "/v1/items/fox", R"({"text":"a quick brown fox","metadata":{"year":2024.50,"tags":["a"]}})");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, "{\"id\":\"fox\",\"replaced\":true}\n");
  EXPECT_EQ(ask("GET", "/v1/items/fox").body,
            "{\"id\":\"fox\",\"size\":3,\"metadata\":{\"year\":2024.50,\"tags\":[\"a\"]},\"text\":\"a quick brown fox\"}\n");
  EXPECT_EQ(ask("DELETE", "/v1/items/fox").body, "{\"id\":\"fox\",\"removed\":true}\n");
  EXPECT_EQ(ask("DELETE", "/v1/items/fox").status, 404);
  const Response gone = ask("GET", "/v1/items/fox");
  EXPECT_EQ(gone.status, 404);
  EXPECT_EQ(gone.headers.at("content-type"), "application/problem+json");
  EXPECT_EQ(gone.body,
            "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,"
            "\"detail\":\"id: there is no item \\\"fox\\\"; GET /v1/items lists them\"}\n");
}

TEST_F(ServerInterface, AnIndexOfPartsTakesAndRemovesWholeRecords) {
  index_.reset(new Index(Index::create(folder_.path("index"), tune({.threshold = 0.5}, {.shingle = ShinglePlan{.size = 2}}),
                                       {.texts = true, .unit = {.kind = Unit::Kind::paragraph}})));
  start();
  EXPECT_EQ(ask("PUT", "/v1/items/a", R"({"text":"one two three\n\nfour five six","metadata":{"n":1}})").body,
            "{\"id\":\"a\",\"replaced\":false,\"parts\":2}\n");
  const Response again = ask("PUT", "/v1/items/a", R"({"text":"seven eight nine"})");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, "{\"id\":\"a\",\"replaced\":true,\"parts\":1}\n");
  EXPECT_EQ(index_->ids(), std::vector<std::string>{"a:0-16"});
  const std::string lines = R"({"id":"b","text":"one two three\n\nfour five six"})"
                            "\n"
                            R"({"id":"a","text":"ten eleven\n\ntwelve"})"
                            "\n";
  EXPECT_EQ(ask("POST", "/v1/items", lines, "Content-Type: application/x-ndjson\r\n").body,
            "{\"id\":\"b\",\"replaced\":false,\"parts\":2}\n{\"id\":\"a\",\"replaced\":true,\"parts\":2}\n");
  EXPECT_EQ(ask("GET", "/v1/items/b").body, "{\"id\":\"b\",\"parts\":[\"b:0-13\",\"b:15-28\"]}\n");
  EXPECT_EQ(ask("GET", "/v1/items/b%3A15-28").body, "{\"id\":\"b:15-28\",\"size\":2,\"text\":\"four five six\"}\n");
  EXPECT_EQ(ask("DELETE", "/v1/items/b").body, "{\"id\":\"b\",\"removed\":true,\"parts\":2}\n");
  EXPECT_EQ(ask("DELETE", "/v1/items/b").status, 404);
  EXPECT_EQ(ask("DELETE", "/v1/items/a%3A0-10").body, "{\"id\":\"a:0-10\",\"removed\":true,\"parts\":1}\n");
  EXPECT_EQ(ask("POST", "/v1/delete", R"({"ids":["a","b"]})").body, "{\"removed\":1,\"absent\":[\"b\"]}\n");
  EXPECT_EQ(index_->info().items, 0U);
}

TEST_F(ServerInterface, WhatIsAnsweredIsInTheIndex) {
  start();
  ASSERT_EQ(ask("PUT", "/v1/items/fox", text_body(kFox)).status, 201);
  const Index other = Index::open(folder_.path("index"), Index::Access::read);
  EXPECT_EQ(other.get("fox")->text, kFox);
}

TEST_F(ServerInterface, IdsMayHoldAnyCharacterWhenItIsEncoded) {
  start();
  for (const char* id : {"a%2Fb", "%2e%2e%2F%2e%2e%2Fetc%2Fpasswd", "a%00b", "%E2%82%AC", "a+b", "100%25", "a%3Fb"}) {
    EXPECT_EQ(ask("PUT", std::string("/v1/items/") + id, text_body(kFox)).status, 201) << id;
    EXPECT_EQ(ask("GET", std::string("/v1/items/") + id).status, 200) << id;
  }
  EXPECT_TRUE(index_->get("a/b") && index_->get("../../etc/passwd") && index_->get(std::string_view("a\0b", 3)) && index_->get("€") &&
              index_->get("a+b") && index_->get("100%") && index_->get("a?b"));
}

TEST_F(ServerInterface, IdsAreListedPageByPage) {
  start();
  for (const char* id : {"a", "b", "c d", "e"})
    ask("PUT", "/v1/items/" + (id == std::string("c d") ? std::string("c%20d") : id), text_body(kFox));
  EXPECT_EQ(ask("GET", "/v1/items").body, "{\"ids\":[\"a\",\"b\",\"c d\",\"e\"],\"next\":null}\n");
  EXPECT_EQ(ask("GET", "/v1/items?limit=3").body, "{\"ids\":[\"a\",\"b\",\"c d\"],\"next\":\"YyBk\"}\n");
  EXPECT_EQ(ask("GET", "/v1/items?cursor=YyBk&limit=3").body, "{\"ids\":[\"e\"],\"next\":null}\n");
  EXPECT_EQ(ask("GET", "/v1/items?after=c+d&limit=3").body, "{\"ids\":[\"e\"],\"next\":null}\n");
  for (const char* wrong : {"limit=0", "limit=10001", "limit=x", "limit=-1", "limit=", "bound=3", "limit=3&limit=4", "after=%zz",
                            "after=%ff", "cursor=", "cursor=YyBl%3D", "cursor=YyBkA", "after=a&cursor=YyBk"}) {
    EXPECT_EQ(ask("GET", std::string("/v1/items?") + wrong).status, 400) << wrong;
  }
}

TEST_F(ServerInterface, ItemsAreListedWithWhatTellsThemApart) {
  start();
  ask("PUT", "/v1/items/a", R"({"text":"the quick brown fox","metadata":{"title":"Fox Hunt","year":2024}})");
  ask("PUT", "/v1/items/b", R"({"text":"a lazy dog"})");
  ask("PUT", "/v1/items/c", R"({"text":"other words","metadata":{"large":123456789012345678901234567890,"in":[{"deep":"Hidden"}]}})");
  EXPECT_EQ(ask("GET", "/v1/items?details=true&limit=1").body,
            "{\"items\":[{\"id\":\"a\",\"metadata\":{\"title\":\"Fox Hunt\",\"year\":2024},\"begins\":\"the quick brown "
            "fox\"}],\"next\":\"YQ\"}\n");
  EXPECT_EQ(ask("GET", "/v1/items?details=true&limit=1&cursor=YQ").body,
            "{\"items\":[{\"id\":\"b\",\"begins\":\"a lazy dog\"}],\"next\":\"Yg\"}\n");
  for (const char* wanted : {"fox+hunt", "2024", "FOX%20HUNT"}) {
    EXPECT_TRUE(contains(ask("GET", std::string("/v1/items?details=true&contains=") + wanted).body, "{\"items\":[{\"id\":\"a\","))
        << wanted;
  }
  EXPECT_TRUE(contains(ask("GET", "/v1/items?details=true&contains=HIDDEN").body, "[{\"id\":\"c\",")) << "beside a number of any size";
  EXPECT_EQ(ask("GET", "/v1/items?details=true&contains=title").body, "{\"items\":[],\"next\":null}\n") << "a name is not a value";
  for (const char* wrong : {"details=yes", "contains=fox", "details=false&contains=fox", "details="})
    EXPECT_EQ(ask("GET", std::string("/v1/items?") + wrong).status, 400) << wrong;
}

TEST_F(ServerInterface, PagesAreExactForIdsOfAnyBytesAndLength) {
  start();
  std::vector<std::string> ids;
  for (const char* first : {"a", "\xC3", "\xFE", "\xFF"}) {
    for (const char* last : {"", "\x80", "z"}) ids.push_back(std::string(first) + last);
  }
  for (const char* last : {"1", "2", "3", "\xFF"}) ids.push_back("b" + std::string(20'000, 'x') + last);
  ids.push_back("c");
  for (const std::string& id : ids) index_->put(id, kFox);
  for (const int limit : {1, 2, 3, 100}) {
    std::size_t seen = 0;
    std::string target = "/v1/items?limit=" + std::to_string(limit);
    for (std::size_t pages = 0; pages <= ids.size(); ++pages) {
      const json::object page = json::parse(ask("GET", target).body).as_object();
      seen += page.at("ids").as_array().size();
      if (page.at("next").is_null()) break;
      target = "/v1/items?limit=" + std::to_string(limit) + "&cursor=" + std::string(page.at("next").as_string());
    }
    EXPECT_EQ(seen, ids.size()) << limit;
    std::size_t described = 0;
    for (std::string cursor; described <= ids.size();) {
      const json::object page = json::parse(ask("GET", "/v1/items?details=true&limit=" + std::to_string(limit) + cursor).body).as_object();
      described += page.at("items").as_array().size();
      if (page.at("next").is_null()) break;
      cursor = "&cursor=" + std::string(page.at("next").as_string());
    }
    EXPECT_EQ(described, ids.size()) << limit;
  }
}

TEST_F(ServerInterface, ManyItemsAreRemovedInOneStep) {
  start();
  for (const char* id : {"a", "b", "c"}) index_->put(id, kFox);
  EXPECT_EQ(ask("POST", "/v1/delete", R"({"ids":["a","none","b","a"]})").body, "{\"removed\":2,\"absent\":[\"none\"]}\n");
  EXPECT_EQ(index_->info().items, 1U);
  for (const char* wrong : {R"({"ids":[]})", R"({"ids":"a"})", R"({"ids":[1]})", R"({"ids":[""]})", R"({})", R"({"ids":["c"],"x":1})"})
    EXPECT_EQ(ask("POST", "/v1/delete", wrong).status, 422) << wrong;
  EXPECT_TRUE(index_->get("c").has_value());
}

TEST_F(ServerInterface, BackupsGoToTheirFolderAndNowhereElse) {
  start();
  EXPECT_EQ(ask("POST", "/v1/backups", R"({"name":"a"})").status, 409);
  std::filesystem::create_directory(folder_.path("backups"));
  std::filesystem::create_directory_symlink(folder_.path("backups"), folder_.path("backups") + "/link");
  start({.backup_folder = folder_.path("backups")});
  index_->put("a", kFox);
  const Response made = ask("POST", "/v1/backups", R"({"name":"monday-1.0_x"})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.body, "{\"name\":\"monday-1.0_x\",\"items\":1}\n");
  EXPECT_EQ(Index::open(folder_.path("backups") + "/monday-1.0_x", Index::Access::read).get("a")->text, kFox);
  EXPECT_EQ(ask("POST", "/v1/backups", R"({"name":"monday-1.0_x"})").status, 409);
  EXPECT_EQ(ask("POST", "/v1/backups", R"({"name":"link"})").status, 409);
  for (const char* wrong : {"", ".", "..", "../x", "a/b", "/tmp/x", "a\\b", ".hidden", "-x", "a b", "a\\u0000b", "\u00e9", "x\\n"})
    EXPECT_EQ(ask("POST", "/v1/backups", "{\"name\":\"" + std::string(wrong) + "\"}").status, 422) << wrong;
  EXPECT_EQ(ask("POST", "/v1/backups", "{\"name\":\"" + std::string(65, 'x') + "\"}").status, 422);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path("backups")), {}), 2);
}

TEST_F(ServerInterface, EveryAnswerHasTheIdOfItsRequest) {
  Client client(start());
  EXPECT_EQ(client.ask(request("GET", "/healthz", {}, "X-Request-Id: abc-1.2_Z\r\n")).headers.at("x-request-id"), "abc-1.2_Z");
  const std::string made = client.ask(request("GET", "/healthz")).headers.at("x-request-id");
  EXPECT_EQ(made.size(), 16U);
  EXPECT_NE(client.ask(request("GET", "/nowhere")).headers.at("x-request-id"), made);
  for (const std::string& wrong : {std::string(65, 'x'), std::string("a b"), std::string("a\"b"), std::string("\xC3\xA9"), std::string()})
    EXPECT_NE(client.ask(request("GET", "/healthz", {}, "X-Request-Id: " + wrong + "\r\n")).headers.at("x-request-id"), wrong);
  EXPECT_EQ(client.ask(request("POST", "/v1/items", "{}\n", "Content-Type: application/x-ndjson\r\nX-Request-Id: bulk\r\n"))
                .headers.at("x-request-id"),
            "bulk");
  const std::vector<std::string> lines = log_of(9);
  EXPECT_TRUE(contains(lines.at(0), "\"request_id\":\"abc-1.2_Z\"")) << lines.at(0);
  EXPECT_TRUE(contains(lines.at(1), "\"request_id\":\"" + made + "\"")) << lines.at(1);
}

TEST_F(ServerInterface, AQueryFindsNeighboursBestFirstWithTheirSimilarity) {
  start();
  ask("PUT", "/v1/items/same", R"({"text":")" + std::string(kFox) + R"(","metadata":{"lang":"en","year":2024}})");
  ask("PUT", "/v1/items/near", R"({"text":")" + std::string(kNearFox) + R"(","metadata":{"lang":"en","year":2025}})");
  ask("PUT", "/v1/items/far", text_body("something else altogether that has nothing to do with animals"));
  const std::string all = ask("POST", "/v1/query", text_body(kFox)).body;
  const IndexAnswer direct = index_->query(kFox, {.limit = 10});
  ASSERT_EQ(direct.hits.size(), 2U);
  EXPECT_TRUE(all.starts_with("{\"hits\":[{\"id\":\"same\",\"similarity\":1},{\"id\":\"near\",\"similarity\":0.")) << all;
  EXPECT_TRUE(contains(all, "\"looked_at\":2,\"stopped_early\":false}")) << all;
  const auto with = [&](const std::string& more) {
    return ask("POST", "/v1/query", "{\"text\":\"" + std::string(kFox) + "\"," + more + "}").body;
  };
  EXPECT_FALSE(contains(with("\"limit\":1"), "near"));
  EXPECT_FALSE(contains(with("\"threshold\":0.99"), "near"));
  EXPECT_FALSE(contains(with("\"where\":{\"year\":2025}"), "same"));
  EXPECT_TRUE(contains(with("\"where\":{\"year\":2025,\"lang\":\"en\"}"), "near"));
  EXPECT_TRUE(contains(with("\"metadata\":true"), "\"metadata\":{\"lang\":\"en\",\"year\":2024}"));
  EXPECT_TRUE(contains(with("\"max_candidates\":1"), "\"stopped_early\":true"));
  const std::string explained = with("\"explain\":true");
  EXPECT_TRUE(contains(explained, "\"explain\":{\"plan\":\"jaccard>=0.5 ")) << explained;
  EXPECT_TRUE(contains(explained, "\"size\":16,\"found_at_threshold\":0.9")) << explained;
}

TEST_F(ServerInterface, WhatCannotBeAskedIsRefusedWithTheValueAndTheWayOut) {
  start();
  const auto detail = [&](const std::string& body, int status = 422) {
    const Response response = ask("POST", "/v1/query", body);
    EXPECT_EQ(response.status, status) << body << response.body;
    return response.body;
  };
  EXPECT_TRUE(contains(detail("{\"text\":\"a\",\"treshold\":0.9}"), "no field \\\"treshold\\\"; there are id, text"));
  EXPECT_TRUE(contains(detail("{\"text\":\"a\",\"id\":\"a\"}"), "body: it has both id and text; one of them is expected"));
  EXPECT_TRUE(contains(detail("{\"id\":7}"), "id: "));
  EXPECT_TRUE(contains(detail("{\"id\":\"none\"}", 404), "there is no item"));
  EXPECT_TRUE(contains(detail("{\"text\":\"a\",\"threshold\":80}"), "threshold: 80 is not between 0 and 1"));
  EXPECT_TRUE(contains(detail("{\"text\":\"a\",\"threshold\":1.3}"), "threshold: 1.3 is not between 0 and 1"));
  EXPECT_TRUE(contains(detail("{\"text\":\"a\",\"threshold\":0.1}"), "0.1"));
  EXPECT_TRUE(contains(detail("{\"text\":\"a\",\"radius\":1}"), "radius: jaccard is a similarity; give \\\"threshold\\\""));
  EXPECT_TRUE(contains(detail("{\"text\":\"a\",\"limit\":-1}"), "limit: -1 is not a whole number"));
  EXPECT_TRUE(contains(detail("{\"text\":\"a\",\"where\":{\"x\":[1]}}"), "where: an array is not"));
  EXPECT_TRUE(contains(detail("{\"text\":7}"), "text: 7 is not a string"));
  EXPECT_TRUE(contains(detail("{\"vector\":[1,2]}"), "give \\\"text\\\""));
  EXPECT_TRUE(contains(detail("{\"text\":\"a\",\"bits\":\"01\"}"), "both text and bits"));
  EXPECT_TRUE(contains(detail("{}"), "no field \\\"text\\\""));
  EXPECT_TRUE(contains(detail("[1]"), "is not an object"));
  EXPECT_TRUE(contains(detail("{\"text\":\"a\"", 400), "not JSON at byte 11 of 11"));
  EXPECT_TRUE(contains(detail("{\"text\":\"\xff\"}", 400), "not JSON at byte"));
}

TEST_F(ServerInterface, TextsAreComparedSideBySide) {
  start();
  ask("PUT", "/v1/items/fox", text_body(kFox));
  const Response response = ask("POST", "/v1/compare", "{\"a\":{\"id\":\"fox\"},\"b\":" + text_body(kNearFox) + "}");
  ASSERT_EQ(response.status, 200) << response.body;
  const json::object c = json::parse(response.body).as_object();
  EXPECT_EQ(c.at("shared").to_number<int>(), 15);
  EXPECT_EQ(c.at("total").to_number<int>(), 17);
  EXPECT_EQ(c.at("a").at("id").as_string(), "fox");
  EXPECT_FALSE(c.at("b").as_object().contains("id"));
  std::string joined;
  for (const json::value& part : c.at("b").at("parts").as_array()) joined += std::string(part.at("text").as_string());
  EXPECT_EQ(joined, kNearFox);
  EXPECT_TRUE(c.at("b").at("parts").at(0).at("shared").as_bool());
  EXPECT_EQ(c.at("a").at("parts").at(0).at("passage"), c.at("b").at("parts").at(0).at("passage"));
  for (const json::value& part : c.at("b").at("parts").as_array()) {
    EXPECT_EQ(part.as_object().contains("passage"), part.at("shared").as_bool());
  }
  EXPECT_EQ(ask("POST", "/v1/compare", R"({"a":{"id":"wolf"},"b":{"text":"x"}})").status, 404);
  EXPECT_EQ(ask("POST", "/v1/compare", R"({"a":{"id":"fox","text":"y"},"b":{"text":"x"}})").status, 422);
  EXPECT_EQ(ask("POST", "/v1/compare", R"({"a":{"id":"fox"}})").status, 422);
}

TEST_F(ServerInterface, ATextThatIsNotKeptCannotBeShown) {
  make_index(false);
  start();
  ask("PUT", "/v1/items/fox", text_body(kFox));
  const Response response = ask("POST", "/v1/compare", R"({"a":{"id":"fox"},"b":{"text":"x"}})");
  EXPECT_EQ(response.status, 409);
  EXPECT_TRUE(contains(response.body, "create the index with --store-texts"));
  EXPECT_FALSE(contains(ask("GET", "/v1/items/fox").body, "text"));
}

TEST_F(ServerInterface, SetsAreGivenAsArrays) {
  make_index(tune({.threshold = 0.5}, {.shingle = ShinglePlan{.token = Token::element, .size = 1, .normalise = Normalise::none}}));
  start();
  EXPECT_EQ(ask("PUT", "/v1/items/s", R"({"set":["a","b",3]})").status, 201);
  EXPECT_TRUE(contains(ask("POST", "/v1/query", R"({"set":["3","b"]})").body, "\"id\":\"s\",\"similarity\":0.666666"));
  EXPECT_TRUE(contains(ask("POST", "/v1/query", R"({"text":"a b 3"})").body, "\"similarity\":1}"));
  EXPECT_TRUE(contains(ask("PUT", "/v1/items/t", R"({"set":["a b"]})").body, "\\\"a b\\\" is empty or has a blank"));
}

TEST_F(ServerInterface, VectorsAreGivenDenseOrSparse) {
  make_index(tune({.measure = Measure::cosine, .threshold = 0.9}, {.kind = Kind::numbers}));
  start();
  EXPECT_EQ(ask("PUT", "/v1/items/v", R"({"vector":[1,0.5,-2]})").status, 201);
  EXPECT_TRUE(contains(ask("POST", "/v1/query", R"({"vector":[2,1,-4]})").body, "\"id\":\"v\""));
  EXPECT_EQ(ask("PUT", "/v1/items/w", R"({"vector":[1,2]})").status, 422);
  EXPECT_EQ(ask("PUT", "/v1/items/w", R"({"vector":{"0":1}})").status, 422);
  EXPECT_EQ(ask("PUT", "/v1/items/w", R"({"vector":[1,1e300,2]})").status, 422);
  EXPECT_EQ(ask("PUT", "/v1/items/w", R"({"vector":[]})").status, 422);
  EXPECT_EQ(ask("POST", "/v1/compare", R"({"a":{"id":"v"},"b":{"id":"v"}})").status, 409);
  EXPECT_TRUE(contains(ask("GET", "/v1/index").body, "\"vectors\":\"dense 3\""));
}

TEST_F(ServerInterface, ContainmentIsAskedInBothDirections) {
  make_index(tune({.measure = Measure::containment, .threshold = 0.5, .recall = 1}, {.shingle = ShinglePlan{.size = 1}}));
  start();
  EXPECT_EQ(ask("PUT", "/v1/items/long", text_body("one two three four five six seven eight")).status, 201);
  EXPECT_EQ(ask("PUT", "/v1/items/short", text_body("one two three nine")).status, 201);
  const auto asked = [&](const std::string& share_of) {
    return ask("POST", "/v1/query", R"({"text":"one two three four","share_of":")" + share_of + "\"}").body;
  };
  EXPECT_TRUE(contains(asked("query"), R"("hits":[{"id":"long","similarity":1},{"id":"short","similarity":0.75}])")) << asked("query");
  EXPECT_TRUE(contains(asked("item"), R"("hits":[{"id":"short","similarity":0.75},{"id":"long","similarity":0.5}])")) << asked("item");
  EXPECT_EQ(ask("POST", "/v1/query", R"({"text":"one","share_of":"both"})").status, 422);
}

TEST_F(ServerInterface, BitsAndDistancesHaveARadius) {
  make_index(tune({.measure = Measure::hamming, .radius = 2.0}, {.kind = Kind::bits, .dimensions = 16}));
  start();
  EXPECT_EQ(ask("PUT", "/v1/items/v", R"({"bits":"0101010101010101"})").status, 201);
  EXPECT_TRUE(contains(ask("POST", "/v1/query", R"({"bits":"0101010101010100"})").body, "{\"id\":\"v\",\"distance\":1}"));
  EXPECT_EQ(ask("POST", "/v1/query", R"({"bits":"0101010101010100","threshold":0.5})").status, 422);
  EXPECT_EQ(ask("POST", "/v1/query", R"({"bits":"01010101010101001"})").status, 422);
  EXPECT_EQ(ask("POST", "/v1/query", R"({"bits":"012"})").status, 422);
  EXPECT_TRUE(contains(ask("GET", "/v1/index").body, "\"radius\":2,"));
}

TEST_F(ServerInterface, TheIndexTellsItsPlanSizeAndCurve) {
  start();
  ask("PUT", "/v1/items/fox", text_body(kFox));
  const json::object info = json::parse(ask("GET", "/v1/index").body).as_object();
  EXPECT_EQ(std::string(info.at("plan").as_string()), to_string(index_->plan()));
  EXPECT_EQ(info.at("items").to_number<int>(), 1);
  EXPECT_EQ(info.at("threshold").to_number<double>(), 0.5);
  EXPECT_GT(info.at("bytes").to_number<int>(), 0);
  EXPECT_TRUE(info.at("texts").as_bool());
  ASSERT_EQ(info.at("curve").as_array().size(), 101U);
  EXPECT_NEAR(info.at("curve").at(50).at("found").to_number<double>(), found_probability(index_->plan(), 0.5), 1e-6);
  const Response curve = ask("GET", "/v1/index/curve");
  EXPECT_EQ(curve.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(curve.body, curve_html(index_->plan()));
  EXPECT_TRUE(contains(curve.body, "threshold 0.5</text>"));
}

TEST_F(ServerInterface, MetricsCountRequestsByRouteAndStatus) {
  start();
  ask("PUT", "/v1/items/fox", text_body(kFox));
  ask("GET", "/v1/items/wolf");
  log_of(2);
  const Response metrics = ask("GET", "/metrics");
  EXPECT_EQ(metrics.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_TRUE(contains(metrics.body, "nearkin_requests_total{route=\"PUT /v1/items/{id}\",status=\"201\"} 1\n"));
  EXPECT_TRUE(contains(metrics.body, "nearkin_requests_total{route=\"GET /v1/items/{id}\",status=\"404\"} 1\n"));
  EXPECT_TRUE(contains(metrics.body, "nearkin_request_seconds_bucket{route=\"PUT /v1/items/{id}\",le=\"+Inf\"} 1\n"));
  EXPECT_TRUE(contains(metrics.body, "\nnearkin_items 1\n"));
  EXPECT_TRUE(contains(metrics.body, "\nnearkin_in_flight 1\n"));
}

TEST_F(ServerInterface, EachRequestHasOneLineInTheLog) {
  Client client(start());
  client.ask(request("PUT", "/v1/items/fox", text_body(kFox)));
  client.ask(request("GET", "/v1/items/%22wolf?x=1"));
  const std::vector<std::string> lines = log_of(2);
  ASSERT_EQ(lines.size(), 2U);
  const json::object first = json::parse(lines[0]).as_object(), second = json::parse(lines[1]).as_object();
  EXPECT_EQ(first.at("method").as_string(), "PUT");
  EXPECT_EQ(first.at("path").as_string(), "/v1/items/fox");
  EXPECT_EQ(first.at("status").to_number<int>(), 201);
  EXPECT_EQ(first.at("remote").as_string(), "127.0.0.1");
  EXPECT_GT(first.at("bytes").to_number<int>(), 100);
  EXPECT_EQ(second.at("status").to_number<int>(), 404);
  EXPECT_TRUE(contains(std::string(second.at("error").as_string()), "there is no item"));
}

TEST_F(ServerInterface, ThePageHasAStrictPolicyAndItsFiles) {
  start();
  for (const auto& [path, type] : {std::pair("/", "text/html"),
                                   {"/app.js", "text/javascript"},
                                   {"/address.js", "text/javascript"},
                                   {"/served.js", "text/javascript"},
                                   {"/parts.js", "text/javascript"},
                                   {"/pair.js", "text/javascript"},
                                   {"/viewer.js", "text/javascript"},
                                   {"/shared.js", "text/javascript"},
                                   {"/shared.css", "text/css"},
                                   {"/style.css", "text/css"}}) {
    const Response response = ask("GET", path);
    EXPECT_EQ(response.status, 200);
    EXPECT_FALSE(response.body.empty());
    EXPECT_TRUE(response.headers.at("content-type").starts_with(type));
    EXPECT_TRUE(contains(response.headers.at("content-security-policy"), "default-src 'none'; script-src 'self';"));
    EXPECT_EQ(response.headers.at("x-content-type-options"), "nosniff");
    EXPECT_EQ(response.headers.at("referrer-policy"), "no-referrer");
  }
}

TEST_F(ServerInterface, HealthAndReadinessAreSaid) {
  start();
  EXPECT_EQ(ask("GET", "/healthz").body, "ok\n");
  EXPECT_EQ(ask("GET", "/readyz").body, "ok\n");
  Client client(server_->port());
  client.send(request("HEAD", "/healthz"));
  const Response head = client.read(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-length"), "3");
  EXPECT_EQ(client.ask(request("GET", "/healthz")).body, "ok\n");
}

TEST_F(ServerInterface, TheDescriptionHasEachRouteAndNoOther) {
  const json::object document = json::parse(server::embedded("openapi.json")).as_object();
  EXPECT_EQ(document.at("openapi").as_string(), "3.1.0");
  std::set<std::string> described, there;
  for (const auto& path : document.at("paths").as_object()) {
    for (const auto& operation : path.value().as_object()) {
      if (operation.key() == "parameters") continue;
      std::string method(operation.key());
      for (char& c : method) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      described.insert(method + " " + std::string(path.key()));
    }
  }
  for (const server::Route& route : server::routes()) {
    there.insert(server::name(route));
    const auto& operation = document.at("paths")
                                .at(route.path)
                                .at(route.method == "GET"    ? "get"
                                    : route.method == "PUT"  ? "put"
                                    : route.method == "POST" ? "post"
                                                             : "delete")
                                .as_object();
    EXPECT_EQ(operation.contains("security"), !route.open) << server::name(route);
    EXPECT_EQ(operation.contains("requestBody"), route.body != server::Route::Body::none) << server::name(route);
  }
  EXPECT_EQ(described, there);
  start({.token = "0123456789abcdef"});
  EXPECT_EQ(ask("GET", "/openapi.json").body, server::embedded("openapi.json"));
  start();
  const json::object open = json::parse(ask("GET", "/openapi.json").body).as_object();
  for (const auto& path : open.at("paths").as_object()) {
    for (const auto& operation : path.value().as_object())
      EXPECT_FALSE(operation.value().is_object() && operation.value().as_object().contains("security")) << path.key();
  }
}

TEST_F(ServerInterface, ServeEndsOnATermSignalWithItsWritesDone) {
  make_index();
  std::atomic<unsigned short> port{0};
  std::thread ends([&] {
    for (int i = 0; i < 6000 && port == 0; ++i) ::usleep(10'000);
    Client client(port);
    client.send(request("PUT", "/v1/items/last", text_body(kFox)));
    EXPECT_EQ(client.read().status, 201);
    ::kill(::getpid(), SIGTERM);
  });
  server::serve(*index_, {.port = 0, .log = [](const std::string&) {}}, [&](const server::Server& server) { port = server.port(); });
  ends.join();
  EXPECT_TRUE(index_->get("last").has_value());
  EXPECT_THROW(Client{port}, std::runtime_error);
}

}  // namespace
}  // namespace nearkin::server_test::interface_test
