"""Texts without parts of them: what goes with a cut, and what stays. For texts of ASCII letters."""
import re

BLANKS, MARKS = " \t\r\n\v\f", ".,;:!?"


def merged(spans):
    """Ascending; those that touch or overlap are one."""
    found = []
    for begin, end in sorted(spans):
        if begin == end:
            continue
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((begin, end))
    return found


def line_ends(blanks):
    return len(re.findall("\r\n|\r|\n", blanks))


def without(text, spans):
    left, at = "", 0
    for begin, end in merged(spans):
        left += text[at:begin] if begin > at else ""
        words, blanks = left.rstrip(BLANKS), left[len(left.rstrip(BLANKS)):]
        begins = not words or line_ends(blanks) or words[-1] in MARKS
        while begins and end < len(text) and text[end] in MARKS:
            end += 1
        rest = text[end:]
        behind = rest[:len(rest) - len(rest.lstrip(BLANKS))]
        if rest and rest[0] in MARKS:
            left = words
        elif behind == rest:
            left, end = words, len(text)
        elif words and line_ends(behind) > line_ends(blanks):
            left = words
        else:
            end += len(behind)
        at = max(at, end)
    return left + text[at:]


def rest(text, spans):
    """The parts of a text that have words and are in none of these spans, without blanks around them."""
    ends = [(0, 0), *merged(spans), (len(text), len(text))]
    found = []
    for (_, begin), (end, _) in zip(ends, ends[1:]):
        part = text[begin:end]
        if re.search("[A-Za-z0-9]", part):
            begin += len(part) - len(part.lstrip(BLANKS))
            found.append((begin, begin + len(part.strip(BLANKS))))
    return found
