"""What a report says before any script runs: which system is best, and the table of all."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np

from pt_cumgain.analysis.rounding import equate
from pt_cumgain.analysis.strata import Stratum
from pt_cumgain.analysis.trust.intervals import mean_intervals, share_best
from pt_cumgain.analysis.trust.ranges import search_for
from pt_cumgain.core import Floats
from pt_cumgain.engine.corners import Choices, CornerValues
from pt_cumgain.engine.rows import Ints
from pt_cumgain.weighting import number

#: The most characters of a system's name in tables and menus.
NAME = 28


@dataclass(frozen=True)
class Answer:
    """What is known of systems under the measure with which a page opens.

    Attributes
    ----------
    measure
        The measure as text.
    names
        The systems, as the page calls them.
    topics
        The ids of the topics.
    levels
        The levels of the qrels.
    values
        The values; shape ``(systems, topics)``.
    judged
        The share of the first k documents that is judged, NaN if there are none; the same shape.
    parts
        What each level contributes to the means; shape ``(systems, levels)``.
    gains
        The gains of the levels.
    confidence
        The confidence level of the intervals.
    choices, corners
        All weightings of the levels, and the values at their corners; None if there is no choice.
    """

    measure: str
    names: Sequence[str]
    topics: Sequence[str]
    levels: Floats
    values: Floats
    judged: Floats
    parts: Floats
    gains: Floats
    confidence: float
    choices: Choices | None
    corners: CornerValues | None

    @property
    def means(self) -> Floats:
        """The systems' means, equal where they differ by rounding only."""
        return equate(self.values.mean(axis=1), np.abs(self.values).max())

    @property
    def order(self) -> Ints:
        """The systems, the best first; those with equal means in their own order."""
        return np.argsort(-self.means, kind="stable")

    def compare(self, baseline: int) -> tuple[Floats, Floats, Floats]:
        """Return the mean differences from a system, and the ends of their intervals."""
        return self._intervals(self.values - self.values[baseline])

    def _intervals(self, values: Floats) -> tuple[Floats, Floats, Floats]:
        """Return means with the ends of their t intervals, which a single topic lacks."""
        means = values.mean(axis=1)
        if len(self.topics) < 2:
            return means, means * np.nan, means * np.nan
        sample = Stratum(values.T, np.ones(len(self.topics)))
        size = np.full(len(values), np.abs(self.values).max())
        ends = mean_intervals(sample, confidence=self.confidence, method="t", size=size)
        return means, *ends

    def sentence(self) -> str:
        """Return which system is best, how sure that is, and whether a weighting changes it."""
        means, low, high = self._intervals(self.values)
        digits = decimals(means)
        order = self.order
        best, value = order[0], f"{self.measure} {fixed(means[order[0]], digits)}"
        if len(order) == 1:
            return f"{self._name(best)}: {value}{_interval(low[best], high[best], digits)}."
        equal = [one for one in order if self.means[one] == self.means[best]]
        first, second = self.pair
        difference, high, low = (-ends[second] for ends in self.compare(first))
        apart, interval = fixed(difference, digits), _interval(low, high, digits)
        if len(equal) > 1:
            below = f", {apart} above {self._name(second)}{interval}" if difference else ""
            return f"{self._names(equal)} are best, with equal means: {value}{below}."
        if low <= 0:  # the interval of the lead holds 0
            ahead, behind = f"{self._name(best)} has the highest mean", "not the highest"
            lead = f"{self._names([best, second])} cannot be told apart: {value} and "
            said = [f"{lead}{fixed(means[second], digits)}, {apart} apart{interval}"]
        else:
            ahead, behind = "best", "not best"
            above = f"{apart} above {self._name(second)}{interval}"
            said = [f"{self._name(best)} is best: {value}, {above}"]
        if len(self.topics) > 1:
            share = share_best(self.values, best, self.topics)
            said.append(f"{ahead} in {percent(share)} of resampled topic sets")
        return "; ".join([*said, *self._holds(best, ahead, behind)]) + "."

    @property
    def pair(self) -> tuple[int, int]:
        """The best system, and the best of those with another mean, if there is one."""
        first, *others = self.order.tolist()
        other = [one for one in others if self.means[one] != self.means[first]]
        return first, [*other, *others, first][0]

    def _holds(self, best: int, ahead: str, behind: str) -> Iterable[str]:
        """Return whether a system is the best under every weighting of the levels."""
        if self.choices is None or self.corners is None:
            return
        others = np.array([one for one in self.order if one != best])
        search = search_for(self.choices, "gains")._replace(tolerance=np.inf)  # the sign is enough
        found = self.corners.ranges(np.full(len(others), best), others, search)
        if (found.low >= 0).all():
            yield f"{ahead} under every weighting of the levels"
        elif (found.lowest < 0).any():
            worst = found.lowest.argmin()
            yield (
                f"{behind} under every weighting of the levels: {self._name(others[worst])} is "
                f"better under {self.choices.text(found.low_at[worst])}"
            )
        else:
            yield "no weighting is known under which another is better, but that is not proved"

    def _name(self, system: int) -> str:
        """Return a name as text whose direction ends with it."""
        return f"\u2068{self.names[system]}\u2069"

    def _names(self, systems: Sequence[int]) -> str:
        *some, last = map(self._name, systems[:4])
        rest = len(systems) - len(some) - 1
        return f"{', '.join(some)} and {f'{rest + 1} others' if rest else last}"

    def table(self, baseline: int) -> str:
        """Return the systems in order as a table in HTML; page/systems.js draws the same."""
        means, low, high = self._intervals(self.values)
        difference, least, most = self.compare(baseline)
        digits = decimals(means)
        weighted = np.flatnonzero(self.gains)
        heads = ["#", "system", "mean", "interval", "difference", "interval of difference"]
        heads.append("judged")
        heads += [f"level {number(self.levels[level])}" for level in weighted]
        rows = []
        for place, one in enumerate(self.order, 1):
            known = self.judged[one][~np.isnan(self.judged[one])]
            is_base = one == baseline
            cells = [
                fixed(means[one], digits),
                _between(low[one], high[one], digits),
                "baseline" if is_base else signed(difference[one], digits),
                "" if is_base else _between(least[one], most[one], digits),
                html.escape(percent(known.mean() if len(known) else math.nan)),
                *(fixed(self.parts[one, level], digits) for level in weighted),
            ]
            line = '<svg viewBox="0 0 26 10" aria-hidden="true"></svg>'  # takes the line's place
            name = f"<span>{line}<bdi>{html.escape(self.names[one])}</bdi></span>"
            rows.append(
                f'<tr><td>{place}</td><th scope="row" class="name">{name}</th>'
                + "".join(f"<td>{cell}</td>" for cell in cells)
                + "</tr>"
            )
        head = "".join(
            f'<th scope="col"{" class=name" if text == "system" else ""}>{text}</th>'
            for text in heads
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


# ---- numbers as page/state.js writes them --------------------------------------------------------


def decimals(values: Any) -> int:
    """Return how many decimals the values need."""
    largest = np.abs(values).max()
    return 3 if largest < 10 else 2 if largest < 100 else 1 if largest < 10_000 else 0


def fixed(x: float, digits: int) -> str:
    """Return a number with so many decimals, without the sign of a zero."""
    if not math.isfinite(x):
        return "–"
    text = str(Decimal(float(x)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))
    return text.replace("-", "−" if float(text) else "")


def signed(x: float, digits: int) -> str:
    """Return a number with its sign, 0 without."""
    text = fixed(x, digits)
    return f"+{text}" if x > 0 and float(text) else text


def percent(share: float) -> str:
    """Return a share in whole percent; 100% and 0% are exact."""
    if math.isnan(share):
        return "–"
    return (
        "> 99%" if 0.99 < share < 1 else "< 1%" if 0 < share < 0.01 else f"{fixed(100 * share, 0)}%"
    )


def _between(low: float, high: float, digits: int) -> str:
    return f"[{fixed(low, digits)}, {fixed(high, digits)}]" if math.isfinite(low) else "–"


def _interval(low: float, high: float, digits: int) -> str:
    return f" {_between(low, high, digits)}" if math.isfinite(low) else ""
