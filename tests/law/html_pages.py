#!/usr/bin/env python3
"""Pages against a second reader of HTML: html_pages.py BINARY [--pages N] [--seed S] [FILE.html ...]

Random pages, full of what is never written well, and the files that are named. The visible text of each by html5lib's tokeniser must be what nearkin
reads, to the byte: both are in one cluster of equal texts. Without html5lib (Debian's python3-html5lib) pages are made of their texts instead.
"""
import argparse
import io
import pathlib
import random
import subprocess
import sys
import tempfile

from roads.items import as_visible
from roads.layout import as_page

try:
    from html5lib._tokenizer import HTMLTokenizer
except ImportError:
    HTMLTokenizer = None

GAPS = {"paragraph": (4, "address article aside blockquote body details dialog dir dl fieldset figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html "
                         "listing main menu nav ol p plaintext pre search section table ul xmp"),
        "line": (3, "br caption center dd div dt figcaption legend li optgroup option select summary tbody textarea tfoot thead tr"), "cell": (2, "td th")}
GAP = {name: weight for weight, names in GAPS.values() for name in names.split()}
WRITTEN = {1: " ", 2: "\t", 3: "\n", 4: "\n\n"}
BLANKS = " \n\t\r\f"
ATOMS = ["<", "</", ">", "/>", "<!--", "-->", "--!>", "<!-->", "<!", "<?", "<![CDATA[", "]]>", "&", "&amp;", "&lt", "&notit;", "&not", "&#65;", "&#x41", "&#0;", "&#128;",
         "&#xD800;", "&#1114112;", "&nLt;", "&nosuch;", "&#", "&#x", "=", '"', "'", " ", "\n", "\r\n", "\t", "a", "b", "word", "é", "日本", "<p>", "</p>", "<b>", "</b>", "<br>",
         "<br/>", "<td>", "<pre>", "</pre>", "<script>", "</script>", "<style>", "</style>", "<title>", "</title>", "<textarea>", "</textarea>", "<xmp>", "</xmp>", "<svg>",
         "</svg>", "<template>", "</template>", "<noscript>", "</noscript>", "<body>", "<iframe>", "</iframe>", "<plaintext>", '<a href="x>y">', "<a href='x>y'>",
         '<a b=c="d>e">', '<a ="x>">', "<a b=\"c\"d='e'>", '<a b/="x>">', '<a b = "c>" >', "<img src=x/>", '</a b=">">', "<sCRIPT>", "</sCripT >", "<script", "</script",
         "<x-y>", "<1>", "<é>", "<li>", "&nbsp;", "&hearts", "&copycat;", "<math/>", "<svg/>", "<title/>", "--", "-", "!", "</>", "</ >"]


class Element:
    """What html5lib's tokeniser asks of the tree: whether CDATA is text here."""
    namespace = "html"


class Tree:
    defaultNamespace = "html"

    def __init__(self):
        self.openElements = [Element()]


class Parser:
    def __init__(self):
        self.tree = Tree()


class Reader:
    """The rules of src/io/formats/html.h over the tokens of html5lib."""

    def __init__(self, page):
        self.tokens = HTMLTokenizer(io.StringIO(page))
        self.tokens.parser = Parser()
        self.out, self.gap, self.raw, self.first = [], 0, None, False
        self.kept = self.hidden = self.foreign = 0
        self.noscript = False

    def text(self):
        for token in self.tokens:
            kind, first, self.first = token["type"], self.first, False
            if kind in (1, 2):
                self.characters(token["data"], first)
            elif kind in (3, 5):
                self.start(token)
            elif kind == 4:
                self.end(token["name"])
        self.trim()
        return "".join(self.out)

    def trim(self):
        while self.out and self.out[-1] in BLANKS:
            self.out.pop()

    def separate(self, name):
        if not self.hidden and not self.noscript:
            self.gap = max(self.gap, GAP.get(name, 0))

    def put(self, character):
        if self.gap >= 2:
            self.trim()
        if self.gap and self.out:
            self.out.extend(WRITTEN[self.gap])
        self.gap = 0
        self.out.append(character)

    def characters(self, data, first):
        if self.hidden or self.noscript or self.raw in ("style", "title", "iframe", "noembed", "noframes", "script"):
            return
        collapsed = not self.kept and self.raw is None
        for character in data[1:] if first and data.startswith("\n") else data:
            if collapsed and character in BLANKS:
                self.gap = max(self.gap, 1)
            else:
                self.put(character)

    def start(self, token):
        name = token["name"]
        self.noscript = self.noscript and name != "body"
        self.separate(name)
        if token["selfClosing"] and (self.foreign or name in ("svg", "math")):
            token["selfClosingAcknowledged"] = True
        elif name in ("svg", "math"):
            self.in_foreign(self.foreign + 1)
        elif name == "template":
            self.hidden += 1
        elif name == "noscript":
            self.noscript = True
        elif name in ("pre", "listing"):
            self.kept, self.first = self.kept + 1, True
        else:
            states = {"title": "rcdata", "textarea": "rcdata", "script": "scriptData", "plaintext": "plaintext"}
            states |= dict.fromkeys(("style", "iframe", "noembed", "noframes", "xmp"), "rawtext")
            if name in states:
                self.tokens.state, self.raw, self.first = getattr(self.tokens, states[name] + "State"), name, name == "textarea"

    def end(self, name):
        self.raw = None if self.raw == name else self.raw
        if name in ("pre", "listing"):
            self.kept = max(0, self.kept - 1)
        elif name in ("svg", "math"):
            self.in_foreign(max(0, self.foreign - 1))
        elif name == "template":
            self.hidden = max(0, self.hidden - 1)
        elif name == "noscript":
            self.noscript = False
        self.separate(name)

    def in_foreign(self, depth):
        self.foreign = depth
        self.tokens.parser.tree.openElements[0].namespace = "svg" if depth else "html"


def cases(draw, count, named):
    """Pages and their visible texts."""
    for _ in range(count):
        atoms = draw.choices(ATOMS, k=draw.randint(1, draw.choice([5, 15, 60])))
        if HTMLTokenizer:
            page = "".join(atoms)
            yield page, Reader(page).text()
        else:
            text = as_visible("".join(atoms))
            yield as_page(text), text
    for path in named if HTMLTokenizer else []:
        page = pathlib.Path(path).read_text(encoding="utf-8", errors="replace").replace("\0", "")
        yield page, Reader(page).text()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="*")
    asked = parser.parse_args()
    made = list(cases(random.Random(asked.seed), asked.pages, asked.files))
    with tempfile.TemporaryDirectory() as folder:
        for number, (page, text) in enumerate(made):
            # A page that declares an encoding would be read in it; these are UTF-8.
            (pathlib.Path(folder) / f"{number}.html").write_bytes(b"\xef\xbb\xbf" + page.encode())
            (pathlib.Path(folder) / f"{number}.txt").write_bytes(text.encode())
        line = [asked.binary, "cluster", folder, "--measure", "exact", "--normalise", "none", "-q"]
        found = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    clusters = dict(row.split("\t")[:2] for row in found.splitlines())
    wrong = [number for number, (_, text) in enumerate(made)
             if text and clusters[f"{folder}/{number}.html"] != clusters[f"{folder}/{number}.txt"]]
    for number in wrong[:5]:
        print(f"page {made[number][0]!r}\n  should read {made[number][1]!r}")
    print(f"{len(made)} pages, {'html5lib' if HTMLTokenizer else 'made of their texts'}: {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
