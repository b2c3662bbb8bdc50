#!/usr/bin/env python3
"""Every kind of run keeps --memory as seen from outside, or refuses the bound and says what it needs.

usage: memory_bound.py NEARKIN
"""
import array
import operator
import os
import random
import subprocess
import sys
import tempfile

MIB = 1 << 20
SLACK = 1.05


def documents(path, count, words, changed, vocabulary=5000, seed=1):
    """Groups of ten texts that differ in a few words each."""
    draw = random.Random(seed)
    with open(path, "w", encoding="ascii") as file:
        for i in range(count):
            if i % 10 == 0:
                base = [f"w{draw.randrange(vocabulary)}" for _ in range(words)]
            text = list(base)
            for _ in range(changed):
                text[draw.randrange(words)] = f"x{draw.randrange(10**9)}"
            file.write('{"id":"%d","n":%d,"text":"%s"}\n' % (i, draw.randrange(100), " ".join(text)))


def alike(path, count, words, seed=2):
    """Texts that are all alike: as many pairs as there can be."""
    draw = random.Random(seed)
    base = [f"w{draw.randrange(5000)}" for _ in range(words)]
    with open(path, "w", encoding="ascii") as file:
        for i in range(count):
            text = list(base)
            text[draw.randrange(words)] = f"x{i}"
            file.write('{"id":"%d","text":"%s"}\n' % (i, " ".join(text)))


def vectors(path, count, dimensions, spread, seed=3):
    """Points around a few centres; a small spread makes all points of a centre alike."""
    draw = random.Random(seed)
    centres = [[draw.uniform(-1, 1) for _ in range(dimensions)] for _ in range(4)]
    with open(path, "w", encoding="ascii") as file:
        for i in range(count):
            file.write(",".join(f"{x + draw.gauss(0, spread):.4f}" for x in centres[i % 4]) + "\n")


def large_vectors(path, count, dimensions, seed=5):
    """More than a bound of memory, made of stretches of a few numbers; every other vector is near the one before it."""
    draw = random.Random(seed)
    numbers = array.array("f", (draw.gauss(0, 1) for _ in range(50000)))
    noise = array.array("f", (draw.gauss(0, 0.01) for _ in range(dimensions)))
    with open(path, "wb") as file:
        for i in range(count):
            if i % 2 == 0:
                begin = draw.randrange(len(numbers) - dimensions)
                vector = numbers[begin:begin + dimensions]
            else:
                vector = array.array("f", map(operator.add, vector, noise))
            file.write(dimensions.to_bytes(4, "little") + vector.tobytes())


def bits(path, count, width, seed=4):
    draw = random.Random(seed)
    centres = [draw.getrandbits(width) for _ in range(50)]
    with open(path, "w", encoding="ascii") as file:
        for i in range(count):
            file.write(format(centres[i % 50] ^ 1 << draw.randrange(width) ^ 1 << draw.randrange(width), f"0{width}b") + "\n")


def make_data(folder):
    documents(folder + "/docs.jsonl", 30000, 120, 3)
    documents(folder + "/few.jsonl", 4000, 60, 2)
    documents(folder + "/long.jsonl", 200, 20000, 300)
    alike(folder + "/alike.jsonl", 4000, 150)
    vectors(folder + "/spread.csv", 60000, 48, 0.5)
    vectors(folder + "/tight.csv", 6000, 16, 0.001)
    bits(folder + "/codes.bits", 20000, 256)
    large_vectors(folder + "/large.fvecs", 100000, 256)
    bits(folder + "/wide.bits", 6000, 16384)
    with open(folder + "/faults.csv", "w", encoding="ascii") as file:
        file.writelines(f"{i},1,2,3\n" for i in range(50))
        file.writelines("x" + ",x" * 400 + "\n" for _ in range(120000))


