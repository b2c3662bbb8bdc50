"""Values of columns: one rule for what is missing and how a value is spelled, whatever holds it, in memory and from Parquet."""

from __future__ import annotations

import datetime
import decimal
import math
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import nearkin
from nearkin._values import spelled, texts_of

NAN, INF = math.nan, math.inf
ASKED: dict[str, Any] = dict(score="v:equal", threshold=1, recall=1)


def found(table: Any, against: Any = None) -> list[tuple[int, int]]:
    got = nearkin.pairs(table, against=against, **ASKED)
    return list(zip(got.a.tolist(), got.b.tolist()))


def holders() -> list[Callable[[list[Any]], Any]]:
    """Ways to hold a column: as the value of a dict, and as a table."""
    ways: list[Callable[[list[Any]], Any]] = [lambda values: {"v": values}, lambda values: {"v": tuple(values)}, lambda values: [{"v": value} for value in values]]
    try:
        import pyarrow as pa
    except ImportError:
        return ways
    ways += [lambda values: {"v": pa.array(values)}, lambda values: pa.table({"v": values}),
             lambda values: {"v": pa.chunked_array([pa.array(values).slice(0, 1), pa.array(values).slice(1)])},
             lambda values: [{"v": value} for value in pa.array(values)],
             lambda values: {"v": pa.array(values).dictionary_encode()}]
    for name in ("pandas", "polars"):
        try:
            module = __import__(name)
        except ImportError:
            continue
        ways += [lambda values, module=module: module.DataFrame({"v": values}), lambda values, module=module: {"v": module.Series(values)}]  # type: ignore[misc]
    return ways


@pytest.mark.parametrize("values", [[None, "x", None], [None, 1, None], [None, 1.5, None], [None, b"x", None], [None, datetime.date(2020, 1, 1), None]])
def test_what_is_missing_is_like_nothing(values: list[Any]) -> None:
    for hold in holders():
        assert found(hold(values)) == [], hold(values)
        assert found(hold([*values, values[1]])) == [(1, 3)], hold(values)


@pytest.mark.parametrize("values, others", [
    ([1.0, 2.0], [1, 2]), ([b"abc", b"x"], ["abc", "x"]), ([0.5, 1e300], ["0.5", "1e+300"]), ([True, False], ["true", "false"]),
    ([1e15, 1e-7], [10**15, "1e-7"]), ([INF, -INF], ["inf", "-inf"]),
    ([datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 1, 1, 2, 3, 4)], ["2020-01-01T00:00:00", "2020-01-01T01:02:03.000004"]),
    ([datetime.timedelta(1), datetime.timedelta(0, 1, 500_000)], ["P1DT0H0M0S", "P0DT0H0M1.5S"]),
    ([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)], ["2020-01-01", "2021-01-01"])])
def test_values_are_spelled_alike_whatever_holds_them(values: list[Any], others: list[Any]) -> None:
    for hold in holders():
        assert found(hold(values), {"v": others}) == [(0, 0), (1, 1)], hold(values)


def test_columns_of_numpy() -> None:
    assert texts_of(np.array([0.1, NAN, 3, INF], np.float32)) == ["0.1", None, "3", '"inf"']
    assert texts_of(np.array(["NaT", "2020-01-01"], "M8[D]")) == [None, '"2020-01-01"']
    assert texts_of(np.array(["NaT", "2020-01-01T00:00:00.000000001"], "M8[ns]")) == [None, '"2020-01-01T00:00:00.000000001"']
    assert texts_of(np.array(["2020-01-01T00:00:00"], "M8[s]")) == ['"2020-01-01T00:00:00"']
    assert texts_of(np.array([86_400_000_000_000, 1, -1_000_000_000], "m8[ns]")) == ['"P1DT0H0M0S"', '"P0DT0H0M0.000000001S"', '"P-1DT23H59M59S"']
    assert texts_of(np.ma.array([1, 2], mask=[True, False])) == [None, "2"]
    assert texts_of(np.array(["a", "b"])) == ['"a"', '"b"']


def test_columns_of_pandas_that_arrow_does_not_know() -> None:
    pandas = pytest.importorskip("pandas")
    assert texts_of(pandas.Series(pandas.arrays.SparseArray([1.0, NAN, 2.5]))) == ["1", None, "2.5"]
    assert texts_of(pandas.Series([1.0, NAN], dtype="float32").astype("category")) == ["1", None]
    assert texts_of(pandas.Series([1, None], dtype="Int64")) == ["1", None]
    assert texts_of(pandas.Series([1 + 2j])) == ['"(1+2j)"']


