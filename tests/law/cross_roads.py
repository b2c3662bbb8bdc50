#!/usr/bin/env python3
"""Random whole invocations of the command line, each on two roads that must give the same answer: cross_roads.py NEARKIN [flags]

  --runs N        how many (default 2000); --long: 50,000
  --seed S        which ones (default: another at every run; it is printed first)
  --one N|CASE    only this one: its number under the seed, or a case as JSON or in a file, as an earlier run left it
  --jobs J        processes (default 2)
  --plain NEARKIN what answers on the plain road, where that is another: the program of another machine must give the same answers
  --left FOLDER   where failing cases are left (default: a folder for temporary files)

A case (roads/cases.py) is a small collection, a goal, what is asked for and a road: format, container, threads, instruction set, memory, files, sketch
files, an index. It is run on its road and on the plain one (JSON lines in one file, in memory, one thread) with the same plan, and what both write is
compared byte by byte; what brute force can tell (roads/oracle.py) is compared with that. What is refused must be refused for a reason that is known, and
leave nothing behind. The first case of each kind of failure is made smaller and left in a folder, with its command lines.
"""
import argparse
import json
import multiprocessing
import random
import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path

from roads import cases, judge
from roads.crossings import Crossings, values_of
from roads.shrink import Shrinker
from spill_runs import temporary_folder

MOST_SHRUNK = 30
LONG_RUNS = 50_000


def outcome_of(programs, case, folder):
    """(how it ended, why where that is wrong)"""
    try:
        return judge.judge(programs, case, folder), None
    except judge.Wrong as wrong:
        return wrong.kind, wrong


def signature(case, kind):
    """Failures of one signature have, most likely, one cause."""
    named = {"crash": "keep", "damaged": "keep"}.get(kind, "format")
    return f"{kind} {case['command']} {case.get(named)} {'index' if case['road']['index'] != 'no' else ''}{'bloom' if case['bloom'] else ''}"


def make_case(seed, number, without_memory):
    case = cases.make_case(seed, number)
    if without_memory and case["road"]["memory"]:
        case["road"]["memory"] = "1GiB"
    return case


def work(task):
    """Many cases, in a process of its own: what each came to."""
    programs, seed, numbers, parent, without_memory = task
    folder = Path(tempfile.mkdtemp(dir=parent))
    results = []
    for number in numbers:
        case = make_case(seed, number, without_memory)
        ended, wrong = outcome_of(programs, case, folder / "case")
        results.append((number, ended, str(wrong) if wrong else None, values_of(case)))
    shutil.rmtree(folder, ignore_errors=True)
    return results


def leave(programs, case, kind, left, name):
    """The case made small, run once more where its files can be looked at."""
    folder = left / name
    small = Shrinker(programs, folder, case, kind).shrink()
    _, wrong = outcome_of(programs, small, folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "case.json").write_text(json.dumps(small, ensure_ascii=False, indent=1))
    return small, folder, wrong


def tell(number, case, folder, wrong):
    print(f"FAILED case {number}: {wrong.kind if wrong else 'not again'}")
    if not wrong:
        return
    if wrong.outcome:
        for line in wrong.outcome.lines:
            print("  $ nearkin " + " ".join(word if word == "<" else shlex.quote(word) for word in line))
    print("  " + "\n  ".join(str(wrong)[:1500].splitlines()))
    for name in ("items", "other"):
        if case[name] is not None:
            print(f"  {name}: {json.dumps(case[name][:12], ensure_ascii=False)}{' and more' if len(case[name]) > 12 else ''}")
    turns = [f"{key}={value}" for key, value in case["road"].items() if cases.PLAIN_ROAD.get(key) != value]
    print(f"  format {case['format']}, road: {', '.join(turns) or 'plain'}")
    print(f"  left in {folder}; again: cross_roads.py NEARKIN --one {folder / 'case.json'}\n")


def run_one(programs, seed, which, left, without_memory):
    if which.isdigit():
        case = make_case(seed, int(which), without_memory)
    else:
        case = json.loads(which if which.startswith("{") else Path(which).read_text())
    ended, wrong = outcome_of(programs, case, left / "one")
    if wrong is None:
        print(f"{ended}: as it should be")
        return 0
    small, folder, wrong = leave(programs, case, wrong.kind, left, "one")
    tell(which, small, folder, wrong)
    return 1


def run_many(programs, seed, runs, jobs, left, parent, without_memory):
    tasks = [(programs, seed, range(begin, min(begin + 20, runs)), parent, without_memory) for begin in range(0, runs, 20)]
    crossings, failed, ended_as = Crossings(), [], {}
    with multiprocessing.Pool(jobs) as pool:
        for results in pool.imap(work, tasks):
            for number, ended, wrong, values in results:
                crossings.add(values)
                ended_as[ended] = ended_as.get(ended, 0) + 1
                if wrong is not None:
                    failed.append((number, ended))
    kinds = {}
    for number, kind in failed:
        case = make_case(seed, number, without_memory)
        kinds.setdefault(signature(case, kind), []).append((number, case, kind))
    for name, found in list(kinds.items())[:MOST_SHRUNK]:
        number, case, kind = min(found, key=lambda entry: len(entry[1]["items"]) + len(entry[1]["other"] or []))
        print(f"--- {name.strip()}: {len(found)} cases: {', '.join(str(entry[0]) for entry in found[:20])}")
        small, folder, wrong = leave(programs, case, kind, left, f"case-{number}")
        tell(number, small, folder, wrong)
    for name, found in list(kinds.items())[MOST_SHRUNK:]:
        print(f"--- {name.strip()}: {len(found)} cases, not made smaller: {', '.join(str(entry[0]) for entry in found[:20])}")
    print(crossings.table())
    print("ended: " + ", ".join(f"{name} {count}" for name, count in sorted(ended_as.items())))
    print(f"{runs - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary", type=Path)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seed", default=None)
    parser.add_argument("--one", default=None)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--without-memory", action="store_true", help="no small bound on memory: a sanitizer's runtime takes more by itself")
    parser.add_argument("--plain", type=Path, default=None)
    parser.add_argument("--left", type=Path, default=None)
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else str(random.SystemRandom().randrange(1_000_000))
    print(f"seed {seed}", flush=True)
    programs, begin = judge.Programs(given.binary.resolve(), (given.plain or given.binary).resolve()), time.monotonic()
    left = given.left or Path(tempfile.mkdtemp(prefix="nearkin-cross-roads-"))
    left.mkdir(parents=True, exist_ok=True)
    with temporary_folder() as parent:
        runs = LONG_RUNS if given.long else given.runs
        if given.one:
            status = run_one(programs, seed, given.one, left, given.without_memory)
        else:
            status = run_many(programs, seed, runs, given.jobs, left, parent, given.without_memory)
    if status == 0 and not given.left:
        shutil.rmtree(left, ignore_errors=True)
    print(f"{time.monotonic() - begin:.0f} s")
    return status


if __name__ == "__main__":
    sys.exit(main())
