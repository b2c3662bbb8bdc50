"""A collection that changes, stored in one folder, which answers queries for neighbours."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence, Union

from . import _core
from ._arguments import checked, plan_of
from ._core import Plan
from ._items import arrow_of


@dataclass(frozen=True)
class Hit:
    """A neighbour."""

    id: str
    similarity: float  #: or distance
    metadata: Any = None  #: where it was asked for


class Answer(Sequence[Hit]):
    """The neighbours of one query, best first."""

    def __init__(self, hits: list[Hit], looked_at: int, stopped_early: bool):
        self.hits = hits
        self.looked_at = looked_at  #: items met in buckets
        self.stopped_early = stopped_early  #: by max_candidates

    def __getitem__(self, i: Any) -> Any:
        return self.hits[i]

    def __len__(self) -> int:
        return len(self.hits)

    def __repr__(self) -> str:
        return f"Answer({self.hits!r})"


class Index:
    """A collection in a folder. Make one with `Index.create(folder, plan)` or open one with `Index.open(folder)`.

    Any number of threads and processes may have it open. When a write returns, it is on disk.
    """

    def __init__(self, opened: _core.OpenIndex):
        self._open = opened

    @classmethod
    @checked
    def create(cls, folder: Union[str, os.PathLike[str]], plan: Union[Plan, str], *, texts: bool = False) -> Index:
        """Creates the folder. `texts`: store the texts too, to return them later."""
        return cls(_core.OpenIndex.create(os.fspath(folder), plan_of(plan), texts))

    @classmethod
    @checked
    def open(cls, folder: Union[str, os.PathLike[str]], *, read_only: bool = False) -> Index:
        return cls(_core.OpenIndex.open(os.fspath(folder), read_only))

    def close(self) -> None:
        self._open.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        return _reopen, (os.path.abspath(self.folder), self._open.read_only)

    @property
    def folder(self) -> str:
        return self._open.folder

    @property
    def plan(self) -> Plan:
        """The plan of the index. It was chosen when the index was created, and never changes."""
        return self._open.plan

    @property
    def keeps_texts(self) -> bool:
        return self._open.texts

    def put(self, id: str, item: Any, metadata: Optional[Mapping[str, Any]] = None) -> bool:
        """Inserts an item, or replaces the one with this id. Returns True if the id was new."""
        known = _can_be_id(id) and bool(self._open.parts(id))
        return self.put_many([id], [item], None if metadata is None else [metadata])["added"] > 0 and not known

    @checked
    def put_many(self, ids: Any, items: Any, metadata: Optional[Iterable[Any]] = None, *, column: str = "text") -> dict[str, int]:
        """Inserts or replaces many items in one step: after a crash, all of them are stored or none. Returns how many were added and replaced.

        An index of parts of records (`nearkin index create --unit`) divides each text, and its parts take the place of those that the id had; the
        numbers returned are parts, and `outdated` those that are gone."""
        return self._open.put_many(ids, arrow_of(items, column), metadata, column)

    def erase(self, ids: Any) -> int:
        """Removes one id or several; the id of a record stands for all its parts. Returns how many of them the index had."""
        return self._open.erase([ids] if isinstance(ids, str) else ids)

    @checked
    def get(self, id: str) -> Optional[dict[str, Any]]:
        """Returns id, metadata, text (if texts are stored) and size; None if there is no such item."""
        return self._open.get(id)

    @checked
    def parts(self, id: str) -> list[str]:
        """The ids of the parts of a record, in an index of parts of records; none in any other."""
        return self._open.parts(id)

    def __getitem__(self, id: str) -> dict[str, Any]:
        item = self.get(id)
        if item is None:
            raise KeyError(id)
        return item

    def __contains__(self, id: object) -> bool:
        return _can_be_id(id) and (self._open.get(str(id)) is not None or bool(self._open.parts(str(id))))

    def __delitem__(self, id: str) -> None:
        if self.erase(id) == 0:
            raise KeyError(id)

    def __len__(self) -> int:
        return int(self._open.info()["items"])

    def __iter__(self) -> Iterator[str]:
        """All ids, in bytewise order."""
        after = ""
        while page := self._open.ids(after, 10_000):
            yield from page
            after = page[-1]

    def query(self, item: Any, *, limit: int = 0, threshold: Optional[float] = None, max_candidates: Optional[int] = None,
              where: Optional[Mapping[str, Any]] = None, metadata: bool = False, share_of: str = "query") -> Answer:
        """Finds the neighbours of one item within the plan's threshold or radius, best first. Each is found with the plan's recall or more.

        limit: maximum number of neighbours; 0 means all. where: metadata fields and the values they must have; types count (1 is not "1").
        share_of: for an index by containment, how much of the query is in the item ("query"), or how much of the item is in the query ("item").
        """
        return self.query_many([item], limit=limit, threshold=threshold, max_candidates=max_candidates, where=where, metadata=metadata,
                               share_of=share_of)[0]

    @checked
    def query_many(self, items: Any, *, column: str = "text", limit: int = 0, threshold: Optional[float] = None, max_candidates: Optional[int] = None,
                   where: Optional[Mapping[str, Any]] = None, metadata: bool = False, share_of: str = "query") -> list[Answer]:
        answers = self._open.query_many(arrow_of(items, column), column, limit, threshold, max_candidates, None if where is None else dict(where), metadata, share_of)
        return [_answer(*told) for told in answers]

    @checked
    def neighbours(self, id: str, *, limit: int = 0, threshold: Optional[float] = None, max_candidates: Optional[int] = None,
                   where: Optional[Mapping[str, Any]] = None, metadata: bool = False, share_of: str = "query") -> Answer:
        """The neighbours of an item of the index, itself left out. It is asked with what the index holds of it; its text need not be stored.

        The options are those of query. Raises KeyError if there is no item of this id.
        """
        answer = self._open.neighbours(id, limit, threshold, max_candidates, None if where is None else dict(where), metadata, share_of)
        if answer is None:
            raise KeyError(id)
        return _answer(*answer)

    def info(self) -> dict[str, Any]:
        return self._open.info()

    def verify(self) -> dict[str, Any]:
        """Checks every checksum and looks up every item. An index without damage has no "problems"."""
        return self._open.verify()

    def compact(self) -> None:
        """Gives free space back to the disk."""
        self._open.compact()

    @checked
    def backup(self, folder: Union[str, os.PathLike[str]]) -> None:
        """Makes a consistent copy, even while others write."""
        self._open.backup(os.fspath(folder))

    def __repr__(self) -> str:
        return f"nearkin.Index({self.folder!r})"


def _answer(hits: list[Any], looked_at: int, stopped_early: bool) -> Answer:
    return Answer([Hit(*hit) for hit in hits], looked_at, stopped_early)


def _can_be_id(id: object) -> bool:
    return isinstance(id, str) and not any("\ud800" <= c <= "\udfff" for c in id)  # no index holds surrogates


def _reopen(folder: str, read_only: bool) -> Index:
    return Index.open(folder, read_only=read_only)
