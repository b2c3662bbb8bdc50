#include "match/sought.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/hash.h"
#include "match/winnow.h"

namespace nearkin {
namespace {

constexpr std::uint64_t kCommonLeast = 20, kCommonShare = 1000, kCommonFew = 3;
constexpr std::uint32_t kLeastGrams = 5;
constexpr std::uint32_t kFewTokens = 7;  // a text of so few is edited too easily

// The grams of a list of tokens, each with all of its bits.
void grams_of(std::span<const std::uint64_t> tokens, std::uint32_t size, std::vector<std::uint64_t>& grams) {
  grams.clear();
  if (tokens.size() >= size) window_hashes(tokens, size, 0, tokens.size() - size, 1, grams);
}

// So many of `all` that the share is reached.
std::uint32_t share_of(std::uint32_t all, const Ratio& share) {
  return static_cast<std::uint32_t>((all * share.numerator + share.denominator - 1) / share.denominator);
}

// Whether a gram is common that so many of the items have.
bool is_common(std::uint64_t having, std::uint64_t items) {
  return having > std::max(kCommonLeast, items / kCommonShare) || (having >= kCommonFew && 2 * having > items);
}

// Compares all places; for short lists.
std::uint32_t longest_common_run(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::uint32_t longest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::uint32_t run = 0;
      while (i + run < a.size() && j + run < b.size() && a[i + run] == b[j + run]) ++run;
      longest = std::max(longest, run);
    }
  }
  return longest;
}

bool by_gram_alone(const GramPlace& a, const GramPlace& b) { return a.gram < b.gram; }

bool by_gram(const GramPlace& a, const GramPlace& b) {
  if (a.gram != b.gram) return a.gram < b.gram;
  return a.text != b.text ? a.text < b.text : a.at < b.at;
}

}  // namespace

void SoughtTexts::add(std::span<const std::uint64_t> tokens, std::uint32_t group, std::uint32_t item) {
  texts_.push_back({.first = tokens_.size(), .tokens = static_cast<std::uint32_t>(tokens.size()), .group = group, .item = item});
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
}

// Ascending by gram and text, each once for a text, where it occurs first.
std::vector<GramPlace> SoughtTexts::all_grams() const {
  std::vector<GramPlace> all;
  all.reserve(tokens_.size());
  std::vector<std::uint64_t> grams;
  for (std::uint32_t text = 0; text < texts_.size(); ++text) {
    if (texts_[text].tokens < plan_.least) continue;
    grams_of(tokens(text), plan_.size, grams);
    for (std::uint32_t at = 0; at < grams.size(); ++at) all.push_back({grams[at], text, at});
  }
  sort_by_gram(all);
  const auto same = [](const GramPlace& a, const GramPlace& b) { return a.gram == b.gram && a.text == b.text; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

SoughtTexts::Items SoughtTexts::different_items() const {
  Items items;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;  // by a hash of group and texts
  for (std::size_t text = 0, end = 0; text < texts_.size(); text = end) {
    const std::uint32_t group = texts_[text].group;
    std::uint64_t hash = mix64(group);
    bool counts = false;
    for (; end < texts_.size() && texts_[end].group == group && texts_[end].item == texts_[text].item; ++end) {
      hash = mix64(hash + checksum64(tokens(end).data(), tokens(end).size_bytes()));
      counts = counts || has_grams(texts_[end]);
    }
    const auto [number, is_new] = numbers.try_emplace(hash, items.count);
    items.count += is_new;
    items.of_group.resize(group + std::size_t{1});
    items.of_group[group] += is_new && counts;
    items.of_text.resize(end, number->second);
  }
  return items;
}

// Of each place: by how many different items its gram is common; 0 where it is not.
std::vector<std::uint32_t> SoughtTexts::common_places(std::span<const GramPlace> places) {
  const Items items = different_items();
  common_.assign(items.of_group.size(), 0);
  std::vector<std::uint32_t> having(places.size());
  std::vector<std::size_t> last(items.count);  // of each item: behind the first place of the last gram that it has
  for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
    const std::uint32_t group = texts_[places[begin].text].group;
    std::uint32_t count = 0;
    for (; end < places.size() && places[end].gram == places[begin].gram && texts_[places[end].text].group == group; ++end) {
      count += std::exchange(last[items.of_text[places[end].text]], begin + 1) != begin + 1;
    }
    if (!is_common(count, items.of_group[group])) continue;
    ++common_[group];
    for (std::size_t i = begin; i < end; ++i) having[i] = count;
  }
  return having;
}

// The table keeps the grams that are not common, and the rarest of a text that has no other.
void SoughtTexts::leave_out_common(std::vector<GramPlace>& places) {
  const std::vector<std::uint32_t> having = common_places(places);
  std::vector<std::vector<std::uint64_t>> common(common_.size());
  std::vector<std::size_t> rarest(texts_.size(), places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    SoughtText& text = texts_[places[i].text];
    ++text.grams;
    text.own += having[i] == 0;
    if (having[i] > 0 && (common[text.group].empty() || common[text.group].back() != places[i].gram))
      common[text.group].push_back(places[i].gram);
    std::size_t& rare = rarest[places[i].text];
    if (rare == places.size() || having[i] < having[rare]) rare = i;
  }
  std::size_t left = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (having[i] == 0 || (texts_[places[i].text].own == 0 && rarest[places[i].text] == i)) places[left++] = places[i];
  }
  places.resize(left);
  for (std::size_t text = 0; text < texts_.size(); ++text) set_needs(text, common[texts_[text].group]);
}

