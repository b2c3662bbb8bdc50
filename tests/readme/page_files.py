"""Makes the files that the `sh` blocks, the tables and the lines "Try it" of the pages name, and stand-ins for the programs of others that they call.

Small ones: what is tested is that each command of a page does its work, not how long it takes. The lines of a page say what fields they have.
"""
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))
from make_data import (Draw, archive, bit_lines, bvecs, byte_rows, documents, edge_lines, gzipped, json_line, npy, set_lines, table_lines,  # noqa: E402
                       texts, vectors)

PROGRAM = """/* part {n} */
int largest(const int* values, int count) {{
  int best = values[0];
  for (int place = 1; place < count; ++place) if (values[place] > best) best = values[place];
  return best + {n};
}}
"""


def lines_of(records):
    return "".join(map(json_line, records))


def csv(rows):
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def text_files():
    docs = [record | {"body": record["text"], "url": f"http://example.org/{record['id']}"} for record in documents(60, 1, "d")]
    new = [record | {"url": "http://example.org/n"} for record in documents(25, 1, "n")]
    train = [{"id": f"t{number}", "text": text + " . " + text} for number, text in enumerate(texts(40, 3, least=20))]
    benchmark = [{"id": f"b{number}", "text": text} for number, text in enumerate(texts(20, 3, least=20)) if number % 23 != 22]
    frame = "the frame of every page with its menu and its footer"
    files = {
        "docs.jsonl": lines_of(docs), "new.jsonl": lines_of(new), "today.jsonl": lines_of(new[:9]), "handout.txt": docs[0]["text"] + "\n",
        "train.jsonl": lines_of(train), "gsm8k.jsonl": lines_of(benchmark[:10]), "mmlu.csv": csv([("id", "text")] + [(r["id"], r["text"].replace(",", "")) for r in benchmark[10:]]),
        "pages.jsonl": lines_of({"id": f"p{n}", "text": f"{frame} {record['text']}"} for n, record in enumerate(docs)),
    }
    files |= {f"part{n}.jsonl": lines_of(record | {"id": f"{n}-{record['id']}"} for record in docs[n * 12:n * 12 + 20]) for n in range(1, 5)}
    for folder, count in (("essays", 24), ("sources", 8), ("crawl", 20)):
        files |= {f"{folder}/student{n % 5}/{n}.txt": record["text"] + "\n" for n, record in enumerate(docs[:count])}
    files |= {f"in/{n}.jsonl": lines_of(docs[n * 20:n * 20 + 20]) for n in range(3)}
    files |= {f"scans/{n}.djvu": record["text"] + "\n" for n, record in enumerate(docs[:8])} | {f"essays/old{n}.doc": docs[n]["text"] + "\n" for n in range(3)}
    return files | {f"homework/{n}.c": PROGRAM.format(n=n) for n in range(6)}


def shop_files():
    draw, makers = Draw(5), ["Acme", "Blue Works", "Corda"]
    goods = [(f"{word} {draw.of(['lamp', 'table', 'chair'])} {draw.below(90)}", draw.of(makers)) for word in next(texts(1, 9, least=30)).split()]
    places = [(name, f"{draw.below(99)} {maker} road", draw.of(["Ulm", "Graz", "Bern"])) for name, maker in goods]
    return {
        "shop.csv": csv([("id", "name", "maker")] + [(f"a{n}", *row) for n, row in enumerate(goods)]),
        "supplier.csv": csv([("sku", "label", "maker")] + [(f"s{n}", name.upper() + " new", maker) for n, (name, maker) in enumerate(goods[:20])]),
        "shops.csv": csv([("id", "name", "street", "town")] + [(f"a{n}", *row) for n, row in enumerate(places)]),
        "register.csv": csv([("id", "name", "street", "town")] + [(f"r{n}", name + " Ltd", *rest) for n, (name, *rest) in enumerate(places[:20])]),
        "pairs.csv": csv([("left", "right")] + [(f"a{n}", f"r{n}") for n in range(20)]),
    }


def number_files():
    rows = vectors(60, 16, 7)
    digits = byte_rows(vectors(90, 784, 8))
    return {
        "vectors.npy": npy(rows), "asked.npy": npy(rows[:9]), "digits.bvecs": bvecs(digits), "asked.bvecs": bvecs(digits[:9]), "friends.edges": edge_lines(13),
        "answers.table": table_lines(15), "hashes.bits": bit_lines(60, 64, 9), "codes.bits": bit_lines(60, 64, 9), "asked.bits": bit_lines(10, 64, 9),
    }


def table_files():
    """What the commands in tables name besides: two tables whose rows are alike, a table of people, sets, a matrix, notes, programs."""
    draw, docs = Draw(21), list(documents(40, 1, "d"))
    places = [(record["text"].split()[0] + f" {n}", f"{draw.below(90)} {draw.of(['mill', 'church', 'station'])} road", 1950 + draw.below(60)) for n, record in enumerate(docs)]
    head = ("id", "name", "address", "year")
    files = {
        "a.csv": csv([head] + [(f"a{n}", *row) for n, row in enumerate(places)]),
        "b.csv": csv([head] + [(f"b{n}", name + " Ltd", *rest) for n, (name, *rest) in enumerate(places[:25])]),
        "pairs.csv": csv([("left", "right")] + [(f"a{n}", f"b{n}") for n in range(25)]),
        "people.csv": csv([("id", "name", "born")] + [(f"p{n}", places[n % 30][0], places[n % 30][2]) for n in range(40)]),
        "old.jsonl": lines_of(docs[:20]), "baskets.sets": set_lines(40, 11), "rows.txt": "1 0 0 1\n0 0 1 0\n0 1 0 1\n1 0 1 1\n0 0 1 0\n",
        "a.txt": docs[0]["text"] + "\n", "b.txt": docs[0]["text"] + " and more\n", "crawl.warc.gz": b"".join(map(gzipped, archive(docs))),
        "decisions.tsv": "d0\td3\taccept\nd1\td2\treject\n",
    }
    files |= {"suite.jsonl": lines_of(docs[:10]), "theirs.jsonl": lines_of(docs[5:25])}
    files |= {f"programs/student{n}/main.c": PROGRAM.format(n=n) for n in range(4)}
    files |= {f"notes/{n}.txt": record["text"] + "\n" for n, record in enumerate(docs[:12])}
    return files | {f"src/{n}.c": PROGRAM.format(n=n) for n in range(6)}


def write_files(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def write_all(folder):
    write_files(folder, text_files() | shop_files() | number_files())
    key = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.pem"]
    subprocess.run(key, cwd=folder, check=True, capture_output=True)
    (folder / "server.key").chmod(0o600)
    (folder / ".local/share/bash-completion/completions").mkdir(parents=True)


def write_stand_ins(folder):
    """Programs that show the text of the last file they are called with, or of standard input."""
    folder.mkdir()
    for name in ("antiword", "djvutxt", "man"):
        (folder / name).write_text('#!/bin/sh\nfor last; do :; done\n[ -f "$last" ] || last=-\nexec cat -- "$last"\n')
        (folder / name).chmod(0o755)
