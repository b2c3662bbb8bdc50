// Benchmark items in records, the plainest way: every range of n-grams of a record is counted by itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "reference/passages.h"

namespace nearkin::reference {

struct DecontaminatePlan {
  std::size_t size, least;               ///< tokens of an n-gram, and of an item
  std::uint64_t numerator, denominator;  ///< of the share
};

/// In tokens.
struct FoundItem {
  std::size_t item, begin, end, in_begin, in_end, covered, grams, run;
  auto operator<=>(const FoundItem&) const = default;
};

using Gram = std::vector<std::string>;

inline std::set<Gram> grams_of(const Tokens& tokens, std::size_t size) {
  std::set<Gram> grams;
  for (std::size_t at = 0; at + size <= tokens.size(); ++at) grams.insert(window(tokens, at, size));
  return grams;
}

/// Of one item: what a place must hold.
struct SoughtGrams {
  std::set<Gram> grams, own;  ///< those that count, and those of them that must all be there
  std::size_t length;         ///< tokens of a place, at least
  bool has_common;
};

/// The words of an item that lie in these n-grams.
inline std::size_t words_in(const Tokens& item, const std::set<Gram>& grams, std::size_t size) {
  std::set<std::size_t> words;
  for (std::size_t at = 0; at + size <= item.size(); ++at) {
    for (std::size_t i = at; i < at + size && grams.contains(window(item, at, size)); ++i) words.insert(i);
  }
  return words.size();
}

/// The n-grams of an item without common ones; with them where fewer than five are left.
inline SoughtGrams sought_grams(const Tokens& item, const std::set<Gram>& all, const std::set<Gram>& common,
                                const DecontaminatePlan& plan) {
  const auto share_of = [&](std::size_t words) { return (words * plan.numerator + plan.denominator - 1) / plan.denominator; };
  std::set<Gram> rest;
  for (const Gram& gram : all) {
    if (!common.contains(gram)) rest.insert(gram);
  }
  if (rest.size() == all.size()) return {all, {}, share_of(item.size()), false};
  if (rest.size() >= 5) return {rest, {}, share_of(words_in(item, rest, plan.size)), true};
  if (rest.empty()) return {all, all, item.size(), true};
  return {all, rest, share_of(item.size()), true};
}

/// Of each item of one suite. An n-gram is common if more than 20 different items have it, and more than one in a thousand; or at least
/// three of them, and more than half.
inline std::vector<SoughtGrams> counted_grams(const std::vector<Tokens>& items, const DecontaminatePlan& plan) {
  std::map<Gram, std::size_t> items_with;
  const auto own = [&](const Tokens& item) { return item.size() < plan.least ? std::set<Gram>() : grams_of(item, plan.size); };
  std::set<Gram> different;
  for (const Tokens& item : items) {
    const std::set<Gram> grams = own(item);
    if (grams.empty() || !different.insert(window(item, 0, item.size())).second) continue;
    for (const Gram& gram : grams) ++items_with[gram];
  }
  std::set<Gram> common;
  for (const auto& [gram, count] : items_with) {
    if (count > std::max<std::size_t>(20, different.size() / 1000) || (count >= 3 && 2 * count > different.size())) common.insert(gram);
  }
  std::vector<SoughtGrams> result;
  for (const Tokens& item : items) result.push_back(sought_grams(item, own(item), common, plan));
  return result;
}

/// The longest run of equal tokens of the item and of the tokens begin … end of the record.
inline std::size_t longest_run(const Tokens& record, std::size_t begin, std::size_t end, const Tokens& item) {
  std::size_t longest = 0;
  for (std::size_t at = begin; at < end; ++at) {
    for (std::size_t in = 0; in < item.size(); ++in) {
      std::size_t run = 0;
      while (at + run < end && in + run < item.size() && record[at + run].word == item[in + run].word) ++run;
      longest = std::max(longest, run);
    }
  }
  return longest;
}

/// One item in one record.
class ItemInRecord {
 public:
  ItemInRecord(const Tokens& record, const Tokens& item, const SoughtGrams& sought, const DecontaminatePlan& plan)
      : record_(record), item_(item), sought_(sought), grams_(sought.grams), plan_(plan) {}

  /// In the whole record, copy by copy.
  void find_copies(std::vector<FoundItem>& found) const {
    const std::size_t last = record_.size() - plan_.size + 1;
    std::size_t begin = 0;
    std::optional<std::size_t> before;
    for (std::size_t at = 0; at < last; ++at) {
      if (!counts(at)) continue;
      if (before && is_next_copy(*before, at, last)) {
        find(begin, *before + 1, found);
        begin = at;
      }
      before = at;
    }
    find(begin, last, found);
  }

