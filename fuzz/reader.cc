// Any bytes as a file of one format, compiled once for each: FUZZ_FORMAT is a Format, FUZZ_FILE the name. Nothing but an Error may come
// of it; what is read keeps the promises of the headers, and every record reads the second time as it did the first.
#include <cmath>

#include <nearkin/error.h>
#include <nearkin/items.h>
#include <nearkin/vectors.h>

#include "io/source/source.h"
#include "support.h"

namespace nearkin::fuzz {
namespace {

constexpr Format kFormat = Format::FUZZ_FORMAT;

/// The options vary with the length, so that the bytes of an input are those of a real file.
Input input_for(const std::string& path, std::size_t size) {
  const auto bit = [size](int i) { return (size >> i & 1) != 0; };
  constexpr Directed kDirections[] = {Directed::no, Directed::out, Directed::in, Directed::both};
  Input input{.paths = {path}, .format = kFormat};
  input.header = !bit(0);
  input.all_answers = bit(0);
  input.directed = kDirections[size % 4];
  if (bit(1)) input.separator = ';';
  if (bit(2)) input.id = "first-word";
  if (bit(3)) input.number = "n";
  input.strict = bit(4) && bit(5);
  return input;
}

void check_sparse(const Vectors& vectors) {
  require(vectors.ends.size() == vectors.count, "sparse: an end for each item");
  require(vectors.indices.size() == vectors.values.size(), "sparse: a value for each index");
  require((vectors.count == 0 ? 0 : vectors.ends.back()) == vectors.indices.size(), "sparse: the last end is the end of all");
  for (std::size_t i = 0; i < vectors.count; ++i) {
    require(i == 0 || vectors.ends[i - 1] <= vectors.ends[i], "sparse: ends ascend");
    const SparseView item = vectors.sparse(i);
    for (std::size_t k = 0; k < item.indices.size(); ++k) {
      require(k == 0 || item.indices[k - 1] < item.indices[k], "sparse: indices ascend and are distinct");
      require(std::isfinite(item.values[k]) && item.values[k] != 0, "sparse: values are finite and not zero");
    }
  }
}

void check_bits(const Vectors& vectors) {
  require(vectors.words.size() == vectors.count * vectors.word_count(), "bits: all of one length");
  const unsigned used = vectors.dimensions % 64;
  for (std::size_t i = 0; used != 0 && i < vectors.count; ++i) {
    require(vectors.bits(i).back() >> used == 0, "bits: the rest of the last word is 0");
  }
}

[[maybe_unused]] void check(const VectorItems& items) {
  const Vectors& vectors = items.vectors;
  require(items.ids.size() == vectors.count, "vectors: an id for each item");
  if (vectors.kind == Vectors::Kind::sparse) return check_sparse(vectors);
  if (vectors.kind == Vectors::Kind::bits) return check_bits(vectors);
  require(vectors.numbers.size() == vectors.count * vectors.dimensions, "dense: all of one length");
  for (const float number : vectors.numbers) require(std::isfinite(number), "dense: numbers are finite");
}

[[maybe_unused]] void check(const Items& items) { require(items.ids.size() == items.texts.size(), "items: a text for each id"); }

void check_faults(const Faults& faults) {
  require(faults.first.size() <= Faults::kNamed && faults.first.size() <= faults.count, "faults: the first few are named");
}

void read(const Input& input) {
  Faults faults;
  if constexpr (holds_vectors(kFormat)) {
    check(read_vectors(input, &faults));
  } else {
    check(read_items(input, &faults));
  }
  check_faults(faults);
}

void check_again(const Sources& sources, const Batch& batch, std::size_t i) {
  std::string buffer;
  Batch again;
  sources.parse_again(batch.locations[i], buffer, again);
  require(again.items.size() == 1, "a record parsed again is one record");
  const Row row = static_cast<Row>(i);
  require(again.items.id(0) == batch.items.id(row), "a record parsed again has the same id");
  require(again.items.text(0) == batch.items.text(row), "a record parsed again has the same text");
}

void read_twice(const Input& input) {
  Sources sources(input, true);
  std::vector<Batch> batches;
  while (const auto chunk = sources.next()) sources.parse(*chunk, batches.emplace_back());
  for (const Batch& batch : batches) {
    require(batch.locations.size() == batch.items.size(), "a location for each item");
    for (std::size_t i = 0; i < batch.items.size(); ++i) check_again(sources, batch, i);
  }
}

}  // namespace
}  // namespace nearkin::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nearkin::fuzz;
  static const InputFile file(FUZZ_FILE);
  file.write(bytes_of(data, size));
  const nearkin::Input input = input_for(file.path(), size);
  bool readable = true;
  try {
    read(input);
  } catch (const nearkin::Error&) {
    readable = false;
  }
  try {
    read_twice(input);
  } catch (const nearkin::Error&) {
    // Strict reading of vectors also refuses lengths, which are compared when batches are gathered.
    require(!readable, "what could be read once can be read twice");
  }
  return 0;
}
