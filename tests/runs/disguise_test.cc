// Programs that were disguised: what each normalisation finds.
#include <sstream>

#include <nearkin/tools/compare.h>
#include <nearkin/tools/names.h>

#include "support/run_support.h"

namespace nearkin::disguise_test {
namespace {

using test::json_record;

const std::string kPlain = R"(#include <stdio.h>

/* Sums of the first numbers, for a table. */
static long sum_to(long last) {
  long sum = 0;  // no number yet
  for (long i = 1; i <= last; ++i) {
    if (i % 3 == 0) continue;  // thirds do not count
    sum += i * i;
  }
  return sum;
}

int main(void) {
  const char* format = "%ld -> %ld\n";
  for (long n = 10; n < 100; n += 10) {
    long value = sum_to(n);
    if (value < 0) return 1;
    printf(format, n, value);
  }
  return 0;
}
)";

// The same program with other comments.
const std::string kComments = R"(// Table of sums
#include <stdio.h>

static long sum_to(long last) {
  long sum = 0;
  /* go through all numbers
     from one on */
  for (long i = 1; i <= last; ++i) {
    if (i % 3 == 0) continue;
    sum += i * i;  /* squares */
  }
  return sum;
}

int main(void) {  // starts here
  const char* format = "%ld -> %ld\n";
  for (long n = 10; n < 100; n += 10) {
    long value = sum_to(n); // the sum
    if (value < 0) return 1;
    printf(format, n, value);
  }
  return 0;
}
)";

std::string with_all(std::string text, const std::vector<std::pair<std::string, std::string>>& changes) {
  for (const auto& [from, to] : changes) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  }
  return text;
}

std::string renamed(const std::string& text) {
  return with_all(text, {{"sum_to", "helper"},
                         {" sum ", " total "},
                         {" sum;", " total;"},
                         {"last", "bound"},
                         {"value", "answer"},
                         {"format", "pattern"},
                         {"(long i = 1; i <= bound; ++i)", "(long k = 1; k <= bound; ++k)"},
                         {"i % 3", "k % 3"},
                         {"i * i", "k * k"},
                         {"%ld -> %ld\\n", "%ld: %ld\\n"}});
}

// main before the function that it calls.
std::string reordered(const std::string& text) {
  const std::size_t head = text.find("static"), tail = text.find("int main");
  return text.substr(0, head) + text.substr(tail) + "\n" + text.substr(head, tail - head);
}

const std::string kOther = R"(#include <string.h>

int count_words(const char* text) {
  int words = 0, inside = 0;
  while (*text != '\0') {
    switch (*text++) {
      case ' ':
      case '\n': inside = 0; break;
      default:
        if (!inside) words++;
        inside = 1;
    }
  }
  return words;
}
)";

class Disguise : public test::Runs {
 protected:
  // Which programs are like the plain one.
  std::string found(const std::string& normalise, double threshold) {
    const std::pair<const char*, std::string> programs[] = {{"plain", kPlain},
                                                            {"comments", kComments},
                                                            {"renamed", renamed(kPlain)},
                                                            {"both", renamed(kComments)},
                                                            {"reordered", reordered(renamed(kComments))},
                                                            {"other", kOther}};
    std::string records;
    for (const auto& [id, text] : programs) records += json_record(id, text);
    const Plan plan = tune({.threshold = threshold, .recall = 1},
                           {.shingle = ShinglePlan{.token = Token::code, .size = 5, .normalise = parse_normalise(normalise)}});
    std::istringstream pairs(listed(file("programs.jsonl", records), plan));
    std::string ids, a, b, similarity;
    while (pairs >> a >> b >> similarity) ids += a == "plain" ? b + " " : "";
    return ids;
  }
};

TEST_F(Disguise, CodeAloneFindsNoneOfThem) { EXPECT_EQ(found("code", 0.8), ""); }

TEST_F(Disguise, NoCommentsFindsOtherComments) {
  EXPECT_EQ(found("code:no-comments", 0.8), "comments ");
  EXPECT_EQ(found("code:no-comments:c", 0.8), "comments ");
}

TEST_F(Disguise, IdentifiersFindsOtherNamesAndAnotherOrder) {
  EXPECT_EQ(found("code:identifiers", 0.8), "comments renamed both reordered ");
  EXPECT_EQ(found("code:identifiers:c", 0.8), "comments renamed both reordered ");
  EXPECT_EQ(found("code:identifiers", 1), "comments renamed both ") << "nothing of the disguise is left";
}

TEST_F(Disguise, EqualAfterNormalisingIsEqual) {
  const auto alike = [](const std::string& normalise, const std::string& a, const std::string& b) {
    const Plan plan = tune({.measure = Measure::exact}, {.shingle = ShinglePlan{.normalise = parse_normalise(normalise)}});
    return compare(a, b, plan).similarity == 1;
  };
  EXPECT_FALSE(alike("code", "a = 1; // one", "a = 1;"));
  EXPECT_TRUE(alike("code:no-comments", "a = 1; // one", "a = 1;"));
  EXPECT_FALSE(alike("code:no-comments", "a = 1;", "b = 2;"));
  EXPECT_TRUE(alike("code:identifiers", "a = 1;", "/* x */ b = 2;"));
  EXPECT_FALSE(alike("code:identifiers", "a = 1;", "a = '1';"));
  EXPECT_TRUE(alike("code:identifiers:python", "a = 'x' # y", "b = \"z\"")) << "quotes of a string are part of it";
  EXPECT_FALSE(alike("code:identifiers:c", "a = 'x'", "b = \"z\"")) << "a character is no string";
}

}  // namespace
}  // namespace nearkin::disguise_test
