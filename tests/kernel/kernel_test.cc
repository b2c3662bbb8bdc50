#include "kernel/kernel.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "support/guarded.h"
#include "support/instruction_sets.h"

namespace nearkin::kernel_test {
namespace {

using test::with_each_instruction_set;

struct Scanned {
  bool ascii;
  std::string lowered;
  std::vector<std::uint64_t> masks;
  bool operator==(const Scanned&) const = default;
};

Scanned scan_by_definition(const std::string& text, bool keep_case) {
  Scanned result{false, std::string(text.size(), '\0'), std::vector<std::uint64_t>((text.size() + 63) / 64)};
  result.ascii = kernel::scalar::scan_ascii(text.data(), text.size(), keep_case, result.lowered.data(), result.masks.data());
  return result;
}

// The text ends at a page that may not be read; masks and lowered text at pages that may not be written (but for the overrun allowed).
class GuardedScan {
 public:
  Scanned operator()(const std::string& text, bool keep_case) {
    const std::size_t blocks = (text.size() + 63) / 64;
    char* const in = text_.back<char>(text.size());
    std::copy(text.begin(), text.end(), in);
    char* const lowered = lowered_.back<char>(text.size() + kernel::kOverrun);
    std::uint64_t* const masks = masks_.back<std::uint64_t>(blocks);
    std::fill_n(masks, blocks, ~std::uint64_t{0});
    const bool ascii = kernel::scan_ascii(in, text.size(), keep_case, lowered, masks);
    return {ascii, std::string(lowered, text.size()), std::vector<std::uint64_t>(masks, masks + blocks)};
  }

 private:
  test::Guarded text_{4096}, lowered_{4096}, masks_{4096};
};

std::string random_ascii(SplitMix& random, std::size_t size) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random() % 128);
  return text;
}

TEST(Kernel, ScalarScanSaysWhatEveryByteIs) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    const Scanned folded = scan_by_definition(text, false), kept = scan_by_definition(text, true);
    EXPECT_EQ(folded.ascii, byte < 128);
    if (byte >= 128) continue;
    const bool upper = byte >= 'A' && byte <= 'Z';
    const bool word = upper || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
    EXPECT_EQ(folded.masks[0], word ? 1u : 0u) << byte;
    EXPECT_EQ(kept.masks[0], word ? 1u : 0u) << byte;
    EXPECT_EQ(folded.lowered[0], static_cast<char>(upper ? byte + 32 : byte));
    EXPECT_EQ(kept.lowered[0], static_cast<char>(byte));
  }
}

TEST(Kernel, ScansEveryByteAtEveryPlaceLikeTheScalarTwin) {
  with_each_instruction_set([] {
    GuardedScan scan;
    for (int byte = 0; byte < 256; ++byte) {
      for (std::size_t place = 0; place < 130; place += byte < 128 ? 13 : 1) {
        std::string text(130, 'x');
        text[place] = static_cast<char>(byte);
        const Scanned expected = scan_by_definition(text, false), found = scan(text, false);
        ASSERT_EQ(found.ascii, expected.ascii) << byte << " at " << place;
        if (!expected.ascii) continue;
        ASSERT_EQ(found, expected) << byte << " at " << place;
      }
    }
  });
}

TEST(Kernel, ScansTextOfEverySizeLikeTheScalarTwinAndStaysInside) {
  with_each_instruction_set([] {
    GuardedScan scan;
    SplitMix random(1);
    for (std::size_t size = 0; size <= 300; ++size) {
      for (int turn = 0; turn < 8; ++turn) {
        const std::string text = random_ascii(random, size);
        for (const bool keep_case : {false, true}) ASSERT_EQ(scan(text, keep_case), scan_by_definition(text, keep_case)) << size;
      }
    }
  });
}

