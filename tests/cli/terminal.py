#!/usr/bin/env python3
"""What a person at a terminal sees: terminal.py NEARKIN

Runs the program with standard error, or both streams, on a pseudo-terminal: progress, colours, and what is said when a run is interrupted.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

BINARY = str(Path(sys.argv[1]).resolve())
SECONDS = 120
failures = []


def check(what, holds, seen):
    if not holds:
        failures.append(f"{what}\n  seen: {seen!r}")


def environment(**changes):
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    return kept | {"TERM": "xterm", "LC_ALL": "C.UTF-8"} | changes


class Terminal:
    """A run whose standard error is a terminal, and whose standard output is one where asked for."""

    def __init__(self, arguments, folder, both=False, stdin=subprocess.DEVNULL, **changes):
        self.master, slave = pty.openpty()
        self.seen = ""
        self.process = subprocess.Popen([BINARY, *arguments], cwd=folder, stdin=stdin, stdout=slave if both else subprocess.DEVNULL,
                                        stderr=slave, env=environment(**changes))
        os.close(slave)

    def read_until(self, pattern=None):
        """Up to a pattern, or the end."""
        while pattern is None or not re.search(pattern, self.seen):
            ready, _, _ = select.select([self.master], [], [], SECONDS)
            if not ready:
                raise TimeoutError(self.seen)
            try:
                block = os.read(self.master, 1 << 16)
            except OSError:  # the other end was closed
                block = b""
            if not block:
                break
            self.seen += block.decode("utf-8", "replace")
        return self.seen

    def finish(self):
        seen = self.read_until()
        os.close(self.master)
        return self.process.wait(SECONDS), seen


def run(arguments, folder, both=False, **changes):
    return Terminal(arguments, folder, both, **changes).finish()


def colours(folder):
    (folder / "docs.jsonl").write_text('{"id":"a","text":"one two"}\n{"id":"b","text":"three four"}\nnonsense\n')
    for arguments, colour in ((["pairs", "docs.jsonl"], "\x1b[33mnearkin:\x1b[0m docs.jsonl:3: "), (["pairs", "no.jsonl"], "\x1b[1;31mnearkin:\x1b[0m no.jsonl")):
        _, seen = run(arguments, folder)
        check(f"{arguments} in colour", colour in seen, seen)
        for off in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            _, seen = run([*arguments, *(["--progress", "never"] if "docs.jsonl" in arguments else [])], folder, **off)
            check(f"{arguments} without colours by {off}", "\x1b[" not in seen and "nearkin: " in seen, seen)
    _, seen = run(["pairs", "docs.jsonl", "--progress", "never"], folder, NO_COLOR="")
    check("an empty NO_COLOR says nothing", "\x1b[33m" in seen, seen)
    piped = subprocess.run([BINARY, "pairs", "docs.jsonl"], cwd=folder, env=environment(), capture_output=True, text=True)
    check("no colours in a pipe", "\x1b" not in piped.stderr, piped.stderr)
    _, seen = run(["help", "dedup"], folder, both=True)
    check("headings of the help", "\x1b[1mCommon flags:\x1b[0m" in seen, seen)
    piped = subprocess.run([BINARY, "help", "dedup"], env=environment(), capture_output=True, text=True)
    check("no colours in a help that is piped", "\x1b" not in piped.stdout and "\nCommon flags:\n" in piped.stdout, piped.stdout)


def records(count):
    words = [f"w{i}" for i in range(50)]
    lines = []
    for i in range(count):
        text = " ".join(words[(i * k + k) % 50] for k in range(1, 60)) + f" {i // 2}"
        lines.append(f'{{"id":"{i}","text":"{text}"}}\n')
    return "".join(lines)


def progress(folder):
    (folder / "docs.jsonl").write_text(records(2000))
    (folder / "x.bits").write_text("".join(f"{i * 2654435761 % 2**32:032b}\n" for i in range(500)))
    (folder / "v.csv").write_text("".join(",".join(str((i * k) % 97 + 1) for k in range(1, 9)) + "\n" for i in range(300)))
    status, seen = run(["dedup", "docs.jsonl", "-o", "kept.jsonl"], folder)
    check("the run is done", status == 0, seen)
    for words in ("reading", "looking for exact copies", "finding candidates", "comparing candidates", "making groups", "writing"):
        check(f"the progress says {words}", f"\r\x1b[Knearkin: {words}" in seen, seen[-2000:])
    check("a bar and a share", re.search(r"reading  \[#*-*\]  \d+ %", seen), seen[:500])
    check("the line is cleared before the summary", re.search(r"\r\x1b\[K\S*nearkin:\S* jaccard", seen), seen[-600:])
    _, seen = run(["dedup", "docs.jsonl", "-o", "kept.jsonl", "--recall", "1"], folder)
    check("the progress of an exact run", "comparing exactly" in seen, seen[-2000:])
    # A stage shows its bar as soon as it tells how much there is to do, however fast it is then done.
    one = ["--threads", "1"]
    for words, arguments in (("comparing exactly", ["pairs", "docs.jsonl", "--recall", "1"]), ("comparing exactly", ["dedup", "docs.jsonl", "--recall", "1"]),
                             ("comparing exactly", ["pairs", "docs.jsonl", "--measure", "containment"]),
                             ("comparing exactly", ["pairs", "docs.jsonl", "--recall", "1", "--memory", "64MiB", "--scratch", "files"]),
                             ("comparing exactly", ["pairs", "x.bits", "--radius", "2", "--recall", "1"]),
                             ("comparing exactly", ["dedup", "v.csv", "--format", "dense", "--recall", "1"]),
                             ("finding candidates", ["pairs", "docs.jsonl"]), ("reading candidates again", ["pairs", "docs.jsonl"]),
                             ("comparing candidates", ["pairs", "docs.jsonl"]), ("auditing", ["pairs", "docs.jsonl", "--audit", "50"]),
                             ("answering queries", ["query", "docs.jsonl", "docs.jsonl", "--limit", "1"]),
                             ("computing exact answers", ["evaluate", "docs.jsonl", "--limit", "1"])):
        status, seen = run([*arguments, *one, "-o", "out"], folder)
        check(f"{arguments} is done", status == 0, seen[-500:])
        check(f"a bar while {words}: {arguments}", re.search(rf"{words}  \[#*-*\]  \d+ %", seen), seen[-2000:])
    _, seen = run(["dedup", "docs.jsonl", "-o", "kept.jsonl", "--quiet"], folder)
    check("nothing with --quiet", seen == "", seen)


def interrupts(folder):
    """The run waits for its input, so that it is under way when the signal comes."""
    for flags, said in (([], "interrupted; no output was written"), (["--scratch", "files"], "repeat the command with --resume to continue")):
        (folder / "files").mkdir(exist_ok=True)
        reader, writer = os.pipe()
        terminal = Terminal(["dedup", "-", "-o", "out.jsonl", "--format", "jsonl", "--text", "text", "--bands", "5", "--rows", "4", *flags], folder, stdin=reader)
        os.close(reader)
        os.write(writer, records(50).encode())
        terminal.read_until("weak-bands")  # said just before the input is read
        terminal.process.send_signal(signal.SIGINT)
        status, seen = terminal.finish()
        os.close(writer)
        check(f"ended by the signal {flags}", status == -signal.SIGINT, status)
        check(f"what is said of it {flags}", said in seen, seen)
        check(f"nothing is left in place {flags}", not (folder / "out.jsonl").exists(), list(folder.iterdir()))


def signalled_while_reading(arguments, folder, number, ready=lambda: True):
    """The status and the words of a run that gets the signal once it has read all that was in its standard input, which stays open."""
    reader, writer = os.pipe()
    run_under_way = subprocess.Popen([BINARY, *arguments], cwd=folder, stdin=reader, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                     env=environment())
    os.write(writer, b"one two three four five six\n")
    end = time.monotonic() + SECONDS
    while struct.unpack("i", fcntl.ioctl(reader, termios.FIONREAD, b"\0\0\0\0"))[0] > 0 or not ready():
        if run_under_way.poll() is not None or time.monotonic() > end:
            break
        time.sleep(0.01)
    run_under_way.send_signal(number)
    _, words = run_under_way.communicate(timeout=SECONDS)
    os.close(reader)
    os.close(writer)
    return run_under_way.returncode, words.decode()


def interrupted_reads(folder):
    """Every command that reads a collection says that it was interrupted, and what is left of it."""
    (folder / "docs.lines").write_text("one two three four five six\n")
    run(["index", "create", "ix", "docs.lines", "-q"], folder)
    nothing = "nearkin: interrupted; no output was written\n"
    plan = ["--bands", "5", "--rows", "4"]
    for arguments, said in (
            (["query", "ix", "-", "-o", "out"], nothing), (["query", "docs.lines", "-", "-o", "out", *plan], nothing),
            (["evaluate", "-", "-o", "out"], nothing), (["passages", "-", "-o", "out"], nothing), (["tune", "-", "-o", "out"], nothing),
            (["decontaminate", "-", "--against", "docs.lines", "-o", "out"], nothing), (["distinct", "-", "-o", "out"], nothing),
            (["passages", "-"], "nearkin: interrupted; standard output has only a part of the result\n"),
            (["index", "add", "ix", "-"], "interrupted; what was added so far stays in the index; repeat the command to add the rest"),
            (["index", "remove", "ix", "-"], "interrupted; what was removed so far is no longer in the index"),
            (["dedup", "--index", "ix", "-", "-o", "out"], "interrupted; if there is a file out.partial, the index took its records")):
        status, seen = signalled_while_reading([*arguments, "--format", "lines"], folder, signal.SIGTERM)
        check(f"ended by the signal {arguments}", status == -signal.SIGTERM, (status, seen))
        check(f"what is said of it {arguments}", said in seen, seen)
        _, seen = signalled_while_reading([*arguments, "--format", "lines", "--quiet"], folder, signal.SIGTERM)
        check(f"nothing is said with --quiet {arguments}", seen == "", seen)
    check("nothing is left", sorted(path.name for path in folder.iterdir()) == ["docs.lines", "ix"], list(folder.iterdir()))


def interrupted_files(folder):
    """Files from which no run can be continued do not outlive one that is ended."""
    files = folder / "files"
    files.mkdir()
    words = "".join(f"w{i * i % 99991} " for i in range(20_000)).encode()
    run_under_way = subprocess.Popen([BINARY, "passages", "-", "-o", "out", "--format", "lines", "--memory", "64MiB", "--threads", "1"],
                                     cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment() | {"TMPDIR": str(files)})
    for line in range(4_000):
        run_under_way.stdin.write(b"%d " % line + words + b"\n")
        if list(files.iterdir()):
            break
    check("files while it runs", list(files.iterdir()), "none")
    run_under_way.send_signal(signal.SIGTERM)
    _, seen = run_under_way.communicate(timeout=SECONDS)
    check("what is said of them", seen.decode() == "nearkin: interrupted; no output was written\n", seen)
    check("no files are left", not list(files.iterdir()), list(files.rglob("*")))


def interrupted_index(folder):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        made = lambda: any(folder.glob("ix.part-*/tables-1/data.mdb"))
        arguments = ["index", "create", "ix", "-", "--format", "lines", "--bands", "5", "--rows", "4"]
        status, seen = signalled_while_reading(arguments, folder, number, made)
        check(f"ended by {number}", status == -number, (status, seen))
        check(f"what is said of {number}", seen.endswith("nearkin: interrupted; no index was made\n"), seen)
        check(f"nothing is left by {number}", not list(folder.iterdir()), list(folder.rglob("*")))


def paths(folder):
    """Paths are written as they are, except to a terminal."""
    (folder / "d").mkdir()
    (folder / "d" / "a\x1b[31m.txt").write_text("one two three four")
    for flags in ([], ["--measure", "exact"], ["--measure", "exact", "--bloom", "0.01"]):
        _, seen = run(["dedup", "d", "-q", *flags], folder, both=True)
        check(f"a path on a terminal {flags}", seen == "d/a\\x1b[31m.txt\r\n", seen)
        piped = subprocess.run([BINARY, "dedup", "d", "-q", *flags], cwd=folder, env=environment(), capture_output=True, text=True)
        check(f"a path in a pipe {flags}", piped.stdout == "d/a\x1b[31m.txt\n", piped.stdout)


def main():
    tests = [colours, progress, paths]
    if "NEARKIN_LATE_SIGNALS" in os.environ:  # the thread sanitizer keeps a signal until a read that waits for input has ended
        print("skipped: what is said of interrupts (signals come late)")
    else:
        tests += [interrupts, interrupted_reads, interrupted_files, interrupted_index]
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(Path(folder))
    print("\n".join(failures) or "as it should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
