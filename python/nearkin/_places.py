"""Where inputs come from and outputs go to: files of this machine, and whatever fsspec can open."""

from __future__ import annotations

import glob
import os
import re
import shutil
import stat
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Optional

from ._flags import Typed, is_address, is_parquet

_RECORDS = re.compile(r"\.(jsonl|ndjson|csv|tsv|warc)(\.gz|\.zst)?$", re.IGNORECASE)  # not .json, which may tell of the Parquet files


def missing(module: str, subject: str) -> OSError:
    return OSError(f"{subject}: needs {module}, which is not installed; pip install 'nearkin[arrow]'")


def filesystem(address: str) -> tuple[Any, str]:
    """The fsspec file system of an address, and the path in it. Throws OSError in the house's words."""
    try:
        import fsspec.core
    except ImportError:
        raise missing("fsspec", address) from None
    try:
        fs, path = fsspec.core.url_to_fs(address)
        return fs, path
    except (ValueError, ImportError) as error:
        raise OSError(f"{address}: cannot be opened: {error}") from error


@dataclass(frozen=True)
class Found:
    """A file that is there."""

    name: str  #: as it is spoken of
    path: str  #: of this machine, or in `fs`
    relative: str  #: what it is called in a folder of outputs
    fs: Any = None  #: None: a file of this machine

    @contextmanager
    def open(self) -> Iterator[Any]:
        """For reading. Throws OSError that names it."""
        try:
            file = open(self.path, "rb") if self.fs is None else self.fs.open(self.path, "rb")
        except OSError as error:
            raise OSError(f"{self.name}: {_reason(error)}") from error
        with file:
            yield file


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file or folder"
    return f"cannot be read: {error.strerror or error}"


def expand(word: str) -> tuple[list[Found], int]:
    """The files that a path, glob, folder or address stands for, ascending, and how many were left out of a folder because they are no Parquet files.

    Of a folder only its Parquet files. Throws OSError for what is not there, and ValueError for a folder with other records beside them.
    """
    if is_address(word):
        return _expand_address(word)
    if os.path.isdir(word):
        return _of_folder(sorted(str(path) for path in Path(word).rglob("*") if path.is_file()), word, None)
    if any(c in word for c in "*?[") and not os.path.exists(word):
        paths = sorted(glob.glob(word, recursive=True), key=os.fsencode)
        if not paths:
            raise OSError(f"{word}: no file matches this pattern")
        return [Found(path, path, os.path.basename(path)) for path in paths], 0
    if not os.path.exists(word):
        raise OSError(f"{word}: no such file or folder")
    return [Found(word, word, os.path.basename(word))], 0


def _expand_address(word: str) -> tuple[list[Found], int]:
    fs, path = filesystem(word)
    try:
        if any(c in path for c in "*?["):
            paths = sorted(fs.glob(path))
            if not paths:
                raise OSError(f"{word}: no file matches this pattern")
            return [Found(fs.unstrip_protocol(each), each, os.path.basename(each), fs) for each in paths], 0
        if fs.isdir(path):
            return _of_folder(sorted(fs.find(path)), path, fs)
        if not fs.exists(path):
            raise OSError(f"{word}: no such file or folder")
    except OSError as error:
        raise error if str(error).startswith(word) else OSError(f"{word}: {_reason(error)}") from error
    return [Found(word, path, os.path.basename(path.rstrip("/")), fs)], 0


def _of_folder(paths: list[str], folder: str, fs: Any) -> tuple[list[Found], int]:
    found, others, records = [], 0, None
    for path in paths:
        relative = os.path.relpath(path, folder)
        hidden = any(part.startswith(("_", ".")) for part in relative.split("/"))
        if is_parquet(path) and not hidden:
            found.append(Found(path if fs is None else fs.unstrip_protocol(path), path, relative, fs))
        elif not hidden:
            others += 1
            records = records or (path if _RECORDS.search(path) else None)
    if found and records:
        raise ValueError(f"{records}: is in a folder with the Parquet file {found[0].name}, and the records of both would not be read; move it, or name the files")
    return found, others


