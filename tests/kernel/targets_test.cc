// The kernels that are chosen are those that Highway's own library would choose.
#include <dlfcn.h>

#include <cstdint>
#include <memory>

#include <gtest/gtest.h>
#include <hwy/highway.h>

namespace nearkin::targets_test {
namespace {

TEST(Targets, AreThoseOfHighway) {
  const std::unique_ptr<void, int (*)(void*)> library(::dlopen("libhwy.so.1", RTLD_NOW | RTLD_LOCAL), &::dlclose);
  if (!library) GTEST_SKIP() << "Highway is not a shared library here";
  const auto supported = reinterpret_cast<std::int64_t (*)()>(::dlsym(library.get(), "_ZN3hwy16SupportedTargetsEv"));
  ASSERT_NE(supported, nullptr);
  EXPECT_EQ(hwy::SupportedTargets() & HWY_TARGETS, supported() & HWY_TARGETS);
}

}  // namespace
}  // namespace nearkin::targets_test
