#!/usr/bin/env python3
"""Runs of the command line tool that meet a full disk, a limit on files or a limit on memory.

usage: limits.py NEARKIN [--without-memory]

--without-memory leaves the limits on memory out: a build with a sanitizer takes what it needs. A file system of a size of its own needs a
mount; where none can be made, that part says so and is left out.
"""
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the sources stay as they are
from spill_runs import FAILED, Command, Wrong, require, run_folder, stats_of, temporary_folder, units, write_documents

MEBIBYTE = 1 << 20
TRIES = 25   # to stop a process at a certain place
WIDE_PLAN = ["--threshold", "0.7", "--shingle", "word:2", "--hashes", "768"]   # more than one segment
NARROW_PLAN = ["--threshold", "0.7", "--shingle", "word:2", "--bands", "6", "--rows", "3"]   # segments smaller than shingle sets
INSIDE = "--inside-mount"   # set by the script itself, in a process with mounts of its own
DISK_DOCUMENTS = 12000
MEMORY_DOCUMENTS = 40000
ADDRESS_SPACE = 400 * 1000 * 1000
SCRATCH_BYTES = 64 * MEBIBYTE
LEAST = {1: 64 * MEBIBYTE, 2: 80 * MEBIBYTE}   # of --memory, by threads


def disk_commands(binary, data, plan):
    plain, packed = str(data / "plain.jsonl"), str(data / "packed.jsonl.gz")
    return [
        Command(binary, ["dedup", plain, *plan, "-o", "OUT/kept", "--removed", "OUT/removed", "--skipped", "OUT/skipped"]),
        Command(binary, ["cluster", packed, plain, *plan, "--json", "-o", "OUT/clusters", "--summary", "OUT/summary"]),
    ]


def limited(kind, limit):
    """What a child does before it becomes the tool."""
    return lambda: resource.setrlimit(kind, (limit, limit))


def inputs_of(command):
    return {argument: Path(argument).read_bytes() for argument in command.arguments if argument.startswith("/")}


def kind_in(said):
    """The kind of the file that a message names, "room" where it tells of too little of it, "output" where it names none of the run's files."""
    if "are free; make room" in said:
        return "room"
    named = re.search(r"/nearkin-[0-9a-f]{16}/([a-z]+)-", said)
    return named.group(1) if named else "output"


def expect_full(command, status, said, folder, old, before):
    require(status == FAILED, f"{command}: exit status {status} with a full disk: {said}")
    told = "disk full" in said or "are free; make room" in said or "File too large" in said or "No space left" in said
    require(told, f"{command}: does not say that the disk is full: {said}")
    require(command.outputs(folder) == old, f"{command}: an output changed in a run that failed")
    left = sorted(path.name for path in folder.iterdir())
    require(left == sorted(command.names), f"{command}: left beside the outputs: {left}")
    require(inputs_of(command) == before, f"{command}: the input changed")


def expect_goes_on(command, folder, scratch, extra, expected):
    status, said = command.run(folder, [*extra, "--resume"])
    require(status in (0, 1), f"{command}: failed with {status} after room was made: {said}")
    require(command.outputs(folder) == expected, f"{command}: other bytes after the disk was full")
    require(run_folder(scratch) is None, f"{command}: files are left in {scratch}")


def files_too_large(command, work):
    """A limit on the size of files, raised until the run comes to its end; every process goes on with what those before it did."""
    folder, scratch = work / "out", work / "scratch"
    expected = command.answer(folder, ["--quiet"])
    old, before = command.put_old_outputs(folder), inputs_of(command)
    extra = ["--quiet", "--threads", "1", "--memory", str(LEAST[1]), "--scratch", str(scratch)]
    limit, kinds = 1 << 16, []
    while True:
        status, said = command.run(folder, [*extra, "--resume"], preexec_fn=limited(resource.RLIMIT_FSIZE, limit))
        if status in (0, 1):
            break
        expect_full(command, status, said, folder, old, before)
        kinds.append(kind_in(said))
        if kinds[-1] != "output":
            require("--resume" in said, f"{command}: does not say how to go on: {said}")
        limit = limit * 6 // 5
    require(command.outputs(folder) == expected, f"{command}: other bytes after files were too large")
    require(run_folder(scratch) is None, f"{command}: files are left in {scratch}")
    return kinds


class SmallDisk:
    """A file system of a size of its own."""

    def __init__(self, folder, size):
        self.folder = folder
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "nearkin-test", str(folder)], check=True)

    def fill(self, room=0):
        """All room is taken but for this, and what a block may have left."""
        with open(self.folder / "ballast", "wb") as ballast:
            size = MEBIBYTE
            while size >= 4096:
                try:
                    while True:
                        os.posix_fallocate(ballast.fileno(), os.fstat(ballast.fileno()).st_size, size)
                except OSError:
                    size //= 2
            ballast.truncate(os.fstat(ballast.fileno()).st_size - room)

    def make_room(self):
        (self.folder / "ballast").unlink()

    def unmount(self):
        subprocess.run(["umount", str(self.folder)], check=True)


