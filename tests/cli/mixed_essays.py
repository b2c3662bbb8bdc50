#!/usr/bin/env python3
"""A folder of 200 essays in every format that is read, among them 20 copies with some words changed, in another format than the original: one command finds
these and nothing else. What no program here can read is left out of the folder, and said. Usage: mixed_essays.py NEARKIN"""
import random
import shutil
import subprocess
import sys
import tempfile
import zipfile
from html import escape
from pathlib import Path

ESSAYS, COPIES, WORDS, CHANGED = 180, 20, 300, 12


def text(words):
    return " ".join(words)


def paragraphs(words):
    return [text(words[begin:begin + 60]) for begin in range(0, len(words), 60)]


def write_txt(path, words):
    path.write_text("\n\n".join(paragraphs(words)) + "\n")


def write_html(path, words):
    body = "\n".join(f"<p>{escape(part)}</p>" for part in paragraphs(words))
    path.write_text(f"<!DOCTYPE html><html><head><title>Essay</title><style>p {{ margin: 0 }}</style></head><body><script>var x = 1;</script>{body}</body></html>")


def write_eml(path, words):
    path.write_text("From: a@example.org\nSubject: essay\nContent-Type: text/plain; charset=utf-8\n\n" + "\n\n".join(paragraphs(words)) + "\n")


def write_rtf(path, words):
    path.write_text("{\\rtf1\\ansi " + "\\par ".join(paragraphs(words)) + "}")


def write_zip(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content, zipfile.ZIP_STORED if name == "mimetype" else None)


def write_docx(path, words):
    kinds = "http://schemas.openxmlformats.org/package/2006/content-types"
    links = "http://schemas.openxmlformats.org/package/2006/relationships"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "".join(f"<w:p><w:r><w:t>{part}</w:t></w:r></w:p>" for part in paragraphs(words))
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    write_zip(path, {
        "[Content_Types].xml": f'<Types xmlns="{kinds}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
                               f'<Override PartName="/word/document.xml" ContentType="{main}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{links}"><Relationship Id="r1" Type="{office}" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{word}"><w:body>{body}</w:body></w:document>'})


def write_odt(path, words):
    office, of_text = "urn:oasis:names:tc:opendocument:xmlns:office:1.0", "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    style, fo = "urn:oasis:names:tc:opendocument:xmlns:style:1.0", "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
    body = "".join(f"<text:p>{part}</text:p>" for part in paragraphs(words))
    write_zip(path, {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "META-INF/manifest.xml": '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        "styles.xml": f'<office:document-styles xmlns:office="{office}" xmlns:style="{style}" xmlns:text="{of_text}" xmlns:fo="{fo}"><office:font-face-decls/>'
                      "<office:styles/><office:automatic-styles/><office:master-styles/></office:document-styles>",
        "content.xml": f'<office:document-content xmlns:office="{office}" xmlns:text="{of_text}" xmlns:style="{style}"><office:automatic-styles/><office:body><office:text>{body}</office:text></office:body>'
                       "</office:document-content>"})


def write_epub(path, words):
    body = "".join(f"<p>{part}</p>" for part in paragraphs(words))
    write_zip(path, {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
                                  '<rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "c.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
                 '<dc:identifier id="i">x</dc:identifier><dc:title>Essay</dc:title><dc:language>en</dc:language></metadata>'
                 '<manifest><item id="t" href="t.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="t"/></spine></package>',
        "t.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Essay</title></head><body>{body}</body></html>'})


def write_pdf(path, words):
    """Pages of lines in one of the fonts that every reader has."""
    lines = [text(words[begin:begin + 10]) for begin in range(0, len(words), 10)]
    content = "BT /F1 10 Tf 14 TL 50 780 Td " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
               f"<< /Length {len(content)} >>\nstream\n{content}\nendstream", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    out, offsets = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    path.write_bytes((out + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n"
                            f"startxref\n{len(out)}\n%%EOF\n").encode())


WRITERS = {"txt": (write_txt, None), "html": (write_html, None), "eml": (write_eml, None), "pdf": (write_pdf, "pdftotext"), "rtf": (write_rtf, "pandoc"),
           "docx": (write_docx, "pandoc"), "odt": (write_odt, "pandoc"), "epub": (write_epub, "pandoc")}


def main():
    nearkin = Path(sys.argv[1]).resolve()
    draw = random.Random(7)
    vocabulary = ["".join(draw.choice("abcdefghijklmnoprstu") for _ in range(draw.randint(2, 9))) for _ in range(4000)]
    there = [ending for ending, (_, program) in WRITERS.items() if program is None or shutil.which(program)]
    absent = [f"{ending} ({program})" for ending, (_, program) in WRITERS.items() if ending not in there]
    if absent:
        print("skipped, because the program is not installed: " + ", ".join(absent))
    with tempfile.TemporaryDirectory() as folder:
        essays, expected = Path(folder) / "essays", set()
        essays.mkdir()
        originals = []
        for number in range(ESSAYS):
            words = draw.choices(vocabulary, k=WORDS)
            ending = there[number % len(there)]
            originals.append((f"{number:03}.{ending}", words))
            WRITERS[ending][0](essays / originals[-1][0], words)
        for number in range(COPIES):
            name, words = originals[number * 7]
            copied = list(words)
            for place in draw.sample(range(0, WORDS, 10), CHANGED):
                copied[place] = draw.choice(vocabulary)
            ending = there[(there.index(name.partition(".")[2]) + 1 + number % (len(there) - 1)) % len(there)]
            copy = f"{900 + number}.{ending}"
            WRITERS[ending][0](essays / copy, copied)
            expected.add((f"essays/{name}", f"essays/{copy}"))
        run = subprocess.run([nearkin, "pairs", "essays", "--threshold", "0.6", "--shingle", "word:3", "--recall", "1"], cwd=folder, capture_output=True, text=True)
        found = {tuple(line.split("\t")[:2]) for line in run.stdout.splitlines()}
        if run.returncode != 0 or found != expected:
            print(run.stderr)
            sys.exit(f"status {run.returncode}; not found: {sorted(expected - found)}; too many: {sorted(found - expected)}")
        print(f"{ESSAYS + COPIES} essays as {', '.join(there)}: {len(found)} copied pairs, all found and no other")


if __name__ == "__main__":
    main()
