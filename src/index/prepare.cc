#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "index/record.h"
#include "index/seal.h"
#include "io/bytes/compression.h"
#include "io/formats/json_text.h"
#include "match/band.h"
#include "theory/plan_check.h"

namespace nearkin {
namespace {

constexpr std::size_t kLongestId = 65'535;

// Metadata goes into lines of JSON as it is: what ends a line stands between its parts only, where a blank says the same.
std::string one_line(std::string_view metadata) {
  std::string line(metadata);
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return line;
}

[[noreturn]] void refuse(const std::string& subject, const std::string& message) { throw Error(ErrorCode::plan, subject, message); }

}  // namespace

void Prepared::clear() {
  ids.clear();
  records.clear();
  texts.clear();
  keys.clear();
  empty.clear();
  record_ends.clear();
}

void Prepared::append(const Prepared& other) {
  for (const std::size_t end : other.record_ends) record_ends.push_back(size() + end);
  ids.append(other.ids);
  records.append(other.records);
  texts.append(other.texts);
  keys.insert(keys.end(), other.keys.begin(), other.keys.end());
  empty.insert(empty.end(), other.empty.begin(), other.empty.end());
}

void Preparer::add(Prepared& out, std::string_view id, std::string_view text, std::string_view metadata, bool keep_text) {
  const std::span<const std::uint64_t> features = shingler_.features(text);
  record_.clear();
  append_set_record(record_, id, one_line(metadata), features);
  out.ids.add(id);
  out.records.add(record_);
  if (keep_text) {
    const std::string block = compress_block(text);
    const std::uint32_t seal = checksum32(block) ^ seal_in(record_);
    record_.clear();
    append_seal(record_, seal);
    record_ += block;
    out.texts.add(record_);
  }
  if (!features.empty() && plan_.band.bands > 0) hasher_.sketch(features, slots_.data());
  add_keys(out, features.empty());
}

void Preparer::add(Prepared& out, std::string_view id, const Vectors& vectors, std::size_t i, std::string_view metadata) {
  record_.clear();
  append_vector_record(record_, id, one_line(metadata), vectors, i);
  out.ids.add(id);
  out.records.add(record_);
  const bool empty = is_empty(vectors, i, plan_.measure);
  if (!empty && plan_.band.bands > 0) hasher_.sketch(vectors, i, slots_.data());
  add_keys(out, empty);
}

// Adds the keys of the item whose slots were just computed; an EMPTY item has none.
void Preparer::add_keys(Prepared& out, bool empty) {
  out.empty.push_back(empty);
  const std::size_t before = out.keys.size();
  out.keys.resize(before + plan_.band.bands);
  if (!empty && plan_.band.bands > 0) band_keys(slots_.data(), plan_.band, out.keys.data() + before);
}

Points Preparer::points_of(std::string_view text) {
  const std::span<const std::uint64_t> features = shingler_.features(text);
  Features set;
  set.hashes.assign(features.begin(), features.end());
  set.ends.push_back(features.size());
  return set;
}

const std::vector<std::uint32_t>& Preparer::keys_of(const Points& points, std::size_t i) {
  if (keys_.empty()) return keys_;
  hasher_.sketch(points, i, slots_.data());
  band_keys(slots_.data(), plan_.band, keys_.data());
  return keys_;
}

void require_indexable(const Plan& plan) {
  require_plan(plan);
  if (plan.measure == Measure::exact) refuse("measure", "exact cannot be used for an index; use jaccard with threshold 1");
  if (plan.kind == Kind::tfidf)
    refuse("features", "tfidf depends on the whole collection, which changes in an index; use jaccard, or vectors of your own");
  if (plan.binarise != Binarise::none && plan.binarise != Binarise::sign) {
    refuse("binarise", std::string(name(plan.binarise)) + " depends on the whole collection, which changes in an index; use sign");
  }
  if (plan.nearest != 0) refuse("limit", "an index is made for a threshold or a radius; give one, and --limit with each query");
  if (plan.band.probes > 1)
    refuse("probes", std::to_string(plan.band.probes) + " buckets per band are more than an index looks into; leave it out");
  if (plan.verify != Verify::exact)
    refuse("verify", std::string(name(plan.verify)) + " is not for an index, which gives exact similarities; leave it out");
}

std::optional<std::string> fault_of_id(std::string_view id) {
  if (id.empty()) return "is empty; every item of an index needs one";
  if (id.size() <= kLongestId) return std::nullopt;
  return "has " + std::to_string(id.size()) + " bytes; " + std::to_string(kLongestId) + " are the most";
}

void require_id(std::string_view id) {
  if (const std::optional<std::string> wrong = fault_of_id(id)) throw Error(ErrorCode::data, "id", *wrong);
}

void require_metadata(std::string_view id, std::string_view metadata) {
  if (metadata.empty() || is_json_object(metadata)) return;
  throw Error(ErrorCode::data, "metadata",
              "of \"" + std::string(id.substr(0, 100)) + "\" is not a JSON object; write one such as {\"lang\":\"en\"}");
}

}  // namespace nearkin