// `common`: the common grams of its group, ascending. `grams` and `own` are those that it has, and those that are not common.
void SoughtTexts::set_needs(std::size_t number, std::span<const std::uint64_t> common) {
  SoughtText& text = texts_[number];
  text.has_common = text.own < text.grams;
  text.common_count = text.has_common && text.own < kLeastGrams;
  const bool is_whole = text.common_count && text.own == 0;
  if (!text.common_count) text.grams = std::exchange(text.own, 0);
  text.needed = is_whole ? text.grams : std::max(std::min(text.grams, kLeastGrams), share_of(text.grams, plan_.share));
  text.met = text.common_count ? std::max(text.own, 1u) : text.needed;
  const std::uint32_t counted = text.has_common && !text.common_count ? tokens_in_grams_but(number, common) : text.tokens;
  text.least = is_whole ? text.tokens : share_of(counted, plan_.share);
}

// Tokens of a text that lie in grams which are not among `common`.
std::uint32_t SoughtTexts::tokens_in_grams_but(std::size_t text, std::span<const std::uint64_t> common) const {
  std::vector<std::uint64_t> grams;
  grams_of(tokens(text), plan_.size, grams);
  std::uint32_t count = 0, covered = 0;  // tokens up to here are counted
  for (std::uint32_t at = 0; at < grams.size(); ++at) {
    if (std::binary_search(common.begin(), common.end(), grams[at])) continue;
    count += at + plan_.size - std::max(at, covered);
    covered = at + plan_.size;
  }
  return count;
}

void SoughtTexts::add_short_texts() {
  const auto is_short = [&](const SoughtText& text) { return text.tokens >= std::max(plan_.least, 1u) && text.tokens < plan_.size; };
  beginning_ = plan_.size;
  for (const SoughtText& text : texts_) {
    if (is_short(text)) beginning_ = std::min(beginning_, text.tokens);
  }
  std::vector<GramPlace> places;
  std::vector<std::uint64_t> grams;
  for (std::uint32_t text = 0; text < texts_.size(); ++text) {
    if (!is_short(texts_[text])) continue;
    grams_of(tokens(text).first(beginning_), beginning_, grams);
    places.push_back({grams.front(), text, 0});
    texts_[text].grams = 1;
  }
  sort_by_gram(places);
  beginnings_ = GramTable(std::move(places));
  if (beginning_ == plan_.size) beginning_ = 0;
}

bool SoughtTexts::needs_rare(std::size_t text) const { return texts_[text].tokens <= kFewTokens || texts_[text].has_common; }

bool SoughtTexts::is_edited(std::size_t text) const {
  return EditedText::is_one(texts_[text].tokens) && texts_[text].tokens >= plan_.least;
}

