// The handlers of the routes; see docs/server.md for what each answers.
#pragma once

#include <memory>

#include "app.h"
#include "routes.h"

namespace nearkin::server {

void put_item(App& app, std::shared_ptr<Exchange> exchange, Done done);
void delete_item(App& app, std::shared_ptr<Exchange> exchange, Done done);
void delete_items(App& app, std::shared_ptr<Exchange> exchange, Done done);
Reply get_item(App& app, Exchange& exchange);
Reply list_items(App& app, Exchange& exchange);
Reply query_items(App& app, Exchange& exchange);
Reply compare_items(App& app, Exchange& exchange);
Reply make_backup(App& app, Exchange& exchange);
Reply index_info(App& app, Exchange& exchange);
Reply index_curve(App& app, Exchange& exchange);
Reply healthy(App& app, Exchange& exchange);
Reply ready(App& app, Exchange& exchange);
Reply metrics(App& app, Exchange& exchange);
Reply openapi(App& app, Exchange& exchange);
Reply page(App& app, Exchange& exchange);

}  // namespace nearkin::server
