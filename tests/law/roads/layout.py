"""A collection as files: formats, ends of lines, compression, and the ways to name them. Knows the bytes of each record, so that it can say what a run
that keeps some of them must write."""
import base64
import csv
import io
import json
import re
import struct
import zlib

from roads.cases import BY_PLACE
from roads.items import is_usable

EXTENSION = {"jsonl": "jsonl", "csv": "csv", "tsv": "tsv", "lines": "lines", "sets": "sets", "packed": "packed", "files": "txt", "warc": "warc", "dense": "dense",
             "npy": "npy", "fvecs": "fvecs", "sparse": "sparse", "bits": "bits", "table": "table", "edges": "edges"}
FORMAT_NAME = {"npy": "dense", "fvecs": "dense"}
BINARY = ("packed", "warc", "npy", "fvecs")
NO_TEXT = 2**64 - 1
# Of each the codec, the mark that a file begins with, and the name for --encoding.
ENCODINGS = {"none": ("utf-8", b"", None), "mark": ("utf-8", b"\xef\xbb\xbf", None), "utf-16": ("utf-16-le", b"\xff\xfe", "utf-16"),
             "utf-16be": ("utf-16-be", b"", "UTF-16BE"), "utf-32": ("utf-32-le", b"", "UTF-32LE"), "auto": ("utf-16-be", b"\xfe\xff", "auto")}


def gzipped(data):
    compressor = zlib.compressobj(1, zlib.DEFLATED, 31)
    return compressor.compress(data) + compressor.flush()


def zstd(data):
    """A frame of raw blocks: compressed by nothing, but a zstd file all the same."""
    size = 1 << 16
    pieces = [data[begin:begin + size] for begin in range(0, len(data), size)] or [b""]
    blocks = [struct.pack("<I", len(piece) << 3 | (n + 1 == len(pieces)))[:3] + piece for n, piece in enumerate(pieces)]
    return struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(data)) + b"".join(blocks)


def csv_cell(value):
    return '"' + value.replace('"', '""') + '"' if any(c in value for c in '",\r\n') else value


def plain_score(score):
    """A number as CSV has it, of its spelling in JSON."""
    return "" if score in (None, "null") else score.strip('"') if score.startswith('"') else score


NAMES = ("id", "text")
OTHER_NAMES = ("key", "na me")
STAR = "*,-score,-group"  # of the fields that a record has, the text


def json_record(item, trap, names=NAMES):
    fault, quoted = item.get("fault"), json.dumps(item.get("text", ""), ensure_ascii=zlib.crc32(item["id"].encode()) % 3 == 0)
    if fault in ("broken", "blank", "coded"):
        return b'{"id":'
    fields = [f'"{names[0]}":{json.dumps(item["id"], ensure_ascii=False)}']
    if fault != "no_text":
        fields.append(f'"{names[1]}": {quoted}')
    if item.get("score") is not None:
        fields.append(f'"score":{item["score"]}')
    if item.get("group") is not None:
        fields.append(f'"group":{json.dumps(item["group"])}')
    if trap == "named":
        fields.append('"cluster":1')
    if trap == "hidden":
        fields.append('"\\u0063luster":1')
    if zlib.crc32(item["id"].encode()) % 2:
        fields.reverse()
    record = ("{" + ",".join(fields) + "}").encode()
    return record.replace(b'": "', b'": "\xff') if fault == "bad_utf8" else record


def csv_record(item, trap):
    cells = [csv_cell(item["id"]), csv_cell(item.get("text", "")), plain_score(item.get("score")), csv_cell(item.get("group", ""))]
    cells += ["1"] * (trap != "none")
    if item.get("fault") == "broken":
        cells.append("7,7")
    record = ",".join(cells).encode()
    return b"\xff" + record if item.get("fault") == "bad_utf8" else record


