"""The weightings of the papers, and the users of TOIS 2002."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ir_measures import Measure

from pt_cumgain.core import Floats
from pt_cumgain.inputs.measures import parse_measures
from pt_cumgain.weighting import Weighting

#: The weighting schemes of IPM 2005 for levels 0 to 3, by name.
IPM2005 = {"w1": "0-1-1-1", "w3": "0-1-2-3", "w10": "0-1-5-10", "w100": "0-1-10-100"}
#: The weighting schemes of TOIS 2002 for levels 0 to 3, by name.
TOIS2002 = {"0-1-1-1": "0-1-1-1", "0-0-0-1": "0-0-0-1", "0-1-10-100": "0-1-10-100"}
#: The weighting schemes of SIGIR 2000 for levels 0 to 3, by name.
SIGIR2000 = {"0-1-2-3": "0-1-2-3", "0-0-2-3": "0-0-2-3", "0-0-0-3": "0-0-0-3"}
_PAPERS = {"IPM 2005": IPM2005, "TOIS 2002": TOIS2002, "SIGIR 2000": SIGIR2000}
#: The papers that use each of these schemes.
SCHEMES: dict[str, list[str]] = {}
for _paper, _schemes in _PAPERS.items():
    for _scheme in _schemes.values():
        SCHEMES.setdefault(_scheme, []).append(_paper)


def fit_weightings(named: Mapping[str, Any], levels: Floats) -> dict[str, Weighting]:
    """Return those of some weightings, values of ``gains=``, that have a gain for every level."""
    fitting = {}
    for name, gains in named.items():
        with suppress(ValueError):  # a level has no gain
            weighting = Weighting.parse(gains)
            weighting.gain(levels)
            fitting[name] = weighting
    return fitting


class Scenario(dict[str, object]):
    """The parameters of a user: ``DCG(**scenario)``, or ``scenario(nCG)``, of any measure."""

    def __call__(self, measure: Measure | str) -> Measure:
        """Return the measure with those of the parameters that it has; nCG has no discount."""
        kind: Measure = parse_measures(measure)[0]
        params = {name: v for name, v in self.items() if name in kind.SUPPORTED_PARAMS}
        varied: Measure = kind(**params)
        return varied


#: The two users of TOIS 2002, section 4. Write ``DCG(**SCENARIOS["busy"])`` or
#: ``SCENARIOS["patient"](nCG)``.
SCENARIOS: dict[str, Scenario] = {
    "busy": Scenario(cutoff=30, gains="0-1-10-100", discount="original", base=2),
    "patient": Scenario(cutoff=200, gains="0-1-2-3", discount="original", base=10),
}
