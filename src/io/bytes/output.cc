#include "io/bytes/output.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nearkin/error.h>
#include <nearkin/tools/front_end.h>

#include "base/system.h"
#include "io/bytes/compression.h"
#include "io/bytes/descriptor.h"

namespace nearkin {
namespace {

constexpr std::size_t kBuffer = std::size_t{256} << 10;
// Leaves room for the rest of a temporary name within the 255 bytes that file systems allow.
constexpr std::size_t kLongestName = 200;
constexpr const char* kPartial = ".partial";

[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(ErrorCode::file, path, error == ENOENT ? "cannot be written: its folder does not exist" : reason("cannot be written", error));
}

/// The file behind a symbolic link, so that the link survives; `path` itself where there is none.
std::string target_of(const std::string& path) {
  if (std::error_code none; std::filesystem::is_symlink(path, none) && !std::filesystem::exists(path, none)) {
    throw Error(ErrorCode::file, path, "is a link to a file that does not exist; name the file itself");
  }
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  const std::unique_ptr<char, Free> real(::realpath(path.c_str(), nullptr));
  return real ? std::string(real.get()) : path;
}

// The descriptor that a name stands for, such as /dev/stderr, or a link to one, if this process has it open. Opened anew, a redirected file
// would begin again; replaced, the link or the file would be lost.
std::optional<int> descriptor_of(std::filesystem::path path) {
  constexpr int kMostLinks = 16;
  for (int links = 0; links < kMostLinks; ++links) {
    const std::string folder = path.parent_path().string(), name = path.filename().string();
    int number = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool is_number = !name.empty() && error == std::errc() && end == name.data() + name.size();
    if ((folder == "/dev/fd" || folder == "/proc/self/fd") && is_number) return number;
    std::error_code none;
    const std::filesystem::path target = std::filesystem::read_symlink(path, none);
    if (none) return std::nullopt;
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return std::nullopt;
}

std::string descriptor_path(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

std::string temporary_name(const std::string& target, int attempt) {
  const std::size_t slash = target.rfind('/');
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  std::string name = target.substr(0, begin) + "." + target.substr(begin, kLongestName) + "." + std::to_string(::getpid());
  if (attempt > 0) name.append(".").append(std::to_string(attempt));
  return name + ".tmp";
}

// A name that was given to a file in this folder is on the disk when this returns. A folder that cannot be opened or synchronised (one may
// write to a folder that one may not read) is left to the system.
void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const Descriptor opened(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened && ::fsync(opened.get()) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) fail(path, errno);
}

/// Files that replace others when they are complete: those that are not yet, and those that are.
std::atomic<int> outputs_open{0}, outputs_in_place{0};

}  // namespace

bool outputs_are_complete() noexcept { return outputs_in_place > 0 && outputs_open == 0; }

struct OutputFile::State {
  std::string path;       ///< as the caller named it, for messages
  std::string target;     ///< where the file goes in the end
  std::string temporary;  ///< name of the temporary file, while it has one
  Unfinished unfinished;  ///< that name, for when the process is ended by a signal
  bool replaces = false;  ///< there is a temporary file, with or without a name; else the target is written directly
  bool in_place = false;
  Descriptor file;
  std::unique_ptr<Encoder> encoder;
  bool frame_open = true;       ///< the encoder has an end to write
  bool partial = false;         ///< the temporary name is that of a partial file
  ::off_t saved = 0, held = 0;  ///< bytes of it
  std::string buffer;
  std::atomic<bool> reader_gone{false};

  ~State() {
    if (replaces && !in_place) --outputs_open;
    if (temporary.empty()) return;
    if (held == 0) {
      ::unlink(temporary.c_str());
    } else if (::ftruncate(file.get(), held) != 0) {
      // What is not cut away will be there twice when the run is done again: no loss.
    }
  }

  void make_encoder();
  void end_frame();
  void name_partial();
  void put_on_disk();

