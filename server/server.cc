#include "server.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <nearkin/error.h>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include "app.h"
#include "session.h"
#include "socket.h"
#include "tls.h"

namespace nearkin::server {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

unsigned worker_count(unsigned asked) { return asked > 0 ? asked : std::max(2U, std::thread::hardware_concurrency()); }

/// Connections are files: the limit on these is raised as far as it may be, and what it does not allow is not promised. Throws Error(file)
/// where it leaves too few to answer anybody.
ServerOptions within_files(ServerOptions options) {
  constexpr rlim_t kLeast = 64;    // the index, what serves, connections that are refused, and one that is not
  constexpr rlim_t kOthers = 128;  // the index, answers that wait, connections that are refused
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return options;
  const rlim_t wanted = options.limits.connections + kOthers;
  if (files.rlim_cur < wanted) {
    files.rlim_cur = std::min(wanted, files.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &files);
    ::getrlimit(RLIMIT_NOFILE, &files);
  }
  if (files.rlim_cur < kLeast)
    throw Error(ErrorCode::file, "open files",
                fmt::format("the limit of {} leaves none for connections; raise it to {} or more (ulimit -n)", files.rlim_cur, kLeast));
  const rlim_t room = files.rlim_cur > kOthers ? files.rlim_cur - kOthers : 1;
  options.limits.connections = static_cast<std::uint32_t>(std::clamp<rlim_t>(options.limits.connections, 1, room));
  return options;
}

/// Large bodies go back to the system when they are done with. Left to itself the C library would raise the size from which it does that
/// with the first of them, and keep as much for each thread.
void give_memory_back() {
#if defined(__GLIBC__)
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

asio::ip::address address_of(const std::string& text) {
  if (text == "localhost") return asio::ip::address_v4::loopback();
  boost::system::error_code error;
  const asio::ip::address address = asio::ip::make_address(text, error);
  if (error)
    throw Error(ErrorCode::plan, "listen",
                fmt::format("{} is not an IP address; give one of this machine, such as 127.0.0.1 or ::1", text.empty() ? "''" : text));
  return address;
}

/// Throws Error(plan) for what is no address, and for one that others can reach where there is no token.
tcp::endpoint endpoint_of(const ServerOptions& options) {
  const asio::ip::address address = address_of(options.address);
  if (options.token && options.token->empty()) throw Error(ErrorCode::plan, "token", "it is empty; a token has 16 characters or more");
  if (options.read_token && !options.token)
    throw Error(ErrorCode::plan, "read_token", "it needs a token that may write beside it; give that too");
  if (options.read_token && (options.read_token->empty() || options.read_token == options.token))
    throw Error(ErrorCode::plan, "read_token", "it is empty, or the same as the token that may write; give another");
  if (!options.token && !address.is_loopback()) {
    throw Error(ErrorCode::plan, "listen",
                fmt::format("{} can be reached from other machines; give a token file, or listen at 127.0.0.1", options.address));
  }
  return {address, options.port};
}

/// Null: the server speaks plain HTTP.
std::unique_ptr<TlsContext> tls_of(const ServerOptions& options) {
  if (options.tls_certificate.has_value() != options.tls_key.has_value())
    throw Error(ErrorCode::plan, options.tls_key ? "tls_certificate" : "tls_key", "is missing; a certificate and its key go together");
  return options.tls_key ? open_tls(*options.tls_certificate, *options.tls_key) : nullptr;
}

/// A backup within the index would be part of it, and is refused when it is made.
void require_backup_folder(const ServerOptions& options, const std::string& index) {
  namespace fs = std::filesystem;
  if (!options.backup_folder) return;
  std::error_code error;
  if (!fs::is_directory(*options.backup_folder, error))
    throw Error(ErrorCode::file, *options.backup_folder, "is not a folder; create it, or name another for backups");
  const fs::path own = fs::canonical(index, error), backups = fs::canonical(*options.backup_folder, error);
  if (error || std::mismatch(own.begin(), own.end(), backups.begin(), backups.end()).first != own.end()) return;
  throw Error(ErrorCode::file, *options.backup_folder, fmt::format("is in the folder of the index itself, {}; name one beside it", index));
}

/// "127.0.0.1:8787", "[::1]:8787"
std::string text_of(const tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return fmt::format("{}:{}", endpoint.address().is_v6() ? "[" + address + "]" : address, endpoint.port());
}

tcp::acceptor listener(asio::io_context& io, const tcp::endpoint& endpoint) {
  try {
    tcp::acceptor acceptor(asio::make_strand(io));
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    acceptor.bind(endpoint);
    acceptor.listen();
    return acceptor;
  } catch (const boost::system::system_error& failure) {
    throw Error(ErrorCode::file, text_of(endpoint),
                failure.code() == asio::error::address_in_use
                    ? "is already in use; choose another port"
                    : fmt::format("cannot be used ({}); choose another address or port", failure.code().message()));
  }
}

}  // namespace

struct Server::State {
  State(Index& index, ServerOptions options)
      : asked_connections(options.limits.connections),
        app(index, within_files(std::move(options))),
        acceptor(listener(io, endpoint_of(app.options))),
        pause(acceptor.get_executor()),
        endpoint(acceptor.local_endpoint()),
        tls(tls_of(app.options)),
        turns([this](Turns::Job job) { asio::post(io, std::move(job)); }, worker_count(app.options.threads)),
        probes([this](Turns::Job job) { asio::post(io, std::move(job)); }, 1) {
    require_backup_folder(app.options, index.folder());
  }

