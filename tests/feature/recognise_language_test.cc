// Languages recognised from the text alone.
#include "feature/recognise_language.h"

#include <gtest/gtest.h>

#include "feature/reduce_code.h"

namespace nearkin::recognise_language_test {
namespace {

TEST(RecogniseLanguage, ReadsTheSignsOfEach) {
  EXPECT_EQ(recognise_language("#include <vector>\nint main() {\n  return 0;\n}\n"), Language::cpp);
  EXPECT_EQ(recognise_language("# ifndef A_H\n# define A_H\nstruct a;\n# endif\n"), Language::cpp);
  EXPECT_EQ(recognise_language("package a.b;\n\npublic class C {\n  private int x;\n}\n"), Language::java);
  EXPECT_EQ(recognise_language("import os\n\ndef f(x):\n    return x\n"), Language::python);
  EXPECT_EQ(recognise_language("#!/usr/bin/python3\nx = 1\n"), Language::python);
  EXPECT_EQ(recognise_language("'use strict';\nconst a = require('a');\n"), Language::javascript);
  EXPECT_EQ(recognise_language("package main\n\nfunc main() {\n\tx := 1\n}\n"), Language::go);
  EXPECT_EQ(recognise_language("use std::io;\n\npub fn f() -> u8 {\n    let mut x = 1;\n}\n"), Language::rust);
}

TEST(RecogniseLanguage, TakesWhatHasNoSignForCpp) {
  EXPECT_EQ(recognise_language(""), Language::cpp);
  EXPECT_EQ(recognise_language("x"), Language::cpp);
  EXPECT_EQ(recognise_language(std::string(100, '\0') + "\xff"), Language::cpp);
}

TEST(RecogniseLanguage, AnUnnamedLanguageIsTheOneThatIsRecognised) {
  const std::string text = "def f(x):  # one\n    return x // 2\n";
  std::string named, recognised;
  reduce_code(text, {.identifiers = true, .language = Language::python}, named);
  reduce_code(text, {.identifiers = true, .language = std::nullopt}, recognised);
  EXPECT_EQ(recognised, named);
  EXPECT_EQ(named, "def I(I):  \n    return I // 0\n");
}

// Comments and line ends are what a disguise changes first.
TEST(RecogniseLanguage, CommentsAndLineEndsMakeNoDifference) {
  EXPECT_EQ(recognise_language("// import os\n// def f(x):\npackage main\r\n\r\nfunc main() {\r\n}\r\n"), Language::go);
  EXPECT_EQ(recognise_language("/* from a import b:\n * def f(x):\n */\nint f(void);\nstatic int x;\n"), Language::cpp);
  EXPECT_EQ(recognise_language("# package main\n# int x;\ndef f(x):\r\n    pass\r\n"), Language::python);
}

}  // namespace
}  // namespace nearkin::recognise_language_test
