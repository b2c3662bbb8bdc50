"""The documents that all tools are given: JSONL, {"id":"17","text":"..."}, the id being the number of the line from 0.

A text is written as its words, lower case, one blank between them, so that every tool finds the same words whatever it does about
case and punctuation. Letters with accents lose them, what is not ASCII then is left out. Documents of fewer than five words are left
out, because the tools differ in what a text shorter than one shingle is.
"""
import collections
import html.parser
import json
import lzma
import pathlib
import re
import shutil
import subprocess
import unicodedata

Corpus = collections.namedtuple("Corpus", "name what path documents bytes words")
LEAST_WORDS = 5
BOOST = ("libboost1.74-doc", "libboost1.81-doc")
WORD = re.compile(r"[a-z0-9]+")


class Skipped(Exception):
    """Why a corpus cannot be had here."""


def words_of(text):
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return WORD.findall(text.lower())


def write(name, what, texts, folder):
    path, documents, words = folder / f"{name}.jsonl", 0, 0
    with open(path, "w", encoding="utf-8") as file:
        for text in texts:
            found = words_of(text)
            if len(found) < LEAST_WORDS:
                continue
            file.write(json.dumps({"id": str(documents), "text": " ".join(found)}) + "\n")
            documents += 1
            words += len(found)
    if documents < 2:
        raise Skipped("no documents found")
    return Corpus(name, what, path, documents, path.stat().st_size, words)


# ------------------------------------------------------------------------------------------------------------- generated text

def generated(documents):
    def make(name, folder, tools):
        raw = folder / "raw.jsonl"
        flags = ["--documents", str(documents), "--words", "60", "--near", "0.2", "--exact", "0.02", "-o", raw]
        subprocess.run([tools.generate, *flags], check=True)
        with open(raw, encoding="utf-8") as lines:
            texts = (json.loads(line)["text"] for line in lines)
            corpus = write(name, "generated, a fifth edited copies, 2 % exact copies", texts, folder)
        raw.unlink()
        return corpus
    return make


# ------------------------------------------------------------------------------------------------------------- ../shared/data

def spoken(cell):
    """Cells spell newline and backslash with a backslash."""
    return re.sub(r"\\(.)", lambda pair: "\n" if pair.group(1) == "n" else pair.group(1), cell)


def table(file, column, what):
    def make(name, folder, tools):
        path = tools.shared / name / file
        if not path.exists():
            raise Skipped("no ../shared/data")
        opened = lzma.open if path.suffix == ".xz" else open
        with opened(path, "rt", encoding="utf-8", errors="replace", newline="\n") as lines:
            rows = (line.rstrip("\n").split("\t") for line in lines)
            return write(name, what, (spoken(row[column]) for row in rows if len(row) > column), folder)
    return make


# ------------------------------------------------------------------------------------------------------------- Debian's boost pages

class PageText(html.parser.HTMLParser):
    """What a page says, without its marks, scripts and styles."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.parts, self.hidden = [], 0

    def handle_starttag(self, tag, attributes):
        self.hidden += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style") and self.hidden > 0

    def handle_data(self, data):
        if not self.hidden:
            self.parts.append(data)


def page_text(path):
    page = PageText()
    page.feed(path.read_text(encoding="utf-8", errors="replace"))
    page.close()
    return " ".join(page.parts)


def unpack(packages, folder):
    """Downloads and unpacks; nothing is installed."""
    for command in (["apt-get", "download", *packages], *(["dpkg-deb", "-x", package, "."] for package in packages)):
        if command[0] == "dpkg-deb":
            command[2] = str(next(folder.glob(f"{command[2]}_*.deb")))
        try:
            subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            lines = (getattr(error, "stderr", "") or str(error)).strip().split("\n")
            raise Skipped(f"{' '.join(command[:2])} failed: {lines[-1]}")


def boost(name, folder, tools):
    room = folder / "boost"
    room.mkdir(exist_ok=True)
    try:
        unpack(BOOST, room)
        found = (path for package in BOOST for path in sorted((room / "usr/share/doc" / package).rglob("*.html")))
        pages = [path for path in found if not path.is_symlink()]
        return write(name, f"pages of Debian's {' and '.join(BOOST)}", map(page_text, pages), folder)
    finally:
        shutil.rmtree(room)


MAKERS = {
    "sms-spam": table("sms.tsv", 2, "short messages"),
    "bbc-news": table("bbc_news.tsv", 2, "news articles"),
    "reuters21578": table("reuters21578.tsv.xz", 3, "newswire items"),
    "boost-doc": boost,
    "generated-100k": generated(100_000),
    "generated-1m": generated(1_000_000),
    "generated-2k": generated(2_000),
}
SMALL = ["generated-2k"]
USUAL = [name for name in MAKERS if name not in SMALL]


def parts(corpus, count):
    """A folder with the corpus cut into so many files, for tools that take a file a worker; and the first row of each."""
    folder = pathlib.Path(f"{corpus.path}.{count}-parts")
    bounds = [corpus.documents * part // count for part in range(count + 1)]
    if not folder.exists():
        folder.mkdir()
        with open(corpus.path, encoding="utf-8") as lines:
            for part in range(count):
                with open(folder / f"{part:05d}.jsonl", "w", encoding="utf-8") as file:
                    file.writelines(next(lines) for _ in range(bounds[part + 1] - bounds[part]))
    return folder, bounds[:-1]
