#include <nearkin/nearkin.h>

namespace nearkin {
const char* version() { return NEARKIN_VERSION; }
}  // namespace nearkin
