"""Candidate pairs of nearkin as the blocking of splink: exactly these pairs are compared. Skipped where splink is not installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import nearkin

pd = pytest.importorskip("pandas")
splink = pytest.importorskip("splink")
pytest.importorskip("duckdb")

ROOT = Path(__file__).resolve().parents[2]
OURS = [("o1", "Harbour Cafe", "Selby Bay"), ("o2", "The Mill Inn", "Ashford Green"), ("o3", "Lantern Books", "Ashford Green"), ("o4", "Corner Grocer", "Little Marsh")]
THEIRS = [("t1", "Harbor Cafe", "Selby Bay"), ("t2", "Mill Inn", "Ashford Green"), ("t3", "Lantern Bookshop", "Ashford Green"), ("t4", "Seaview Hotel", "Selby Bay")]


def table(rows: list[tuple[str, str, str]]) -> "pd.DataFrame":
    return pd.DataFrame(rows, columns=["unique_id", "name", "town"])


def with_candidates(frame: "pd.DataFrame", ids: list[str]) -> "pd.DataFrame":
    """For each record the numbers of the candidate pairs that it is in; the n-th of `ids` is in the n-th pair."""
    numbers: dict[str, list[int]] = {}
    for number, name in enumerate(ids):
        numbers.setdefault(name, []).append(number)
    return frame.assign(candidates=[numbers.get(name, []) for name in frame["unique_id"]])


def predicted(frames: list["pd.DataFrame"], link_type: str) -> set[tuple[str, str]]:
    import splink.comparison_library as cl
    from splink import Linker, SettingsCreator, block_on

    try:
        from splink.backends.duckdb import DuckDBAPI
    except ImportError:  # splink 4
        from splink import DuckDBAPI
    settings = SettingsCreator(link_type=link_type, comparisons=[cl.JaroWinklerAtThresholds("name"), cl.ExactMatch("town")],
                               blocking_rules_to_generate_predictions=[block_on("candidates", arrays_to_explode=["candidates"])])
    database = DuckDBAPI()
    linker = Linker([database.register(frame) for frame in frames], settings) if hasattr(database, "register") else Linker(frames, settings, database)
    rows = linker.inference.predict().as_pandas_dataframe()
    return {tuple(sorted(pair)) for pair in zip(rows["unique_id_l"], rows["unique_id_r"])}


def test_splink_compares_exactly_the_candidate_pairs() -> None:
    ours, theirs = table(OURS), table(THEIRS)
    texts = [(frame["name"] + " " + frame["town"]).tolist() for frame in (ours, theirs)]
    pairs = nearkin.pairs(texts[0], nearkin.tune(threshold=0.3, recall=1, shingle="char:3"), against=texts[1])
    left = [ours["unique_id"][int(a)] for a in pairs.a]
    right = [theirs["unique_id"][int(b)] for b in pairs.b]
    assert ("o1", "t1") in set(zip(left, right)) and 0 < len(left) < len(OURS) * len(THEIRS)
    found = predicted([with_candidates(ours, left), with_candidates(theirs, right)], "link_only")
    assert found == {tuple(sorted(pair)) for pair in zip(left, right)}


def test_splink_blocks_on_the_clusters() -> None:
    both = pd.concat([table(OURS), table(THEIRS)], ignore_index=True)
    clusters = nearkin.cluster((both["name"] + " " + both["town"]).tolist(), nearkin.tune(threshold=0.5, recall=1, shingle="char:3"))
    of = dict(zip(both["unique_id"], (int(number) for number in clusters)))
    expected = {(a, b) for a in of for b in of if a < b and of[a] == of[b]}
    assert 0 < len(expected) < 8
    assert predicted([both.assign(candidates=[[of[name]] for name in both["unique_id"]])], "dedupe_only") == expected


def test_the_block_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("splink.backends.duckdb", reason="the page is for splink 5")
    page = (ROOT / "docs/matching.md").read_text(encoding="utf-8")
    for name, text in re.findall(r"^\$ cat > (\w+\.csv) <<'END'\n(.*?)^END$", page, re.M | re.S):
        (tmp_path / name).write_text(text, encoding="utf-8")
    frames = [pd.read_csv(tmp_path / name) for name in ("ours.csv", "theirs.csv")]
    texts = [(frame["name"] + "\n" + frame["street"] + "\n" + frame["town"]).tolist() for frame in frames]
    pairs = nearkin.pairs(texts[0], nearkin.tune(threshold=0.2, recall=1, shingle="char:3"), against=texts[1])
    lines = [f"{frames[0]['id'][int(a)]}\t{frames[1]['id'][int(b)]}\t{similarity}\n" for a, b, similarity in zip(*pairs)]
    (tmp_path / "candidates.tsv").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    exec(compile(block, "docs/matching.md", "exec"), {})
