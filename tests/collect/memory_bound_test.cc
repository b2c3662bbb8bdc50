#include "collect/memory_bound.h"

#include <algorithm>
#include <fstream>

#include <sys/resource.h>

#include <nearkin/run.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/names.h>

#include "io/io_support.h"
#include "support/temp_dir.h"

namespace nearkin::test::memory_bound_test {
namespace {

constexpr std::uint64_t kMiB = 1 << 20, kGiB = 1 << 30;

/// A system that says what a test wants it to say.
class System {
 public:
  System() { write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree:         1048576 kB\nMemAvailable:    8388608 kB\n"); }
  void write(const std::string& name, const std::string& text) const { dir_.write(name, text); }
  std::optional<std::uint64_t> available(const ProcessLimits& limits = {}) const { return available_memory(dir_.path(), limits); }

  /// As systemd mounts it; the process is in /a/b.
  void with_v2() const {
    write("proc/self/mountinfo",
          "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
    write("proc/self/cgroup", "0::/a/b\n");
  }
  void group(const std::string& folder, const std::string& limit, std::uint64_t used, const std::string& stat = "anon 5\n") const {
    write("sys/fs/cgroup" + folder + "/memory.max", limit + "\n");
    write("sys/fs/cgroup" + folder + "/memory.current", std::to_string(used) + "\n");
    write("sys/fs/cgroup" + folder + "/memory.stat", stat);
  }
  void group_v1(const std::string& folder, std::uint64_t limit, std::uint64_t used, const std::string& stat = "") const {
    write("sys/fs/cgroup/memory" + folder + "/memory.limit_in_bytes", std::to_string(limit) + "\n");
    write("sys/fs/cgroup/memory" + folder + "/memory.usage_in_bytes", std::to_string(used) + "\n");
    write("sys/fs/cgroup/memory" + folder + "/memory.stat", stat);
  }

 private:
  TempDir dir_;
};

TEST(AvailableMemory, IsThatOfTheMachine) {
  const System system;
  EXPECT_EQ(system.available(), 8 * kGiB);
  EXPECT_EQ(available_memory("/no/such/folder", {}), std::nullopt);
}

TEST(AvailableMemory, IsWithinTheGroupAndEveryGroupAboveIt) {
  const System system;
  system.with_v2();
  system.group("/a/b", "max", 100 * kMiB);
  system.group("/a", "max", 100 * kMiB);
  EXPECT_EQ(system.available(), 8 * kGiB);
  system.group("/a/b", std::to_string(3 * kGiB), 1 * kGiB);
  EXPECT_EQ(system.available(), 2 * kGiB);
  system.group("/a", std::to_string(4 * kGiB), 3 * kGiB);
  EXPECT_EQ(system.available(), 1 * kGiB);
  system.group("", std::to_string(512 * kMiB), 256 * kMiB);
  EXPECT_EQ(system.available(), 256 * kMiB);
  system.group("/c", "1", 0);
  EXPECT_EQ(system.available(), 256 * kMiB) << "another group's";
}

TEST(AvailableMemory, CountsTheCacheOfFilesAsFree) {
  const System system;
  system.with_v2();
  system.group("/a/b", std::to_string(2 * kGiB), 2 * kGiB,
               "anon 1\nfile 9\ninactive_file 536870912\nactive_file 268435456\nslab_reclaimable 1048576\n");
  EXPECT_EQ(system.available(), 769 * kMiB);
  system.group("/a/b", std::to_string(kGiB), 2 * kGiB);
  EXPECT_EQ(system.available(), 0U) << "more in use than is allowed";
}

TEST(AvailableMemory, KeepsBelowWhereAGroupIsSlowedDown) {
  const System system;
  system.with_v2();
  system.group("/a/b", std::to_string(4 * kGiB), kGiB);
  system.write("sys/fs/cgroup/a/b/memory.high", std::to_string(2 * kGiB) + "\n");
  EXPECT_EQ(system.available(), 1 * kGiB);
}

TEST(AvailableMemory, IsWithinGroupsOfTheFirstVersion) {
  const System system;
  system.write("proc/self/mountinfo",
               "31 22 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
               "32 22 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
               "33 22 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  system.write("proc/self/cgroup", "9:cpu:/x\n4:memory:/a/b\n0::/y\n");
  system.group_v1("", 9223372036854771712U, 5 * kGiB);
  system.group_v1("/a", 3 * kGiB, 2 * kGiB, "inactive_file 0\ntotal_inactive_file 524288000\ntotal_active_file 24288\n");
  EXPECT_EQ(system.available(), 1 * kGiB + 524288000 + 24288);
  system.group_v1("/a/b", 600 * kMiB, 100 * kMiB);
  EXPECT_EQ(system.available(), 500 * kMiB);
}

TEST(AvailableMemory, FindsItsGroupInAContainer) {
  const System system;
  // The mount shows the container's own group only, while the process is named from the outside.
  system.write("proc/self/mountinfo", "32 22 0:28 /docker/1f /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  system.write("proc/self/cgroup", "4:memory:/docker/1f/inner\n");
  system.group_v1("", 2 * kGiB, kGiB);
  EXPECT_EQ(system.available(), 1 * kGiB);
  system.group_v1("/inner", kGiB, 900 * kMiB);
  EXPECT_EQ(system.available(), 124 * kMiB);
  for (const char* outside : {"/docker/1ff", "/other", "/../elsewhere", "/"}) {
    system.write("proc/self/cgroup", std::string("4:memory:") + outside + "\n");
    EXPECT_EQ(system.available(), 1 * kGiB) << outside;
  }
}

TEST(AvailableMemory, IsWithinTheLimitsOfTheProcess) {
  const System system;
  system.write("proc/self/status", "Name:\tnearkin\nVmPeak:\t  900000 kB\nVmSize:\t  524288 kB\nVmData:\t  262144 kB\n");
  EXPECT_EQ(system.available({.address_space = 2 * kGiB}), 1536 * kMiB);
  EXPECT_EQ(system.available({.data = 2 * kGiB}), 1792 * kMiB);
  EXPECT_EQ(system.available({.address_space = 2 * kGiB, .data = kGiB}), 768 * kMiB);
  EXPECT_EQ(system.available({.address_space = kMiB}), 0U);
  EXPECT_EQ(system.available({.address_space = 100 * kGiB}), 8 * kGiB);
}

TEST(AvailableMemory, IsNotMisledByFilesItCannotRead) {
  const System system;
  system.with_v2();
  system.write("proc/self/cgroup", "no colons\n0::\n");
  system.write("sys/fs/cgroup/memory.max", "many\n");
  EXPECT_EQ(system.available(), 8 * kGiB);
  system.write("proc/self/mountinfo", "nothing - \n - cgroup2\n\n");
  EXPECT_EQ(system.available(), 8 * kGiB);
  system.write("proc/meminfo", "MemAvailable: -5 kB\n");
  EXPECT_EQ(system.available(), std::nullopt);
}

TEST(DefaultMemory, IsHalfOfWhatIsFree) {
  const std::uint64_t free = available_memory("", {}).value();
  const std::uint64_t memory = default_memory();
  EXPECT_GT(memory, 0U);
  EXPECT_LT(memory, free / 2 + free / 4) << "what is free changes from moment to moment";
}

TEST(DefaultMemory, KeepsToTheLimitOfTheAddressSpace) {
  std::uint64_t kilobytes = 0;
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmSize:" && status >> kilobytes) break;
  }
  rlimit before{};
  ::getrlimit(RLIMIT_AS, &before);
  const std::uint64_t room = 64 * kMiB;
  const rlimit limit{kilobytes * 1024 + room, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
  rlimit kept{};
  ::getrlimit(RLIMIT_AS, &kept);
  if (kept.rlim_cur != limit.rlim_cur) GTEST_SKIP() << "limits on the address space are not kept here; qemu-user leaves them out";
  const std::uint64_t memory = default_memory();
  ::setrlimit(RLIMIT_AS, &before);
  EXPECT_LE(memory, room / 2);
}

TEST(ParseBytes, KnowsUnits) {
  const std::pair<const char*, std::uint64_t> cases[] = {{"4096", 4096},
                                                         {"1", 1},
                                                         {"7B", 7},
                                                         {"970 bytes", 970},
                                                         {"2K", 2048},
                                                         {"2KB", 2000},
                                                         {"2KiB", 2048},
                                                         {"512MiB", 512 * kMiB},
                                                         {"512 mib", 512 * kMiB},
                                                         {"512m", 512 * kMiB},
                                                         {"3MB", 3'000'000},
                                                         {"2GiB", 2 * kGiB},
                                                         {"2 G", 2 * kGiB},
                                                         {"1.5GB", 1'500'000'000},
                                                         {"1.5GiB", 1536 * kMiB},
                                                         {"0.5k", 512},
                                                         {" 1\tT ", 1024 * kGiB},
                                                         {"2TB", 2'000'000'000'000},
                                                         {"0.1TiB", 109'951'162'777},
                                                         {"00012", 12},
                                                         {"18446744073709551615", UINT64_MAX},
                                                         {"1.000000000000000000000000000001G", kGiB}};
  for (const auto& [text, bytes] : cases) EXPECT_EQ(parse_bytes(text), bytes) << text;
}

TEST(ParseBytes, RefusesWhatIsNoAmount) {
  for (const char* text : {"",  " ",     "GiB", "-1",    "-1G",   "+1",   "1e9", "1,5GB", "1.",    ".5G",
                           ".", "1.2.3", "2XB", "2 G B", "1 000", "0x10", "nan", "2iB",   "2GiBs", "1G1"}) {
    const Error error = error_of([&] { parse_bytes(text); });
    EXPECT_EQ(error.code(), ErrorCode::plan);
    EXPECT_EQ(std::string(error.what()),
              "memory: \"" + std::string(text) + "\" is not an amount of memory; write 2GiB, 512MiB, 1.5GB or a number of bytes");
  }
}

TEST(ParseBytes, RefusesNothingAndTooMuch) {
  for (const char* text : {"0", "0G", "0.0", "0.9", "0.0001K"}) {
    const std::string message = error_of([&] { parse_bytes(text); }).message();
    EXPECT_TRUE(message.starts_with("\"" + std::string(text) + "\" leaves no memory to work with; write 2GiB")) << message;
  }
  for (const char* text :
       {"18446744073709551616", "16777216T", "18446744073709551615.9K", "999999999999999999999999999999", "20000000TB"}) {
    EXPECT_NE(error_of([&] { parse_bytes(text); }).message().find("is more than 16 EiB; write 2GiB"), std::string::npos) << text;
  }
  EXPECT_EQ(parse_bytes("16777215T"), UINT64_MAX - (std::uint64_t{1} << 40) + 1);
  EXPECT_EQ(error_of([] { parse_bytes("x", "scratch"); }).subject(), "scratch");
}

TEST(BytesText, IsShort) {
  const std::pair<std::uint64_t, const char*> cases[] = {{0, "0 bytes"},          {1, "1 byte"},
                                                         {970, "970 bytes"},      {1023, "1023 bytes"},
                                                         {1024, "1 KiB"},         {1536, "1.5 KiB"},
                                                         {512 * kMiB, "512 MiB"}, {1536 * kMiB, "1.5 GiB"},
                                                         {kGiB - 1, "1 GiB"},     {kMiB - 52 * 1024, "972 KiB"},
                                                         {2049 * kMiB, "2 GiB"},  {5000 * kGiB, "4.9 TiB"},
                                                         {UINT64_MAX, "16 EiB"},  {std::uint64_t{3} << 59, "1.5 EiB"}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(bytes_text(bytes), text);
}

TEST(BytesText, ReadsBackToWithinATwentieth) {
  for (std::uint64_t bytes = 1; bytes < std::uint64_t{1} << 43; bytes = bytes * 9 / 7 + 1) {
    const std::uint64_t again = parse_bytes(bytes_text(bytes));
    EXPECT_LE(std::max(bytes, again) - std::min(bytes, again), bytes / 20) << bytes_text(bytes);
  }
}

}  // namespace
}  // namespace nearkin::test::memory_bound_test
