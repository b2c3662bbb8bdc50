#!/usr/bin/env python3
"""Cuts the power at many moments and looks at what is left: power_cuts.py NEARKIN RECORDER [flags]

  --cuts N        how many (default 120)
  --only NAME     one kind of work: index, server, outputs, in-place, resume, resume-twice, sift (may be repeated)
  --seed S        which moments, and what is left of each (default 1)
  --jobs J        processes (default 2)
  --left FOLDER   where folders that are wrong are left (default: a folder for temporary files)

RECORDER is the library made from record_writes.cc. Each kind of work (workloads.py, long_workloads.py) is done once while every write, new name and
synchronisation is recorded, and every promise: the end of a command, an answer of the server. Then, for moments drawn at random and for those right
behind each promise, the folder is made as a power cut may have left it (disk.py), and the program is run on that: indexes must be sound and hold what was
promised, outputs be complete or what they were, and a resumed run must give the right answer or refuse.
"""
import argparse
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "law"))
import disk
import long_workloads
import workloads
from spill_runs import temporary_folder

KINDS = {kind.name: kind for kind in (*workloads.ALL, *long_workloads.ALL)}


class Recorder:
    """Runs commands in a folder with the library that writes down what they do to it."""

    def __init__(self, binary, library, folder, log):
        self.binary, self.folder, self.log = binary, folder, log
        log.write_bytes(b"")
        self.environment = {**os.environ, "LD_PRELOAD": str(library), "NEARKIN_POWER_ROOT": str(folder), "NEARKIN_POWER_LOG": str(log)}

    def mark(self, what, label):
        with open(self.log, "ab", buffering=0) as log:
            log.write(f"mark\t0\t0\t0\t{what}\t{label}\t0\n".encode())

    def start(self, *arguments):
        return subprocess.Popen([self.binary, *arguments], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def command(self, label, *arguments, allowed=(0,)):
        self.mark("begin", label)
        process = self.start(*arguments)
        said = process.communicate(timeout=300)[1].decode()
        workloads.require(process.returncode in allowed, f"nearkin {' '.join(arguments)}: status {process.returncode}: {said}")
        self.mark("done", label)


class Recorded:
    """A kind of work, done once. Its folder: inputs, begin (as it was before), live (as it is behind it), log."""

    def __init__(self, kind, binary, library, folder):
        self.work, self.folder, self.binary = kind(), folder, binary
        inputs, live = folder / "inputs", folder / "live"
        inputs.mkdir(parents=True)
        live.mkdir()
        self.work.make_inputs(inputs)
        self.work.prepare(workloads.Tool(binary), live)
        self.disk = disk.Disk(live)  # inodes are those of the folder in which the program works
        self.work.run(Recorder(binary, library, live, folder / "log"))
        self.records = list(disk.records(folder / "log"))
        self.require_complete_record()

    def fresh_disk(self):
        """The folder as it was in the beginning; each process has its own copy of it."""
        return self.disk

    def require_complete_record(self):
        if not any(record[0] == "write" for record in self.records):
            raise disk.Unreplayable(f"{self.work.name}: nothing was recorded")
        pid = os.fork()  # a replay changes the disk, and there is to be one that is as it was in the beginning
        if pid == 0:
            for record in self.records:
                self.disk.do(record)
            self.disk.leave(self.folder / "whole", 0, "everything")
            os._exit(0)
        if os.waitpid(pid, 0)[1] != 0:
            raise disk.Unreplayable(f"{self.work.name}: the replay failed")
        different = disk.differences(self.folder / "live", self.folder / "whole")
        if different:
            raise disk.Unreplayable(f"{self.work.name}: the record is not complete; the replay of all of it differs in {different}")

    def promises(self):
        """Positions right behind each promise."""
        return [at + 1 for at, record in enumerate(self.records) if record[0] == "mark" and record[4] == "done"]


def cuts_of(recorded, count, seed):
    """(position, seed, way): behind each promise what is worst, then moments at random."""
    chance = random.Random(f"{seed} {recorded.work.name}")
    worst = [(position, 0, way) for position in recorded.promises() for way in ("nothing", "names")]
    chance.shuffle(worst)
    drawn = [(chance.randrange(1, len(recorded.records) + 1), chance.randrange(1 << 30), chance.choice(disk.WAYS)) for _ in range(count)]
    first = worst[:max(1, count // 3)]
    return sorted(first + drawn[:count - len(first)])


def told(records):
    """Labels of what was done, and of what was begun and not done."""
    done, begun = [], []
    for record in records:
        if record[0] != "mark":
            continue
        if record[4] == "begin":
            begun = [record[5]]
        else:
            done.append(record[5])
            begun = []
    return done, begun


def check_cuts(task):
    """In a process of its own, which was forked with `recorded`. What was wrong, how often a run was refused."""
    recorded, cuts, left, number = task
    tool, target, wrongs, at = workloads.Tool(recorded.binary), recorded.folder / f"cut-{number}", [], 0
    for position, seed, way in cuts:
        while at < position:
            recorded.disk.do(recorded.records[at])
            at += 1
        shutil.rmtree(target, ignore_errors=True)
        recorded.disk.leave(target, seed, way)
        done, begun = told(recorded.records[:position])
        try:
            recorded.work.check(tool, target, done, begun)
        except (workloads.Wrong, OSError) as wrong:
            name = f"{recorded.work.name}-{position}-{seed}-{way.replace(' ', '-')}"
            shutil.copytree(target, left / name, dirs_exist_ok=True)
            wrongs.append(f"{name} (done: {done}, begun: {begun}): {wrong}")
    shutil.rmtree(target, ignore_errors=True)
    return wrongs, getattr(recorded.work, "refused", 0)


def run_task(task, answers):
    answers.put(check_cuts(task))


def check_all(recorded, cuts, jobs, left):
    """Each process replays the record from its beginning, over a part of the cuts."""
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    parts = [cuts[first::jobs] for first in range(jobs) if cuts[first::jobs]]
    processes = [context.Process(target=run_task, args=((recorded, part, left, number), answers)) for number, part in enumerate(parts)]
    for process in processes:
        process.start()
    results = [answers.get() for _ in processes]
    for process in processes:
        process.join()
    return [wrong for wrongs, _ in results for wrong in wrongs], sum(refused for _, refused in results)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary", type=lambda name: str(Path(name).resolve()))
    parser.add_argument("library", type=lambda name: Path(name).resolve())
    parser.add_argument("--cuts", type=int, default=120)
    parser.add_argument("--only", action="append", choices=KINDS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--left", type=Path)
    chosen = parser.parse_args()
    left = chosen.left or Path(tempfile.gettempdir()) / "nearkin-power-cuts"
    names = chosen.only or list(KINDS)
    total, failures = 0, []
    for number, name in enumerate(names):
        begin = time.monotonic()
        count = chosen.cuts * (number + 1) // len(names) - chosen.cuts * number // len(names)
        with temporary_folder() as folder:
            recorded = Recorded(KINDS[name], chosen.binary, chosen.library, Path(folder).resolve() / name)
            cuts = cuts_of(recorded, count, chosen.seed)
            wrongs, refused = check_all(recorded, cuts, chosen.jobs, left)
        total += len(cuts)
        failures += wrongs
        print(f"{name}: {len(cuts)} cuts in a record of {len(recorded.records)}, {len(wrongs)} wrong"
              + (f", {refused} resumed runs refused" if hasattr(recorded.work, "refused") else "") + f"; {time.monotonic() - begin:.1f} s", flush=True)
    for failure in failures[:20]:
        print(f"FAILED {failure}")
    if failures:
        sys.exit(f"{len(failures)} of {total} cuts left something wrong; the folders are in {left}")
    print(f"{total} power cuts, and all that was promised was there")


if __name__ == "__main__":
    main()
