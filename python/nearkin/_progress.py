"""How a run tells how far it is: by a function of the caller's, or by a bar."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import Any, Callable, Iterator, Optional, Union

Tell = Callable[[str, int, int], Any]
Progress = Union[bool, Tell]


@contextmanager
def told(progress: Optional[Progress]) -> Iterator[Optional[Tell]]:
    """What the run is to call. True: a bar of tqdm."""
    if progress is None or progress is False:
        yield None
        return
    if progress is not True:
        yield progress
        return
    try:
        tqdm = import_module("tqdm.auto").tqdm
    except ImportError:
        raise ValueError("progress: True needs tqdm, which is not installed; pip install tqdm, or give a function of (stage, done, total)") from None
    with tqdm(unit="", leave=False) as bar:
        def tell(stage: str, done: int, total: int) -> None:
            if bar.desc != f"{stage}: ":
                bar.reset(total or None)
                bar.set_description(stage, refresh=False)
            bar.total = total or None
            bar.update(done - bar.n)

        yield tell
