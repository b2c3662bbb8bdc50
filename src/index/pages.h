// Checks every page of the tables' file, which LMDB itself does not do when it reads.
#pragma once

#include <functional>
#include <string>

#include "index/store.h"

namespace nearkin {

/// Walks over all pages that the transaction's state of the tables reaches, and calls `problem` for each bad one: a copy of another page, a
/// header that contradicts its nodes, a page used twice or listed as free, wrong counts. Reads use only parts of a page, so they may not
/// notice; changes use the other parts too, and would end the process or overwrite pages in use. Returns false if the tables have changed
/// so much since the transaction began that its state cannot be found; then begin another.
bool check_pages(const Transaction& transaction, const std::function<void(const std::string&)>& problem);

}  // namespace nearkin
