// The awkward cases of each language, one by one.
#include <gtest/gtest.h>

#include "feature/reduce_code.h"

namespace nearkin::code_lexer_test {
namespace {

std::string reduced(Language language, std::string_view text, bool identifiers) {
  std::string out;
  reduce_code(text, {.identifiers = identifiers, .language = language}, out);
  return out;
}

std::string stripped(Language language, std::string_view text) { return reduced(language, text, false); }
std::string evened(Language language, std::string_view text) { return reduced(language, text, true); }

TEST(CodeLexer, DropsCommentsOfTheFamilyOfC) {
  for (const Language language : {Language::c, Language::cpp, Language::java, Language::javascript, Language::go, Language::rust}) {
    EXPECT_EQ(stripped(language, "a = 1; // one\nb /* two\nlines */ = 2;"), "a = 1; \nb  = 2;");
    EXPECT_EQ(stripped(language, "f(/* x */ y)"), "f( y)");
    EXPECT_EQ(stripped(language, "a/**/b"), "a b") << "two names stay two";
    EXPECT_EQ(stripped(language, "f(/**/a)/**/;"), "f(a);") << "no blank where none is needed";
    EXPECT_EQ(stripped(language, "x \"// no\" /* yes */"), "x \"// no\" ");
    EXPECT_EQ(stripped(language, "x // \"no"), "x ");
    EXPECT_EQ(stripped(language, "x; // one\r\ny;\r\n"), "x; \r\ny;\r\n");
    EXPECT_EQ(stripped(language, "#!/usr/bin/env x\na"), "\na");
    EXPECT_EQ(stripped(language, "\xef\xbb\xbf#!/bin/x\na"), "\xef\xbb\xbf\na");
    EXPECT_EQ(stripped(language, "a # b"), "a # b");
  }
}

TEST(CodeLexer, EvensOutNamesAndLiterals) {
  EXPECT_EQ(evened(Language::c, "int n = 0x1F + foo(bar, \"s\", 'c');"), "int I = 0 + I(I, S, C);");
  EXPECT_EQ(evened(Language::java, "private final String x = null; // no"), "private final I I = null; ");
  EXPECT_EQ(evened(Language::go, "func (s *T) Run() error { return nil }"), "func (I *I) I() I { return I }");
  EXPECT_EQ(evened(Language::python, "def f(x, *, y=1.5e-3): return x if y else None"), "def I(I, *, I=0): return I if I else None");
  EXPECT_EQ(evened(Language::rust, "fn f<'a>(x: &'a str) -> char { 'a' }"), "fn I<'I>(I: &'I I) -> I { C }");
  EXPECT_EQ(evened(Language::javascript, "const {a, b} = require('x');"), "const {I, I} = I(S);");
  EXPECT_EQ(evened(Language::cpp, "\xc3\xbc\x80 = caf\xc3\xa9;"), "I = I;") << "bytes beyond ASCII are letters";
  EXPECT_EQ(evened(Language::c, "PRIu64\"x\"\"y\""), "I S S") << "tokens that touch stay apart";
}

TEST(CodeLexer, KnowsNumbers) {
  EXPECT_EQ(evened(Language::cpp, "1'000'000 + .5 1.f 1.e5 0x1p-3 0b1'0u 1e+9f a.b x.0"), "0 + 0 0 0 0 0 0 I.I I.0");
  EXPECT_EQ(evened(Language::rust, "0..10 1.max(2) 1_000u32 x.0.1 'x' 2."), "0..0 0.I(0) 0 I.0 C 0");
  EXPECT_EQ(evened(Language::c, "0xE+1"), "0+0");
  EXPECT_EQ(evened(Language::python, "1j 1_0 0o17 1..real"), "0 0 0 0..I");
}

TEST(CodeLexer, KnowsThePreprocessor) {
  EXPECT_EQ(evened(Language::c, "#include <sys//types.h>\n# include \"a.h\"\n#define MAX(a) #a"),
            "#include S\n# include S\n#define I(I) #I");
  EXPECT_EQ(stripped(Language::c, "#include <sys//types.h> // x"), "#include <sys//types.h> ");
  EXPECT_EQ(evened(Language::cpp, "#ifdef X // y\n#endif"), "#ifdef I \n#endif");
  EXPECT_EQ(evened(Language::c, "#error don't\nx"), "#error I'I\nI") << "an apostrophe without an end is an ordinary character";
  EXPECT_EQ(evened(Language::c, "include < b"), "I < I");
}

TEST(CodeLexer, FollowsContinuedLines) {
  EXPECT_EQ(stripped(Language::c, "a // b \\\nc\nd"), "a \nd");
  EXPECT_EQ(stripped(Language::cpp, "a // b \\\r\nc\r\nd"), "a \r\nd");
  EXPECT_EQ(stripped(Language::java, "a // b \\\nc"), "a \nc");
  EXPECT_EQ(evened(Language::c, "\"a\\\nb\" x"), "S I");
  EXPECT_EQ(evened(Language::python, "'a\\\r\nb' + \\\n c"), "S + \\\n I");
}

TEST(CodeLexer, KnowsRawStringsOfCpp) {
  EXPECT_EQ(evened(Language::cpp, R"!!(R"(a " // )" u8R"x()" /* )x" b)!!"), "S S I");
  EXPECT_EQ(evened(Language::cpp, "R\"(a\nb)\" c"), "S I");
  EXPECT_EQ(evened(Language::c, "R\"(a)\""), "I S");
  EXPECT_EQ(evened(Language::cpp, "R\"(a b\" c"), "I S I") << "without an end it is a plain string";
  EXPECT_EQ(evened(Language::cpp, "L\"a\" u8'b' U\"c\" XR\"(d)\""), "S C S I S");
}

TEST(CodeLexer, KnowsRust) {
  EXPECT_EQ(stripped(Language::rust, "a /* b /* c */ d */ e"), "a  e");
  EXPECT_EQ(stripped(Language::rust, "a /* b /* c */ d"), "a  d") << "comments that do not come out even end at the first end";
  EXPECT_EQ(evened(Language::rust, "r#\"a \" /* b\"# br\"\\\" c"), "S S I");
  EXPECT_EQ(evened(Language::rust, "b'x' '\\'' '\\u{1F600}' '\xc3\xa9' 'static loop"), "C C C C 'static loop");
  EXPECT_EQ(evened(Language::rust, "\"two\nlines\" x"), "S I");
  EXPECT_EQ(evened(Language::rust, "#![allow(x)] r#type"), "#![I(I)] I#type");
}

TEST(CodeLexer, KnowsRegularExpressionsAndTemplates) {
  EXPECT_EQ(evened(Language::javascript, "x = /[/\"']*\\/ /gi.test(y)"), "I = R.I(I)");
  EXPECT_EQ(evened(Language::javascript, "a / b / c"), "I / I / I");
  EXPECT_EQ(evened(Language::javascript, "f(a) / 2 // \"c"), "I(I) / 0 ");
  EXPECT_EQ(evened(Language::javascript, "return /a'/; this / 2; x[0] / 3"), "return R; this / 0; I[0] / 0");
  EXPECT_EQ(evened(Language::javascript, "`a ${ b + `c ${d} ` } // ${ {} } \\` ` + e"), "S + I");
  EXPECT_EQ(stripped(Language::javascript, "`http://x` // y"), "`http://x` ");
  EXPECT_EQ(stripped(Language::javascript, "x = a /\nb // c"), "x = a /\nb ");
  EXPECT_EQ(evened(Language::javascript, "$a = '\\'' + \"//\""), "I = S + S");
}

TEST(CodeLexer, KnowsGoAndJava) {
  EXPECT_EQ(evened(Language::go, "`a \\` + `\n// b` + 'c' // d"), "S + S + C ");
  EXPECT_EQ(evened(Language::java, "\"\"\"\n a \"b\" // c\n\"\"\" + 'd'"), "S + C");
}

TEST(CodeLexer, KnowsPython) {
  EXPECT_EQ(stripped(Language::python, "a = b // c # d\n"), "a = b // c \n") << "// divides";
  EXPECT_EQ(stripped(Language::python, "\"\"\"doc # no\n'x' \"\"\"\n'# no' # yes"), "\"\"\"doc # no\n'x' \"\"\"\n'# no' ")
      << "a docstring stays";
  EXPECT_EQ(evened(Language::python, "rb'\\'' f\"{x}\" Rb'''a'b''' u'' xx''"), "S S S S I S");
  EXPECT_EQ(evened(Language::python, "'''a\\''' b''' c"), "S I");
  EXPECT_EQ(evened(Language::python, "\"\"\"a\nb"), "S\"I\nI") << "without an end three quotes are an empty string and a quote";
}

TEST(CodeLexer, SwallowsNothingThatHasNoEnd) {
  EXPECT_EQ(evened(Language::c, "a /* b\nc"), "I /* I\nI");
  EXPECT_EQ(evened(Language::c, "a \"b\nc // d\n\"e\""), "I \"I\nI \nS");
  EXPECT_EQ(evened(Language::javascript, "a `b ${c\n'd'"), "I `I I{I\nS");
  EXPECT_EQ(evened(Language::go, "a `b\n\"c\""), "I `I\nS");
  EXPECT_EQ(evened(Language::rust, "a \"b\nc // d"), "I \"I\nI ");
  EXPECT_EQ(evened(Language::java, "it's\n'x'"), "I'I\nC");
  EXPECT_EQ(stripped(Language::c, "a // old\rb // Mac\rc"), "a \rb \rc") << "a line may end in CR alone";
}

TEST(CodeLexer, TakesAnyBytes) {
  const std::string odd("a\0b /* \0 */ \xff\xfe 'x\0'", 19);
  EXPECT_EQ(evened(Language::c, odd), std::string("I\0I  I C", 8));
  EXPECT_EQ(evened(Language::python, ""), "");
  for (const char* const one : {"\"", "'", "`", "/", "#", "\\", ".", "r", "R\"", "/*", "//", "#!", "r#", "`${", "0x", "1.", "1e", "'\\"}) {
    for (std::size_t language = 0; language < kLanguages; ++language) {
      for (const bool identifiers : {false, true}) reduced(static_cast<Language>(language), one, identifiers);
    }
  }
}

// A search that began again at each opener would take hours.
TEST(CodeLexer, TakesLinearTimeWhateverHasNoEnd) {
  for (const char* const piece : {"/*",   "\"\"\"\\", "'''",  "`${", "`", "R\"a(",      "r#\"", "/[",   "\"\\\n", "'\\",   "/* /* */",
                                  "`${`", "b'\\",     "x=/[", "\"",  "<", "#include <", "r#",   "1.e+", "/*/",    "//\\\n"}) {
    SCOPED_TRACE(piece);
    std::string text;
    while (text.size() < (std::size_t{1} << 20)) text += piece;
    for (std::size_t language = 0; language < kLanguages; ++language) {
      for (const bool identifiers : {false, true}) reduced(static_cast<Language>(language), text, identifiers);
    }
  }
  std::string delimiters;
  for (int i = 0; i < 100'000; ++i) delimiters += "R\"" + std::to_string(i) + "(";
  reduced(Language::cpp, delimiters, true);
  std::string hashes;
  for (int i = 1500; i > 0; --i) hashes += "r" + std::string(static_cast<std::size_t>(i), '#') + "\"";
  reduced(Language::rust, hashes, true);
}

}  // namespace
}  // namespace nearkin::code_lexer_test
