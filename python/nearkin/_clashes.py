"""Outputs that would take the place of one another, or of what is read, are refused before anything is read, in the words of the command line."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import Any, Hashable, Optional

from ._flags import OUTPUT_FLAGS, Typed, is_address

_STANDARD = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


@dataclass(frozen=True)
class Read:
    """A file that is read, or a folder whose files are."""

    path: str
    role: str  #: "also an input", "read as --against"


def _place(path: str) -> Optional[Hashable]:
    """The same for two names of one file; None for a device, which several may share."""
    if is_address(path):
        return path
    if path in _STANDARD:
        return "-"
    try:
        found = os.stat(path)
    except OSError:
        return os.path.realpath(path)
    if stat.S_ISCHR(found.st_mode):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else os.path.realpath(path)


def _named_outputs(typed: Typed, sources: list[Any]) -> list[tuple[str, str]]:
    """Flag and path; a folder of outputs stands for its files."""
    named = [(flag, typed.get(flag)) for flag in OUTPUT_FLAGS if typed.get(flag)]
    if "--output" not in typed:
        named.insert(0, ("--output", "-"))
    target = typed.get("--output")
    if not typed.writes_rows or not (target.endswith("/") or os.path.isdir(target)):
        return named
    return [("--output", os.path.join(target, source.found.relative)) for source in sources] + named[1:]


def refuse_clashes(typed: Typed, sources: list[Any], reads: list[Read]) -> None:
    """`sources`: the Parquet files of INPUT. Throws ValueError. Every name is looked up once: a folder may stand for many."""
    folders = [read for read in reads if not is_address(read.path) and os.path.isdir(read.path)]
    files = {_place(read.path): read for read in reads}
    seen: dict[Hashable, str] = {}
    for flag, path in _named_outputs(typed, sources):
        for folder in folders:
            _refuse_inside(flag, path, folder)
        place = _place(path)
        if place is None:
            continue
        if seen.setdefault(place, flag) != flag:
            _refuse_shared(flag, path, seen[place])
        if place != "-" and place in files and not _may_replace(typed, flag, files[place]):
            raise ValueError(f"{flag}: {path} is {files[place].role}; name another file")


def _refuse_shared(flag: str, path: str, earlier: str) -> None:
    if path in _STANDARD and earlier == "--output":
        raise ValueError(f"{flag}: standard output already takes the result; name a file, or give -o FILE")
    role = "output" if earlier == "--output" else f"{earlier} file"
    raise ValueError(f"{flag}: {'standard output' if path in _STANDARD else path} is the {role} already; name another file")


def _refuse_inside(flag: str, path: str, folder: Read) -> None:
    """As a folder is walked: what is hidden in it is not read; what lies outside begins with "..", and is as little."""
    if path in _STANDARD or is_address(path):
        return
    below = os.path.relpath(os.path.realpath(path), os.path.realpath(folder.path))
    if any(part.startswith(".") for part in below.split(os.sep)):
        return
    if os.path.isfile(path):
        raise ValueError(f"{flag}: {path} is {folder.role}, as it is in {folder.path}; name another file")
    raise ValueError(f"{flag}: {path} is in {folder.path}, a folder that is read, and would be an item of the next run; name a file outside of it")


def _may_replace(typed: Typed, flag: str, read: Read) -> bool:
    """What dedup keeps of a file may take its place when it is complete."""
    return flag == "--output" and typed.command == "dedup" and typed.writes_rows and read.role == "also an input"
