"""Repeated passages by a suffix array (pydivsufsort: libdivsufsort and Kasai's LCP): run by bench/passages --suffix-array.

    passages_peer.py FILE.jsonl LEAST

Prints one JSON object: the tokens of all texts, how many of them are in windows of LEAST tokens that occur earlier in another place, and the CPU
seconds of each step. The tokens are those that nearkin compares: words in lower case. Reading and tokenising is told apart from the suffix array,
the LCP array, and marking, so that the array can be compared alone.
"""
import json
import re
import resource
import sys

import numpy
import pydivsufsort

WORDS = re.compile(r"[a-z0-9]+")


class Clock:
    def __init__(self):
        self.last, self.seconds = self.now(), {}

    @staticmethod
    def now():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    def lap(self, name):
        now = self.now()
        self.seconds[name], self.last = now - self.last, now


def read_tokens(path):
    """Numbers of the words of all texts, and behind each text a number that occurs once."""
    numbers, tokens, texts = {}, [], 0
    with open(path) as lines:
        for line in lines:
            tokens += [numbers.setdefault(word, len(numbers)) for word in WORDS.findall(json.loads(line)["text"].lower())]
            tokens.append(-1 - texts)
            texts += 1
    tokens = numpy.array(tokens, dtype=numpy.int64)
    tokens[tokens < 0] = len(numbers) - 1 - tokens[tokens < 0]
    return tokens.astype(numpy.uint32), texts


def repeated_tokens(suffixes, common, least):
    """Tokens in windows that are equal to an earlier one: all but the first of each group of suffixes that have `least` tokens in common."""
    joined = numpy.concatenate(([False], common >= least, [False]))  # suffix i - 1 with suffix i
    members = numpy.flatnonzero(joined[:-1] | joined[1:])
    if len(members) == 0:
        return 0
    firsts = numpy.flatnonzero(~joined[members])
    places = suffixes[members]
    earliest = numpy.repeat(numpy.minimum.reduceat(places, firsts), numpy.diff(numpy.concatenate((firsts, [len(members)]))))
    later = places[places != earliest]
    covered = numpy.zeros(len(suffixes) + least + 1, dtype=numpy.int32)
    numpy.add.at(covered, later, 1)
    numpy.add.at(covered, later + least, -1)
    return int((numpy.cumsum(covered) > 0).sum())


def main():
    path, least = sys.argv[1], int(sys.argv[2])
    clock = Clock()
    tokens, texts = read_tokens(path)
    clock.lap("read")
    suffixes = pydivsufsort.divsufsort(tokens)
    clock.lap("suffixes")
    common = pydivsufsort.kasai(tokens, suffixes)[:len(tokens) - 1]
    clock.lap("common")
    repeated = repeated_tokens(suffixes, common, least)
    clock.lap("mark")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"tokens": len(tokens) - texts, "repeated": repeated, "seconds": clock.seconds, "peak_bytes": peak}))


if __name__ == "__main__":
    main()
