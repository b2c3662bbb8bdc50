// nearkin_generate: a seeded text corpus as JSONL.
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "corpus.h"

namespace {

using nearkin::bench::Corpus;
using nearkin::bench::CorpusOptions;

constexpr const char* kUsage =
    "Usage: nearkin_generate [flags]\n\n"
    "Writes a seeded text corpus as JSONL, {\"id\":\"d0\",\"text\":\"...\"} a line; the same bytes on every machine.\n\n"
    "      --documents N           documents (default 300000)\n"
    "      --words N               mean words of a document (default 200)\n"
    "      --spread S              lengths spread evenly over words*(1 +- S) (default 0.5)\n"
    "      --near S                share of edited copies of an earlier document, similarity 0.5 to 1 (default 0.2)\n"
    "      --exact S               share of exact copies (default 0.02)\n"
    "      --boilerplate N         leading words that a share of the documents have in common (default 0)\n"
    "      --boilerplate-share S   that share (default 0.5)\n"
    "      --cluster N             make every document the first one with N words replaced (default 0: do not)\n"
    "      --seed N                (default 1)\n"
    "  -o, --output FILE           (default -: standard output)\n";

[[noreturn]] void fail(const std::string& subject, const std::string& message) {
  std::fprintf(stderr, "nearkin_generate: %s: %s\n", subject.c_str(), message.c_str());
  std::exit(2);
}

template <typename T>
T number(std::string_view flag, std::string_view text, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most)) {
    fail(std::string(flag), "\"" + std::string(text) + "\" is not a number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

bool set(std::string_view flag, std::string_view value, CorpusOptions& options, std::string& output) {
  const auto whole = [&](auto& to, std::uint64_t least, std::uint64_t most) {
    to = static_cast<std::remove_reference_t<decltype(to)>>(number<std::uint64_t>(flag, value, least, most));
  };
  const auto share = [&](double& to) { to = number<double>(flag, value, 0, 1); };
  if (flag == "--documents")
    whole(options.documents, 1, UINT32_MAX);
  else if (flag == "--words")
    whole(options.words, 1, 100'000'000);
  else if (flag == "--spread")
    share(options.spread);
  else if (flag == "--near")
    share(options.near);
  else if (flag == "--exact")
    share(options.exact);
  else if (flag == "--boilerplate")
    whole(options.boilerplate, 0, 1'000'000);
  else if (flag == "--boilerplate-share")
    share(options.boilerplate_share);
  else if (flag == "--cluster")
    whole(options.cluster, 0, 1'000'000);
  else if (flag == "--seed")
    whole(options.seed, 0, UINT64_MAX);
  else if (flag == "-o" || flag == "--output")
    output = value;
  else
    return false;
  return true;
}

void write_all(const CorpusOptions& options, const std::string& output) {
  std::FILE* const file = output == "-" ? stdout : std::fopen(output.c_str(), "wb");
  if (file == nullptr) fail(output, std::strerror(errno));
  Corpus corpus(options);
  std::string buffer;
  for (std::uint64_t document = 0; document < options.documents; ++document) {
    corpus.append_record(document, buffer);
    if (buffer.size() < (1 << 20) && document + 1 < options.documents) continue;
    if (std::fwrite(buffer.data(), 1, buffer.size(), file) != buffer.size()) fail(output, std::strerror(errno));
    buffer.clear();
  }
  if (std::fclose(file) != 0) fail(output, std::strerror(errno));
}

}  // namespace

int main(int argc, char** argv) {
  CorpusOptions options;
  std::string output = "-";
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "-h" || flag == "--help") return std::fputs(kUsage, stdout) < 0;
    if (i + 1 == argc) fail(std::string(flag), "no such flag, or its value is missing; see --help");
    if (!set(flag, argv[++i], options, output)) fail(std::string(flag), "no such flag; see --help");
  }
  if (options.exact + options.near > 0.9) fail("--near", "with --exact more than 0.9 of the documents would be copies");
  write_all(options, output);
}
