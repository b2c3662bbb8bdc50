#include "index/meta.h"

#include <nearkin/error.h>
#include <nearkin/ignore.h>
#include <nearkin/tools/names.h>

#include "index/seal.h"

namespace nearkin {

void fail_damaged(const Transaction& transaction, const std::string& what) {
  throw Error(ErrorCode::file, transaction.environment().folder(), what + "; restore the index from a backup, or create it again");
}

static std::string_view sealed_value(const Transaction& transaction, std::string_view name) {
  const std::optional<std::string_view> value = transaction.find(transaction.tables().meta, name);
  if (!value) fail_damaged(transaction, "the setting \"" + std::string(name) + "\" is missing");
  const std::size_t size = value->size() < kSealBytes ? 0 : value->size() - kSealBytes;
  const std::string_view text = value->substr(0, size);
  if (value->size() < kSealBytes || seal_of(Sealed::setting, name, text) != seal_in(value->substr(size))) {
    fail_damaged(transaction, "the setting \"" + std::string(name) + "\" is damaged");
  }
  return text;
}

std::string text_in(const Transaction& transaction, std::string_view name) { return std::string(sealed_value(transaction, name)); }

void set_text(Transaction& transaction, std::string_view name, std::string_view text) {
  std::string value(text);
  append_seal(value, seal_of(Sealed::setting, name, text));
  transaction.put(transaction.tables().meta, name, value);
}

std::uint64_t number_in(const Transaction& transaction, std::string_view name) {
  return number_of_setting(transaction, name, sealed_value(transaction, name));
}

Plan plan_in(const Transaction& transaction) {
  Plan plan = parse_plan(text_in(transaction, meta::kPlan));
  if (plan.shingle.ignore == 0) return plan;
  const std::string bytes = text_in(transaction, meta::kIgnored);
  std::vector<std::uint64_t> ignored(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(ignored.data(), bytes.data(), ignored.size() * sizeof(std::uint64_t));
  const std::uint64_t named = plan.shingle.ignore;
  plan.shingle = ignore_hashes(plan.shingle, std::move(ignored));
  if (plan.shingle.ignore != named) fail_damaged(transaction, "the shingles that the plan ignores are others");
  return plan;
}

Unit unit_in(const Transaction& transaction) {
  if (!transaction.find(transaction.tables().meta, meta::kUnit)) return {};
  const std::string text = text_in(transaction, meta::kUnit);
  const std::size_t space = text.find(' ');
  Unit unit = parse_unit(text.substr(0, space));
  unit.least = static_cast<std::uint32_t>(std::stoul(text.substr(space + 1)));
  return unit;
}

void set_unit(Transaction& transaction, const Unit& unit) {
  if (!unit.divides()) return;
  Unit of_any_length = unit;
  of_any_length.least = 0;
  set_text(transaction, meta::kUnit, to_string(of_any_length) + " " + std::to_string(unit.least));
}

Directed directed_in(const Transaction& transaction) {
  if (!transaction.find(transaction.tables().meta, meta::kDirected)) return Directed::no;
  return parse_directed(text_in(transaction, meta::kDirected));
}

void set_directed(Transaction& transaction, Directed directed) {
  if (directed != Directed::no) set_text(transaction, meta::kDirected, name(directed));
}

std::string questions_in(const Transaction& transaction) {
  if (!transaction.find(transaction.tables().meta, meta::kQuestions)) return {};
  return text_in(transaction, meta::kQuestions);
}

void set_questions(Transaction& transaction, const std::string& questions) {
  if (!questions.empty()) set_text(transaction, meta::kQuestions, questions);
}

std::uint64_t number_of_setting(const Transaction& transaction, std::string_view name, std::string_view value) {
  std::uint64_t number = 0;
  if (value.size() != sizeof number) fail_damaged(transaction, "the setting \"" + std::string(name) + "\" is damaged");
  std::memcpy(&number, value.data(), sizeof number);
  return number;
}

void set_number(Transaction& transaction, std::string_view name, std::uint64_t number) {
  set_text(transaction, name, {reinterpret_cast<const char*>(&number), sizeof number});
}

std::string described(const Vectors& vectors) {
  switch (vectors.kind) {
    case Vectors::Kind::dense: return "dense " + std::to_string(vectors.dimensions);
    case Vectors::Kind::bits: return "bits " + std::to_string(vectors.dimensions);
    case Vectors::Kind::sparse: break;
  }
  return "sparse";
}

std::string vectors_in_words(std::string_view described, bool one) {
  const std::size_t blank = described.find(' ');
  if (blank == std::string_view::npos) return one ? "a sparse vector" : "sparse vectors";
  const std::string count(described.substr(blank + 1));
  const std::string s = one ? "" : "s", a = one ? "a " : "";
  if (described.starts_with("bits")) return a + "string" + s + " of " + count + (count == "1" ? " bit" : " bits");
  return a + "vector" + s + " of " + count + (count == "1" ? " number" : " numbers");
}

bool require_vectors_like(const Transaction& transaction, const Vectors& asked) {
  const std::string known = text_in(transaction, meta::kVectors);
  if (known.empty() || asked.size() == 0) return !known.empty();
  if (known == described(asked)) return true;
  throw Error(ErrorCode::data, "vector",
              "this is " + vectors_in_words(described(asked), true) + "; the index has " + vectors_in_words(known, false));
}

}  // namespace nearkin
