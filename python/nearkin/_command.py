"""The command `nearkin`: the binary that comes with the package, which Parquet files and fsspec addresses reach through the package."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, NoReturn

from ._datasets import is_saved
from ._flags import BINARY, NotUnderstood, Typed, flags_of, is_address, is_parquet, parse
from ._places import holds_parquet

_READERS = ("pairs", "cluster", "dedup", "sketch", "query", "index", "tune", "evaluate", "distinct", "passages", "decontaminate")


def main() -> NoReturn:
    words = sys.argv[1:]
    typed = for_package(words)
    if typed is None:
        os.execv(BINARY, [os.fspath(BINARY), *words])
    sys.exit(_run(typed))


def for_package(words: list[str]) -> Any:
    """What was typed, where it names Parquet or an address; None where the binary can do it alone."""
    if not words or words[0] not in _READERS or "-h" in words or "--help" in words:
        return None
    if not any(_may_concern(word) for word in words):
        return None
    try:
        typed = parse(words)
    except NotUnderstood:
        return None
    return typed if _concerns(typed) else None


def _may_concern(word: str) -> bool:
    """A first look, that costs no run of the binary."""
    return ".parquet" in word.lower() or word.endswith("parquet") or "://" in word or "--files-from" in word or os.path.isdir(word) or os.path.isdir(word.partition("=")[2])


def _concerns(typed: Typed) -> bool:
    values = [value for _, value in typed.flags if value]
    if typed.get("--format") == "parquet" or any(is_parquet(word) or is_address(word) for word in [*typed.inputs, *values, *typed.listed()]):
        return True
    suites = [word for flag, value in typed.flags if flag == "--against" and value for word in (value, value.partition("=")[2])]
    return any(os.path.isdir(word) and (holds_parquet(word) or is_saved(word)) for word in [*typed.parts()[1], *typed.listed(), *suites])


class _Ended(BaseException):
    """By a signal."""


def _run(typed: Typed) -> int:
    from ._files import run

    received: list[int] = []

    def end(number: int, _: Any) -> None:
        received.append(number)
        raise _Ended

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)
    try:
        shows = "--progress" in flags_of(typed.command) and "--progress" not in typed
        if shows and sys.stderr.isatty() and "--quiet" not in typed:
            typed.put("--progress", "always")  # its standard error may be a pipe to here
        status = run(typed, None, tied=True)
    except (ValueError, OSError) as error:
        print(f"nearkin: {error}", file=sys.stderr)
        return 2
    except _Ended:
        status = -received[0]
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


if __name__ == "__main__":
    main()
