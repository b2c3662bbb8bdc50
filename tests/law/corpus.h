// Small random collections with planted near-duplicates, and how they become files. Everything follows from the seed, on every machine.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "support/random.h"

namespace nearkin::test {

using Words = std::vector<std::string>;

inline Words random_words(Random& random, const Words& vocabulary, std::size_t count) {
  Words words;
  for (std::size_t i = 0; i < count; ++i) words.push_back(random.pick(vocabulary));
  return words;
}

/// One word replaced, put in, or taken out.
inline void edit(Random& random, const Words& vocabulary, Words& words) {
  const auto at = words.begin() + static_cast<std::ptrdiff_t>(random.below(words.size() + 1));
  const std::size_t kind = random.below(3);
  if (kind == 0 || words.empty()) {
    words.insert(at, random.pick(vocabulary));
  } else if (at != words.end()) {
    kind == 1 ? static_cast<void>(*at = random.pick(vocabulary)) : static_cast<void>(words.erase(at));
  }
}

/// Words as a text, with capitals, marks and white space that the normalisation takes away again.
inline std::string as_text(Random& random, const Words& words) {
  static const Words gaps{" ", " ", " ", "  ", ", ", ". ", "\n", "\t", "-"};
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += random.pick(gaps);
    const std::size_t begin = text.size();
    text += word;
    if (random.chance(10) && text[begin] >= 'a' && text[begin] <= 'z') text[begin] = static_cast<char>(text[begin] - 'a' + 'A');
  }
  return text;
}

struct CorpusKind {
  bool unicode = false;
  std::size_t longest = 40;  ///< words
};

/// 5 to 60 texts: new ones, edited and exact copies of earlier ones, EMPTY ones and very short ones.
inline std::vector<std::string> random_texts(Random& random, const CorpusKind& kind = {}) {
  static const Words plain{"a",   "be",  "cat",   "dog", "eel",  "fox",  "g7",     "hen",  "ibis", "jay", "koi",   "lark", "mole", "newt",
                           "owl", "pig", "quail", "rat", "seal", "toad", "urchin", "vole", "wolf", "yak", "zebra", "42",   "1001", "ant"};
  static const Words wide{"naïve", "ÉTÉ", "straße", "ﬁn", "東京", "日本", "Ωmega", "йод", "ไทย", "e\xcc\x81t\xc3\xa9", "한국", "½"};
  static const Words nothing{"", " ", "...", " \n\t ", "?!"};
  Words vocabulary(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(random.between(4, plain.size())));
  if (kind.unicode) vocabulary.insert(vocabulary.end(), wide.begin(), wide.end());
  std::vector<Words> made;
  std::vector<std::string> texts;
  const std::size_t count = random.between(5, 60);
  while (texts.size() < count) {
    const std::size_t dice = random.below(100);
    if (dice < 6) {
      texts.push_back(random.pick(nothing));
      continue;
    }
    if (dice < 16 && !texts.empty()) {
      texts.push_back(std::string(random.pick(texts)));
      continue;
    }
    const std::size_t longest = dice < 66 ? 4 : kind.longest;
    Words words = dice < 60 && !made.empty() ? random.pick(made) : random_words(random, vocabulary, random.between(1, longest));
    for (std::size_t edits = dice < 60 ? random.below(4) : 0; edits > 0; --edits) edit(random, vocabulary, words);
    made.push_back(words);
    texts.push_back(as_text(random, words));
  }
  return texts;
}

inline std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    }
  }
  return out + "\"";
}

/// One line: {"id":"7","text":"…"}
inline std::string json_record(std::string_view id, std::string_view text) {
  return "{\"id\":" + json_string(id) + ",\"text\":" + json_string(text) + "}\n";
}

/// The ids are the rows.
inline std::string as_jsonl(const std::vector<std::string>& texts) {
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i) out += json_record(std::to_string(i), texts[i]);
  return out;
}

inline Items as_items(const std::vector<std::string>& texts) {
  Items items;
  for (std::size_t i = 0; i < texts.size(); ++i) items.add(std::to_string(i), texts[i]);
  return items;
}

inline Input input_from(const std::string& path) {
  Input input;
  input.paths = {path};
  return input;
}

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace nearkin::test
