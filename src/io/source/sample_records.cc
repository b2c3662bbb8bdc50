#include "io/source/sample_records.h"

#include <algorithm>
#include <queue>

#include <nearkin/tools/sample.h>

#include "base/hash.h"
#include "io/source/for_each_batch.h"

namespace nearkin {
namespace {

constexpr std::size_t kChosen = 2048;
constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;       // of text
constexpr std::uint64_t kMostBytesRead = std::uint64_t{32} << 20;  // whatever they hold: those of a stream are remembered

// Keeps the texts with the least hashes of their numbers.
class Chooser {
 public:
  explicit Chooser(std::uint64_t seed) : seed_(mix64(seed)) {}

  bool has_enough() const { return records_ >= kSampledRecords || bytes_ >= kMostBytes || has_read_enough(); }
  bool has_read_enough() const { return bytes_read_ >= kMostBytesRead; }
  void note_read(const Location& record) { bytes_read_ += record.length; }
  void add(std::string_view text) {
    const std::uint64_t ticket = mix64(seed_ ^ ++records_);
    bytes_ += text.size();
    if (chosen_.size() == kChosen && ticket > chosen_.top().ticket) return;
    chosen_.push({ticket, records_, std::string(text)});
    if (chosen_.size() > kChosen) chosen_.pop();
  }
  RecordSample finish(bool all) {
    std::vector<Chosen> texts;
    for (; !chosen_.empty(); chosen_.pop()) texts.push_back(chosen_.top());
    std::sort(texts.begin(), texts.end(), [](const Chosen& x, const Chosen& y) { return x.number < y.number; });
    RecordSample sample{.texts = {}, .records = records_, .all = all};
    for (const Chosen& chosen : texts) sample.texts.add(chosen.text);
    return sample;
  }

 private:
  struct Chosen {
    std::uint64_t ticket, number;
    std::string text;
    bool operator<(const Chosen& other) const { return ticket < other.ticket; }
  };
  std::uint64_t seed_, records_ = 0, bytes_ = 0, bytes_read_ = 0;
  std::priority_queue<Chosen> chosen_;
};

bool has_edges(const Sources& sources) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources.format(i) == Format::edges) return true;
  }
  return false;
}

}  // namespace

RecordSample sample_records(const Input& input, std::uint64_t seed) {
  Sources sources(input, false, true);
  if (has_edges(sources)) return {};
  Chooser chooser(seed);
  Batch batch;
  // Counted by records, as chunks end with files: the same records are the same sample in one file and in many. It is not all where there
  // is another record that can be used.
  for (std::optional<Chunk> chunk = sources.next(); chunk; chunk = sources.next()) {
    if (chooser.has_read_enough()) return chooser.finish(false);
    batch.clear();
    sources.parse(*chunk, batch);
    for (Row i = 0; i < batch.items.size(); ++i) {
      if (chooser.has_enough()) return chooser.finish(false);
      chooser.add(batch.items.text(i));
      chooser.note_read(batch.locations[i]);
    }
    for (const Location& fault : batch.fault_locations) chooser.note_read(fault);
  }
  return chooser.finish(true);
}

}  // namespace nearkin