def test_decimals_and_nested_values() -> None:
    assert [spelled(decimal.Decimal(text)) for text in ("1.50", "NaN", "sNaN", "Infinity")] == ['"1.50"', None, None, '"inf"']
    assert spelled([1.0, NAN, INF, {"x": -INF}]) == '[1.0, null, "inf", {"x": "-inf"}]'
    nested = {"v": [[1.0], [NAN], [1.0]], "w": ["a", "a", "a"]}
    got = nearkin.pairs(nested, score="v:equal + w:equal", threshold=1, recall=1)
    assert list(zip(got.a, got.b)) == [(0, 2)]


def test_floats_are_spelled_as_arrow_does_and_whole_ones_as_whole_numbers() -> None:
    pa = pytest.importorskip("pyarrow")
    values = [0.1, 1e16, 2.5e16, 1e-5, 1.5e-6, 1e-7, 123456.789, 1e300, 5e-324, -0.25, 2.0**53, -3.0, 0.0, -0.0, 1e15]
    for kind, most in ((pa.float64(), math.inf), (pa.float32(), 1e38), (pa.float16(), 65504)):
        column = pa.array([value for value in values if value < most], kind)
        expected = texts_of(column)
        assert texts_of(column.to_numpy()) == expected
        for value, text in zip(column.to_pylist(), expected):
            whole = value.is_integer() and abs(value) <= 2**53
            assert text == (str(int(value)) if whole else pa.array([value], kind).cast(pa.string())[0].as_py())


def test_moments_keep_their_nanoseconds() -> None:
    pa = pytest.importorskip("pyarrow")
    assert texts_of(pa.array([1, None, 1_000], pa.time64("ns"))) == ['"00:00:00.000000001"', None, '"00:00:00.000001"']
    assert texts_of(pa.array([1, -1, 10**9], pa.timestamp("ns"))) == ['"1970-01-01T00:00:00.000000001"', '"1969-12-31T23:59:59.999999999"', '"1970-01-01T00:00:01"']
    assert texts_of(pa.array([1], pa.timestamp("ns", "UTC"))) == ['"1970-01-01T00:00:00.000000001+00:00"']
    assert texts_of(pa.array([1, 3_600], pa.duration("s"))) == ['"P0DT0H0M1S"', '"P0DT1H0M0S"']


def test_parquet_gives_the_similarities_of_the_table(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = [pa.array([0.1, 0.12], pa.float32()), pa.array([1e16, 1.1e16]), pa.array([10**15, 10**15 + 1], pa.timestamp("us")), pa.array([10**9, 2 * 10**9], pa.duration("ns")),
               pa.array([INF, -INF]), pa.array([[INF], [NAN]]), pa.array([b"ab", b"abc"]), pa.array([decimal.Decimal("1.50"), decimal.Decimal("1.25")])]
    for column in columns:
        table = pa.table({"id": ["0", "1"], "v": column})
        pq.write_table(table, tmp_path / "t.parquet")
        asked: dict[str, Any] = dict(score="v:jaccard(char:1)", threshold=0.01, recall=1)
        nearkin.pairs_files(tmp_path / "t.parquet", tmp_path / "pairs.parquet", **asked)
        of_table = nearkin.pairs(table, **asked).similarity.tolist()
        assert pq.read_table(tmp_path / "pairs.parquet")["similarity"].to_pylist() == of_table and len(of_table) == 1, column.type
    table = pa.table({"id": ["0", "1"], "v": pa.array([{"x": 10.0}, {"x": 12.0}], pa.struct([("x", pa.float32())]))})
    pq.write_table(table, tmp_path / "t.parquet")
    asked = dict(score="v.x:jaccard(char:1)", threshold=0.01, recall=1)
    nearkin.pairs_files(tmp_path / "t.parquet", tmp_path / "pairs.parquet", **asked)
    assert pq.read_table(tmp_path / "pairs.parquet")["similarity"].to_pylist() == nearkin.pairs(table, **asked).similarity.tolist()


def test_what_is_no_text_is_named_with_its_row() -> None:
    for bad in ("\ud800", b"\xff", ["\ud800"], [b"\xff"]):
        with pytest.raises(ValueError, match=r'^items:1: column "v": .*UTF-8'):
            found({"v": ["a", bad]})
        with pytest.raises(ValueError, match=r'^against:1: column "v": .*UTF-8'):
            found({"v": ["a"]}, {"v": ["a", bad]})
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match=r'^items:1: column "v": .*UTF-8'):
        found(pa.table({"v": pa.array([b"a", b"\xff"])}))


