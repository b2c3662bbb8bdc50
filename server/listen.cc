// What a caller says about where to listen, and who may ask.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nearkin/error.h>

#include "server.h"

namespace nearkin::server {
namespace {

unsigned short port_of(std::string_view text, std::string_view whole, const std::string& subject) {
  unsigned short port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    throw Error(ErrorCode::plan, subject,
                fmt::format("{} has no port from 0 to 65535; write ADDRESS:PORT, such as 127.0.0.1:8787", whole.empty() ? "''" : whole));
  }
  return port;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

}  // namespace

Listen parse_listen(std::string_view text, const std::string& subject) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {.address = "127.0.0.1", .port = port_of(text, text, subject)};
  std::string_view address = text.substr(0, colon);
  const unsigned short port = port_of(text.substr(colon + 1), text, subject);
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  } else if (address.find(':') != std::string_view::npos) {
    throw Error(ErrorCode::plan, subject, fmt::format("{}: write an address with colons in brackets, such as [::1]:8787", text));
  }
  return {.address = address.empty() ? "127.0.0.1" : std::string(address), .port = port};
}

void require_private(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return;  // reading it will say what is wrong
  // A service manager may pass a file on by its group, or by an access list that shows as one; what this user owns it can close.
  const mode_t shared = S_IRWXO | S_IWGRP | (file.st_uid == ::geteuid() ? S_IRWXG : 0);
  if ((file.st_mode & shared) == 0) return;
  throw Error(ErrorCode::file, path,
              fmt::format("can be read by other users, its mode is {:o}; run 'chmod 600 {}'", file.st_mode & 07777, path));
}

std::string read_token_file(const std::string& path) {
  constexpr std::size_t kLeast = 16, kMost = 4096;
  require_private(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorCode::file, path, "cannot be read; a token file has one line, the token");
  std::string bytes(kMost + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  const std::string token = trimmed(bytes);
  const bool plain = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (bytes.size() > kMost || !plain)
    throw Error(ErrorCode::file, path, "is not a token; one line of visible ASCII characters is expected");
  if (token.size() < kLeast)
    throw Error(
        ErrorCode::file, path,
        fmt::format("has a token of {} characters; at least {} are needed, 'openssl rand -hex 32' makes one", token.size(), kLeast));
  return token;
}

}  // namespace nearkin::server
