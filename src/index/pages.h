// Every page of the tables' file, as LMDB's own reads do not look at it.
#pragma once

#include <functional>
#include <string>

#include "index/store.h"

namespace nearkin {

/// Walks over all pages that the transaction's state of the tables reaches, and calls `problem` for each that is not what it should be:
/// another page's copy, a header that its nodes contradict, a page in use twice or listed as free, counts that are wrong. Reads go by the
/// parts of a page that they need; changes need the others too, and would end the process, or write over pages in use.
/// False: others have changed the tables so often since the transaction began that its state cannot be found; begin another.
bool check_pages(const Transaction& transaction, const std::function<void(const std::string&)>& problem);

}  // namespace nearkin
