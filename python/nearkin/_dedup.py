"""Runs that write rows of Parquet files: the binary says which stay and what becomes of them, a second pass over the files writes them with all their columns."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, BinaryIO, Callable, Iterator, Optional

from ._feed import Child, pass_on
from ._flags import OUTPUT_FLAGS, Typed, is_parquet
from ._outputs import Outputs, RemovedTable, Skipped, output_schema, refuse_parquet
from ._parquet import Source, ahead
from ._places import Work
from ._prepare import Ready
from ._pyarrow import pa, pc
from ._rows import Marked, Removed, Told, lines_of, packed_rows, row_of

Say = Optional[Callable[[bytes], Any]]


@dataclass
class _Job:
    """A run over Parquet files, and where its rows go."""

    ready: Ready
    work: Work
    outputs: Outputs
    skipped: Optional[Skipped]
    keeps_faults: bool  #: rows that cannot be used stay as they are
    say: Say
    tied: bool

    @property
    def typed(self) -> Typed:
        return self.ready.typed

    def start(self, result: bool = False) -> Child:
        return self.ready.start(self.say, self.tied, result)

    def rows(self) -> Iterator[tuple[Source, int, Any]]:
        """All rows again: a file, the row of it that a batch begins with, and the batch."""
        return ahead(_all_rows(self.ready.sources))


def run(ready: Ready, work: Work, say: Say, tied: bool) -> int:
    """INPUT is Parquet files."""
    typed = ready.typed
    _require_parquet_alone(ready)
    refuse_parquet(typed, *(name for name in OUTPUT_FLAGS if name not in ("--output", "--removed", "--skipped")))
    work.redirect(typed, "--stats", "--report")
    outputs = Outputs(typed.get("--output", "-"), ready.sources, work, typed)
    skipped = Skipped(typed.get("--skipped"), ready.sources, work) if typed.get("--skipped") else None
    keeps_faults = typed.keeps_faults
    typed.drop("--output", "--skipped")
    typed.put("--faults", "keep" if keeps_faults else typed.get("--faults", "skip"))
    job = _Job(ready, work, outputs, skipped, keeps_faults, say, tied)
    if "--index" in typed or ("--bloom" in typed and not outputs.added):
        status = _kept_lines(job)
    elif outputs.added or _cuts(typed) or typed.command == "decontaminate":
        status = _told(job)
    else:
        status = _kept_lines(job) if typed.get("--same-id") == "keep" else _removed(job)
    if skipped:
        skipped.close()
    if "--quiet" not in typed:
        for warning in outputs.warnings():
            (say or pass_on)(f"nearkin: {warning}\n".encode())
    return status


def _require_parquet_alone(ready: Ready) -> None:
    beside = [word for word in ready.others if word != ready.typed.get("--against")]
    if beside:
        raise ValueError(f"{beside[0]}: is not Parquet as {ready.sources[0].found.name} is, and their rows cannot go into one output; run them one by one, with --against")


def _removed(job: _Job) -> int:
    """By the list of what was removed: nothing else need leave the binary."""
    typed, work = job.typed, job.work
    table = RemovedTable(typed, work)
    as_json = "--json" in typed
    path = typed.get("--removed") or work.file("removed.jsonl" if as_json else "removed.tsv")
    at_fault = work.file("skipped.jsonl")
    for name, value in (("--output", os.devnull), ("--removed", path), ("--skipped", at_fault)):
        typed.put(name, value)
    with job.start() as child:
        status = child.wait()
    if status not in (0, 1):
        return status
    _write_kept(job, Removed(path, as_json), _faults(at_fault, job.ready.packed))
    table.write()
    return status


def _write_kept(job: _Job, gone: Removed, faults: Marked) -> None:
    with job.outputs:
        for source, first, batch in job.rows():
            bad = faults.mask(source.first_row + first, len(batch))
            removed = gone.mask(source.ids(batch, first), bad)
            job.outputs.add(source, _chosen(batch, ~removed if job.keeps_faults else ~(bad | removed)))
            if job.skipped:
                job.skipped.add(source, _chosen(batch, bad))
        gone.require_all_met()


def _faults(path: str, packed: bool = False) -> Marked:
    if not os.path.exists(path):
        return Marked([])
    with open(path, "rb") as file:
        return Marked(sorted(packed_rows(file) if packed else (row_of(line) for line in lines_of(file))))


def _all_rows(sources: list[Source]) -> Iterator[tuple[Source, int, Any]]:
    for source in sources:
        first = 0
        for batch in source.batches():
            yield source, first, batch
            first += len(batch)


def _chosen(batch: Any, mask: Any) -> Any:
    if mask.all():
        return batch
    return pa.RecordBatch.from_arrays([_chosen_values(column, mask) for column in batch.columns], schema=batch.schema)


def _chosen_values(column: Any, mask: Any) -> Any:
    try:
        return column.filter(pa.array(mask))
    except pa.ArrowNotImplementedError:  # views, and what holds them
        return pa.array([value for value, stays in zip(column.to_pylist(), mask) if stays], column.type)


def _kept_lines(job: _Job) -> int:
    """By the records that the binary keeps. They are in a file when an index holds them, and that file goes only when the rows are in their place."""
    typed, work = job.typed, job.work
    table = RemovedTable(typed, work)
    if _cuts(typed):
        _require_columns(job)
    kept = job.outputs.beside(".kept.jsonl") if "--index" in typed else work.file("kept.jsonl")
    at_fault = work.file("skipped.jsonl")
    typed.put("--output", kept)
    if job.skipped:
        typed.put("--skipped", at_fault)
    with job.start() as child:
        status = child.wait()
    if status not in (0, 1):
        return status
    try:
        with open(kept, "rb") as file:
            if _cuts(typed):
                _write_told(job, file, _faults(at_fault))
            else:
                _write_rows(job, Marked([row_of(line) for line in lines_of(file)]), _faults(at_fault))
        table.write()
        if job.skipped:
            job.skipped.close()
        work.publish()
    except (OSError, ValueError) as error:
        if "--index" in typed:
            raise OSError(f"{error}; the index has the items, and the records kept are in {kept}") from error
        raise
    os.unlink(kept)
    return status


def _write_rows(job: _Job, stays: Marked, faults: Marked) -> None:
    with job.outputs:
        for source, first, batch in job.rows():
            job.outputs.add(source, _chosen(batch, stays.mask(source.first_row + first, len(batch))))
            if job.skipped:
                job.skipped.add(source, _chosen(batch, faults.mask(source.first_row + first, len(batch))))


def _refuse_removed_table(typed: Typed, where: str) -> None:
    if is_parquet(typed.get("--removed")):
        raise ValueError(f"--removed: {typed.get('--removed')}: is not written as Parquet {where}; name another file")


def _cuts(typed: Typed) -> bool:
    """Whether parts are cut out of the texts."""
    return "--unit" in typed or "--passages" in typed or typed.get("--do") == "cut"


def _told(job: _Job) -> int:
    """By the records that the binary writes, which have other texts or more fields than they came with."""
    typed, work = job.typed, job.work
    _refuse_removed_table(typed, "where columns are added or texts are cut")
    work.redirect(typed, "--removed", "--hits")
    if _cuts(typed):
        _require_columns(job)
    if job.skipped is None or ("--annotate" in typed and not job.keeps_faults):
        with job.start(result=True) as child:
            _write_told(job, child.output, None)
            return child.wait()
    kept, at_fault = work.file("kept.jsonl"), work.file("skipped.jsonl")
    typed.put("--output", kept)
    typed.put("--skipped", at_fault)
    with job.start() as child:
        status = child.wait()
    if status in (0, 1):
        with open(kept, "rb") as file:
            _write_told(job, file, _faults(at_fault))
    return status


def _require_columns(job: _Job) -> None:
    for source in job.ready.sources:
        for name in source.columns.texts:
            if name not in source.schema.names:
                raise ValueError(f"--text: {name} is inside a column of {source.found.name}, and only whole columns are cut; name one, or write JSON lines first")


def _write_told(job: _Job, file: BinaryIO, faults: Optional[Marked]) -> None:
    """`faults`: None where all other records come back."""
    texts = list(job.ready.sources[0].columns.texts) if _cuts(job.typed) else []
    told = Told(file, [*texts, *job.outputs.added])
    with job.outputs:
        for source, first, batch in job.rows():
            at = source.first_row + first
            written, values = told.columns(at, len(batch))
            kept = _chosen(batch, written)
            columns = [_of_type(values[name], field.type) if name in texts else kept.column(name) for name, field in zip(batch.schema.names, batch.schema)]
            columns += [pa.array(values[name], kind) for name, (kind, _) in job.outputs.added.items()]
            job.outputs.add(source, pa.RecordBatch.from_arrays(columns, schema=output_schema(source, job.outputs.added)))
            if job.skipped:
                job.skipped.add(source, _chosen(batch, ~written if faults is None else faults.mask(at, len(batch))))


def _of_type(texts: list[Optional[str]], kind: Any) -> Any:
    """Strings as a column of texts has them; bytes that are no UTF-8 stand in them as surrogates."""
    value_kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    large = pa.types.is_large_string(value_kind) or pa.types.is_large_binary(value_kind)
    column = pa.array([None if text is None else text.encode("utf-8", "surrogateescape") for text in texts], pa.large_binary() if large else pa.binary())
    column = pc.cast(column, options=pc.CastOptions(target_type=value_kind, allow_invalid_utf8=True))
    return column.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else column
