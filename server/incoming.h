// Bytes → the head of a request, by Boost.Beast.
#pragma once

#include <boost/beast/http.hpp>

#include "http.h"
#include "server.h"

namespace nearkin::server {

using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;

/// Bounds the head. The body has its bound elsewhere, by what it is for.
void prepare(Parser& parser, const ServerLimits& limits);

/// The request whose head was read, without its body. HEAD becomes GET. Throws Problem(400, 415, 417, 501) for a head that cannot be
/// answered safely.
Request head_of(const Parser& parser);

/// What is wrong with the bytes of a request, where the parser stopped: 431, 505 or 400.
Problem parse_problem(const boost::beast::error_code& error, const ServerLimits& limits);

/// Throws Problem(431, 505, 400) for a head, or as much of one as has come, that is refused; `error` is what the parser said of it.
void check_head(const Parser& parser, const boost::beast::error_code& error, const ServerLimits& limits);

/// Throws Problem(413) for a body that says of itself that it is larger than allowed.
void check_length(const Parser& parser, const ServerLimits& limits);
[[noreturn]] void refuse_length(const ServerLimits& limits);

}  // namespace nearkin::server
