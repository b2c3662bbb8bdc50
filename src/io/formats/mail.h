// Mails in files of their own (.eml): their texts, without headers and attachments.
#pragma once

#include "io/formats/records.h"

namespace nearkin {

/// The text of a mail in UTF-8: all parts that are texts, of alternatives the plain one, pages by their visible text. Bytes that mean
/// nothing in their encoding, which is `encoding` where a part declares none, become U+FFFD. What has no header is its own text.
std::string mail_text(std::string_view mail, const std::string& encoding);

/// The chunk is one mail.
void parse_mail(const Chunk& chunk, const Input& input, RecordSink& sink);

}  // namespace nearkin
