#include "io/formats/mail.h"

#include "io/io_support.h"

namespace nearkin::test::mail_test {
namespace {

std::string text_of(const std::string& mail) { return mail_text(mail, "utf-8"); }

TEST(Mail, HasItsTextAlone) {
  EXPECT_EQ(text_of("From: a\r\nSubject: b\r\n\r\nhello\r\n"), "hello\r\n");
  EXPECT_EQ(text_of("From: a\nContent-Type: text/html\n\n<p>hel<b>lo"), "hello");
  EXPECT_EQ(text_of("no header at all\nbut text"), "no header at all\nbut text");
  EXPECT_EQ(text_of(""), "");
  EXPECT_EQ(text_of("From: a\nContent-Type: image/png\n\nxyz"), "");
}

TEST(Mail, TransferCodingsAndCharsetsAreUndone) {
  const std::string header = "Content-Type: text/plain;\r\n charset=\"iso-8859-1\"\r\nContent-Transfer-Encoding: ";
  EXPECT_EQ(text_of(header + "quoted-printable\r\n\r\ncaf=E9 =\r\nau lait =ZZ ="), "café au lait =ZZ =");
  EXPECT_EQ(text_of(header + "BASE64\r\n\r\nY2Fm\r\n6Q==\r\n"), "café");
  EXPECT_EQ(text_of(header + "8bit\r\n\r\ncaf\xE9"), "café");
  EXPECT_EQ(text_of("X: y\n\ncaf\xE9"), "caf\uFFFD");
  EXPECT_EQ(mail_text("X: y\n\ncaf\xE9", "latin1"), "café");
  const std::string base64 = "\"\nContent-Transfer-Encoding: base64\n\n";
  EXPECT_EQ(text_of("Content-Type: text/plain; charset=\"utf-16" + base64 + "//5oAGkA"), "hi");
  EXPECT_EQ(text_of("Content-Type: text/plain; charset=\"utf-16be" + base64 + "AGgAaQ=="), "hi");
  EXPECT_EQ(text_of("Content-Type: text/plain; charset=\"utf-8" + base64 + "77u/aGk="), "hi");
}

TEST(Mail, OfPartsTheTextsAreTaken) {
  const std::string alternative =
      "Content-Type: multipart/alternative; boundary=in\n\n--in\nContent-Type: text/plain\n\nplain\n--in\nContent-Type: "
      "text/html\n\n<b>page\n--in--\n";
  const std::string mixed =
      "Content-Type: multipart/mixed; boundary=\"out er\"\n\nfor old readers\n--out er\n" + alternative +
      "--out er\nContent-Disposition: attachment; filename=x.txt\n\nattached\n--out er\n\nsigned\n--out er--\nepilogue";
  EXPECT_EQ(text_of(alternative), "plain\n");
  EXPECT_EQ(text_of(mixed), "plain\nsigned\n");
  EXPECT_EQ(text_of("Content-Type: multipart/alternative; boundary=in\n\n--in\nContent-Type: text/html\n\n<b>page\n--in"), "page");
  EXPECT_EQ(text_of("Content-Type: message/rfc822\n\nFrom: a\n\ninner"), "inner");
}

TEST(Mail, HostileOnesEnd) {
  std::string nested, bounds;
  for (int i = 0; i < 100'000; ++i) nested += "Content-Type: message/rfc822\n\n";
  for (int i = 0; i < 300'000; ++i) bounds += "--x\n";
  EXPECT_EQ(text_of(nested), "");
  EXPECT_EQ(text_of("Content-Type: multipart/mixed; boundary=x\n\n" + bounds), "");
  EXPECT_EQ(text_of("Content-Type: multipart/mixed\n\n--\n--\n"), "");
}

TEST(Mail, FilesAreReadSoByTheirNames) {
  const TempDir dir;
  Input input = input_of(dir.write("a.eml", "From: a\n\ncaf\xC3\xA9"));
  EXPECT_EQ(read_everything(input).texts, (Texts{"café"}));
  input.extraction.command = "";
  EXPECT_EQ(read_everything(input).texts, (Texts{"From: a\n\ncaf\xC3\xA9"}));
}

}  // namespace
}  // namespace nearkin::test::mail_test