  /// Within the n-grams that begin at first … last - 1.
  void find(std::size_t first, std::size_t last, std::vector<FoundItem>& found) const {
    std::optional<std::size_t> start;
    for (std::size_t a = first; a < last && !start; ++a) {
      if (counts(a) && reaches(covered(a, std::min(last - 1, a + reach()))) && is_long_from(a, last)) start = a;
    }
    if (!start) return;
    std::size_t most = 0, best_a = 0, best_b = 0;
    for (std::size_t a = *start; a < last && a <= *start + reach(); ++a) {
      for (std::size_t b = a; b < last && b <= a + reach() && counts(a); ++b) {
        const std::size_t holds = counts(b) && is_long(a, b) && reaches(covered(a, b)) ? covered(a, b).size() : 0;
        if (holds > most || (holds == most && holds > 0 && b - a < best_b - best_a)) {
          most = holds;
          best_a = a;
          best_b = b;
        }
      }
    }
    while (best_b + 1 < last && counts(best_b + 1) && best_b - best_a < reach()) ++best_b;
    while (best_a > first && counts(best_a - 1) && best_b - best_a < reach()) --best_a;
    find(first, best_a + 1 < plan_.size + first ? first : best_a + 1 - plan_.size, found);
    add(best_a, best_b, most, found);
    find(best_b + plan_.size, last, found);
  }

 private:
  /// Whether the n-grams that begin at a … b are long enough.
  bool is_long(std::size_t a, std::size_t b) const { return b - a + plan_.size >= sought_.length; }
  /// Whether a range from a on can be.
  bool is_long_from(std::size_t a, std::size_t last) const {
    std::size_t b = std::min(last - 1, a + reach());
    while (!counts(b)) --b;
    return is_long(a, b);
  }
  /// Where the item has the n-gram first that begins at `at` in the record.
  std::size_t place(std::size_t at) const {
    std::size_t in = 0;
    while (window(item_, in, plan_.size) != window(record_, at, plan_.size)) ++in;
    return in;
  }
  /// Whether a copy of the item ends with the n-gram at g, and another begins with the next one that counts, at h.
  bool is_next_copy(std::size_t g, std::size_t h, std::size_t last) const {
    if (h - g < plan_.size || place(h) >= place(g)) return false;
    std::size_t from = g - std::min(g, reach()), to = std::min(last - 1, h + reach());
    while (!counts(from)) ++from;
    while (!counts(to)) --to;
    const std::set<Gram> left = covered(from, g), right = covered(h, to);
    std::size_t shared = 0;
    for (const Gram& gram : left) shared += right.contains(gram);
    return reaches(left) && reaches(right) && is_long(from, g) && is_long(h, to) && 3 * shared >= std::min(left.size(), right.size());
  }
  std::size_t reach() const { return 2 * item_.size() - plan_.size; }
  bool counts(std::size_t at) const { return grams_.contains(window(record_, at, plan_.size)); }
  bool reaches(const std::set<Gram>& held) const {
    const std::size_t least = std::min<std::size_t>(grams_.size(), 5);
    return held.size() >= least && held.size() * plan_.denominator >= plan_.numerator * grams_.size() &&
           std::includes(held.begin(), held.end(), sought_.own.begin(), sought_.own.end());
  }
  std::set<Gram> covered(std::size_t a, std::size_t b) const {
    std::set<Gram> result;
    for (std::size_t at = a; at <= b; ++at) {
      if (counts(at)) result.insert(window(record_, at, plan_.size));
    }
    return result;
  }
  void add(std::size_t a, std::size_t b, std::size_t holds, std::vector<FoundItem>& found) const {
    std::size_t in_begin = item_.size(), in_end = 0;
    std::set<Gram> left = covered(a, b);
    for (std::size_t at = 0; at + plan_.size <= item_.size(); ++at) {
      if (left.erase(window(item_, at, plan_.size)) == 0) continue;
      in_begin = std::min(in_begin, at);
      in_end = std::max(in_end, at + plan_.size);
    }
    const std::size_t end = b + plan_.size;
    found.push_back({0, a, end, in_begin, in_end, holds, grams_.size(), longest_run(record_, a, end, item_)});
  }

  const Tokens& record_;
  const Tokens& item_;
  const SoughtGrams& sought_;
  const std::set<Gram>& grams_;
  const DecontaminatePlan& plan_;
};

/// An item shorter than an n-gram: from left to right, places that do not overlap.
inline void find_whole(const Tokens& record, const Tokens& item, std::vector<FoundItem>& found) {
  for (std::size_t at = 0; at + item.size() <= record.size();) {
    const bool here = window(record, at, item.size()) == window(item, 0, item.size());
    if (here) found.push_back({0, at, at + item.size(), 0, item.size(), 1, 1, item.size()});
    at += here ? item.size() : 1;
  }
}

/// A short item in a record in which it was edited: every way to read the item there, word by word.
class EditedItem {
 public:
  EditedItem(const Tokens& record, const Tokens& item, const std::vector<bool>& rare, bool needs_rare)
      : record_(record), item_(item), rare_(rare), needs_rare_(needs_rare) {}

