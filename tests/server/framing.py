#!/usr/bin/env python3
"""Requests that say in two ways, or in none that is plain, where they end. Behind each stands another request, which must not be answered.

usage: framing.py NEARKIN
"""
import sys

sys.dont_write_bytecode = True  # the sources stay as they are
from served import Client, Server, make_index, require, run_all

SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
OLD_POST = POST.replace(b"HTTP/1.1", b"HTTP/1.0").replace(b"Host: localhost\r\n", b"Host: localhost\r\nConnection: keep-alive\r\n")
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
BODY = b'{"text":"a b c"}'
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
LENGTH = b"Content-Length: %d\r\n" % len(BODY)

REFUSED = {
    "an unknown transfer coding": POST + b"Transfer-Encoding: xchunked\r\n\r\n" + SMUGGLED,
    "an unknown transfer coding of a GET": GET + b"Transfer-Encoding: identity\r\n\r\n" + SMUGGLED,
    "chunked behind another coding": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + CHUNKED,
    "chunked before another coding": POST + b"Transfer-Encoding: chunked, identity\r\n\r\n" + CHUNKED,
    "chunked twice": POST + b"Transfer-Encoding: chunked, chunked\r\n\r\n" + CHUNKED,
    "two transfer codings": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + CHUNKED,
    "two transfer codings, the other way": POST + b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKED,
    "an empty transfer coding": GET + b"Transfer-Encoding:\r\n\r\n",
    "an empty transfer coding beside a length": POST + b"Transfer-Encoding: \r\n" + LENGTH + b"\r\n" + BODY,
    "a transfer coding with a control character": POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n" + CHUNKED,
    "a coding and a length": POST + LENGTH + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKED,
    "a length and a coding": POST + b"Transfer-Encoding: chunked\r\n" + LENGTH + b"\r\n" + CHUNKED,
    "HTTP/1.0 with chunked": OLD_POST + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKED,
    "two lengths": POST + LENGTH + b"Content-Length: 5\r\n\r\n" + BODY,
    "the same length twice": POST + LENGTH + LENGTH + b"\r\n" + BODY,
    "a list of lengths": POST + b"Content-Length: 16, 16\r\n\r\n" + BODY,
    "a length with a sign": POST + b"Content-Length: +16\r\n\r\n" + BODY,
    "a negative length": POST + b"Content-Length: -1\r\n\r\n" + BODY,
    "a length in hexadecimal": POST + b"Content-Length: 0x10\r\n\r\n" + BODY,
    "an empty length": POST + b"Content-Length:\r\n\r\n",
    "a length beyond 64 bits": POST + b"Content-Length: 18446744073709551632\r\n\r\n" + BODY,
    "a blank before the colon": POST + LENGTH.replace(b":", b" :") + b"\r\n" + BODY,
    "a field that goes on in the next line": POST + b"X: a\r\n b\r\n" + LENGTH + b"\r\n" + BODY,
    "a length in a folded line": POST + b"X: a\r\n " + LENGTH + b"\r\n",
    "a fold behind the request line": GET.replace(b"\r\n", b"\r\n X: y\r\n", 1) + b"\r\n",
    "CR alone in a value": GET + b"X: a\rContent-Length: 5\r\n\r\n",
    "LF alone at the end of a line": GET + b"X: a\nContent-Length: 5\r\n\r\n",
    "LF alone at the end of the head": GET + b"X: a\r\n\n",
    "LF alone behind the request line": b"GET /healthz HTTP/1.1\nHost: localhost\n\n",
    "CR alone in the request line": b"GET /healthz\rx HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "NUL in a value": GET + b"X: a\0b\r\n\r\n",
    "a line without a colon": GET + b"nonsense\r\n\r\n",
    "a line without a name": GET + b": value\r\n\r\n",
    "a chunk size with a sign": POST + b"Transfer-Encoding: chunked\r\n\r\n+10\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a chunk size with 0x": POST + b"Transfer-Encoding: chunked\r\n\r\n0x10\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a chunk size beyond 64 bits": POST + b"Transfer-Encoding: chunked\r\n\r\n10000000000000010\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a chunk line that ends in LF": POST + b"Transfer-Encoding: chunked\r\n\r\n10\n" + BODY + b"\r\n0\r\n\r\n",
    "a chunk longer than it says": POST + b"Transfer-Encoding: chunked\r\n\r\nf\r\n" + BODY + b"\r\n0\r\n\r\n",
}
TAKEN = {
    "a length": POST + LENGTH + b"\r\n" + BODY,
    "chunked": POST + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKED,
    "Chunked": POST + b"Transfer-Encoding: Chunked\r\n\r\n" + CHUNKED,
    "blanks around a value": POST + b"Content-Length:  \t16 \r\n\r\n" + BODY,
    "chunks with a trailer": POST + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKED[:-2] + b"X-Sum: 1\r\n\r\n",
}


def what_is_not_plain_is_refused_and_closes(binary, folder):
    make_index(binary, folder / "i", [{"id": "a", "text": "one two three"}])
    with Server(binary, folder / "i") as server:
        wrong = []
        for what, data in REFUSED.items():
            with Client(server.port) as client:
                client.send(data + SMUGGLED)
                answer = client.read()
                closed = client.is_closed()
                if answer is None or answer.status not in (400, 501) or answer.headers.get("connection") != "close" or not closed or client.rest:
                    wrong.append(f"{what}: {answer}, closed: {closed}, then {client.rest[:100]}")
        server.stop()
        require(not wrong, "\n" + "\n".join(wrong))
        require(not any("smuggled" in line for line in server.log), "the request behind was looked at")


def what_is_plain_is_answered_and_goes_on(binary, folder):
    make_index(binary, folder / "i", [{"id": "a", "text": "one two three"}])
    with Server(binary, folder / "i") as server, Client(server.port) as client:
        for what, data in TAKEN.items():
            client.send(data)
            answer = client.read()
            require(answer is not None and answer.status == 200, f"{what}: {answer}")


if __name__ == "__main__":
    sys.exit(run_all([what_is_not_plain_is_refused_and_closes, what_is_plain_is_answered_and_goes_on], sys.argv[1]))