// For the tokens of those texts of a group that need rare ones: counts how many of the group's texts have each.
void SoughtTexts::count_texts_with(std::size_t begin, std::size_t end, TextsWith& texts_with) const {
  texts_with.clear();
  for (std::size_t text = begin; text < end; ++text) {
    if (!is_edited(text) || !needs_rare(text)) continue;
    for (const std::uint64_t token : tokens(text)) texts_with.try_emplace(token);
  }
  for (std::size_t text = begin; text < end && !texts_with.empty(); ++text) {
    for (const std::uint64_t token : tokens(text)) {
      const auto counted = texts_with.find(token);
      if (counted == texts_with.end() || counted->second.last == text + 1) continue;
      counted->second = {counted->second.texts + 1, text + 1};
    }
  }
}

// By group: what is rare is counted in it.
void SoughtTexts::add_edited_texts() {
  constexpr std::size_t kRareLeast = 2, kRareShare = 50;
  std::vector<EditedText> edited;
  TextsWith texts_with;
  for (std::size_t begin = 0, end = 0; begin < texts_.size(); begin = end) {
    while (end < texts_.size() && texts_[end].group == texts_[begin].group) ++end;
    count_texts_with(begin, end, texts_with);
    const std::size_t most = std::max(kRareLeast, (end - begin) / kRareShare);
    for (std::size_t text = begin; text < end; ++text) {
      if (!is_edited(text)) continue;
      EditedText one{.text = static_cast<std::uint32_t>(text), .tokens = tokens(text), .needs_rare = needs_rare(text)};
      for (std::size_t i = 0; i < one.tokens.size() && one.needs_rare; ++i)
        one.rare |= std::uint32_t{texts_with[one.tokens[i]].texts <= most} << i;
      edited.push_back(one);
    }
  }
  edited_ = EditedTexts(std::move(edited));
}

void SoughtTexts::finish() {
  std::vector<GramPlace> places = all_grams();
  leave_out_common(places);
  grams_ = GramTable(std::move(places));
  add_short_texts();
  if (plan_.edited) add_edited_texts();
}

static std::uint32_t most_tokens(const SoughtTexts& texts) {
  std::uint32_t most = 0;
  for (std::size_t text = 0; text < texts.size(); ++text) most = std::max(most, texts[text].tokens);
  return most;
}

SoughtSearch::SoughtSearch(const SoughtTexts& texts)
    : texts_(texts), met_(texts.size()), seen_(most_tokens(texts)), around_(seen_.size()), edited_(texts.edited()) {}

const std::vector<FoundText>& SoughtSearch::find(std::span<const std::uint64_t> tokens) {
  found_.clear();
  if (meet(tokens)) {
    gather_hits();
    for (std::size_t i = 0; i < hits_.size();) {
      std::size_t end = i;
      while (end < hits_.size() && hits_[end].text == hits_[i].text) ++end;
      const std::span<const Hit> hits = std::span(hits_).subspan(i, end - i);
      find_copies(texts_[hits.front().text].common_count ? with_common(hits) : hits, tokens);
      i = end;
    }
  }
  for (const std::uint32_t text : touched_) met_[text] = 0;
  touched_.clear();
  find_short(tokens);
  find_edited(tokens);
  std::sort(found_.begin(), found_.end(),
            [](const FoundText& a, const FoundText& b) { return a.text != b.text ? a.text < b.text : a.begin < b.begin; });
  return found_;
}

// Whether there is a text that may be found: as many of its grams as it needs are somewhere in the record.
bool SoughtSearch::meet(std::span<const std::uint64_t> tokens) {
  grams_of(tokens, texts_.plan().size, grams_);
  meetings_.clear();
  bool enough = false;
  texts_.grams().find(grams_, [&](std::size_t position, std::span<const GramPlace> places) {
    meetings_.push_back({static_cast<std::uint32_t>(position), places});
    for (const GramPlace& place : places) {
      if (met_[place.text]++ == 0) touched_.push_back(place.text);
      enough = enough || met_[place.text] >= texts_[place.text].met;
    }
  });
  return enough;
}

