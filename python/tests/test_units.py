"""Parts of texts in memory: the command line's answer."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest
from roads import command

import nearkin

TEXTS = ["One line stands here, and it is long.\n\nAnother paragraph that is repeated elsewhere.\n\nThe end.", "", None,
         "Caf\u00e9 first.\n\nAnother paragraph that is repeated elsewhere.\n", "Another paragraph that is repeated elsewhere.\n\n\nThe end."]


def told(tmp_path: Path, *flags: str) -> dict[int, str]:
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"id": str(i), "text": text or ""}) + "\n" for i, text in enumerate(TEXTS)))
    done = subprocess.run([command(), "dedup", "in.jsonl", "--unit", "paragraph", "--measure", "exact", "-q", *flags], cwd=tmp_path, check=True, capture_output=True)
    return {int(row["id"]): row["text"] for row in map(json.loads, done.stdout.splitlines())}


def test_units_are_items_and_can_be_cut(tmp_path: Path) -> None:
    units = nearkin.units(TEXTS)
    assert units.ids == ["0:0-37", "0:39-84", "0:86-94", "1:0-0", "2:0-0", "3:0-12", "3:14-59", "4:0-45", "4:48-56"]
    result = nearkin.dedup(units.texts, nearkin.tune(measure="exact"))
    assert [units.ids[row] for row in result.removed] == ["3:14-59", "4:0-45", "4:48-56"]
    assert dict(enumerate(text or "" for text in units.without(result.removed))) == told(tmp_path)
    left = units.without(result.removed, least_left=3)
    assert {i: text for i, text in enumerate(left) if text is not None} == told(tmp_path, "--least-left", "3")
    assert [text or "" for text in units.without(result.removed, most_cut=0.9)] == list(told(tmp_path, "--most-cut", "0.9").values())
    assert units.without([]) == [text or "" for text in TEXTS]


def test_small_units_are_left_out() -> None:
    units = nearkin.units(TEXTS, "sentence", least_unit=3)
    assert units.ids == ["0:0-37", "0:39-84", "1:0-0", "2:0-0", "3:14-59", "4:0-45"]
    assert nearkin.units(["a b c d e f"], "window:3/2").ids == ["0:0-5", "0:4-9", "0:8-11"]


def test_windows_that_stay_are_whole(tmp_path: Path) -> None:
    texts = ["alpha beta gamma delta, epsilon zeta", "alpha, beta gamma delta epsilon zeta"]
    units = nearkin.units(texts, "window:4/2")
    result = nearkin.dedup(units.texts, nearkin.tune(threshold=1, shingle="word:1"), keep="longest", across=units.owner.tolist())
    left = units.without(result.removed, whole=result.keeper[result.removed])
    assert left == ["gamma delta, epsilon zeta", "alpha, beta gamma delta"]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(texts)))
    flags = ("--unit", "window:4/2", "--shingle", "word:1", "--threshold", "1", "--keep", "longest", "-q")
    done = subprocess.run([command(), "dedup", "in.jsonl", *flags], cwd=tmp_path, check=True, capture_output=True)
    assert [json.loads(line)["text"] for line in done.stdout.splitlines()] == left
    with pytest.raises(ValueError, match="whole: 9 is no unit"):
        units.without([0], whole=[9])


def test_wrong_units_are_refused() -> None:
    with pytest.raises(ValueError, match="unit"):
        nearkin.units(TEXTS, "chapter")
    with pytest.raises(ValueError, match="gone: 9 is no unit; there are 9, counted from 0"):
        nearkin.units(TEXTS).without([1, 9])
    with pytest.raises(ValueError, match="only texts have parts"):
        nearkin.units([{1, 2}])


def test_a_mask_cuts_where_it_is_true() -> None:
    units = nearkin.units(["alpha beta.\n\ngamma delta.\n\nepsilon"])
    for mask in ([False, False, True], np.array([False, False, True])):
        assert units.without(mask) == units.without([2]) == ["alpha beta.\n\ngamma delta."]
    assert units.without(np.zeros(3, dtype=bool)) == units.without(np.array([])) == units.without(()) == units.without([])
    with pytest.raises(ValueError, match="gone: a mask of 2, and there are 3 units"):
        units.without([True, False])


@pytest.mark.parametrize("gone", [[1.9], [1.0], "0", ["0"], {0: 1}, {0}, 1, [None], np.array([0.5])])
def test_what_names_no_units_is_refused(gone: object) -> None:
    with pytest.raises(TypeError, match="gone: .*; give"):
        nearkin.units(TEXTS).without(gone)


@pytest.mark.parametrize("most_cut", [7, -0.1, float("nan")])
def test_most_cut_is_a_share(most_cut: float) -> None:
    with pytest.raises(ValueError, match="most_cut: .* is no share; give a number from 0 to 1"):
        nearkin.units(TEXTS).without([0], most_cut=most_cut)


def test_units_can_be_pickled_and_copied() -> None:
    texts = ["The first page.\n\nAll rights reserved.", None, "", "no other\n\nAll rights reserved."]
    units = nearkin.units(texts, "paragraph", least_unit=1)
    for again in (pickle.loads(pickle.dumps(units)), copy.copy(units), copy.deepcopy(units)):
        assert again.ids == units.ids
        assert again.without([1]) == units.without([1])
        assert nearkin.dedup(again.texts).removed.tolist() == nearkin.dedup(units.texts).removed.tolist()
