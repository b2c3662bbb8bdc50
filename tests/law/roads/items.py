"""Random collections: small, full of what is rare in good data.

An item is a dictionary, so that a case can be printed, kept and shrunk as JSON: {"id", "text"} and perhaps "score", a number as JSON spells it. One with
"fault" is a record that cannot be used. Items of other kinds (vectors, graphs, tables) have "line", the record itself, or "row", its numbers.
"""

WORDS = ["alpha", "beta", "gamma", "delta", "omega", "kappa", "sigma", "theta", "zeta", "eta", "iota", "mu"]
UNICODE_WORDS = ["Straße", "naïve", "ﬁsh", "東京", "Ａlpha", "e\u0301t", "ΣΑΣ", "🙂", "ไทย", "\u00a0x"]
SCORES = ["0", "1", "1.0", "1e0", "2", "-3", "-0.0", "2.5", '"2"', '" 1 "', '"nan"', '"inf"', '"no"', "null", "true", "1e300", "0.1", "0.10", None, None]
EDGE_NODES = ["a", "b", "c", "d", "e", "f", "g", "hub"]

# Which faults a format can have.
FAULTS = {
    "jsonl": ["broken", "no_text", "bad_utf8", "repeated"],
    "csv": ["broken", "bad_utf8", "repeated"],
    "tsv": ["broken", "bad_utf8", "repeated"],
    "lines": ["bad_utf8", "blank", "repeated"],
    "sets": ["bad_utf8", "blank", "repeated"],
    "packed": ["no_text", "bad_utf8", "repeated"],
    "files": ["bad_utf8"],
    "warc": ["broken", "coded", "repeated"],
}
SCORED = ("jsonl", "csv", "tsv")
ODD_IDS = {"jsonl": ["r", "é", 'q"', "b\\", "c,", "t\t"], "csv": ["r", "é", 'q"', "b\\", "c,"], "packed": ["r", "é", 'q"', "b\\", "t\t"]}
ODD_IDS |= {"tsv": ["r", "é", "c,"], "lines": ["r", "é", 'q"', "c,"], "sets": ["r", "é"], "warc": ["r", "é", "http://x/?q=", "c,"]}


def item_id(format, prefix, folder, number):
    return f"{folder}/{number:05}.txt" if format == "files" else f"{prefix}{number}"


def fits(text, format):
    """The text as this format can hold it."""
    if format in ("lines", "sets", "tsv"):
        text = " ".join(text.split("\n")).replace("\t", " ").replace("\r", " ")
        text = text.lstrip(" ")
    return text.lstrip('"') if format == "tsv" else text


def as_visible(text):
    """The text as a page can show it, white space within it included."""
    return text.replace("\r", " ").strip(" \t\n\f")


def edited(words, draw, vocabulary):
    words = list(words)
    place = draw.randrange(len(words) + 1)
    words[place:place + draw.randrange(2)] = draw.choices(vocabulary, k=draw.randrange(2))
    return words


def dressed(words, draw, style):
    """Words as a text: what normalising takes away is put in, and sometimes there is nothing at all."""
    if style == "sets":
        return " ".join(words)
    dice = draw.random()
    if dice < 0.05:
        return draw.choice(["", " ", "--", ".\n."])
    if dice < 0.15:
        return " ".join(words).upper()
    return draw.choice([" ", " ", " ", "  ", ", ", "\n"]).join(words) + draw.choice(["", "", "!", " "])


def texts(draw, count, format):
    """Chains of near copies, exact copies, texts of their own, EMPTY ones."""
    vocabulary = WORDS + draw.choice([[], [], [], [], UNICODE_WORDS])
    made = []
    for _ in range(count):
        dice = draw.random()
        if not made or dice < 0.35:
            words = draw.choices(vocabulary, k=draw.choice([1, 2, 4, 7, 10, 14]))
        elif dice < 0.6:
            words = edited(made[-1], draw, vocabulary)
        elif dice < 0.8:
            words = edited(draw.choice(made), draw, vocabulary)
        else:
            words = draw.choice(made)
        made.append(words)
    return [fits(dressed(words, draw, format), format) for words in made]


def text_items(draw, count, format, prefix, folder, faults, scores):
    items = []
    for number, text in enumerate(texts(draw, count, format)):
        item = {"id": item_id(format, prefix, folder, number), "text": text}
        if scores and format in SCORED:
            item["score"] = draw.choice(SCORES)
        if faults and draw.random() < 0.12:
            kind = draw.choice(FAULTS[format])
            if kind == "repeated" and items:
                item["id"] = draw.choice(items)["id"]
            elif kind != "repeated":
                item["fault"] = kind
        items.append(item)
    return items


def add_groups(draw, items):
    """What items are told apart by in scopes."""
    for item in items:
        item["group"] = draw.choice(["a", "a", "b", "c,d", ""])


