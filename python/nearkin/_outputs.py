"""Where the rows of Parquet files go."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any, Optional

from ._flags import Typed, is_address, is_parquet
from ._parquet import Source, Writer
from ._places import Work
from ._pyarrow import pa
from ._rows import write_table
from ._values import NotText, json_rows


def added_fields(typed: Typed) -> dict[str, tuple[Any, str]]:
    """The columns that a run adds: of each its type, and the flag that asks for it."""
    added: dict[str, tuple[Any, str]] = {}
    if "--annotate" in typed and "--unit" in typed:
        added = {"cut": (pa.string(), "--annotate"), "cut_share": (pa.float64(), "--annotate")}
    elif "--annotate" in typed:
        plan = typed.get("--plan")
        measured = "estimate" if "verify=estimate" in plan or typed.get("--verify") == "estimate" else "distance" if "<=" in plan or "--radius" in typed else "similarity"
        added = {"cluster": (pa.int64(), "--annotate"), "keeper": (pa.string(), "--annotate"), measured: (pa.float64(), "--annotate")}
    if typed.get("--do") == "mark":
        added["contaminated"] = (pa.string(), "--do mark")
    for flag, kind in (("--size-field", pa.int64()), ("--share-field", pa.float64())):
        if name := typed.get(flag):
            if name in added:
                raise ValueError(f'{flag}: {added[name][1]} adds a column "{name}" already; give it another name')
            added[name] = (kind, flag)
    return added


def output_schema(source: Source, added: dict[str, tuple[Any, str]]) -> Any:
    schema = source.schema
    for name, (kind, flag) in added.items():
        if name in source.schema.names:
            way = "rename it" if flag in ("--annotate", "--do mark") else "give it another name"
            raise ValueError(f'{source.found.name}: has a column "{name}" already, which {flag} would add; {way}')
        schema = schema.append(pa.field(name, kind))
    return schema


class Outputs:
    """Where the rows go: one Parquet file, a folder with one for each input file, or JSON lines. As a context it closes them, or lets go of them upon failure."""

    def __init__(self, target: str, sources: list[Source], work: Work, typed: Typed):
        for source in sources:
            source.require_different_names()
        self._target, self._work, self._sources = target, work, sources
        self.added = added_fields(typed)
        self._plain = [name for name in sources[0].columns.texts if name in sources[0].schema.names]
        self._folder = target.endswith("/") or (not is_address(target) and os.path.isdir(target))
        self._lines: Any = None
        self._not_finite: Counter[str] = Counter()
        self._writers: dict[int, Writer] = {}
        self._open: Optional[Source] = None
        if self._folder:
            self._require_different_names()
            self._paths = {id(source): self._place(os.path.join(target, source.found.relative)) for source in sources}
        elif is_parquet(target):
            self._require_same_columns()
            path = self._place(target)
            self._paths = {id(source): path for source in sources}
        else:
            _require_lines(target)
            self._lines_path = self._place(target)
        for source in sources:
            output_schema(source, self.added)

    def _place(self, target: str) -> str:
        if not is_address(target) and self._folder:
            self._work.make_folder(os.path.dirname(target))
        return self._work.output(target).path

    def beside(self, suffix: str) -> str:
        if is_address(self._target) or self._folder or self._target == "-":
            raise ValueError(f"--output: {self._target}: with --index the records kept must be in a file of this machine first; name one")
        return self._target + suffix

    def _require_same_columns(self) -> None:
        first = self._sources[0]
        for source in self._sources[1:]:
            if not source.schema.equals(first.schema):
                raise ValueError(f"{source.found.name}: its columns are not those of {first.found.name} ({_difference(source.schema, first.schema)}); "
                                 "give a folder for outputs, such as -o out/")

    def _require_different_names(self) -> None:
        seen: dict[str, str] = {}
        for source in self._sources:
            if before := seen.get(source.found.relative):
                raise ValueError(f"{source.found.name}: would be called {source.found.relative} in {self._target}, as {before} is; run them one by one")
            seen[source.found.relative] = source.found.name

    def __enter__(self) -> Outputs:
        if not self._folder and is_parquet(self._target):
            self._writer(self._sources[0])
        elif not self._folder:
            self._lines = pa.output_stream(self._lines_path, compression="detect" if self._target != "-" else None)
        return self

    def _writer(self, source: Source) -> Writer:
        """Of a folder one file is open at a time."""
        key = id(source) if self._folder else 0
        if key not in self._writers:
            for writer in self._writers.values():
                writer.close()
            self._writers.clear()
            schema = output_schema(source, self.added)
            name = os.path.join(self._target, source.found.relative) if self._folder else self._target
            self._writers[key] = Writer(self._paths[id(source)], name, schema, source.compression, source.group_rows, self._plain)
            self._open = source
        return self._writers[key]

    def add(self, source: Source, batch: Any) -> None:
        if self._lines is None:
            self._fill_gaps(source)
            self._writer(source).add(batch)
            return
        try:
            for line, lost in json_rows(batch):
                self._lines.write(line.encode() + b"\n")
                self._not_finite.update(lost)
        except NotText as error:
            raise NotText(f"{source.found.name}: {error}") from None

    def warnings(self) -> list[str]:
        """What is to be said of the rows that were written."""
        return [f'{self._target}: column "{name}": {count} row{"s" if count > 1 else ""} with NaN or infinity, which JSON has not; null is there now; '
                "Parquet keeps them" for name, count in sorted(self._not_finite.items())]

    def _fill_gaps(self, upto: Optional[Source]) -> None:
        """A file without rows gets an output without rows."""
        if not self._folder:
            return
        start = 0 if self._open is None else next(at for at, source in enumerate(self._sources) if source is self._open) + 1
        if self._open is upto:
            return
        for source in self._sources[start:]:
            if source is upto:
                return
            self._writer(source)

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is None:
            self._fill_gaps(None)
            for writer in self._writers.values():
                writer.close()
        else:
            for writer in self._writers.values():
                writer.abandon()
        if self._lines is not None:
            self._lines.close()


def _require_lines(target: str) -> None:
    name = target.lower().removesuffix(".gz").removesuffix(".zst")
    if target != "-" and not name.endswith((".jsonl", ".ndjson", ".json")) and not target.startswith("/dev/"):
        raise ValueError(f"--output: {target}: rows of Parquet files are written as .parquet, as .jsonl, or into a folder (out/); name one of these")


def _difference(schema: Any, other: Any) -> str:
    for name in [*schema.names, *other.names]:
        here, there = (str(each.field(name).type) if name in each.names else "missing" for each in (schema, other))
        if here != there:
            return f"{name}: {here}, there {there}"
    return "their order differs"


class Skipped:
    """The rows at fault: as Parquet, or as JSON lines."""

    def __init__(self, target: str, sources: list[Source], work: Work):
        output = work.output(target)
        self._writer = Writer(output.path, target, sources[0].schema, sources[0].compression) if is_parquet(target) else None
        self._lines: Any = None if self._writer is not None else pa.output_stream(output.path, compression="detect")
        self._schema = sources[0].schema
        self._closed = False

    def add(self, source: Source, batch: Any) -> None:
        if self._writer is not None:
            if len(batch) and not source.schema.equals(self._schema):
                raise ValueError(f"--skipped: {source.found.name} has other columns; name a .jsonl file")
            self._writer.add(batch)
            return
        for line, _ in json_rows(batch, lossy=True):
            self._lines.write(line.encode() + b"\n")

    def close(self) -> None:
        """Once, or once more."""
        if not self._closed:
            self._closed = True
            self._lines.close() if self._writer is None else self._writer.close()


def refuse_parquet(typed: Typed, *names: str) -> None:
    """The outputs of these flags are no tables of rows."""
    for name in names:
        if is_parquet(typed.get(name)):
            raise ValueError(f"{name}: {typed.get(name)}: is not written as Parquet; name another file")


class RemovedTable:
    """--removed as Parquet: the binary lists it as JSON lines first. Any other goes to where it is asked for."""

    def __init__(self, typed: Typed, work: Work):
        self._wanted = typed.get("--removed")
        self._table = is_parquet(self._wanted)
        if not self._wanted:
            return
        self._path = work.output(self._wanted).path
        self._lines = work.file("removed-rows.jsonl") if self._table else self._path
        if self._table:
            typed.put("--json")
        typed.put("--removed", self._lines)

    def write(self) -> None:
        if self._table:
            with open(self._lines, "rb") as lines:
                write_table(lines.read, self._path, self._wanted, "dedup", "similarity")
