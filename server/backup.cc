// Copies of the index, in the folder that the server was started with.
#include <filesystem>

#include <fmt/format.h>

#include "decode.h"
#include "handlers.h"
#include "json_out.h"

namespace nearkin::server {
namespace {

/// One at a time: each reads all of the index.
class OneBackup {
 public:
  explicit OneBackup(std::atomic<bool>& under_way) : under_way_(under_way) {
    if (under_way_.exchange(true)) throw Problem(503, "backup: another is being made; try again when it is done", {{"Retry-After", "10"}});
  }
  ~OneBackup() { under_way_ = false; }
  OneBackup(const OneBackup&) = delete;
  OneBackup& operator=(const OneBackup&) = delete;

 private:
  std::atomic<bool>& under_way_;
};

}  // namespace

Reply make_backup(App& app, Exchange& exchange) {
  if (!app.options.backup_folder) throw Problem(409, "backup: the server has no folder for it; start it with --backup-folder DIR");
  const std::string name = decode_backup_name(exchange.request.body, exchange.charge);
  const OneBackup alone(app.backing_up);
  const std::filesystem::path path = std::filesystem::path(*app.options.backup_folder) / name;
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored)))
    throw Problem(409, fmt::format("name: there is a {} in the folder already; choose another", shown(name)));
  app.index.backup(path.string());
  const Index copy = Index::open(path.string(), Index::Access::read);
  return {.status = 201, .body = JsonObject().add("name", name).add("items", copy.info().items).line()};
}

}  // namespace nearkin::server