void SoughtSearch::gather_hits() {
  hits_.clear();
  for (const Meeting& meeting : meetings_) {
    for (const GramPlace& place : meeting.places) {
      if (met_[place.text] >= texts_[place.text].met) hits_.push_back({place.text, meeting.position, place.at, false});
    }
  }
  std::stable_sort(hits_.begin(), hits_.end(), [](const Hit& a, const Hit& b) { return a.text < b.text; });
}

void SoughtSearch::find_copies(std::span<const Hit> hits, std::span<const std::uint64_t> tokens) {
  if (hits.empty()) return;
  for (const std::size_t copy : copies_in(hits, texts_[hits.front().text])) {
    find_in(hits.first(copy), tokens);
    hits = hits.subspan(copy);
  }
}

// The hits of a text whose common grams count, wherever a range may hold all that it must.
std::span<const SoughtSearch::Hit> SoughtSearch::with_common(std::span<const Hit> hits) {
  const std::uint32_t number = hits.front().text, reach = reach_of(texts_[number]);
  std::vector<std::uint32_t> own;
  for (const Hit& hit : hits) {
    if (std::find(own.begin(), own.end(), hit.at) == own.end()) own.push_back(hit.at);
  }
  if (own.size() < texts_[number].own) return {};
  if (texts_[number].own == 0) own.clear();
  const std::vector<GramPlace> grams = sorted_grams(number);
  more_hits_.clear();
  std::size_t next = 0;
  for (const Hit& hit : hits) {
    next = std::max<std::size_t>(next, hit.position - std::min(hit.position, reach));
    for (; next < std::min<std::size_t>(grams_.size(), std::size_t{hit.position} + reach + 1); ++next) {
      const auto place = std::lower_bound(grams.begin(), grams.end(), GramPlace{grams_[next], 0, 0}, by_gram_alone);
      if (place == grams.end() || place->gram != grams_[next]) continue;
      const bool is_own = std::find(own.begin(), own.end(), place->at) != own.end();
      more_hits_.push_back({number, static_cast<std::uint32_t>(next), place->at, is_own});
    }
  }
  return more_hits_;
}

void SoughtSearch::find_in(std::span<const Hit> hits, std::span<const std::uint64_t> tokens) {
  while (!hits.empty()) {
    const std::optional<Range> best = best_range(hits, texts_[hits.front().text]);
    if (!best) return;
    add_found(hits, *best, tokens);
    const std::uint32_t size = texts_.plan().size, begin = hits[best->first].position, end = hits[best->last].position;
    std::size_t left = best->first, right = best->last + 1;
    while (left > 0 && hits[left - 1].position + size > begin) --left;
    while (right < hits.size() && hits[right].position < end + size) ++right;
    find_in(hits.first(left), tokens);
    hits = hits.subspan(right);
  }
}

// How many hits each part of the record has.
const std::vector<std::size_t>& SoughtSearch::copies_in(std::span<const Hit> hits, const SoughtText& text) {
  copies_.assign(1, hits.size());
  const std::uint32_t reach = reach_of(text), size = texts_.plan().size;
  const auto may_begin = [&](std::size_t i) { return hits[i].at < hits[i - 1].at && hits[i].position - hits[i - 1].position >= size; };
  std::size_t next = 1;
  while (next < hits.size() && !may_begin(next)) ++next;
  if (next >= hits.size()) return copies_;
  const auto add = [&](SharedGrams::Side side, const Hit& hit) { around_.add(side, hit.at, hit.own); };
  const auto remove = [&](SharedGrams::Side side, const Hit& hit) { around_.remove(side, hit.at, hit.own); };
  std::size_t first = 0, last = 0, begun = 0;
  const auto is_range = [&](SharedGrams::Side side, std::size_t from, std::size_t to) {
    return around_.different(side) >= text.needed && around_.own(side) >= text.own &&
           hits[to].position - hits[from].position + size >= text.least;
  };
  for (std::size_t i = 1; i < hits.size(); ++i) {
    if (last < i) add(SharedGrams::right, hits[last++]);
    remove(SharedGrams::right, hits[i - 1]);
    add(SharedGrams::left, hits[i - 1]);
    for (; hits[i - 1].position - hits[first].position > reach; ++first) remove(SharedGrams::left, hits[first]);
    for (; last < hits.size() && hits[last].position - hits[i].position <= reach; ++last) add(SharedGrams::right, hits[last]);
    if (!may_begin(i) || !is_range(SharedGrams::left, first, i - 1) || !is_range(SharedGrams::right, i, last - 1)) continue;
    if (3 * around_.shared() < std::min(around_.different(SharedGrams::left), around_.different(SharedGrams::right))) continue;
    copies_.back() = i - begun;
    copies_.push_back(hits.size() - i);
    begun = i;
  }
  for (std::size_t i = first; i + 1 < hits.size(); ++i) remove(SharedGrams::left, hits[i]);
  for (std::size_t i = hits.size() - 1; i < last; ++i) remove(SharedGrams::right, hits[i]);
  return copies_;
}