TEST(Kernel, ScansFromAnyAlignment) {
  with_each_instruction_set([] {
    SplitMix random(2);
    for (std::size_t offset = 0; offset < 70; ++offset) {
      const std::string buffer = random_ascii(random, 400);
      const std::string text = buffer.substr(offset, 257);
      std::string lowered(offset + text.size() + kernel::kOverrun, '\0');
      std::vector<std::uint64_t> masks(5);
      ASSERT_TRUE(kernel::scan_ascii(buffer.data() + offset, text.size(), false, lowered.data() + offset, masks.data()));
      ASSERT_EQ((Scanned{true, lowered.substr(offset, text.size()), masks}), scan_by_definition(text, false)) << offset;
    }
  });
}

TEST(Kernel, WritesAtMostTheOverrunItStates) {
  with_each_instruction_set([] {
    for (std::size_t size = 0; size <= 300; ++size) {
      const std::string text(size, 'A');
      std::string lowered(size + kernel::kOverrun + 64, '#');
      std::vector<std::uint64_t> masks((size + 63) / 64 + 1, 0x5555);
      ASSERT_TRUE(kernel::scan_ascii(text.data(), size, false, lowered.data(), masks.data()));
      ASSERT_EQ(lowered.substr(size + kernel::kOverrun), std::string(64, '#')) << size;
      ASSERT_EQ(masks.back(), 0x5555u) << size;
    }
  });
}

TEST(Kernel, PlacesElementsOfEverySizeLikeTheScalarTwin) {
  with_each_instruction_set([] {
    test::Guarded guarded_elements{8192}, guarded_places{8192}, guarded_low{8192};
    SplitMix random(7);
    for (std::size_t count = 0; count <= 100; ++count) {
      const std::uint64_t key = random();
      const std::uint32_t hashes = static_cast<std::uint32_t>(1 + random() % 4096);
      std::uint64_t* const elements = guarded_elements.back<std::uint64_t>(count);
      std::uint64_t* const places = guarded_places.back<std::uint64_t>(count);
      std::uint32_t* const low = guarded_low.back<std::uint32_t>(count);
      for (std::size_t i = 0; i < count; ++i) elements[i] = i % 5 == 0 ? i : random();
      std::vector<std::uint64_t> expected_places(count);
      std::vector<std::uint32_t> expected_low(count);
      kernel::scalar::place_elements(elements, count, key, hashes, expected_places.data(), expected_low.data());
      kernel::place_elements(elements, count, key, hashes, places, low);
      ASSERT_EQ(std::vector<std::uint64_t>(places, places + count), expected_places) << count;
      ASSERT_EQ(std::vector<std::uint32_t>(low, low + count), expected_low) << count;
      for (const std::uint64_t place : expected_places) ASSERT_LT(place >> 32, hashes);
    }
  });
}

struct SlotWork {
  std::vector<std::uint32_t> elements, multipliers, addends, slots;
};

// `filled` of 256 slots hold a value already.
SlotWork random_slot_work(SplitMix& random, std::size_t elements, std::size_t slots, std::uint64_t filled) {
  SlotWork work;
  for (std::size_t i = 0; i < elements; ++i) work.elements.push_back(static_cast<std::uint32_t>(random()));
  for (std::size_t i = 0; i < slots; ++i) {
    work.multipliers.push_back(static_cast<std::uint32_t>(random()));
    work.addends.push_back(static_cast<std::uint32_t>(random()));
    work.slots.push_back(random() % 256 < filled ? static_cast<std::uint32_t>(random() % 1000) : kernel::kEmptySlot);
  }
  return work;
}

std::vector<std::uint32_t> filled_by_definition(SlotWork work) {
  kernel::scalar::fill_empty_slots(work.elements.data(), work.elements.size(), work.multipliers.data(), work.addends.data(),
                                   work.slots.size(), work.slots.data());
  return work.slots;
}

