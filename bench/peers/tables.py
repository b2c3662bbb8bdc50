"""The markdown of one corpus: a table of nearkin at its levels, a table of the peers, and whether the aims are met."""

AIM_FASTEST, AIM_DATASKETCH = 5, 100
LEVEL_NAMES = {"1": "exact"}


class Result:
    """What was found out about one row of the peers' table."""

    def __init__(self, row):
        self.row, self.what = row, row.what.format(bands="its own bands")
        self.accuracy = self.own_accuracy = self.level = self.one = self.all = self.failure = None


def markdown(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def seconds(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def megabytes(count):
    return f"{count / 1e6:,.0f}"


def times(value):
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def level_name(level):
    return LEVEL_NAMES.get(level, level)


# ------------------------------------------------------------------------------------------------------------- nearkin's rows

def nearkin_runs(results, kind, level, threads):
    """All runs of nearkin that were made in turns with a peer, of one kind and level."""
    chosen = [result.one if threads == 1 else result.all for result in results if result.row.kind == kind and result.level == level]
    return [usage for one in chosen if one for usage in one.nearkin]


def runs_cells(runs):
    return (seconds(min(u.wall for u in runs)), megabytes(max(u.peak_bytes for u in runs))) if runs else ("–", "–")


def nearkin_table(truth, results, cores):
    rows = []
    for (kind, level), accuracy in truth.nearkin.items():
        one, both = nearkin_runs(results, kind, level, 1), nearkin_runs(results, kind, level, cores)
        if one:
            right = [f"{accuracy.recall:.4f}", f"{accuracy.precision:.4f}"]
            rows.append([kind, level_name(level), *right, *runs_cells(one), *runs_cells(both)])
    return markdown(["nearkin", "`--recall`", "recall", "precision", "1 thread, s", "MB", f"{cores} threads, s", "MB"], rows)


# ------------------------------------------------------------------------------------------------------------- the peers' rows

def accuracy_cells(result):
    own = result.own_accuracy
    also = lambda name: f" ({getattr(own, name):.4f} by its own shingles)" if own else ""
    return [f"{getattr(result.accuracy, name):.4f}{also(name)}" for name in ("recall", "precision")]


def time_cells(one):
    if one is None:
        return ["–", "–", "–"]
    return [f"{seconds(one.best())} ({seconds(min(one.own))})", megabytes(one.peak_bytes()),
            f"**{times(one.ratio())}** ({times(one.own_ratio())})"]


def peer_cells(result):
    start = [f"**{result.row.peer}** {result.what}", result.row.kind]
    if result.accuracy is None:
        return start + [result.failure] + [""] * 8
    cells = start + accuracy_cells(result) + [level_name(result.level)] + time_cells(result.one) + time_cells(result.all)
    if result.failure:
        cells[-1] += f"; {result.failure}"
    return cells


def peers_table(results, cores):
    head = ["peer", "answer", "recall", "precision", "nearkin as good", "1 thread, s (own part)", "MB", "times nearkin (own part)",
            f"{cores} threads, s (own part)", "MB", "times nearkin (own part)"]
    return markdown(head, map(peer_cells, results))


# ------------------------------------------------------------------------------------------------------------- aims

def verdict(value, aim):
    return f"{times(value)} (aim {aim}: {'met' if value >= aim else '**not met**'})"


def aims(results):
    timed = [result for result in results if result.one]
    lines = []
    if timed:
        least = min(timed, key=lambda result: result.one.ratio())
        lines.append(f"- One thread, whole job: the closest peer is {least.row.peer} ({least.what}), times nearkin "
                     f"{verdict(least.one.ratio(), AIM_FASTEST)}, by medians {times(least.one.median_ratio())}.")
        least = min(timed, key=lambda result: result.one.own_ratio())
        lines.append(f"- A peer's own part alone against nearkin's whole job: the closest is {least.row.peer} ({least.what}), "
                     f"{times(least.one.own_ratio())}.")
    sketched = [result for result in timed if result.row.peer == "datasketch"]
    if sketched:
        least = min(sketched, key=lambda result: result.one.ratio())
        lines.append(f"- datasketch at its fastest setting here: {verdict(least.one.ratio(), AIM_DATASKETCH)}.")
    return "\n".join(lines)


def corpus_text(corpus, plan, truth, results, cores):
    right = truth.nearkin["pairs", "1"].right
    average = corpus.words / corpus.documents
    head = (f"### {corpus.name}\n\n{corpus.documents:,} documents ({corpus.what}), {average:.0f} words each on average, "
            f"{corpus.bytes / 1e6:.1f} MB; {right:,} pairs at or above 0.8. nearkin's plan: `{plan}`.")
    parts = [head, "No peer to compare with."]
    if results:
        parts[1:] = [nearkin_table(truth, results, cores), peers_table(results, cores), aims(results)]
    return "\n\n".join(part for part in parts if part) + "\n"
