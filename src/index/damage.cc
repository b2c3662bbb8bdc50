#include "index/damage.h"

#include <cstdio>
#include <cstdlib>

#include "index/store.h"

namespace nearkin {

constinit thread_local std::jmp_buf* way_out_of_read = nullptr;

void meet_damage(MDB_env* env, const char* what) {
  if (way_out_of_read != nullptr) std::longjmp(*way_out_of_read, 1);
  const auto* environment = static_cast<const Environment*>(mdb_env_get_userctx(env));
  std::fprintf(stderr, "nearkin: %s: is damaged (%s); restore it from a backup, or make the index again\n", environment->folder().c_str(),
               what);
  std::abort();
}

}  // namespace nearkin
