#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "search/passages.h"

namespace nearkin {
namespace {

constexpr std::uint32_t kMargin = 4;              // tokens of a piece on either side of the windows that it is kept for
constexpr std::uint32_t kLongestPiece = 1 << 12;  // tokens

}  // namespace

AnchorGatherer::AnchorGatherer(const PassagePlan& plan)
    : plan_(plan), places_(std::make_unique<KeyedPlaces>(plan.parted(KeyPart::kParts, "anchors"), KeyPart())), pieces_(plan.share) {
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
  worker.pieces.clear();
  worker.piece_ends.clear();
  for (Row i = 0; i < items.size(); ++i) {
    const std::string_view text = items.text(i);
    if (text.size() > UINT32_MAX) {
      throw Error(ErrorCode::data, std::string(items.id(i)), "a text of more than 4 GiB, in which passages cannot be looked for; split it");
    }
    const std::span<const std::uint64_t> tokens = worker.tokeniser.tokens(text);
    const std::size_t first_piece = worker.pieces.size();
    worker.winnower.anchors(tokens, [&](const Anchor& anchor, std::uint64_t key) {
      worker.anchors.push_back({key, anchor.at});
      if (common_.see(key)) extend_piece(worker, first_piece, anchor, tokens.size());
    });
    if (worker.pieces.size() > first_piece) fill_pieces(worker, first_piece, text, tokens);
    worker.piece_ends.push_back(worker.pieces.size());
    worker.ends.push_back(worker.anchors.size());
    worker.tokens.push_back(tokens.size());
    worker.tokeniser.give_back();
  }
}

// The last piece of the text reaches as far as the windows of the anchor, where they meet it; else they begin another.
void AnchorGatherer::extend_piece(Worker& worker, std::size_t first_piece, const Anchor& anchor, std::size_t tokens) const {
  const std::uint32_t begin = anchor.first - std::min(anchor.first, kMargin);
  const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(tokens, std::size_t{anchor.last} + plan_.winnow.least + kMargin));
  if (worker.pieces.size() == first_piece || begin > worker.pieces.back().end) {
    worker.pieces.push_back({.begin = begin, .first_anchor = anchor.at});
  }
  TextPiece& piece = worker.pieces.back();
  piece.end = end;
  piece.last_anchor = anchor.at;
  piece.ends_text = end == tokens;
}

void AnchorGatherer::fill_pieces(Worker& worker, std::size_t first_piece, std::string_view text, std::span<const std::uint64_t> tokens) {
  std::erase_if(worker.pieces, [](const TextPiece& piece) { return piece.end - piece.begin > kLongestPiece; });
  std::vector<TextSpan> all_spans;
  if (worker.data.size() < worker.pieces.size()) worker.data.resize(worker.pieces.size());
  for (std::size_t i = first_piece; i < worker.pieces.size(); ++i) {
    TextPiece& piece = worker.pieces[i];
    std::span<const TextSpan> spans;
    if (worker.tokeniser.spans_of_last(piece.begin, piece.end, worker.spans)) {
      spans = worker.spans;
    } else {
      if (all_spans.empty()) all_spans = worker.tokeniser.spans(text);
      spans = std::span(all_spans).subspan(piece.begin, piece.end - piece.begin);
    }
    std::vector<std::uint64_t>& data = worker.data[i];
    data.assign(tokens.begin() + piece.begin, tokens.begin() + piece.end);
    for (const TextSpan& span : spans) data.push_back(std::uint64_t{span.begin} << 32 | span.end);
    piece.data = data.data();
  }
}

void AnchorGatherer::keep(unsigned number, Row item, Row row) {
  const Worker& worker = *workers_[number];
  for (std::size_t i = item == 0 ? 0 : worker.ends[item - 1]; i < worker.ends[item]; ++i) {
    places_->add({worker.anchors[i].key, {row, worker.anchors[i].at}});
  }
  for (std::size_t i = item == 0 ? 0 : worker.piece_ends[item - 1]; i < worker.piece_ends[item]; ++i) pieces_.add(row, worker.pieces[i]);
  tokens_ += worker.tokens[item];
}

std::unique_ptr<KeyedPlaces> AnchorGatherer::take() {
  places_->finish();
  return std::move(places_);
}

}  // namespace nearkin
