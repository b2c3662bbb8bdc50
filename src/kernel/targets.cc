// Which of the compiled kernels this processor can run, for Highway's dispatch.
//
// Highway's library answers the same, but a process that loads it as a shared library first measures a timer for 4 ms, which is half of a
// short run. Nothing else of that library is needed, so on x86-64 these functions stand in its place, and the linker leaves it out.
// Elsewhere the library is used.
#include <hwy/highway.h>

#if HWY_ARCH_X86_64 && !defined(HWY_HEADER_ONLY)
#include <cpuid.h>

#include <atomic>
#include <cstdint>

namespace {

struct Leaf {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// All zero where the processor does not have it.
Leaf leaf(unsigned number) {
  Leaf is;
  if (__get_cpuid_count(number, 0, &is.eax, &is.ebx, &is.ecx, &is.edx) == 0) return {};
  return is;
}

constexpr bool has(unsigned bits, unsigned wanted) { return (bits & wanted) == wanted; }

/// The registers whose contents the operating system saves: what a processor can do is of no use without it.
std::uint64_t saved_registers(const Leaf& features) {
  if (!has(features.ecx, bit_OSXSAVE)) return 0;
  std::uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

std::int64_t detected() {
  constexpr std::uint64_t kAvx = 0x6, kAvx512 = 0xE6;  // the registers of each
  const Leaf first = leaf(1), seventh = leaf(7), extended = leaf(0x80000001);
  const std::uint64_t saved = saved_registers(first);
  std::int64_t targets = HWY_ENABLED_BASELINE;
  if (!has(first.ecx, bit_SSE3 | bit_SSSE3)) return targets;
  targets |= HWY_SSSE3;
  if (!has(first.ecx, bit_SSE4_1 | bit_SSE4_2 | bit_PCLMUL | bit_AES | bit_POPCNT)) return targets;
  targets |= HWY_SSE4;
  const bool avx2 = has(first.ecx, bit_AVX | bit_FMA | bit_F16C) && has(seventh.ebx, bit_AVX2 | bit_BMI | bit_BMI2) &&
                    has(extended.ecx, bit_LZCNT) && (saved & kAvx) == kAvx;
  if (!avx2) return targets;
  targets |= HWY_AVX2;
  const bool avx3 =
      has(seventh.ebx, bit_AVX512F | bit_AVX512VL | bit_AVX512DQ | bit_AVX512BW | bit_AVX512CD) && (saved & kAvx512) == kAvx512;
  if (!avx3) return targets;
  targets |= HWY_AVX3;
  const bool avx3_dl = has(seventh.ecx, bit_AVX512VNNI | bit_VPCLMULQDQ | bit_AVX512VBMI | bit_AVX512VBMI2 | bit_VAES |
                                            bit_AVX512VPOPCNTDQ | bit_AVX512BITALG | bit_GFNI);
  return avx3_dl ? targets | HWY_AVX3_DL : targets;
}

std::atomic<std::int64_t> for_test{0};  // 0: none

}  // namespace

namespace hwy {

std::int64_t SupportedTargets() {
  static const std::int64_t targets = detected();
  const std::int64_t chosen = for_test.load();
  return chosen != 0 ? chosen : targets;
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

/// 0: those of the processor again.
void SetSupportedTargetsForTest(std::int64_t targets) {
  for_test = targets;
  GetChosenTarget().DeInit();
}

}  // namespace hwy
#endif
