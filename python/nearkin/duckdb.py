"""nearkin in DuckDB: functions of texts in SQL, and the similar pairs of a query as a relation.

    nearkin.duckdb.register(connection, plan)
    connection.sql("SELECT nearkin_jaccard(a.text, b.text) FROM docs a, docs b WHERE a.id < b.id")
    nearkin.duckdb.pairs(connection, "SELECT id, text FROM docs", plan)

Needs duckdb and pyarrow.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Callable, Optional

from . import stage
from ._columns import PlanLike, band_keys_of, minhash_plan, similarities_of, sketches_of
from ._places import missing
from ._pyarrow import pa, pc
from ._runs import pairs as pairs_of_items

__all__ = ["pairs", "register"]


def register(connection: Any, plan: PlanLike = None, prefix: str = "nearkin_") -> None:
    """Gives a connection the functions `nearkin_features(text)`, `nearkin_minhash(text)`, `nearkin_bands(text)` and `nearkin_jaccard(a, b)` under a plan,
    in place of those that it has from an earlier call. A null gives null, and so do `nearkin_minhash` and `nearkin_bands` of a text without words."""
    _require_pyarrow("nearkin.duckdb.register")
    chosen = minhash_plan(plan)
    of_one: dict[str, tuple[Callable[[Any], Any], str]] = {
        "features": (lambda texts: stage.shingle(texts, chosen), "UBIGINT[]"),
        "minhash": (lambda texts: sketches_of(texts, chosen), "UINTEGER[]"),
        "bands": (lambda texts: band_keys_of(texts, chosen), "UINTEGER[]"),
    }
    for name, (function, kind) in of_one.items():
        _create(connection, prefix + name, _of_column(function), ["VARCHAR"], kind)

    def similarity(a: Any, b: Any) -> Any:
        return _null_where(pc.or_(a.is_null(), b.is_null()), pa.array(similarities_of(a, b, chosen)))

    _create(connection, prefix + "jaccard", similarity, ["VARCHAR", "VARCHAR"], "DOUBLE")


def pairs(connection: Any, query: str, plan: PlanLike = None, *, against: Optional[str] = None, threads: int = 0) -> Any:
    """The similar pairs among the rows of a query of two columns, id and text, as a relation of `a`, `b` (ids) and `similarity`.

    `against`: another such query; pairs are then between the two. The rows are taken into memory.
    """
    _require_pyarrow("nearkin.duckdb.pairs")
    ids, texts = _two_columns(connection, query, "query")
    other_ids, others = (ids, None) if against is None else _two_columns(connection, against, "against")
    a, b, similarity = pairs_of_items(texts, plan, against=others, threads=threads)
    return connection.from_arrow(pa.table({"a": ids.take(pa.array(a)), "b": other_ids.take(pa.array(b)), "similarity": similarity}))


def _require_pyarrow(subject: str) -> None:
    if pa is None:
        raise missing("pyarrow", subject)


def _of_column(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def of_column(texts: Any) -> Any:
        made = pa.array(function(texts))
        lists = made.cast(pa.list_(made.type.value_type))
        return _null_where(texts.is_null(), lists)

    return of_column


def _null_where(null: Any, values: Any) -> Any:
    return pc.if_else(null.combine_chunks() if isinstance(null, pa.ChunkedArray) else null, None, values)


def _create(connection: Any, name: str, function: Callable[..., Any], parameters: list[str], kind: str) -> None:
    import duckdb

    with suppress(duckdb.Error):
        connection.remove_function(name)
    connection.create_function(name, function, parameters, kind, type="arrow", null_handling="special")


def _two_columns(connection: Any, query: str, what: str) -> tuple[Any, Any]:
    table = connection.sql(query).to_arrow_table()
    if table.num_columns != 2:
        raise ValueError(f"{what}: {table.num_columns} columns; two are needed, the id and the text")
    return table.column(0), table.column(1)