class GuardedSlots {
 public:
  std::vector<std::uint32_t> operator()(const SlotWork& work) {
    const auto copied = [](test::Guarded& to, const std::vector<std::uint32_t>& from) {
      std::uint32_t* const values = to.back<std::uint32_t>(from.size());
      std::copy(from.begin(), from.end(), values);
      return values;
    };
    std::uint32_t* const slots = copied(slots_, work.slots);
    kernel::fill_empty_slots(copied(elements_, work.elements), work.elements.size(), copied(multipliers_, work.multipliers),
                             copied(addends_, work.addends), work.slots.size(), slots);
    return {slots, slots + work.slots.size()};
  }

 private:
  test::Guarded elements_{8192}, multipliers_{8192}, addends_{8192}, slots_{8192};
};

TEST(Kernel, FillsEmptySlotsOfEverySizeLikeTheScalarTwin) {
  with_each_instruction_set([] {
    GuardedSlots fill;
    SplitMix random(3);
    for (std::size_t elements = 0; elements <= 300; ++elements) {
      for (const std::size_t slots :
           {std::size_t{0}, std::size_t{1}, elements % 9, elements % 37, 96 + elements % 17, 500 + 6 * elements % 1100}) {
        const SlotWork work = random_slot_work(random, elements, slots, elements * 37 % 257);
        ASSERT_EQ(fill(work), filled_by_definition(work)) << elements << " elements, " << slots << " slots";
      }
    }
  });
}

TEST(Kernel, LeavesSlotsThatHoldAValueAsTheyAre) {
  with_each_instruction_set([] {
    GuardedSlots fill;
    SplitMix random(5);
    for (const std::size_t slots : {1u, 16u, 130u}) {
      const SlotWork work = random_slot_work(random, 40, slots, 256);
      ASSERT_EQ(fill(work), work.slots) << slots;
    }
  });
}

