"""The inputs of a run made such as the binary can read: Parquet files as streams of JSON lines, addresses as files, and a plan that fits the data."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Optional, Sequence

from . import _core
from ._clashes import Read, refuse_clashes
from ._datasets import refuse_saved
from ._feed import Called, Child, Stream
from ._flags import BINARY, Typed, field_names, flags_of, is_address, is_parquet
from ._parquet import Columns, Source, require_pyarrow
from ._places import Found, Work, expand, holds_parquet

_JSON_LINES = re.compile(r"\.(jsonl|ndjson|json)(\.gz|\.zst)?$", re.IGNORECASE)
_SAMPLE_BYTES = 8 << 20  # of text in a sample for a plan, as the binary looks at no more
_NO_ID = "#id"  # the field of JSON lines that has the places of rows, where ids are not to be read
_PATH_FLAGS = ("--output", "--removed", "--skipped", "--ignored", "--ignore", "--hits", "--summary", "--stats", "--plot", "--report", "--scratch", "--index", "--files-from", "--against", "--truth", "--decisions")


@dataclass
class Ready:
    """A run that only needs to be started."""

    typed: Typed
    streams: list[Stream] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)  #: of INPUT, in its order
    others: list[str] = field(default_factory=list)  #: inputs that are no Parquet files
    cwd: Optional[str] = None
    scratch: Optional[str] = None  #: for what the binary must put into files
    rows: int = 0  #: of all sources, those of --against too
    left_out: list[str] = field(default_factory=list)  #: what is to be said of folders
    called: dict[str, Called] = field(default_factory=dict)  #: files of the package's own, and what they stand for
    packed: bool = False  #: the binary reads packed items, not JSON lines

    def start(self, say: Optional[Callable[[bytes], Any]], tied: bool, result: bool = False) -> Child:
        self.packed = _held(self)
        if self.streams:
            self.typed.put("--format", "packed" if self.packed else "jsonl")
        return Child(self.typed.words(), self.streams, result=result, say=say, cwd=self.cwd, scratch=self.scratch, tied=tied, called=self.called)


@contextmanager
def prepared(typed: Typed, work: Work) -> Iterator[Ready]:
    """Throws ValueError and OSError, in the house's words, for inputs that cannot be read."""
    ready = Ready(typed)
    try:
        _take_listed(typed)
        given, against = typed.parts()[1], typed.get("--against")
        _take_inputs(ready, work)
        if ready.streams:
            refuse_clashes(typed, ready.sources, _reads(ready, given, against))
        if typed.get("--format") == "parquet":
            typed.drop("--format")
        if ready.streams:
            _name_places(ready)
            _require_json_lines(ready)
            _refuse_useless(ready)
            _take_scratch(ready, work)
            if _is_read_twice(typed):
                for stream in ready.streams:
                    stream.store(ready.scratch or ".")
            elif not typed.get("--plan"):
                _choose_plan(ready, work)
        if ready.cwd:
            _make_absolute(typed)
        yield ready
    finally:
        for stream in ready.streams:
            stream.close()


def _name_places(ready: Ready) -> None:
    """Where ids are not to be read, the rows of Parquet bring their places in a field; other files have none."""
    typed, against = ready.typed, ready.typed.get("--against")
    if against and typed.command != "decontaminate" and _id_of_other(typed) == "none":
        typed.put("--against-id", _NO_ID if any(stream.argument == against for stream in ready.streams) else "none")
    if typed.get("--id") == "none" and (ready.sources or typed.command == "query"):
        typed.put("--id", _NO_ID)


def _id_of_other(typed: Typed) -> str:
    return typed.get("--against-id") or typed.get("--id", "id")


def _is_read_twice(typed: Typed) -> bool:
    """Whether the binary must read the rows more than once: field by field, to count shingles first, or to choose a plan for each value itself."""
    return "--score" in typed or "--ignore-common" in typed or "--sweep" in typed


def _has_queries(typed: Typed) -> bool:
    """Whether the second input is one of its own, and not more of the first."""
    return typed.command == "query" or (typed.command == "evaluate" and "--truth" not in typed)


def _reads(ready: Ready, given: list[str], against: str) -> list[Read]:
    """The files that a run reads, and the folders that were named."""
    ours = {id(source) for source in ready.sources}
    reads = [Read(word, "also an input") for word in given if not is_address(word)]
    reads += [Read(against, "read as --against")] if against and not is_address(against) else []
    for stream in ready.streams:
        for source in stream.sources:
            role = "also an input" if id(source) in ours or not against else "read as --against"
            reads.append(Read(source.found.name if source.found.fs is not None else source.found.path, role))
    return reads


