"""The plan of a run: whether it is for Spark, and the one for a table where none is given."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType

import nearkin
from nearkin import Plan
from nearkin._arguments import plan_of

from ._columns import id_column, text_column
from ._source import Table
from ._units import Cut

_ENOUGH_BYTES = 16 << 20  # of text: more than the command line looks at before a run


def check_plan(plan: Plan | str) -> Plan:
    """Says what is not for Spark, and what is the way out."""
    plan = plan_of(plan)
    if plan.measure not in ("jaccard", "weighted-jaccard", "containment", "exact") or plan.features != "shingles":
        raise ValueError(f"plan: {plan.measure} over {plan.features} is not for Spark, which compares texts and sets by jaccard, "
                         "weighted-jaccard, containment or exact; use the command line")
    if plan.measure in ("containment", "exact"):
        return plan
    if plan.exact_join:
        raise ValueError("plan: recall 1 is an exact join, which needs one machine; use recall 0.99, or the command line")
    if plan.verify != "exact":
        raise ValueError(f"plan: verify {plan.verify} is not for Spark, which verifies exactly; use verify exact, or the command line")
    return plan


def _first_texts(table: Table) -> list[object]:
    """What the command line would look at before a run over the same records sorted by id, and one more, to show that there are more. The
    sizes come first, so that no more than these texts reaches the driver, however long they are."""
    text = text_column(table.df, table.text)
    is_set = isinstance(table.df.select(text.alias("text")).schema["text"].dataType, ArrayType)
    sizes = F.octet_length(F.concat_ws(" ", text.cast("array<string>"))) if is_set else F.octet_length(text)
    named = table.df.select(id_column(table.df, table.id).alias("id"), text.alias("text"), sizes.alias("bytes")).filter("id is not null")
    first = named.orderBy("id", F.xxhash64("text"))  # rows of one id in an order that partitions do not change
    count, total = 0, 0
    for row in first.select("bytes").limit(nearkin._core.sampled_records + 1).collect():
        count, total = count + 1, total + row[0]
        if total > _ENOUGH_BYTES:
            break
    return [row[0] for row in first.select("text").limit(count + 1).collect()]


def planned(table: Table, cut: Cut | None, **choices: Any) -> Plan:
    """The plan that the command line has for the same records sorted by id. `choices`: as nearkin.tune takes them."""
    sample = _first_texts(table)
    parts = sample if cut is None else nearkin.units(sample, cut.unit, least_unit=cut.least_unit).texts
    return check_plan(nearkin.tune(**choices, sample=parts))