def test_columns_of_different_lengths_are_refused() -> None:
    uneven = {"n": ["a", "a", "a"], "m": [1]}
    asked: dict[str, Any] = dict(score="n:equal*3 + m:equal", threshold=0.5)
    for run in (nearkin.pairs, nearkin.cluster, nearkin.dedup):
        with pytest.raises(ValueError, match='items: column "n" has 3 values, "m" has 1; give columns of one length'):
            run(uneven, **asked)
    with pytest.raises(ValueError, match='against: column "n" has 3 values, "m" has 1'):
        nearkin.pairs({"n": ["a"], "m": [1]}, against=uneven, **asked)
    with pytest.raises(TypeError, match='items: column "n" is one str; give a list'):
        nearkin.dedup({"n": "aab"}, score="n:equal")


def test_names_of_columns() -> None:
    assert found([{"v": "x"}, {"v": "x"}]) == [(0, 1)]
    assert nearkin.pairs({0: ["x", "x"]}, score="0:equal").a.tolist() == [0]
    pandas = pytest.importorskip("pandas")
    assert nearkin.pairs(pandas.DataFrame([["x"], ["x"]]), score="0:equal").a.tolist() == [0]
    twice = pandas.DataFrame([["x", "y"], ["x", "z"]], columns=["v", "v"])
    with pytest.raises(ValueError, match='score: 2 columns of items are called "v"; rename them'):
        found(twice)


def test_a_missing_column_is_refused_in_lists_of_dicts() -> None:
    with pytest.raises(ValueError, match='score: items has no column "v"; there are w'):
        found([{"w": 1}, {"w": 1}])


def test_names_with_dots_lead_into_columns() -> None:
    expected = [(0, 1)]
    rows: list[Any] = [{"x": 1.0, "y": {"z": "a"}}, {"x": 1, "y": {"z": "a"}}, {"x": None}, None]
    tables: list[Any] = [{"v": rows}, [{"v": row} for row in rows]]
    try:
        import pyarrow as pa

        structs = pa.array(rows, pa.struct([("x", pa.float32()), ("y", pa.struct([("z", pa.string())]))]))
        tables += [{"v": structs}, pa.table({"v": structs}), [{"v": row} for row in structs]]
    except ImportError:
        pass
    for table in tables:
        for name in ("v.x", "v.y.z"):
            got = nearkin.pairs(table, against={"v": [{"x": 1, "y": {"z": "a"}}]}, score=f"{name}:equal", recall=1)
            assert list(zip(got.b.tolist(), got.a.tolist())) == [(0, 0), (0, 1)], table
            assert nearkin.pairs(table, score=f"{name}:equal", recall=1).a.tolist() == [a for a, _ in expected]


def test_odd_columns_are_refused_in_words() -> None:
    with pytest.raises(TypeError, match='items: column "v" is one ndarray; give a list'):
        found({"v": np.array(1)})
    with pytest.raises(ValueError, match='items:0: column "v": dict cannot be spelled'):
        found({"v": [{(1, 2): 3}]})
    pa = pytest.importorskip("pyarrow")
    assert texts_of(pa.array([10**12, None, 0], pa.timestamp("s"))) == ['"33658-09-27T01:46:40"', None, '"1970-01-01T00:00:00"']
    assert texts_of(pa.array([-(10**11)], pa.timestamp("s", "UTC"))) == ['"-1199-02-15T14:13:20+00:00"']


def test_categories_of_polars_are_texts() -> None:
    pl = pytest.importorskip("polars")
    for kind in (pl.Categorical, pl.Enum(["x", "y"])):
        column = pl.Series(["x", "y", None, "x"], dtype=kind)
        assert texts_of(column) == ['"x"', '"y"', None, '"x"']
        assert nearkin.pairs(["a b c"] * 4, within=column).a.tolist() == [0]
        assert nearkin.pairs(pl.DataFrame({"v": column}), score="v:equal").a.tolist() == [0]
