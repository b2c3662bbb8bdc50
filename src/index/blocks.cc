#include "index/blocks.h"

#include "index/meta.h"

namespace nearkin {

void Blocks::fail() const {
  fail_damaged(transaction_, what_ == Sealed::ids ? "a block of the table of ids is damaged" : "a block of the buckets is damaged");
}

Block Blocks::here() {
  std::uint16_t length = 0;
  std::string_view bytes = cursor_.value();
  if (bytes.size() < kSealBytes + sizeof length) fail();
  const std::uint32_t seal = seal_in(bytes);
  bytes.remove_prefix(kSealBytes);
  if (seal_of(what_, cursor_.key(), bytes) != seal) fail();
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes.remove_prefix(sizeof length);
  if (length > bytes.size()) fail();
  return {.lower = cursor_.key(), .upper = bytes.substr(0, length), .entries = bytes.substr(length)};
}

Block Blocks::at(std::string_view key) {
  const bool found = cursor_.move(MDB_SET_RANGE, key);
  if (!(found ? cursor_.key() == key || cursor_.move(MDB_PREV) : cursor_.move(MDB_LAST))) fail();
  const Block block = here();
  if (key < block.lower || (!block.upper.empty() && key >= block.upper)) fail();
  return block;
}

Block Blocks::first(std::string_view lower) {
  if (!cursor_.move(MDB_FIRST) || cursor_.key() != lower) fail();
  return here();
}

bool Blocks::next(Block& block) {
  if (block.upper.empty()) return false;
  if (!cursor_.move(MDB_NEXT) || cursor_.key() != block.upper) fail();
  block = here();
  return true;
}

void Blocks::put(std::string_view lower, std::string_view upper, std::string_view entries, unsigned flags) {
  value_.clear();
  append_block_value(value_, what_, lower, upper, entries);
  transaction_.check(cursor_.put(lower, value_, flags));
}

void append_block_value(std::string& out, Sealed what, std::string_view lower, std::string_view upper, std::string_view entries) {
  const std::size_t begin = out.size();
  const auto length = static_cast<std::uint16_t>(upper.size());
  out.append(kSealBytes, '\0');
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
  out.append(upper);
  out.append(entries);
  const std::uint32_t seal = seal_of(what, lower, std::string_view(out).substr(begin + kSealBytes));
  std::memcpy(out.data() + begin, &seal, kSealBytes);
}

}  // namespace nearkin
