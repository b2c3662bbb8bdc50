"""Outputs that would take the place of one another, or of what is read, are refused before anything is read, in the words of the command line."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import Any, Hashable, Optional

from ._flags import Typed, is_address

_OUTPUTS = ("--output", "--removed", "--skipped", "--summary", "--stats", "--plot", "--report")
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
    named = [(flag, typed.get(flag)) for flag in _OUTPUTS if typed.get(flag)]
    if "--output" not in typed:
        named.insert(0, ("--output", "-"))
    target = typed.get("--output")
    if typed.command != "dedup" or not (target.endswith("/") or os.path.isdir(target)):
        return named
    return [("--output", os.path.join(target, source.found.relative)) for source in sources] + named[1:]


def refuse_clashes(typed: Typed, sources: list[Any], reads: list[Read]) -> None:
    """`sources`: the Parquet files of INPUT. Throws ValueError."""
    outputs = _named_outputs(typed, sources)
    for at, (flag, path) in enumerate(outputs):
        place = _place(path)
        for earlier, other in outputs[:at]:
            if place is not None and place == _place(other) and earlier != flag:
                _refuse_shared(flag, path, earlier)
        for read in reads:
            _refuse_replaced(typed, flag, path, place, read)


def _refuse_shared(flag: str, path: str, earlier: str) -> None:
    if path in _STANDARD and earlier == "--output":
        raise ValueError(f"{flag}: standard output already takes the result; name a file, or give -o FILE")
    role = "output" if earlier == "--output" else f"{earlier} file"
    raise ValueError(f"{flag}: {'standard output' if path in _STANDARD else path} is the {role} already; name another file")


def _refuse_replaced(typed: Typed, flag: str, path: str, place: Optional[Hashable], read: Read) -> None:
    if not is_address(read.path) and os.path.isdir(read.path):
        below = os.path.relpath(os.path.realpath(path), os.path.realpath(read.path))
        if os.path.isfile(path) and not any(part.startswith(".") for part in below.split(os.sep)):
            raise ValueError(f"{flag}: {path} is {read.role}, as it is in {read.path}; name another file")
        return
    # What dedup keeps of a file may take its place when it is complete.
    replaces = flag == "--output" and typed.command == "dedup" and "--thresholds" not in typed and "--radii" not in typed and read.role == "also an input"
    if place is not None and place != "-" and place == _place(read.path) and not replaces:
        raise ValueError(f"{flag}: {path} is {read.role}; name another file")