// Steps 1 and 2.
std::optional<SoughtSearch::Range> SoughtSearch::best_range(std::span<const Hit> hits, const SoughtText& text) {
  const std::uint32_t reach = reach_of(text), size = texts_.plan().size;  // from the first gram of a range to its last
  std::optional<std::size_t> start;
  std::uint32_t most = 0;
  std::size_t end = 0, i = 0;
  for (; i < hits.size(); ++i) {
    if (start && hits[i].position - hits[*start].position > reach) break;
    for (; end < hits.size() && hits[end].position - hits[i].position <= reach; ++end) count(hits[end]);
    if (hits[end - 1].position - hits[i].position + size >= text.least) {
      if (!start && holds_enough(text)) start = i;
      if (holds_enough(text)) most = std::max(most, covered_);
    }
    uncount(hits[i]);
  }
  for (; i < end; ++i) uncount(hits[i]);
  if (!start) return std::nullopt;
  Range best = shortest_range(hits, *start, text, most);
  grow(best, hits, reach);
  return best;
}

SoughtSearch::Range SoughtSearch::shortest_range(std::span<const Hit> hits, std::size_t start, const SoughtText& text,
                                                 std::uint32_t covered) {
  const std::uint32_t reach = reach_of(text), size = texts_.plan().size;
  std::optional<Range> best;
  std::size_t end = start, i = start;
  const auto length = [&](std::size_t first, std::size_t last) { return hits[last].position - hits[first].position; };
  for (; i < hits.size() && length(start, i) <= reach; ++i) {
    const auto is_enough = [&] { return covered_ == covered && own_ >= text.own && length(i, end - 1) + size >= text.least; };
    for (; (end == i || !is_enough()) && end < hits.size() && length(i, end) <= reach; ++end) count(hits[end]);
    if (is_enough() && (!best || length(i, end - 1) < length(best->first, best->last))) best = Range{i, end - 1, covered};
    uncount(hits[i]);
  }
  for (; i < end; ++i) uncount(hits[i]);
  return *best;
}

void SoughtSearch::grow(Range& range, std::span<const Hit> hits, std::uint32_t reach) {
  const auto has_room = [&] { return hits[range.last].position - hits[range.first].position < reach; };
  while (has_room() && range.last + 1 < hits.size() && hits[range.last + 1].position == hits[range.last].position + 1) ++range.last;
  while (has_room() && range.first > 0 && hits[range.first - 1].position + 1 == hits[range.first].position) --range.first;
}

void SoughtSearch::add_found(std::span<const Hit> hits, const Range& range, std::span<const std::uint64_t> tokens) {
  const std::uint32_t size = texts_.plan().size, text = hits.front().text;
  FoundText found{.text = text, .covered = range.covered, .grams = texts_[text].grams, .in_begin = UINT32_MAX};
  found.begin = hits[range.first].position;
  found.end = hits[range.last].position + size;
  for (std::size_t i = range.first; i <= range.last; ++i) {
    found.in_begin = std::min(found.in_begin, hits[i].at);
    found.in_end = std::max(found.in_end, hits[i].at + size);
  }
  found.run = longest_run(text, tokens.subspan(found.begin, found.end - found.begin));
  found_.push_back(found);
}

