"""Tables of format tsv, as the command line reads and writes them: a record is one line, and quotes count only where they enclose a whole field. Spark's
own reader would take every quote for one that opens a field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from nearkin import _core

from ._columns import column

# Spark's reader of CSV takes the header from each file. A separator that is no character, and no quotes, make every line one field.
_LINES = {"header": "true", "sep": "\ufffe", "quote": "", "lineSep": "\n"}


def record(line: str) -> list[str]:
    return _core.tsv_record(line + "\n")


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _split(columns: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        records = [record(line) for line in batch.column(0).to_pylist() if line is not None]
        for values in records:
            if len(values) != columns:
                raise ValueError(f"tsv: a record of {len(values)} fields, the header has {columns}; it begins with {values[0][:60]!r}")
        yield pa.RecordBatch.from_arrays([pa.array([values[i] for values in records], pa.string()) for i in range(columns)],
                                         [str(i) for i in range(columns)])


def read(spark: SparkSession, paths: list[str]) -> DataFrame:
    """Every column is a string."""
    lines = spark.read.options(**_LINES).csv(paths)
    if not lines.columns:
        return lines
    names = record(lines.columns[0])
    schema = ", ".join(f"{_quoted(name)} string" for name in names)
    return lines.toDF("line").mapInArrow(partial(_split, len(names)), schema)


def _join(header: str, spell: Callable[[str], str], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    lines = [header]
    for batch in batches:
        columns = [batch.column(i).to_pylist() for i in range(batch.num_columns)]
        lines += ["\t".join("" if value is None else spell(value) for value in values) for values in zip(*columns)]
        yield pa.RecordBatch.from_arrays([pa.array(lines, pa.string())], ["line"])
        lines = []
    if lines:
        yield pa.RecordBatch.from_arrays([pa.array(lines, pa.string())], ["line"])


def write(table: DataFrame, output: str, *, listing: bool) -> None:
    """One header in each file. `listing`: the table lists what was found and is spelled as the command line spells its lists, with \\t, \\n, \\r and \\\\ for
    what would end a field; else its rows are records of the input."""
    spell = _core.tsv_field if listing else _core.tsv_record_field
    header = "\t".join(spell(name) for name in table.columns)
    # Under plain names: a dot in a name would be taken for a field of a structure.
    strings = table.select(*[column(name).cast("string").alias(f"c{i}") for i, name in enumerate(table.columns)])
    strings.mapInArrow(partial(_join, header, spell), "line string").write.text(output)
