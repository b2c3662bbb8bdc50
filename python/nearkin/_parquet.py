"""Parquet files as JSON lines for the command line, and rows back into Parquet files: a batch at a time, whatever the size of the file."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Iterable, Iterator, Optional, Sequence

import numpy as np

from . import _core
from ._places import Found, missing
from ._pyarrow import pa, pc, pq
from ._values import as_json

_BATCH_BYTES = 4 << 20  # decoded, about
_MOST_BATCH_ROWS = 65_536
_GROUP_BYTES = 32 << 20  # of a row group written, at most about
_GROUP_ROWS = 1 << 20


def require_pyarrow(subject: str) -> None:
    if pa is None:
        raise missing("pyarrow", subject)


@dataclass(frozen=True)
class Columns:
    """What is read of each row, by the names that the flags give; a dot reaches into a struct."""

    texts: Sequence[str]
    id: str
    id_required: bool = False  #: it was named, and not taken for granted
    values: Sequence[str] = ()  #: further ones, told as JSON: metadata, the numbers of --keep
    compared: Sequence[str] = ()  #: those of the values that a score compares


@contextmanager
def _named(name: str) -> Iterator[None]:
    """What goes wrong with a file is told with its name."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        message = " ".join(str(error).split())
        if message.startswith(f"{name}: "):
            raise
        raise OSError(f"{name}: cannot be read as Parquet: {message[:300].rstrip('.')}") from error


def _field_of(schema: Any, name: str) -> Optional[Any]:
    """The field that a name with dots leads to; a column that has the dots in its own name comes first."""
    if name in schema.names:
        return schema.field(name)
    first, *rest = name.split(".")
    if first not in schema.names:
        return None
    field = schema.field(first)
    for part in rest:
        if not pa.types.is_struct(field.type) or field.type.get_field_index(part) < 0:
            return None
        field = field.type.field(part)
    return field


def _column(batch: Any, name: str) -> Any:
    if name in batch.schema.names:
        return batch.column(name)
    first, *rest = name.split(".")
    column = batch.column(first)
    return pc.struct_field(column, rest) if rest else column


