"""Results as tables, in words and in a notebook; datasets that come back as datasets."""

from __future__ import annotations

import copy
import doctest
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nearkin
from nearkin import _results, _runs, _units

TEXTS = ["one two three four five six", "one two three four five six", "seven <b>bold</b> words that stand alone here", "one two three four five six"]


def test_the_examples_in_docstrings_run() -> None:
    for module in (_results, _runs, _units):
        assert doctest.testmod(module).failed == 0
    assert doctest.testmod(_runs).attempted > 8


def test_a_mask_says_which_rows_stay() -> None:
    result = nearkin.dedup(TEXTS)
    assert result.mask.tolist() == [True, False, True, False] and result.mask.dtype == np.bool_
    assert nearkin.dedup(["a b c"], against=["a b c"], plan=nearkin.tune(measure="exact")).mask.tolist() == [False]


def test_results_are_short_in_words() -> None:
    assert repr(nearkin.dedup(TEXTS)) == "Dedup(2 of 4 items stay, 2 removed)"
    assert repr(nearkin.pairs(TEXTS)) == "Pairs(3 pairs of 4 items)"
    assert repr(nearkin.pairs(TEXTS, nearkin.tune(recall=1))) == "Pairs(3 pairs of 4 items, recall 100.0 %)"
    assert repr(nearkin.passages(TEXTS, least=5)) == "Passages(2 passages of 4 items)"
    assert repr(nearkin.decontaminate(TEXTS, ["one two three four five six"])) == "Contamination(3 hits in 3 of 4 items)"


def test_a_notebook_shows_the_first_pairs_side_by_side() -> None:
    page = nearkin.pairs(TEXTS, across=["x", "x", "x", "y"])._repr_html_()
    assert "2 pairs of 4 items" in page and page.count("one two three four five six") == 4
    page = nearkin.dedup([*TEXTS, TEXTS[2]])._repr_html_()
    assert "seven &lt;b&gt;bold&lt;/b&gt; words that stand alone here" in page and "<b>bold" not in page
    assert "\u202e" not in nearkin.pairs(["see \u202etxt.exe now or later"] * 2)._repr_html_()  # it would turn the writing direction
    assert nearkin.pairs(["a"])._repr_html_().count("<td") == 0
    longer = nearkin.pairs(["word " * 100] * 20)
    assert longer._repr_html_().count("<tr>") == 6 and "…" in longer._repr_html_()


def test_results_are_pickled_without_the_items() -> None:
    texts = [text + " x" * 10_000 for text in TEXTS]
    state = pickle.dumps(nearkin.pairs(texts))
    assert len(state) < 10_000 and len(pickle.loads(state)) == 3


def test_a_notebook_shows_the_items_of_the_run_whatever_becomes_of_them() -> None:
    def results(texts: list[str]) -> list[_results.Table]:
        return [nearkin.pairs(texts), nearkin.pairs(texts, against=texts), nearkin.dedup(texts), nearkin.query(texts, texts[:1]),
                nearkin.pairs({"v": texts}, score="v:equal"), nearkin.pairs([{"v": text} for text in texts], score="v:equal")]

    texts = list(TEXTS)
    before = results(texts)
    texts[:] = ["changed"] * len(texts)
    for result in before:
        page = result._repr_html_()
        assert page.count("one two three four five six") > 1 and "changed" not in page and "{" not in page
        for again in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
            assert again._repr_html_() == page


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_results_are_tables(library: str) -> None:
    pytest.importorskip(library)
    turn = {"pyarrow": "to_arrow", "pandas": "to_pandas", "polars": "to_polars"}[library]
    wanted = {
        "a b similarity": nearkin.pairs(TEXTS), "row kept keeper similarity cluster": nearkin.dedup(TEXTS),
        "row kept keeper similarity": nearkin.dedup(TEXTS, against=TEXTS[2:]),
        "row begin end in_row in_begin in_end tokens similarity": nearkin.passages(TEXTS, least=5),
        "row suite item share run begin end item_begin item_end": nearkin.decontaminate(TEXTS, {"quiz": TEXTS[:1]}),
    }
    for names, result in wanted.items():
        table = getattr(result, turn)()
        assert list(table.column_names if library == "pyarrow" else table.columns) == names.split()
        assert len(table) == len(result)


def test_progress_true_is_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    assert len(nearkin.pairs(TEXTS, progress=True)) == 3
    with pytest.raises(TypeError, match="^progress: 3 is int; give True, or a function"):
        nearkin.pairs(TEXTS, progress=3)  # type: ignore[arg-type]


