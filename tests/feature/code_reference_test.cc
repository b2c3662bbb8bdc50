// The lexer against the reference, on random mixtures of what is awkward in any language.
#include <gtest/gtest.h>

#include <nearkin/tools/names.h>

#include "feature/reduce_code.h"
#include "feature/tokeniser.h"
#include "feature/tokens.h"
#include "reference/code.h"
#include "support/random.h"

namespace nearkin::code_reference_test {
namespace {

std::string soup(test::Random& random) {
  static const std::vector<std::string> pieces{"a",        "x1",     "if",      "return",
                                               "self",     "this",   "\"",      "'",
                                               "`",        "\"\"\"", "'''",     "\\",
                                               "\n",       "\r\n",   "\r",      " ",
                                               " ",        "\t",     "/",       "//",
                                               "/*",       "*/",     "#",       "#!",
                                               "#![",      ".",      "..",      "1",
                                               "0x",       "1e",     "+",       "-",
                                               "1.5",      "R\"(",   ")\"",     "R\"x(",
                                               ")x\"",     "r#\"",   "\"#",     "r\"",
                                               "br",       "b'",     "'a",      "'a'",
                                               "u8",       "L",      "f",       "rb",
                                               "${",       "{",      "}",       "(",
                                               ")",        "[",      "]",       "=",
                                               "/g",       "<",      ">",       "#include",
                                               "# define", "é",      "\xff",    "日",
                                               "\xc3",     "$",      "_",       ";",
                                               ":",        "func",   "def",     "fn",
                                               "let",      "static", "include", "\xef\xbb\xbf",
                                               "1'0",      "e5"};
  std::string text;
  for (std::size_t i = random.below(40); i > 0; --i) text += random.below(30) == 0 ? std::string(1, '\0') : random.pick(pieces);
  return text;
}

TEST(CodeReference, TheLexerReadsEveryTextAsTheReferenceDoes) {
  test::Random random(1);
  for (int round = 0; round < 40'000; ++round) {
    const std::string text = soup(random);
    const auto language = static_cast<Language>(random.below(kLanguages));
    const bool identifiers = random.chance(60);
    const reference::ReducedCode expected = reference::CodeReader(text, language, identifiers).reduced();
    std::string found;
    std::vector<CodeStretch> stretches;
    reduce_code(text, {.identifiers = identifiers, .language = language}, found, &stretches);
    ASSERT_EQ(found, expected.text) << int(language) << ": " << text;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const TextSpan from{expected.from[i].begin, expected.from[i].end};
      ASSERT_EQ(original_of(stretches, {i, i + 1}), from) << int(language) << " " << i << ": " << text;
    }
  }
}

// The text of a token is what the reduced text makes of its span: the span of a name is the name.
TEST(CodeReference, SpansOfTokensAreWhatTheTokensCameFrom) {
  test::Random random(2);
  for (int round = 0; round < 4000; ++round) {
    const std::string text = soup(random);
    for (int value = int(Normalise::code_no_comments); value <= int(Normalise::code_identifiers_rust); ++value) {
      const auto normalise = static_cast<Normalise>(value);
      const CodeRule rule = *code_rule(normalise);
      if (!rule.language) continue;
      const reference::ReducedCode whole = reference::CodeReader(text, *rule.language, rule.identifiers).reduced();
      for (const Token token : {Token::word, Token::code}) {
        const ShinglePlan plan{.token = token, .size = 1, .normalise = normalise};
        const std::vector<TextSpan> spans = Tokeniser(plan).spans(text);
        std::size_t i = 0;
        for_each_token(whole.text, token, [&](const char* begin, const char* end) {
          const auto first = static_cast<std::size_t>(begin - whole.text.data()),
                     last = static_cast<std::size_t>(end - whole.text.data()) - 1;
          ASSERT_LT(i, spans.size());
          ASSERT_EQ(spans[i++], (TextSpan{whole.from[first].begin, whole.from[last].end})) << name(token) << " of " << text;
        });
        ASSERT_EQ(i, spans.size());
      }
    }
  }
}

TEST(CodeReference, SpansOfLinesLeaveTheCommentsAroundThemOut) {
  const ShinglePlan lines{.token = Token::line, .size = 1, .normalise = Normalise::code_no_comments_c};
  const std::string text = "/* a */ int x; // b\n  // c\n y = /* d */ 2;\n";
  std::vector<std::string> found;
  for (const TextSpan span : Tokeniser(lines).spans(text)) found.push_back(text.substr(span.begin, span.end - span.begin));
  EXPECT_EQ(found, (std::vector<std::string>{"int x;", "y = /* d */ 2;"}));
}

}  // namespace
}  // namespace nearkin::code_reference_test
