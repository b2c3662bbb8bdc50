#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <nearkin/error.h>

#include "base/hash.h"
#include "base/library.h"
#include "base/system.h"
#include "io/bytes/descriptor.h"
#include "io/bytes/output.h"
#include "io/run_file/run_file_layout.h"

namespace nearkin::run_layout {
namespace {

void append(std::string& out, const void* bytes, std::size_t size) { out.append(static_cast<const char*>(bytes), size); }

std::pair<std::uint32_t, std::uint32_t> name_of(const Section& section) { return {section.kind, section.number}; }

}  // namespace

std::vector<std::size_t> by_name(const std::vector<Section>& sections) {
  std::vector<std::size_t> order(sections.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return name_of(sections[a]) < name_of(sections[b]); });
  return order;
}

const Section* first_repeated(const std::vector<Section>& sections, const std::vector<std::size_t>& order) {
  const auto same = [&](std::size_t a, std::size_t b) { return name_of(sections[a]) == name_of(sections[b]); };
  const auto found = std::adjacent_find(order.begin(), order.end(), same);
  return found == order.end() ? nullptr : &sections[*found];
}

std::string header_bytes(const RunFileInfo& info, const std::string& path) {
  const std::uint64_t length = header_length(info.kind.size(), info.plan.size());
  if (length > kLongestHeader) {
    throw Error(ErrorCode::file, path, "a plan of " + std::to_string(info.plan.size()) + " bytes does not fit in a run file");
  }
  FileHeader header;
  header.length = static_cast<std::uint32_t>(length);
  header.kind_length = static_cast<std::uint32_t>(info.kind.size());
  header.plan_length = static_cast<std::uint32_t>(info.plan.size());
  header.run_low = info.run.low;
  header.run_high = info.run.high;
  std::string bytes;
  append(bytes, &header, sizeof header);
  bytes += info.kind;
  bytes += info.plan;
  bytes.resize(static_cast<std::size_t>(length - sizeof(std::uint64_t)), '\0');
  const std::uint64_t checksum = checksum64(bytes.data(), bytes.size());
  append(bytes, &checksum, sizeof checksum);
  return bytes;
}

std::string end_bytes(std::uint64_t header_checksum, std::uint64_t offset, const std::vector<Section>& sections,
                      const std::vector<std::uint64_t>& checksums) {
  std::string bytes;
  bytes.reserve(sections.size() * sizeof(Section) + checksums.size() * sizeof(std::uint64_t) + sizeof(FileTrailer));
  append(bytes, sections.data(), sections.size() * sizeof(Section));
  append(bytes, checksums.data(), checksums.size() * sizeof(std::uint64_t));
  FileTrailer trailer;
  trailer.footer_offset = offset;
  trailer.footer_length = bytes.size();
  trailer.footer_checksum = checksum64(bytes.data(), bytes.size());
  trailer.sections = sections.size();
  trailer.header_checksum = header_checksum;
  trailer.file_size = offset + bytes.size() + sizeof trailer;
  trailer.checksum = checksum64(&trailer, kTrailerChecked);
  append(bytes, &trailer, sizeof trailer);
  return bytes;
}

}  // namespace nearkin::run_layout

namespace nearkin {

using namespace run_layout;

namespace {

constexpr std::size_t kBuffer = std::size_t{64} * kBlock;
// So often the system is asked to begin with writing to the disk, so that `finish` has little to wait for.
constexpr std::uint64_t kBeginSync = std::uint64_t{8} << 20;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::string section_name(const Section& section) { return std::to_string(section.kind) + '/' + std::to_string(section.number); }

}  // namespace

/// A file that is removed with this object, unless it was given another name.
struct RunFilePart {
  explicit RunFilePart(const std::string& path) : name(path) {}
  ~RunFilePart() {
    if (made) ::unlink(name.c_str());
  }
  RunFilePart(const RunFilePart&) = delete;
  RunFilePart& operator=(const RunFilePart&) = delete;

  std::string name;
  bool made = false;
};

struct RunFileWriter::State {
  std::string path;
  RunFilePart part;
  Descriptor file;
  Unfinished unfinished;
  std::uint64_t written = 0, synced = 0;  ///< bytes of the file that were handed to the system, and that it was asked to put on the disk
  std::uint64_t header_checksum = 0;
  std::vector<Section> sections;
  std::vector<std::uint64_t> checksums;
  std::unique_ptr<std::byte[]> buffer = unfilled<std::byte>(kBuffer);
  std::size_t buffered = 0;

