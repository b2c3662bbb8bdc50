"""Parts of texts that are items of their own: paragraphs, lines, sentences, windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arguments import checked, shown
from ._core import Column
from ._items import arrow_of
from ._values import require_per_item


@dataclass(frozen=True, eq=False)
class Units:
    """The units of texts, ascending by text and place. `texts` are items like any others, for pairs, cluster and dedup.

        units = nearkin.units(texts, "paragraph")
        result = nearkin.dedup(units.texts)
        cleaned = units.without(result.removed)
    """

    owner: NDArray[np.int64]  #: row of the text that each is of
    begin: NDArray[np.int64]  #: bytes of the text in UTF-8
    end: NDArray[np.int64]
    texts: Column  #: of the units, as Arrow data
    _items: Any
    _unit: str
    _least: int

    def __len__(self) -> int:
        return len(self.owner)

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle has the texts, of which the units are made again."""
        nowhere = np.zeros(0, dtype=np.int64)
        return _again, (_core.cut_spans(self._items, nowhere, nowhere, nowhere, "text"), self._unit, self._least)

    @property
    def ids(self) -> list[str]:
        """The names of the units, as on the command line: OWNER:BEGIN-END."""
        return [f"{owner}:{begin}-{end}" for owner, begin, end in zip(self.owner, self.begin, self.end)]

    @checked
    def without(self, gone: Any, *, whole: Any = (), least_left: int = 0, most_cut: float = 1.0) -> list[Optional[str]]:
        """Returns the texts without the units of these numbers, such as `removed` of a result, or without those where a mask of bool, one per unit,
        is True. Blanks and punctuation around a cut go too, as in dedup.

        whole: units that stay whole, even if windows that go share words with them, such as `result.keeper[result.removed]`.
        least_left: a text that is cut to fewer words becomes None. most_cut: a text that would lose more than this share of its words is not cut.
        """
        if not 0 <= most_cut <= 1:
            raise ValueError(f"most_cut: {most_cut} is no share; give a number from 0 to 1")
        numbers, stay = _numbers_of(gone, len(self), "gone"), _numbers_of(whole, len(self), "whole")
        return _core.cut_units(self._items, self.owner[numbers], self.begin[numbers], self.owner[stay], self.begin[stay], self._unit, self._least,
                               least_left, most_cut, "text")


@checked
def units(items: Any, unit: str = "paragraph", *, least_unit: int = 0, column: str = "text") -> Units:
    """Splits texts into units: paragraph, line, sentence, or window:N/STEP (N words; a new window begins every STEP words).

    Units of fewer than `least_unit` words are left out. A text without any unit gets one empty unit, at 0-0.
    """
    given = _core.Items(arrow_of(items, column), "items", column)
    return Units(*_core.units(given, unit, least_unit, column), given, unit, least_unit)


def _numbers_of(gone: Any, units: int, name: str) -> NDArray[np.int64]:
    """Ascending, each once. Throws TypeError and ValueError for what names no units."""
    require_per_item(gone, name, "a list or an array of the numbers of units, or a mask of bool, one per unit")
    given: NDArray[Any] = np.asarray(gone if hasattr(gone, "__array__") else list(gone))
    if given.dtype == bool:
        if len(given) != units:
            raise ValueError(f"{name}: a mask of {len(given)}, and there are {units} units; give one value per unit")
        return np.flatnonzero(given)
    if len(given) and given.dtype.kind not in "iu":
        wrong = next((one for one in given.tolist() if type(one) is not int), given[0])
        raise TypeError(f"{name}: {shown(wrong)} is {type(wrong).__name__}; give the numbers of units (int), or a mask of bool, one per unit")
    numbers = np.unique(given.astype(np.int64))
    if len(numbers) and not 0 <= numbers[0] <= numbers[-1] < units:
        raise ValueError(f"{name}: {numbers[0] if numbers[0] < 0 else numbers[-1]} is no unit; there are {units}, counted from 0")
    return numbers


def _again(texts: list[Optional[str]], unit: str, least: int) -> Units:
    return units(texts, unit, least_unit=least)
