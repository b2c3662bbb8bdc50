// JSON → items and questions, checked against the plan of the index.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nearkin/index.h>

#include "budget.h"

namespace nearkin::server {

/// What an index compares: a text (sets: elements separated by blanks), or one vector.
using Content = std::variant<std::string, Vectors>;

struct PutItem {
  std::string id;
  Content content;
  std::string metadata;  ///< a JSON object as it was written; empty: none
};

/// What it takes in memory, about.
std::size_t bytes_of(const PutItem& item);

struct Question {
  Content content;
  std::string like;  ///< the id of an item, in place of the content; empty: none
  Ask ask;
  bool explain = false;
};

/// One side of a comparison: the id of an item, or a text.
struct Side {
  bool is_id = false;
  std::string value;
};
struct SideBySide {
  Side a, b;
};

/// All throw Problem: 400 for what is not JSON, 413 and 503 where the charge does not cover it, 422 for what is JSON and not what it should
/// be. What they take of the charge for the JSON is given back when they return.

/// An item by itself, the id being known; `id` absent: a line of a bulk body, which must name it.
PutItem decode_item(std::string_view json, const Plan& plan, Charge& charge, const std::optional<std::string>& id = {});
Question decode_question(std::string_view json, const Plan& plan, Charge& charge);
SideBySide decode_sides(std::string_view json, Charge& charge);
/// {"ids":[…]}, 1 to 10,000 of them.
std::vector<std::string> decode_ids(std::string_view json, Charge& charge);
/// {"name":…}: 1 to 64 letters, digits, dots, underscores and hyphens, a letter or digit first.
std::string decode_backup_name(std::string_view json, Charge& charge);

/// Throws Problem(422) for an id that no index holds.
void check_id(std::string_view id);
/// Throws Problem(404) for an id that this index does not have.
[[noreturn]] void refuse_absent(std::string_view id);

}  // namespace nearkin::server
