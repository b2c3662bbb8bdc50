// A server over a fresh index, for tests.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nearkin/nearkin.h>

#include "server/client.h"
#include "server/server.h"
#include "support/temp_dir.h"

namespace nearkin::server_test {

inline constexpr const char* kFox = "the quick brown fox jumps over the lazy dog and runs away into the deep dark wood";
inline constexpr const char* kNearFox = "the quick brown fox jumps over the lazy dog and runs away into the deep dark night";

class ServerTest : public testing::Test {
 protected:
  void TearDown() override { server_.reset(); }

  /// Texts, compared by words, at 0.5.
  void make_index(bool texts = true) { make_index(tune({.threshold = 0.5}, {.shingle = ShinglePlan{.size = 2}}), texts); }
  void make_index(const Plan& plan, bool texts = false) {
    index_.reset(new Index(Index::create(folder_.path("index"), plan, {.texts = texts})));
  }
  unsigned short start(server::ServerOptions options = {}) {
    if (!index_) make_index();
    options.port = 0;
    options.log = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      log_.push_back(line);
    };
    server_ = std::make_unique<server::Server>(*index_, options);
    return server_->port();
  }
  Response ask(std::string_view bytes) { return Client(server_->port()).ask(bytes); }
  Response ask(std::string_view method, std::string_view target, std::string_view body = {}, std::string_view more = {}) {
    return ask(request(method, target, body, more));
  }
  std::vector<std::string> log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  /// Lines are written after the answer: waits for so many.
  std::vector<std::string> log_of(std::size_t lines) {
    for (int i = 0; i < 6000 && log().size() < lines; ++i) ::usleep(10'000);
    return log();
  }

  test::TempDir folder_{std::filesystem::exists("/dev/shm") ? "/dev/shm"
                                                            : std::filesystem::temp_directory_path()};  // many writes wait for the disk
  std::unique_ptr<Index> index_;
  std::unique_ptr<server::Server> server_;

 private:
  std::mutex mutex_;
  std::vector<std::string> log_;
};

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

inline std::string text_body(std::string_view text) { return "{\"text\":\"" + std::string(text) + "\"}"; }

}  // namespace nearkin::server_test