  State(const std::string& name, const RunFileInfo& info);
  [[noreturn]] void fail(int error);
  std::uint64_t position() const { return written + buffered; }
  void write_out(const void* bytes, std::size_t size);
  void write_blocks(const std::byte* bytes, std::size_t size);
  void add(const std::byte* bytes, std::size_t size);
  void end_section();
  void put_in_place();
};

RunFileWriter::State::State(const std::string& name, const RunFileInfo& info) : path(name), part(name + ".part") {
  const std::string header = header_bytes(info, path);
  // Whatever has the name, a link to elsewhere included, makes room for a file of our own.
  if (::unlink(part.name.c_str()) != 0 && errno != ENOENT) fail(errno);
  file = Descriptor(::open(part.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file) fail(errno);
  part.made = true;
  // What a run keeps for itself stays for `resume`; a file that belongs to no run is an output.
  if (info.run == Hash128{}) unfinished = Unfinished(part.name);
  std::memcpy(&header_checksum, header.data() + header.size() - sizeof header_checksum, sizeof header_checksum);
  write_out(header.data(), header.size());
}

/// Nothing can be written after it: a file with a gap must not be finished.
void RunFileWriter::State::fail(int error) {
  file.close();
  const std::string why = std::generic_category().message(error);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    throw Error(ErrorCode::file, path,
                "disk full after " + std::to_string(written) + " bytes written (" + why + "); make room and continue with resume");
  }
  throw Error(ErrorCode::file, path, reason("cannot be written", error));
}

void RunFileWriter::State::write_out(const void* bytes, std::size_t size) {
  const auto* from = static_cast<const std::byte*>(bytes);
  while (size > 0) {
    const ssize_t done = ::write(file.get(), from, size);
    if (done < 0 && errno != EINTR) fail(errno);
    if (done <= 0) continue;
    from += done;
    size -= static_cast<std::size_t>(done);
    written += static_cast<std::uint64_t>(done);
  }
  if (written - synced < kBeginSync) return;
  begin_sync(file.get(), static_cast<off_t>(synced), static_cast<off_t>(written - synced));
  synced = written;
}

void RunFileWriter::State::write_blocks(const std::byte* bytes, std::size_t size) {
  for (std::size_t at = 0; at < size; at += kBlock) {
    checksums.push_back(checksum64(bytes + at, std::min<std::size_t>(kBlock, size - at)));
  }
  write_out(bytes, size);
}

void RunFileWriter::State::add(const std::byte* bytes, std::size_t size) {
  while (size > 0) {
    const std::size_t taken = std::min(size, kBuffer - buffered);
    if (taken == kBuffer) {
      write_blocks(bytes, taken);
    } else {
      std::memcpy(buffer.get() + buffered, bytes, taken);
      buffered += taken;
    }
    bytes += taken;
    size -= taken;
    if (buffered < kBuffer) continue;
    write_blocks(buffer.get(), kBuffer);
    buffered = 0;
  }
}

void RunFileWriter::State::end_section() {
  if (sections.empty()) return;
  sections.back().length = position() - sections.back().offset;
  constexpr std::array<std::byte, kAlignment> kZeros{};
  add(kZeros.data(), static_cast<std::size_t>(aligned(position()) - position()));
}

void RunFileWriter::State::put_in_place() {
  while (sync_bytes(file.get()) != 0) {
    if (errno != EINTR) fail(errno);
  }
  if (!file.close()) fail(errno);
  if (std::rename(part.name.c_str(), path.c_str()) != 0) fail(errno);
  part.made = false;
  unfinished.release();
  // The name is to be on the disk too; a folder that cannot be opened or synchronised is left to the system.
  const Descriptor folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder && ::fsync(folder.get()) != 0 && errno != EINVAL) fail(errno);
}

RunFileWriter::RunFileWriter(const std::string& path, const RunFileInfo& info) : state_(std::make_unique<State>(path, info)) {}
RunFileWriter::~RunFileWriter() = default;
RunFileWriter::RunFileWriter(RunFileWriter&&) noexcept = default;
RunFileWriter& RunFileWriter::operator=(RunFileWriter&&) noexcept = default;

void RunFileWriter::begin(std::uint32_t kind, std::uint32_t number) {
  state_->end_section();
  state_->sections.push_back({kind, number, state_->position(), 0});
}

void RunFileWriter::write(const void* bytes, std::size_t size) {
  if (state_->sections.empty()) throw std::logic_error("a run file is written to before a section is begun");
  state_->add(static_cast<const std::byte*>(bytes), size);
}

std::uint64_t RunFileWriter::finish() {
  State& state = *state_;
  state.end_section();
  if (const Section* const section = first_repeated(state.sections, by_name(state.sections))) {
    throw std::logic_error("a run file has two sections " + section_name(*section));
  }
  state.write_blocks(state.buffer.get(), state.buffered);
  state.buffered = 0;
  const std::string end = end_bytes(state.header_checksum, state.written, state.sections, state.checksums);
  state.write_out(end.data(), end.size());
  state.put_in_place();
  return state.written;
}

std::uint64_t RunFileWriter::bytes() const { return state_->position(); }

}  // namespace nearkin
