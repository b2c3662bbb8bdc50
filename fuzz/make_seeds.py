#!/usr/bin/env python3
"""Writes the binary seeds of the fuzz targets into the folder given: small files of every kind that the readers know."""
import gzip
import pathlib
import struct
import sys


def npy(descr, shape, data, version=1, fortran=False):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    length = 2 if version == 1 else 4
    size = 6 + 2 + length + len(header) + 1
    header += " " * (-size % 64) + "\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header.encode() + data


def idx(kind, sizes, data):
    return bytes([0, 0, kind, len(sizes)]) + b"".join(struct.pack(">I", size) for size in sizes) + data


def zstd_raw(data):
    """A frame with one block that is not compressed (RFC 8878, 3.1.1)."""
    return b"\x28\xb5\x2f\xfd\x20" + bytes([len(data)]) + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def run_file(sections, kind=b"segment", plan=b"a plan"):
    """Without checksums, which the target puts in."""
    header = b"\x89nearkin" + struct.pack("<6I2Q", 1, 4096, 0, len(kind), len(plan), 0, 1, 2) + kind + plan
    length = len(header) + -len(header) % 8 + 8
    header = (header[:16] + struct.pack("<I", length) + header[20:]).ljust(length, b"\0")
    payload, table = b"", b""
    for number, data in enumerate(sections):
        table += struct.pack("<2I2Q", 7, number, length + len(payload), len(data))
        payload += data + bytes(-len(data) % 8)
    footer = table + bytes(8 * -(-len(payload) // 4096))
    offset = length + len(payload)
    size = offset + len(footer) + 64
    return header + payload + footer + struct.pack("<7Q", offset, len(footer), 0, len(sections), 0, size, 0) + b"nikraen\x98"


def packed(id, text, tag=0):
    return b"nkr1" + struct.pack("<IQQ", len(id), len(text), tag) + id + text


def warc(kind, content, type="application/http; msgtype=response", uri="http://example.org/"):
    header = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nContent-Type: {type}\r\nContent-Length: {len(content)}\r\n\r\n"
    return header.encode() + content + b"\r\n\r\n"


def http(body, *headers):
    return "\r\n".join(("HTTP/1.1 200 OK", "Content-Type: text/html; charset=latin1", *headers)).encode() + b"\r\n\r\n" + body


def seeds():
    yield "warc", "page", warc("response", http(b"<p>one &amp; two"))
    yield "warc", "gzip", warc("response", http(gzip.compress(b"<b>x", mtime=0), "Content-Encoding: gzip"))
    yield "warc", "chunked", warc("warcinfo", b"x: y\r\n") + warc("response", http(b"3\r\n<p>\r\n1\r\nx\r\n0\r\n\r\n", "Transfer-Encoding: chunked"))
    yield "warc", "wet", warc("conversion", b"text", "text/plain") + b"garbage\r\n" + warc("resource", b"<p>x", "text/html", "<a>")
    yield "warc", "cut", warc("response", http(b"<p>one"))[:-9]
    yield "warc", "long", b"WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: 99999999999\r\n\r\nx"
    yield "eml", "parts", (b"Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=latin1\r\n"
                           b"Content-Transfer-Encoding: quoted-printable\r\n\r\ncaf=E9=\r\n\r\n--b\r\nContent-Transfer-Encoding: base64\r\n\r\nY2Fm\r\n--b--\r\n")
    yield "html", "page", b"<!DOCTYPE html><html><head><title>T</title><meta charset=latin1></head><body><p class='a>b'>caf\xe9 &eacute;&#x41;&notit;<br/></p></body></html>"
    yield "html", "raw", b"<script><!--<script></script>--></script><style>a</style><textarea>&lt;</textarea><xmp><b></xmp><pre>\n a</pre>"
    yield "html", "odd", b"<!-- --!><?x><![CDATA[a]]><svg><![CDATA[b]]></svg></><a =\"x\" b=c=\"d><template><noscript><plaintext>"
    yield "packed", "two", packed(b"a", b"one text") + packed(b"", b"", 7)
    yield "packed", "none", b"nkr1" + struct.pack("<IQQ", 1, 2**64 - 1, 0) + b"x" + packed(b"b", b"next")
    yield "packed", "cut", packed(b"a", b"one text")[:-3]
    floats = struct.pack("<6f", 1, 2, 3, 4, 5, 6.5)
    yield "npy", "f4", npy("<f4", (2, 3), floats)
    yield "npy", "f8", npy("<f8", (2, 2), struct.pack("<4d", 1, -2, 1e-3, 4))
    yield "npy", "big", npy(">f4", (1, 3), struct.pack(">3f", 1, 2, 3))
    yield "npy", "u1", npy("|u1", (4, 2), bytes(range(8)))
    yield "npy", "i8", npy("<i8", (1, 1), struct.pack("<q", -7))
    yield "npy", "f2", npy("<f2", (1, 4), struct.pack("<4e", 0.5, 1, 2, 65504))
    yield "npy", "version2", npy("<f4", (2, 3), floats, version=2)
    yield "npy", "fortran", npy("<f4", (2, 3), floats, fortran=True)
    yield "npy", "cube", npy("|u1", (2, 2, 2), bytes(8))
    yield "npy", "flat", npy("<f4", "(6,)", floats)
    yield "npy", "none", npy("<f4", (0, 3), b"")
    yield "npy", "huge", npy("<f4", (1 << 60, 1 << 60), floats)
    yield "npy", "cut", npy("<f4", (2, 3), floats)[:-3]
    yield "fvecs", "two", b"".join(struct.pack("<i3f", 3, *row) for row in ((1, 2, 3), (4, 5, 6)))
    yield "fvecs", "uneven", struct.pack("<i1f", 1, 2) + struct.pack("<i2f", 2, 3, 4)
    yield "fvecs", "nan", struct.pack("<i2f", 2, float("nan"), 1)
    yield "fvecs", "cut", struct.pack("<i2f", 3, 1, 2)
    yield "bvecs", "two", b"".join(struct.pack("<i4B", 4, *row) for row in ((1, 2, 3, 4), (5, 6, 7, 255)))
    yield "bvecs", "negative", struct.pack("<i", -1)
    yield "idx", "images", idx(8, (2, 2, 3), bytes(range(12)))
    yield "idx", "labels", idx(8, (3,), bytes(range(3)))
    yield "idx", "floats", idx(13, (1, 2), struct.pack(">2f", 1, 2))
    yield "idx", "shorts", idx(11, (2, 1), struct.pack(">2h", -1, 2))
    yield "gzip", "text", gzip.compress(b"one line\nanother line\n" * 3, mtime=0)
    yield "gzip", "two", gzip.compress(b"a\n", mtime=0) + gzip.compress(b"b\n", 0, mtime=0)
    yield "gzip", "cut", gzip.compress(b"a line that is cut\n", mtime=0)[:-5]
    yield "gzip", "rest", gzip.compress(b"a\n", mtime=0) + b"something else"
    yield "zstd", "raw", zstd_raw(b"one line\nanother line\n")
    yield "zstd", "two", zstd_raw(b"a\n") + zstd_raw(b"b\n")
    yield "zstd", "skipped", b"\x50\x2a\x4d\x18\x02\x00\x00\x00xx" + zstd_raw(b"a\n")
    yield "zstd", "cut", zstd_raw(b"a line that is cut\n")[:-5]
    yield "plot", "curve", b"title\nname\n" + struct.pack("<8d", 1, 0.5, 2, 0.7, 1000, 0.9, 1e6, 1)
    yield "run_file", "three", run_file([b"abc", b"", b"x" * 100])
    yield "run_file", "none", run_file([])
    yield "run_file", "long", run_file([b"y" * 3000, b"z" * 40])
    yield "run_file", "cut", run_file([b"abc"])[:-20]
    yield "rice", "dense", b"\x08\x00\xff\x00"
    yield "rice", "plain", b"\x02\x40" + struct.pack("<2Q", 5, 6)
    yield "rice", "coded", bytes.fromhex("051d030000807c000000000000c38600f0084ea0000f20")
    yield "lines", "utf16", "a\nb\n".encode("utf-16")


def main():
    for target, name, data in seeds():
        folder = pathlib.Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
