#!/usr/bin/env python3
"""Writes the inputs of the golden command lines into a folder: make_data.py FOLDER

Every byte is a function of this file alone. Numbers come from a generator of its own, because Python does not promise that the functions of
`random` stay what they are, and fractions are made by division alone, because sines and logarithms differ between machines.
"""
import json
import struct
import sys
import zlib
from pathlib import Path


class Draw:
    """A linear congruential generator (Knuth's MMIX), of which the high bits are used."""

    def __init__(self, seed):
        self.state = seed

    def below(self, end):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % end

    def of(self, choices):
        return choices[self.below(len(choices))]


WORDS = [first + second for first in "ba ke li mo nu pa re si to vu zy".split() for second in "n r st ll x nd ck m".split()]
UNICODE = ["Straße", "naïve", "ﬁsh", "東京都", "Ａlpha", "e\u0301te\u0301", "ΣΊΣΥΦΟΣ", "🙂", "ไทย"]


def edited(words, draw, vocabulary):
    """One word replaced, put in or left out."""
    words = list(words)
    place = draw.below(len(words))
    words[place:place + draw.below(2)] = [draw.of(vocabulary)] * draw.below(2)
    return words or [draw.of(vocabulary)]


def texts(count, seed, vocabulary=WORDS, least=12, most=40):
    """Chains of near copies, exact copies, copies that differ in case and marks, and some without any word."""
    draw, made = Draw(seed), []
    for number in range(count):
        dice = draw.below(20)
        if dice < 9 or not made:
            words = [draw.of(vocabulary) for _ in range(least + draw.below(most - least))]
        elif dice < 17:
            words = edited(draw.of(made), draw, vocabulary)
        else:
            words = draw.of(made)
        made.append(words)
        spoken = " ".join(words)
        yield {17: spoken, 18: spoken.upper() + "!", 19: " , ".join(words)}.get(dice, spoken) if number % 23 != 22 else " -- "


def documents(count, seed, name, vocabulary=WORDS):
    """Records with ids, texts and numbers, of which some are equal, not there, or no numbers."""
    draw = Draw(seed + 1)
    for number, text in enumerate(texts(count, seed, vocabulary)):
        record = {"id": f"{name}{number}", "text": text, "lang": draw.of(["en", "de", "fr"]), "year": 1990 + draw.below(30)}
        dice = draw.below(6)
        if dice < 4:
            record["score"] = draw.below(40) / 4
        elif dice == 4:
            record["score"] = "none"
        yield record


def json_line(record):
    return json.dumps(record, ensure_ascii=False) + "\n"


def csv_field(value, separator):
    value = "" if value is None else str(value)
    return '"' + value.replace('"', '""') + '"' if any(c in value for c in '"\r\n' + separator) else value


def csv_text(records, separator=",", end="\n"):
    columns = ["id", "text", "score"]
    lines = [separator.join(columns)]
    lines += [separator.join(csv_field(record.get(column), separator) for column in columns) for record in records]
    return end.join(lines) + end


def packed(records):
    parts = []
    for tag, record in enumerate(records):
        identity, text = record["id"].encode(), record["text"].encode()
        parts.append(b"nkr1" + struct.pack("<IQQ", len(identity), len(text), tag) + identity + text)
    return b"".join(parts)


def gzipped(data):
    """A member of stored blocks: how well zlib compresses, and so a file's size, differs between its versions."""
    block_size = 1 << 15
    pieces = [data[begin:begin + block_size] for begin in range(0, len(data), block_size)] or [b""]
    blocks = [struct.pack("<BHH", n + 1 == len(pieces), len(piece), len(piece) ^ 0xFFFF) + piece for n, piece in enumerate(pieces)]
    return b"\x1f\x8b\x08" + bytes(6) + b"\xff" + b"".join(blocks) + struct.pack("<II", zlib.crc32(data), len(data))


def zstd(data):
    """A frame of raw blocks: compressed by nothing, but a zstd file all the same."""
    block_size, blocks = 1 << 16, []
    pieces = [data[begin:begin + block_size] for begin in range(0, len(data), block_size)] or [b""]
    for number, piece in enumerate(pieces):
        blocks.append(struct.pack("<I", len(piece) << 3 | (number + 1 == len(pieces)))[:3] + piece)
    return struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(data)) + b"".join(blocks)


