"""Units by brute force: the parts of a text of ASCII letters, and the items that they are."""
import re

OVERLAPPING = ["window:4/2"]  # of the units that cases have
BLANKS = " \t\n\v\f\r"


def spans(text, unit, least):
    """(begin, end) of each part. None: of sentences this file knows nothing."""
    if unit == "sentence":
        return None
    if unit.startswith("window:"):
        size, step = map(int, unit.removeprefix("window:").split("/"))
        words = [(word.start(), word.end()) for word in re.finditer("[A-Za-z0-9]+", text)]
        begins = range(0, max(len(words) - size, 0) + step, step) if words else []
        found = [(words[i][0], words[min(i + size, len(words)) - 1][1]) for i in begins]
    else:
        found = [(match.start(), match.end()) for match in re.finditer(r"[^\r\n]+", text)]
        if unit == "paragraph":
            found = [(match.start(), match.end()) for match in re.finditer(r"[^\r\n]*[^\s][^\r\n]*((\r\n|\r|\n)[^\r\n]*[^\s][^\r\n]*)*", text)]
    trimmed = []
    for begin, end in found:
        part = text[begin:end]
        begin, end = begin + len(part) - len(part.lstrip(BLANKS)), end - len(part) + len(part.rstrip(BLANKS))
        if begin < end and len(re.findall("[A-Za-z0-9]+", text[begin:end])) >= least:
            trimmed.append((begin, end))
    return trimmed or [(0, 0)]


def divided(items, unit, least):
    """Items in place of usable records, each with its record's number and its span."""
    return [dict(item, id=f"{item['id']}:{begin}-{end}", text=item["text"][begin:end], record=number, span=(begin, end))
            for number, item in enumerate(items) for begin, end in spans(item["text"], unit, least)]
