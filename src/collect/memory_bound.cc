#include "collect/memory_bound.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include <nearkin/error.h>
#include <nearkin/run.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/names.h>

#include "base/in_quotes.h"
#include "base/system.h"
#include "base/trimmed.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

using Bytes = std::optional<std::uint64_t>;

constexpr std::uint64_t less(std::uint64_t from, std::uint64_t what) { return from > what ? from - what : 0; }

Bytes least(const Bytes& a, const Bytes& b) { return a && b ? std::min(*a, *b) : a ? a : b; }

/// The number in a file; absent where it is not there or holds a word, such as "max".
Bytes number_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return parse_whole(word);
}

/// The number behind `name` at the beginning of a line.
Bytes number_named(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first, second;
    if (words >> first >> second && first == name) return parse_whole(second);
  }
  return std::nullopt;
}

Bytes kilobytes_named(const std::string& path, std::string_view name) {
  const Bytes kilobytes = number_named(path, name);
  return kilobytes ? Bytes(*kilobytes * 1024) : std::nullopt;
}

/// The files of a control group, which the versions call differently.
struct GroupFiles {
  std::vector<const char*> limits;
  const char* usage;
  std::vector<const char*> droppable;  ///< lines of memory.stat
};

const GroupFiles& group_files(bool v2) {
  static const GroupFiles first{{"memory.limit_in_bytes"}, "memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};
  static const GroupFiles second{{"memory.max", "memory.high"}, "memory.current", {"inactive_file", "active_file", "slab_reclaimable"}};
  return v2 ? second : first;
}

Bytes available_in_group(const std::string& folder, const GroupFiles& files) {
  Bytes limit;
  for (const char* name : files.limits) limit = least(limit, number_in(folder + '/' + name));
  if (!limit) return std::nullopt;
  std::uint64_t used = number_in(folder + '/' + files.usage).value_or(0);
  for (const char* name : files.droppable) used = less(used, number_named(folder + "/memory.stat", name).value_or(0));
  return less(*limit, used);
}

/// A hierarchy of control groups as it is mounted.
struct Mount {
  bool v2 = false;
  std::string group;  ///< the one that stands at `folder`
  std::string folder;
};

bool has_word(const std::string& list, std::string_view word) {
  std::istringstream words(list);
  for (std::string part; std::getline(words, part, ',');) {
    if (part == word) return true;
  }
  return false;
}

/// Those that may limit memory, by /proc/self/mountinfo: "number parent device group folder options … - type source options".
std::vector<Mount> mounts(const std::string& root) {
  std::vector<Mount> found;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line.substr(0, dash)), behind(line.substr(dash + 3));
    std::string word, group, folder, type, source, options;
    before >> word >> word >> word >> group >> folder;
    behind >> type >> source >> options;
    if (type == "cgroup2" || (type == "cgroup" && has_word(options, "memory"))) found.push_back({type == "cgroup2", group, root + folder});
  }
  return found;
}

/// The control group of this process in a hierarchy, by /proc/self/cgroup: "number:controllers:group".
std::string own_group(const std::string& root, bool v2) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (v2 ? controllers.empty() : has_word(controllers, "memory")) return line.substr(second + 1);
  }
  return "/";
}

/// The group's folder below that of the mount, "" for that itself. A group outside of what is mounted has none.
std::string folder_below(const Mount& mount, const std::string& group) {
  const std::string top = mount.group == "/" ? "" : mount.group;
  const bool inside = group.starts_with(top) && (group.size() == top.size() || group[top.size()] == '/');
  return !inside || group == "/" || group.find("/..") != std::string::npos ? "" : group.substr(top.size());
}

/// A limit holds for all groups below its own.
Bytes available_in_groups(const std::string& root) {
  Bytes result;
  for (const Mount& mount : mounts(root)) {
    const GroupFiles& files = group_files(mount.v2);
    std::string below = folder_below(mount, own_group(root, mount.v2));
    for (; !below.empty(); below.resize(below.rfind('/'))) result = least(result, available_in_group(mount.folder + below, files));
    result = least(result, available_in_group(mount.folder, files));
  }
  return result;
}

