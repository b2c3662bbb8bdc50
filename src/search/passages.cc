#include "search/passages.h"

#include <algorithm>
#include <unordered_map>

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "search/loaded_text.h"

namespace nearkin {
namespace {

// Calls use(members) for each group of two or more records with the same key, the members in their order.
template <typename Place, typename Use>
void for_each_group(const std::vector<Keyed<Place>>& part, Use&& use) {
  // By 32 bits of the key behind those that all of the part have in common.
  std::vector<std::uint64_t> order(part.size()), scratch;
  for (std::size_t i = 0; i < part.size(); ++i) order[i] = part[i].key << KeyPart::kBits >> 32 << 32 | i;
  radix_sort(order, scratch, 4, 8);
  std::vector<Keyed<Place>> members;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    for (end = begin + 1; end < order.size() && order[end] >> 32 == order[begin] >> 32;) ++end;
    if (end - begin < 2) continue;
    members.clear();
    for (std::size_t i = begin; i < end; ++i) members.push_back(part[static_cast<std::uint32_t>(order[i])]);
    const auto by_key = [](const Keyed<Place>& a, const Keyed<Place>& b) { return a.key < b.key; };
    if (!std::is_sorted(members.begin(), members.end(), by_key)) std::stable_sort(members.begin(), members.end(), by_key);
    for (std::size_t first = 0, last = 0; first < members.size(); first = last) {
      while (last < members.size() && members[last].key == members[first].key) ++last;
      if (last - first > 1) use(std::span<const Keyed<Place>>(members).subspan(first, last - first));
    }
  }
}

// Where windows of the rows before `split` alone are sources, a group without one has none, and one without other rows needs none.
template <typename Place>
bool has_source(std::span<const Keyed<Place>> group, Row split) {
  return split == 0 || (group.front().place.row < split && group.back().place.row >= split);
}

template <typename Place>
std::vector<Link<Place>> links_of(const std::vector<Keyed<Place>>& part, Row split) {
  std::vector<Link<Place>> links;
  for_each_group(part, [&](std::span<const Keyed<Place>> group) {
    if (!has_source(group, split)) return;
    for (const Keyed<Place>& member : group.subspan(1)) links.push_back({member.place, group.front().place});
  });
  return links;
}

// Works on the parts in any order, and uses what became of them in their own.
template <typename Work, typename Use>
void for_each_part(std::uint32_t parts, unsigned threads, Work&& work, Use&& use) {
  std::uint32_t next = 0;
  ordered_pipeline(
      threads, [&] { return next < parts ? std::optional(next++) : std::nullopt; }, work, use);
}

template <typename Place>
std::unique_ptr<Links<Place>> link_groups(const KeyedPlaces<Place>& places, const Rows& rows, const PassagePlan& plan) {
  const RowPart row_part(rows.size());
  auto links = std::make_unique<Links<Place>>(plan.parted(row_part.parts, "links"), row_part);
  for_each_part(
      places.parts(), plan.threads, [&](std::uint32_t part, unsigned) { return links_of(places.part(part), rows.split); },
      [&](const std::vector<Link<Place>>& found) { links->add(found); });
  links->finish();
  return links;
}

// What was found of a part of the rows.
struct Findings {
  std::vector<EqualRun> runs;
  std::vector<Keyed<WindowsPlace>> windows;  // for the next round
};

// Measures the runs around linked places, record by record. One thread.
class RunFinder {
 public:
  RunFinder(const Rows& rows, const TextPieces& pieces, const PassagePlan& plan)
      : split_(rows.split), pieces_(pieces), plan_(plan), least_(plan.winnow.least), loader_(rows, plan.tokens), winnower_(plan.winnow) {}

  // `links` are those of some rows, ascending.
  template <typename Place>
  void find(std::span<const Link<Place>> links, std::uint32_t round, Findings& out) {
    out.runs.clear();
    out.windows.clear();
    for (std::size_t begin = 0, end = 0; begin < links.size(); begin = end) {
      while (end < links.size() && links[end].place.row == links[begin].place.row) ++end;
      find_in_record(links.subspan(begin, end - begin), round, out);
    }
  }