def count_of(scratch, kind):
    try:
        return sum(name.startswith(kind) for name in units(scratch))
    except FileNotFoundError:  # a file went while it was looked at
        return 0


def full_after(command, disk, work, kind, count, expected):
    """The disk is full from when so many units of a kind are done. The kind of file that did not fit, None where the run was quicker."""
    folder, scratch = work / "out", disk.folder / "scratch"
    old, before = command.put_old_outputs(folder), inputs_of(command)
    extra = ["--quiet", "--threads", "1", "--memory", str(LEAST[1]), "--scratch", str(scratch)]
    process = command.start(folder, extra)
    while process.poll() is None and count_of(scratch, kind) < count:
        pass  # the next file may come soon
    if process.poll() is not None:
        process.communicate()
        return None
    process.send_signal(signal.SIGSTOP)
    disk.fill()
    process.send_signal(signal.SIGCONT)
    said = process.communicate(timeout=120)[1].decode()
    disk.make_room()
    if process.returncode in (0, 1):
        require(command.outputs(folder) == expected, f"{command}: other bytes with a disk that was full when nothing was to be written")
        return None
    expect_full(command, process.returncode, said, folder, old, before)
    require("--resume" in said, f"{command}: does not say how to go on: {said}")
    missing = kind_in(said)
    expect_goes_on(command, folder, scratch, extra, expected)
    return missing


