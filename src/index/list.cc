// Items listed in the order of their ids, with what tells a person which is which.
#include <nearkin/index.h>

#include "feature/normalise.h"
#include "index/state.h"
#include "io/formats/metadata_filter.h"

namespace nearkin {
namespace {

constexpr std::size_t kSearched = 1000, kShown = 200;      // bytes of a text
constexpr std::size_t kMostListed = std::size_t{1} << 20;  // bytes of a page, about

// Whole characters: no sequence of UTF-8 is cut.
std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto is_inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  for (int back = 0; back < 3 && is_inside(most); ++back) --most;
  return text.substr(0, most);
}

// Looks for a text in what is known of an item.
class Seeker {
 public:
  explicit Seeker(std::string_view wanted) { normalise_text(wanted, wanted_); }

  bool finds(const ItemSummary& item, std::string_view text) {
    if (wanted_.empty()) return true;
    said_.assign(item.id).append("\n");
    append_values(item.metadata, said_);
    said_.append(beginning(text, kSearched));
    normalise_text(said_, folded_);
    return folded_.find(wanted_) != std::string::npos;
  }

 private:
  std::string wanted_, said_, folded_;
};

}  // namespace

ItemsPage Index::list(const ItemsAsk& ask) const {
  ItemsPage page;
  Seeker seeker(ask.contains);
  std::size_t read = 0, text_bytes = 0, listed_bytes = 0;
  const Lease lease(*state_);
  const Transaction& transaction = lease.transaction();
  for_each_id(transaction, id_key(ask.after), [&](std::string_view, Row row) {
    page.more = page.items.size() >= ask.limit || read >= ask.most_read || text_bytes >= ask.most_bytes || listed_bytes >= kMostListed;
    if (page.more) return false;
    const RecordView record = record_of(transaction, row);
    ItemSummary item{.id = std::string(record.id), .metadata = std::string(record.metadata)};
    const std::string text = state_->texts ? stored_text(transaction, row) : std::string();
    ++read;
    text_bytes += text.size();
    page.last = item.id;
    if (!seeker.finds(item, text)) return true;
    item.begins = beginning(text, kShown);
    listed_bytes += item.id.size() + item.metadata.size() + item.begins.size();
    page.items.push_back(std::move(item));
    return true;
  });
  return page;
}

}  // namespace nearkin
