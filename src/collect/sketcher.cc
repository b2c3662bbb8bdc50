#include "collect/sketcher.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "collect/id_table.h"
#include "feature/tokens.h"
#include "kernel/kernel.h"
#include "match/band.h"

namespace nearkin {
namespace {

[[noreturn]] void refuse_format(const Plan& plan, Format format, const std::string& path) {
  const std::string what = "is " + std::string(name(format)) + ", which measure " + std::string(name(plan.measure)) + " does not compare; ";
  if (plan.measure == Measure::hamming) {
    throw Error(ErrorCode::plan, path, what + "use format bits, table, or dense with binarise");
  }
  if (plan.kind == Kind::tfidf)
    throw Error(ErrorCode::plan, path, "is " + std::string(name(format)) + ", and features tfidf are made of texts; leave features out");
  if (format == Format::bits) throw Error(ErrorCode::plan, path, what + "use measure hamming");
  if (compares_vectors(plan))
    throw Error(ErrorCode::plan, path, what + "use format dense or sparse, or turn texts into vectors by features tfidf");
  throw Error(ErrorCode::plan, path,
              what + "use measure cosine, euclidean, manhattan or weighted-jaccard" +
                  (format == Format::dense ? ", or hamming with binarise" : ""));
}

}  // namespace

void Sketched::clear() {
  batch.clear();
  text_sizes.clear();
  id_hashes.clear();
  empty.clear();
  contents.clear();
  keys.clear();
  signatures.clear();
  slots.clear();
  features.hashes.clear();
  features.ends.clear();
  shingles = 0;
  end.reset();
}

void hash_ids(Sketched& part, bool units) {
  for (Row i = 0; i < part.batch.items.size(); ++i) {
    const std::string_view id = part.batch.items.id(i);
    part.id_hashes.push_back(IdTable::hash(units ? owner_of(id) : id));
  }
}

Sketcher::Sketcher(const Plan& plan) : plan_(plan), shingler_(plan.shingle), slots_(plan.sketch.hashes) {
  if (!compares_vectors(plan)) hasher_.emplace(plan.sketch);
}

const Sketched* Sketcher::sketch(const Sources& sources, const Chunk& chunk) {
  Sketched& out = out_;
  out.clear();
  sources.parse(chunk, out.batch);
  // What a source lacks, and that it is empty or binary, is told once, where it was met: a run cannot be taken up behind it.
  if (chunk.problem.empty() && !chunk.bytes.empty())
    out.end = Position{chunk.source, 0, chunk.offset + chunk.bytes.size() + chunk.passed, chunk.next_line};
  hash_ids(out, sources.unit().divides());
  for (Row i = 0; i < out.batch.items.size(); ++i) out.text_sizes.push_back(out.batch.items.text(i).size());
  if (compares_vectors(plan_)) {
    if (plan_.kind == Kind::tfidf) count_shingles(out.batch);
    return &out;  // vectors are hashed once all are there
  }
  const std::size_t items = out.batch.items.size();
  make_room(items, out);
  const bool within = sources.scope().rule == Scope::Rule::within;
  for (Row i = 0; i < items; ++i) add(i, out.batch.items.text(i), within ? out.batch.scopes[i] : 0, out);
  return &out;
}

const Sketched* Sketcher::sketch(std::span<const std::string_view> texts, std::span<const std::uint64_t> salts) {
  out_.clear();
  make_room(texts.size(), out_);
  for (Row i = 0; i < texts.size(); ++i) add(i, texts[i], salts.empty() ? 0 : salts[i], out_);
  return &out_;
}

void Sketcher::make_room(std::size_t items, Sketched& out) const {
  out.keys.resize(items * plan_.band.bands);
  out.signatures.resize(items * plan_.sketch.hashes);
  out.contents.reserve(items);
  out.empty.reserve(items);
}

void Sketcher::add(Row i, std::string_view text, std::uint64_t salt, Sketched& out) {
  shingler_.salt(salt);
  if (plan_.measure == Measure::exact) {
    const TextHash hashed = hash_text(text, plan_.shingle.normalise, buffer_);
    out.contents.push_back({hashed.hash.low ^ salt, hashed.hash.high});
    out.empty.push_back(hashed.empty);
    return;
  }
  const bool sorted = plan_.shingle.bag || plan_.exact_join();
  const std::span<const std::uint64_t> shingles = sorted ? shingler_.features(text) : shingler_.shingles(text);
  out.contents.push_back(content_hash(shingles));
  out.shingles += shingles.size();
  out.empty.push_back(shingles.empty());
  if (plan_.exact_join()) {
    out.features.hashes.insert(out.features.hashes.end(), shingles.begin(), shingles.end());
    out.features.ends.push_back(out.features.hashes.size());
  } else {
    add_sketch(i, shingles, out);
  }
}

// Each text as a sparse vector: how often each of its shingles occurs.
void Sketcher::count_shingles(Batch& batch) {
  batch.vectors.kind = Vectors::Kind::sparse;
  for (Row i = 0; i < batch.items.size(); ++i) {
    const std::span<const std::uint64_t> shingles = shingler_.shingles(batch.items.text(i));
    sorted_.assign(shingles.begin(), shingles.end());
    sort_hashes(sorted_, scratch_);
    for (std::size_t begin = 0, end = 0; begin < sorted_.size(); begin = end) {
      while (end < sorted_.size() && sorted_[end] == sorted_[begin]) ++end;
      batch.vectors.indices.push_back(sorted_[begin]);
      batch.vectors.values.push_back(static_cast<double>(end - begin));
    }
    batch.vectors.ends.push_back(batch.vectors.indices.size());
    ++batch.vectors.count;
  }
}

void Sketcher::add_sketch(Row i, std::span<const std::uint64_t> shingles, Sketched& out) {
  if (shingles.empty()) {
    std::fill(slots_.begin(), slots_.end(), 0u);
  } else {
    hasher_->sketch(shingles, slots_.data());
  }
  band_keys(slots_.data(), plan_.band, out.keys.data() + std::size_t{i} * plan_.band.bands);
  kernel::signature_bytes(slots_.data(), slots_.size(), out.signatures.data() + std::size_t{i} * plan_.sketch.hashes);
  if (keeps_slots(plan_)) out.slots.insert(out.slots.end(), slots_.begin(), slots_.end());
}

void require_format(const Plan& plan, Format format, const std::string& path) {
  const bool wants_vectors = plan.kind == Kind::numbers || plan.kind == Kind::bits;
  const bool fits = wants_vectors ? holds_vectors(format) && (plan.kind == Kind::bits || format != Format::bits) : !holds_vectors(format);
  const bool set_hamming = plan.measure == Measure::hamming && plan.kind == Kind::shingles;
  if (!fits || (set_hamming && format != Format::table)) refuse_format(plan, format, path);
}

TextHash hash_text(std::string_view text, Normalise normalise, std::string& buffer) {
  if (normalise != Normalise::none) {
    prepare_text(text, {.token = Token::character, .normalise = normalise}, buffer);
    text = buffer;
  }
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {{hash.low64, hash.high64}, text.empty()};
}

}  // namespace nearkin