def tsv_record(item, trap):
    record = "\t".join([item["id"], item.get("text", ""), plain_score(item.get("score")), item.get("group", "")] + ["1"] * (trap != "none") +
                       ["7"] * (item.get("fault") == "broken")).encode()
    return b"\xff" + record if item.get("fault") == "bad_utf8" else record


def line_record(item, trap):
    if item.get("fault") == "blank":
        return b"  "
    return (item["id"] + " " + item["text"]).encode() + b" \xff" * (item.get("fault") == "bad_utf8")


def packed_record(item, trap):
    identity, text = item["id"].encode(), item.get("text", "").encode() + b"\xff" * (item.get("fault") == "bad_utf8")
    if item.get("fault") == "no_text":
        return b"nkr1" + struct.pack("<IQQ", len(identity), NO_TEXT, 0) + identity
    return b"nkr1" + struct.pack("<IQQ", len(identity), len(text), zlib.crc32(text)) + identity + text


def as_page(text):
    """A page of which this is the visible text, in one of many ways."""
    way, pieces = zlib.crc32(text.encode()), []
    for number, character in enumerate(text):
        escaped = {"<": "&lt;", "&": "&amp"}.get(character, character)
        if character == "&" and text[number + 1:number + 2] in (";", "="):
            escaped = "&amp;"
        pieces.append(f"&#{ord(character)};" if (way + number) % 13 == 0 and character not in "\n\t" else escaped)
        if (way + number) % 11 == 0:
            pieces.append(["<b>", "</b>", "<!-- > -->", "<script>if (a<b) '</p>'</script>", "<i class='x>y'>", "<style>p{}</style>"][(way + number) % 6])
    head = ["", "<!DOCTYPE html><title>of no use</title>", "<noscript>look</noscript><body>", "<html><head><meta charset=utf-8></head>"][way % 4]
    return head + "<pre>" + "".join(pieces) + ["", "</pre>", "</pre></body></html>"][way % 3]


def chunked(body):
    """As HTTP/1.1 sends a body whose length it does not know."""
    pieces = [body[begin:begin + 7] for begin in range(0, len(body), 7)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def warc_record(item, trap):
    fault, text = item.get("fault"), item.get("text", "")
    if fault == "broken":
        return b"WARC/1.0\r\nWARC-Type: response\r\n\r\n"
    way = zlib.crc32(item["id"].encode() + text.encode())
    page = way % 2 == 0
    body, http = (as_page(text) if page else text).encode(), [b"HTTP/1.1 200 OK", b"content-type: " + (b"text/html" if page else b"text/plain; charset=UTF-8")]
    if way % 5 == 0:
        body, http = gzipped(body), http + [b"Content-Encoding: gzip"]
    if way % 3 == 0:
        body, http = chunked(body), http + [b"Transfer-Encoding: chunked"]
    if fault == "coded":
        http = http[:2] + [b"Content-Encoding: unheard-of"]
    kind, type = [(b"response", b"application/http; msgtype=response"), (b"conversion", b"text/plain"), (b"resource", b"text/html")][way % 7 % 3 if not fault else 0]
    content = b"\r\n".join(http) + b"\r\n\r\n" + body
    if kind == b"conversion":
        content = text.encode()
    if kind == b"resource":
        content = as_page(text).encode()
    header = [b"WARC/1.0", b"WARC-Type: " + kind, b"Content-Type: " + type, b"WARC-Target-URI: " + item["id"].encode(), b"Content-Length: %d" % len(content)]
    return b"\r\n".join(header) + b"\r\n\r\n" + content + b"\r\n\r\n"


def raw_record(item, trap):
    return item["line"].encode()


RECORD = {"jsonl": json_record, "csv": csv_record, "tsv": tsv_record, "lines": line_record, "sets": line_record, "packed": packed_record, "warc": warc_record,
          "dense": lambda item, trap: ",".join(map(str, item["row"])).encode(), "npy": lambda item, trap: struct.pack("<8f", *item["row"]),
          "fvecs": lambda item, trap: struct.pack("<i8f", 8, *item["row"]), "sparse": raw_record, "bits": raw_record, "table": raw_record,
          "edges": raw_record}


def header_of(format, trap, count, names=NAMES):
    if format in ("csv", "tsv"):
        extra = {"none": [], "named": ["cluster"], "hidden": ['"x,cluster,y"' if format == "csv" else "xcluster"]}[trap]
        return ("," if format == "csv" else "\t").join([*names, "score", "group"] + extra).encode()
    if format == "table":
        return b"user,q1,q2,q3,q4,q5,q6"
    if format == "npy":
        text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count}, 8), }}"
        text += " " * (63 - (10 + len(text)) % 64) + "\n"
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
    return b""


