// The first records of an input, for a look at it before a run.
#pragma once

#include <nearkin/items.h>

namespace nearkin {

struct RecordSample {
  Strings texts;              ///< in their order
  std::uint64_t records = 0;  ///< that they were chosen from
  bool all = false;           ///< the input has no further records
};

/// Up to 2,048 texts, chosen at random from the first 16,384 records, or from fewer where they are long: 8 MiB of text, or 32 MiB of
/// whatever the records hold, are enough. The same records in the same order give the same sample, however they are kept: in one file or
/// many, compressed, in a pipe, or in memory; a stream is read from its beginning again by the run that follows. Bad records are skipped.
/// Empty for graphs, whose items are known only when everything has been read. Throws as Sources does.
RecordSample sample_records(const Input& input, std::uint64_t seed);

}  // namespace nearkin
