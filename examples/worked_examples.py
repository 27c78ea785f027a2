"""Compute the worked examples of the papers from their gain vectors, with plain arrays."""

import numpy as np

from pt_cumgain import core

gain = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]  # G' of TOIS 2002, section 2.1
recall_base = np.array([3, 3, 3, 2, 2, 2, 1, 1, 1, 1])  # the documents behind I' in section 2.2


def show(name: str, vector) -> None:
    print(f"{name:34}", *(f"{value:6.2f}" for value in vector))


ideal = recall_base[core.ideal_order(recall_base)]
show("gain vector G'", gain)
show("ideal vector I'", ideal)
show("CG'", core.cg(gain))
show("ideal CG'", core.cg(ideal))
show("nCG'", core.norm_vect(core.cg(gain), core.cg(ideal)))
for name, base, source in (
    ("original", 2, "TOIS 2002, eq. 2"),
    ("revised", 4, "ECIR 2008, appendix"),
    ("sigir2000", 2, "SIGIR 2000, eq. 2"),
):
    vector, best = (core.cg(core.discount_gains(g, None, name, base)) for g in (gain, ideal))
    show(f"DCG' {name}, b={base}", vector)
    show("  normalised", core.norm_vect(vector, best))
    print(f"  ({source}; average over ranks 1 to 10: {vector.mean():.2f})")
