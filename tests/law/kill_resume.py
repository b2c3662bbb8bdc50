#!/usr/bin/env python3
"""Kills runs of the command line tool at random moments, goes on with them, and compares what they write with undisturbed runs.

usage: kill_resume.py NEARKIN [KILLS [SEED]]
"""
import random
import shutil
import signal
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True  # the sources stay as they are
from spill_runs import FAILED, Command, Wrong, require, run_folder, stats_of, temporary_folder, units, write_documents

KILLS = 60
LONGEST_CHAIN = 8   # so often a run is killed before it may end
DOCUMENTS = 9000
POLL_SECONDS = 0.001
MEMORY = {1: "64MiB", 2: "80MiB"}   # the least that is allowed with so many threads


def commands(binary, data):
    """Every road of a run: plain, compressed and several inputs, standard input, a second input, graphs, estimates, sketches."""
    plan = ["--threshold", "0.7", "--shingle", "word:2", "--hashes", "320"]
    first, packed, second = (str(data / name) for name in ("first.jsonl", "packed.jsonl.gz", "second.jsonl"))
    return [
        Command(binary, ["dedup", first, *plan, "-o", "OUT/kept", "--removed", "OUT/removed", "--skipped", "OUT/skipped"]),
        Command(binary, ["cluster", packed, *plan, "--json", "-o", "OUT/clusters", "--summary", "OUT/summary"]),
        Command(binary, ["pairs", packed, second, *plan, "-o", "OUT/pairs"]),
        Command(binary, ["dedup", "-", *plan, "--keep", "longest", "--linkage", "connected", "-o", "OUT/kept"], stdin=first),
        Command(binary, ["dedup", second, *plan, "--against", packed, "-o", "OUT/kept.jsonl.gz", "--removed", "OUT/removed"]),
        Command(binary, ["pairs", first, *plan, "--verify", "estimate", "--json", "-o", "OUT/pairs"]),
        Command(binary, ["dedup", first, packed, "--measure", "exact", "-o", "OUT/kept"]),
    ]


class Killer:
    def __init__(self, work, seed):
        self.work, self.draw = work, random.Random(seed)
        self.kills = self.resumes = self.taken_over = 0

    def end(self, process, scratch, seconds, how):
        """Ends the process at a random moment, or right when some more units of work are done. False: it was quicker."""
        deadline = time.monotonic() + self.draw.random() * seconds
        wanted = len(units(scratch)) + self.draw.randrange(1, 6) if self.draw.random() < 0.5 else None
        while process.poll() is None:
            if time.monotonic() >= deadline and wanted is None or wanted is not None and self.count(scratch) >= wanted:
                process.send_signal(how)
                process.communicate()
                return process.returncode < 0
            time.sleep(POLL_SECONDS)
        return False

    @staticmethod
    def count(scratch):
        try:
            return len(units(scratch))
        except FileNotFoundError:  # a file went while it was looked at
            return 0

    def chain(self, command, threads, most):
        """One run, killed up to `most` times. It is done when a process comes to its end."""
        folder, scratch, stats = self.work / "out", self.work / "scratch", self.work / "stats.json"
        for path in (folder, scratch):
            shutil.rmtree(path, ignore_errors=True)
        begin = time.monotonic()
        expected = command.answer(folder, ["--quiet"])
        seconds = time.monotonic() - begin
        old = command.put_old_outputs(folder)
        extra = ["--quiet", "--threads", str(threads), "--memory", MEMORY[threads], "--scratch", str(scratch), "--stats", str(stats)]
        killed, pids_killed = 0, []
        while True:
            before = units(scratch)
            resume = ["--resume"] if before else []
            if before:
                self.expect_refused(command, folder, scratch, extra, before)
            stats.unlink(missing_ok=True)
            process = command.start(folder, [*extra, *resume])
            ended = killed < most and self.end(process, scratch, seconds, signal.SIGKILL)
            said = "" if ended else process.communicate(timeout=120)[1].decode()
            self.expect_whole(command, folder, old, expected)
            if not ended:
                break
            killed += 1
            pids_killed.append(process.pid)
            self.expect_untouched(command, scratch, before)
        require(process.returncode in (0, 1), f"{command} failed with {process.returncode} after {killed} kills: {said}")
        require(command.outputs(folder) == expected, f"{command}: other bytes after {killed} kills")
        taken = stats_of(stats).get("resumed", 0)
        redone = sum(name.startswith("matches") for name in before) if "exact" in command.arguments else 0
        require(taken == len(before) - redone, f"{command}: {taken} of {len(before)} units were taken over")
        require(run_folder(scratch) is None, f"{command}: files are left in {scratch}")
        # Nobody can clean up after SIGKILL in the moment in which a finished output has a second name, before it takes the place of an older one.
        half_renamed = {f".{name}.{pid}.tmp" for name in command.names for pid in pids_killed}
        left = sorted({path.name for path in folder.iterdir()} - half_renamed)
        require(left == sorted(command.names), f"{command}: left beside the outputs: {left}")
        self.kills += killed
        self.resumes += bool(before)
        self.taken_over += taken

    def expect_refused(self, command, folder, scratch, extra, before):
        if self.draw.random() < 0.7:
            return  # now and then is enough
        status, said = command.run(folder, extra)
        require(status == FAILED and str(run_folder(scratch)) in said and "--resume" in said, f"{command} without --resume: {status}, {said}")
        require(units(scratch) == before, f"{command} without --resume changed the files of the run")

    @staticmethod
    def expect_untouched(command, scratch, before):
        """Work that was done is not done again. (A run that came to its end has removed all of it.)"""
        after = units(scratch)
        if not after:
            return
        again = [name for name in before if after.get(name) != before[name]]
        require(not again, f"{command}: done again: {again}")

    @staticmethod
    def expect_whole(command, folder, old, expected):
        for name, data in command.outputs(folder).items():
            require(data in (old[name], expected[name]), f"{command}: {name} is neither what it was nor complete")

    def signalled(self, command, how):
        """Ctrl-C and its like: the old outputs stay, nothing lies beside them, and the way on is told."""
        folder, scratch = self.work / "out", self.work / "scratch"
        for path in (folder, scratch):
            shutil.rmtree(path, ignore_errors=True)
        expected = command.answer(folder)
        old = command.put_old_outputs(folder)
        extra = ["--threads", "2", "--memory", MEMORY[2], "--scratch", str(scratch)]
        process = command.start(folder, extra)
        while process.poll() is None and self.count(scratch) < 1:
            time.sleep(POLL_SECONDS)
        process.send_signal(how)
        process.wait(timeout=120)  # nobody reads what it writes until it has ended
        said = process.communicate()[1].decode()
        require(process.returncode == -how, f"{command}: status {process.returncode} after {how.name}: {said}")
        require("--resume" in said and str(scratch) in said, f"{command}: does not say how to go on: {said}")
        require(command.outputs(folder) == old, f"{command}: outputs changed by a run that {how.name} ended")
        left = sorted(path.name for path in folder.iterdir())
        require(left == sorted(command.names), f"{command}: left beside the outputs after {how.name}: {left}")
        status, said = command.run(folder, [*extra, "--resume"])
        require(status in (0, 1) and command.outputs(folder) == expected, f"{command}: {status} after {how.name} and --resume: {said}")
        require("taken over" in said, f"{command}: nothing was taken over after {how.name}: {said}")


