#include <iostream>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

int main() {
  nearkin::Items items;
  items.add("a", "one two three four five six seven");
  items.add("b", "one two three four five six seven");
  if (nearkin::all_pairs(static_cast<double>(items.size())) != 1) return 1;
  const nearkin::Plan plan = nearkin::tune({.threshold = 0.9});
  const nearkin::Features features = nearkin::shingle(items, plan.shingle);
  const nearkin::Pairs pairs = nearkin::candidates(nearkin::sketch(features, plan.sketch), plan.band);
  std::cout << nearkin::version() << ' ' << nearkin::verify(pairs, features, plan.threshold).size() << '\n';
}
