"""HNSW: the nearest points under any distance, by a graph (Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using
Hierarchical Navigable Small World graphs").

Edges go both ways here, so a point that is removed knows who points to it.
"""

from __future__ import annotations

import copy
import heapq
import math
from typing import Any, Callable, Hashable, Iterable, Iterator, Mapping, MutableMapping, Optional, Union

import numpy as np

from ..._core import whole_number

__all__ = ["HNSW"]

Graph = dict[Hashable, dict[Hashable, float]]  # The neighbours of each point, with their distances.
Near = list[tuple[float, Hashable]]


class HNSW(MutableMapping[Hashable, Any]):
    """Points under keys, in the order of their insertion, and for a point the keys of the nearest."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, distance_func: Callable[[Any, Any], float], m: int = 16, ef_construction: int = 200, m0: Optional[int] = None,
                 seed: Optional[int] = None, reversed_edges: bool = False):
        """`m`: neighbours per point, `m0` in the lowest layer (2 m). `ef_construction`: points looked at for each insertion.
        `reversed_edges` has no effect, as edges go both ways."""
        whole_number(m, "m", 2, 2**31 - 1)
        whole_number(ef_construction, "ef_construction", 1, 2**31 - 1)
        self._distance_func = distance_func
        self._m, self._m0, self._ef_construction = m, 2 * m if m0 is None else m0, ef_construction
        self._random = np.random.RandomState(seed)
        self._empty()

    def _empty(self) -> None:
        self._points: dict[Hashable, Any] = {}
        self._removed: set[Hashable] = set()
        self._graphs: list[Graph] = []
        self._entry_point: Optional[Hashable] = None
        self._entry_layer = -1

    def insert(self, key: Hashable, new_point: Any, ef: Optional[int] = None, level: Optional[int] = None) -> None:
        """Puts a point under a key, in place of the one that was there. `level`: its highest layer, chosen at random if not given."""
        if key in self._points:
            self._disconnect(key)
        if key in self._removed:
            self._removed.discard(key)
            del self._points[key]
        self._points[key] = new_point
        top = self._random_level() if level is None else level
        self._connect(key, top, ef or self._ef_construction)

    def _random_level(self) -> int:
        return int(-math.log(1.0 - self._random.random_sample()) / math.log(self._m))

    def _connect(self, key: Hashable, top: int, ef: int) -> None:
        while len(self._graphs) <= top:
            self._graphs.append({})
        for graph in self._graphs[: top + 1]:
            graph[key] = {}
        if self._entry_point is not None:
            point = self._points[key]
            near = self._descend(point, top + 1)
            for layer in range(min(top, self._entry_layer), -1, -1):
                near = self._search(point, near, layer, ef)
                chosen = self._select([each for each in near if each[1] not in self._removed], self._room(layer))
                for distance, other in chosen:
                    self._join(layer, key, other, distance)
        if self._entry_point is None or top > self._entry_layer:
            self._entry_point, self._entry_layer = key, top

    def _room(self, layer: int) -> int:
        return self._m0 if layer == 0 else self._m

    def _join(self, layer: int, a: Hashable, b: Hashable, distance: float) -> None:
        graph = self._graphs[layer]
        graph[a][b] = graph[b][a] = distance
        for key in (a, b):
            self._prune(layer, key)

    def _prune(self, layer: int, key: Hashable) -> None:
        """Keeps the best edges of a point that has too many. An edge stays where it is the only one of the other end."""
        graph = self._graphs[layer]
        if len(graph[key]) <= self._room(layer):
            return
        near = sorted(((distance, other) for other, distance in graph[key].items()), key=_distance_of)
        kept = {other for _, other in self._select(near, self._room(layer))}
        for _, other in near:
            if other not in kept and len(graph[other]) > 1:
                del graph[key][other], graph[other][key]

    def _select(self, near: Near, room: int) -> Near:
        """Up to `room` of the nearest, those first that are nearer to the point than to any other that is chosen; the nearest of the rest fill the room."""
        chosen: Near = []
        rest: Near = []
        for distance, key in near:
            if len(chosen) >= room:
                break
            point = self._points[key]
            hidden = any(self._distance_func(point, self._points[other]) < distance for _, other in chosen)
            (rest if hidden else chosen).append((distance, key))
        return sorted(chosen + rest[: room - len(chosen)], key=_distance_of)

    def _descend(self, point: Any, to: int) -> Near:
        """From the entry point down to layer `to`, a step at a time to the nearest point."""
        assert self._entry_point is not None
        near = [(self._distance_func(point, self._points[self._entry_point]), self._entry_point)]
        for layer in range(self._entry_layer, to - 1, -1):
            near = self._search(point, near, layer, 1, removed=True)
        return near

    def _search(self, point: Any, begin: Near, layer: int, ef: int, removed: bool = False) -> Near:
        """The `ef` nearest in a layer, nearest first. Points that are marked as removed are passed through, and found only if asked for, or if there is nothing else."""
        graph = self._graphs[layer]
        numbers = iter(range(1 << 62))  # Keys need not have an order.
        seen = {key for _, key in begin}
        ahead = [(distance, next(numbers), key) for distance, key in begin]
        heapq.heapify(ahead)
        found = [(-distance, next(numbers), key) for distance, key in begin if removed or key not in self._removed]
        heapq.heapify(found)
        while ahead:
            distance, _, key = heapq.heappop(ahead)
            if len(found) >= ef and distance > -found[0][0]:
                break
            for other in graph[key]:
                if other in seen:
                    continue
                seen.add(other)
                away = self._distance_func(point, self._points[other])
                if len(found) < ef or away < -found[0][0]:
                    heapq.heappush(ahead, (away, next(numbers), other))
                    if removed or other not in self._removed:
                        heapq.heappush(found, (-away, next(numbers), other))
                        if len(found) > ef:
                            heapq.heappop(found)
        return sorted(((-negative, key) for negative, _, key in found), key=_distance_of) or begin

    def query(self, query_point: Any, k: Optional[int] = None, ef: Optional[int] = None) -> list[tuple[Hashable, float]]:
        """The keys and distances of the `k` nearest points, nearest first; of all that were looked at without `k`."""
        if self._entry_point is None:
            raise ValueError("query: the index is empty; insert points first")
        looked = max(ef or self._ef_construction, k or 0)
        near = self._search(query_point, self._descend(query_point, 1), 0, looked)
        near = [each for each in near if each[1] not in self._removed]
        if len(near) < min(len(self) if k is None else k, len(self), looked):
            near = self._all_near(query_point)  # The graph has come apart.
        return [(key, distance) for distance, key in near[: looked if k is None else k]]

    def _all_near(self, point: Any) -> Near:
        return sorted(((self._distance_func(point, other), key) for key, other in self.items()), key=_distance_of)

    def remove(self, key: Hashable, hard: bool = False, ef: Optional[int] = None) -> None:
        """Takes a point out. Without `hard` it is only marked, and searches still pass through it; `clean` takes such points out. Marking again has no effect."""
        if key not in self._points:
            raise KeyError(key)
        if hard:
            self._disconnect(key)
            del self._points[key]
            self._removed.discard(key)
        else:
            self._removed.add(key)
            if key == self._entry_point:
                self._enter_elsewhere()
        if len(self) == 0:
            self._empty()

    def _disconnect(self, key: Hashable) -> None:
        """Takes a point out of the graph; its neighbours become neighbours of each other where that is nearer than what they have."""
        for layer, graph in enumerate(self._graphs):
            if key not in graph:
                break
            around = list(graph.pop(key))
            for other in around:
                del graph[other][key]
            for other in around:
                self._reconnect(layer, other, around)
        while self._graphs and not self._graphs[-1]:
            self._graphs.pop()
        if key == self._entry_point:
            self._enter_elsewhere()

    def _reconnect(self, layer: int, key: Hashable, around: Iterable[Hashable]) -> None:
        graph, point = self._graphs[layer], self._points[key]
        known = graph[key]
        near = [(known[other] if other in known else self._distance_func(point, self._points[other]), other)
                for other in {*known, *around} if other != key and (other in known or other not in self._removed)]
        for distance, other in self._select(sorted(near, key=_distance_of), self._room(layer)):
            if other not in known:
                self._join(layer, key, other, distance)

    def _enter_elsewhere(self) -> None:
        """Another point of the highest layer that has one becomes the entry point, one that is not marked as removed."""
        for layer in range(len(self._graphs) - 1, -1, -1):
            for key in self._graphs[layer]:
                if key not in self._removed:
                    self._entry_point, self._entry_layer = key, layer
                    return
        self._entry_point, self._entry_layer = None, -1

    def clean(self, ef: Optional[int] = None) -> None:
        """Takes out all points that are marked as removed."""
        for key in list(self._removed):
            self.remove(key, hard=True, ef=ef)

    def clear(self) -> None:
        """Takes out all points. The random numbers go on."""
        self._empty()

    def copy(self) -> HNSW:
        """An index of its own with the same points, graph and random state."""
        made = copy.copy(self)
        made._points, made._removed = dict(self._points), set(self._removed)
        made._graphs = [{key: dict(edges) for key, edges in graph.items()} for graph in self._graphs]
        made._random = copy.deepcopy(self._random)
        return made

    def merge(self, other: HNSW) -> HNSW:
        """A new index with the points of both; where a key is in both, with that of the other."""
        made = self.copy()
        made.update(other)
        return made

    def update(self, other: Union[Mapping[Hashable, Any], HNSW]) -> None:  # type: ignore[override]
        """Puts in all points of a mapping or another index."""
        for key, point in other.items():
            self.insert(key, point)

    def get(self, key: Hashable, default: Any = None) -> Any:
        """The point under a key, or the default."""
        return self._points[key] if key in self else default

    def pop(self, key: Hashable, default: Any = None, hard: bool = False) -> Any:
        """Takes a point out and returns it; the default if there is none, KeyError if that is None."""
        if key not in self:
            if default is None:
                raise KeyError(key)
            return default
        point = self._points[key]
        self.remove(key, hard=hard)
        return point

    def popitem(self, last: bool = True, hard: bool = False) -> tuple[Hashable, Any]:
        """Takes out the point that was put in last, or first, and returns it with its key."""
        key = next(self.reversed() if last else iter(self), None)
        if key is None and len(self) == 0:
            raise KeyError("popitem: the index is empty")
        assert key is not None
        return key, self.pop(key, hard=hard)

    def setdefault(self, key: Hashable, default: Any = None) -> Any:
        """The point under a key; if there is none, the default is put there."""
        if default is None:
            raise ValueError("default: None is no point")
        if key not in self:
            self.insert(key, default)
        return self._points[key]

    def __getitem__(self, key: Hashable) -> Any:
        if key not in self:
            raise KeyError(key)
        return self._points[key]

    def __setitem__(self, key: Hashable, point: Any) -> None:
        self.insert(key, point)

    def __delitem__(self, key: Hashable) -> None:
        if key not in self:
            raise KeyError(key)
        self.remove(key)

    def __contains__(self, key: object) -> bool:
        return key in self._points and key not in self._removed

    def __len__(self) -> int:
        return len(self._points) - len(self._removed)

    def __iter__(self) -> Iterator[Hashable]:
        return (key for key in self._points if key not in self._removed)

    def reversed(self) -> Iterator[Hashable]:
        """The keys, that of the last insertion first."""
        return (key for key in reversed(self._points) if key not in self._removed)

    def __reversed__(self) -> Iterator[Hashable]:
        return self.reversed()

    def keys(self) -> Iterator[Hashable]:  # type: ignore[override]
        """The keys, in the order of insertion."""
        return iter(self)

    def values(self) -> Iterator[Any]:  # type: ignore[override]
        """The points, in the order of insertion."""
        return (self._points[key] for key in self)

    def items(self) -> Iterator[tuple[Hashable, Any]]:  # type: ignore[override]
        """Keys and points, in the order of insertion."""
        return ((key, self._points[key]) for key in self)

    def __eq__(self, other: object) -> bool:
        """The same points under the same keys, in the same graph, under the same distance."""
        if not isinstance(other, HNSW):
            return NotImplemented
        return (self._distance_func == other._distance_func and (self._m, self._m0, self._ef_construction) == (other._m, other._m0, other._ef_construction)
                and self._removed == other._removed and self._graphs == other._graphs and self._entry_point == other._entry_point
                and list(self._points) == list(other._points) and all(_same(a, b) for a, b in zip(self._points.values(), other._points.values())))

    def __repr__(self) -> str:
        return f"HNSW({self._distance_func!r}, m={self._m}, ef_construction={self._ef_construction}, m0={self._m0}, {len(self)} points)"


def _distance_of(each: tuple[float, Hashable]) -> float:
    return each[0]


def _same(a: Any, b: Any) -> bool:
    return np.array_equal(a, b) if isinstance(a, np.ndarray) or isinstance(b, np.ndarray) else bool(a == b)
