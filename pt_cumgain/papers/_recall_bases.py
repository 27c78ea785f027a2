"""The documents of each relevance level, counted by topic or by two sets of judgments."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from pt_cumgain.engine.judging import Judgments
from pt_cumgain.inputs.reading import Qrels, read_qrels
from pt_cumgain.weighting import number


def recall_bases(qrels: Qrels, other: Qrels | None = None) -> pd.DataFrame:
    """Count the judged documents by topic and level, or by two sets of judgments.

    Parameters
    ----------
    qrels
        ``qid, docno, label``, or as :func:`pt_cumgain.evaluate` takes them.
    other
        Other judgments of these topics, such as those of other judges.

    Returns
    -------
    pandas.DataFrame
        Numbers of documents: a row for each topic and a column for each level
        (SIGIR 2000, section 3.2). With ``other``, a row for each level, and a
        column for each level of ``other``, over the topics of both (table 1 of
        TOIS 2002 and of IPM 2005). Documents that only one of the two judges
        are counted as ``"unjudged"`` in the other.

    Raises
    ------
    ValueError, TypeError
        If qrels cannot be used, or the two have no topic in common.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import pydocs
    >>> from pt_cumgain.papers import recall_bases
    >>> qrels = pt.get_dataset("irds:pydocs").get_qrels()
    >>> recall_bases(qrels).head(3)
    level   0   1   2  3
    qid
    1      55  16   3  5
    2      28  30  11  4
    3      61  18   8  3
    >>> binary = qrels.assign(label=(qrels["label"] >= 2).astype(int))
    >>> recall_bases(qrels, binary)
    other_level     0    1
    level
    0            1724    0
    1             716    0
    2               0  380
    3               0  221
    """
    judged = _read_judged(qrels).rename(columns={"label": "level"})
    if other is None:
        table = pd.crosstab(judged["qid"], judged["level"]).loc[judged["qid"].unique()]
    else:
        judged_too = _read_judged(other).rename(columns={"label": "other_level"})
        shared = set(judged["qid"]) & set(judged_too["qid"])
        if not shared:
            raise ValueError("the two sets of judgments have no topic in common")
        pairs = judged.merge(judged_too, on=["qid", "docno"], how="outer")
        pairs = pairs[pairs["qid"].isin(shared)]
        rows, columns = (pairs[name].fillna(_UNJUDGED) for name in ("level", "other_level"))
        table = pd.crosstab(rows, columns).rename(index=_name_level)
    return table.rename(columns=_name_level)


#: The level of documents without one; it sorts last.
_UNJUDGED = np.inf


def _name_level(level: float) -> float | str:
    return "unjudged" if level == _UNJUDGED else number(level)


def _read_judged(qrels: Qrels) -> pd.DataFrame:
    return list_judged(Judgments.prepare(read_qrels(qrels)))


def list_judged(judgments: Judgments) -> pd.DataFrame:
    """Return ``qid, docno, label`` of each judged document, once."""
    judgments.refuse_conflict()
    columns = {
        "qid": np.array(judgments.topics, dtype=object)[judgments.topic],
        "docno": list(itertools.chain.from_iterable(judgments.docs)),
        "label": judgments.levels[judgments.level],
    }
    return pd.DataFrame(columns)