TEST(Kernel, FillsEmptySlotsAtTheEdgesOf32Bits) {
  with_each_instruction_set([] {
    GuardedSlots fill;
    const std::vector<std::uint32_t> edges{0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
    SlotWork work;
    for (const std::uint32_t a : edges) {
      for (const std::uint32_t b : edges) {
        work.multipliers.push_back(a);
        work.addends.push_back(b);
        work.slots.push_back(kernel::kEmptySlot);
      }
    }
    for (const std::uint32_t element : edges) {
      work.elements.assign(17, element);
      ASSERT_EQ(fill(work), filled_by_definition(work)) << element;
    }
  });
}

TEST(Kernel, TakesSignatureBytesOfEverySizeLikeTheScalarTwin) {
  with_each_instruction_set([] {
    test::Guarded guarded_slots(8192), guarded_bytes(8192);
    SplitMix random(6);
    for (std::size_t count = 0; count <= 200; ++count) {
      std::uint32_t* const slots = guarded_slots.back<std::uint32_t>(count);
      std::uint8_t* const bytes = guarded_bytes.back<std::uint8_t>(count);
      for (std::size_t i = 0; i < count; ++i) slots[i] = static_cast<std::uint32_t>(random() >> (i % 40));
      std::vector<std::uint8_t> expected(count);
      kernel::scalar::signature_bytes(slots, count, expected.data());
      kernel::signature_bytes(slots, count, bytes);
      ASSERT_EQ(std::vector<std::uint8_t>(bytes, bytes + count), expected) << count;
    }
  });
}

TEST(Kernel, ASignatureByteIsTheHighestOfTheSlotMultiplied) {
  const std::vector<std::uint32_t> slots{0, 1, 2, 0x10000, 0xffffffff};
  std::vector<std::uint8_t> bytes(slots.size());
  kernel::signature_bytes(slots.data(), slots.size(), bytes.data());
  EXPECT_EQ(bytes, (std::vector<std::uint8_t>{0, 0x9e, 0x3c, 0x79, 0x61}));
}

TEST(Kernel, CountsEqualBytesOfEverySizeLikeTheScalarTwin) {
  with_each_instruction_set([] {
    test::Guarded left(4096), right(4096);
    SplitMix random(4);
    for (std::size_t size = 0; size <= 300; ++size) {
      for (const std::uint64_t values : {1u, 2u, 3u, 256u}) {
        std::uint8_t* const a = left.back<std::uint8_t>(size);
        std::uint8_t* const b = right.back<std::uint8_t>(size);
        for (std::size_t i = 0; i < size; ++i) {
          a[i] = static_cast<std::uint8_t>(random() % values);
          b[i] = static_cast<std::uint8_t>(random() % values);
        }
        ASSERT_EQ(kernel::equal_bytes(a, b, size), kernel::scalar::equal_bytes(a, b, size)) << size;
      }
    }
  });
}

// Ascending, without repeats, of values that are below `range`.
std::vector<std::uint64_t> some_set(SplitMix& random, std::size_t size, std::uint64_t range) {
  std::set<std::uint64_t> values;
  while (values.size() < std::min<std::uint64_t>(size, range)) values.insert(random() % range);
  return {values.begin(), values.end()};
}

TEST(Kernel, CountsSharedValuesOfEverySizeAndGivesUpLikeTheScalarTwin) {
  with_each_instruction_set([] {
    test::Guarded left(4096), right(4096);
    SplitMix random(9);
    std::size_t given_up = 0;
    for (std::size_t run = 0; run < 4000; ++run) {
      const std::uint64_t range = run % 3 == 0 ? UINT64_MAX : 1 + random() % 400;
      const std::vector<std::uint64_t> x = some_set(random, random() % 100, range),
                                       y = some_set(random, random() % (run % 5 == 0 ? 300 : 100), range);
      std::uint64_t* const a = left.back<std::uint64_t>(x.size());
      std::uint64_t* const b = right.back<std::uint64_t>(y.size());
      std::copy(x.begin(), x.end(), a);
      std::copy(y.begin(), y.end(), b);
      std::vector<std::uint64_t> both;
      std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
      ASSERT_EQ(kernel::count_shared(a, x.size(), b, y.size(), 0), both.size()) << run;
      const std::uint64_t least = random() % 60, counted = kernel::count_shared(a, x.size(), b, y.size(), least);
      ASSERT_EQ(counted, kernel::scalar::count_shared(a, x.size(), b, y.size(), least)) << run;
      ASSERT_TRUE(counted == both.size() || (counted == kernel::kOutOfReach && both.size() < least)) << run;
      given_up += counted == kernel::kOutOfReach;
    }
    EXPECT_GT(given_up, 100u);
  });
}

TEST(Kernel, CountsEqualBytesFromAnyAlignmentAndForAnyValue) {
  with_each_instruction_set([] {
    std::vector<std::uint8_t> a(700), b(700);
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<std::uint8_t>(i);
      b[i] = static_cast<std::uint8_t>(i % 3 == 0 ? i : i + 128);
    }
    for (std::size_t start = 0; start < 70; ++start) {
      ASSERT_EQ(kernel::equal_bytes(a.data() + start, b.data() + start, 600), 200u) << start;
      ASSERT_EQ(kernel::equal_bytes(a.data() + start, a.data() + start, 600), 600u) << start;
      ASSERT_EQ(kernel::equal_bytes(a.data() + start, b.data() + start + 256, 256),
                kernel::scalar::equal_bytes(a.data() + start, b.data() + start + 256, 256));
    }
  });
}

TEST(Kernel, NamesTheInstructionSetInUse) {
  const char* const forced = std::getenv("NEARKIN_KERNEL");
  const bool scalar = forced != nullptr && std::string(forced) == "scalar";
  std::set<std::string> names;
  std::size_t sets = 0;
  with_each_instruction_set([&] {
    names.insert(kernel::name());
    ++sets;
  });
  EXPECT_EQ(names.size(), scalar ? 1u : sets);
  EXPECT_EQ(names.contains("scalar"), scalar);
}

}  // namespace
}  // namespace nearkin::kernel_test
