// What the tests of src/io share: whole inputs as plain vectors, compression, and a standard input of the test's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/items.h>

#include "io/source/source.h"
#include "support/temp_dir.h"

namespace nearkin::test {

using Texts = std::vector<std::string>;

struct Everything {
  Texts ids, texts;
  Texts vectors;  ///< as shown_vector spells them; none for formats of texts
  std::vector<Location> locations;
  std::vector<double> numbers;
  Faults faults;  ///< `first` of all batches
  std::vector<Location> fault_locations;
  std::size_t chunks = 0;
};

inline void expect_zero_padding(const Chunk& chunk) {
  const char* end = chunk.bytes.data() + chunk.bytes.size();
  const char* buffer_end = chunk.buffer->data() + chunk.buffer->size();
  ASSERT_GE(static_cast<std::size_t>(buffer_end - end), kChunkPadding);
  EXPECT_EQ(std::string_view(end, kChunkPadding), std::string(kChunkPadding, '\0'));
}

/// Item i of a batch: "1 2.5", "3:0.5 7:1" or "0110".
inline std::string shown_vector(const Batch& batch, std::size_t i) {
  const Vectors& all = batch.vectors;
  const std::uint64_t begin = i == 0 ? 0 : all.ends[i - 1], end = all.ends[i];
  std::ostringstream out;
  out.precision(17);
  if (all.kind == Vectors::Kind::bits) {
    EXPECT_EQ(end - begin, (std::uint64_t{batch.vector_lengths[i]} + 63) / 64);
    for (std::uint64_t bit = 0; bit < batch.vector_lengths[i]; ++bit) out << (all.words[begin + bit / 64] >> (bit % 64) & 1);
    return out.str();
  }
  if (all.kind == Vectors::Kind::dense) {
    EXPECT_EQ(end - begin, batch.vector_lengths[i]);
  }
  for (std::uint64_t at = begin; at < end; ++at) {
    if (at > begin) out << ' ';
    all.kind == Vectors::Kind::dense ? out << all.numbers[at] : out << all.indices[at] << ':' << all.values[at];
  }
  return out.str();
}

inline Everything read_everything(Sources& sources) {
  Everything all;
  while (const auto chunk = sources.next()) {
    ++all.chunks;
    expect_zero_padding(*chunk);
    Batch batch;
    sources.parse(*chunk, batch);
    for (Row row = 0; row < batch.items.size(); ++row) {
      all.ids.emplace_back(batch.items.id(row));
      all.texts.emplace_back(batch.items.text(row));
    }
    for (std::size_t i = 0; i < batch.vectors.count; ++i) all.vectors.push_back(shown_vector(batch, i));
    EXPECT_TRUE(batch.vectors.count == 0 || batch.vectors.count == batch.items.size());
    EXPECT_EQ(batch.locations.size(), batch.items.size());
    EXPECT_EQ(batch.fault_locations.size(), batch.faults.count);
    EXPECT_LE(batch.faults.first.size(), Faults::kNamed);
    all.locations.insert(all.locations.end(), batch.locations.begin(), batch.locations.end());
    all.numbers.insert(all.numbers.end(), batch.numbers.begin(), batch.numbers.end());
    all.faults.first.insert(all.faults.first.end(), batch.faults.first.begin(), batch.faults.first.end());
    all.faults.count += batch.faults.count;
    all.faults.binary += batch.faults.binary;
    all.fault_locations.insert(all.fault_locations.end(), batch.fault_locations.begin(), batch.fault_locations.end());
  }
  return all;
}

inline Everything read_everything(const Input& input, bool keep_bytes = false) {
  Sources sources(input, keep_bytes);
  return read_everything(sources);
}

inline Input input_of(const std::string& path, std::optional<Format> format = {}) {
  Input input;
  input.paths = {path};
  input.format = format;
  return input;
}

inline std::string gzip(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  std::string in(bytes);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

/// Standard input reads from `path` while this lives.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : saved_(::dup(STDIN_FILENO)) {
    const int file = ::open(path.c_str(), O_RDONLY);
    ::dup2(file, STDIN_FILENO);
    ::close(file);
  }
  ~StandardInput() {
    if (saved_ < 0) {
      ::close(STDIN_FILENO);
      return;
    }
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int saved_;
};

/// What the first fault says, without its end.
inline std::string first_fault(const Everything& all) {
  if (all.faults.first.empty()) return "no fault";
  const std::string& message = all.faults.first[0].message;
  return message.substr(0, message.find("; record skipped"));
}

/// Reads `bytes` cut off after every byte, as `name` (whose extension tells the format) in `dir`: an Error or faults, never anything worse.
/// Returns the number of items of each.
inline std::vector<std::size_t> cut_at_every_byte(const TempDir& dir, const std::string& name, std::string_view bytes, Input input = {}) {
  std::vector<std::size_t> items;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    input.paths = {dir.write(name, bytes.substr(0, size))};
    try {
      items.push_back(read_everything(input).ids.size());
    } catch (const Error& error) {
      EXPECT_FALSE(error.message().empty());
      items.push_back(0);
    }
  }
  return items;
}

/// The Error that `run` throws.
template <typename Run>
Error error_of(Run run) {
  try {
    run();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::plan, "", "");
}

/// The header, all records and all records at fault in their order, as `read` gives them back.
inline std::string all_bytes(const Sources& sources, const Everything& all) {
  std::vector<Location> places = all.locations;
  places.insert(places.end(), all.fault_locations.begin(), all.fault_locations.end());
  std::sort(places.begin(), places.end(),
            [](const Location& a, const Location& b) { return std::pair(a.source, a.offset) < std::pair(b.source, b.offset); });
  std::string bytes, buffer;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    bytes += sources.header(i);
    for (const Location& place : places) {
      if (place.source == i) bytes += sources.read(place, buffer);
    }
  }
  return bytes;
}

}  // namespace nearkin::test
