// Hash families as textbooks describe them: how well one hash tells near from far, and how ANDs and ORs of several make it sharper.
#pragma once

#include <cstdint>

#include <nearkin/plan.h>

namespace nearkin {

/// A family of hashes that is (r1, r2, p1, p2)-sensitive: two items at most r1 apart agree with probability p1 or more, two items r2 or
/// farther apart with p2 or less.
struct Sensitivity {
  double r1 = 0, r2 = 0;
  double p1 = 1, p2 = 0;
};

/// The textbook's distance of a similarity or distance x of the plan's measure, and back: 1 − s for similarities, x itself for distances.
double as_distance(Measure measure, double x);

/// One hash of the plan's family (its measure, family, width and dimensions count, its bands do not) at these distances. Throws
/// Error(plan) naming `sensitive` unless 0 ≤ r1 < r2, both distances are possible, and p1 > p2.
Sensitivity sensitivity(const Plan& plan, double r1, double r2);

/// ρ = ln(1/p1) / ln(1/p2), below 1: a query of n items looks into about n^ρ tables. 0 if p1 = 1 or p2 = 0.
double rho(const Sensitivity& one_hash);

/// L tables (bands), each by an AND of k hashes (rows); a query looks into its bucket of every table, an OR.
struct TextbookTables {
  std::uint32_t k = 1, l = 1;  ///< textbooks write L
};
/// k for n items: ⌈ln n / ln(1/p2)⌉, so in each table about one far item shares the query's bucket by chance. Throws Error(plan) for n < 1
/// and for more hashes than 4294967295.
std::uint32_t hashes_in_table(const Sensitivity& one_hash, double items);
/// L for tables of k hashes: as many as find an item at r1 with probability `recall`, from 1 − (1 − p1^k)^L ≥ recall. recall = 0:
/// ⌈p1^(−k)⌉, about n^ρ tables for n items, which find it with probability 1 − 1/e or more. Throws Error(plan) for a recall outside 0..1
/// and for more tables than 4294967295.
std::uint32_t tables_needed(const Sensitivity& one_hash, std::uint32_t k, double recall = 0);

/// The probability that one hash agrees (p), made sharper: all of k agree; at least one of L agrees; at least one of L ANDs of k; all of k
/// ORs of L.
double and_of(double p, std::uint32_t k);
double or_of(double p, std::uint32_t l);
double and_then_or(double p, const TextbookTables& tables);
double or_then_and(double p, const TextbookTables& tables);

}  // namespace nearkin
