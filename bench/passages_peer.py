"""Repeated passages by a suffix array (pydivsufsort: libdivsufsort and Kasai's LCP): run by bench/passages --suffix-array.

    passages_peer.py FILE.jsonl LEAST words|bytes

The array is one over the numbers of the words, or one over the bytes of the text, as other tools build it. Prints one JSON object: the tokens of all texts, how many of them are in windows of LEAST tokens that occur earlier in another place, and the CPU
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


def read_bytes(path):
    """The words of all texts with one blank between them and a line for each text; where each word begins, and how many words its text has from it on."""
    lines, left = [], []
    with open(path) as records:
        for record in records:
            words = WORDS.findall(json.loads(record)["text"].lower())
            lines.append(" ".join(words))
            left.append(numpy.arange(len(words), 0, -1, dtype=numpy.int32))
    text = numpy.frombuffer(("\n".join(lines) + "\n").encode(), dtype=numpy.uint8).copy()
    between = text <= ord(" ")
    begins = numpy.flatnonzero(~between & numpy.concatenate(([True], between[:-1])))
    return text, begins, numpy.concatenate(left), len(lines)


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


def repeated_words(text, begins, left, suffixes, common, least):
    """The same answer from bytes: of the suffixes, those that begin with a word are left, and must have as many bytes in common as the window has."""
    word = numpy.full(len(text), -1, dtype=numpy.int32)
    word[begins] = numpy.arange(len(begins), dtype=numpy.int32)
    places = numpy.flatnonzero(word[suffixes] >= 0)
    words = word[suffixes[places]]
    shared = numpy.minimum.reduceat(common[:places[-1]], places[:-1])  # up to the next one that is left
    ends = numpy.append(begins, len(text))
    last = numpy.minimum(words + least, len(begins))
    length = numpy.where(left[words] >= least, ends[last] - begins[words], len(text) + 1)
    joined = numpy.where((shared >= length[1:] - 1) & (length[1:] == length[:-1]), least, 0)
    return repeated_tokens(words, joined, least)


def by_words(path, least, clock):
    tokens, texts = read_tokens(path)
    clock.lap("read")
    suffixes = pydivsufsort.divsufsort(tokens)
    clock.lap("suffixes")
    common = pydivsufsort.kasai(tokens, suffixes)[:len(tokens) - 1]
    clock.lap("common")
    return len(tokens) - texts, repeated_tokens(suffixes, common, least)


def by_bytes(path, least, clock):
    text, begins, left, _ = read_bytes(path)
    clock.lap("read")
    suffixes = pydivsufsort.divsufsort(text)
    clock.lap("suffixes")
    common = pydivsufsort.kasai(text, suffixes)[:len(text) - 1]
    clock.lap("common")
    return len(begins), repeated_words(text, begins, left, suffixes, common, least)


def main():
    path, least, array = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    clock = Clock()
    tokens, repeated = (by_words if array == "words" else by_bytes)(path, least, clock)
    clock.lap("mark")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"tokens": tokens, "repeated": repeated, "seconds": clock.seconds, "peak_bytes": peak}))


if __name__ == "__main__":
    main()
