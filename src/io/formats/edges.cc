#include "io/formats/edges.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include <nearkin/error.h>

#include "base/hash.h"
#include "base/in_quotes.h"
#include "base/radix_sort.h"

namespace nearkin {
namespace {

// What ends an element of a set ends the name of a node.
constexpr std::string_view kEdgeBlanks = " \t\v\f\r";

std::string_view next_field(std::string_view& rest) {
  const std::size_t begin = std::min(rest.find_first_not_of(kEdgeBlanks), rest.size());
  const std::size_t end = std::min(rest.find_first_of(kEdgeBlanks, begin), rest.size());
  const std::string_view field = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return field;
}

std::size_t count_fields(std::string_view line) {
  std::size_t count = 0;
  while (!next_field(line).empty()) ++count;
  return count;
}

void sort_distinct(std::vector<std::uint64_t>& edges) {
  std::vector<std::uint64_t> scratch;
  radix_sort(edges, scratch);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
}

std::uint64_t turned(std::uint64_t edge) { return edge << 32 | edge >> 32; }

}  // namespace

EdgeLine edge_of(std::string_view line) {
  std::string_view rest = line;
  const std::string_view from = next_field(rest);
  if (from.empty() || from.starts_with('#')) return {};
  if (const auto bad = first_invalid_utf8(line)) return {{}, {}, "invalid UTF-8 at byte " + std::to_string(*bad + 1) + " of the record"};
  const std::string_view to = next_field(rest), third = next_field(rest);
  if (to.empty() || !next_field(rest).empty()) {
    const std::size_t fields = count_fields(line);
    const std::string counted = std::to_string(fields) + (fields == 1 ? " field" : " fields");
    return {{}, {}, counted + "; an edge is two nodes with a blank or a tab between them"};
  }
  if (!third.empty() && std::isnan(nearkin::number_of(third))) {
    return {{}, {}, "the third field, " + in_quotes(third) + ", is not a number; an edge is two nodes and perhaps a weight"};
  }
  return {from, to};
}

void check_edges(const Chunk& chunk, RecordSink& sink) {
  for_each_line(chunk, [&](std::string_view, std::string_view line, const Location& location) {
    const EdgeLine edge = edge_of(line);
    if (!edge.problem.empty()) sink.fault(location, edge.problem);
  });
}

void Graph::grow_table() {
  std::vector<Entry> old(std::max<std::size_t>(1024, 2 * table_.size()));
  old.swap(table_);
  for (const Entry& entry : old) {
    if (entry.node == 0) continue;
    std::size_t place = mix64(entry.key) & (table_.size() - 1);
    while (table_[place].node != 0) place = (place + 1) & (table_.size() - 1);
    table_[place] = entry;
  }
}

Graph::Entry Graph::entry_of(std::string_view node) {
  Entry entry;
  entry.length = static_cast<std::uint32_t>(node.size());
  if (node.size() <= sizeof entry.key) {
    std::memcpy(&entry.key, node.data(), node.size());
  } else {
    entry.key = std::hash<std::string_view>()(node);
  }
  return entry;
}

std::uint64_t Graph::number_of_node(Named& node, const std::string& name) {
  if (2 * (nodes_.size() + 1) > table_.size()) grow_table();
  std::size_t place = mix64(node.entry.key) & (table_.size() - 1);
  for (; table_[place].node != 0; place = (place + 1) & (table_.size() - 1)) {
    const Entry& there = table_[place];
    if (there.key != node.entry.key || there.length != node.entry.length) continue;
    if (there.length <= sizeof there.key || nodes_[there.node - 1] == node.name) return there.node - 1;
  }
  if (nodes_.size() >= std::numeric_limits<std::uint32_t>::max() - 1) throw Error(ErrorCode::data, name, "more than 4,294,967,294 nodes");
  nodes_.add(node.name);
  node.entry.node = static_cast<std::uint32_t>(nodes_.size());
  table_[place] = node.entry;
  return nodes_.size() - 1;
}

void Graph::add_waiting(const std::string& name) {
  for (std::size_t i = 0; i + 1 < waiting_.size(); i += 2) {
    const std::uint64_t from = number_of_node(waiting_[i], name), to = number_of_node(waiting_[i + 1], name);
    if (from != to) edges_.push_back(from << 32 | to);
  }
  waiting_.clear();
}

void Graph::add(std::string_view chunk, const std::string& name) {
  // The table of a large graph is in no cache: its entries are on their way while the next lines are parsed.
  constexpr std::size_t kWaiting = 64;
  Chunk lines;
  lines.bytes = chunk;
  for_each_line(lines, [&](std::string_view, std::string_view line, const Location&) {
    const EdgeLine edge = edge_of(line);
    if (edge.from.empty()) return;
    for (const std::string_view node : {edge.from, edge.to}) {
      waiting_.push_back({node, entry_of(node)});
      if (!table_.empty()) __builtin_prefetch(&table_[mix64(waiting_.back().entry.key) & (table_.size() - 1)]);
    }
    if (waiting_.size() >= kWaiting) add_waiting(name);
  });
  add_waiting(name);
}

void Graph::finish() {
  finished_ = true;
  table_ = {};
  const std::size_t given = edges_.size();
  switch (directed_) {
    case Directed::no:
      edges_.reserve(2 * given);
      for (std::size_t i = 0; i < given; ++i) edges_.push_back(turned(edges_[i]));
      break;
    case Directed::in:
      for (std::uint64_t& edge : edges_) edge = turned(edge);
      break;
    case Directed::both:
      backward_.reserve(given);
      for (const std::uint64_t edge : edges_) backward_.push_back(turned(edge));
      sort_distinct(backward_);
      break;
    case Directed::out: break;
  }
  sort_distinct(edges_);
}

void Graph::append_line(std::uint32_t node, std::string& out) {
  const bool both = directed_ == Directed::both;
  const auto append = [&](const std::vector<std::uint64_t>& edges, std::size_t& at, char mark) {
    for (; at < edges.size() && edges[at] >> 32 == node; ++at) {
      out += ' ';
      if (both) out += mark;
      out += nodes_[static_cast<std::uint32_t>(edges[at])];
    }
  };
  out += nodes_[node];
  append(edges_, forward_at_, '>');
  append(backward_, backward_at_, '<');
  out += '\n';
}

bool Graph::next_lines(std::size_t size, std::string& out) {
  if (!finished_) finish();
  if (told_ == nodes_.size()) return false;
  const std::size_t before = out.size();
  while (told_ < nodes_.size() && out.size() - before < size) append_line(told_++, out);
  return true;
}

void parse_neighbours(const Chunk& chunk, RecordSink& sink) {
  for_each_line(chunk, [&](std::string_view, std::string_view line, const Location& location) {
    const std::size_t end = std::min(line.find(' '), line.size());
    sink.item(line.substr(0, end), line.substr(std::min(end + 1, line.size())), location);
  });
}

}  // namespace nearkin