def _take_listed(typed: Typed) -> None:
    listed = typed.listed()
    if any(is_parquet(word) or is_address(word) for word in listed):
        typed.inputs += listed
        typed.drop("--files-from")


def columns_of(typed: Typed, other: bool = False) -> Columns:
    """`other`: of the table that --against names."""
    values = [name for name in typed.get("--metadata").split(",") if name]
    rule, _, number = typed.get("--keep").partition(":")
    if rule in ("max", "min") and number:
        values.append(number)
    scope = typed.get("--within") or typed.get("--across")
    if scope in ("file", "folder"):
        raise ValueError(f"{'--within' if typed.get('--within') else '--across'}: {scope} does not work for rows of Parquet; name a column")
    if scope:
        values.append(scope)
    text, identity = typed.get("--text", "text"), typed.get("--id", "id")
    if other:
        text, identity = typed.get("--against-text", text), typed.get("--against-id", identity)
    if "none" == identity:
        identity = _NO_ID
    required = identity != _NO_ID and ("--id" in typed or other and "--against-id" in typed)
    if "--score" in typed:
        fields = [name for name in _core.score_fields(typed.get("--score"), other) if name not in values]
        return Columns([], identity, required, [*values, *fields], fields)
    names = field_names(text, "--against-text" if other and "--against-text" in typed else "--text")
    if any(name.startswith("*") for name in names):
        raise ValueError(f"--text: {text} does not work for Parquet; name the columns, such as title,maker")
    return Columns(names, identity, required, values)


def _take_inputs(ready: Ready, work: Work) -> None:
    typed = ready.typed
    leading, given = typed.parts()
    if typed.get("--format") == "parquet" and not given:
        _is_ours(typed, "-")  # which says why not
    if any(is_address(word) for word in leading) or is_address(typed.get("--index")):
        address = next(word for word in [*leading, typed.get("--index")] if is_address(word))
        raise ValueError(f"{address}: an index is a folder of this machine, and this is an address; name a folder")
    if _has_queries(typed):
        parts = [_arguments(ready, [word], work, part == 0) for part, word in enumerate(given)]
        typed.inputs = [word for part in parts for word in part]
    else:
        typed.inputs = [*leading, *_arguments(ready, given, work, True)]
    if typed.command == "decontaminate":
        _take_suites(ready, work)
    elif typed.get("--against"):
        against = _arguments(ready, [typed.get("--against")], work, False, True)
        if len(against) != 1:
            raise ValueError(f"--against: {typed.get('--against')}: {len(against)} files; name one, or a folder of this machine")
        typed.put("--against", against[0])


def _take_suites(ready: Ready, work: Work) -> None:
    """Suites are small: those in Parquet, or behind an address, become files of JSON lines."""
    typed = ready.typed
    names = field_names(typed.get("--against-text") or typed.get("--text", "text"), "--against-text" if "--against-text" in typed else "--text")
    no_ids = _id_of_other(typed) == "none"
    columns = Columns(names, _NO_ID if no_ids else _id_of_other(typed), "--against-id" in typed and not no_ids)
    made: list[str] = []

    def as_file(number: int, value: str) -> str:
        name, equals, word = value.partition("=")
        if not equals or os.path.exists(value):
            name, word = "", value
        refuse_saved(word)
        if not (is_address(word) or is_parquet(word) or (os.path.isdir(word) and holds_parquet(word))):
            if ready.streams and "--against-format" not in typed and not _JSON_LINES.search(word):
                raise ValueError(f"{word}: is read together with the Parquet file {ready.streams[0].sources[0].found.name}, and only JSON lines can be; "
                                 "convert it, or give --against-format")
            return value
        path = work.file(f"suite-{number}.jsonl")
        made.append(path)
        with open(path, "wb") as file:
            files = expand(word)[0]
            for found in files:
                require_pyarrow(found.name)
                Source(found, columns, 0).write_all(file.fileno())
        ready.called[path] = Called(word, len(files) == 1)
        return f"{name or os.path.basename(word.rstrip('/')).split('.')[0]}={path}"

    if "--against-format" in typed and any(is_parquet(value) for flag, value in typed.flags if flag == "--against" and value):
        raise ValueError("--against-format: a suite is a Parquet file; leave it out")
    suites = [as_file(number, value or "") for number, (_, value) in enumerate([each for each in typed.flags if each[0] == "--against"])]
    if no_ids and made and len(made) < len(suites):
        raise ValueError("--against-id: none does not work for suites in Parquet beside others; name a field, or convert them")
    if no_ids and suites:
        typed.put("--against-id", _NO_ID if made else "none")
    typed.drop("--against")
    typed.flags += [("--against", suite) for suite in suites]


