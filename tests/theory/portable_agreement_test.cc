#include "theory/chances.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <nearkin/tools/theory.h>

namespace nearkin::portable_agreement_test {
namespace {

Plan plan_for(Measure measure, Family family, double width = 0, std::uint32_t dimensions = 0) {
  Plan plan;
  plan.measure = measure;
  plan.sketch = {.hashes = 1, .family = family, .width = width, .dimensions = dimensions};
  return plan;
}

TEST(PortableAgreement, IsTheAgreementOfEveryFamily) {
  const Plan cosine = plan_for(Measure::cosine, Family::hyperplane), jaccard = plan_for(Measure::jaccard, Family::minhash);
  const Plan weighted = plan_for(Measure::weighted_jaccard, Family::weighted_minhash);
  for (double s = -1; s <= 1; s += 1.0 / 512) EXPECT_NEAR(portable_agreement(cosine, s), agreement(cosine, s), 1e-12) << s;
  for (double s = 0; s <= 1; s += 1.0 / 64) EXPECT_NEAR(portable_agreement(jaccard, s), agreement(jaccard, s), 1e-12) << s;
  for (double s = 0; s <= 1; s += 1.0 / 64) EXPECT_NEAR(portable_agreement(weighted, s), agreement(weighted, s), 1e-12) << s;
  const Plan bits = plan_for(Measure::hamming, Family::bit_sampling, 0, 100), answers = plan_for(Measure::hamming, Family::minhash, 0, 100);
  for (int d = 0; d <= 100; ++d) EXPECT_NEAR(portable_agreement(bits, d), agreement(bits, d), 1e-12) << d;
  for (int d = 0; d <= 100; ++d) EXPECT_NEAR(portable_agreement(answers, d), agreement(answers, d), 1e-12) << d;
  const Plan euclidean = plan_for(Measure::euclidean, Family::gaussian, 4), manhattan = plan_for(Measure::manhattan, Family::cauchy, 4);
  for (double d = 1e-3; d < 1e7; d *= 1.07) EXPECT_NEAR(portable_agreement(euclidean, d), agreement(euclidean, d), 1e-12) << d;
  for (double d = 1e-3; d < 1e7; d *= 1.07) EXPECT_NEAR(portable_agreement(manhattan, d), agreement(manhattan, d), 1e-12) << d;
  EXPECT_EQ(portable_agreement(euclidean, 0), 1);
  EXPECT_EQ(portable_agreement(manhattan, 0), 1);
}

TEST(PortableAgreement, HasACosine) {
  for (double x = 0; x <= 1; x += 1.0 / 300) EXPECT_NEAR(portable_cos_pi(x), std::cos(std::numbers::pi * x), 1e-15) << x;
  EXPECT_EQ(portable_cos_pi(0), 1);
  EXPECT_EQ(portable_cos_pi(1), -1);
}

}  // namespace
}  // namespace nearkin::portable_agreement_test
