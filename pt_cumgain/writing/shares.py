"""How much of what systems return is judged: a test over topics takes the judgments as they are."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

#: The share of judged documents below which a system is named, less the rounding of a mean.
JUDGED = 0.8 - 1e-9
#: What a mean and a test are of.
COUNTED = "Means and tests count unjudged documents as not relevant."
#: The measures that do not, and the parameters of such measures.
_OTHERWISE = re.compile(r"\b(judged_only(?==True)|unjudged(?==)|Bpref|infAP)")
#: The most systems whose shares a sentence lists.
_LISTED = 12


def few_judged(shares: Mapping[str, float]) -> list[str]:
    """Return the systems with less than 80% of their first documents judged, the fewest first."""
    return sorted((name for name in shares if shares[name] < JUDGED), key=shares.__getitem__)


def write_judged(
    shares: Mapping[str, Mapping[int, Mapping[str, float]]], measures: Iterable[str] = ()
) -> list[str]:
    """Return a sentence for each dataset and number of documents of which some are not judged.

    The last one says what the values of the measures count.
    """
    sentences = []
    each = [(dataset, depth) for dataset, its in shares.items() for depth in sorted(its)]
    for dataset, depth in each:
        share, where = shares[dataset][depth], f" in {dataset}" if dataset else ""
        order = sorted(share, key=share.__getitem__, reverse=True)
        # rounded down, so that no share prints as a limit that it misses
        texts = [f"{name} {math.floor(100 * share[name] + 1e-6)}%" for name in order]
        if len(texts) > _LISTED:
            few = f"under 80% for {len(few_judged(share))} of {len(texts)}"
            texts = [f"{texts[0]} to {texts[-1]}", few]
        if order and share[order[-1]] < 1:
            sentences.append(f"Judged down to rank {depth}{where}: {', '.join(texts)}.")
    counted, others = COUNTED, sorted({*_OTHERWISE.findall(" ".join(measures))})
    if others:
        from pt_cumgain.writing.phrases import join_words  # imported only where it is needed

        counted = f"Without {join_words(others)}, {COUNTED[0].lower()}{COUNTED[1:]}"
    return [*sentences, counted] if sentences else []
