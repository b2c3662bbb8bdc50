"""best, top and one_to_one: which pairs are listed."""
import pytest

import nearkin


def test_the_best_partners_and_one_to_one_are_chosen_among_all_pairs(texts, plan):
    every = nearkin.pairs(texts[:1000], plan, against=texts[1000:])
    best = nearkin.pairs(texts[:1000], plan, against=texts[1000:], best=True)
    assert best.a.tolist() == sorted(set(every.a.tolist()))
    assert best.stats["listed"] == len(best) and best.stats["pairs"] == len(every)
    known = {}
    for a, b, similarity in zip(*every):
        known.setdefault(a, []).append((-similarity, b))
    assert best.b.tolist() == [min(known[a])[1] for a in best.a]
    assert len(nearkin.pairs(texts[:1000], plan, against=texts[1000:], top=10**6)) == len(every)
    single = nearkin.pairs(texts, plan, one_to_one=True)
    rows = single.a.tolist() + single.b.tolist()
    assert len(set(rows)) == len(rows) > 0
    with pytest.raises(ValueError, match="top: best is given as well"):
        nearkin.pairs(texts, plan, best=True, top=2)
    with pytest.raises(ValueError, match="top"):
        nearkin.pairs(texts, plan, top=0)


def test_an_optimal_matching_has_the_greatest_sum():
    plan = nearkin.tune(threshold=0.5, recall=1, shingle="word:1")
    items, others = ["1 2 3 4 5", "1 2 3 4 6"], ["1 2 3 4 5", "1 2 3 5 7"]
    pairs = {how: nearkin.pairs(items, plan, against=others, one_to_one=how) for how in (True, "optimal")}
    assert [(int(a), int(b)) for a, b, _ in zip(*pairs[True])] == [(0, 0)]
    assert [(int(a), int(b)) for a, b, _ in zip(*pairs["optimal"])] == [(0, 1), (1, 0)]
    assert pairs["optimal"].stats["listed"] == 2 and "too_large_groups" not in pairs["optimal"].stats
    with pytest.raises(ValueError, match="give the other one as against"):
        nearkin.pairs(items, plan, one_to_one="optimal")
    with pytest.raises(ValueError, match="'greedy' is not True, False or 'optimal'"):
        nearkin.pairs(items, plan, against=others, one_to_one="greedy")
    with pytest.raises(ValueError, match="one_to_one: best is given as well"):
        nearkin.pairs(items, plan, against=others, best=True, one_to_one="optimal")


def test_an_optimal_matching_follows_scores_and_decisions():
    one, other = {"name": ["anna berg", "anna bergs"]}, {"name": ["anna berg", "anna be"]}
    asked = {"score": "name:jaccard(char:3)", "threshold": 0.65, "recall": 1, "against": other, "one_to_one": "optimal"}
    assert [(int(a), int(b)) for a, b, *_ in zip(*nearkin.pairs(one, **asked))] == [(0, 1), (1, 0)]
    assert [(int(a), int(b)) for a, b, *_ in zip(*nearkin.pairs(one, decisions=[(0, 0, True)], **asked))] == [(0, 0)]
