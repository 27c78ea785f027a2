"""The part of a report that needs no scripts: the opening sentence and the table."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
import pandas as pd

from pt_cumgain.comparing.best import may_be_best
from pt_cumgain.comparing.means import estimate_means
from pt_cumgain.comparing.rounding import equate
from pt_cumgain.core import Floats
from pt_cumgain.engine.rows import Ints
from pt_cumgain.trust.corners import Choices, CornerValues
from pt_cumgain.weighting import number

#: The most characters of a system's name in tables and menus.
NAME = 28
#: The share of judged documents below which the sentence says so, less the rounding of a mean.
JUDGED = 0.8 - 1e-9


@dataclass(frozen=True)
class Answer:
    """The systems under the measure with which a page opens.

    Attributes
    ----------
    measure
        The measure as text.
    names, whole
        The systems, as the page's table calls them, and their whole names.
    topics
        The ids of the topics.
    levels
        The levels of the qrels.
    values
        The values; shape ``(systems, topics)``.
    judged
        The share of the first k documents that is judged, NaN if there are none; the same shape.
    parts
        The contribution of each level to the means; shape ``(systems, levels)``.
    gains
        The gains of the levels.
    confidence
        The confidence level of the intervals.
    choices, corners
        All weightings of the levels, and the values at their corners; None if there is no choice.
    unmet
        The systems without a judged document; no conclusions are drawn from their values.
    """

    measure: str
    names: Sequence[str]
    whole: Sequence[str]
    topics: Sequence[str]
    levels: Floats
    values: Floats
    judged: Floats
    parts: Floats
    gains: Floats
    confidence: float
    choices: Choices | None
    corners: CornerValues | None
    unmet: Sequence[int] = ()

    @property
    def means(self) -> Floats:
        """The systems' means, equal where they differ by rounding only."""
        return equate(self.values.mean(axis=1), np.abs(self.values).max())

    @property
    def known(self) -> Floats:
        """The share of each system's first k documents that is judged; NaN if it has none."""
        counts = np.isfinite(self.judged).sum(axis=1)
        known: Floats = np.nansum(self.judged, axis=1) / np.where(counts, counts, np.nan)
        return known

    @property
    def order(self) -> Ints:
        """The systems, the highest mean first; those with equal means in their own order."""
        return np.argsort(-self.means, kind="stable")

    def compare(self, baseline: int) -> tuple[Floats, Floats, Floats]:
        """Return the mean differences from a system, and the ends of their intervals."""
        return self._intervals(self.values - self.values[baseline])

    def _intervals(self, values: Floats) -> tuple[Floats, Floats, Floats]:
        """Return means with the ends of their t intervals, which a single topic lacks."""
        means = values.mean(axis=1)
        if len(self.topics) < 2:
            return means, means * np.nan, means * np.nan
        estimate = estimate_means([values.T], float(np.abs(self.values).max()))
        return means, *estimate.ends(self.confidence)

    def sentence(self, baseline: int | None = None) -> str:
        """Return which systems may be best, and whether topics or a weighting change the first.

        A baseline that is neither the first nor the second is compared with the first.
        """
        order = [one for one in self.order.tolist() if one not in self.unmet]
        without = ""
        if self.unmet:
            without = f" On this page, no document of {self._names(self.unmet)} is judged."
        return (self._compare_first(order, baseline) + without).strip()

    def _compare_first(self, order: list[int], baseline: int | None) -> str:
        """Return the sentence on some systems, which are in order."""
        if not order:
            return ""
        means, low, high = self._intervals(self.values)
        digits = decimals(means)
        first, *below = order
        name = self._names([first])
        value, unjudged = f"{self.measure} {fixed(means[first], digits)}", self._unjudged(order)
        if not below:
            return f"{name}: {value}{_interval(low[first], high[first], digits)}.{unjudged}"
        equal = [one for one in order if self.means[one] == self.means[first]]
        candidates = self._may_be_best(order)
        others = [one for one in candidates if one not in equal]
        rest = f"; {self._names(others)} may also be best" if others else ""
        differences, high, low = (-ends for ends in self.compare(first))

        def write(one: int) -> tuple[str, str]:
            by = fixed(differences[one], digits)
            by = by if float(by) else f"less than {fixed(10.0**-digits, digits)}"
            return by, _interval(low[one], high[one], digits)

        if baseline in order and baseline not in (*equal, below[0]):
            by, ends = write(baseline)
            rest += f"; {self._names([baseline])} is {by} below {name}{ends}"
        if len(equal) > 1:
            return f"{self._names(equal)} share the highest mean ({value}){rest}.{unjudged}"
        (by, ends), second = write(below[0]), self._names(below[:1])
        lead = f"is best, {by} above {second}{ends}"
        if candidates != equal:
            doubt = ", which is not significant" * (below[0] in others)
            lead = f"leads {second} by {by}{doubt}"
        return f"{name} {lead} ({value}){rest}.{self._holds(order, others)}{unjudged}"

    def _unjudged(self, systems: Sequence[int]) -> str:
        """Return which systems have few judged documents among the first k, and their shares."""
        few = [one for one in systems if self.known[one] < JUDGED]
        few.sort(key=self.known.__getitem__)
        if not few:
            return ""
        k, share = self.measure.rpartition("@")[2], percent(JUDGED)
        named = self._names(few, lambda one: f" ({judged_text(self.known[one])})")
        return f" Down to rank {k}, fewer than {share} of the documents are judged for {named}."

    def _may_be_best(self, order: Sequence[int]) -> list[int]:
        """Return those of some systems that may be the best, in order; none of a single topic."""
        if len(self.topics) < 2:
            return []
        names = [self.whole[one] for one in order]
        table = pd.DataFrame(self.values[order].T, list(self.topics), names)
        results = table.rename_axis("qid").reset_index().melt("qid", var_name="name")
        frame = may_be_best(results.assign(measure=self.measure), confidence=self.confidence)
        return [one for one, may in zip(order, frame["may_be_best"]) if may]

    @property
    def pair(self) -> tuple[int, int]:
        """The system with the highest mean, and the next with another mean, if there is one."""
        first, *others = self.order.tolist()
        other = [one for one in others if self.means[one] != self.means[first]]
        return first, [*other, *others, first][0]

    def _holds(self, order: Sequence[int], candidates: Sequence[int]) -> str:
        """Return under which weightings a system leads, and that it may not on other topics."""
        if self.choices is None or self.corners is None:
            return ""
        first, *others = order
        search = self.choices.search(tolerance=np.inf)  # the sign is enough
        found = self.corners.ranges(np.full(len(others), first), np.array(others), search)
        known, joined = "No weighting is known to put another system first (not proved)", ", but"
        if (found.low > 0).all():
            known = f"{self._names([first])} leads under every weighting of the levels"
        elif (found.low >= 0).all():
            known = "No other system has a higher mean under any weighting of the levels"
        elif (found.lowest < 0).any():
            worst = found.lowest.argmin()
            other, gains = self._names([others[worst]]), self.choices.text(found.low_at[worst])
            known, joined = f"Under the gains {gains}, {other} has a higher mean", ", and"
        if not candidates:
            return f" {known}."
        who = "one of them" if len(candidates) > 1 else self._names(candidates)
        return f" {known}{joined} on other topics {who} could win."

    def _names(self, systems: Sequence[int], share: Callable[[int], str] | None = None) -> str:
        """Return names in Unicode isolates: all with a share, else of more than four three."""
        some = [f"\u2068{self.whole[one]}\u2069{share(one) if share else ''}" for one in systems]
        some = [*some[:3], f"{len(some) - 3} others"] if len(some) > 4 and not share else some
        return " and ".join(filter(None, [", ".join(some[:-1]), some[-1]]))

    def table(self, baseline: int) -> str:
        """Return the systems in order as a table in HTML; page/systems.js draws the same."""
        means, low, high = self._intervals(self.values)
        difference, least, most = self.compare(baseline)
        digits = decimals(means)
        weighted = np.flatnonzero(self.gains)
        heads = ["mean", "interval", "difference", "interval of difference", "judged"]
        heads += [f"level&nbsp;{number(self.levels[level])}" for level in weighted]
        head = '<th scope="col">#</th><th scope="col" class=name>system</th>'
        head += "".join(f'<th scope="col">{text}</th>' for text in heads)
        line = '<svg viewBox="0 0 26 10" aria-hidden="true"></svg>'  # takes the line's place
        bar = line.replace("<svg", '<svg class="bar"')
        rows = []
        for one in self.order:
            place = 1 + (self.means > self.means[one]).sum()
            is_base = one == baseline
            cells = [
                fixed(means[one], digits),
                f'<span class="ranged">{bar} {_between(low[one], high[one], digits)}</span>',
                "baseline" if is_base else signed(difference[one], digits),
                "" if is_base else _between(least[one], most[one], digits),
                html.escape(judged_text(self.known[one])),
                *(fixed(self.parts[one, level], digits) for level in weighted),
            ]
            text = re.sub("[-_.]", r"\g<0><wbr>", html.escape(self.names[one]))  # may break there
            name = f"<span>{line}<bdi>{text}</bdi></span>"
            row = f'<td>{place}</td><th scope="row" class="name">{name}</th>'
            row += "".join(f"<td>{cell}</td>" for cell in cells)
            rows.append(f"<tr>{row}</tr>")
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
    almost = "> 99%" if 0.99 < share < 1 else "< 1%" if 0 < share < 0.01 else ""
    return almost or f"{fixed(100 * share, 0)}%"


def judged_text(share: float) -> str:
    """Return a share of judged documents; one below `JUDGED` does not print as the limit."""
    limit = percent(JUDGED)
    return f"< {limit}" if share < JUDGED and percent(share) == limit else percent(share)


def _between(low: float, high: float, digits: int) -> str:
    return f"[{fixed(low, digits)}, {fixed(high, digits)}]" if math.isfinite(low) else "–"


def _interval(low: float, high: float, digits: int) -> str:
    return f" {_between(low, high, digits)}" if math.isfinite(low) else ""
