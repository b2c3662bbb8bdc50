// Sets of elements as the input of a run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/run.h>

namespace nearkin::test {

/// A set a string, elements between spaces. They must outlive it.
inline Input input_of(const std::vector<std::string>& sets) {
  auto items = std::make_shared<MemoryItems>();
  items->texts.assign(sets.begin(), sets.end());
  Input input;
  input.format = Format::sets;
  input.memory = items;
  return input;
}

}  // namespace nearkin::test
