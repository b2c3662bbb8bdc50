"""How a value is spelled in JSON, for the engine to read: one rule for columns of Parquet files, of tables in memory, and for lists.

Whole numbers are spelled as such, though a column may hold them as floats; other floats by the fewest digits that tell them apart in their own
width; moments and durations as ISO 8601 has them. NaN, and whatever else stands for a value that is missing, is none.
"""

from __future__ import annotations

import datetime
import decimal
import json
import math
from collections.abc import Mapping, Set
from typing import Any, Callable, Iterator, Optional, Sequence

import numpy as np

from ._arguments import shown
from ._pyarrow import pa, pc

_MOST_WHOLE = 2**53  # beyond, floats are not sure of their last digit
_MISSING = ("NAType", "NaTType")
_SECONDS = (-62_135_510_400, 253_402_214_400)  # of the years 1 to 9999, but for a day in which zones may differ
_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


class NotText(ValueError):
    """Bytes for which JSON has no words."""


def json_of(value: Any, lossy: bool = False, infinite: bool = False) -> str:
    """JSON knows no NaN and no infinity: these are null, or texts of infinity where it is asked for. Bytes that are no text: NotText, or U+FFFD
    in their places."""
    text = _strict(value, lossy)
    return _loose(_finite(value, infinite), lossy) if text is None else text


def _strict(value: Any, lossy: bool) -> Optional[str]:
    """As JSON; None where a NaN or an infinity is in it."""
    try:
        return json.dumps(value, ensure_ascii=False, default=_default_lossy if lossy else _default, allow_nan=False)
    except NotText:
        raise
    except ValueError:
        return None


def _loose(value: Any, lossy: bool) -> str:
    return json.dumps(value, ensure_ascii=False, default=_default_lossy if lossy else _default)


def json_rows(batch: Any, lossy: bool = False) -> Iterator[tuple[str, list[str]]]:
    """Each row of a record batch as JSON, and the columns of it in which a NaN or an infinity is null now."""
    plain = pa.RecordBatch.from_arrays([moments(column) for column in batch.columns], names=batch.schema.names)
    for row in plain.to_pylist():
        text = _strict(row, lossy)
        if text is not None:
            yield text, []
            continue
        finite = {name: _finite(value, False) for name, value in row.items()}
        yield _loose(finite, lossy), [name for name, value in finite.items() if value != row[name]]


def _finite(value: Any, infinite: bool) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value) if infinite and math.isinf(value) else None
    if isinstance(value, (np.ndarray, np.floating)):
        return _finite(value.tolist(), infinite)
    if isinstance(value, dict):
        return {key: _finite(one, infinite) for key, one in value.items()}
    return [_finite(one, infinite) for one in value] if isinstance(value, (list, tuple)) else value


def _default(value: Any) -> Any:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise NotText(f"{value[:20]!r} is no text, and JSON has no other bytes; write Parquet, such as -o kept.parquet") from None
    if isinstance(value, (np.ndarray, np.generic)) and not isinstance(value, (np.datetime64, np.timedelta64)):
        return value.tolist()
    return _moment(value)


