#include "io/source/sample_records.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "io/source/for_each_batch.h"
#include "io/source/memory_items.h"

namespace nearkin {
namespace {

constexpr std::uint64_t kSmall = std::uint64_t{1} << 18;  // bytes that are read whole: looking for places in them would take as long
constexpr double kFewest = 1024, kMost = 4096;            // records of a larger input
constexpr double kFewestLong = 256;                       // where these are long
constexpr double kPart = 16;                              // one in so many records and bytes, where that is within these
constexpr double kFewestBytes = 1 << 20;                  // of these records together, about
constexpr double kMostBytes = 16 << 20;                   // they are kept in memory
constexpr std::uint64_t kStretch = 4096;                  // bytes looked at first for a whole line

// How many of `records` records that have `bytes` bytes together. Looking at them must cost little beside the run.
double wanted(double records, double bytes) {
  const double a_byte = records / std::max(1.0, bytes);
  const double cheap = std::max(kFewestLong, std::clamp(bytes / kPart, kFewestBytes, kMostBytes) * a_byte);
  const double fitting = std::max(1.0, std::floor(kMostBytes * a_byte));
  return std::min({std::clamp(records / kPart, kFewest, kMost), cheap, fitting});
}

double fraction(std::uint64_t seed, std::uint64_t i) { return static_cast<double>(mix64(mix64(seed) ^ (i + 1)) >> 11) * 0x1p-53; }

struct Place {
  std::uint32_t source;
  std::uint64_t offset;
};

// Uniform over the bytes of all sources, ascending.
std::vector<Place> random_places(const Sources& sources, double count, std::uint64_t seed) {
  std::vector<std::uint64_t> offsets(static_cast<std::size_t>(count));
  SplitMix random(seed);
  for (std::uint64_t& offset : offsets) offset = multiply128(random(), sources.total_bytes()).high;
  std::sort(offsets.begin(), offsets.end());
  std::vector<Place> places;
  std::uint32_t source = 0;
  std::uint64_t begin = 0;
  for (const std::uint64_t offset : offsets) {
    while (offset >= begin + sources.bytes(source)) begin += sources.bytes(source++);
    places.push_back({source, offset - begin});
  }
  return places;
}

// The first whole line that begins behind the offset, without its line end; nothing where the last line of the file does not.
struct Line {
  std::uint64_t offset = 0, length = 0;
};
std::optional<Line> line_behind(const Sources& sources, const Place& place, std::string& buffer) {
  const std::uint64_t left = sources.bytes(place.source) - place.offset;
  for (std::uint64_t length = kStretch;; length *= 2) {
    const bool all = length >= left;
    const std::string_view bytes = sources.read({place.source, 1, place.offset, all ? left : length}, buffer);
    const std::size_t begin = bytes.find('\n') + 1;  // 0: there is none
    const std::size_t end = begin == 0 ? bytes.size() : bytes.find('\n', begin);
    if (begin != 0 && begin < bytes.size() && (end != std::string_view::npos || all)) {
      return Line{place.offset + begin, std::min(end, bytes.size()) - begin};
    }
    if (all) return std::nullopt;
  }
}

// Each line once: the same record twice would be a copy of itself.
std::vector<Line> lines_behind(const Sources& sources, std::span<const Place> places, std::string& buffer) {
  std::vector<Line> lines;
  for (const Place& place : places) {
    if (!lines.empty() && place.offset < lines.back().offset) continue;
    const std::optional<Line> line = line_behind(sources, place, buffer);
    if (!line) break;
    lines.push_back(*line);
  }
  return lines;
}

class Sampler {
 public:
  Sampler(const Input& input, std::uint64_t seed) : sources_(input, false, true), seed_(seed), memory_(input.memory.get()) {}

  RecordSample run() {
    if (memory_ != nullptr) return run_over_rows();
    bool all_files = true;
    for (std::size_t i = 0; i < sources_.size(); ++i) all_files = all_files && sources_.format(i) == Format::files;
    if (sources_.total_bytes() <= kSmall) return run_over_all();
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (sources_.format(i) == Format::edges) return {};
    }
    return all_files ? run_over_files() : run_over_places();
  }

 private:
  // Returns how many records the chunk holds; at most `most` of them are taken.
  std::uint64_t take(const Chunk& chunk, std::uint64_t most = UINT64_MAX) {
    batch_.clear();
    sources_.parse(chunk, batch_);
    return take(batch_, most);
  }
  std::uint64_t take(const Batch& batch, std::uint64_t most = UINT64_MAX) {
    const std::uint64_t taken = std::min<std::uint64_t>(batch.items.size(), most);
    // Records behind the first may be much longer than those that the number was guessed from.
    for (Row i = 0; i < taken && static_cast<double>(sample_.texts.bytes()) < 2 * kMostBytes; ++i) sample_.texts.add(batch.items.text(i));
    return batch.items.size();
  }

  RecordSample finish(double in_all) {
    sample_.in_all = std::max<std::uint64_t>(static_cast<std::uint64_t>(in_all), sample_.texts.size());
    return std::move(sample_);
  }

