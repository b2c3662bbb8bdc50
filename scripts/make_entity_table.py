#!/usr/bin/env python3
"""Writes src/io/formats/html_references.inc: the named character references of HTML, from Python's copy of the standard's table."""

import html.entities
import pathlib

names = {name[:-1] for name in html.entities.html5 if name.endswith(";")}
lines = ["// Made by scripts/make_entity_table.py. Ascending; `bare`: also without the semicolon.\n"]
for name in sorted(names):
    value = "".join(f"\\x{byte:02X}" for byte in html.entities.html5[name + ";"].encode())
    bare = "true" if name in html.entities.html5 else "false"
    lines.append(f'{{"{name}", "{value}", {bare}}},\n')
path = pathlib.Path(__file__).parent.parent / "src/io/formats/html_references.inc"
path.write_text("".join(lines), encoding="ascii")