  void open_target();
  void open_temporary(const struct stat* existing);
  bool try_temporary_names(const std::function<bool(const char*)>& make);
  void write_out(std::string_view bytes);
  void add(std::string_view bytes);
  void flush();
};

void OutputFile::State::open_target() {
  const std::optional<int> descriptor = path == "-" ? STDOUT_FILENO : descriptor_of(path);
  if (descriptor) {
    file = Descriptor(::fcntl(*descriptor, F_DUPFD_CLOEXEC, 0));
    if (!file) fail(path, errno);
    return;
  }
  struct stat s {};
  const bool there = ::stat(path.c_str(), &s) == 0;
  if (there && S_ISDIR(s.st_mode)) throw Error(ErrorCode::file, path, "is a folder; name a file to write to");
  if (there && !S_ISREG(s.st_mode)) {
    file = Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (!file) fail(path, errno);
    return;
  }
  if (there && ::access(path.c_str(), W_OK) != 0) fail(path, errno);
  target = target_of(path);
  open_temporary(there ? &s : nullptr);
}

/// Tries names until `make` succeeds with one, which is remembered.
bool OutputFile::State::try_temporary_names(const std::function<bool(const char*)>& make) {
  constexpr int kAttempts = 1000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string name = temporary_name(target, attempt);
    if (make(name.c_str())) {
      unfinished = Unfinished(name);
      temporary = std::move(name);
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

void OutputFile::State::open_temporary(const struct stat* existing) {
  replaces = true;
  ++outputs_open;
  const std::size_t slash = target.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : target.substr(0, slash + 1);
  file = Descriptor(open_unnamed(folder.c_str(), O_WRONLY, 0666));
  // Without /proc a file without a name could not be given one.
  if (file && ::access(descriptor_path(file.get()).c_str(), F_OK) != 0) file = Descriptor();
  if (!file) {
    try_temporary_names([&](const char* name) {
      file = Descriptor(::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      return static_cast<bool>(file);
    });
  }
  if (!file) fail(path, errno);
  if (existing != nullptr && ::fchmod(file.get(), existing->st_mode & 0777U) != 0) fail(path, errno);
}

void OutputFile::State::write_out(std::string_view bytes) {
  while (!bytes.empty() && !reader_gone) {
    const ssize_t done = ::write(file.get(), bytes.data(), bytes.size());
    if (done >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(done));
    } else if (errno == EPIPE) {
      reader_gone = true;
    } else if (errno == EAGAIN) {
      pollfd wait{file.get(), POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      fail(path, errno);
    }
  }
}

void OutputFile::State::add(std::string_view bytes) {
  if (buffer.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() >= kBuffer) {
    write_out(bytes);
  } else {
    buffer += bytes;
  }
}

void OutputFile::State::flush() {
  write_out(buffer);
  buffer.clear();
}

void OutputFile::State::make_encoder() {
  if (path.ends_with(".gz")) encoder = make_gzip_encoder();
  if (path.ends_with(".zst")) encoder = make_zstd_encoder();
}

void OutputFile::State::end_frame() {
  if (encoder && frame_open) encoder->encode({}, true, [&](std::string_view packed) { add(packed); });
}

OutputFile::OutputFile(const std::string& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->open_target();
  state_->make_encoder();
  state_->buffer.reserve(kBuffer);
}

OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;

void OutputFile::use_threads(unsigned threads) {
  if (state_->encoder) state_->encoder->use_threads(threads);
}

void OutputFile::write(std::string_view bytes) {
  State& state = *state_;
  if (state.reader_gone) return;
  if (!state.encoder) return state.add(bytes);
  if (bytes.empty()) return;
  state.frame_open = true;
  state.encoder->encode(bytes, false, [&](std::string_view packed) { state.add(packed); });
}

bool OutputFile::is_terminal() const { return !state_->replaces && ::isatty(state_->file.get()) == 1; }

const std::string& OutputFile::name() const { return state_->path; }

// The bytes alone; some streams and file systems have no disk to wait for.
void OutputFile::State::put_on_disk() {
  while (sync_bytes(file.get()) != 0) {
    if (errno == EINVAL || errno == EROFS || errno == ENOTSUP) return;
    if (errno != EINTR) fail(path, errno);
  }
}

// The bytes are on the disk before the name is theirs: else a power cut could leave the name of a complete file with some of its bytes, and
// the old file gone.
void OutputFile::finish() {
  State& state = *state_;
  state.end_frame();
  state.flush();
  if (state.replaces) {
    state.put_on_disk();
  } else if (!state.file.close()) {
    fail(state.path, errno);
  }
}

void OutputFile::publish() {
  State& state = *state_;
  if (!state.replaces) return;
  if (state.temporary.empty()) {
    const std::string open_file = descriptor_path(state.file.get());
    const bool named = state.try_temporary_names(
        [&](const char* name) { return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0; });
    if (!named) fail(state.path, errno);
  }
  if (!state.file.close()) fail(state.path, errno);
  if (::rename(state.temporary.c_str(), state.target.c_str()) != 0) fail(state.path, errno);
  state.temporary.clear();
  state.unfinished.release();
  state.in_place = true;
  ++outputs_in_place;
  --outputs_open;
  sync_folder_of(state.target);
}

[[noreturn]] static void fail_for_partial(const std::string& partial) {
  throw Error(ErrorCode::file, partial,
              "was left by a run that ended early, and contains the records that it kept; move it away, then run again");
}

// A name of its own that takes no other file's place.
void OutputFile::State::name_partial() {
  const std::string name = target + kPartial;
  const bool linked = temporary.empty()
                          ? ::linkat(AT_FDCWD, descriptor_path(file.get()).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0
                          : ::link(temporary.c_str(), name.c_str()) == 0;
  if (!linked && errno == EEXIST) fail_for_partial(name);
  if (!linked && (temporary.empty() || ::rename(temporary.c_str(), name.c_str()) != 0)) fail(name, errno);
  if (linked && !temporary.empty()) ::unlink(temporary.c_str());
  temporary = name;
  partial = true;
  unfinished.release();  // a signal must not take it away any more
  sync_folder_of(name);
}

void OutputFile::end_member() {
  State& state = *state_;
  state.end_frame();
  if (state.encoder && std::exchange(state.frame_open, false)) state.make_encoder();
}

void OutputFile::save() {
  end_member();
  State& state = *state_;
  state.flush();
  state.put_on_disk();
  if (!state.replaces) return;
  if (!state.partial) state.name_partial();
  state.saved = ::lseek(state.file.get(), 0, SEEK_CUR);
}

void OutputFile::hold_saved() { state_->held = state_->saved; }

std::string OutputFile::partial_name() const { return state_->replaces ? state_->target + kPartial : std::string(); }

void OutputFile::require_no_partial() const {
  const std::string partial = partial_name();
  if (!partial.empty() && ::access(partial.c_str(), F_OK) == 0) fail_for_partial(partial);
}

bool OutputFile::reader_gone() const { return state_->reader_gone; }

}  // namespace nearkin
