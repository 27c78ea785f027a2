"""Show how the weighting of relevance levels and the user's patience change the order of systems.

Evaluates the five runs that come with the package under the four weighting schemes of IPM 2005 (w1,
w3, w10, w100) and three discounts. Section 3.4 of that paper asks the same question.
"""

import warnings

import pyterrier as pt

from pt_cumgain import nDCG, pydocs

warnings.simplefilter("ignore")
schemes = {"w1": "0-1-1-1", "w3": "0-1-2-3", "w10": "0-1-5-10", "w100": "0-1-10-100"}
users = {
    "impatient": {"discount": "original", "base": 2},
    "patient": {"discount": "original", "base": 10},
    "revised": {"discount": "revised", "base": 4},
}
measures = {
    (user, scheme): nDCG(gains=gains, **discount) @ 100
    for user, discount in users.items()
    for scheme, gains in schemes.items()
}
dataset = pt.get_dataset("irds:pydocs")
results = pt.Experiment(
    pydocs.runs(), dataset.get_topics("text"), dataset.get_qrels(), list(measures.values())
).set_index("name")
print(f"{'user':10} {'weights':8} systems in order of nDCG@100")
for (user, scheme), measure in measures.items():
    ordered = results[str(measure)].sort_values(ascending=False)
    order = " > ".join(f"{name} {value:.3f}" for name, value in ordered.items())
    print(f"{user:10} {scheme:8} {order}")