Bytes limit_of(decltype(RLIMIT_AS) which) {
  rlimit limit{};
  if (::getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

struct ByteUnit {
  std::string_view name;  ///< in small letters
  std::uint64_t bytes;
};
constexpr std::uint64_t kKibi = 1024, kMebi = kKibi * kKibi, kGibi = kMebi * kKibi, kTebi = kGibi * kKibi;
constexpr std::uint64_t kKilo = 1000, kMega = kKilo * kKilo, kGiga = kMega * kKilo, kTera = kGiga * kKilo;
constexpr ByteUnit kTokens[] = {{"", 1},        {"b", 1},     {"byte", 1},   {"bytes", 1},   {"k", kKibi}, {"kb", kKilo},
                                {"kib", kKibi}, {"m", kMebi}, {"mb", kMega}, {"mib", kMebi}, {"g", kGibi}, {"gb", kGiga},
                                {"gib", kGibi}, {"t", kTebi}, {"tb", kTera}, {"tib", kTebi}};

/// 0 where there is no such unit.
std::uint64_t unit_bytes(std::string_view name) {
  std::string small(name);
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto found = std::find_if(std::begin(kTokens), std::end(kTokens), [&](const ByteUnit& unit) { return unit.name == small; });
  return found == std::end(kTokens) ? 0 : found->bytes;
}

__extension__ using Wide = unsigned __int128;

/// Digits with or without a point, digits on both sides of it, in units of so many bytes, cut to whole ones; absent when it is no number.
std::optional<Wide> decimal_bytes(std::string_view number, std::uint64_t unit) {
  constexpr std::size_t kDecimals = 18;  // more make no difference of a byte
  const std::size_t point = number.find('.');
  const std::string_view whole = number.substr(0, point), rest = point == number.npos ? "0" : number.substr(point + 1);
  const auto digits = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!digits(whole) || !digits(rest)) return std::nullopt;
  const std::optional<std::uint64_t> count = parse_whole(whole);
  if (!count) return ~Wide{0};  // more than any memory
  Wide scale = 1, below = 0;
  for (const char digit : rest.substr(0, kDecimals)) {
    below = below * 10 + static_cast<unsigned>(digit - '0');
    scale *= 10;
  }
  return Wide{*count} * unit + below * unit / scale;
}

}  // namespace

std::optional<std::uint64_t> available_memory(const std::string& root, const ProcessLimits& limits) {
  Bytes result = least(kilobytes_named(root + "/proc/meminfo", "MemAvailable:"), available_in_groups(root));
  const std::string status = root + "/proc/self/status";
  if (limits.address_space) result = least(result, less(*limits.address_space, kilobytes_named(status, "VmSize:").value_or(0)));
  if (limits.data) result = least(result, less(*limits.data, kilobytes_named(status, "VmData:").value_or(0)));
  return result;
}

std::uint64_t default_memory() {
  const ProcessLimits limits{limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA)};
  const Bytes available = available_memory("", limits);
  return (available ? *available : free_memory()) / 2;
}

std::uint64_t parse_bytes(std::string_view text, const std::string& subject) {
  const std::string_view all = trimmed(text, " \t");
  const std::size_t end = std::min(all.find_first_not_of("0123456789."), all.size());
  const std::uint64_t unit = unit_bytes(trimmed(all.substr(end), " \t"));
  const std::optional<Wide> bytes = decimal_bytes(all.substr(0, end), unit);
  const auto refuse = [&](const char* what) {
    return Error(ErrorCode::plan, subject, in_quotes(text) + ' ' + what + "; write 2GiB, 512MiB, 1.5GB or a number of bytes");
  };
  if (unit == 0 || !bytes) throw refuse("is not an amount of memory");
  if (*bytes == 0) throw refuse("leaves no memory to work with");
  if (*bytes > UINT64_MAX) throw refuse("is more than 16 EiB");
  return static_cast<std::uint64_t>(*bytes);
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < kKibi) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  constexpr std::array<const char*, 6> kNames{" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  // Tenths, rounded; 1023.96 MiB are 1 GiB.
  std::uint64_t unit = kKibi, tenths = 0;
  std::size_t i = 0;
  for (;; ++i, unit *= kKibi) {
    tenths = bytes / unit * 10 + (bytes % unit * 10 + unit / 2) / unit;
    if (tenths < kKibi * 10 || i + 1 == kNames.size()) break;
  }
  const std::string rest = tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10);
  return std::to_string(tenths / 10) + rest + kNames[i];
}

}  // namespace nearkin