def kill_sketch(binary, data, work, killer, times):
    """A sketch file that was made by many processes is as good as one by one of them."""
    folder, scratch = work / "sketches", work / "scratch"
    inputs = [str(data / "first.jsonl"), str(data / "packed.jsonl.gz")]
    plan = ["--threshold", "0.7", "--shingle", "word:2", "--hashes", "320"]
    sketch = Command(binary, ["sketch", *inputs, *plan, "-o", "OUT/all.sketch"])
    expected = Command(binary, ["pairs", *inputs, *plan, "-o", "OUT/pairs"]).answer(folder / "expected", ["--quiet"])
    shutil.rmtree(scratch, ignore_errors=True)
    extra = ["--quiet", "--threads", "1", "--memory", MEMORY[1], "--scratch", str(scratch)]
    for turn in range(times + 1):
        resume = ["--resume"] if units(scratch) else []
        process = sketch.start(folder, [*extra, *resume])
        if turn == times or not killer.end(process, scratch, 0.6, signal.SIGKILL):
            break
        killer.kills += 1
        if (folder / "all.sketch").exists():
            break  # killed right after its last step: then it must be whole, as below
    status = process.wait(timeout=120)
    require(status in (0, 1, -signal.SIGKILL), f"{sketch}: failed with {status}")
    require((folder / "all.sketch").exists(), f"{sketch}: ended with {status} without its output")
    found = Command(binary, ["pairs", str(folder / "all.sketch"), "-o", "OUT/pairs"]).answer(folder / "found", ["--quiet"])
    require(found == expected, "pairs of a sketch that was killed on its way are others")


def main(binary, kills=KILLS, seed=1):
    with temporary_folder() as name:
        work = Path(name)
        data = work / "data"
        data.mkdir()
        write_documents(data / "first.jsonl", DOCUMENTS, 1)
        write_documents(data / "packed.jsonl.gz", DOCUMENTS // 2, 2)
        write_documents(data / "second.jsonl", DOCUMENTS // 2, 2)
        killer = Killer(work, seed)
        kill_sketch(binary, data, work, killer, 4)
        turn = 0
        all_commands = commands(binary, data)
        while killer.kills < kills or turn < len(all_commands):
            killer.chain(all_commands[turn % len(all_commands)], 1 + turn % 2, LONGEST_CHAIN)
            turn += 1
        for how in (signal.SIGINT, signal.SIGTERM):
            for command in all_commands[:2]:
                killer.signalled(command.to_standard_output(), how)
        require(killer.resumes >= turn // 2 and killer.taken_over > 0, "hardly any run was gone on with: nothing was tested")
    print(f"{killer.kills} kills in {turn} runs, {killer.taken_over} units of work taken over by the last of their processes")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        main(sys.argv[1], *(int(argument) for argument in sys.argv[2:4]))
    except Wrong as wrong:
        sys.exit(f"FAILED: {wrong}")