// All grams of a text, with all of their places.
std::vector<GramPlace> SoughtSearch::sorted_grams(std::uint32_t text) const {
  std::vector<std::uint64_t> grams;
  grams_of(texts_.tokens(text), texts_.plan().size, grams);
  std::vector<GramPlace> sorted;
  for (std::uint32_t at = 0; at < grams.size(); ++at) sorted.push_back({grams[at], text, at});
  std::sort(sorted.begin(), sorted.end(), by_gram);
  return sorted;
}

// Runs of grams that follow one another in both, gram by gram. Grams that do not count are part of a run.
std::uint32_t SoughtSearch::longest_run(std::uint32_t text, std::span<const std::uint64_t> stretch) {
  const std::uint32_t size = texts_.plan().size;
  const std::vector<GramPlace> own = sorted_grams(text);
  std::vector<std::uint64_t> grams;
  std::vector<std::uint32_t> run(own.size() + 1), row(own.size() + 1);  // that ends with gram i - 1 of the text, at row - 1 of the stretch
  grams_of(stretch, size, grams);
  std::uint32_t longest = 0;
  for (std::uint32_t i = 0; i < grams.size(); ++i) {
    const auto [begin, end] = std::equal_range(own.begin(), own.end(), GramPlace{grams[i], 0, 0}, by_gram_alone);
    for (auto place = end; place != begin;) {
      --place;
      run[place->at + 1] = (row[place->at] == i ? run[place->at] : 0) + 1;
      row[place->at + 1] = i + 1;
      longest = std::max(longest, run[place->at + 1]);
    }
  }
  return longest + size - 1;
}

void SoughtSearch::find_short(std::span<const std::uint64_t> tokens) {
  const std::uint32_t beginning = texts_.beginning();
  if (beginning == 0) return;
  grams_of(tokens, beginning, beginnings_);
  const std::size_t long_ones = found_.size();
  texts_.beginnings().find(beginnings_, [&](std::size_t position, std::span<const GramPlace> places) {
    for (const GramPlace& place : places) {
      const std::span<const std::uint64_t> text = texts_.tokens(place.text), rest = tokens.subspan(position);
      if (rest.size() < text.size() || !std::equal(text.begin(), text.end(), rest.begin())) continue;
      const auto begin = static_cast<std::uint32_t>(position), size = static_cast<std::uint32_t>(text.size());
      found_.push_back({place.text, 1, 1, size, begin, begin + size, 0, size});
    }
  });
  // If places of one text overlap, the first is kept.
  std::stable_sort(found_.begin() + static_cast<std::ptrdiff_t>(long_ones), found_.end(),
                   [](const FoundText& a, const FoundText& b) { return a.text < b.text; });
  std::size_t kept = long_ones;
  for (std::size_t i = long_ones; i < found_.size(); ++i) {
    const bool overlaps = kept > long_ones && found_[kept - 1].text == found_[i].text && found_[i].begin < found_[kept - 1].end;
    if (!overlaps) found_[kept++] = found_[i];
  }
  found_.resize(kept);
}

void SoughtSearch::find_edited(std::span<const std::uint64_t> tokens) {
  if (texts_.edited().empty()) return;
  const std::vector<EditedPlace>& places = edited_.find({tokens, grams_, texts_.plan().size});
  if (places.empty()) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> taken;  // text and begin: end; those of one text do not overlap
  for (const FoundText& found : found_) taken.emplace(std::pair(found.text, found.begin), found.end);
  for (const EditedPlace& place : places) {
    const auto next = taken.lower_bound(std::pair(place.text, place.end));
    const auto before = next == taken.begin() ? taken.end() : std::prev(next);
    if (before != taken.end() && before->first.first == place.text && before->second > place.begin) continue;
    taken.emplace_hint(next, std::pair(place.text, place.begin), place.end);
    const std::span<const std::uint64_t> stretch = tokens.subspan(place.begin, place.end - place.begin);
    const std::span<const std::uint64_t> text = texts_.tokens(place.text);
    found_.push_back({place.text, place.equal, static_cast<std::uint32_t>(text.size()), longest_common_run(text, stretch), place.begin,
                      place.end, place.in_begin, place.in_end, true});
  }
}

}  // namespace nearkin
