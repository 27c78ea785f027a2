"""What unjudged documents leave open of a comparison: the first documents of all its systems."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

from pt_cumgain.inputs.measures import find_own_measure
from pt_cumgain.inputs.reading import Qrels
from pt_cumgain.options import POOLED
from pt_cumgain.trust._dominance import dominance


@dataclass(frozen=True)
class Pool:
    """The first documents of some systems, as runs by name, and the judgments.

    Attributes
    ----------
    systems, qrels
        As for :func:`pt_cumgain.dominance`.
    """

    systems: Mapping[str, Mapping[str, Mapping[str, float]]]
    qrels: Qrels

    def find_most(self, measure: str, first: str) -> dict[str, float]:
        """Return by how much each system could be above the first, at most; perhaps below 0.

        There is nothing for a measure without such ranges, or without a cutoff.
        """
        own = find_own_measure(measure)
        if own is None or not own.spec.cutoff or own.spec.cutoff > POOLED:
            return {}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what they say has been said of the whole runs
                pairs = dominance(self.systems, None, self.qrels, own, over="pool", baseline=first)
        except ValueError:  # there is no range for this measure, or for so many levels
            return {}
        return dict(zip(pairs["name"], pairs["most"]))
