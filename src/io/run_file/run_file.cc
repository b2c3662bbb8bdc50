#include "io/run_file/run_file.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/in_quotes.h"
#include "io/bytes/descriptor.h"
#include "io/run_file/run_file_layout.h"

namespace nearkin {

using namespace run_layout;

namespace {

// So much is read, then checked while it is still in the cache.
constexpr std::uint64_t kPiece = std::uint64_t{64} * kBlock;
// Ranges within so many bytes of whole blocks are read in one go; also how far a BlockReader reads ahead.
constexpr std::uint64_t kStretch = std::uint64_t{4} * kBlock;

/// Does not wait for the other end of a pipe.
Descriptor open_file(const std::string& path) { return Descriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)); }

constexpr std::uint64_t block_begin(std::uint64_t at) { return at / kBlock * kBlock; }

}  // namespace

struct RunFile::State {
  std::string path;
  Descriptor file;
  RunFileInfo info;
  bool header_good = false;
  std::uint64_t size = 0;
  std::uint64_t payload_begin = 0, payload_length = 0;
  std::uint64_t header_checksum = 0;
  std::vector<Section> sections;
  std::vector<std::size_t> order;  ///< places in `sections`, by kind and number
  std::vector<std::uint64_t> checksums;

  explicit State(const std::string& name);
  [[noreturn]] void damaged(const std::string& what) const;
  [[noreturn]] void foreign() const { throw Error(ErrorCode::file, path, "is not a run file of nearkin"); }
  void read_at(std::uint64_t offset, void* to, std::size_t length) const;
  FileHeader fixed_header() const;
  void read_header();
  FileTrailer trailer() const;
  void read_footer();
  void check_sections() const;
  void check_range(const Section& section, std::uint64_t offset, std::uint64_t length) const;
  void read_blocks(std::uint64_t begin, std::byte* to, std::uint64_t length) const;
  void read_part(std::uint64_t begin, std::byte* to, std::uint64_t length) const;
  void read_payload(std::uint64_t begin, std::byte* to, std::uint64_t length) const;
};

RunFile::State::State(const std::string& name) : path(name), file(open_file(name)) {
  if (!file) throw Error(ErrorCode::file, path, reason("cannot be read", errno));
  const FileState state = file_state(file.get(), path);
  if (!state.regular) foreign();
  size = state.size;
  read_header();
  read_footer();
  check_sections();
}

void RunFile::State::damaged(const std::string& what) const {
  const bool of_a_run = info.run != Hash128{};
  const char* advice = !header_good ? "remove it and start again" : of_a_run ? "remove the folder and start again" : "make it again";
  throw Error(ErrorCode::file, path, "damaged: " + what + "; " + advice);
}

void RunFile::State::read_at(std::uint64_t offset, void* to, std::size_t length) const {
  const std::size_t got = read_fully_at(file.get(), static_cast<char*>(to), length, offset, path);
  if (got < length) damaged("it ends at byte " + std::to_string(offset + got));
}

/// The part of fixed length, of a file of this version whose header fits in it.
FileHeader RunFile::State::fixed_header() const {
  FileHeader header;
  if (size < sizeof header.magic) foreign();
  read_at(0, &header.magic, sizeof header.magic);
  if (header.magic != kMagic) foreign();
  if (size < sizeof header) damaged("it ends within its header");
  read_at(0, &header, sizeof header);
  if (header.version != kVersion) {
    throw Error(ErrorCode::file, path,
                "was written by another version (" + std::to_string(header.version) + ", this is " + std::to_string(kVersion) +
                    "); remove it and start again");
  }
  const bool fits = header.length == header_length(header.kind_length, header.plan_length) && header.length <= kLongestHeader;
  if (!fits || header.block != kBlock) damaged("its header is not what was written");
  if (size < header.length) damaged("it ends within its header");
  return header;
}

void RunFile::State::read_header() {
  const FileHeader header = fixed_header();
  std::string bytes(header.length, '\0');
  read_at(0, bytes.data(), bytes.size());
  const std::size_t checked = bytes.size() - sizeof header_checksum;
  std::memcpy(&header_checksum, bytes.data() + checked, sizeof header_checksum);
  if (checksum64(bytes.data(), checked) != header_checksum) damaged("its header is not what was written");
  info.kind = bytes.substr(sizeof header, header.kind_length);
  info.plan = bytes.substr(sizeof header + header.kind_length, header.plan_length);
  info.run = {header.run_low, header.run_high};
  payload_begin = header.length;
  header_good = true;
}

