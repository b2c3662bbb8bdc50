#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "index/write.h"
#include "io/run_file/run_file.h"

namespace nearkin {
namespace {

constexpr std::uint32_t kEntries = 1;  // the section
const RunFileInfo kInfo{.kind = "ids", .run = {}, .plan = {}};

// An entry of a file; its key follows.
struct Head {
  Row row = 0;
  std::uint32_t length = 0;
};

// Bytes that all keys begin with.
std::size_t common_beginning(const Strings& keys) {
  std::string_view common = keys.size() == 0 ? std::string_view() : keys[0];
  for (std::size_t i = 1; i < keys.size() && !common.empty(); ++i) {
    const std::string_view key = keys[i];
    const std::size_t most = std::min(common.size(), key.size());
    common = common.substr(
        0, static_cast<std::size_t>(std::mismatch(common.begin(), common.begin() + static_cast<std::ptrdiff_t>(most), key.begin()).first -
                                    common.begin()));
  }
  return common.size();
}

// Eight bytes from a place on, zeros behind the end: where they differ, they are in the order of the keys.
std::uint64_t bytes_at(std::string_view key, std::size_t begin) {
  std::uint64_t bytes = 0;
  for (std::size_t i = begin; i < begin + 8; ++i) bytes = bytes << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0u);
  return bytes;
}

// Gathers the rows of equal keys.
class Grouper {
 public:
  explicit Grouper(const IdRuns::Use& use) : use_(use) {}
  void add(std::string_view key, Row row) {
    if (!rows_.empty() && key_ != key) finish();
    if (rows_.empty()) key_ = key;
    rows_.push_back(row);
  }
  void finish() {
    if (!rows_.empty()) use_(key_, rows_);
    rows_.clear();
  }

 private:
  const IdRuns::Use& use_;
  std::string key_;
  std::vector<Row> rows_;
};

// The entries of a file, one after the other.
class RunReader {
 public:
  explicit RunReader(const std::string& path) : file_(path, kInfo), section_(file_.at(kEntries)), reader_(file_, section_) {}
  bool next() {
    if (at_ == section_.length) return false;
    Head head;
    std::memcpy(&head, reader_.bytes(at_, sizeof head).data(), sizeof head);
    const std::span<const std::byte> bytes = reader_.bytes(at_ + sizeof head, head.length);
    key_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    row_ = head.row;
    at_ += sizeof head + head.length;
    return true;
  }
  const std::string& key() const { return key_; }
  Row row() const { return row_; }

 private:
  RunFile file_;
  Section section_;
  BlockReader reader_;
  std::uint64_t at_ = 0;
  std::string key_;
  Row row_ = 0;
};

}  // namespace

IdRuns::~IdRuns() { remove_files(); }

void IdRuns::remove_files() {
  std::error_code ignored;
  for (; files_ > 0; --files_) std::filesystem::remove(path(files_ - 1), ignored);
  unfinished_.clear();
}

void IdRuns::add(std::string_view key, Row row) {
  keys_.add(key);
  rows_.push_back(row);
  constexpr std::size_t kBesideKey = 32;  // its end and row, and what sorting takes
  if (keys_.bytes() + keys_.size() * kBesideKey >= most_) spill();
}

std::vector<std::uint32_t> IdRuns::sorted() const {
  struct Entry {
    std::uint64_t bytes;
    std::uint32_t place;
  };
  const std::size_t begin = common_beginning(keys_);
  std::vector<Entry> entries(keys_.size());
  for (std::uint32_t i = 0; i < entries.size(); ++i) entries[i] = {bytes_at(keys_[i], begin), i};
  std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    if (a.bytes != b.bytes) return a.bytes < b.bytes;
    const int compared = keys_[a.place].compare(keys_[b.place]);
    return compared != 0 ? compared < 0 : a.place < b.place;
  });
  std::vector<std::uint32_t> order(entries.size());
  std::transform(entries.begin(), entries.end(), order.begin(), [](const Entry& entry) { return entry.place; });
  return order;
}

void IdRuns::spill() {
  RunFileWriter writer(path(files_), kInfo);
  writer.begin(kEntries);
  for (const std::uint32_t i : sorted()) {
    const Head head{.row = rows_[i], .length = static_cast<std::uint32_t>(keys_[i].size())};
    writer.write(&head, sizeof head);
    writer.write(keys_[i].data(), keys_[i].size());
  }
  writer.finish();
  unfinished_.emplace_back(path(files_));
  ++files_;
  keys_.clear();
  rows_.clear();
}

void IdRuns::drain(const Use& use) {
  if (files_ == 0) return drain_memory(use);
  if (keys_.size() > 0) spill();
  drain_files(use);
  remove_files();
}

void IdRuns::drain_memory(const Use& use) {
  Grouper grouper(use);
  for (const std::uint32_t i : sorted()) grouper.add(keys_[i], rows_[i]);
  grouper.finish();
  keys_.clear();
  rows_.clear();
}

void IdRuns::drain_files(const Use& use) {
  const auto later = [](const std::unique_ptr<RunReader>& a, const std::unique_ptr<RunReader>& b) {
    return a->key() != b->key() ? a->key() > b->key() : a->row() > b->row();
  };
  std::vector<std::unique_ptr<RunReader>> heap;
  for (std::size_t i = 0; i < files_; ++i) {
    auto reader = std::make_unique<RunReader>(path(i));
    if (reader->next()) heap.push_back(std::move(reader));
  }
  std::make_heap(heap.begin(), heap.end(), later);
  Grouper grouper(use);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    grouper.add(heap.back()->key(), heap.back()->row());
    if (heap.back()->next()) {
      std::push_heap(heap.begin(), heap.end(), later);
    } else {
      heap.pop_back();
    }
  }
  grouper.finish();
}

}  // namespace nearkin
