"""The shares of judged documents that results by topic hold as ir-measures' ``Judged@k``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pt_cumgain.comparing._results import DATASET, TopicResults

#: The mean share of the first k documents that is judged, by k and system.
Shares = Mapping[int, Mapping[Any, float]]


def split_judged(results: TopicResults) -> tuple[TopicResults, Shares]:
    """Return results without ``Judged@k``, and what it says; as they are if there is no other."""
    frame, shares = results.frame, {}
    depth = frame["measure"].str.extract(r"^Judged@(\d+)$", expand=False)
    if depth.isna().any():
        rows = frame.assign(depth=depth).dropna(subset="depth")
        blocks = ["depth", "name", *({DATASET} & {*frame})]
        means = rows.groupby(blocks, sort=False)["value"].mean()
        for text, of in means.groupby(level=[0, 1], sort=False).mean().groupby(level=0):
            shares[int(str(text))] = of.droplevel(0).to_dict()
        results = replace(results, frame=frame[depth.isna()])
    return results, shares


def shares_of(measure: str, shares: Shares) -> Mapping[Any, float]:
    """Return the shares of the most ranks that a measure reads, given its text; perhaps none."""
    cutoff = re.search(r"@(\d+)$", measure)
    known = [depth for depth in shares if cutoff is None or depth <= int(cutoff[1])]
    return shares[max(known)] if known else {}