 private:
  // The last run of two texts at one alignment.
  struct Stretch {
    std::size_t begin = 0, end = 0;
    bool listed = false;
  };
  // The difference of two places and the source's row.
  struct Alignment {
    Row row;
    std::uint32_t shift;
    bool operator==(const Alignment&) const = default;
  };
  struct AlignmentHash {
    std::size_t operator()(const Alignment& a) const { return static_cast<std::size_t>(mix64(std::uint64_t{a.row} << 32 | a.shift)); }
  };

  // By pieces of its text while they serve, then by all of it.
  template <typename Place>
  void find_in_record(std::span<const Link<Place>> links, std::uint32_t round, Findings& out) {
    for (const TextPiece& piece : pieces_.of(links.front().place.row)) {
      std::size_t served = 0;
      while (served < links.size() && serves(piece, links[served].place)) ++served;
      if (served == 0) continue;
      stretches_.clear();  // they may reach beyond this piece
      text_.view(piece, plan_.tokens.ignored != nullptr);
      find_at(links.first(served), round, out);
      links = links.subspan(served);
      if (links.empty()) return;
    }
    stretches_.clear();
    loader_.load(links.front().place.row, text_);
    find_at(links, round, out);
  }

  // Whether what is known of a place is in the piece.
  static bool serves(const TextPiece& piece, const TokenPlace& anchor) { return piece.anchor_at(anchor.token).has_value(); }
  static bool serves(const TextPiece& piece, const WindowsPlace& place) {
    return place.token >= piece.begin && std::uint64_t{place.token} + place.tokens <= piece.end;
  }

  void find_at(std::span<const Link<TokenPlace>> links, std::uint32_t round, Findings& out) {
    if (const TextPiece* const piece = text_.piece()) {
      for (const auto& [place, first] : links) find_run(first, *piece->anchor_at(place.token), plan_.winnow.gram, round, out);
      return;
    }
    auto link = links.begin();
    winnower_.anchors(text_.tokens(), [&](const Anchor& anchor, std::uint64_t) {
      if (link == links.end() || link->place.token != anchor.at) return;
      find_run((link++)->first, anchor, plan_.winnow.gram, round, out);
    });
  }
  void find_at(std::span<const Link<WindowsPlace>> links, std::uint32_t round, Findings& out) {
    for (const auto& [place, first] : links) find_run(first, {place.token, place.first, place.last}, place.tokens, round, out);
  }

  // `known`: tokens from the anchor on that are equal, but for a collision of hashes.
  void find_run(TokenPlace source, const Anchor& anchor, std::uint32_t known, std::uint32_t round, Findings& out) {
    LoadedText* other = &text_of(source);
    Stretch* stretch = stretch_around(*other, source.token, anchor.at, known);
    if (stretch == nullptr) {  // it goes on beyond a piece
      other = &whole_text_of(source);
      stretch = stretch_around(*other, source.token, anchor.at, known);
    }
    pass_on(anchor, known, *stretch, round, out);
    if (stretch->end - stretch->begin < least_ || text_.row() < split_) return;
    const std::size_t end = anchor.last + std::size_t{1};
    const std::size_t first = std::clamp<std::size_t>(stretch->begin, anchor.first, end);  // of the windows that are equal to the source's
    const std::size_t last = std::clamp(stretch->end - least_ + 1, first, end);
    if (first < last) list(*other, *stretch, first, last, std::ptrdiff_t{anchor.at} - std::ptrdiff_t{source.token}, out);
  }

  // The text of a place, or a piece that has it. Good until the next call.
  LoadedText& text_of(TokenPlace place) {
    if (place.row == text_.row()) return text_.has(place.token) ? text_ : whole_text_of(place);
    for (const TextPiece& piece : pieces_.of(place.row)) {
      if (place.token < piece.begin || place.token >= piece.end) continue;
      if (other_piece_.piece() != &piece) other_piece_.view(piece, plan_.tokens.ignored != nullptr);
      return other_piece_;
    }
    return loader_(place.row);
  }
  // So is the text at hand then.
  LoadedText& whole_text_of(TokenPlace place) {
    if (!text_.is_whole()) loader_.load(text_.row(), text_);
    return place.row == text_.row() ? text_ : loader_(place.row);
  }

