#include <iostream>

#include <nearkin/nearkin.h>

int main() {
  using namespace nearkin;
  const Plan plan = tune({.measure = Measure::jaccard, .threshold = 0.8, .recall = 0.95});

  const Items items = read_items({.paths = {"docs.jsonl"}});
  const Features features = shingle(items, plan.shingle);  // step by step: each value can be looked at
  const Pairs suspects = candidates(sketch(features, plan.sketch), plan.band);
  for (const Match& match : verify(suspects, features, plan.threshold)) {
    std::cout << items.id(match.a) << ' ' << items.id(match.b) << ' ' << similarity_text(match) << '\n';
  }
  const DedupResult result = dedup({.paths = {"docs.jsonl"}}, "kept.jsonl", plan);  // the same and more in one call
  std::cout << result.kept << " kept, " << result.removed << " removed\n";
}
