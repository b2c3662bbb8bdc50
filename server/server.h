// The HTTP server over an index: JSON interface, page, metrics (docs/server.md). Plain values; what serves is hidden.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/index.h>

namespace nearkin::server {

/// What one client may take. Each has an answer of its own: 431, 413, 408, 503.
struct ServerLimits {
  std::size_t header_bytes = 16 << 10;  ///< request line and header fields; 431 beyond
  std::size_t body_bytes = 16 << 20;  ///< one item, query or comparison, and one line of a bulk body, which has no bound itself; 413 beyond
  std::size_t buffered_bytes = 40 << 20;  ///< bodies, their JSON and answers, of all requests at one time; 503 beyond
  std::uint32_t connections = 1024;       ///< at one time; 503 beyond
  double requests_per_second = 0;         ///< of one client, by its address; 429 beyond. 0: any number
  double header_seconds = 10;  ///< until the first byte of a connection; and from that of a request to the end of its header; 408
  double body_seconds = 60;    ///< to receive a whole body; 408. A bulk body: from one part to the next
  double query_seconds = 30;   ///< from the end of a query's body to its answer; 503 with what was found beyond
  double write_seconds = 60;   ///< in which a client must take 64 KiB of an answer, or the rest; closed beyond
  double idle_seconds = 75;    ///< between two requests of a connection; closed beyond
  double stop_seconds = 30;    ///< in which requests that are under way may finish when the server stops; then queries end, writes go on
};

struct ServerOptions {
  std::string address = "127.0.0.1";           ///< an IP address, or localhost; other than loopback only with a token
  unsigned short port = 8787;                  ///< 0: any free one, see Server::port
  std::optional<std::string> token = {};       ///< what `Authorization: Bearer` must bring for /v1 and /metrics
  std::optional<std::string> read_token = {};  ///< the same for requests that change nothing; only beside `token`
  /// Files in PEM format, both or neither: the server speaks HTTPS with this certificate, its chain behind it.
  std::optional<std::string> tls_certificate = {}, tls_key = {};
  std::optional<std::string> backup_folder = {};  ///< where POST /v1/backups may put copies of the index; must exist
  /// Without a token only requests to a loopback name or address are answered (another site's page could reach the server by a name of its
  /// own otherwise; 421). These are answered too: the names under which a reverse proxy passes requests on.
  std::vector<std::string> hosts = {};
  unsigned threads = 0;  ///< that ask the index; 0: one for each core, two at least
  ServerLimits limits = {};
  /// Takes each line of the log, without its end, from one thread of its own; lines are dropped while it lags far behind. Absent: standard
  /// error.
  std::function<void(const std::string& line)> log = {};
};

/// Where to listen.
struct Listen {
  std::string address;
  unsigned short port = 0;
};
/// "127.0.0.1:8787", "[::1]:8787", "localhost:8787", ":8787" (loopback), "8787". Throws Error(plan) naming `subject`.
Listen parse_listen(std::string_view text, const std::string& subject = "listen");
/// The token of a file: its one line, without blanks around it. Throws Error(file) where it cannot be read, for a file that others can read
/// (`require_private`), and for one that is empty, has several lines, fewer than 16 characters, or others than a header can hold.
std::string read_token_file(const std::string& path);
/// Throws Error(file) for a secret that every user can read or write, or that belongs to this user and is open to its group.
void require_private(const std::string& path);

/// Answers from threads of its own, from construction to `stop`.
class Server {
 public:
  /// The index must outlive the server. Throws Error(plan) for an address that needs a token, Error(file) naming the address where it
  /// cannot be listened at.
  explicit Server(Index& index, ServerOptions options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  unsigned short port() const;
  /// "http://127.0.0.1:8787"
  std::string url() const;
  /// Takes no further connection or request, lets those under way finish, and returns when all is still. Any thread, any number of times.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Serves until SIGTERM, SIGINT or SIGHUP (unless that is ignored), then stops as Server does. `started` is called once the server answers.
void serve(Index& index, const ServerOptions& options = {}, const std::function<void(const Server&)>& started = {});

}  // namespace nearkin::server