  RecordSample run_over_all() {
    RunStats stats;
    // Compressed: a few megabytes may hold any amount of text.
    const auto enough = [&] { return static_cast<double>(sample_.texts.bytes()) >= 2 * kMostBytes; };
    for_each_batch(sources_, {.stats = &stats, .enough = enough}, [&](const ReadBatch& part) { take(part.batch); });
    const auto records = static_cast<double>(stats.items), bytes = static_cast<double>(sources_.total_bytes());
    return finish(enough() ? records * bytes / static_cast<double>(std::max<std::uint64_t>(1, sources_.bytes_read())) : records);
  }

  RecordSample run_over_rows() {
    const auto rows = static_cast<double>(size_of(*memory_));
    const double bytes = static_cast<double>(sources_.total_bytes());
    const double part = bytes <= static_cast<double>(kSmall) ? 1 : wanted(rows, bytes) / rows;
    for (std::size_t row = 0; row < size_of(*memory_); ++row) {
      if (fraction(seed_, row) < part)
        take({.source = 0, .first_line = static_cast<std::uint32_t>(row), .offset = row, .buffer = nullptr, .bytes = {}, .rows = 1});
    }
    return finish(rows);
  }

  RecordSample run_over_files() {
    const double files = static_cast<double>(sources_.size());
    const double part = wanted(files, static_cast<double>(sources_.total_bytes())) / files;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (fraction(seed_, i) >= part) continue;
      sources_.go_to(i);
      if (const std::optional<Chunk> chunk = sources_.next()) take(*chunk);
    }
    return finish(files);
  }

  // From the first chunk: how many records there may be.
  double first_guess() {
    const std::optional<Chunk> chunk = sources_.next();
    if (!chunk || chunk->bytes.empty()) return 0;
    sources_.parse(*chunk, batch_);
    return static_cast<double>(batch_.items.size()) * static_cast<double>(sources_.total_bytes()) /
           static_cast<double>(chunk->bytes.size());
  }

  RecordSample run_over_places() {
    const double count = wanted(std::max(1.0, first_guess()), static_cast<double>(sources_.total_bytes()));
    const std::vector<Place> places = random_places(sources_, count, seed_);
    double in_all = 0;
    for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
      while (end < places.size() && places[end].source == places[begin].source) ++end;
      in_all += take_from_source({places.data() + begin, end - begin});
    }
    return finish(in_all + (line_lengths_ > 0 ? line_bytes_ * lines_ / line_lengths_ : 0));
  }

  // Returns the number of records in the source, about; 0 for sources of lines, which are estimated together.
  double take_from_source(std::span<const Place> places) {
    const std::uint32_t source = places.front().source;
    const std::uint64_t read_before = sources_.bytes_read();
    sources_.go_to(source);
    std::optional<Chunk> chunk = sources_.next();
    if (!chunk || chunk->source != source) return 0;
    if (sources_.is_lines_on_disk(source)) {
      take_lines(places);
      return 0;
    }
    std::uint64_t records = 0;
    while (chunk && chunk->source == source) {
      records += take(*chunk, records < places.size() ? places.size() - records : 0);
      if (records >= places.size() || static_cast<double>(sample_.texts.bytes()) >= 2 * kMostBytes) break;
      chunk = sources_.next();
    }
    const auto read = static_cast<double>(sources_.bytes_read() - read_before);
    return static_cast<double>(records) * std::max(1.0, static_cast<double>(sources_.bytes(source)) / std::max(1.0, read));
  }

  // Lines behind places are longer than most where long lines follow one another; then a random part of them is taken, as many as are
  // wanted of such.
  void take_lines(std::span<const Place> places) {
    const std::uint32_t source = places.front().source;
    const auto source_bytes = static_cast<double>(sources_.bytes(source));
    line_bytes_ += source_bytes;
    const std::vector<Line> lines = lines_behind(sources_, places, buffer_);
    double bytes = 0;
    for (const Line& line : lines) bytes += static_cast<double>(line.length + 1);
    const double in_all = static_cast<double>(sources_.total_bytes());
    const double part =
        wanted(static_cast<double>(lines.size()) * in_all / bytes, in_all) * source_bytes / in_all / static_cast<double>(lines.size());
    for (const Line& line : lines) {
      if (fraction(seed_, line.offset) >= part) continue;
      line_lengths_ += static_cast<double>(line.length + 1);
      const std::string_view text = sources_.read({source, 1, line.offset, line.length}, buffer_);
      lines_ += static_cast<double>(take({source, 1, line.offset, nullptr, text}));
    }
  }

  Sources sources_;
  std::uint64_t seed_;
  const MemoryItems* memory_;  // where the items are there
  Batch batch_;
  std::string buffer_;
  RecordSample sample_;
  double lines_ = 0, line_lengths_ = 0;  // taken behind places
  double line_bytes_ = 0;                // of the sources they are from
};

}  // namespace

RecordSample sample_records(const Input& input, std::uint64_t seed) { return Sampler(input, seed).run(); }

}  // namespace nearkin
