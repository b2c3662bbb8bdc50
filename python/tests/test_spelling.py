"""TSV as the library spells it, and the rule for large buckets as Spark follows it."""

from __future__ import annotations

import pytest

from nearkin import _core


@pytest.mark.parametrize(("line", "fields"), [
    ("a\tb", ["a", "b"]), ("a\tb\r\n", ["a", "b"]), ('"a\tb"\tc', ["a\tb", "c"]), ('"a\tb', ['"a', "b"]), ('"a" b\tc', ['"a" b', "c"]),
    ('say "a"\tc', ['say "a"', "c"]), ('"a ""b"""\t', ['a "b"', ""])])
def test_a_quote_counts_where_it_encloses_a_field(line: str, fields: list[str]) -> None:
    assert _core.tsv_record(line) == fields


def test_fields_are_read_back() -> None:
    fields = ["plain", 'say "a"', '"', '"quoted"', "tab\there", "", "\\t", "end\r", "é"]
    assert _core.tsv_record("\t".join(map(_core.tsv_record_field, fields)) + "\n") == fields
    with pytest.raises(ValueError, match="contains a newline"):
        _core.tsv_record_field("two\nlines")


def test_lists_escape_what_would_end_a_field() -> None:
    assert _core.tsv_field("a\tb\nc\rd\\e\"") == "a\\tb\\nc\\rd\\\\e\""


def test_the_rule_for_large_buckets_is_the_engines() -> None:
    assert (_core.other_bands, _core.few_agreeing, _core.large_bucket_of_pairs, _core.most_looks) == (4, 8, 10_000, 16)
