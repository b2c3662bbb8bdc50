// Which elements of HTML separate texts, and which are not shown.
#pragma once

#include <algorithm>

#include "io/formats/html_syntax.h"

namespace nearkin::page {

/// What separates two pieces of text, weakest first.
enum class Gap : std::uint8_t { none, blank, cell, line, paragraph };

/// What a start tag begins.
enum class Content : std::uint8_t {
  markup,
  kept,      ///< markup whose white space counts
  foreign,   ///< markup of another language, where "/>" ends an element
  hidden,    ///< markup that is not shown, up to the end tag of its own
  unscript,  ///< the same, but for that it does not nest
  dropped,   ///< no markup up to the end tag, not shown
  script,    ///< the same, with rules of its own
  field,     ///< no markup but references up to the end tag, as it is
  sample,    ///< no markup up to the end tag, as it is
  rest,      ///< no markup up to the end of the page, as it is
};

struct Element {
  std::uint64_t name = 0;  ///< tag()
  Gap gap = Gap::none;
  Content content = Content::markup;
};

struct Elements {
  static constexpr std::size_t kSlots = 256;
  std::array<Element, kSlots> slots{};

  static constexpr std::size_t slot_of(std::uint64_t name) { return static_cast<std::size_t>(name * 0x9E3779B97F4A7C15 >> 56); }

  constexpr void add(std::string_view names, Gap gap, Content content) {
    while (!names.empty()) {
      const std::size_t end = std::min(names.find(' '), names.size());
      const std::uint64_t name = tag(names.substr(0, end));
      std::size_t slot = slot_of(name);
      while (slots[slot].name != 0) slot = (slot + 1) % kSlots;
      slots[slot] = {name, gap, content};
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  }

  constexpr Elements() {
    add("address article aside blockquote body details dialog dir dl fieldset figure footer form", Gap::paragraph, Content::markup);
    add("h1 h2 h3 h4 h5 h6 head header hgroup hr html main menu nav ol p search section table ul", Gap::paragraph, Content::markup);
    add("br caption center dd div dt figcaption legend li optgroup option", Gap::line, Content::markup);
    add("select summary tbody tfoot thead tr", Gap::line, Content::markup);
    add("td th", Gap::cell, Content::markup);
    add("pre listing", Gap::paragraph, Content::kept);
    add("svg math", Gap::none, Content::foreign);
    add("template", Gap::none, Content::hidden);
    add("noscript", Gap::none, Content::unscript);
    add("style title iframe noembed noframes", Gap::none, Content::dropped);
    add("script", Gap::none, Content::script);
    add("textarea", Gap::line, Content::field);
    add("xmp", Gap::paragraph, Content::sample);
    add("plaintext", Gap::paragraph, Content::rest);
  }

  /// An element without a name if nothing special is known about the tag.
  const Element& find(std::uint64_t name) const {
    std::size_t slot = slot_of(name);
    while (slots[slot].name != name && slots[slot].name != 0) slot = (slot + 1) % kSlots;
    return slots[slot];
  }
};
inline constexpr Elements kElements;

}  // namespace nearkin::page