  // The run of equal tokens around two places; empty where fewer than `known` are; nothing where it may go on beyond what is at hand.
  Stretch* stretch_around(LoadedText& other, std::size_t source, std::size_t at, std::size_t known) {
    Stretch& stretch = stretches_[{other.row(), static_cast<std::uint32_t>(at - source)}];
    if (stretch.begin <= at && at + known <= stretch.end) return &stretch;
    const std::size_t ahead = equal_ahead(text_, at, other, source);
    if (text_.is_cut_behind(at + ahead) || other.is_cut_behind(source + ahead)) return nullptr;
    if (ahead < known) {
      stretch = Stretch{at, at};
      return &stretch;
    }
    const std::size_t behind = equal_behind(text_, at, other, source);
    if (text_.is_cut_before(at - behind) || other.is_cut_before(source - behind)) return nullptr;
    stretch = Stretch{at - behind, at + ahead};
    return &stretch;
  }

  // Windows whose source is not known yet: those that begin before the run of equal tokens, and of the others those that end behind it.
  void pass_on(const Anchor& anchor, std::uint32_t known, const Stretch& stretch, std::uint32_t round, Findings& out) {
    if (stretch.begin == stretch.end) return pass_on(anchor.at, known, anchor.first, anchor.last + std::size_t{1}, round, out);
    const std::size_t end = anchor.last + std::size_t{1}, middle = std::clamp<std::size_t>(stretch.begin, anchor.first, end);
    const std::size_t inside = stretch.end + 1 - std::min<std::size_t>(stretch.end + 1, least_);  // windows before it end in the run
    pass_on(stretch.begin - 1, anchor.at + known - (stretch.begin - 1), anchor.first, middle, round, out);
    pass_on(anchor.at, stretch.end + 1 - anchor.at, std::clamp(inside, middle, end), end, round, out);
  }

  // The windows first … last - 1, which have `tokens` tokens from `at` on.
  void pass_on(std::size_t at, std::size_t tokens, std::size_t first, std::size_t last, std::uint32_t round, Findings& out) {
    if (first >= last) return;
    if (plan_.tokens.ignored && any_masked(text_.tokens().subspan(at - text_.begin(), tokens))) return;  // none of them repeats
    const auto number = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
    window_hashes(text_.tokens(), number(tokens), at - text_.begin(), at - text_.begin(), round + 1, hashes_);
    out.windows.push_back({hashes_.front(), {{text_.row(), number(at)}, number(tokens), number(first), number(last - 1)}});
  }

  // The run that the windows are in; of one record as many as it takes, none of which overlaps its source.
  void list(LoadedText& other, Stretch& stretch, std::size_t first, std::size_t last, std::ptrdiff_t shift, Findings& out) {
    const std::size_t length = stretch.end - stretch.begin, apart = static_cast<std::size_t>(shift);
    if (other.row() != text_.row() || length <= apart) {
      if (!stretch.listed) put(other, stretch.begin, length, shift, out);
      stretch.listed = true;
      return;
    }
    if (apart < least_) return;  // the first window like these overlaps them
    for (std::size_t window = first; window < last; ++window) {
      const std::size_t end = window + least_, begin = std::max(stretch.begin, end - std::min(end, apart));
      put(other, begin, std::min(stretch.end - begin, apart), shift, out);
    }
  }

