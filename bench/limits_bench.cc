// nearkin_bench_limits: what each part of a run takes by itself on this machine, one thread: the limits that the stages of a run over the
// same file are compared with. One JSON object; seconds are for the whole file.
//
//   nearkin_bench_limits FILE.jsonl PLAN FOLDER    PLAN as in --stats; temporary files go to FOLDER
//   nearkin_bench_limits                           the name of the kernels in use
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <nearkin/nearkin.h>
#include <nearkin/tools/forecast.h>

#include "base/hash.h"
#include "base/radix_sort.h"
#include "base/rice.h"
#include "collect/id_table.h"
#include "family/minhash.h"
#include "feature/shingler.h"
#include "io/bytes/byte_stream.h"
#include "io/bytes/descriptor.h"
#include "io/bytes/output.h"
#include "io/source/source.h"
#include "kernel/kernel.h"
#include "match/band.h"
#include "match/verify.h"

namespace {

using namespace nearkin;

constexpr int kRepetitions = 3;
constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kArray = std::size_t{1} << 28;        // bytes for the speed of memory: far more than any cache
constexpr std::uint64_t kPacked = std::uint64_t{64} << 20;  // of the file, that are compressed

// A value that the compiler must suppose to be read.
void use(std::uint64_t value) { asm volatile("" : : "r"(value) : "memory"); }

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <typename Work>
double seconds(Work&& work) {
  const double start = now();
  work();
  return now() - start;
}

template <typename Work>
double best(Work&& work) {
  double least = seconds(work);
  for (int i = 1; i < kRepetitions; ++i) least = std::min(least, seconds(work));
  return least;
}

[[noreturn]] void fail(const std::string& path) {
  std::fprintf(stderr, "nearkin_bench_limits: %s: %s\n", path.c_str(), std::strerror(errno));
  std::exit(3);
}

Descriptor open_file(const std::string& path, int flags) {
  Descriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0666));
  if (!file) fail(path);
  return file;
}

std::uint64_t read_through(const std::string& path, bool from_disk) {
  const Descriptor file = open_file(path, O_RDONLY);
  if (from_disk) ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  std::string buffer(kBlock, '\0');
  std::uint64_t all = 0;
  for (ssize_t got = 1; got > 0; all += static_cast<std::uint64_t>(got)) {
    got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0) fail(path);
  }
  return all;
}

void write_file(const std::string& path, std::uint64_t size, bool to_disk) {
  const Descriptor file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
  const std::string buffer(kBlock, 'x');
  for (std::uint64_t done = 0; done < size;) {
    const ssize_t put = ::write(file.get(), buffer.data(), static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, size - done)));
    if (put < 0) fail(path);
    done += static_cast<std::uint64_t>(put);
  }
  if (to_disk && ::fdatasync(file.get()) != 0) fail(path);
}

// ------------------------------------------------------------------------------------------------------------ the result

