// Running a test once with every instruction set at hand.
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>

namespace nearkin::test {

/// Runs the body once with each instruction set that this machine and this build have, best first.
template <typename Body>
void with_each_instruction_set(Body&& body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, hwy::TargetName(target));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace nearkin::test
