#include "io/formats/html.h"

#include <chrono>

#include "io/io_support.h"

namespace nearkin::test::html_test {
namespace {

std::string text_of(std::string_view page) {
  std::string text = "what was there before";
  visible_text(page, text);
  return text;
}

TEST(VisibleText, HasTheWordsAndNoMarkup) {
  EXPECT_EQ(text_of("<!DOCTYPE html><html><head><title>T</title></head><body><p>One <b>two</b>three</p></body></html>"), "One twothree");
  EXPECT_EQ(text_of(""), "");
  EXPECT_EQ(text_of("plain text"), "plain text");
  EXPECT_EQ(text_of("a < b > c <> <1> & &&"), "a < b > c <> <1> & &&");
}

TEST(VisibleText, BlocksSeparateAndInlineTagsDoNot) {
  EXPECT_EQ(text_of("<h1>A</h1><p>b<p>c<div>d</div>e<br>f"), "A\n\nb\n\nc\nd\ne\nf");
  EXPECT_EQ(text_of("<ul><li>a<li>b</ul>c"), "a\nb\n\nc");
  EXPECT_EQ(text_of("<table><tr><td>a<td>b<tr><td>c</table>"), "a\tb\nc");
  EXPECT_EQ(text_of("un<i>believ</i>able a<span> b</span>"), "unbelievable a b");
}

TEST(VisibleText, WhiteSpaceIsOneBlankButInPre) {
  EXPECT_EQ(text_of(" \r\n a\t\n b \f<b> c</b> "), "a b c");
  EXPECT_EQ(text_of("x<pre>\n  a\r\n\tb  \rc</pre>y"), "x\n\n  a\n\tb  \nc\n\ny");
  EXPECT_EQ(text_of("<textarea>\r\n a\r\n <b>&lt;</textarea>z"), " a\n <b><\nz");
  EXPECT_EQ(text_of("<xmp> <b>&lt;</xmp>"), " <b>&lt;");
  EXPECT_EQ(text_of("a&#32;&#10;b&nbsp; c"), "a b\u00A0 c");
}

TEST(VisibleText, WhatIsNotShownIsLeftOut) {
  EXPECT_EQ(text_of("a<script>if (x<y) '</b>' \"<!--\"</script>b<style>p{}</style>c<!-- d > -- e -->f"), "abcf");
  EXPECT_EQ(text_of("a<noscript>b<p>c</noscript>d<template>e<template>f</template>g</template>h<iframe><p>i</iframe>j"), "adhj");
  EXPECT_EQ(text_of("<noscript>a<body>b"), "b");
  EXPECT_EQ(text_of("<script><!-- <script> </script> x --></script>y"), "y");
  EXPECT_EQ(text_of("<script><!-- </script>y"), "y");
  EXPECT_EQ(text_of("<?xml version='1.0'?><!ENTITY x>a<![CDATA[b>c"), "ac");
  EXPECT_EQ(text_of("<svg><title/><![CDATA[a <b> &amp;]]><text>b</text></svg>c"), "a <b> &amp;bc");
}

TEST(VisibleText, ReferencesAreThoseOfTheStandard) {
  EXPECT_EQ(text_of("&lt;&GT;&amp;&eacute;&#233;&#xE9;&#XE9"), "<>&ééé\u00E9");
  EXPECT_EQ(text_of("&notit; &notin; &copycat &nosuch; &Aacut"), "¬it; ∉ ©cat &nosuch; &Aacut");
  EXPECT_EQ(text_of("&#128;&#0;&#xD800;&#1114112;&#99999999999;"), "€\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(text_of("&# &#x &#; &#xg"), "&# &#x &#; &#xg");
  EXPECT_EQ(text_of("&nLt;&NotEqualTilde;&CounterClockwiseContourIntegral;"), "\u226A\u20D2\u2242\u0338\u2233");
}

TEST(VisibleText, QuotesCountBehindAnEqualsSignAlone) {
  EXPECT_EQ(text_of("<a href=\"x>y\">a</a><a href='x>y'>b"), "ab");
  EXPECT_EQ(text_of("<a b=c=\"d>e\">f"), "e\">f");
  EXPECT_EQ(text_of("<a =\"x>y"), "y");
  EXPECT_EQ(text_of("<a b = \"c>\" d>e"), "e");
  EXPECT_EQ(text_of("<a \"b>c"), "c");
  EXPECT_EQ(text_of("</p a=\">\">b"), "b");
}

TEST(VisibleText, WhatIsNeverClosedReachesToTheEnd) {
  for (const char* const page : {"a<", "a</"}) EXPECT_EQ(text_of(page), page);
  for (const char* const rest : {"<b",         "</b",     "<b c",     "<b c=",       "<b c=\"",     "<b c='>",
                                 "<!",         "<!-",     "<!--",     "<?",          "<script>",    "<script><!--<script>",
                                 "<style>x",   "<title>", "<iframe>", "<template>b", "<noscript>b", "<![CDATA[",
                                 "<textarea>", "<pre>",   "</x"})
    EXPECT_EQ(text_of("a" + std::string(rest)), "a") << rest;
  EXPECT_EQ(text_of("a<textarea>b</textare"), "a\nb</textare");
  EXPECT_EQ(text_of("a<plaintext>b</plaintext>"), "a\n\nb</plaintext>");
  EXPECT_EQ(text_of("<!-->a<!--->b<!--c--!>d"), "abd");
}

/// Each of these took a quadratic time in some parser.
TEST(VisibleText, IsLinearInHostilePages) {
  const auto repeated = [](std::string_view part, std::size_t size) {
    std::string page;
    while (page.size() < size) page += part;
    return page;
  };
  constexpr std::size_t kSize = 8 << 20;
  const auto begin = std::chrono::steady_clock::now();
  for (const char* const part : {"<",        "</",      "<!--",      "<!",    "&",          "&#",    "&a",
                                 "<a ",      "<a b=\"", "<div>",     "<pre>", "<template>", "<svg>", "<script><!--</script>",
                                 "<script>", "<b =\"'", "<![CDATA[", "-->",   "<textarea>", "&nLt;", "</pre> ",
                                 "<p>",      "\t",      "<xmp></xm"}) {
    const std::string text = text_of(repeated(part, kSize));
    EXPECT_LE(text.size(), kSize + kSize / 4) << part;
    EXPECT_TRUE(is_utf8(text)) << part;
  }
  text_of("<a b=\"" + std::string(100 << 20, 'x') + "\">y");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(DeclaredEncoding, IsThatOfTheFirstMeta) {
  EXPECT_EQ(declared_encoding("<html><meta charset=\"utf-8\">"), "utf-8");
  EXPECT_EQ(declared_encoding("<META CharSet=ISO-8859-1 />"), "windows-1252");
  EXPECT_EQ(declared_encoding("<meta http-equiv=Content-Type content='text/html; charset=shift_jis'>"), "CP932");
  EXPECT_EQ(declared_encoding("<meta name=x content='charset=koi8-r'>"), "");
  EXPECT_EQ(declared_encoding("<!-- <meta charset=koi8-r> --><meta charset=utf-16>"), "utf-8");
  EXPECT_EQ(declared_encoding("<meta charset=nothing-at-all><meta charset=auto>"), "");
  EXPECT_EQ(declared_encoding(std::string(1020, ' ') + "<meta charset=koi8-r>"), "");
  EXPECT_EQ(declared_encoding("<meta"), "");
  EXPECT_EQ(charset_of("text/html; Charset = \"KOI8-R\""), "koi8-r");
}

TEST(Pages, AreReadByTheirNames) {
  const TempDir dir;
  const std::string page = "<p>one <b>two</b></p><p>three";
  const auto text = [&](const Input& input) { return read_everything(input).texts.at(0); };
  for (const char* const name : {"a.html", "a.HTM", "a.xhtml"})
    EXPECT_EQ(text(input_of(dir.write(name, page))), "one two\n\nthree") << name;
  EXPECT_EQ(text(input_of(dir.write("a.html.gz", gzip(page)))), "one two\n\nthree");
  EXPECT_EQ(text(input_of(dir.write("a.txt", page))), page);
  Input raw = input_of(dir.path("a.html")), asked = input_of(dir.path("a.txt"));
  raw.html = Html::raw;
  asked.html = Html::text;
  EXPECT_EQ(text(raw), page);
  EXPECT_EQ(text(asked), "one two\n\nthree");
}

TEST(Pages, AreInTheEncodingThatTheyDeclare) {
  const TempDir dir;
  const auto all = [&](const char* name, const std::string& page, const char* encoding = "utf-8") {
    Input input = input_of(dir.write(name, page));
    input.encoding = encoding;
    return read_everything(input);
  };
  EXPECT_EQ(all("a.html", "<meta charset=latin1>caf\xE9 \x80").texts, (Texts{"café €"}));
  EXPECT_EQ(all("b.html", "<meta charset=koi8-r>\xC4\xC1", "latin1").texts, (Texts{"да"}));
  EXPECT_EQ(all("c.html", "<p>caf\xE9", "latin1").texts, (Texts{"café"}));
  EXPECT_EQ(all("d.html", "\xEF\xBB\xBF<meta charset=latin1>caf\xC3\xA9").texts, (Texts{"café"}));
  EXPECT_EQ(all("e.html", std::string("\xFF\xFE<\0p\0>\0\xE9\0", 10)).texts, (Texts{"é"}));
  EXPECT_EQ(all("f.html", "<p>caf\xE9").faults.count, 1U);
}

TEST(Pages, AreInTheFieldsOfRecordsWhereThatIsAskedFor) {
  const TempDir dir;
  Input input = input_of(dir.write("a.jsonl", R"({"id":"<1>","text":"<p>a &amp; b"})"));
  EXPECT_EQ(read_everything(input).texts, (Texts{"<p>a &amp; b"}));
  input.html = Html::text;
  EXPECT_EQ(read_everything(input).texts, (Texts{"a & b"}));
  EXPECT_EQ(read_everything(input).ids, (Texts{"<1>"}));
  Input units = input;
  units.unit.kind = Unit::Kind::sentence;
  EXPECT_EQ(read_everything(units).ids, (Texts{"<1>:0-5"}));
  Input sets = input_of(dir.write("a.sets", "a b\n"));
  sets.html = Html::text;
  EXPECT_THROW(Sources(sets, false), Error);
}

}  // namespace
}  // namespace nearkin::test::html_test