def _arguments(ready: Ready, words: list[str], work: Work, main: bool, other: bool = False) -> list[str]:
    """The words for the binary: neighbours that are Parquet files become one stream."""
    arguments: list[str] = []
    run: list[Source] = []

    def close_run() -> None:
        if run:
            ready.streams.append(Stream(list(run)))
            arguments.append(ready.streams[-1].argument)
            run.clear()

    for word in words:
        refuse_saved(word)
        if not _is_ours(ready.typed, word):
            close_run()
            arguments.append(word)
            if not (ready.typed.command == "query" and os.path.isdir(word)):  # an index
                ready.others.append(word)
            continue
        found, others = expand(word)
        if others:
            ready.left_out.append(f"{word}: {others} file{'s' if others > 1 else ''} in it that are not .parquet left out")
        if not found:
            raise OSError(f"{word}: no Parquet file in this folder")
        for each in found:
            if is_parquet(each.path) or ready.typed.get("--format") == "parquet":
                require_pyarrow(each.name)
                source = Source(each, columns_of(ready.typed, other), ready.rows)
                ready.rows += source.rows
                run.append(source)
                if main:
                    ready.sources.append(source)
            else:
                close_run()
                arguments.append(_brought_here(ready, each, work))
                ready.others.append(arguments[-1])
    close_run()
    return arguments


def _is_ours(typed: Typed, word: str) -> bool:
    if typed.get("--format") == "parquet":
        if word == "-":
            raise ValueError("--format: Parquet is not read from standard input, as its end must be known first; name a file")
        return True
    return is_address(word) or is_parquet(word) or (os.path.isdir(word) and holds_parquet(word))