def vectors(count, width, seed):
    """Numbers between -1 and 1 in steps of 1/64, every third vector near one before; the last is zero."""
    draw, made = Draw(seed), []
    for number in range(count - 1):
        if number % 3 == 2:
            vector = list(draw.of(made))
            vector[draw.below(width)] += (draw.below(9) - 4) / 64
        else:
            vector = [(draw.below(129) - 64) / 64 for _ in range(width)]
        made.append(vector)
    return made + [[0.0] * width]


def npy(rows):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)


def fvecs(rows):
    return b"".join(struct.pack(f"<i{len(row)}f", len(row), *row) for row in rows)


def byte_rows(rows):
    return [[int((number + 2) * 64) % 256 for number in row] for row in rows]


def bvecs(rows):
    return b"".join(struct.pack("<i", len(row)) + bytes(row) for row in rows)


def idx(rows):
    return struct.pack(">4B3i", 0, 0, 8, 3, len(rows), 2, len(rows[0]) // 2) + b"".join(map(bytes, rows))


def bit_lines(count, width, seed):
    draw, made = Draw(seed), []
    for number in range(count):
        bits = list(draw.of(made)) if number % 2 else [draw.below(2) for _ in range(width)]
        for _ in range(draw.below(4)):
            bits[draw.below(width)] ^= 1
        made.append(bits)
    return "".join("".join(map(str, bits)) + "\n" for bits in made)


def set_lines(count, seed):
    draw, made = Draw(seed), []
    for number in range(count):
        elements = set(draw.of(made)) if number % 3 else {f"e{draw.below(200)}" for _ in range(5 + draw.below(12))}
        elements ^= {f"e{draw.below(200)}" for _ in range(draw.below(3))}
        made.append(sorted(elements))
    return "".join(f"s{number} " + " ".join(elements) + "\n" for number, elements in enumerate(made))


def edge_lines(seed):
    draw = Draw(seed)
    edges = "".join(f"n{draw.below(30)}\t{draw.of(['hub1', 'hub2', 'hub3', 'hub4', f'n{draw.below(30)}'])}\n" for _ in range(160))
    return "# a graph\n" + edges + "n1 hub1 0.5\n"


def table_lines(seed):
    draw, rows, made = Draw(seed), ["user,pizza,sushi,tacos,colour,size,pet"], []
    answers = [["yes", "no", "", "1", "0"]] * 3 + [["red", "blue", "green", ""], ["s", "m", "l"], ["cat", "dog", ""]]
    for number in range(40):
        row = list(draw.of(made)) if number % 3 else [draw.of(choices) for choices in answers]
        place = draw.below(len(answers))
        row[place] = draw.of(answers[place])
        made.append(row)
        rows.append(f"u{number}," + ",".join(row))
    return "\n".join(rows) + "\n"


FAULTY = """{"id":"f1","text":"one two three four five six seven"}
no record
{"id":"f2"}
{"id":"f3","text":7}
{"id":"f1","text":"its id was used before"}
{"id":"f4","text":"One two three four five six seven"}

{"id":"f5","text":"a lonely text about nothing at all"}
"""


def page(record):
    """A page that shows the text of a record."""
    words = record["text"].split()
    body = "</b> ".join(f"<b class='a>b'>{word}" if number % 5 == 0 else word for number, word in enumerate(words))
    return f"<!DOCTYPE html><html><head><title>{record['id']}</title><script>if (a < b) {{}}</script></head><body><h1>&Agrave; la carte</h1><p>{body}</p></body></html>"


def archive(records):
    """The pages of records as WARC."""
    for record in records:
        content = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page(record)
        yield (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.org/{record['id']}\r\nContent-Type: application/http; msgtype=response\r\n"
               f"Content-Length: {len(content.encode())}\r\n\r\n{content}\r\n\r\n").encode()


def text_files():
    docs, more = list(documents(90, 1, "d")), list(documents(40, 1, "m"))
    for record in more[20:]:
        record["text"] += " and a tail of its own that nobody else has"
    lines = "".join(map(json_line, docs)).encode()
    files = {
        "docs.jsonl": lines, "more.jsonl": "".join(map(json_line, more)), "docs.jsonl.gz": gzipped(lines),
        "docs.jsonl.zst": zstd(lines), "members.jsonl.gz": b"".join(gzipped(line) for line in lines.splitlines(True)),
        "open.jsonl": lines.rstrip(b"\n"), "crlf.jsonl": lines.replace(b"\n", b"\r\n"), "empty.jsonl": b"", "faulty.jsonl": FAULTY,
        "docs.csv": csv_text(docs), "docs.tsv": csv_text(docs, "\t"), "semicolon.csv": csv_text(docs, ";"), "crlf.csv": csv_text(docs, end="\r\n"),
        "headless.csv": csv_text(docs).split("\n", 1)[1], "docs.packed": packed(docs),
        "first-word.lines": "".join(f"{record['id']} {record['text']}\n" for record in docs),
        "docs.lines": "".join(record["text"] + "\n" for record in docs),
        "unicode.jsonl": "".join(map(json_line, documents(40, 5, "u", UNICODE + WORDS[:12]))),
        "nested.jsonl": "".join(json_line({"meta": {"key": r["id"], "body": r["text"]}, "title": r["lang"]}) for r in docs[:40]),
        "annotated.jsonl": '{"id":"a","text":"one","cluster":3}\n', "quoted.csv": 'id,text\n1,"a, ""b""\nc"\n2,a b c\n3,other\n',
        "list": "docs.jsonl\nmore.jsonl\n", "plan.txt": "jaccard>=0.7 recall=0.9 shingle=word:2 sketch=minhash:128 bands=25x5 verify=exact seed=3\n",
        "part1.jsonl": b"".join(lines.splitlines(True)[:35]), "part2.jsonl": b"".join(lines.splitlines(True)[35:]),
        "asked.jsonl": "".join(map(json_line, documents(15, 1, "q"))), "ids.txt": "d3\nd5\nnone\n",
    }
    files |= {f"folder/{'deep/' if number % 4 == 3 else ''}{number:02}.txt": record["text"] + "\n" for number, record in enumerate(docs[:30])}
    files |= {"folder/blob.bin": b"\x7fELF\x00\x01", "folder/.hidden.txt": "hidden\n", "code/a.c": "int f(int a) {\n  return a + 1;\n}\n",
              "code/b.c": "int f(int b) {\n  return b + 1;\n}\n", "code/c.c": "int f(int a) {\n  return a + 1;\n}\n// end\n"}
    files |= {f"pages/{number:02}.html": page(record) for number, record in enumerate(docs[:30])}
    files |= {"pages.jsonl": "".join(json_line(record | {"text": page(record)}) for record in docs[:40]), "crawl.warc": b"".join(archive(docs[:40])),
              "crawl.warc.gz": b"".join(map(gzipped, archive(docs[:40]))), "torn.warc": b"".join(archive(docs[:10]))[:-40]}
    return files


def number_files():
    rows = vectors(60, 16, 7)
    small = byte_rows(rows)
    return {
        "v.npy": npy(rows), "v.fvecs": fvecs(rows), "v.bvecs": bvecs(small), "v-idx3-ubyte": idx(small), "asked.npy": npy(vectors(12, 16, 7)),
        "v.txt": "".join(" ".join(map(str, row)) + "\n" for row in rows),
        "v.csv": ",".join(f"c{i}" for i in range(16)) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows),
        "v.svm": "".join("1 " + " ".join(f"{i}:{abs(x)}" for i, x in enumerate(row) if i % 3 and x) + "\n" for row in rows),
        "codes.bits": bit_lines(60, 40, 9), "asked.bits": bit_lines(10, 40, 9), "baskets.sets": set_lines(80, 11),
        "friends.edges": edge_lines(13), "answers.table": table_lines(15),
        "broken.npy": npy(rows)[:200],
    }


def write_all(folder):
    folder = Path(folder)
    for name, content in (text_files() | number_files()).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_all(sys.argv[1])