def test_matrices_are_planned_for_without_a_plan() -> None:
    vectors = np.eye(4, 8)
    vectors[3] = vectors[0] * 2
    assert list(zip(*nearkin.pairs(vectors)))[0][:2] == (0, 3) and len(nearkin.pairs(vectors)) == 1
    bits = np.zeros((3, 64), dtype=bool)
    bits[1, :3], bits[2, :20] = True, True
    assert [(int(a), int(b), float(d)) for a, b, d in zip(*nearkin.pairs(bits))] == [(0, 1, 3.0)]
    assert nearkin.dedup(vectors).kept.tolist() == [0, 1, 2]
    assert nearkin.Items(vectors).kind == "vectors" and nearkin.Items([{1, 2}]).kind == "sets"


def test_a_dataset_comes_back_as_one(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict({"text": TEXTS, "n": range(4)})
    kept = nearkin.dedup(dataset)
    assert type(kept) is type(dataset) and kept["n"][:] == [0, 2]
    both = datasets.DatasetDict({"train": dataset, "test": dataset.select([2, 3])})
    left = nearkin.dedup(both, keep="last")
    assert {name: split["n"][:] for name, split in left.items()} == {"train": [2, 3], "test": [2, 3]} and type(left) is type(both)
    both.save_to_disk(str(tmp_path / "saved"))
    nearkin.dedup_files(tmp_path / "saved", tmp_path / "left")
    assert {name: split["n"][:] for name, split in datasets.load_from_disk(str(tmp_path / "left")).items()} == {"train": [0, 2], "test": [2, 3]}
    dataset.save_to_disk(str(tmp_path / "one"))
    assert nearkin.dedup_files(tmp_path / "one", tmp_path / "one-left").stats["items"] == 4
    assert datasets.load_from_disk(str(tmp_path / "one-left"))["n"][:] == [0, 2]
    with pytest.raises(ValueError, match="annotate: is not for a folder of save_to_disk"):
        nearkin.dedup_files(tmp_path / "one", tmp_path / "x", annotate=True)
    with pytest.raises(ValueError, match="is also an input"):
        nearkin.dedup_files(tmp_path / "one", tmp_path / "one")


def test_misspelt_names_are_found_by_mypy(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "use.py").write_text('import nearkin\nnearkin.dedup(["a"], keep="longst")\nnearkin.tune(measure="jacard")\nnearkin.cluster(["a"], linkage="stars")\n'
                                     'nearkin.dedup(["a"], keep="longest")\n')
    done = subprocess.run([sys.executable, "-m", "mypy", "--no-error-summary", "use.py"], cwd=tmp_path, capture_output=True, text=True)
    assert sorted({int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}) == [2, 3, 4], done.stdout


def test_a_folder_of_save_to_disk_is_no_folder_of_texts(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    from parquet_support import command

    dataset = datasets.Dataset.from_dict({"text": ["a b c"] * 3})
    dataset.save_to_disk(str(tmp_path / "one"))
    datasets.DatasetDict({"train": dataset}).save_to_disk(str(tmp_path / "both"))
    for name in ("one", "both"):
        folder = str(tmp_path / name)
        for run in (nearkin.pairs_files, nearkin.cluster_files, nearkin.dedup_files):
            with pytest.raises(ValueError, match=f"{name}: was written by save_to_disk.*nearkin.dedup_files.*to_parquet"):
                run([folder], str(tmp_path / "out.jsonl"))
        for words in (["dedup", name, "-o", "x"], ["pairs", name], ["decontaminate", "one", "--against", f"suite={name}"]):
            assert "was written by save_to_disk" in command(*words, cwd=tmp_path, status=2).stderr


def test_results_are_equal_where_their_values_are() -> None:
    runs = (lambda texts: nearkin.pairs(texts), lambda texts: nearkin.dedup(texts), lambda texts: nearkin.query(texts, texts),
            lambda texts: nearkin.passages(texts, least=5), lambda texts: nearkin.decontaminate(texts, ["one two three four five six"]))
    for run in runs:
        assert (run(TEXTS) == run(TEXTS)) is True and (run(TEXTS) != run(TEXTS)) is False
        assert (run(TEXTS) == run(TEXTS[:2])) is False and run(TEXTS) != "a result"
    units = nearkin.units(TEXTS)
    assert (units == units) is True and (units == nearkin.units(TEXTS)) is False
