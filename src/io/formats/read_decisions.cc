#include <nearkin/tools/decisions.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <nearkin/error.h>

#include "base/in_quotes.h"
#include "base/trimmed.h"
#include "io/formats/whole_file.h"

namespace nearkin {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// What append_tsv_field made of a text, as it was.
std::string unescaped(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const char next = field[i] == '\\' && i + 1 < field.size() ? field[i + 1] : '\0';
    const std::size_t plain = std::string_view("\\tnr").find(next);
    if (next == 'x' && i + 3 < field.size() && hex_digit(field[i + 2]) >= 0 && hex_digit(field[i + 3]) >= 0) {
      text += static_cast<char>(hex_digit(field[i + 2]) * 16 + hex_digit(field[i + 3]));
      i += 3;
    } else if (next != '\0' && plain != std::string_view::npos) {
      text += "\\\t\n\r"[plain];
      ++i;
    } else {
      text += field[i];
    }
  }
  return text;
}

std::vector<std::string_view> tab_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t end = 0; end != std::string_view::npos; line.remove_prefix(std::min(line.size(), end + 1))) {
    end = line.find('\t');
    fields.push_back(line.substr(0, end));
  }
  return fields;
}

class DecisionReader {
 public:
  DecisionReader(const std::string& path, bool between) : path_(path == "-" ? "standard input" : path), between_(between) {}

  std::vector<PairDecision> read(std::string_view text) {
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), text.find('\n') + 1))) {
      std::string_view line = text.substr(0, text.find('\n'));
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++line_;
      if (!trimmed(line).empty()) add(tab_fields(line));
      if (text.find('\n') == std::string_view::npos) break;
    }
    return std::move(decisions_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const { throw Error(ErrorCode::data, path_ + ":" + std::to_string(line_), message); }

  void add(const std::vector<std::string_view>& fields) {
    if (fields.size() != 3) {
      refuse("has " + std::to_string(fields.size()) + (fields.size() == 1 ? " field" : " fields") +
             "; a decision is two ids and accept or reject, separated by tabs");
    }
    if (fields[2] != "accept" && fields[2] != "reject") refuse(in_quotes(fields[2]) + " is neither accept nor reject");
    PairDecision decision{unescaped(fields[0]), unescaped(fields[1]), fields[2] == "accept"};
    if (decision.a.empty() || decision.b.empty())
      refuse(std::string("the ") + (decision.a.empty() ? "first" : "second") + " id is missing");
    if (!between_ && decision.a == decision.b) refuse("a pair of " + in_quotes(decision.a) + " with itself; a decision is about two items");
    note(decision);
    decisions_.push_back(std::move(decision));
  }

  void note(const PairDecision& decision) {
    std::pair<std::string, std::string> key{decision.a, decision.b};
    if (!between_ && key.second < key.first) std::swap(key.first, key.second);
    const auto [known, is_new] = first_.emplace(std::move(key), std::pair(decision.same, line_));
    if (is_new || known->second.first == decision.same) return;
    refuse((decision.same ? "accepts " : "rejects ") + in_quotes(decision.a) + " and " + in_quotes(decision.b) + ", which line " +
           std::to_string(known->second.second) + (decision.same ? " rejects" : " accepts") + "; remove one of the two lines");
  }

  const std::string path_;
  const bool between_;
  std::uint64_t line_ = 0;
  std::vector<PairDecision> decisions_;
  std::map<std::pair<std::string, std::string>, std::pair<bool, std::uint64_t>> first_;  // what a pair was decided first, and where
};

}  // namespace

std::vector<PairDecision> read_decisions(const std::string& path, bool between) {
  return DecisionReader(path, between).read(read_whole_file(path));
}

}  // namespace nearkin