  /// Where nothing of `found` is; the best of those that overlap.
  void find(std::vector<FoundItem>& found) {
    for (std::size_t skipped = 0; skipped <= edits_; ++skipped) {
      for (std::size_t at = 0; at < record_.size(); ++at) {
        if (item_.size() > skipped && item_[skipped].word == record_[at].word) {
          follow(skipped + 1, at + 1, skipped, {skipped}, at, at + 1);
        }
      }
    }
    std::sort(places_.begin(), places_.end());
    for (const auto& [edits, unequal, length, place] : places_) {
      const auto overlaps = [&place = place](const FoundItem& other) { return other.begin < place.end && place.begin < other.end; };
      if (std::any_of(found.begin(), found.end(), overlaps)) continue;
      found.push_back(place);
      found.back().run = longest_run(record_, place.begin, place.end, item_);
    }
  }

 private:
  // `equal`: the words of the item that the record has between begin and end.
  void follow(std::size_t in, std::size_t at, std::size_t edits, const std::vector<std::size_t>& equal, std::size_t begin,
              std::size_t end) {
    if (edits > edits_) return;
    if (in == item_.size()) return add(edits, equal, begin, end);
    if (at < record_.size() && record_[at].word == item_[in].word) {
      std::vector<std::size_t> more = equal;
      more.push_back(in);
      follow(in + 1, at + 1, edits, more, begin, at + 1);
    }
    for (std::size_t others = 0; others <= 3 && at + others <= record_.size(); ++others) {
      follow(in + 1, at + others, edits + 1, equal, begin, end);              // in place of a word
      if (others > 0) follow(in, at + others, edits + 1, equal, begin, end);  // between two words
    }
  }
  void add(std::size_t edits, const std::vector<std::size_t>& equal, std::size_t begin, std::size_t end) {
    const auto rare = std::count_if(equal.begin(), equal.end(), [&](std::size_t in) { return rare_[in]; });
    if (needs_rare_ && rare < 2) return;
    places_.push_back(
        {edits, item_.size() - equal.size(), end - begin, {0, begin, end, equal.front(), equal.back() + 1, equal.size(), item_.size(), 0}});
  }

  const Tokens& record_;
  const Tokens& item_;
  const std::vector<bool>& rare_;
  bool needs_rare_;
  std::size_t edits_ = item_.size() < 15 ? 1 : 2;
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t, FoundItem>> places_;
};

/// Which words of each item at most 2 items of the suite have, or at most one in fifty.
inline std::vector<std::vector<bool>> rare_words(const std::vector<Tokens>& items) {
  std::map<std::string, std::size_t> items_with;
  for (const Tokens& item : items) {
    std::set<std::string> own;
    for (const Token& token : item) own.insert(token.word);
    for (const std::string& word : own) ++items_with[word];
  }
  std::vector<std::vector<bool>> rare;
  for (const Tokens& item : items) {
    std::vector<bool>& of_item = rare.emplace_back();
    for (const Token& token : item) of_item.push_back(items_with[token.word] <= std::max<std::size_t>(2, items.size() / 50));
  }
  return rare;
}

/// All items of one suite in one record, ascending by item and place.
inline std::vector<FoundItem> items_in(const Tokens& record, const std::vector<Tokens>& items, const std::vector<SoughtGrams>& counted,
                                       const DecontaminatePlan& plan) {
  std::vector<FoundItem> all;
  const std::vector<std::vector<bool>> rare = rare_words(items);
  for (std::size_t item = 0; item < items.size(); ++item) {
    if (items[item].size() < plan.least || items[item].empty()) continue;
    std::vector<FoundItem> found;
    if (items[item].size() < plan.size) {
      find_whole(record, items[item], found);
    } else if (record.size() >= plan.size) {
      ItemInRecord(record, items[item], counted[item], plan).find_copies(found);
    }
    const bool is_short = items[item].size() >= 5 && items[item].size() <= 19;
    if (is_short && 10 * plan.numerator <= 9 * plan.denominator) {
      EditedItem(record, items[item], rare[item], items[item].size() <= 7 || counted[item].has_common).find(found);
    }
    std::sort(found.begin(), found.end(), [](const FoundItem& a, const FoundItem& b) { return a.begin < b.begin; });
    for (FoundItem& one : found) {
      one.item = item;
      all.push_back(one);
    }
  }
  return all;
}

}  // namespace nearkin::reference
