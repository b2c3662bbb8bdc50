// Calls into LMDB that may meet a page which is not what it should be. LMDB says so to a callback, and ends the process when that returns.
#pragma once

#include <csetjmp>

#include <lmdb.h>

namespace nearkin {

/// Where this thread goes on when what it reads is damaged; null while it is not within `reading`.
extern constinit thread_local std::jmp_buf* way_out_of_read;

/// For mdb_env_set_assert. Within `reading` it leaves LMDB, else it names the index on standard error and ends the process by abort():
/// LMDB is then in the middle of a change, with addresses of its callers' variables in the transaction, and can only be given up as a
/// whole.
void meet_damage(MDB_env* env, const char* what);

/// Calls an LMDB function that changes nothing, and returns what it returns, or MDB_CORRUPTED where it meets damage. A read holds no lock
/// and has nothing to undo, and neither it nor `read` may have anything to destroy: so it can be left by longjmp, which no exception
/// could do, because frames of C need not be made for those.
template <typename Read>
int reading(const Read& read) {
  std::jmp_buf here;
  way_out_of_read = &here;
  if (setjmp(here) != 0) {
    way_out_of_read = nullptr;
    return MDB_CORRUPTED;
  }
  const int code = read();
  way_out_of_read = nullptr;
  return code;
}

}  // namespace nearkin