  void put(LoadedText& other, std::size_t begin, std::size_t tokens, std::ptrdiff_t shift, Findings& out) {
    const std::size_t source = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(begin) - shift), last = tokens - 1;
    const auto number = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
    EqualRun run{.place = {text_.row(), number(begin)}, .source = {other.row(), number(source)}, .tokens = number(tokens)};
    if (!out.runs.empty() && out.runs.back().place == run.place && out.runs.back().source == run.source) return;
    // A run that was measured before may not be in the pieces at hand.
    const bool here = text_.has(begin) && text_.has(begin + last) && other.has(source) && other.has(source + last);
    LoadedText& there = here ? other : whole_text_of(run.source);
    run.begin = number(text_.span(begin, loader_.tokeniser()).begin);
    run.end = number(text_.span(begin + last, loader_.tokeniser()).end);
    run.in_begin = number(there.span(source, loader_.tokeniser()).begin);
    run.in_end = number(there.span(source + last, loader_.tokeniser()).end);
    out.runs.push_back(run);
  }

  Row split_;
  const TextPieces& pieces_;
  const PassagePlan& plan_;
  std::uint32_t least_;
  TextLoader loader_;
  Winnower winnower_;
  LoadedText text_;         // of the record at hand
  LoadedText other_piece_;  // of a source
  std::unordered_map<Alignment, Stretch, AlignmentHash> stretches_;
  std::vector<std::uint64_t> hashes_;
};

// One round: the runs are added to `runs`; returns the places of the next.
template <typename Place>
std::unique_ptr<KeyedPlaces<WindowsPlace>> measure_runs(const Rows& rows, const Links<Place>& links, const TextPieces& pieces,
                                                        std::uint32_t round, const PassagePlan& plan, const Stage& stage, EqualRuns& runs) {
  struct Tools {
    Tools(const Rows& rows, const TextPieces& pieces, const PassagePlan& plan) : finder(rows, pieces, plan) {}
    RunFinder finder;
    Findings findings;
  };
  std::vector<std::unique_ptr<Tools>> tools(plan.threads);
  auto windows =
      std::make_unique<KeyedPlaces<WindowsPlace>>(plan.parted(KeyPart::kParts, "windows" + std::to_string(round % 2)), KeyPart());
  std::uint64_t done = 0;
  for_each_part(
      links.parts(), plan.threads,
      [&](std::uint32_t part, unsigned worker) {
        if (!tools[worker]) tools[worker] = std::make_unique<Tools>(rows, pieces, plan);
        std::vector<Link<Place>> found = links.part(part);
        const auto before = [](const TokenPlace& a, const TokenPlace& b) { return a < b; };
        std::stable_sort(found.begin(), found.end(), [&](const Link<Place>& a, const Link<Place>& b) { return before(a.place, b.place); });
        tools[worker]->finder.find(std::span<const Link<Place>>(found), round, tools[worker]->findings);
        return &tools[worker]->findings;
      },
      [&](const Findings* findings) {
        runs.add(findings->runs);
        windows->add(findings->windows);
        stage.progress("compare", ++done, links.parts());
      });
  windows->finish();
  return windows;
}

}  // namespace

std::unique_ptr<EqualRuns> find_equal_runs(const Rows& rows, std::unique_ptr<Anchors> anchors, const TextPieces& pieces,
                                           const PassagePlan& plan, const Stage& stage) {
  const RowPart row_part(rows.size());
  auto runs = std::make_unique<EqualRuns>(plan.parted(row_part.parts, "runs"), row_part);
  if (rows.nothing_to_pair()) anchors.reset();
  std::unique_ptr<KeyedPlaces<WindowsPlace>> places;
  if (anchors && anchors->size() > 0) {
    stage.progress("match");
    const std::unique_ptr<Links<TokenPlace>> links = link_groups(*anchors, rows, plan);
    anchors.reset();
    places = measure_runs(rows, *links, pieces, 0, plan, stage, *runs);
  }
  for (std::uint32_t round = 1; places && places->size() > 0; ++round) {
    stage.progress("match again");
    const std::unique_ptr<Links<WindowsPlace>> links = link_groups(*places, rows, plan);
    places.reset();
    places = measure_runs(rows, *links, pieces, round, plan, stage, *runs);
  }
  runs->finish();
  return runs;
}

}  // namespace nearkin
