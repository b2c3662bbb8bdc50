"""Runs over JSON lines that write Parquet: the records that stay, as rows with the columns of the first ones."""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Optional

from ._feed import pass_on
from ._flags import OUTPUT_FLAGS, field_names
from ._outputs import RemovedTable, refuse_parquet
from ._parquet import Writer, require_pyarrow
from ._places import Work
from ._prepare import Ready
from ._pyarrow import pa
from ._rows import parsed, whole_lines

Say = Optional[Callable[[bytes], Any]]
_LONG_NUMBER = re.compile(rb"[:\[,]\s*-?\d{16,}")  # perhaps more than a float holds


class _Table:
    """A Parquet file that grows by blocks of records. Records that cannot be used stay if they have such columns."""

    def __init__(self, path: str, target: str, text: str) -> None:
        self._path, self._target = path, target
        self._texts = [name for name in field_names(text) if name and not name.startswith(("*", "-"))]
        self._writer: Optional[Writer] = None
        self.left_out = 0  #: records that cannot be used and have other columns, or none

    def add(self, block: bytes) -> None:
        schema = self._writer.schema if self._writer else None
        table = self._table_of(block, schema)
        self._writer = self._writer or Writer(self._path, self._target, table.schema)
        for batch in table.to_batches():
            self._writer.add(batch)

    def close(self) -> None:
        (self._writer or Writer(self._path, self._target, pa.schema([]))).close()

    def _table_of(self, block: bytes, schema: Any) -> Any:
        table = _parsed(block, schema)
        if table is None:
            block, table = self._fitting_table(block, schema)
        exact = _exact_schema(table.schema, block, self._target)
        if exact is table.schema:
            return table
        if schema is not None:
            name = next(field.name for field in schema if exact.field(field.name).type != field.type)
            raise _rounded(self._target, name)
        return parsed(block, exact, strict=True)

    def _fitting_table(self, block: bytes, schema: Any) -> tuple[bytes, Any]:
        try:
            fitting, schema = self._fitting(block, schema)
            return fitting, parsed(fitting, schema, strict=True)
        except pa.ArrowInvalid as error:
            raise ValueError(f"{self._target}: the records cannot all have the columns of the first ones ({error}); write JSON lines, such as -o kept.jsonl") from error

    def _fitting(self, block: bytes, schema: Any) -> tuple[bytes, Any]:
        """The block without what cannot be a row, and the schema. A record that can be used is never left out."""
        lines = [line + b"\n" for line in block.split(b"\n") if line.strip()]
        usable = [_is_usable(line, self._texts) for line in lines]
        if schema is None and any(usable):
            schema = parsed(b"".join(line for line, good in zip(lines, usable) if good)).schema
        kept = [line for line, good in zip(lines, usable) if good or _parsed(line, schema) is not None]
        self.left_out += len(lines) - len(kept)
        return b"".join(kept), schema


def _rounded(target: str, column: str) -> ValueError:
    return ValueError(f'{target}: column "{column}" has whole numbers that would be rounded, as others of it are no whole numbers or below 0; '
                      "write JSON lines, such as -o kept.jsonl, or make them texts")


def _exact_schema(schema: Any, block: bytes, target: str) -> Any:
    """Arrow reads whole numbers beyond 64 bits, and those among fractions, as floats. The same schema where these hold them all; with unsigned whole
    numbers where such can. Throws ValueError where a number would be rounded."""
    if not _LONG_NUMBER.search(block) or not any(_has_floats(field.type) for field in schema):
        return schema
    records = [json.loads(line) for line in block.split(b"\n") if line.strip()]
    fields = []
    for field in schema:
        kind = _exact_type(field.type, [record.get(field.name) for record in records])
        if kind is None:
            raise _rounded(target, field.name)
        fields.append(field.with_type(kind))
    exact = pa.schema(fields)
    return schema if exact == schema else exact


def _has_floats(kind: Any) -> bool:
    return pa.types.is_floating(kind) or any(_has_floats(kind.field(at).type) for at in range(kind.num_fields))


def _exact_type(kind: Any, values: list[Any]) -> Any:
    """The type for values of JSON; None where there is none that holds them all."""
    if pa.types.is_struct(kind):
        kinds = [_exact_type(field.type, [value.get(field.name) for value in values if value is not None]) for field in kind]
        return None if None in kinds else pa.struct([field.with_type(each) for field, each in zip(kind, kinds)])
    if pa.types.is_list(kind):
        each = _exact_type(kind.value_type, [one for value in values if value is not None for one in value])
        return None if each is None else pa.list_(each)
    if not pa.types.is_floating(kind):
        return kind
    given = [value for value in values if value is not None]
    if given and all(type(value) is int and 0 <= value < 2**64 for value in given):
        return pa.uint64()
    return None if any(_is_rounded(value) for value in given) else kind


def _is_rounded(value: Any) -> bool:
    try:
        return type(value) is int and int(float(value)) != value
    except OverflowError:
        return True


def _parsed(block: bytes, schema: Any) -> Any:
    """A table, or None if these are not all records of the schema, in UTF-8."""
    try:
        block.decode()
        return parsed(block, schema, strict=True)
    except (UnicodeDecodeError, pa.ArrowInvalid):
        return None


def _is_usable(line: bytes, texts: list[str]) -> bool:
    """Whether a line is a record with these texts."""
    try:
        record = json.loads(line)
        return isinstance(record, dict) and all(_is_text(record, name) for name in texts)
    except ValueError:
        return False


def _is_text(record: Any, name: str) -> bool:
    value = record
    for part in [name] if name in record else name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if not isinstance(value, str):
        return False
    value.encode()  # which throws for half a character
    return True


def _correct(path: str, left_out: int) -> None:
    """The binary counts as kept what it handed over."""
    with open(path, encoding="utf-8") as file:
        stats = json.load(file)
    stats["kept_at_fault"] -= left_out
    stats["skipped"] += left_out
    with open(path, "w", encoding="utf-8") as file:
        json.dump(stats, file, separators=(",", ":"), ensure_ascii=False)
        file.write("\n")


def run_lines(ready: Ready, work: Work, say: Say, tied: bool) -> int:
    """JSON lines in, Parquet out: the columns are those of the first records."""
    typed = ready.typed
    target = typed.get("--output")
    require_pyarrow(target)
    others = [name for name in OUTPUT_FLAGS if name not in ("--output", "--removed")]
    refuse_parquet(typed, *others)
    work.redirect(typed, *others)
    removed = RemovedTable(typed, work)
    typed.drop("--output")
    table = _Table(work.output(target).path, target, typed.get("--text") or "text")
    with ready.start(say, tied, result=True) as child:
        for block in whole_lines(child.output.read):
            table.add(block)
        status = child.wait()
    if status not in (0, 1):
        return status
    table.close()
    removed.write()
    if not table.left_out:
        return status
    if "--stats" in typed:
        _correct(typed.get("--stats"), table.left_out)
    if "--quiet" not in typed:
        (say or pass_on)(f"nearkin: {target}: {table.left_out} records that cannot be used have no such columns, and were left out\n".encode())
    return 1
