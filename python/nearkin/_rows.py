"""Which rows of Parquet files a deduplication keeps, from what the binary wrote; and tables of its results."""

from __future__ import annotations

import io
import json
import os
import re
import struct
from typing import Any, BinaryIO, Callable, Iterator, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from ._parquet import Writer
from ._pyarrow import pa, pc
from ._values import json_of

_BLOCK = 8 << 20
_ROW = re.compile(rb'^\{"#":(\d+)')
_PACKED = struct.Struct("<4sIQQ")
_NO_TEXT = 2**64 - 1
_ESCAPE = re.compile(rb"\\(?:([tnr\\])|x([0-9a-f]{2}))")
_UNESCAPED = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\"}


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    for line in file:
        yield line.rstrip(b"\n")


def row_of(line: bytes) -> int:
    found = _ROW.match(line)
    if found is None:
        raise ValueError(f"a record without its row: {line[:80]!r}")
    return int(found.group(1))


def packed_rows(file: BinaryIO) -> Iterator[int]:
    """The tags of packed items."""
    while header := file.read(_PACKED.size):
        mark, id_bytes, text_bytes, row = _PACKED.unpack(header)
        if mark != b"nkr1":
            raise ValueError(f"a record without its row: {header!r}")
        file.seek(id_bytes + (0 if text_bytes == _NO_TEXT else text_bytes), os.SEEK_CUR)
        yield row


class Marked:
    """Rows of the whole run, ascending, that are asked for from front to back."""

    def __init__(self, rows: Sequence[int]):
        self._rows = np.asarray(rows, dtype=np.int64)

    def mask(self, first: int, count: int) -> NDArray[np.bool_]:
        begin, end = np.searchsorted(self._rows, [first, first + count])
        mask = np.zeros(count, dtype=np.bool_)
        mask[self._rows[begin:end] - first] = True
        return mask


