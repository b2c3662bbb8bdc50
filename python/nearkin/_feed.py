"""The binary as a child that is fed through pipes, whose words are put right on the way, and that ends when its parent does."""

from __future__ import annotations

import ctypes
import fcntl
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from bisect import bisect_right
from typing import Any, BinaryIO, Callable, Mapping, NamedTuple, Optional, Sequence

from ._flags import BINARY

_PIPE_BYTES = 1 << 20
_STREAM = re.compile(rb"/dev/fd/(\d+)(?::(\d+))?")
_NO_FIELD = re.compile(rb'no field "(.*?)"; (?:did you mean ".*"\? )?the (?:fields are .*|record has no fields)(?=; record )')
_NO_TEXT = re.compile(rb": no text(?=; record )")


class Called(NamedTuple):
    """What a file of the package's own is called in all that is said."""

    name: str
    has_rows: bool  #: its lines are the rows of that file, in their order


class Stream:
    """Rows of files that the binary reads as one input called `argument`."""

    def __init__(self, sources: Sequence[Any]):
        self.sources = sources
        self.read_end, self.write_end = os.pipe()
        self.number = self.read_end
        self.argument = f"/dev/fd/{self.number}"
        self._widen()
        self._first = [source.first_row - sources[0].first_row for source in sources]

    def write(self) -> None:
        for source in self.sources:
            source.write_all(self.write_end)

    def _widen(self) -> None:
        try:
            fcntl.fcntl(self.write_end, 1031, _PIPE_BYTES)  # F_SETPIPE_SZ
        except OSError:
            pass  # a slower pipe

    def flow(self) -> None:
        """Takes back `hold`."""
        read_end, self.write_end = os.pipe()
        os.dup2(read_end, self.read_end, inheritable=False)
        os.close(read_end)
        self._widen()

    def hold(self, most: int) -> int:
        """From now on the rows are in memory as packed items, which the binary reads like a file: they need not be escaped, nor kept by it.
        Returns their bytes, or −1 where they are more than `most`; then nothing has changed."""
        from ._parquet import ahead  # pyarrow is slow to import, and not always needed

        held = os.memfd_create("nearkin")
        try:
            for source in self.sources:
                first = 0
                for batch in ahead(source.batches(source.read())):
                    source.write_packed(held, batch, first)
                    first += len(batch)
                    if os.fstat(held).st_size > most:
                        return -1
            os.dup2(held, self.read_end, inheritable=False)
            self.close_writing()
            return os.fstat(held).st_size
        finally:
            os.close(held)

    def store(self, folder: str) -> None:
        """From now on the rows are in a file without a name, which the binary can read several times."""
        with tempfile.TemporaryFile(dir=folder) as file:
            for source in self.sources:
                source.write_all(file.fileno())
            os.dup2(file.fileno(), self.read_end, inheritable=False)
        self.close_writing()

    def place(self, line: Optional[int]) -> str:
        """file:row of a line of the stream; rows count from 0, lines from 1."""
        names = [source.found.name for source in self.sources]
        if line is None:
            return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
        at = bisect_right(self._first, line - 1) - 1
        return f"{names[at]}:{line - 1 - self._first[at]}"

    def close_reading(self) -> None:
        if self.read_end >= 0:
            os.close(self.read_end)
            self.read_end = -1

    def close_writing(self) -> None:
        if self.write_end >= 0:
            os.close(self.write_end)
            self.write_end = -1

    def close(self) -> None:
        self.close_reading()
        self.close_writing()