def _brought_here(ready: Ready, found: Found, work: Work) -> str:
    """A file behind an address, copied to where its address is its path, so that it has its own name in all that is said and written."""
    if found.fs is None:
        return found.path
    ready.cwd = ready.cwd or work.file("remote")
    path = os.path.normpath(os.path.join(ready.cwd, found.name))
    if not path.startswith(ready.cwd + os.sep) or ".." in found.name.split("/"):
        raise ValueError(f"{found.name}: an address with \"..\" in it; name the file itself")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with found.open() as source, open(path, "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
    return found.name


def _make_absolute(typed: Typed) -> None:
    """The run takes place in another folder."""
    def moved(path: str) -> str:
        return path if path == "-" or is_address(path) else os.path.abspath(path)

    typed.inputs = [word if typed.command == "index" and at == 0 else moved(word) for at, word in enumerate(typed.inputs)]
    typed.flags = [(name, moved(value) if name in _PATH_FLAGS and value else value) for name, value in typed.flags]
    if typed.get("--plan").startswith("@"):
        typed.put("--plan", "@" + os.path.abspath(typed.get("--plan")[1:]))


def _require_json_lines(ready: Ready) -> None:
    """What is read beside Parquet files is read as they are."""
    first = ready.streams[0].sources[0].found.name
    given = ready.typed.get("--format")
    if given not in ("", "jsonl", "parquet"):
        raise ValueError(f"--format: {given}, and {first} is a Parquet file; leave it out")
    for word in ready.others:
        if given != "jsonl" and not _JSON_LINES.search(word):
            raise ValueError(f"{word}: is read together with the Parquet file {first}, and only JSON lines can be; convert it, or give --format jsonl")


_OF_OTHER_FORMATS = ("--encoding", "--separator", "--no-header", "--directed", "--pre", "--pre-glob", "--pre-timeout")


def _refuse_useless(ready: Ready) -> None:
    for name in _OF_OTHER_FORMATS:
        if name in ready.typed:
            raise ValueError(f"{name}: has no use with Parquet, and {ready.streams[0].sources[0].found.name} is a Parquet file; leave it out")


def _take_scratch(ready: Ready, work: Work) -> None:
    """Streams look alike whatever they bring, so that a run over them must never go on with the files of another."""
    if "--resume" in ready.typed:
        raise ValueError("--resume: Parquet files reach the run as a stream, which cannot be resumed; leave it out")
    ready.typed.drop("--scratch")
    ready.scratch = work.file("scratch")
    os.mkdir(ready.scratch)


_WANT_RECORDS = ("--annotate", "--bloom", "--index", "--unit", "--passages", "--size-field", "--share-field")


def _held(ready: Ready) -> bool:
    """Whether all rows are in memory now, packed: where nothing but ids and texts is asked for, and they take no more than a quarter of what is free."""
    typed = ready.typed
    weighted = "^" in typed.get("--text") or "^" in typed.get("--against-text")  # packed items are texts, in which no field counts twice
    wants_records = weighted or typed.get("--same-id") == "keep" or any(flag in typed for flag in _WANT_RECORDS) or typed.command not in ("pairs", "cluster", "dedup")
    if wants_records or ready.others or not ready.streams or "--memory" in typed or _is_read_twice(typed):
        return False
    sources = [source for stream in ready.streams for source in stream.sources]
    room = _core.default_memory() // 2
    if any(len(source.columns.texts) > 1 or source.columns.values for source in sources) or sum(source.text_bytes for source in sources) > room:
        return False
    for at, stream in enumerate(ready.streams):
        taken = stream.hold(room)
        if taken < 0:
            for before in ready.streams[:at]:
                before.flow()
            return False
        room -= taken
    return True


def _choose_plan(ready: Ready, work: Work) -> None:
    """A stream cannot be looked at before it is read, so the package looks at the files: the plan is the one that `tune` chooses for a sample of them.

    Where `tune` refuses, the run will refuse too, with better words.
    """
    typed, sources = ready.typed, ready.streams[0].sources
    if typed.command == "index" and typed.inputs[:1] != ["create"] or typed.get("--index") or (typed.command == "query" and os.path.isdir(typed.inputs[0])):
        return  # the plan is the index's own
    planned = flags_of("tune")
    if "--passages" in typed or "--truth" in typed or typed.command not in ("pairs", "cluster", "dedup", "query", "index", "sketch", "tune", "evaluate") or typed.asks_what_if:
        return
    path = work.file("sample.jsonl")
    rows = sum(source.rows for source in sources)
    most = _core.sampled_records if typed.command == "tune" else _sample_rows(sources, rows)
    with open(path, "wb") as file:
        for source in sources:
            if source.rows:
                source.write_sample(file.fileno(), max(1, -(-most * source.rows // rows)))
    tuned = Typed("tune", [path], [(name, value) for name, value in typed.flags if name in planned and name in _GOAL_FLAGS])
    if rows > _core.sampled_records:
        tuned.put("--items", str(rows))
    bucket = flags_of(typed.command).get("--large-bucket")
    tuned.put("--format", "jsonl")
    if bucket and bucket.default and "--large-bucket" not in typed:
        tuned.put("--large-bucket", bucket.default)
    if typed.command == "tune":
        _tune_by_sample(ready, path, rows)
        return
    tuned.put("--json")
    done = subprocess.run([BINARY, *tuned.words()], capture_output=True, check=False)
    if done.returncode in (0, 1):
        typed.put("--plan", json.loads(done.stdout)["plan"])


def _sample_rows(sources: Sequence[Source], rows: int) -> int:
    """So many that the texts are no more than the binary looks at. Where it is not told the number of rows, it must find by itself that these are not
    all, and gets more than it looks at."""
    most = _SAMPLE_BYTES if rows > _core.sampled_records else 4 * _SAMPLE_BYTES
    return min(_core.sampled_records, most * rows // max(1, sum(source.text_bytes for source in sources)))


_GOAL_FLAGS = ("--measure", "--threshold", "--radius", "--limit", "--recall", "--recall-at", "--shingle", "--features", "--binarise", "--dimensions", "--width",
               "--probes", "--bag", "--normalise", "--ignore", "--unit", "--least-unit", "--hashes", "--bands", "--rows", "--large-bucket", "--verify", "--seed", "--format", "--id", "--text")


def _tune_by_sample(ready: Ready, path: str, rows: int) -> None:
    ready.called[path] = Called(ready.streams[0].place(None), False)
    for stream in ready.streams:
        stream.close()
    ready.streams.clear()
    ready.typed.inputs = [path]
    if rows > _core.sampled_records and "--items" not in ready.typed:
        ready.typed.put("--items", str(rows))
