"""Benchmark items in records by brute force: every range of n-grams counted by itself. For texts of ASCII letters."""
from fractions import Fraction

from roads.cut import without
from roads.items import is_usable
from roads.oracle import similarity_text
from roads.passages import words


def windows(text, size):
    return [tuple(word for word, *_ in text[at:at + size]) for at in range(len(text) - size + 1)]


def sought_of(item, own, common, size, share):
    """(n-grams that count, those of them that must all be held, least length of a place, whether it has common ones) of an item."""
    rest = own - common
    covered = {at + i for at, gram in enumerate(windows(item, size)) if gram in rest for i in range(size)}
    if rest == own:
        return own, set(), share * len(item), False
    if len(rest) >= 5:
        return rest, set(), share * len(covered), True
    return own, rest or own, share * len(item) if rest else len(item), True


def counted(items, size, share, least):
    """Of each item what a place must hold. An n-gram is common if more than 20 different items have it, and more than one in a thousand; or at
    least three, and more than half."""
    own = [set(windows(item, size)) if len(item) >= least else set() for item in items]
    different = {tuple(word for word, *_ in item): grams for item, grams in zip(items, own) if grams}
    having = {}
    for grams in different.values():
        for gram in grams:
            having[gram] = having.get(gram, 0) + 1
    common = {gram for gram, n in having.items() if n > max(20, len(different) // 1000) or n >= 3 and 2 * n > len(different)}
    return [sought_of(item, grams, common, size, share) for item, grams in zip(items, own)]


def longest_run(here, there):
    best, row = 0, {}
    for word, *_ in here:
        row = {at + 1: row.get(at, 0) + 1 for at in range(len(there)) if there[at][0] == word}
        best = max([best, *row.values()])
    return best


def is_enough(held, sought, share):
    grams, must, *_ = sought
    return len(held) >= min(len(grams), 5) and Fraction(len(held), len(grams)) >= share and must <= held


def places(record, item, sought, size, share, first, last):
    """(first gram, last gram, grams held) of each place within the grams first … last - 1 of the record."""
    grams, _, length, _ = sought
    found = [gram if gram in grams else None for gram in windows(record, size)]
    reach = 2 * len(item) - size
    held = lambda a, b: {gram for gram in found[a:b + 1] if gram}
    enough = lambda a, b: is_enough(held(a, b), sought, share)
    long = lambda a, b: b - a + size >= length
    ends = lambda a: (b for b in range(a, min(last, a + reach + 1)) if found[b])
    start = next((a for a in range(first, last) if found[a] and enough(a, min(last - 1, a + reach)) and long(a, max(ends(a)))), None)
    if start is None:
        return []
    ranges = ((a, b) for a in range(start, min(last, start + reach + 1)) if found[a] for b in ends(a) if long(a, b) and enough(a, b))
    a, b = min(ranges, key=lambda place: (-len(held(*place)), place[1] - place[0], place[0]))
    while b + 1 < last and found[b + 1] and b - a < reach:
        b += 1
    while a > first and found[a - 1] and b - a < reach:
        a -= 1
    left = places(record, item, sought, size, share, first, max(first, a - size + 1))
    return left + [(a, b, len(held(a, b)))] + places(record, item, sought, size, share, b + size, last)


def copies(record, item, sought, size, share):
    """(first gram, number behind the last) of each part of a record, which is divided between one copy of the item and the next."""
    grams, _, length, _ = sought
    own, found = windows(item, size), [gram if gram in grams else None for gram in windows(record, size)]
    reach = 2 * len(item) - size
    at = [i for i, gram in enumerate(found) if gram]
    begin = 0
    for g, h in zip(at, at[1:]):
        if h - g < size or own.index(found[h]) >= own.index(found[g]):
            continue
        left, right = [i for i in at if g - reach <= i <= g], [i for i in at if h <= i <= h + reach]
        sides = [{found[i] for i in side} for side in (left, right)]
        enough = all(is_enough(side, sought, share) for side in sides)
        long = all(side[-1] - side[0] + size >= length for side in (left, right))
        if enough and long and 3 * len(sides[0] & sides[1]) >= min(map(len, sides)):
            yield begin, g + 1
            begin = h
    yield begin, len(found)


def whole_places(record, item):
    at, found = 0, []
    while at + len(item) <= len(record):
        here = [word for word, *_ in record[at:at + len(item)]] == [word for word, *_ in item]
        if here:
            found.append(at)
        at += len(item) if here else 1
    return found


def rare_words(items):
    """Words that at most 2 items have, or at most one in fifty."""
    having = {}
    for item in items:
        for word in {word for word, *_ in item}:
            having[word] = having.get(word, 0) + 1
    return {word for word, count in having.items() if count <= max(2, len(items) // 50)}


def edited_places(record, item, rare, needs_rare):
    """(begin, end, words of the item that are equal) of each place where a short item was edited, the best first."""
    most = 1 if len(item) < 15 else 2
    found = set()

    def follow(at, place, edits, equal, begin, end):
        if edits > most:
            return
        if at == len(item):
            if not needs_rare or sum(item[i][0] in rare for i in equal) >= 2:
                found.add((edits, -len(equal), end - begin, begin, end, equal))
            return
        if place < len(record) and record[place][0] == item[at][0]:
            follow(at + 1, place + 1, edits, equal + (at,), begin, place + 1)
        for added in range(min(4, len(record) - place + 1)):
            follow(at + 1, place + added, edits + 1, equal, begin, end)
            if added:
                follow(at, place + added, edits + 1, equal, begin, end)

    for skipped in range(min(most + 1, len(item))):
        for place in range(len(record)):
            if record[place][0] == item[skipped][0]:
                follow(skipped + 1, place + 1, skipped, (skipped,), place, place + 1)
    return [(begin, end, equal) for *_, begin, end, equal in sorted(found, key=lambda f: (*f[:5], f[5][0], f[5][-1]))]


def add_edited(text, item, there, rare, needs_rare, found):
    """Adds the hits of an item that was edited to `found`, the hits of this item so far, where they share no word with these."""
    for begin, end, equal in edited_places(text, there, rare, needs_rare):
        first, last = text[begin][1], text[end - 1][2]
        if all(last <= hit[3] or hit[4] <= first for hit in found):
            found.append((item["id"], similarity_text(len(equal), len(there)), longest_run(text[begin:end], there), first, last,
                          there[equal[0]][1], there[equal[-1]][2]))
    found.sort(key=lambda hit: hit[3])


def hits(case):
    """Of each usable record: (item, share as a text, run, begin, end, item begin, item end) of each hit."""
    goal = case["goal"]
    size, share, least = int(goal["shingle"].split(":")[1]), Fraction(goal["share"]), goal["least-item"]
    records, items = ([item for item, good in zip(case[name], is_usable(case[name])) if good] for name in ("items", "other"))
    texts, sought = ([words(item, goal.get("normalise", "text")) for item in side] for side in (records, items))
    wanted, rare = counted(sought, size, share, least), rare_words(sought)
    for record, text in zip(records, texts):
        every = []
        for item, there, own in zip(items, sought, wanted):
            found = []
            if len(there) < least:
                continue
            if len(there) < size:
                found += [(item["id"], "1", len(there), text[at][1], text[at + len(there) - 1][2], there[0][1], there[-1][2]) for at in whole_places(text, there)]
            grams, _, _, has_common = own
            first_at = {gram: at for at, gram in reversed(list(enumerate(windows(there, size))))}
            parts = copies(text, there, own, size, share) if len(there) >= size else []
            for a, b, held in (place for part in parts for place in places(text, there, own, size, share, *part)):
                at = [first_at[gram] for gram in windows(text[a:b + size], size) if gram in grams]
                found.append((item["id"], similarity_text(held, len(grams)), longest_run(text[a:b + size], there), text[a][1], text[b + size - 1][2],
                              there[min(at)][1], there[max(at) + size - 1][2]))
            if 5 <= len(there) <= 19 and share <= Fraction(9, 10):
                add_edited(text, item, there, rare, len(there) <= 7 or has_common, found)
            every += found
        yield record, every


def listed(case):
    """The rows of hits."""
    suites = ["suite", "again"] if case["twice"] else ["suite"]
    for record, found in hits(case):
        yield from ([record["id"], suite, *hit] for suite in suites for hit in found)


def written(case):
    """The records, as (id, text, suites found in it) by what is to be done."""
    names = "suite,again" if case["twice"] else "suite"
    for record, found in hits(case):
        if found and case["act"] == "remove":
            continue
        text = without(record["text"], [hit[3:5] for hit in found]) if case["act"] == "cut" else record["text"]
        yield record["id"], text, names if found and case["act"] == "mark" else None