def _called(called: Called, line: Optional[bytes]) -> bytes:
    return called.name.encode() if line is None or not called.has_rows else f"{called.name}:{int(line) - 1}".encode()


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Child:
    """A run of the binary. Use as a context: it does not outlive the block."""

    def __init__(self, words: Sequence[str], streams: Sequence[Stream] = (), *, result: bool = False, say: Optional[Callable[[bytes], Any]] = None,
                 cwd: Optional[str] = None, scratch: Optional[str] = None, tied: bool = False,
                 called: Optional[Mapping[str, Called]] = None):
        """`result`: standard output is to be read from `output`. `say` takes what it says on standard error, with the names of the files in place of
        the streams'; None: it says it itself. `scratch`: where it puts its own files. `tied`: it dies with the thread that starts it, so that no input that breaks off passes for a whole one."""
        self._streams = streams
        self._called = called or {}
        self._say = say
        self.failure: Optional[BaseException] = None
        self._process = subprocess.Popen([os.fspath(BINARY), *words], stdout=subprocess.PIPE if result else None,
                                         stderr=None if say is None else subprocess.PIPE, pass_fds=[stream.read_end for stream in streams], cwd=cwd,
                                         env={**os.environ, "TMPDIR": scratch} if scratch else None, preexec_fn=_end_with_parent if tied else None)
        for stream in streams:
            stream.close_reading()
        self._threads = [threading.Thread(target=self._feed, args=(stream,), daemon=True) for stream in streams if stream.write_end >= 0]
        if say is not None:
            self._threads.append(threading.Thread(target=self._listen, daemon=True))
        for thread in self._threads:
            thread.start()

    @property
    def output(self) -> BinaryIO:
        assert self._process.stdout is not None
        return self._process.stdout  # type: ignore[return-value]

    def _feed(self, stream: Stream) -> None:
        try:
            stream.write()
        except BrokenPipeError:
            pass  # it has ended, and says why itself
        except BaseException as error:
            # It must be gone before the pipe is closed: an input that breaks off is no end of the input.
            self.failure = error
            self.end()
        finally:
            stream.close_writing()

    def _listen(self) -> None:
        """Whole lines, and the lines of a progress display as they come."""
        assert self._process.stderr is not None and self._say is not None
        held = b""
        while block := os.read(self._process.stderr.fileno(), 1 << 16):
            *lines, held = (held + block).split(b"\n")
            for line in lines:
                self._say(self._translated(line) + b"\n")
            if held.startswith(b"\r"):
                self._say(held)
                held = b""
        if held:
            self._say(self._translated(held))

    def with_names(self, text: bytes) -> bytes:
        """The names of the files in place of the streams'."""
        by_number = {stream.number: stream for stream in self._streams}

        def name(found: re.Match[bytes]) -> bytes:
            stream = by_number.get(int(found.group(1)))
            return found.group() if stream is None else stream.place(int(found.group(2)) if found.group(2) else None).encode()

        text = _STREAM.sub(name, text)
        for path, called in self._called.items():
            text = re.sub(re.escape(path.encode()) + rb"(?::(\d+))?", lambda found: _called(called, found.group(1)), text)
        return text

    def _translated(self, line: bytes) -> bytes:
        named = self.with_names(line)
        if named != line and self._streams:
            named = _NO_FIELD.sub(rb'column "\1" is null', named)
            column = next(iter(self._streams[0].sources[0].columns.texts), "")
            named = _NO_TEXT.sub(lambda _: f': column "{column}" is null'.encode(), named)
        return named.replace(b" and continue with --resume", b"") if self._streams else named

    def wait(self) -> int:
        """The exit status, or the negative number of the signal that ended it. Throws what went wrong with the feeding."""
        status = self._process.wait()
        for thread in self._threads:
            thread.join()
        if self.failure is not None:
            raise self.failure
        return status

    def end(self) -> None:
        """By SIGTERM, upon which it leaves nothing behind."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, kind: Any, error: Any, _: object) -> None:
        self.end()
        if self._process.stdout is not None:
            self._process.stdout.close()
        for thread in self._threads:
            thread.join(10)
        if error is not None and self.failure is not None and error is not self.failure:
            raise self.failure from error  # what broke off was only a consequence


def pass_on(words: bytes) -> None:
    sys.stderr.buffer.write(words)
    sys.stderr.buffer.flush()
