"""Whole runs over files, Parquet and fsspec addresses among them: the binary does the work, the package feeds it and writes the rows."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Iterable, Optional, Sequence, Union

from ._core import Plan
from ._datasets import deduplicate_folder, is_saved
from ._feed import pass_on
from ._flags import OUTPUT_FLAGS, Typed, as_field_name, flags_of, is_parquet
from ._places import Work

if TYPE_CHECKING:
    from ._prepare import Ready

Path = Union[str, "os.PathLike[str]"]
Fields = Union[str, Sequence[str]]
Say = Optional[Callable[[bytes], Any]]

_TABLES = ("pairs", "cluster", "query", "passages", "decontaminate")
_FILE_TROUBLE = re.compile(r"cannot be (?!combined|used)|no such file|no file matches|no space|permission")


def run(typed: Typed, say: Say, tied: bool = False) -> int:
    """The exit status of the binary. Throws ValueError and OSError for what the package itself refuses; nothing is half-written then.

    `say` takes what the binary says; without it, it speaks for itself unless its words must be put right. `tied`: see Child.
    """
    from . import _dedup, _lines, _prepare  # pyarrow is slow to import, and not always needed

    typed = typed.copy()
    with Work(typed.get("--scratch") or None) as work, _prepare.prepared(typed, work) as ready:
        speak = say if say is not None or not (ready.streams or ready.called) else pass_on
        if "--quiet" not in typed:
            for words in ready.left_out:
                (speak or pass_on)(f"nearkin: {words}\n".encode())
        if typed.writes_rows and ready.sources:
            status = _dedup.run(ready, work, speak, tied)
        elif typed.writes_rows and is_parquet(typed.get("--output")):
            status = _lines.run_lines(ready, work, speak, tied)
        else:
            status = _run_plain(ready, work, speak, tied)
        if status in (0, 1):
            work.publish()
        return status


def _run_plain(ready: Ready, work: Work, say: Say, tied: bool) -> int:
    from ._outputs import refuse_parquet

    typed = ready.typed
    refuse_parquet(typed, *OUTPUT_FLAGS[1:])
    work.redirect(typed, *OUTPUT_FLAGS[1:])
    target = typed.get("--output")
    if typed.command == "tune" and "--truth" in typed and ready.streams:
        return _tune_by_truth(ready, work, say, tied)
    if not is_parquet(target):
        work.redirect(typed, "--output")
        with ready.start(say, tied) as child:
            return child.wait()
    if typed.command not in _TABLES or typed.asks_what_if:
        raise ValueError(f"--output: {target}: what {typed.command} writes here is not a table of rows; name another file")
    from ._parquet import require_pyarrow
    from ._rows import write_table

    require_pyarrow(target)
    output = work.output(target)
    typed.drop("--output")
    if "--json" not in typed:
        typed.put("--json")
    with ready.start(say, tied, result=True) as child:
        write_table(child.output.read, output.path, target, typed.command, "distance" if "--radius" in typed else "similarity")
        return child.wait()


def _tune_by_truth(ready: Ready, work: Work, say: Say, tied: bool) -> int:
    """What it proposes ends with a command, which is to name the files."""
    output = work.output(ready.typed.get("--output", "-"))
    ready.typed.drop("--output")
    with ready.start(say, tied, result=True) as child:
        told = child.with_names(child.output.read()).replace(b" --format jsonl", b"")
        status = child.wait()
    with open(output.path, "wb") as file:
        file.write(told)
    return status


@dataclass(frozen=True)
class FilesResult:
    """The result of a run over files."""

    stats: dict[str, Any]  #: the names of --stats: plan, items, pairs, recall, seconds and so on
    said: list[str] = field(default_factory=list)  #: its messages: records that were skipped, and why

    @property
    def skipped(self) -> int:
        """Number of records that could not be used and were left out."""
        return int(self.stats["skipped"])

    @property
    def recall(self) -> Optional[dict[str, Any]]:
        """The recall of pairs, as in --stats; None if it is not known."""
        return self.stats.get("recall")

    @property
    def item_recall(self) -> Optional[dict[str, Any]]:
        """Of the items that exact mode would remove (copies not counted), the share that was removed; None if it is not known."""
        return self.stats.get("item_recall")


def _paths_of(inputs: Union[Path, Sequence[Path]]) -> list[str]:
    if isinstance(inputs, (str, os.PathLike)):
        return [os.fspath(inputs)]
    paths = list(inputs) if isinstance(inputs, Iterable) else [inputs]
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"inputs: {path!r} is not a path; name a file, a folder, a pattern or an address, or several in a list")
    if not paths:
        raise ValueError("inputs: none; name a file, a folder, a pattern or an address")
    return [os.fspath(path) for path in paths]


def _as_folder(output: Path) -> Path:
    """A pathlib.Path has lost the slash that tells a folder from a file; without an extension it is taken for one."""
    if isinstance(output, os.PathLike) and not os.path.splitext(path := os.fspath(output))[1] and not os.path.exists(path):
        return f"{path}/"
    return output


def _put(typed: Typed, name: str, value: Any) -> None:
    """A flag by its name in Python. None: it is not given. Throws TypeError for a value that it cannot have."""
    spelled = "--" + name.replace("_", "-")
    flag = flags_of(typed.command).get(spelled)
    if value is None:
        return
    if name == "help":
        raise TypeError(f"help: is not a flag of runs in Python; see help(nearkin.{typed.command}_files)")
    if type(value).__name__ in ("bool", "bool_"):
        if flag and flag.takes_value:
            raise TypeError(f"{name}: {value} is bool, and {spelled} has a value ({flag.value}); give that, or leave it out")
        if value:
            typed.put(spelled)
    elif isinstance(value, (list, tuple)) and flag and flag.repeats:
        typed.drop(spelled)
        typed.flags += [(spelled, _word(one, name)) for one in value]
    elif isinstance(value, (list, tuple)) and flag and flag.lists:
        of_names = spelled in ("--text", "--against-text")
        typed.put(spelled, ",".join(as_field_name(one) if of_names and isinstance(one, str) else _word(one, name) for one in value))
    else:
        typed.put(spelled, _word(value, name))


def _word(value: Any, name: str) -> str:
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if not isinstance(value, str) and isinstance(value, (Iterable, bytes)):
        raise TypeError(f"{name}: {value!r} is {type(value).__name__}; give one value")
    return str(value)


def _call(command: str, inputs: Union[Path, Sequence[Path]], output: Path, plan: Union[Plan, str, None], flags: dict[str, Any]) -> FilesResult:
    typed = Typed(command, _paths_of(inputs))
    if not isinstance(output, (str, os.PathLike)):
        raise TypeError(f"output: {output!r} is not a path; name a file, or a folder such as \"out/\"")
    if callable(flags.get("progress")):
        raise TypeError("progress: a function is called only by runs over items in memory, such as nearkin.dedup; leave it out")
    given = {"output": _as_folder(output) if command == "dedup" else output, "plan": plan, **flags}
    if given.get("score") is not None and given.get("text") == "text":
        del given["text"]  # a score names its columns
    for name, value in given.items():
        _put(typed, name, value)
    said: list[bytes] = []
    with Work() as work:
        stats = work.file("stats.json")
        typed.put("--stats", stats)
        status = run(typed, said.append)
        words = [line.removeprefix("nearkin: ") for line in b"".join(said).decode("utf-8", "replace").splitlines()]
        if status not in (0, 1):
            message = words[-1] if words else f"the run was ended by signal {-status}"
            raise OSError(message) if _FILE_TROUBLE.search(message) else ValueError(message)
        with open(stats, encoding="utf-8") as file:
            return FilesResult(json.load(file), words)


def _dedup_saved(folder: Any, output: Path, plan: Union[Plan, str, None], flags: dict[str, Any]) -> FilesResult:
    from ._items import arrow_of
    from ._runs import dedup

    given = {name: value for name, value in flags.items() if value is not None}
    for name in given:
        if name not in ("text", "keep", "linkage", "threads"):
            raise ValueError(f"{name}: is not for a folder of save_to_disk; use nearkin.dedup on the dataset, or export it to Parquet")
    column = given.pop("text")
    stats: list[dict[str, Any]] = []

    def kept_rows(part: Any) -> Any:
        result = dedup(arrow_of(part, column), plan, **given)
        stats.append(result.stats)
        return result.kept

    deduplicate_folder(folder, output, kept_rows)
    return FilesResult({**(stats[0] if len(stats) == 1 else {"splits": stats}), "skipped": 0})


def dedup_files(inputs: Union[Path, Sequence[Path]], output: Path, plan: Union[Plan, str, None] = None, *, text: Fields = "text", id: Optional[str] = None,
                removed: Optional[Path] = None, skipped: Optional[Path] = None, against: Optional[Path] = None, keep: Optional[str] = None,
                linkage: Optional[str] = None, annotate: bool = False, memory: Optional[str] = None, scratch: Optional[Path] = None, threads: Optional[int] = None,
                audit: Optional[int] = None, report: Optional[Path] = None, **flags: Any) -> FilesResult:
    """Writes one record of each group of similar records, in input order, with all its columns.

    inputs: a path, folder, pattern or fsspec address, or several of these.
    output: a file, or a folder (with a slash at its end), which gets one file for each input file.
    plan: a plan or its line; None: tuned for the data. removed: a file that lists each removed item, its keeper and their similarity.
    Give other flags of `nearkin dedup` by name: threshold=0.7, measure="exact", score="name:jaccard + year:equal", faults="stop". A flag that
    takes several values takes a list: text=["title", "body"], ignore=["a.txt", "b.txt"].
    A folder of Hugging Face's `save_to_disk` becomes another such folder; only `plan`, `text`, `keep`, `linkage` and `threads` work for it.
    """
    if is_saved(inputs):
        return _dedup_saved(inputs, output, plan, dict(text=text, id=id, removed=removed, skipped=skipped, against=against, keep=keep, linkage=linkage,
                                                       annotate=annotate or None, memory=memory, scratch=scratch, threads=threads, audit=audit, report=report, **flags))
    return _call("dedup", inputs, output, plan, dict(text=text, id=id, removed=removed, skipped=skipped, against=against, keep=keep, linkage=linkage,
                                                     annotate=annotate, memory=memory, scratch=scratch, threads=threads, audit=audit, report=report, **flags))


def pairs_files(inputs: Union[Path, Sequence[Path]], output: Path, plan: Union[Plan, str, None] = None, *, text: Fields = "text", id: Optional[str] = None,
                against: Optional[Path] = None, memory: Optional[str] = None, scratch: Optional[Path] = None, threads: Optional[int] = None,
                audit: Optional[int] = None, report: Optional[Path] = None, **flags: Any) -> FilesResult:
    """Lists every pair at or above the threshold, as rows a, b, similarity, in Parquet, TSV, or (with json=True) JSON lines."""
    return _call("pairs", inputs, output, plan, dict(text=text, id=id, against=against, memory=memory, scratch=scratch, threads=threads, audit=audit,
                                                     report=report, **flags))


def cluster_files(inputs: Union[Path, Sequence[Path]], output: Path, plan: Union[Plan, str, None] = None, *, text: Fields = "text", id: Optional[str] = None,
                  keep: Optional[str] = None, linkage: Optional[str] = None, memory: Optional[str] = None, scratch: Optional[Path] = None,
                  threads: Optional[int] = None, audit: Optional[int] = None, report: Optional[Path] = None, **flags: Any) -> FilesResult:
    """Lists the cluster of each item, as rows id, cluster. Parquet and JSON lines also have keeper and similarity."""
    return _call("cluster", inputs, output, plan, dict(text=text, id=id, keep=keep, linkage=linkage, memory=memory, scratch=scratch, threads=threads,
                                                       audit=audit, report=report, **flags))
