"""Passages by brute force: every window looked up among all earlier ones, and extended word by word. For texts of ASCII letters."""
import re

from roads.items import is_usable
from roads.oracle import similarity_text


def words(item, normalise):
    """(word as it is compared, begin, end) in bytes of the text."""
    fold = (lambda word: word.lower()) if normalise == "text" else (lambda word: word)
    return [(fold(found.group()), found.start(), found.end()) for found in re.finditer("[A-Za-z0-9]+", item["text"])]


def extended(here, there, at, source, least, one):
    """The run around two equal windows: first to the left, then to the right; in one record for as long as the two do not overlap."""
    length = least
    room = lambda: not one or source + length < at
    while at > 0 and source > 0 and here[at - 1][0] == there[source - 1][0] and room():
        at, source, length = at - 1, source - 1, length + 1
    while at + length < len(here) and source + length < len(there) and here[at + length][0] == there[source + length][0] and room():
        length += 1
    return at, source, length


def repeats(texts, sources, least, across):
    """(record, token, source record, token, length), ascending, each once."""
    first, found = {}, set()
    for row, text in enumerate(sources):
        for at in range(len(text) - least + 1):
            first.setdefault(tuple(word for word, *_ in text[at:at + least]), (row, at))
    for row, text in enumerate(texts):
        for at in range(len(text) - least + 1):
            place = first.get(tuple(word for word, *_ in text[at:at + least]))
            if place is None or not across and (place[0] > row or place[0] == row and place[1] + least > at):
                continue
            one = not across and place[0] == row
            begin, source, length = extended(text, sources[place[0]], at, place[1], least, one)
            found.add((row, begin, place[0], source, length))
    return sorted(found)


def joined(runs, gap, across):
    """[record, token, source record, token, tokens here, tokens there, equal tokens] of runs, neighbours joined where `gap` says so."""
    pairs, last = {}, {}
    for row, at, source_row, source, length in runs:
        chain = pairs.setdefault((row, source_row), [])
        if gap is not None and chain:
            _, begin, _, source_begin, here, there, equal = chain[-1]
            apart, source_apart = at - (begin + here), source - (source_begin + there)
            overlaps = not across and row == source_row and source + length > begin
            last_at, last_source = last[row, source_row]
            goes_on = at > last_at and source > last_source and min(apart, source_apart) > -length
            if max(abs(apart), abs(source_apart)) <= gap and goes_on and not overlaps:
                twice = max(-apart, -source_apart, 0)  # tokens that both have
                chain[-1][4:] = [at + length - begin, source + length - source_begin, equal + length - twice]
                last[row, source_row] = at, source
                continue
        last[row, source_row] = at, source
        chain.append([row, at, source_row, source, length, length, length])
    return sorted(run for chain in pairs.values() for run in chain)


def masked(texts, case):
    """The words of texts, those in five that stand together in a template as no other word."""
    normalise = case["goal"].get("normalise", "text")
    fives = lambda text: [tuple(word for word, *_ in text[at:at + 5]) for at in range(len(text) - 4)]
    known = {five for template in case["ignore"] or [] for five in fives(words({"text": template}, normalise))}
    found = []
    for text in texts:
        gone = {at + i for at, five in enumerate(fives(text)) if five in known for i in range(5)}
        found.append([(object(), *place) if at in gone else (word, *place) for at, (word, *place) in enumerate(text)])
    return found


def passages(case):
    """The rows that `nearkin passages` lists."""
    goal, across = case["goal"], case["other"] is not None
    items = [item for item, good in zip(case["items"], is_usable(case["items"])) if good]
    others = [item for item, good in zip(case["other"], is_usable(case["other"])) if good] if across else items
    texts, sources = (masked([words(item, goal.get("normalise", "text")) for item in side], case) for side in (items, others))
    for row, at, source_row, source, here, there, equal in joined(repeats(texts, sources, goal["least"], across), goal.get("gap"), across):
        text, other = texts[row], sources[source_row]
        listed = [items[row]["id"], text[at][1], text[at + here - 1][2], others[source_row]["id"], other[source][1], other[source + there - 1][2], equal]
        yield listed + ([similarity_text(equal, max(here, there))] if "gap" in goal else [])


def cut_passages(case):
    """Each usable record, the spans of its text that `dedup --passages` cuts (from the first to the last of words that stand together in windows that
    repeat), and the numbers of the records in which these stand first."""
    goal, across = case["goal"], case["other"] is not None
    items = [item for item, good in zip(case["items"], is_usable(case["items"])) if good]
    others = [item for item, good in zip(case["other"], is_usable(case["other"])) if good] if across else items
    texts, sources = (masked([words(item, goal.get("normalise", "text")) for item in side], case) for side in (items, others))
    repeated, firsts = [set() for _ in items], [set() for _ in items]
    for row, at, source_row, _, length in repeats(texts, sources, goal["least"], across):
        repeated[row] |= set(range(at, at + length))
        firsts[row].add(source_row)
    return [(item, cut_spans(of_item, tokens), first) for item, of_item, tokens, first in zip(items, texts, repeated, firsts)]


def cut_spans(tokens, repeated):
    return [(tokens[token][1], tokens[token + 1][1] if token + 1 in repeated else tokens[token][2]) for token in sorted(repeated)]
