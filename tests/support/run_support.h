// What the tests of whole runs share.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "io/io_support.h"
#include "law/corpus.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace nearkin::test {

/// Exact join over words: small examples have no chance in them.
inline Plan sure_plan(double threshold = 0.8, const std::string& shingle = "word:1") {
  return tune({.threshold = threshold, .recall = 1}, {.shingle = parse_shingle(shingle)});
}

inline Plan exact_plan() { return tune({.measure = Measure::exact}); }

inline Plan element_plan(double threshold) {
  return tune({.threshold = threshold, .recall = 1}, {.shingle = ShinglePlan{.token = Token::element, .size = 1}});
}

/// A folder, and runs whose outputs are given back as strings.
class Runs : public testing::Test {
 protected:
  Input file(const std::string& name, const std::string& bytes) const { return input_from(dir_.write(name, bytes)); }
  Input files(const std::vector<std::pair<std::string, std::string>>& named) const {
    Input input;
    for (const auto& [name, bytes] : named) input.paths.push_back(dir_.write(name, bytes));
    return input;
  }

  /// Items of a few random words: many copies, many pairs of one similarity.
  Input few_words(const std::string& name, std::uint64_t seed, std::size_t count, std::uint64_t words) const {
    Random random(seed);
    std::string records;
    for (std::size_t i = 0; i < count; ++i) {
      std::string text;
      for (std::uint64_t left = 1 + random() % 5; left > 0; --left) text += "w" + std::to_string(random() % words) + " ";
      records += json_record(name + std::to_string(i), text);
    }
    return file(name + ".jsonl", records);
  }

  std::string listed(const Input& input, const Plan& plan, const Input* against = nullptr) const {
    list_pairs(input, plan, {.path = dir_.path("pairs")}, {}, against);
    return without_folder(dir_.read("pairs"));
  }
  std::string clustered(const Input& input, const Plan& plan, const ClusterOptions& options = {}) const {
    list_clusters(input, plan, {.path = dir_.path("clusters")}, options);
    return without_folder(dir_.read("clusters"));
  }
  std::string kept(const Input& input, const Plan& plan, const DedupOptions& options = {}) {
    result_ = dedup(input, dir_.path("kept"), plan, options);
    EXPECT_EQ(result_.kept + result_.removed, result_.stats.items);
    return without_folder(dir_.read("kept"));
  }
  std::string kept_by(const std::string& rule, const Input& input, const Plan& plan = sure_plan()) {
    return kept(input, plan, {.keep = parse_keep(rule)});
  }
  std::string annotated(const Input& input, const Plan& plan = sure_plan()) { return kept(input, plan, {.annotate = true}); }

  /// Ids made from paths, without the folder of this test.
  std::string without_folder(std::string text) const {
    const std::string folder = dir_.path() + "/";
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at)) text.erase(at, folder.size());
    return text;
  }

  TempDir dir_;
  DedupResult result_;
};

}  // namespace nearkin::test
