#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "search/passages.h"

namespace nearkin {

AnchorGatherer::AnchorGatherer(const PassagePlan& plan)
    : plan_(plan), places_(std::make_unique<KeyedPlaces>(plan.parted(KeyPart::kParts, "anchors"), KeyPart())) {
  for (unsigned worker = 0; worker < plan.threads; ++worker) workers_.push_back(std::make_unique<Worker>(plan));
}

void AnchorGatherer::begin_source(Format format, const std::string& path) {
  const bool texts = !holds_vectors(format) && format != Format::sets && format != Format::edges && format != Format::table;
  if (texts) return;
  throw Error(ErrorCode::plan, path, "is " + std::string(name(format)) + ", and passages are looked for in texts; use pairs for it");
}

void AnchorGatherer::read(unsigned number, const Items& items) {
  Worker& worker = *workers_[number];
  worker.anchors.clear();
  worker.ends.clear();
  worker.tokens.clear();
  for (Row i = 0; i < items.size(); ++i) {
    const std::string_view text = items.text(i);
    if (text.size() > UINT32_MAX) {
      throw Error(ErrorCode::data, std::string(items.id(i)), "a text of more than 4 GiB, in which passages cannot be looked for; split it");
    }
    const std::span<const std::uint64_t> tokens = worker.tokeniser.tokens(text);
    worker.winnower.anchors(tokens, [&](const Anchor& anchor, std::uint64_t key) { worker.anchors.push_back({key, anchor.at}); });
    worker.ends.push_back(worker.anchors.size());
    worker.tokens.push_back(tokens.size());
    worker.tokeniser.give_back();
  }
}

void AnchorGatherer::keep(unsigned number, Row item, Row row) {
  const Worker& worker = *workers_[number];
  for (std::size_t i = item == 0 ? 0 : worker.ends[item - 1]; i < worker.ends[item]; ++i) {
    places_->add({worker.anchors[i].key, {row, worker.anchors[i].at}});
  }
  tokens_ += worker.tokens[item];
}

std::unique_ptr<KeyedPlaces> AnchorGatherer::take() {
  places_->finish();
  return std::move(places_);
}

}  // namespace nearkin
