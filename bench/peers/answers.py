"""Four kinds of answers, how each follows from the exact pairs, and how right a tool's answer is.

pairs     every pair at or above the threshold
flags     the documents that have such a partner
removed   the documents that lose to an earlier kept one at or above the threshold, in the order of input
clusters  documents joined by chains of such pairs; compared by the pairs of documents that share a cluster

A pair is one number, smaller row · 2^32 + larger row. Clusters are a list: for each row the row of its cluster's first member.
"""
import collections

KINDS = ("pairs", "flags", "removed", "clusters")
Accuracy = collections.namedtuple("Accuracy", "recall precision right found")


def pair(a, b):
    return (min(a, b) << 32) | max(a, b)


def ends(number):
    return number >> 32, number & 0xFFFFFFFF


# ------------------------------------------------------------------------------------------------------------- from pairs

def removed_of(pairs):
    earlier = collections.defaultdict(list)
    for number in pairs:
        first, second = ends(number)
        earlier[second].append(first)
    removed = set()
    for row in sorted(earlier):
        if any(other not in removed for other in earlier[row]):
            removed.add(row)
    return removed


def clusters_of(links, documents):
    """Of (row, row) links."""
    parent = list(range(documents))

    def root(row):
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    for a, b in links:
        a, b = root(a), root(b)
        parent[max(a, b)] = min(a, b)
    return [root(row) for row in range(documents)]


def from_pairs(kind, pairs, documents):
    if kind == "pairs":
        return pairs
    if kind == "flags":
        return {row for number in pairs for row in ends(number)}
    if kind == "removed":
        return removed_of(pairs)
    return clusters_of(map(ends, pairs), documents)


# ------------------------------------------------------------------------------------------------------------- from files

def rows_of(path):
    """The leading numbers of each line."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield [int(cell) for cell in line.split("\t", 2)[:2]]


def read(kind, path, documents):
    """pairs and clusters: two rows a line; flags and removed: one row a line, or in nearkin's list of the removed the first of several."""
    if kind == "pairs":
        return {pair(a, b) for a, b in rows_of(path)}
    if kind == "clusters":
        return clusters_of(rows_of(path), documents)
    return {line[0] for line in rows_of(path)}


# ------------------------------------------------------------------------------------------------------------- comparison

def within(sizes):
    return sum(size * (size - 1) // 2 for size in sizes)


def compare(kind, found, right):
    if kind == "clusters":
        both = within(collections.Counter(zip(found, right)).values())
        found_count, right_count = within(collections.Counter(found).values()), within(collections.Counter(right).values())
    else:
        both, found_count, right_count = len(found & right), len(found), len(right)
    share = lambda whole: both / whole if whole else 1.0
    return Accuracy(share(right_count), share(found_count), right_count, found_count)


def at_least(a, b):
    """Whether an answer of accuracy a is as good as one of accuracy b in both respects."""
    return a.recall >= b.recall and a.precision >= b.precision