def full_disk(command, work):
    """Full at each stage in turn: behind the last file of the one before it. What did not fit, in order."""
    disk = SmallDisk(work / "disk", SCRATCH_BYTES)
    try:
        stats = work / "stats.json"
        expected = command.answer(work / "out", ["--quiet", "--stats", str(stats)])
        bands = int(re.search(r"bands=(\d+)x", stats_of(stats)["plan"]).group(1))
        found = []
        for kind, count, following in (("segment", 0, {"room"}), ("segment", 1, {"segment"}), ("pairs", 1, {"pairs"}), ("pairs", bands // 2, {"pairs"}),
                                       ("pairs", bands, {"candidates"}), ("candidates", 1, {"room", "sets"}), ("sets", 1, {"matches"})):
            for _ in range(TRIES):
                found.append(full_after(command, disk, work, kind, count, expected))
                shutil.rmtree(disk.folder / "scratch", ignore_errors=True)
                if found[-1] in following:
                    break
            else:
                raise Wrong(f"{command}: the disk was never full at {following}: {found}")
        return found
    finally:
        disk.unmount()


def too_little_room(command, work):
    """Less room than the run is known to need is told at once; after there is more it goes on."""
    disk = SmallDisk(work / "little", SCRATCH_BYTES)
    try:
        folder, scratch = work / "out", disk.folder / "scratch"
        expected = command.answer(folder, ["--quiet"])
        old, before = command.put_old_outputs(folder), inputs_of(command)
        extra = ["--quiet", "--threads", "2", "--memory", str(LEAST[2]), "--scratch", str(scratch)]
        disk.fill(room=MEBIBYTE)
        status, said = command.run(folder, extra)
        disk.make_room()
        expect_full(command, status, said, folder, old, before)
        require(kind_in(said) == "room", f"{command}: does not say how much room it needs: {said}")
        expect_goes_on(command, folder, scratch, extra, expected)
    finally:
        disk.unmount()


def full_output(command, work):
    """The disk of the outputs is full, that of the files of the run is not."""
    disk = SmallDisk(work / "outputs", SCRATCH_BYTES)
    try:
        scratch = work / "scratch"
        expected = command.answer(work / "out", ["--quiet"])
        folder = disk.folder / "out"
        old, before = command.put_old_outputs(folder), inputs_of(command)
        extra = ["--quiet", "--threads", "1", "--memory", str(LEAST[1]), "--scratch", str(scratch)]
        disk.fill()
        status, said = command.run(folder, extra)
        disk.make_room()
        expect_full(command, status, said, folder, old, before)
        require(units(scratch), f"{command}: nothing is left to go on with")
        expect_goes_on(command, folder, scratch, extra, expected)
    finally:
        disk.unmount()


def mounts_of_its_own():
    """The command before which a process has mounts that nobody else sees; None where that is not allowed."""
    for line in (["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"]):
        trial = [*line, "sh", "-c", "mount -t tmpfs -o size=64k nearkin-test /mnt"]
        if shutil.which("unshare") and subprocess.run(trial, capture_output=True).returncode == 0:
            return line
    return None


def test_small_disks(binary):
    with temporary_folder() as name:
        work = Path(name)
        commands = disk_commands(binary, data_for_disks(work), WIDE_PLAN)
        for command in commands:
            found = full_disk(command, work)
            shutil.rmtree(work / "disk")
            print(f"disk full {len(found)} times: {', '.join(map(str, found))}")
        too_little_room(commands[0], work)
        full_output(commands[0], work)


def data_for_disks(work, words=30):
    data = work / "data"
    data.mkdir()
    write_documents(data / "plain.jsonl", DISK_DOCUMENTS, 1, words)
    write_documents(data / "packed.jsonl.gz", DISK_DOCUMENTS // 2, 2, words)
    return data


def test_files_too_large(binary):
    with temporary_folder() as name:
        work = Path(name)
        command = disk_commands(binary, data_for_disks(work, words=90), NARROW_PLAN)[0]
        kinds = files_too_large(command, work)
        require(set(kinds) >= {"segment", "sets", "output"}, f"{command}: too few kinds of files were too large: {kinds}")
        print(f"files too large {len(kinds)} times: {', '.join(sorted(set(kinds)))}")


# A process counts the memory of the one that it was forked from as its own: it must come of a small one.
MEASURE = """
import os, sys
child = os.spawnv(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as report:
    report.write(str(usage.ru_maxrss * 1024))
sys.exit(os.waitstatus_to_exitcode(status))
"""


def peak_of(command, folder, extra, **popen):
    """Exit status, peak of memory in bytes and what was said."""
    folder.mkdir(parents=True, exist_ok=True)
    report = folder.with_suffix(".peak")
    line = [sys.executable, "-c", MEASURE, str(report), *command.line(folder, extra)]
    ended = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, **popen)
    return ended.returncode, int(report.read_text()), ended.stderr.decode()


class Bounds:
    """A command and its answer without a bound, to be had again within bounds."""

    def __init__(self, command, work):
        self.command, self.folder, self.scratch = command, work / "out", work / "scratch"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.scratch.mkdir(exist_ok=True)
        status, self.unbounded, said = peak_of(command, self.folder, ["--quiet"])
        require(status in (0, 1), f"{command} failed with {status}: {said}")
        self.expected = command.outputs(self.folder)
        print(f"{command.arguments[0]} without a bound: {self.unbounded / MEBIBYTE:.0f} MiB at its peak")

    def expect_within(self, bound, extra, what, **popen):
        shutil.rmtree(self.folder)
        environment = {**os.environ, "TMPDIR": str(self.scratch)}
        status, peak, said = peak_of(self.command, self.folder, ["--quiet", *extra], env=environment, **popen)
        require(status in (0, 1), f"{self.command}: failed with {status}, {what}: {said}")
        require(self.command.outputs(self.folder) == self.expected, f"{self.command}: other bytes, {what}")
        require(peak <= bound, f"{self.command}: {peak / MEBIBYTE:.1f} MiB at its peak, {what}")
        require(not any(self.scratch.iterdir()), f"files are left in {self.scratch}")
        print(f"{self.command.arguments[0]} with {what}: {peak / MEBIBYTE:.0f} MiB at its peak")

    def expect_within_budgets(self, budgets):
        for threads, budget in budgets:
            self.expect_within(budget, ["--threads", str(threads), "--memory", str(budget)], f"{budget // MEBIBYTE} MiB for {threads} threads")


def test_memory(binary):
    with temporary_folder() as name:
        work = Path(name)
        write_documents(work / "docs.jsonl", MEMORY_DOCUMENTS, 3, words=100)
        docs = [str(work / "docs.jsonl"), "--threshold", "0.7", "--shingle", "word:2", "--hashes", "1024"]
        estimated = Bounds(Command(binary, ["dedup", *docs, "--verify", "estimate", "-o", "OUT/kept", "--removed", "OUT/removed"]), work)
        require(estimated.unbounded > 3 * LEAST[2], f"{estimated.command} takes too little memory to test bounds by")
        estimated.expect_within_budgets([(1, LEAST[1]), (2, LEAST[2]), (2, 128 * MEBIBYTE), (1, 160 * MEBIBYTE)])
        space = limited(resource.RLIMIT_AS, ADDRESS_SPACE)
        estimated.expect_within(160 * MEBIBYTE, ["--threads", "2", "--memory", "160MiB"], "160 MiB, and a limit on its address space", preexec_fn=space)
        estimated.expect_within(ADDRESS_SPACE // 2, ["--threads", "2"], "a limit on its address space alone", preexec_fn=space)
        exact = Bounds(Command(binary, ["cluster", *docs, "--json", "-o", "OUT/clusters"]), work)
        exact.expect_within_budgets([(1, LEAST[1]), (2, LEAST[2])])


def main(arguments):
    binary = os.path.abspath(arguments[0])
    if INSIDE in arguments:
        return test_small_disks(binary)
    mounts = mounts_of_its_own()
    if mounts:
        subprocess.run([*mounts, sys.executable, os.path.abspath(__file__), binary, INSIDE], check=True)
    else:
        print("no file system of a size of its own can be mounted: full disks are left out")
    test_files_too_large(binary)
    if "--without-memory" not in arguments:
        test_memory(binary)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        main(sys.argv[1:])
    except Wrong as wrong:
        sys.exit(f"FAILED: {wrong}")
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)
