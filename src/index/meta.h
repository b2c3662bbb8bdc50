// The settings and counts of an index: the table `meta`, each value with a checksum behind it.
#pragma once

#include <nearkin/items.h>
#include <nearkin/plan.h>
#include <nearkin/vectors.h>

#include "index/store.h"

namespace nearkin {

/// Names in the table. FROZEN for each version of the format.
namespace meta {
inline constexpr std::string_view kPlan = "plan", kTexts = "texts", kNext = "next", kItems = "items", kEmpty = "empty",
                                  kVectors = "vectors", kCommit = "commit", kIgnored = "ignored", kUnit = "unit", kDirected = "directed",
                                  kQuestions = "questions";
/// What Index::try_write puts, and removes: nothing reads it.
inline constexpr std::string_view kTrial = "trial";
}  // namespace meta

/// Throws Error(file) naming the index, what is damaged, and what to do.
[[noreturn]] void fail_damaged(const Transaction& transaction, const std::string& what);

/// The functions that read throw Error(file) if the value is missing or damaged.
std::string text_in(const Transaction& transaction, std::string_view name);
void set_text(Transaction& transaction, std::string_view name, std::string_view text);
std::uint64_t number_in(const Transaction& transaction, std::string_view name);
/// The plan, with the shingles that it ignores.
Plan plan_in(const Transaction& transaction);
/// What the items are; whole documents if the index does not say.
Unit unit_in(const Transaction& transaction);
void set_unit(Transaction& transaction, const Unit& unit);
/// How edges are read; both ways if the index does not say.
Directed directed_in(const Transaction& transaction);
void set_directed(Transaction& transaction, Directed directed);
/// Sources::questions of the tables in an index under hamming; empty if it has none, or was made before they were kept.
std::string questions_in(const Transaction& transaction);
void set_questions(Transaction& transaction, const std::string& questions);
/// The number in the stored value of a setting. Throws Error(file) if it is not a number.
std::uint64_t number_of_setting(const Transaction& transaction, std::string_view name, std::string_view value);
void set_number(Transaction& transaction, std::string_view name, std::uint64_t number);

/// "dense 128", "sparse", "bits 64".
std::string described(const Vectors& vectors);
/// The same in words: "vectors of 128 numbers", "a string of 64 bits".
std::string vectors_in_words(std::string_view described, bool one);
/// Throws Error(data) if the vectors differ in kind or length from those of the index. False if the index has none yet.
bool require_vectors_like(const Transaction& transaction, const Vectors& asked);

}  // namespace nearkin
