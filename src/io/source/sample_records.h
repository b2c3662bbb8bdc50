// A sample of the records of an input, without reading all of it.
#pragma once

#include <nearkin/items.h>

namespace nearkin {

struct RecordSample {
  Strings texts;
  std::uint64_t in_all = 0;  ///< records of the whole input, about; exact where all were read
};

/// Of a small input every text; of a larger one some thousand, one in sixteen where that is fewer: the records behind seeded places where
/// every line is a record, seeded files where every file is one; of what can only be read from its beginning (CSV, compressed files) the
/// beginning. Nothing where an item is known only when all is read: large graphs.
/// A function of the input's bytes, the order of its files and the seed. Records at fault are passed over. Throws as Sources does.
RecordSample sample_records(const Input& input, std::uint64_t seed);

}  // namespace nearkin