  void start();
  void accept();
  void on_accept(const boost::system::error_code& error, Socket socket);
  bool evict_one();
  void stop();

  const std::uint32_t asked_connections;
  App app;
  asio::io_context io;
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(io);
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  const tcp::endpoint endpoint;
  const std::unique_ptr<TlsContext> tls;
  Sessions sessions;
  Turns turns, probes;
  std::vector<std::thread> threads;
  std::mutex stopping;
  bool stopped = false;
};

void Server::State::start() {
  give_memory_back();
  if (const std::uint32_t most = app.options.limits.connections; most < asked_connections) {
    app.log.event(fmt::format("connections: the limit on open files (ulimit -n) allows {} at one time, not {}", most, asked_connections));
  }
  // Beside those that ask the index, one for what shall not wait for them, there is always one that carries bytes.
  const unsigned asking = worker_count(app.options.threads) + 1;
  for (unsigned i = 0; i < asking + 1 + asking / 8; ++i) threads.emplace_back([this] { io.run(); });
  asio::post(acceptor.get_executor(), [this] { accept(); });
}

void Server::State::accept() {
  acceptor.async_accept(asio::make_strand(io), [this](const boost::system::error_code& error, decltype(Socket::socket) socket) {
    on_accept(error, {std::move(socket)});
  });
}

void Server::State::on_accept(const boost::system::error_code& error, Socket socket) {
  constexpr std::size_t kRefusing = 32;  // at one time; beyond them connections are closed without a word
  if (app.stopping || error == asio::error::operation_aborted) return;
  if (error) {  // such as no files left: others may end meanwhile
    app.log.event(fmt::format("no connection could be accepted, {}", error.message()));
    pause.expires_after(std::chrono::milliseconds(100));
    pause.async_wait([this](const boost::system::error_code& cancelled) {
      if (!cancelled) accept();
    });
    return;
  }
  const std::size_t open = sessions.size();
  const std::size_t most = app.options.limits.connections;
  const bool room = open < most || (open < most + kRefusing && evict_one());
  room ? ++app.metrics.accepted : ++app.metrics.refused;
  if (open < most + kRefusing) {
    const auto session = std::make_shared<Session>(std::move(socket), SessionContext{app, turns, probes, sessions, tls.get()});
    room ? session->start() : session->refuse();
  }
  accept();
}

/// A silent connection gives way to a new one.
bool Server::State::evict_one() {
  const std::shared_ptr<Session> silent = sessions.longest_silent();
  if (!silent) return false;
  ++app.metrics.evicted;
  silent->evict();
  return true;
}

void Server::State::stop() {
  const std::lock_guard lock(stopping);
  if (stopped) return;
  app.stopping = true;
  asio::post(acceptor.get_executor(), [this] {
    boost::system::error_code ignored;
    acceptor.close(ignored);
    pause.cancel();
  });
  sessions.each([](Session& session) { session.stop(); });
  const auto grace =
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(app.options.limits.stop_seconds));
  if (!sessions.wait_until_gone(std::chrono::steady_clock::now() + grace)) {
    app.log.event("unfinished connections are closed");
    app.ending = true;
    sessions.each([](Session& session) { session.abort(); });
  }
  turns.wait_until_still();
  probes.wait_until_still();
  app.writer.stop();
  work.reset();
  for (std::thread& thread : threads) thread.join();
  stopped = true;
}

Server::Server(Index& index, ServerOptions options) : state_(std::make_unique<State>(index, std::move(options))) { state_->start(); }

Server::~Server() { stop(); }

unsigned short Server::port() const { return state_->endpoint.port(); }

std::string Server::url() const { return (state_->tls ? "https://" : "http://") + text_of(state_->endpoint); }

void Server::stop() { state_->stop(); }

static bool is_ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void serve(Index& index, const ServerOptions& options, const std::function<void(const Server&)>& started) {
  within_files(options);  // before signals and the like take files and fail without a way out
  // Where nobody reads the log any more the server goes on.
  std::signal(SIGPIPE, SIG_IGN);
  asio::io_context io;
  asio::signal_set signals(io, SIGTERM, SIGINT);
  if (!is_ignored(SIGHUP)) signals.add(SIGHUP);  // nohup has it ignored
  signals.async_wait([](const boost::system::error_code&, int) {});
  Server server(index, options);
  if (started) started(server);
  io.run();
  server.stop();
}

}  // namespace nearkin::server