/// Reads the trailer and checks that it belongs to this file and that the footer lies between the header and the trailer.
FileTrailer RunFile::State::trailer() const {
  FileTrailer trailer;
  if (size - payload_begin < sizeof trailer) damaged("it is cut short");
  const std::uint64_t at = size - sizeof trailer;
  read_at(at, &trailer, sizeof trailer);
  if (trailer.magic != kEndMagic) damaged("its end is not the end of a run file");
  if (checksum64(&trailer, kTrailerChecked) != trailer.checksum) damaged("its end is not what was written");
  if (trailer.file_size != size) {
    damaged("it has " + std::to_string(size) + " bytes, " + std::to_string(trailer.file_size) + " were written");
  }
  if (trailer.header_checksum != header_checksum) damaged("its header and its end are of two files");
  const std::uint64_t end = trailer.footer_offset;
  if (end < payload_begin || end > at || end % kAlignment != 0 || trailer.footer_length != at - end) damaged("its footer is out of place");
  return trailer;
}

void RunFile::State::read_footer() {
  const FileTrailer end = trailer();
  payload_length = end.footer_offset - payload_begin;
  const std::uint64_t blocks = blocks_in(payload_length);
  const std::uint64_t blocks_length = blocks * sizeof(std::uint64_t);
  if (blocks_length > end.footer_length || end.sections != (end.footer_length - blocks_length) / sizeof(Section) ||
      end.sections * sizeof(Section) != end.footer_length - blocks_length) {
    damaged("its footer has another length than its parts");
  }
  std::vector<char> bytes(static_cast<std::size_t>(end.footer_length));
  read_at(end.footer_offset, bytes.data(), bytes.size());
  if (checksum64(bytes.data(), bytes.size()) != end.footer_checksum) damaged("its footer is not what was written");
  sections.resize(static_cast<std::size_t>(end.sections));
  checksums.resize(static_cast<std::size_t>(blocks));
  const std::size_t sections_length = bytes.size() - static_cast<std::size_t>(blocks_length);
  if (sections_length > 0) std::memcpy(sections.data(), bytes.data(), sections_length);
  if (blocks > 0) std::memcpy(checksums.data(), bytes.data() + sections_length, static_cast<std::size_t>(blocks_length));
  order = by_name(sections);
}

/// In the payload, one behind the other.
void RunFile::State::check_sections() const {
  std::uint64_t free = payload_begin;
  const std::uint64_t end = payload_begin + payload_length;
  for (const Section& section : sections) {
    if (section.offset < free || section.offset > end || section.length > end - section.offset || section.offset % kAlignment != 0) {
      damaged("a section is out of place");
    }
    free = section.offset + section.length;
  }
  if (first_repeated(sections, order) != nullptr) damaged("two sections have one name");
}

void RunFile::State::check_range(const Section& section, std::uint64_t offset, std::uint64_t length) const {
  const std::uint64_t end = payload_begin + payload_length;
  const bool here = section.offset >= payload_begin && section.offset <= end && section.length <= end - section.offset;
  if (here && offset <= section.length && length <= section.length - offset) return;
  damaged("section " + std::to_string(section.kind) + '/' + std::to_string(section.number) + " has " + std::to_string(section.length) +
          " bytes, " + std::to_string(length) + " from " + std::to_string(offset) + " on were asked for");
}

/// Whole blocks, checked where they are to stand. Places count from the start of the payload here and below.
void RunFile::State::read_blocks(std::uint64_t begin, std::byte* to, std::uint64_t length) const {
  for (std::uint64_t done = 0; done < length;) {
    const std::uint64_t piece = std::min(length - done, kPiece);
    read_at(payload_begin + begin + done, to + done, static_cast<std::size_t>(piece));
    for (const std::uint64_t end = done + piece; done < end; done += kBlock) {
      const std::uint64_t block = (begin + done) / kBlock;
      if (checksum64(to + done, static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, length - done))) == checksums[block]) continue;
      const std::uint64_t at = payload_begin + block * kBlock;
      damaged("block " + std::to_string(block) + ", from byte " + std::to_string(at) + " on, is not what was written");
    }
  }
}

/// By way of a buffer for the whole blocks around the range, which are at most kStretch bytes.
void RunFile::State::read_part(std::uint64_t begin, std::byte* to, std::uint64_t length) const {
  std::array<std::byte, kStretch> buffer;
  const std::uint64_t first = block_begin(begin), end = std::min(block_begin(begin + length + kBlock - 1), payload_length);
  read_blocks(first, buffer.data(), end - first);
  std::memcpy(to, buffer.data() + (begin - first), static_cast<std::size_t>(length));
}

