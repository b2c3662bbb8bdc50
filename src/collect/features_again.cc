#include "collect/features_again.h"

#include <memory>

#include <nearkin/error.h>

#include "base/parallel.h"
#include "feature/shingler.h"

namespace nearkin {

std::string_view text_at(const Sources& sources, const Location& location, std::string& buffer, Batch& batch) {
  batch.clear();
  sources.parse_again(location, buffer, batch);
  if (batch.items.size() != 1) throw Error(ErrorCode::file, sources.name(location.source), "changed while it was being read; run again");
  return batch.items.text(0);
}

std::string_view TextReader::operator()(Row row) {
  const Sources& sources = rows_.sources_of(row);
  const Location location = reader_.location(row);
  if (!sources.unit().divides()) return text_at(sources, location, buffer_, batch_);
  // The units of a record are mostly asked for one after the other.
  if (!last_ || last_->first != &sources || last_->second.source != location.source || last_->second.offset != location.offset) {
    last_.reset();
    text_at(sources, location, buffer_, batch_);
    last_.emplace(&sources, location);
  }
  const Span span = span_of(reader_.id(row));
  const std::string_view text = batch_.items.text(0);
  if (span.end > text.size()) throw Error(ErrorCode::file, sources.name(location.source), "changed while it was being read; run again");
  return text.substr(span.begin, span.end - span.begin);
}

void for_each_features(const Rows& rows, std::span<const Row> wanted, const ShinglePlan& plan, unsigned threads,
                       const std::function<void(unsigned worker, std::size_t i, std::span<const std::uint64_t> features)>& use,
                       bool scopes_count, Advance* advance) {
  struct Tools {
    Tools(const Rows& rows, const ShinglePlan& plan) : shingler(plan), reader(rows), texts(rows) {}
    Shingler shingler;
    RowReader reader;
    TextReader texts;
  };
  const bool within = scopes_count && rows.scope_rule() == Scope::Rule::within;
  std::vector<std::unique_ptr<Tools>> tools(threads);
  expect(advance, wanted.size());
  parallel_for(wanted.size(), kFeatureBlock, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
    if (!tools[worker]) tools[worker] = std::make_unique<Tools>(rows, plan);
    for (std::size_t i = begin; i < end; ++i) {
      if (within) tools[worker]->shingler.salt(tools[worker]->reader.scope(wanted[i]));
      use(worker, i, tools[worker]->shingler.features(tools[worker]->texts(wanted[i])));
    }
    add(advance, worker, end - begin);
  });
}

FeatureBlocks load_features(const Rows& rows, std::span<const Row> wanted, const ShinglePlan& plan, unsigned threads, bool scopes_count,
                            Advance* advance) {
  FeatureBlocks result;
  result.blocks.resize((wanted.size() + kFeatureBlock - 1) / kFeatureBlock);
  result.items.resize(wanted.size());
  const Column<std::uint64_t> sizes = rows.text_sizes();
  const auto keep = [&](unsigned, std::size_t i, std::span<const std::uint64_t> features) {
    const std::size_t begin = i - i % kFeatureBlock, end = std::min(begin + kFeatureBlock, wanted.size());
    Features& block = result.blocks[i / kFeatureBlock];
    if (i == begin) {
      std::uint64_t text = 0;
      for (std::size_t k = begin; k < end; ++k) text += sizes[wanted[k]];
      block.hashes.reserve(text / 4);  // words are seldom shorter; pages that stay untouched cost nothing
    }
    block.hashes.insert(block.hashes.end(), features.begin(), features.end());
    block.ends.push_back(block.hashes.size());
    if (i + 1 < end) return;
    for (std::size_t k = begin; k < end; ++k) result.items[k] = block[k - begin];
  };
  for_each_features(rows, wanted, plan, threads, keep, scopes_count, advance);
  return result;
}

}  // namespace nearkin