def holds_parquet(folder: str) -> bool:
    return any(is_parquet(name) for _, _, names in os.walk(folder) for name in names)


class Work:
    """What a run leaves behind only when it is complete: a folder for its own files, and the outputs that take their places at the end."""

    def __init__(self, folder: Optional[str] = None):
        self._parent = folder or os.environ.get("TMPDIR") or "/var/tmp"
        self._folder: Optional[str] = None
        self._made: list[str] = []
        self._made_parent = False
        self.outputs: list[Output] = []

    @property
    def folder(self) -> str:
        if self._folder is None:
            self._make_parent()
            self._folder = tempfile.mkdtemp(prefix="nearkin-", dir=self._parent)
        return self._folder

    def _make_parent(self) -> None:
        """Its last part, as the binary does; gone again at the end."""
        if os.path.isdir(self._parent):
            return
        try:
            os.mkdir(self._parent)
        except FileNotFoundError:
            raise OSError(f"{self._parent}: no such folder, and the folder above it does not exist either; create it, or name another folder with --scratch") from None
        except OSError as error:
            raise OSError(f"{self._parent}: cannot be made: {error.strerror}; name another folder with --scratch") from error
        self._made_parent = True

    def file(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def output(self, target: str) -> Output:
        output = Output(target, self)
        self.outputs.append(output)
        return output

    def redirect(self, typed: Typed, *names: str) -> None:
        """The outputs of these flags that are at addresses are written here, and sent there when they are complete."""
        for name in names:
            if is_address(typed.get(name)):
                typed.put(name, self.output(typed.get(name)).path)

    def make_folder(self, path: str) -> None:
        """With those above it; gone again where the run fails."""
        missing_ones = []
        while path and not os.path.isdir(path):
            missing_ones.append(path)
            path = os.path.dirname(path.rstrip("/"))
        for each in reversed(missing_ones):
            try:
                os.mkdir(each)
            except OSError as error:
                raise OSError(f"{each}: cannot be made: {error.strerror}") from error
            self._made.append(each)

    def publish(self) -> None:
        while self.outputs:
            self.outputs[0].publish()
            self.outputs.pop(0).discard()
        self._made.clear()

    def __enter__(self) -> Work:
        return self

    def __exit__(self, *_: object) -> None:
        for output in self.outputs:
            output.discard()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        for path in [*reversed(self._made), *([self._parent] if self._made_parent else [])]:
            try:
                os.rmdir(path)
            except OSError:
                pass


class Output:
    """A file that is written at `path` and comes to its place by `publish`."""

    def __init__(self, target: str, work: Work):
        self.target = target
        self._rename = not is_address(target) and target != "-" and _is_plain(target)
        if self._rename:
            real = os.path.realpath(target)
            self.path = os.path.join(os.path.dirname(real), f".{os.getpid()}.unfinished.{os.path.basename(real)}")
        else:
            self.path = work.file(f"{len(os.listdir(work.folder))}-{os.path.basename(target)}")
        try:
            open(self.path, "wb").close()
        except OSError as error:
            raise OSError(f"{target}: cannot be written: {error.strerror}") from error

    def publish(self) -> None:
        try:
            if self._rename:
                os.replace(self.path, os.path.realpath(self.target))
            elif is_address(self.target):
                fs, path = filesystem(self.target)
                fs.put_file(self.path, path)
            else:
                self._copy()
        except OSError as error:
            raise OSError(f"{self.target}: cannot be written: {error.strerror or error}") from error

    def _copy(self) -> None:
        """To a device or pipe; one whose reader has gone wants no more."""
        with open(self.path, "rb") as source:
            try:
                with open(1 if self.target == "-" else self.target, "wb", closefd=self.target != "-") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
            except BrokenPipeError:
                pass

    def discard(self) -> None:
        try:
            os.unlink(self.path)
        except OSError:
            pass


def _is_plain(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True
