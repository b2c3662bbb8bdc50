#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "search/passages.h"

namespace nearkin {
namespace {

// Memory per byte of a text while it is looked at: the chunk that it is in, the text, its tokens, spans and grams.
constexpr std::uint64_t kBytesPerByte = 12;
constexpr std::uint64_t kSmallText = std::uint64_t{4} << 20;  // bytes that every run has room for

}  // namespace

AnchorGatherer::AnchorGatherer(const PassagePlan& plan)
    : plan_(plan), places_(std::make_unique<Anchors>(plan.parted(KeyPart::kParts, "anchors"), KeyPart())), pieces_(plan.share) {
  for (unsigned worker = 0; worker < plan.threads; ++worker) workers_.push_back(std::make_unique<Worker>(plan, pieces_));
}

void AnchorGatherer::begin_source(Format format, const std::string& path) {
  const bool texts = !holds_vectors(format) && format != Format::sets && format != Format::edges && format != Format::table;
  if (texts) return;
  throw Error(ErrorCode::plan, path, "is " + std::string(name(format)) + ", and passages are looked for in texts; use pairs for it");
}

void AnchorGatherer::require_room(std::string_view id, std::uint64_t size) const {
  if (size > UINT32_MAX) {
    throw Error(ErrorCode::data, std::string(id), "a text of more than 4 GiB is too long to search for passages; split it");
  }
  const std::uint64_t needed = size * kBytesPerByte;
  if (size <= kSmallText || needed <= plan_.memory) return;
  throw Error(ErrorCode::data, std::string(id),
              "a text of " + bytes_text(size) + " needs about " + bytes_text(needed) +
                  " of memory to search for passages, but the limit is " + bytes_text(plan_.memory) +
                  "; raise it (--memory), or split the text");
}

void AnchorGatherer::read(unsigned number, const Items& items) {
  Worker& worker = *workers_[number];
  worker.anchors.clear();
  worker.ends.clear();
  worker.tokens.clear();
  worker.masked.clear();
  worker.pieces.begin_chunk();
  for (Row i = 0; i < items.size(); ++i) {
    const std::string_view text = items.text(i);
    require_room(items.id(i), text.size());
    const std::span<const std::uint64_t> tokens = worker.tokeniser.tokens(text);
    const std::size_t first = worker.anchors.size();
    worker.winnower.anchors(tokens, [&](const Anchor& anchor, std::uint64_t key) {
      if (plan_.tokens.ignored && any_masked(tokens.subspan(anchor.at, plan_.winnow.gram))) return;  // no window with it repeats
      worker.anchors.push_back({anchor, key, common_.see(key)});
    });
    worker.pieces.add(text, tokens, std::span<const KeyedAnchor>(worker.anchors).subspan(first), worker.tokeniser);
    worker.ends.push_back(worker.anchors.size());
    worker.tokens.push_back(tokens.size());
    if (worker.tokeniser.masks()) worker.masked.push_back(static_cast<std::size_t>(std::count(tokens.begin(), tokens.end(), kMaskedToken)));
    worker.tokeniser.give_back();
  }
}

void AnchorGatherer::keep(unsigned number, Row item, Row row) {
  const Worker& worker = *workers_[number];
  for (std::size_t i = item == 0 ? 0 : worker.ends[item - 1]; i < worker.ends[item]; ++i) {
    places_->add({worker.anchors[i].key, {row, worker.anchors[i].anchor.at}});
  }
  worker.pieces.keep(item, row, pieces_);
  tokens_ += worker.tokens[item];
  if (!worker.masked.empty()) masked_ += worker.masked[item];
}

std::unique_ptr<Anchors> AnchorGatherer::take() {
  places_->finish();
  return std::move(places_);
}

}  // namespace nearkin
