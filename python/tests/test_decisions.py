"""What a person decided about pairs, as dedup follows it."""

import pytest

import nearkin

TEXTS = ["one two three four five six", "one two three four five seven", "one two three four five six", "zebra giraffe lion"]
PLAN = nearkin.tune(threshold=0.6, shingle="word:1", recall=1)


def test_without_decisions():
    assert nearkin.dedup(TEXTS, PLAN).keeper.tolist() == [0, 0, 0, 3]


def test_rejected_pairs_are_no_matches_and_accepted_ones_are():
    result = nearkin.dedup(TEXTS, PLAN, decisions=[(0, 1, False), (2, 1, False), (0, 3, True)])
    assert result.keeper.tolist() == [0, 1, 0, 0]
    assert result.similarity.tolist()[3] == 0
    assert result.stats["decisions"] == {"accepted": 1, "rejected": 2}
    words = nearkin.dedup(TEXTS, PLAN, decisions=[(0, 1, "reject"), (2, 1, "reject"), (0, 3, "accept")])
    assert words.keeper.tolist() == [0, 1, 0, 0]


def test_against_another_collection_the_second_row_is_one_of_it():
    result = nearkin.dedup(TEXTS, PLAN, against=["unlike all of them", TEXTS[0]], decisions=[(3, 0, True), (1, 1, False)])
    assert result.keeper.tolist() == [1, -1, 1, 0]


def test_what_is_no_decision_is_refused():
    with pytest.raises(ValueError, match="decisions: 'maybe' is not True or False"):
        nearkin.dedup(TEXTS, PLAN, decisions=[(0, 1, "maybe")])
    with pytest.raises(IndexError, match="decisions: there is no row 9"):
        nearkin.dedup(TEXTS, PLAN, decisions=[(0, 9, True)])


@pytest.mark.parametrize("decisions, error, message", [
    ([(0, 1)], ValueError, r"decisions: \(0, 1\) is no decision; give \(row, row, True or False\)"),
    ([5], ValueError, "decisions: 5 is no decision"),
    (5, TypeError, "decisions: 5 is int; give a list of"),
    (None, TypeError, "decisions: None is NoneType; give a list of"),
    ("abc", TypeError, "decisions: 'abc' is str; give a list of"),
    ([("0", 1, True)], TypeError, "decisions: '0' is str; a row is a whole number"),
    ([(0.5, 1, True)], TypeError, "decisions: 0.5 is float; a row is a whole number")])
def test_what_has_not_the_form_of_a_decision_is_refused(decisions, error, message):
    for run in (nearkin.dedup, nearkin.pairs, nearkin.cluster):
        with pytest.raises(error, match=message):
            run(TEXTS, PLAN, decisions=decisions)


def test_a_list_of_pairs_follows_them():
    plain = nearkin.pairs(TEXTS, PLAN)
    assert (0, 1) in zip(plain.a, plain.b)
    decided = nearkin.pairs(TEXTS, PLAN, decisions=[(0, 1, False), (0, 3, True)])
    found = list(zip(decided.a.tolist(), decided.b.tolist()))
    assert (0, 1) not in found and (0, 3) in found
    assert decided.stats["decisions"] == {"accepted": 1, "rejected": 1, "not_listed": 0} and decided.stats["listed"] == len(decided)
    single = nearkin.pairs(TEXTS, PLAN, one_to_one=True, decisions=[(0, 3, "accept")])
    assert (0, 3) in zip(single.a.tolist(), single.b.tolist())
    with pytest.raises(IndexError, match="decisions: there is no row 9"):
        nearkin.pairs(TEXTS, PLAN, decisions=[(0, 9, True)])


def test_clusters_follow_them():
    plain, decided = nearkin.cluster(TEXTS, PLAN), nearkin.cluster(TEXTS, PLAN, linkage="star", decisions=[(0, 1, False), (0, 3, True)])
    assert plain[0] == plain[1] and plain[0] != plain[3]
    assert decided[0] != decided[1] and decided[0] == decided[3]


def test_a_list_by_score_follows_them():
    people = {"name": ["anna berg", "anna bergs", "john smith"], "born": [1999, 1999, 1980]}
    score = "name:jaccard(char:3)*2 + born:equal"
    found = nearkin.pairs(people, score=score, threshold=0.7, decisions=[(0, 1, False), (1, 2, True)])
    assert list(zip(found.a.tolist(), found.b.tolist())) == [(1, 2)]
    assert found.parts.tolist() == [[0.0, 0.0]]