def _is_text(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    known = ("is_string", "is_large_string", "is_binary", "is_large_binary", "is_string_view", "is_binary_view")  # the last two not in every pyarrow
    return any(getattr(pa.types, name, lambda _: False)(kind) for name in known)


def _is_scalar(kind: Any) -> bool:
    return _is_text(kind) or not (pa.types.is_nested(kind) or pa.types.is_dictionary(kind))


class Source:
    """A Parquet file whose columns are known to be there."""

    def __init__(self, found: Found, columns: Columns, first_row: int):
        self.found, self.columns, self.first_row = found, columns, first_row
        with self._file() as file:
            self.rows = file.metadata.num_rows
            self.schema = file.schema_arrow
            self.compression = _compression_of(file.metadata)
            self.group_rows = max(1, self.rows // max(1, file.num_row_groups))
            groups = [file.metadata.row_group(g) for g in range(file.num_row_groups)]
        self._require()
        self.has_id = _field_of(self.schema, columns.id) is not None
        self._require_kinds()
        self.text_bytes = sum(_bytes_of(group, self.read()) for group in groups)  #: of the columns that a run reads, about: a dictionary counts once

    @contextmanager
    def _file(self) -> Iterator[Any]:
        with self.found.open() as handle, _named(self.found.name):
            # A local file is read as it is decoded; far away fewer and larger requests are worth the memory of a row group.
            near = self.found.fs is None
            yield pq.ParquetFile(self.found.path if near else handle, pre_buffer=not near, buffer_size=(1 << 20) if near else 0)

    def _require(self) -> None:
        wanted = [*self.columns.texts, *self.columns.values, *([self.columns.id] if self.columns.id_required else [])]
        self.require_different_names([*wanted, self.columns.id])
        for name in wanted:
            if _field_of(self.schema, name) is None:
                raise ValueError(f'{self.found.name}: no column "{name}"; there are {", ".join(self.schema.names) or "none"}')

    def require_different_names(self, names: Optional[Iterable[str]] = None) -> None:
        """Of these columns, or of all: where rows are written, they are told apart by name."""
        for name in self.schema.names if names is None else names:
            if (count := self.schema.names.count(name)) > 1:
                raise ValueError(f'{self.found.name}: {count} columns are called "{name}"; rename them')

    def _require_kinds(self) -> None:
        for name in self.columns.texts:
            kind = _field_of(self.schema, name).type  # type: ignore[union-attr]
            if not _is_text(kind) and not pa.types.is_null(kind):
                raise ValueError(f'{self.found.name}: column "{name}" is {kind}; expected strings')
        if self.has_id and not _is_scalar(kind := _field_of(self.schema, self.columns.id).type):  # type: ignore[union-attr]
            raise ValueError(f'{self.found.name}: column "{self.columns.id}" is {kind}; expected strings or numbers')

    def batches(self, wanted: Optional[Sequence[str]] = None, groups: Optional[Sequence[int]] = None) -> Iterator[Any]:
        """Of all columns, or those that are wanted."""
        with self._file() as file:
            rows = _batch_rows(file.metadata, wanted)
            yield from file.iter_batches(rows, row_groups=groups, columns=wanted, use_threads=wanted is None)

    def read(self) -> list[str]:
        """The columns that a run reads."""
        names = [*self.columns.texts, *self.columns.values, *([self.columns.id] if self.has_id else [])]
        return list(dict.fromkeys(names))

    def ids(self, batch: Any, first: int) -> Any:
        """A string a row: the id, or "path:row" where there is none; `first` is the row of this file that the batch begins with."""
        if not self.has_id:
            return self._places(first, len(batch))
        ids = _text(_column(batch, self.columns.id))
        lacking = pc.fill_null(pc.equal(pc.binary_length(ids), 0), True)
        if not pc.any(lacking).as_py():
            return ids
        return pc.if_else(lacking, self._places(first, len(batch)).cast(ids.type), ids)

    def _places(self, first: int, count: int) -> Any:
        """"path:row" of rows of this file."""
        rows = pa.array(np.arange(first, first + count)).cast(pa.string())
        return pc.binary_join_element_wise(self.found.name, rows, ":")

    def write(self, descriptor: int, batch: Any, first: int) -> None:
        """The JSON lines of a batch, with "#" for the row in the whole run."""
        columns = [(self.columns.id, self.ids(batch, first), False)]
        columns += [(name, _text(_column(batch, name)), False) for name in self.columns.texts if name != self.columns.id]
        seen = {name for name, _, _ in columns}
        columns += [(name, as_json(_column(batch, name), infinite=name in self.columns.compared), True) for name in self.columns.values if name not in seen]
        _core.write_json_lines(descriptor, columns, self.first_row + first)

    def write_packed(self, descriptor: int, batch: Any, first: int) -> None:
        """Its ids and texts, with the row in the whole run for a tag."""
        _core.write_packed(descriptor, self.ids(batch, first), _text(_column(batch, self.columns.texts[0])), self.first_row + first)

    def write_all(self, descriptor: int) -> None:
        first = 0
        for batch in self.batches(self.read()):
            self.write(descriptor, batch, first)
            first += len(batch)

    def write_sample(self, descriptor: int, rows: int) -> int:
        """So many rows, or all, from the beginnings of row groups that lie evenly over the file. Returns how many."""
        written = 0
        with self._file() as file:
            batch_rows = _batch_rows(file.metadata, self.read())
            for groups, share in _spread([file.metadata.row_group(g).num_rows for g in range(file.num_row_groups)], rows):
                taken = 0
                for batch in file.iter_batches(batch_rows, row_groups=groups, columns=self.read(), use_threads=False):
                    part = batch.slice(0, share - taken)
                    self.write(descriptor, part, written)
                    taken, written = taken + len(part), written + len(part)
                    if taken >= share:
                        break
        return written


_FEW_GROUPS = 8  # of a sample, if they have enough rows


def _spread(group_rows: Sequence[int], rows: int) -> list[tuple[list[int], int]]:
    """Row groups that lie evenly over the file, as few as give so many rows, with the number of rows to take of them. Those that are taken whole are
    read in one go: there may be thousands."""
    count, wanted = len(group_rows), min(rows, sum(group_rows))
    asked = min(count, _FEW_GROUPS)
    share = -(-wanted // asked)
    while sum(min(group_rows[k * count // asked], share) for k in range(asked)) < wanted:
        if asked < count:
            asked = min(count, 2 * asked)
            share = -(-wanted // asked)
        else:
            share *= 2
    chosen = [k * count // asked for k in range(asked)]
    whole = [g for g in chosen if group_rows[g] <= share]
    return [*([(whole, sum(group_rows[g] for g in whole))] if whole else []), *(([g], share) for g in chosen if group_rows[g] > share)]


def _text(column: Any) -> Any:
    """Strings, not checked: what is no UTF-8 is for the run to refuse, record by record."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return column
    large = pa.types.is_large_binary(column.type)
    return pc.cast(column, options=pc.CastOptions(target_type=pa.large_string() if large else pa.string(), allow_invalid_utf8=True))


def _batch_rows(metadata: Any, wanted: Optional[Sequence[str]]) -> int:
    """So many rows that a batch has about _BATCH_BYTES, by the fattest row group."""
    fattest = 1.0
    for g in range(metadata.num_row_groups):
        group = metadata.row_group(g)
        if group.num_rows == 0:
            continue
        fattest = max(fattest, _bytes_of(group, wanted) / group.num_rows)
    return max(1, min(_MOST_BATCH_ROWS, int(_BATCH_BYTES / fattest)))


def _bytes_of(group: Any, wanted: Optional[Sequence[str]]) -> int:
    """Of a row group, decoded."""
    columns = (group.column(c) for c in range(group.num_columns))
    return sum(c.total_uncompressed_size for c in columns if wanted is None or _is_wanted(c.path_in_schema, wanted))


def _is_wanted(path: str, wanted: Sequence[str]) -> bool:
    return any(path == name or path.startswith(f"{name}.") for name in wanted)


def _compression_of(metadata: Any) -> Any:
    """A codec a column, as the first row group has them."""
    if metadata.num_row_groups == 0:
        return "snappy"
    group = metadata.row_group(0)
    codecs = {group.column(c).path_in_schema: group.column(c).compression.replace("UNCOMPRESSED", "NONE") for c in range(group.num_columns)}
    return next(iter(codecs.values())) if len(set(codecs.values())) == 1 else codecs


class Writer:
    """Rows into one Parquet file, in row groups of a fair size, written by a thread of its own."""

    def __init__(self, path: str, name: str, schema: Any, compression: Any = "snappy", group_rows: int = _GROUP_ROWS, plain: Iterable[str] = ()):
        leaves = [column for column in schema.names if column not in set(plain)]
        self._name, self._group_rows = name, max(1024, min(group_rows, _GROUP_ROWS))
        self._batches: list[Any] = []
        self._rows = self._bytes = 0
        self.schema = schema
        # A dictionary of texts that are all different is work for nothing.
        dictionary = True if len(leaves) == len(schema.names) else _leaf_paths(schema, leaves)
        with self._errors():
            self._file = pq.ParquetWriter(path, schema, compression=compression, use_dictionary=dictionary)
        self._thread = ThreadPoolExecutor(1)
        self._writing: Any = None

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            raise OSError(f"{self._name}: cannot be written: {error}") from error

    def add(self, batch: Any) -> None:
        if len(batch) == 0:
            return
        self._batches.append(batch)
        self._rows += len(batch)
        self._bytes += batch.nbytes
        if self._rows >= self._group_rows or self._bytes >= _GROUP_BYTES:
            self._write()

    def _write(self) -> None:
        self._wait()
        table = pa.Table.from_batches(self._batches, self.schema)
        self._batches, self._rows, self._bytes = [], 0, 0
        self._writing = self._thread.submit(self._file.write_table, table, table.num_rows)

    def _wait(self) -> None:
        if self._writing is not None:
            writing, self._writing = self._writing, None
            with self._errors():
                writing.result()

    def close(self) -> None:
        if self._batches:
            self._write()
        self._wait()
        with self._errors():
            self._file.close()
        self._thread.shutdown()

    def abandon(self) -> None:
        """After a failure: lets go of the file, which is of no use."""
        self._thread.shutdown(cancel_futures=True)
        try:
            self._file.close()
        except (pa.ArrowException, OSError):
            pass


def _leaf_paths(schema: Any, names: Iterable[str]) -> list[str]:
    """The columns of a Parquet file are the leaves of the schema's."""
    paths: list[str] = []

    def walk(field: Any, path: str) -> None:
        kind = field.type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if pa.types.is_struct(kind):
            for i in range(kind.num_fields):
                walk(kind.field(i), f"{path}.{kind.field(i).name}")
        elif pa.types.is_map(kind):
            walk(kind.key_field, f"{path}.key_value.key")
            walk(kind.item_field, f"{path}.key_value.value")
        elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
            walk(kind.value_field, f"{path}.list.element")
        else:
            paths.append(path)

    for name in names:
        walk(schema.field(name), name)
    return paths


def ahead(items: Iterable[Any]) -> Iterator[Any]:
    """The same items; the next one is made while this one is worked on."""
    with ThreadPoolExecutor(1) as thread:
        each = iter(items)
        end = object()
        coming = thread.submit(next, each, end)
        while (item := coming.result()) is not end:
            coming = thread.submit(next, each, end)
            yield item