def templates(draw, items, format):
    """Texts whose shingles do not count: parts of the items', and some words more. The first is no comment: a template without shingles is refused."""
    pool = [item["text"] for item in items if any(c.isalnum() for c in item.get("text", ""))] or ["alpha beta"]
    made = ["mu " + fits(draw.choice(pool), format) for _ in range(draw.choice([1, 1, 2, 3]))]
    return [text if draw.random() < 0.5 else " ".join(text.split()[:4] + draw.choices(WORDS, k=3)) for text in made] + ["omega mu"]


STATEMENTS = ["{a} = {b} + {n};", "if ({a} > {n}) {{ return {b}; }}", "for {a} in {b}:", "    print({s}, {a})", "#include <{a}.h>", "def {a}({b}):", "func {a}({b} int) {{",
              "let mut {a}: &'a str = {s};", "const {a} = `x ${{{b}}} // y`;", "var re = /[/]{a}*/g;", "char {a} = 'x';", 'R"x({a} )" // {b})x"', 'r#"{a} "{b}"#', '"""{a}"""',
              "{a} = {b} // {n}", "{a} = {b} /* {n} */;", "it's {a}", "{a} /* {b}", "/* {a} /* {b} */ */", "\\", "'" * 3 + "{b}"]
COMMENTS = ["", "", "", " // {c}", " /* {c} */", "  # {c}", " // {c} \\"]


def program(draw, names, shape):
    """The statements that the numbers of the shape stand for, with these names and some comments."""
    lines = []
    for number in shape:
        a, b = names[number % len(names)], names[(number * 7 + 3) % len(names)]
        line = STATEMENTS[number % len(STATEMENTS)] + draw.choice(COMMENTS)
        lines.append(line.format(a=a, b=b, n=number % 5, s=f'"{a}"', c=draw.choice(WORDS)))
    return "\n".join(lines)


def turn_into_programs(draw, items, format):
    """Texts become programs, near copies of one another under other names and comments."""
    shapes = [[draw.randrange(200) for _ in range(draw.choice([1, 3, 6, 12]))] for _ in range(3)]
    for item in items:
        if item.get("text"):
            shape = list(draw.choice(shapes))
            shape[draw.randrange(len(shape))] = draw.randrange(200)
            item["text"] = fits(program(draw, draw.sample(WORDS, 4), shape), format)


def join_texts(draw, items, format):
    """Texts of several parts, some of which are parts of others too."""
    pool = [item["text"] for item in items if "text" in item]
    for item in items:
        if "text" in item:
            parts = [item["text"], *draw.choices(pool, k=draw.choice([0, 1, 2, 4]))]
            item["text"] = fits(draw.choice(["\n\n", "\n \n\t", "\n", ". ", "  "]).join(parts), format)


def many_texts(draw, count, format, prefix, folder, scores):
    """Enough for several segments: short texts, of which every fifth is like the one before."""
    items, words = [], []
    for number in range(count):
        words = edited(words, draw, WORDS) if words and draw.random() < 0.2 else [f"w{draw.randrange(5000)}" for _ in range(8)]
        item = {"id": item_id(format, prefix, folder, number), "text": " ".join(words) or "x"}
        if scores and format in SCORED:
            item["score"] = draw.choice(SCORES)
        items.append(item)
    return items


def rows(draw, count, width, values):
    made = []
    for _ in range(count):
        if made and draw.random() < 0.6:
            row = list(draw.choice(made))
            for _ in range(draw.randrange(3)):
                row[draw.randrange(width)] = draw.choice(values)
        else:
            row = draw.choices(values, k=width)
        made.append(row)
    return made


def number_items(draw, count, format):
    """Numbers are eighths: sums of them are exact, so that ties are ties."""
    eighths = [number / 8 for number in range(-8, 9)]
    if format in ("npy", "fvecs", "dense"):
        return [{"row": row} for row in rows(draw, count, 8, eighths)]
    if format == "sparse":
        made = rows(draw, count, 8, [0, 0, 0] + [number / 8 for number in range(1, 9)])
        return [{"line": f"v{n} " + " ".join(f"{i}:{x}" for i, x in enumerate(row) if x)} for n, row in enumerate(made)]
    if format == "bits":
        return [{"line": f"v{n} " + "".join(map(str, row))} for n, row in enumerate(rows(draw, count, 24, [0, 1]))]
    if format == "table":
        return [{"line": f"u{n}," + ",".join(row)} for n, row in enumerate(rows(draw, count, 6, ["yes", "no", "", "red", "blue"]))]
    return [{"line": draw.choice(EDGE_NODES) + str(draw.randrange(4)) + " " + draw.choice(EDGE_NODES)} for _ in range(count)]


def is_usable(items, renamed=False):
    """For each item whether it is one: no fault, and an id that none before it has; `renamed`: it gets another then."""
    seen, usable = set(), []
    for item in items:
        good = "fault" not in item and (renamed or item.get("id") not in seen)
        usable.append(good)
        if good and "id" in item:
            seen.add(item["id"])
    return usable
