"""What was typed after `nearkin`, as far as the package must understand it: which words are inputs and which are values of flags."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Optional

OUTPUT_FLAGS = ("--output", "--removed", "--skipped", "--ignored", "--hits", "--summary", "--stats", "--plot", "--report")
BINARY = Path(__file__).parent / "_bin" / "nearkin"

_FLAG_LINE = re.compile(r"^ +(?:(-\w), )?(--[a-z][a-z-]*)(?: (\S+))?(?:  |$)(.*)")
_CONTINUED = re.compile(r"\n {20,}")
_ADDRESS = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*(?:::[A-Za-z][A-Za-z0-9+.-]*)*://")


def is_address(word: str) -> bool:
    """scheme://..., that fsspec may open."""
    return _ADDRESS.match(word) is not None


def is_parquet(word: str) -> bool:
    return word.lower().endswith(".parquet")


@dataclass(frozen=True)
class Flag:
    name: str  #: --output
    value: str  #: what its value is called in the help; empty for a switch
    about: str

    @property
    def takes_value(self) -> bool:
        return self.value != ""

    @property
    def repeats(self) -> bool:
        return "may be repeated" in self.about

    @property
    def lists(self) -> bool:
        """Whether its value may be several, with commas between them."""
        return "," in self.value or self.name in ("--text", "--against-text")

    @property
    def default(self) -> Optional[str]:
        found = re.search(r"\(default (\w+)", self.about)
        return found.group(1) if found else None


@lru_cache(maxsize=None)
def flags_of(command: str) -> dict[str, Flag]:
    """All flags of a command by their names, -o and --output both; from its own help, so that there is one list of them."""
    text = subprocess.run([BINARY, "help", command], capture_output=True, text=True, check=True).stdout
    flags: dict[str, Flag] = {}
    for line in _CONTINUED.sub(" ", text).splitlines():
        if found := _FLAG_LINE.match(line):
            short, name, value, about = found.groups()
            flag = Flag(name, value or "", about)
            flags.update({spelled: flag for spelled in (short, name) if spelled})
    return flags


_FIELD = re.compile(r'(?:"((?:[^"]|"")*)"|((?!")[^,^]*))(?:\^[^,]*)?(?:,|$)')  # a name, in quotation marks or not, and how often it counts


def field_names(given: str, flag: str = "--text") -> list[str]:
    """The names of a list of fields, as the binary reads them: a name with a comma is in quotation marks, and weights do not count here."""
    names, at = [], 0
    while at < len(given):
        found = _FIELD.match(given, at)
        if found is None or found.end() == at:
            raise ValueError(f'{flag}: "{given}" has no closing quotation mark; write a name as "a, b", and double any mark inside a name')
        names.append(found.group(2) if found.group(1) is None else found.group(1).replace('""', '"'))
        at = found.end()
    return names


def as_field_name(name: str) -> str:
    """In quotation marks where a list of names needs them."""
    return '"' + name.replace('"', '""') + '"' if "," in name or '"' in name else name


class NotUnderstood(Exception):
    """The binary will say what is wrong."""


@dataclass
class Typed:
    """A command with its inputs and flags; a flag that is a switch has the value None."""

    command: str
    inputs: list[str] = field(default_factory=list)
    flags: list[tuple[str, Optional[str]]] = field(default_factory=list)

    def __contains__(self, name: str) -> bool:
        return any(flag == name for flag, _ in self.flags)

    def get(self, name: str, default: str = "") -> str:
        return next((value for flag, value in self.flags if flag == name and value is not None), default)

    def drop(self, *names: str) -> None:
        self.flags = [(flag, value) for flag, value in self.flags if flag not in names]

    def put(self, name: str, value: Optional[str] = None) -> None:
        self.drop(name)
        self.flags.append((name, value))

    @property
    def asks_what_if(self) -> bool:
        """What other borders would give: no rows of the input are written then."""
        return "--thresholds" in self or "--radii" in self

    @property
    def writes_rows(self) -> bool:
        """Whether rows of the input come out again."""
        return (self.command == "dedup" and not self.asks_what_if) or "--do" in self

    @property
    def keeps_faults(self) -> bool:
        """Whether rows that cannot be used come out as they are."""
        return self.get("--faults", "skip" if "--skipped" in self else "keep") == "keep"

    def words(self) -> list[str]:
        given = [word for flag, value in self.flags for word in ((flag,) if value is None else (f"{flag}={value}",))]
        return [self.command, *given, "--", *self.inputs]

    def parts(self) -> tuple[list[str], list[str]]:
        """What comes before the inputs (an action and an index), and the inputs."""
        before = 2 if self.command == "index" else 0
        return self.inputs[:before], self.inputs[before:]

    def listed(self) -> list[str]:
        """The paths that --files-from names, where it names a file."""
        path = self.get("--files-from")
        if not path or not os.path.isfile(path):
            return []
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return [line.rstrip("\r\n") for line in file if line.strip()]

    def copy(self) -> Typed:
        return Typed(self.command, list(self.inputs), list(self.flags))


def parse(words: list[str]) -> Typed:
    """Throws NotUnderstood for what the binary will refuse."""
    known = flags_of(words[0])
    typed = Typed(words[0])
    rest = iter(words[1:])
    behind, doubtful = "", False  # the flag whose value was the last word, if it was a word of its own
    for word in rest:
        if word == "--":
            typed.inputs.extend(rest)
        elif word == "-" or not word.startswith("-"):
            typed.inputs.append(word)
            doubtful = doubtful or behind == "--against"
            behind = ""
        else:
            typed.flags.append(_flag(word, rest, known))
            behind = word
    if doubtful and len(typed.inputs) + ("--files-from" in typed) > 1:
        raise NotUnderstood("--against")  # most likely a pattern of several files, of which all but one would be inputs
    return typed


def _flag(word: str, rest: object, known: dict[str, Flag]) -> tuple[str, Optional[str]]:
    name, equals, value = word.partition("=")
    if not word.startswith("--") and len(word) > 2 and not equals:
        name, equals, value = word[:2], "=", word[2:]
    flag = known.get(name)
    if flag is None or (equals and not flag.takes_value):
        raise NotUnderstood(word)
    if not flag.takes_value:
        return flag.name, None
    if not equals:
        found = next(rest, None)  # type: ignore[call-overload]
        if found is None:
            raise NotUnderstood(word)
        value = found
    return flag.name, value