class Figures {
 public:
  void add(const std::string& name, double value) { text_ += (text_.empty() ? "\"" : ",\"") + name + "\":" + std::to_string(value); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void measure_memory(Figures& rates) {
  std::vector<std::uint64_t> from(kArray / sizeof(std::uint64_t), 1), to(from.size());
  const double gigabytes = static_cast<double>(kArray) / 1e9;
  rates.add("memory read", gigabytes / best([&] {
                             std::uint64_t sum = 0;
                             for (const std::uint64_t value : from) sum += value;
                             use(sum);
                           }));
  rates.add("memory copy", gigabytes / best([&] {
                             std::memcpy(to.data(), from.data(), kArray);
                             use(to.back());
                           }));
  rates.add("checksum", gigabytes / best([&] {
                          const char* const bytes = reinterpret_cast<const char*>(from.data());
                          for (std::size_t at = 0; at < kArray; at += 1 << 16) use(checksum64(bytes + at, 1 << 16));
                        }));
}

// What the decoders give, in GB/s of unpacked bytes.
void measure_unpacking(Figures& rates, const std::string& path, const std::string& folder) {
  std::string bytes(kPacked, '\0');
  const Descriptor file = open_file(path, O_RDONLY);
  const ssize_t got = ::read(file.get(), bytes.data(), bytes.size());
  if (got < 0) fail(path);
  bytes.resize(static_cast<std::size_t>(got));
  for (const char* const extension : {"gz", "zst"}) {
    const std::string packed = folder + "/limits." + extension;
    OutputFile out(packed);
    out.write(bytes);
    out.commit();
    std::string buffer(kBlock, '\0');
    rates.add(extension, static_cast<double>(bytes.size()) / 1e9 / best([&] {
                           ByteStream stream(OpenedFile::open(packed, false), packed);
                           while (stream.read(buffer.data(), buffer.size()) > 0) use(static_cast<std::uint64_t>(buffer[0]));
                         }));
    std::filesystem::remove(packed);
  }
}

// ------------------------------------------------------------------------------------------------------------ the parts

// Seconds of each part over the whole file, the parts taking turns chunk by chunk so that each works on what lies in the cache, as it does
// in a run.
struct Parts {
  double cut = 0, parse = 0, shingle = 0, content = 0, sketch = 0, keys = 0, ids = 0, features = 0, encode = 0, decode = 0, verify = 0;
};

class PartsBench {
 public:
  PartsBench(const std::string& path, const Plan& plan)
      : plan_(plan), shingler_(plan.shingle), hasher_(plan.sketch), sources_(Input{.paths = {path}}, false) {}

  void run() {
    for (;;) {
      const double start = now();
      std::optional<Chunk> chunk = sources_.next();
      times_.cut += now() - start;
      if (!chunk) return;
      batch_.clear();
      times_.parse += seconds([&] { sources_.parse(*chunk, batch_); });
      texts();
    }
  }

  const Parts& times() const { return times_; }
  std::uint64_t documents() const { return documents_; }
  std::uint64_t shingles() const { return shingles_; }
  const std::vector<std::uint32_t>& first_band() const { return first_band_; }

 private:
  std::span<const std::uint64_t> set(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return {sets_.data() + begin, ends_[i] - begin};
  }

  template <typename Make>
  void make_sets(Make&& make) {
    sets_.clear();
    ends_.clear();
    for (Row i = 0; i < batch_.items.size(); ++i) {
      const std::span<const std::uint64_t> made = make(batch_.items.text(i));
      sets_.insert(sets_.end(), made.begin(), made.end());
      ends_.push_back(sets_.size());
    }
  }

  void texts() {
    const std::size_t count = batch_.items.size();
    times_.shingle += seconds([&] { make_sets([&](std::string_view text) { return shingler_.shingles(text); }); });
    times_.content += seconds([&] {
      for (std::size_t i = 0; i < count; ++i) use(content_hash(set(i)).low);
    });
    slots_.resize(count * plan_.sketch.hashes);
    times_.sketch += seconds([&] {
      for (std::size_t i = 0; i < count; ++i) hasher_.sketch(set(i), slots_.data() + i * plan_.sketch.hashes);
    });
    keys_.resize(count * plan_.band.bands);
    times_.keys += seconds([&] {
      for (std::size_t i = 0; i < count; ++i)
        band_keys(slots_.data() + i * plan_.sketch.hashes, plan_.band, keys_.data() + i * plan_.band.bands);
    });
    times_.ids += seconds([&] {
      hashes_.clear();
      for (Row i = 0; i < count; ++i) hashes_.push_back(IdTable::hash(batch_.items.id(i)));
      for (Row i = 0; i < count; ++i) {
        if (i + kAhead < count) ids_.expect(hashes_[i + kAhead]);
        ids_.insert(batch_.items.id(i), hashes_[i], static_cast<Row>(documents_ + i), [](Row) { return std::string_view(); });
      }
    });
    for (std::size_t i = 0; i < count; ++i) first_band_.push_back(keys_[i * plan_.band.bands]);
    shingles_ += sets_.size();
    documents_ += count;
    candidates();
  }

  // What is done with candidates alone, here with all.
  void candidates() {
    times_.features += seconds([&] { make_sets([&](std::string_view text) { return shingler_.features(text); }); });
    packed_.clear();
    times_.encode += seconds([&] {
      for (std::size_t i = 0; i < ends_.size(); ++i) append_rice(packed_, set(i));
    });
    times_.decode += seconds([&] {
      std::size_t at = 0;
      for (std::size_t i = 0; i < ends_.size(); ++i) {
        decoded_.clear();
        at += decode_rice(std::as_bytes(std::span(packed_)).subspan(at), decoded_).value();
      }
    });
    VerifyResult result;
    times_.verify += seconds([&] {
      for (std::size_t i = 0; i < ends_.size(); ++i) decide(0, 1, set(i), set(i), plan_.threshold, result);
    });
    use(result.matches.size());
  }

  static constexpr std::size_t kAhead = 16;
  const Plan& plan_;
  Shingler shingler_;
  MinHasher hasher_;
  Sources sources_;
  Batch batch_;
  IdTable ids_;
  std::vector<std::uint64_t> sets_, decoded_, hashes_;
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> slots_, keys_, first_band_;
  std::string packed_;
  std::uint64_t documents_ = 0, shingles_ = 0;
  Parts times_;
};

double sort_seconds(const std::vector<std::uint32_t>& keys) {
  std::vector<std::uint64_t> records, scratch;
  double least = 0;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    records.clear();
    for (const std::uint32_t key : keys) records.push_back(std::uint64_t{key} << 32 | records.size());
    const double took = seconds([&] { radix_sort(records, scratch, 4, 8); });
    least = repetition == 0 ? took : std::min(least, took);
  }
  return least;
}

void add_parts(Figures& times, const Parts& parts) {
  const std::pair<const char*, double> all[] = {{"cut", parts.cut},
                                                {"parse", parts.parse},
                                                {"shingle", parts.shingle},
                                                {"content hash", parts.content},
                                                {"sketch", parts.sketch},
                                                {"band keys", parts.keys},
                                                {"ids", parts.ids},
                                                {"features", parts.features},
                                                {"rice encode", parts.encode},
                                                {"rice decode", parts.decode},
                                                {"verify", parts.verify}};
  for (const auto& [name, value] : all) times.add(name, value);
}

void measure(const std::string& path, const Plan& plan, const std::string& folder) {
  const std::string temporary = folder + "/limits.tmp";
  const std::uint64_t size = read_through(path, false);
  Figures rates, times;
  measure_memory(rates);
  measure_unpacking(rates, path, folder);
  times.add("file read", best([&] { use(read_through(path, false)); }));
  times.add("file written", best([&] { write_file(temporary, size, false); }));
  times.add("disk written", best([&] { write_file(temporary, size, true); }));
  times.add("disk read", best([&] { use(read_through(temporary, true)); }));
  std::filesystem::remove(temporary);
  PartsBench parts(path, plan);
  parts.run();
  add_parts(times, parts.times());
  times.add("sort of a band", sort_seconds(parts.first_band()));
  std::printf("{\"kernel\":\"%s\",\"bytes\":%llu,\"documents\":%llu,\"shingles\":%llu,\"gb_s\":{%s},\"seconds\":{%s}}\n", kernel::name(),
              static_cast<unsigned long long>(size), static_cast<unsigned long long>(parts.documents()),
              static_cast<unsigned long long>(parts.shingles()), rates.text().c_str(), times.text().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) return std::puts(kernel::name()) < 0;
  if (argc != 4) return std::fputs("Usage: nearkin_bench_limits FILE.jsonl PLAN FOLDER\n", stderr), 2;
  try {
    measure(argv[1], parse_plan(argv[2]), argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nearkin_bench_limits: %s\n", error.what());
    return 3;
  }
}
