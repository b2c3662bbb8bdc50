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
                                  kVectors = "vectors", kCommit = "commit", kIgnored = "ignored", kUnit = "unit";
}

/// Names the index, what is damaged, and the way out.
[[noreturn]] void fail_damaged(const Transaction& transaction, const std::string& what);

/// All throw Error(file) where the value is missing or damaged.
std::string text_in(const Transaction& transaction, std::string_view name);
void set_text(Transaction& transaction, std::string_view name, std::string_view text);
std::uint64_t number_in(const Transaction& transaction, std::string_view name);
/// With the shingles that it ignores.
Plan plan_in(const Transaction& transaction);
/// What the items are; whole documents where the index does not say.
Unit unit_in(const Transaction& transaction);
void set_unit(Transaction& transaction, const Unit& unit);
/// What the value of a setting says, as it is kept. Throws Error(file) where it is no number.
std::uint64_t number_of_setting(const Transaction& transaction, std::string_view name, std::string_view value);
void set_number(Transaction& transaction, std::string_view name, std::uint64_t number);

/// "dense 128", "sparse", "bits 64".
std::string described(const Vectors& vectors);
/// Throws Error(data) for vectors that are not what those of the index are. False: the index has none yet.
bool require_vectors_like(const Transaction& transaction, const Vectors& asked);

}  // namespace nearkin