def joined(pieces, binary, newline=b"\n"):
    """Records as one file: a line without an end gets one when another follows."""
    out = b""
    for piece in pieces:
        if piece and out and not binary and not out.endswith(newline):
            out += newline
        out += piece
    return out


def unquoted(cell):
    return cell[1:-1].replace('""', '"') if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


class Layout:
    """The items of a case under a name, written as the case wants them. `paths` is what to put on the command line."""

    def __init__(self, items, name, format, container="plain", ending="lf", empty_file=False, trap="none", parts=3, encoding="none",
                 star=False, names=NAMES, made="plain"):
        self.items, self.name, self.format, self.container, self.trap = items, name, format, container, trap
        self.units = []  # how texts are divided
        self.star, self.names, self.made = star, names, made
        self.binary = format in BINARY
        self.end = b"" if self.binary else b"\r\n" if ending == "crlf" else b"\n"
        self.codec, self.mark, self.encoding = ENCODINGS["none" if self.binary else encoding]
        self.open, self.empty_file = ending == "open" and not self.binary, empty_file
        single = format in BY_PLACE or container in ("plain", "gz", "zst", "stdin")
        self.parts = 1 if single else parts
        self.records, self.headers, self.stdin = [], [], None
        self.files = []  # of each path its header, its records and its items
        self.unmarked = set()  # which of them have not even a mark

    def write(self, folder):
        self.paths = self.write_files(folder) if self.format == "files" else self.write_parts(folder)
        return self

    def write_files(self, folder):
        (folder / self.name).mkdir()
        names = []
        for item in self.items:
            (folder / item["id"]).write_bytes(self.file_bytes(item["text"], item.get("fault") == "bad_utf8"))
            names.append(item["id"])
            self.records.append(item["id"].encode() + b"\n")
            self.files.append((b"", self.records[-1:], [item]))
        return self.named(folder, names, f"{self.name}/*.txt")

    def file_bytes(self, text, bad=False):
        """What a file holds that is one text."""
        data = (as_page(text) if self.made == "page" else text).encode() + b"\xff" * bad
        return base64.b64encode(data) if self.made == "program" else self.mark + self.spelled(data)

    def in_markup(self, item):
        return dict(item, text=as_page(item["text"])) if self.made == "page" and self.format != "warc" and "text" in item else item

    def write_parts(self, folder):
        names, extension = [], EXTENSION[self.format]
        if self.parts > 1:
            (folder / self.name).mkdir()
        for number, part in enumerate(self.cut()):
            name = f"{self.name}.{extension}" if self.parts == 1 else f"{self.name}/{number}.{extension}"
            data = self.encoded(self.mark + self.part_bytes(part), number)
            if self.container == "stdin":
                self.stdin = data
            else:
                (folder / name).write_bytes(data)
            names.append(name)
            if self.empty_file and self.parts > 1 and number == 0:
                names.append(f"{self.name}/{number}e.{extension}")
                self.files.append((b"", [], []))
                self.unmarked.add(len(self.files) - 1)
                (folder / names[-1]).write_bytes(self.mark + self.spelled(header_of(self.format, self.trap, 0, self.names) + self.end) if self.format == "table" else b"")
        return ["-"] if self.container == "stdin" else self.named(folder, names, f"{self.name}/*.{extension}")

    def named(self, folder, names, pattern):
        if self.container == "folder":
            return [self.name]
        if self.container == "glob" and names:
            return [pattern]
        if self.container == "list":
            (folder / f"{self.name}.list").write_text("".join(name + "\n" for name in names))
            return ["--files-from", f"{self.name}.list"]
        return names if names else [self.name]

    def cut(self):
        size = -(-len(self.items) // self.parts) if self.items else 0
        return [self.items[number * size:(number + 1) * size] for number in range(self.parts)]

    def spelled(self, data):
        """UTF-8 in the encoding of the files; a byte that means nothing there means nothing here."""
        return data if self.codec == "utf-8" else data.decode("utf-8", "surrogateescape").encode(self.codec, "surrogatepass")

    def plain(self, data):
        return data if self.codec == "utf-8" else data.decode(self.codec, "surrogatepass").encode("utf-8", "surrogateescape")

    def in_one_file(self, pieces):
        """Pieces in the encoding of the files, from the first record of a file on."""
        return joined(pieces, self.binary, b"\n" if self.format == "files" else self.spelled(b"\n"))

    def outputs_as_one(self, outputs):
        """Outputs of several runs, each with its mark and header, as one run would have written them."""
        header = self.headers[0] if self.headers else b""
        bare = header.removesuffix(self.spelled(self.end))  # of a file that ends with it
        bodies = [b"" if output.removeprefix(self.mark) == bare else output.removeprefix(self.mark).removeprefix(header) for output in outputs]
        mark = self.mark if any(output.startswith(self.mark) for output in outputs) else b""
        return mark + (header if any(outputs) else b"") + self.in_one_file(bodies)

    def as_plain(self, data):
        """What was written of the input, as if the input were UTF-8 without a mark."""
        if self.binary or data is None or self.format in ("files", "edges"):
            return data
        return self.plain(data.removeprefix(self.mark))

    def part_bytes(self, part):
        header = header_of(self.format, self.trap, len(part), self.names)
        pieces = [header + (b"" if self.format == "npy" else self.end)] if header else []
        names = [self.names] if self.format == "jsonl" else []
        pieces += [RECORD[self.format](self.in_markup(item), self.trap, *names) + self.end for item in part]
        if self.open and pieces:
            pieces[-1] = pieces[-1][:-len(self.end)]
        pieces = [self.spelled(piece) if not self.binary else piece for piece in pieces]
        records = pieces[1:] if header else pieces
        if header:
            self.headers.append(pieces[0])
        self.records += records
        self.files.append((pieces[0] if header else b"", records, part))
        return b"".join(pieces)

    def encoded(self, data, number):
        if self.container == "gz" or (self.container == "mixed" and number == 1):
            return gzipped(data)
        return zstd(data) if self.container == "zst" or (self.container == "mixed" and number == 2) else data

    def begin(self):
        """What an output of records begins with; of files the paths are written."""
        return b"" if self.format == "files" else self.mark

    def header(self):
        return self.headers[0] if self.headers else b""

    def kept(self, ids):
        """What a run that keeps these writes."""
        ids, usable = set(ids), is_usable(self.items)
        chosen = [record for record, item, good in zip(self.records, self.items, usable) if (item["id"] in ids if good else self.keeps)]
        return self.begin() + self.in_one_file([self.header(), *chosen])

    def kept_of_file(self, number, ids):
        """The same of one file, run by itself; no id may be used twice."""
        header, records, items = self.files[number]
        kept = [record for record, item in zip(records, items) if (self.keeps if "fault" in item else item["id"] in ids)]
        return (b"" if number in self.unmarked else self.begin()) + self.in_one_file([header] + kept)

    def skipped(self):
        return self.in_one_file([record for record, good in zip(self.records, is_usable(self.items)) if not good])

    def annotated(self, names, marks):
        """The records that have marks, with these fields added."""
        pieces = [self.with_columns(self.plain(self.header()), names)] if self.headers else []
        for record, item, good in zip(self.records, self.items, is_usable(self.items)):
            if not good and self.keeps:
                pieces.append(self.plain(record) if self.format == "jsonl" else self.with_columns(self.plain(record), [""] * len(names)))
            elif good and item["id"] in marks:
                record, values = self.plain(record), marks[item["id"]]
                pieces.append(self.with_fields(record, names, values) if self.format == "jsonl" else self.with_columns(record, values))
        return self.begin() + self.spelled(joined(pieces, False))

    def with_fields(self, record, names, values):
        brace = record.rindex(b"}")
        added = "".join(f",{json.dumps(name)}:{json.dumps(value, ensure_ascii=False)}" for name, value in zip(names, values))
        return record[:brace] + added.encode() + record[brace:]

    def with_columns(self, record, values):
        body = record[:-len(self.end)] if record.endswith(self.end) else record
        separator = "," if self.format == "csv" else "\t"
        cells = ['"' + cell.replace('"', '""') + '"' if any(c in cell for c in '"\r\n' + separator) else cell for cell in map(str, values)]
        return body + "".join(separator + cell for cell in cells).encode() + record[len(body):]

    def without_faults(self, data):
        """An output without the records at fault; None where one of them is not in it. From the end: one with a used id may equal the first that has it."""
        mark = self.mark if data.startswith(self.mark) else b""
        data, newline = data.removeprefix(mark), self.spelled(b"\n")
        end = len(data)
        blanks = self.spelled({"csv": b",", "tsv": b"\t"}.get(self.format, b"") * self.added)
        bodies = [record.removesuffix(self.spelled(self.end)) + blanks for record, good in zip(self.records, is_usable(self.items)) if not good]
        for body in reversed(bodies) if self.keeps else []:
            pattern = re.compile(b"(?:^|(?<=" + re.escape(newline) + b"))" + re.escape(body) + b"(?:" + re.escape(self.spelled(self.end)) + b"|" + re.escape(newline) + b"|$)")
            found = None
            for found in pattern.finditer(data, 0, end):
                pass
            if found is None:
                return None
            data, end = data[:found.start()] + data[found.end():], found.start()
        return mark + data

    def texts_in(self, data):
        """(id, text) of each record of an output that can be used."""
        good = self.without_faults(data)
        if good is None:
            return [("a record at fault", "is not in the output")]
        text = self.as_plain(good).decode()
        if self.format == "jsonl":
            return [(record["id"], record["text"]) for record in map(json.loads, text.splitlines())]
        if self.format == "csv":
            return [(row[0], row[1]) for row in csv.reader(io.StringIO(text, newline=""))][1:]
        lines = [line.removesuffix("\r") for line in text.split("\n") if line]
        if self.format == "lines":
            return [tuple((line + " ").split(" ", 1)) for line in lines]
        return [(cells[0], unquoted(cells[1])) for cells in (line.split("\t") for line in lines[1:])]

    def made_flags(self):
        return {"plain": [], "page": ["--html", "text"], "program": ["--pre", "base64 -d"]}[self.made]

    def reading_flags(self):
        """How this format is to be read; the same for what it is compared with."""
        name = FORMAT_NAME.get(self.format, self.format)
        flags = ["--format", name] if self.container == "stdin" or self.format in BY_PLACE else []
        flags = flags + self.units + (["--text", STAR if self.star else self.names[1]] if self.star or self.names != NAMES else [])
        if self.names != NAMES:
            flags += ["--id", self.names[0]]
        if self.encoding:
            flags += ["--encoding", self.encoding]
        flags += self.made_flags()
        if self.format in ("lines", "sets", "sparse", "bits"):
            flags += ["--id", "first-word"]
        return flags + (["--id", "user"] if self.format == "table" else [])

    def against_flags(self, by_score=False):
        """How it is read where something else is compared with it."""
        if self.names == NAMES:
            return []
        text = [] if by_score else ["--against-text", STAR if self.star else self.names[1]]
        return [*text, "--against-id", self.names[0]]
