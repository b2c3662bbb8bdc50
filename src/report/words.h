// Numbers, measures and goals in the words of a page. All texts are plain: to be escaped where they go into HTML.
#pragma once

#include <cstdint>
#include <string>

#include <nearkin/run.h>

#include "report/text.h"

namespace nearkin::page {

using nearkin::counted;  // beside the one below

std::string whole_text(std::uint64_t number);  ///< "12,500"
/// An expected number: "0.4", "17", "12,300", "4.56 million".
std::string about_text(double number);
/// One decimal, cut: "95.3 %"; more of them near 0 and 1, so that only what is 0 or 1 says so.
std::string percent_text(double share);
std::string decimals_text(double value, int decimals);  ///< "1.50"
std::string bytes_text(std::uint64_t bytes);            ///< "12.5 MB"
std::string seconds_text(double seconds);               ///< "0.012 s", "4.1 s", "2 min 5 s"
/// One decimal, rounded: for what was measured and is known no better. Only 1 is "100 %".
std::string rounded_percent(double share);
/// "98.7 % (95 % interval 98.1 to 99.2 %)"
std::string recall_text(const Recall& recall);

std::string measure_text(Measure measure);      ///< "Jaccard similarity", "Euclidean distance"
std::string value_name(Measure measure);        ///< "similarity", "distance"
std::string border_name(Measure measure);       ///< "threshold", "radius"
std::string border_text(const Plan& plan);      ///< "0.8"
/// Which pairs are looked for: "with a Jaccard similarity of 0.8 or more", "within a Euclidean distance of 3.5", "with equal texts".
std::string goal_text(const Plan& plan);
/// The similarity or distance of a pair, as the results spell it.
std::string value_text(const Comparison& comparison, Measure measure);
std::string value_text(double value, Measure measure);

/// What the parts of an item are called: "shingle", "element"; empty for vectors.
std::string part_name(const Plan& plan);

/// With a capital letter at its beginning.
std::string capital(std::string text);
/// "2 items", "1 copy" where the plural is not the word with an s.
std::string counted(std::uint64_t count, const std::string& one, const std::string& many);

}  // namespace nearkin::page