def _default_lossy(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else _default(value)


def as_json(column: Any, infinite: bool = False, lossy: bool = True) -> Any:
    """The values of an Arrow column as JSON spells them; null where there is none. `infinite`: infinity is the text inf, and not missing.
    `lossy`: bytes that are no UTF-8 become U+FFFD; otherwise they are a ValueError."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return as_json(_decoded(column), infinite, lossy)
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        return column.cast(pa.string())
    if pa.types.is_floating(kind):
        return _floats(column, infinite)
    values = [None if value is None else json_of(value, lossy, infinite) for value in _python_values(column)]
    return pa.array(values, pa.string())


def _decoded(column: Any) -> Any:
    """A dictionary column as its values; Arrow does not know how to decode one of views, as polars has them."""
    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([_decoded(chunk) for chunk in column.chunks] or [pa.array([], pa.string())])
    values = column.dictionary
    if str(values.type) in ("string_view", "binary_view"):
        values = values.cast(pa.large_string() if str(values.type) == "string_view" else pa.large_binary())
    return values.take(column.indices)


def _floats(column: Any, infinite: bool) -> Any:
    if pa.types.is_float16(column.type):
        column = column.cast(pa.float64())
    whole = pc.and_(pc.equal(pc.floor(column), column), pc.less_equal(pc.abs(column), pa.scalar(float(_MOST_WHOLE), column.type)))
    digits = pc.if_else(whole, column, pa.scalar(None, column.type)).cast(pa.int64()).cast(pa.string())
    written = pc.if_else(pc.is_finite(column), column.cast(pa.string()), pa.scalar(None, pa.string()))
    if infinite:
        written = pc.if_else(pc.is_inf(column), pc.if_else(pc.greater(column, 0), '"inf"', '"-inf"'), written)
    return pc.coalesce(digits, written)


def _python_values(column: Any) -> list[Any]:
    try:
        values: list[Any] = moments(column).to_pylist()
        return values
    except UnicodeDecodeError:  # strings that are none: which of them is for json_of to say
        bytes_of: list[Any] = column.cast(pa.large_binary() if pa.types.is_large_string(column.type) else pa.binary()).to_pylist()
        return bytes_of


def moments(column: Any) -> Any:
    """Moments of nanoseconds and durations as their texts, for Python's own know no nanoseconds; other columns as they are."""
    kind = column.type
    if pa.types.is_duration(kind):
        unit = _NANOSECONDS[kind.unit]
        return pa.array([None if value is None else _duration(value * unit) for value in column.cast(pa.int64()).to_pylist()], pa.string())
    if pa.types.is_timestamp(kind) and kind.unit != "ns":
        return _far_moments(column)
    if not (pa.types.is_timestamp(kind) or pa.types.is_time64(kind)) or kind.unit != "ns":
        return column
    counts = column.cast(pa.int64()).to_pylist()
    coarse = pa.array([None if count is None else count // 1000 for count in counts], pa.timestamp("us", kind.tz) if pa.types.is_timestamp(kind) else pa.time64("us"))
    texts = [None if count is None else _finer(value, count % 1000) for value, count in zip(coarse.to_pylist(), counts)]
    return pa.array(texts, pa.string())


def _far_moments(column: Any) -> Any:
    """As texts where years beyond Python's, 1 to 9999, are among them; otherwise as they are."""
    kind, counts = column.type, column.cast(pa.int64())
    first, last = (second * 10**9 // _NANOSECONDS[kind.unit] for second in _SECONDS)
    ends = pc.min_max(counts).as_py()
    if ends["min"] is None or first <= ends["min"] <= ends["max"] <= last:
        return column

    def text(count: int) -> str:
        if first <= count <= last:
            return str(pa.scalar(count, kind).as_py().isoformat())
        return str(np.datetime64(count, kind.unit)) + ("+00:00" if kind.tz else "")

    return pa.array([None if count is None else text(count) for count in counts.to_pylist()], pa.string())


def _finer(value: Any, nanoseconds: int) -> str:
    """A datetime or time, and what is left over."""
    if not nanoseconds:
        return str(value.isoformat())
    text = value.isoformat(timespec="microseconds")
    end = text.index(".") + 7
    return f"{text[:end]}{nanoseconds:03}{text[end:]}"


def _duration(nanoseconds: int) -> str:
    """As ISO 8601, days at most; a negative one has negative days."""
    seconds, rest = divmod(nanoseconds, 10**9)
    days, seconds = divmod(seconds, 86_400)
    fraction = f".{rest:09}".rstrip("0") if rest else ""
    return f"P{days}DT{seconds // 3600}H{seconds // 60 % 60}M{seconds % 60}{fraction}S"


def _moment(value: Any) -> str:
    """Moments and durations as ISO 8601, and of anything else what it says of itself."""
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if isinstance(value, datetime.timedelta):
        return _duration(((value.days * 86_400 + value.seconds) * 10**6 + value.microseconds) * 1000)
    if isinstance(value, np.timedelta64) and np.datetime_data(value)[0] not in ("Y", "M"):
        return _duration(int(value.astype("m8[ns]").astype(np.int64)))
    if isinstance(value, np.datetime64):
        return _numpy_moment(value)
    return str(value)


def _numpy_moment(value: np.datetime64) -> str:
    unit = np.datetime_data(value)[0]
    if unit in ("Y", "M", "W", "D"):
        return str(value)
    if unit != "ns":
        return str(value.astype("M8[us]").item().isoformat())
    count = int(value.astype(np.int64))
    return _finer(np.datetime64(count // 1000, "us").item(), count % 1000)


def _float_text(value: Any) -> str:
    """As Arrow spells it, by the digits of its own width; a whole number as one."""
    if value == math.floor(value) and abs(value) <= _MOST_WHOLE:
        return str(int(value))
    if 1e-6 <= abs(value) < 1e15:
        return str(np.format_float_positional(value, trim="-"))
    return str(np.format_float_scientific(value, trim="-", exp_digits=1))


def _is_missing(value: Any) -> bool:
    if value is None or value is np.ma.masked or type(value).__name__ in _MISSING:
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return value.is_nan() if isinstance(value, decimal.Decimal) else isinstance(value, (float, np.floating)) and bool(value != value)


def spelled(value: Any) -> Optional[str]:
    """A value of Python, NumPy or Arrow as JSON; None where it is missing. Infinity is the text inf. Throws ValueError for what is no UTF-8."""
    if isinstance(value, str):
        return json.dumps(str(value), ensure_ascii=False)
    if type(value) is int:
        return str(value)
    if hasattr(value, "as_py"):  # a scalar of Arrow
        text: Optional[str] = as_json(pa.array([value]), infinite=True, lossy=False)[0].as_py()
        return text
    if _is_missing(value):
        return None
    if isinstance(value, (float, np.floating)):
        number = value if isinstance(value, (float, np.float32, np.longdouble)) else float(value)
        return _float_text(number) if math.isfinite(number) else f'"{float(number)}"'
    if isinstance(value, decimal.Decimal) and value.is_infinite():
        return '"inf"' if value > 0 else '"-inf"'
    if isinstance(value, np.ndarray):
        value = value.tolist()
    elif hasattr(value, "item") and not isinstance(value, (np.datetime64, np.timedelta64)):
        value = value.item()
    return json_of(value, infinite=True)


def _arrow_column(values: Any) -> Any:
    """Where Arrow data is, as an array of pyarrow; None where it is not, or could not be without changing values."""
    if pa is None:
        return None
    dtype = getattr(values, "dtype", None)
    if hasattr(values, "iloc"):  # pandas, where columns of objects may hold anything, and some kinds are unknown to Arrow
        try:
            return None if dtype == object else pa.array(values, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError):
            return None
    if hasattr(values, "__arrow_c_stream__") and str(dtype) != "Object":
        return pa.chunked_array(values)
    return pa.array(values) if hasattr(values, "__arrow_c_array__") else None


def _each(values: Any, spell: Callable[[Any], Optional[str]], fault: Callable[[int, str], ValueError]) -> list[Optional[str]]:
    texts: list[Optional[str]] = []
    for row, value in enumerate(values):
        try:
            text = spell(value)
            if text is not None and not text.isascii():
                text.encode()
        except (NotText, UnicodeError):
            raise fault(row, "is no UTF-8; decode it, or put it right") from None
        except TypeError as error:
            raise fault(row, f"{type(value).__name__} cannot be spelled: {error}") from None
        texts.append(text)
    return texts


def texts_of(values: Any, fault: Callable[[int, str], ValueError] = lambda row, what: ValueError(f"{row}: {what}")) -> list[Optional[str]]:
    """The values of a column, whatever holds it, as JSON; None where one is missing. `fault` makes the error about a row."""
    column = _arrow_column(values)
    if column is None:
        plain = values.to_numpy() if hasattr(values, "iloc") else values.to_list() if hasattr(values, "to_list") else values
        return _each(plain, spelled, fault)
    try:
        texts: list[Optional[str]] = as_json(column, infinite=True, lossy=False).to_pylist()
        return texts
    except (NotText, UnicodeError):
        return _each(_python_values(column), spelled, fault)


def inner_values(values: Any, path: Sequence[str]) -> Any:
    """What a path of names leads to in each value of a column of structs or dicts; missing where it leads to nothing."""
    if not path:
        return values
    column = _arrow_column(values)
    if column is not None and pa.types.is_struct(column.type):
        if column.type.get_field_index(path[0]) < 0:
            return [None] * len(column)
        return inner_values(pc.struct_field(column, path[0]), path[1:])
    return [_inner(value.as_py() if hasattr(value, "as_py") else value, path) for value in values]


def _inner(value: Any, path: Sequence[str]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def as_field(text: Optional[str]) -> Optional[str]:
    """A value as the engine reads a field with this JSON."""
    return json.loads(text) if text is not None and text.startswith('"') else text


def is_table(values: Any) -> bool:
    """Whether it has several columns, by name."""
    return any(hasattr(values, name) for name in ("columns", "column_names")) or hasattr(getattr(values, "schema", None), "names")


def is_column(values: Any) -> bool:
    """Whether it has a value a row, and is not one text, a dict or a set, which would be taken apart in silence."""
    if isinstance(values, (str, bytes, bytearray, memoryview, Mapping, Set)) or is_table(values):
        return False
    return getattr(values, "ndim", 1) == 1 and any(hasattr(values, name) for name in ("__iter__", "__arrow_c_array__", "__arrow_c_stream__"))


def require_per_item(values: Any, name: str, right: str = "a list or an array with one value per item") -> None:
    """Throws TypeError where these are no values, one for each item."""
    if is_table(values):
        raise TypeError(f'{name}: {type(values).__name__} is a table; give one column of it, such as table["lang"]')
    if not is_column(values):
        raise TypeError(f"{name}: {shown(values)} is {type(values).__name__}; give {right}")


def one_length(columns: Mapping[str, Sequence[Any]], what: str) -> int:
    """The length of all these columns. Throws ValueError where they have more than one."""
    if len({len(values) for values in columns.values()}) > 1:
        told = ", ".join(f'"{name}" has {len(values)}{" values" if at == 0 else ""}' for at, (name, values) in enumerate(columns.items()))
        raise ValueError(f"{what}: column {told}; give columns of one length")
    return len(next(iter(columns.values())))