void RunFile::State::read_payload(std::uint64_t begin, std::byte* to, std::uint64_t length) const {
  const std::uint64_t end = begin + length;
  const std::uint64_t whole_begin = block_begin(begin + kBlock - 1);
  const std::uint64_t whole_end = end == payload_length ? end : block_begin(end);
  const bool is_whole = begin == whole_begin && end == whole_end;
  if (!is_whole && block_begin(end + kBlock - 1) - block_begin(begin) <= kStretch) return read_part(begin, to, length);
  if (begin < whole_begin) read_part(begin, to, whole_begin - begin);
  read_blocks(whole_begin, to + (whole_begin - begin), whole_end - whole_begin);
  if (whole_end < end) read_part(whole_end, to + (whole_end - begin), end - whole_end);
}

bool RunFile::is_one(const std::string& path) {
  struct stat s {};
  // Pipes are not even opened: their writer would notice.
  if (::stat(path.c_str(), &s) != 0 || !S_ISREG(s.st_mode)) return false;
  const Descriptor file = open_file(path);
  std::array<char, kMagic.size()> begin{};
  return file && ::pread(file.get(), begin.data(), begin.size(), 0) == static_cast<ssize_t>(begin.size()) && begin == kMagic;
}

RunFile::RunFile(const std::string& path) : state_(std::make_unique<State>(path)) {}

RunFile::RunFile(const std::string& path, const RunFileInfo& expected) : RunFile(path) {
  const RunFileInfo& found = info();
  if (found.kind != expected.kind) {
    throw Error(ErrorCode::file, path, "is a run file of kind " + in_quotes(found.kind) + ", not " + in_quotes(expected.kind));
  }
  if (found.run != expected.run) throw Error(ErrorCode::file, path, "belongs to another run; remove the folder and start again");
  if (found.plan != expected.plan) {
    throw Error(ErrorCode::file, path, "was made by the plan '" + found.plan + "', this run has '" + expected.plan + "'");
  }
}

RunFile::~RunFile() = default;
RunFile::RunFile(RunFile&&) noexcept = default;
RunFile& RunFile::operator=(RunFile&&) noexcept = default;

const std::string& RunFile::path() const { return state_->path; }
const RunFileInfo& RunFile::info() const { return state_->info; }
std::uint64_t RunFile::bytes() const { return state_->size; }
const std::vector<Section>& RunFile::sections() const { return state_->sections; }

const Section* RunFile::find(std::uint32_t kind, std::uint32_t number) const {
  const std::vector<Section>& all = state_->sections;
  const auto before = [&](std::size_t i, std::pair<std::uint32_t, std::uint32_t> name) {
    return std::pair(all[i].kind, all[i].number) < name;
  };
  const auto found = std::lower_bound(state_->order.begin(), state_->order.end(), std::pair(kind, number), before);
  if (found == state_->order.end() || all[*found].kind != kind || all[*found].number != number) return nullptr;
  return &all[*found];
}

const Section& RunFile::at(std::uint32_t kind, std::uint32_t number) const {
  if (const Section* const section = find(kind, number)) return *section;
  state_->damaged("it has no section " + std::to_string(kind) + '/' + std::to_string(number));
}

void RunFile::read(const Section& section, std::uint64_t offset, void* to, std::size_t size) const {
  state_->check_range(section, offset, size);
  if (size > 0) state_->read_payload(section.offset - state_->payload_begin + offset, static_cast<std::byte*>(to), size);
}

BlockReader::BlockReader(const RunFile& file, const Section& section) : file_(&file), section_(section) {}

std::span<const std::byte> BlockReader::bytes(std::uint64_t offset, std::size_t size) {
  if (offset < begin_ || offset > end_ || size > end_ - offset) {
    const RunFile::State& file = *file_->state_;
    file.check_range(section_, offset, size);
    // Read ahead only on sequential access.
    const bool ahead = offset >= begin_ && offset <= end_ + kStretch;
    const std::uint64_t start = section_.offset - file.payload_begin;  // of the section, in the payload
    const std::uint64_t first = std::max(block_begin(start + offset), start);
    const std::uint64_t wanted = std::max(start + offset + size, ahead ? block_begin(first) + kStretch : 0);
    const std::uint64_t end = std::min(block_begin(wanted + kBlock - 1), start + section_.length);
    begin_ = end_ = 0;  // should reading fail, nothing is remembered
    buffer_.resize(std::max(buffer_.size(), static_cast<std::size_t>(end - first)));
    file.read_payload(first, buffer_.data(), end - first);
    begin_ = first - start;
    end_ = end - start;
  }
  return std::span(buffer_).subspan(static_cast<std::size_t>(offset - begin_), size);
}

}  // namespace nearkin