def runs():
    """(name, bound in MiB, arguments); every command over every measure."""
    for command in ("pairs", "cluster", "dedup"):
        listed = ["--max-pairs", "100000000"] if command == "pairs" else []
        for name, bound, arguments in (
                ("jaccard", 72, ["docs.jsonl"]), ("jaccard exact", 72, ["docs.jsonl", "--recall", "1"]),
                ("jaccard exact, all alike", 72, ["alike.jsonl", "--recall", "1"]), ("jaccard, all alike", 72, ["alike.jsonl"]),
                ("weighted jaccard", 72, ["docs.jsonl", "--measure", "weighted-jaccard"]),
                ("containment", 72, ["docs.jsonl", "--measure", "containment"]),
                ("containment of few", 72, ["few.jsonl", "--measure", "containment"]),
                ("containment, all alike", 72, ["alike.jsonl", "--measure", "containment"]),
                ("long texts", 72, ["long.jsonl"]), ("long texts in large buckets", 72, ["long.jsonl", "--bands", "20", "--rows", "3", "--large-bucket", "4"]),
                ("exact", 72, ["docs.jsonl", "--measure", "exact"]),
                ("audit", 72, ["docs.jsonl", "--audit", "100"]), ("report", 72, ["docs.jsonl", "--report", "page.html"]),
                ("thresholds", 72, ["docs.jsonl", "--thresholds", "0.8,0.9"]),
                ("cosine of texts", 72, ["few.jsonl", "--features", "tfidf", "--measure", "cosine"]),
                ("cosine", 72, ["spread.csv", "--format", "dense", "--no-header", "--measure", "cosine", "--threshold", "0.99"]),
                ("cosine of more than the bound", 72, ["large.fvecs", "--measure", "cosine", "--threshold", "0.99"]),
                ("bits from a stream", 72, ["<wide.bits", "--format", "bits", "--radius", "10"]),
                ("vectors at fault from a stream", 72, ["<faults.csv", "--format", "dense", "--no-header", "--measure", "cosine"]),
                ("euclidean exact, all alike", 72,
                 ["tight.csv", "--format", "dense", "--no-header", "--measure", "euclidean", "--radius", "0.05", "--recall", "1"]),
                ("manhattan", 72, ["tight.csv", "--format", "dense", "--no-header", "--measure", "manhattan", "--radius", "0.05"]),
                ("hamming", 72, ["codes.bits", "--radius", "8"]), ("hamming exact", 72, ["codes.bits", "--radius", "8", "--recall", "1"])):
            if name == "audit" and "--measure" in arguments:
                continue
            yield f"{command}: {name}", bound, [command] + arguments + listed
    for name, arguments in (("groups of ten", ["docs.jsonl", "--least", "20"]), ("short windows", ["docs.jsonl", "--least", "5"]),
                            ("all alike", ["alike.jsonl", "--least", "8"]), ("long texts", ["long.jsonl"]),
                            ("another input", ["docs.jsonl", "--against", "alike.jsonl", "--least", "8"])):
        yield f"passages: {name}", 72, ["passages"] + arguments


def peak_of(nearkin, arguments, folder):
    """Exit status, what it said, and the most memory that the process held. An argument <FILE is standard input."""
    streams = [word[1:] for word in arguments if word.startswith("<")]
    words = ["-" if word.startswith("<") else word for word in arguments]
    with open(folder + "/said", "wb") as said, open(folder + "/" + streams[0] if streams else os.devnull, "rb") as stream:
        process = subprocess.Popen([nearkin] + words, cwd=folder, stdin=stream, stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
    with open(folder + "/said", encoding="utf-8", errors="replace") as said:
        return os.waitstatus_to_exitcode(status), said.read(), usage.ru_maxrss * 1024


def problem_of(nearkin, bound, arguments, folder):
    bounded = arguments + ["--memory", f"{bound}MiB", "--threads", "1", "-o", "out"]
    if "--thresholds" in arguments:
        bounded = bounded[:-2]
    status, said, peak = peak_of(nearkin, bounded, folder)
    if status == 2:
        told = "nearkin: --memory: " in said and (" needs about " in said or " needs more than " in said)
        return None if told and "tfidf" in arguments else f"ended with {said.strip()[-300:]}"
    if status != 0 and not ("<faults.csv" in arguments and status == 1):
        return f"exit {status}: {said.strip()[-300:]}"
    return None if peak <= SLACK * bound * MIB else f"held {peak / MIB:.1f} MiB, the bound is {bound} MiB"


LONG_LINE = 60 * MIB
MOST_TIMES = 7  # of the line: its bytes, its text, its tokens, its shingles and their places in the sketch


def problem_of_one_long_line(nearkin, folder):
    """A record that is much longer than any bound takes a few times its length, and no more."""
    words = [f"word{i * i % 9973} " for i in range(20000)]
    with open(folder + "/line.jsonl", "w", encoding="utf-8") as file:
        file.write('{"id":"long","text":"' + "".join(words) * (LONG_LINE // len("".join(words))) + '"}\n{"id":"short","text":"one two"}\n')
    status, said, peak = peak_of(nearkin, ["dedup", "line.jsonl", "--threads", "1", "-o", "out"], folder)
    os.remove(folder + "/line.jsonl")
    if status != 0:
        return f"exit {status}: {said.strip()[-300:]}"
    return None if peak <= MOST_TIMES * LONG_LINE else f"held {peak / MIB:.1f} MiB for a line of {LONG_LINE // MIB} MiB"


def main():
    nearkin = os.path.abspath(sys.argv[1])
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="nearkin-memory-") as folder:
        os.environ["TMPDIR"] = folder
        make_data(folder)
        for name, bound, arguments in runs():
            problem = problem_of(nearkin, bound, arguments, folder)
            passed += problem is None
            failed += problem is not None
            if problem:
                print(f"FAILED {name}: {problem}\n  $ nearkin {' '.join(arguments)} --memory {bound}MiB --threads 1")
        problem = problem_of_one_long_line(nearkin, folder)
        passed += problem is None
        failed += problem is not None
        if problem:
            print(f"FAILED one long line: {problem}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