class Removed:
    """The ids of a --removed file, which stand in the order of the input, met again among the rows."""

    def __init__(self, path: str, as_json: bool):
        self._blocks = _json_ids(path) if as_json else _tsv_ids(path)
        self._ids = pa.array([], pa.string())

    def mask(self, ids: Any, skipped: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """An id names one row only: the others that have it were skipped. So of the next ids no more than there are rows can be among these rows,
        and those that are, are the next."""
        while len(self._ids) < len(ids) and (block := next(self._blocks, None)) is not None:
            self._ids = pa.concat_arrays([self._ids, block])
        window = self._ids.slice(0, len(ids))
        if len(window) == 0:
            return np.zeros(len(ids), dtype=np.bool_)
        hit: NDArray[np.bool_] = pc.is_in(ids.cast(pa.string()), value_set=window).to_numpy(zero_copy_only=False) & ~skipped
        self._ids = self._ids.slice(int(hit.sum()))
        return hit

    def require_all_met(self) -> None:
        if len(self._ids) > 0 or next(self._blocks, None) is not None:
            raise ValueError(f'removed item "{self._ids[0] if len(self._ids) else "?"}" is in no row; did the input change during the run?')


def _tsv_ids(path: str) -> Iterator[Any]:
    for block in _blocks_of(path):
        ids = [line.split(b"\t", 1)[0] for line in block.split(b"\n") if line]
        yield pa.array([_unescaped(id).decode("utf-8", "replace") for id in ids], pa.string())


def _unescaped(id: bytes) -> bytes:
    if b"\\" not in id:
        return id
    return _ESCAPE.sub(lambda found: _UNESCAPED[found.group(1)] if found.group(1) else bytes.fromhex(found.group(2).decode()), id)


def _json_ids(path: str) -> Iterator[Any]:
    for block in _blocks_of(path):
        yield pa.array([json.loads(line)["id"] for line in block.split(b"\n") if line], pa.string())


def _blocks_of(path: str) -> Iterator[bytes]:
    with pa.input_stream(path, compression="detect") as file:
        yield from whole_lines(file.read)


def whole_lines(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Blocks that end at the end of a line."""
    held = b""
    while block := read(_BLOCK):
        cut = block.rfind(b"\n") + 1
        if cut == 0:
            held += block
            continue
        yield held + block[:cut]
        held = block[cut:]
    if held:
        yield held


class Told:
    """Fields of the records that the binary wrote, by their rows, which ascend."""

    def __init__(self, file: BinaryIO, names: Sequence[str]):
        self._lines, self._names = lines_of(file), names
        self._next: Optional[tuple[int, bytes]] = None

    def _advance(self) -> Optional[tuple[int, bytes]]:
        line = next(self._lines, None)
        return None if line is None else (row_of(line), line)

    def columns(self, first: int, count: int) -> tuple[NDArray[np.bool_], dict[str, list[Any]]]:
        """Which of these rows were written, and the values of those; None where a record has no such field."""
        written = np.zeros(count, dtype=np.bool_)
        values: dict[str, list[Any]] = {name: [] for name in self._names}
        self._next = self._next or self._advance()
        while self._next is not None and self._next[0] < first + count:
            row, line = self._next
            written[row - first] = True
            record = json.loads(line.decode("utf-8", "surrogateescape"))
            for name, column in values.items():
                column.append(record.get(name))
            self._next = self._advance()
        return written, values


_PLACES = ("begin", "end", "in_begin", "in_end", "item_begin", "item_end")
_KINDS = {**dict.fromkeys(("similarity", "estimate", "distance", "share"), "float64"),
          **dict.fromkeys(("cluster", "size", "tokens", "run", *_PLACES), "int64")}
_DEFAULT_NAMES = {"pairs": ("a", "b"), "cluster": ("id", "cluster", "keeper"), "query": ("query", "id"), "dedup": ("id", "keeper"),
                  "passages": ("id", "begin", "end", "in", "in_begin", "in_end", "tokens"),
                  "decontaminate": ("id", "suite", "item", "share", "run", "begin", "end", "item_begin", "item_end")}


def table_schema(command: str, first: Optional[bytes], value: str) -> Any:
    """Of a result: by its first line, or where there is none as the command gives it; `value` is similarity or distance."""
    usual = _DEFAULT_NAMES[command]
    row = json.loads(first) if first else {}
    names = tuple(row) if first else usual if "begin" in usual else (*usual, value)
    types = {name: getattr(pa, _KINDS.get(name, "string"))() for name in names}
    if isinstance(row.get("parts"), dict):  # of a score
        types["parts"] = pa.struct([(name, pa.float64()) for name in row["parts"]])
    return pa.schema([pa.field(name, kind) for name, kind in types.items()])


def write_table(read: Callable[[int], bytes], path: str, name: str, command: str, value: str) -> None:
    """JSON lines of a result as a Parquet file."""
    writer = None
    for block in whole_lines(read):
        if writer is None:
            schema = table_schema(command, block[: block.index(b"\n")], value)
            writer = Writer(path, name, schema)
        for batch in _rows_of(block, schema).to_batches():
            writer.add(batch)
    (writer or Writer(path, name, table_schema(command, None, value))).close()


def _rows_of(block: bytes, schema: Any) -> Any:
    """Metadata can be anything, and stays JSON."""
    if "metadata" not in schema.names:
        return parsed(block, schema)
    rows = [json.loads(line) for line in block.split(b"\n") if line]
    return pa.Table.from_pylist([{**row, "metadata": json_of(row["metadata"]) if row.get("metadata") is not None else None} for row in rows], schema)


def parsed(block: bytes, schema: Any = None, strict: bool = False) -> Any:
    """JSON lines as a table; of a schema that is given, or else as they are. `strict`: a field that is not in the schema is an error."""
    import pyarrow.json

    def read(fields: Any, unexpected: str) -> Any:
        options = pyarrow.json.ParseOptions(explicit_schema=fields, unexpected_field_behavior=unexpected)
        return pyarrow.json.read_json(io.BytesIO(block), pyarrow.json.ReadOptions(block_size=len(block) + 1), options)

    if schema is not None:
        return read(schema, "error" if strict else "ignore")
    table = read(None, "infer")
    # A text that looks like a time is a text.
    as_written = pa.schema([field.with_type(_without_times(field.type)) for field in table.schema])
    return table if as_written == table.schema else read(as_written, "error")


def _without_times(kind: Any) -> Any:
    if pa.types.is_timestamp(kind):
        return pa.string()
    if pa.types.is_struct(kind):
        return pa.struct([kind.field(i).with_type(_without_times(kind.field(i).type)) for i in range(kind.num_fields)])
    return pa.list_(_without_times(kind.value_type)) if pa.types.is_list(kind) else kind
