// What the tests of an index share.
#pragma once

#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include <nearkin/error.h>
#include <nearkin/items.h>
#include <nearkin/plan.h>

namespace nearkin::test {

inline Plan small_plan() { return parse_plan("jaccard>=0.5 recall=0.95 shingle=word:2 sketch=minhash:128 bands=30x3 seed=1"); }

inline Input records_of(const std::string& path) {
  Input input;
  input.paths = {path};
  return input;
}

inline std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Of the error that comes of it; empty: none came.
inline std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace nearkin::test
