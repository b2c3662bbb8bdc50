// Edges: the lines of a graph, and the graph that all of them make.
#pragma once

#include "io/formats/records.h"

namespace nearkin {

/// What a line of an edges file says: nothing, when both names are empty (a blank line, a comment) or there is a problem.
struct EdgeLine {
  std::string_view from, to;
  std::string problem = {};
};
EdgeLine edge_of(std::string_view line);

/// Yields the faults of a chunk of edges; there are no items before the graph is whole.
void check_edges(const Chunk& chunk, RecordSink& sink);

/// A graph that grows by chunks of edges, and then is told as lines "node neighbour neighbour …", nodes and neighbours in the order in
/// which they were first met, each neighbour once. With Directed::both an element ">v" says that an edge leads to v, "<u" that one comes
/// from u.
class Graph {
 public:
  explicit Graph(Directed directed) : directed_(directed) {}

  /// Lines at fault are left out; a node is not its own neighbour. Throws Error(data) naming `name` for more nodes than there are rows.
  void add(std::string_view chunk, const std::string& name);
  /// The next lines, about `size` bytes, appended to `out`; false when there are none left. Nothing can be added after the first call.
  bool next_lines(std::size_t size, std::string& out);

 private:
  /// Most names are short: then the entry suffices, and the name, which is elsewhere in memory, is not read.
  struct Entry {
    std::uint64_t key = 0;     ///< a name of at most 8 bytes, padded with zeros; the hash of a longer one
    std::uint32_t node = 0;    ///< number of the node and 1; 0: free
    std::uint32_t length = 0;  ///< of the name
  };
  struct Named {
    std::string_view name;
    Entry entry;
  };

  static Entry entry_of(std::string_view node);
  std::uint64_t number_of_node(Named& node, const std::string& name);
  void add_waiting(const std::string& name);
  void grow_table();
  void finish();
  void append_line(std::uint32_t node, std::string& out);

  Directed directed_;
  Strings nodes_;
  std::vector<Entry> table_;             ///< open addressing
  std::vector<Named> waiting_;           ///< nodes of edges to be added, two and two
  std::vector<std::uint64_t> edges_;     ///< from << 32 | to, as they come; later ascending and distinct
  std::vector<std::uint64_t> backward_;  ///< to << 32 | from, where both directions are kept apart
  std::size_t forward_at_ = 0, backward_at_ = 0;
  std::uint32_t told_ = 0;  ///< nodes
  bool finished_ = false;
};

/// The lines that a Graph tells.
void parse_neighbours(const Chunk& chunk, RecordSink& sink);

}  // namespace nearkin
