// Any bytes as a run file: as they are, and with all checksums made right, so that lengths and offsets of every sort get past them.
#include <cstring>

#include <nearkin/error.h>

#include "../tests/support/sealed_run_file.h"
#include "io/run_file/run_file.h"
#include "support.h"

namespace nearkin::fuzz {
namespace {

/// What a section holds is what stands in the file.
void check_section(const RunFile& file, const Section& section, std::string_view bytes) {
  require(section.offset <= bytes.size() && section.length <= bytes.size() - section.offset, "a section lies within the file");
  const std::string_view expected = bytes.substr(section.offset, section.length);
  const std::vector<char> all = file.read_all<char>(section);
  require(std::string_view(all.data(), all.size()) == expected, "a section is read as it stands");
  BlockReader reader(file, section);
  for (std::size_t at = 0, step = 1; at < expected.size(); at += step, step = step * 5 / 3 + 1) {
    const std::span<const std::byte> some = reader.bytes(at, std::min(step, expected.size() - at));
    require(std::memcmp(some.data(), expected.data() + at, some.size()) == 0, "a stretch is read as it stands");
  }
}

void check(const std::string& path, std::string_view bytes) {
  try {
    const RunFile file(path);
    require(RunFile::is_one(path), "what can be opened is one");
    require(file.bytes() == bytes.size(), "the file has its size");
    for (const Section& section : file.sections()) {
      require(file.find(section.kind, section.number) == &section, "a section is found by its name");
      check_section(file, section, bytes);
    }
  } catch (const Error& error) {
    require(error.code() == ErrorCode::file && error.subject() == path, "an error names the file");
  }
}

}  // namespace
}  // namespace nearkin::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nearkin::fuzz;
  static const InputFile file("a.run");
  std::string bytes(bytes_of(data, size));
  file.write(bytes);
  check(file.path(), bytes);
  nearkin::test::seal(bytes);
  file.write(bytes);
  check(file.path(), bytes);
  return 0;
}
