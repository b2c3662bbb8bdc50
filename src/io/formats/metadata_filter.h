// Conditions on the metadata of items: what a query asks for with `where`.
#pragma once

#include <map>
#include <optional>

#include "io/formats/json_text.h"

namespace nearkin {

/// Tests of metadata, all of which must hold. A document is read once, however many tests there are. A string is compared by what it says;
/// numbers, true, false and null by their spelling; MetadataTest::type leaves one of the two out. A key that contains dots itself takes
/// precedence over the path that they spell; of two fields with the same name, the first counts.
class MetadataFilter {
 public:
  explicit MetadataFilter(const std::vector<MetadataTest>& tests);
  /// Empty metadata has no field. One call at a time.
  bool holds(std::string_view metadata);

 private:
  using Numbers = std::vector<std::uint32_t>;  // of tests
  /// A name in an object, reached by the names above it.
  struct Node {
    std::map<std::string, std::uint32_t, std::less<>> below;
    Numbers tests;
    std::uint64_t met = 0;  ///< the last document that had it
  };
  /// A field with dots, as one key of the document itself.
  struct Dotted {
    Numbers tests;
    std::uint64_t met = 0;
  };
  struct Said;  // by a value of the document
  struct Test {
    std::string value;
    MetadataTest::Type type = MetadataTest::Type::any;
    bool held = false, decided = false;  ///< decided: by a key that holds the dots
  };

  static std::optional<Said> said_by(simdjson::ondemand::value& value, simdjson::ondemand::json_type type);
  static bool meets(const std::optional<Said>& said, const Test& test);
  void add_path(std::string_view field, std::uint32_t test);
  void visit(simdjson::ondemand::object& object, std::uint32_t node);
  bool visit_dotted(std::string_view key, simdjson::ondemand::value& value);
  void visit_value(simdjson::ondemand::value& value, std::uint32_t node);

  std::vector<Node> nodes_ = std::vector<Node>(1);  // the first: the document
  std::map<std::string, Dotted, std::less<>> dotted_;
  std::vector<Test> tests_;
  std::uint64_t document_ = 0;  // counted from 1
};

/// Appends what the values of metadata say, at any depth, one per line; nothing for metadata that is empty.
void append_values(std::string_view metadata, std::string& out);

}  // namespace nearkin
