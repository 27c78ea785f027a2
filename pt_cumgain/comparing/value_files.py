"""Values by topic that other programs wrote: trec_eval, ir_measures, pytrec_eval and their kin."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from math import inf
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd

from pt_cumgain.inputs.formats import run_name
from pt_cumgain.inputs.lines import SIGNS, open_text, split_head
from pt_cumgain.inputs.lists import as_list, refuse_equal_names
from pt_cumgain.options import OPTIONS

#: The topic of a mean over all topics.
_ALL = ("all", "amean")
#: Names of measures in trec_eval, ndeval, ranx and BEIR that ir-measures does not have.
_OTHERS = (
    "11pt_avg|binG|f1|G|gm_bpref|gm_map|hit_rate|hits|hole|iprec_at_recall|map_cut|n?dcg_burges|"
    "ndcg_cut|ndcg_rel|num_nonrel_judged_ret|num_q|num_rel|num_rel_ret|num_ret|r_cap|r_precision|"
    "recip_rank|(set_)?relative_P|Rndcg|Rprec_mult|set_(F|map|P|recall)|strec|top_k_accuracy|utility"
)
#: The end of a name: ``_10``, ``.10``, ``@10``, ``_at_10``, or parameters in parentheses.
_PARAMETERS = r"((_at_|[_.@])[0-9][-_.,a-z0-9]*|\(.*\)(@[0-9]+)?)?"
_PATH = OPTIONS["path"]
_SUFFIXES = (".eval", ".tsv", ".csv", ".txt", ".jsonl", ".json")
#: The column of topics in CSV files: in PyTerrier's results, in ir-measures', in gdeval's.
_TOPICS = ("qid", "query_id", "topic")


def read_values(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Mapping[str, Any],
) -> pd.DataFrame:
    r"""Read values by topic from files that other programs wrote.

    Parameters
    ----------
    paths
        A file for each system, gzipped or not: one, several, or a mapping of
        the systems' names to their files. By default a system has the name of
        its file. A file has one of these forms:

        - lines of measure, topic and value, as ``trec_eval -q`` writes, or of
          topic, measure and value, as ``ir_measures -q`` does;
        - a JSON object by topic and measure, as pytrec_eval returns, or by
          measure and topic;
        - a JSON object in each line with ``query_id``, ``measure`` and
          ``value``, as ``ir_measures -q -o jsonl`` writes;
        - a CSV file with the columns ``qid, measure, value`` and perhaps
          ``name``, as PyTerrier's results by topic have, or with ``topic``, one
          column for each measure and perhaps ``runid``, as gdeval writes. Its
          own names count, unless the mapping has a name for its only system.

        A mapping may also hold dicts by topic and measure, as pytrec_eval
        returns, instead of files.

    Returns
    -------
    pandas.DataFrame
        ``name, qid, measure, value``, which :func:`pt_cumgain.pairwise`,
        :func:`pt_cumgain.paper_table` and the other comparisons take. Means
        over all topics are left out, as are all other lines for ``all``, such
        as trec_eval's ``runid``. Measures keep the names that the program gave
        them.

    Raises
    ------
    ValueError
        If a file has another form, no value by topic, or two of a measure for
        one topic; if a value is not a finite number; if a file has no lines for
        ``all``, and does not show which names are those of measures: all names
        of one side, and none of the other, must be ones that ir-measures,
        trec_eval, ndeval, ranx or BEIR use.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp(), "bm25.eval")
    >>> _ = file.write_text("ndcg_cut_10 1 0.5\nndcg_cut_10 2 0.7\nndcg_cut_10 all 0.6\n")
    >>> read_values(file)
       name qid      measure  value
    0  bm25   1  ndcg_cut_10    0.5
    1  bm25   2  ndcg_cut_10    0.7
    """
    named = isinstance(paths, Mapping)
    if not isinstance(paths, Mapping):
        listed: list[Any] = as_list(paths)
        names = [_name_system(path) for path in listed]
        refuse_equal_names(names)
        paths = dict(zip(names, listed))
    if not paths:
        raise ValueError("no file was given")
    frames = []
    for name, path in paths.items():
        frame = _read_file(path if isinstance(path, Mapping) else Path(_PATH.check("paths", path)))
        own = "name" in frame and (frame["name"].nunique() > 1 or not named)
        frames.append(frame if own else frame.assign(name=name))
    return pd.concat(frames, ignore_index=True)[["name", "qid", "measure", "value"]]


def _name_system(path: str | os.PathLike[str]) -> str:
    name = run_name(_PATH.check("paths", path))
    return next((name.removesuffix(end) for end in _SUFFIXES if name.endswith(end)), name)


def _read_file(source: Path | Mapping[str, Any]) -> pd.DataFrame:
    """Return ``qid, measure, value`` of a file, with ``name`` if it names its systems."""
    path = source if isinstance(source, Path) else "the dict"
    try:
        if isinstance(source, Mapping):
            frame = _name_columns(list(_read_objects([source])), path)
        else:
            with open_text(source, source) as file:
                text = file.read().decode("utf-8-sig")
            is_json = text.lstrip().startswith("{")
            delimiter, head = split_head(text.partition("\n")[0])
            if len(head) > 1 and not set(_TOPICS).isdisjoint(head):
                frame = _read_csv(text, delimiter)
            else:
                frame = _name_columns(list((_read_json if is_json else _read_lines)(text)), path)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if str(path) in str(error):
            raise
        raise ValueError(f"{path} does not hold values by topic: {error}") from None
    frame = frame[~frame["qid"].isin(_ALL)]
    if (twice := frame.duplicated([*{"name"} & {*frame}, "qid", "measure"])).any():
        qid, measure = frame.loc[twice, ["qid", "measure"]].iloc[0]
        raise ValueError(f"{path} has two values of {measure!r} for topic {qid!r}")
    if not len(frame):
        raise ValueError(f"{path} has no value by topic; trec_eval and ir_measures need -q")
    return frame


def _name_columns(rows: list[tuple[str, str, float]], path: Any) -> pd.DataFrame:
    """Return rows of topic, measure and value, or of measure, topic and value."""
    columns = ["qid", "measure", "value"]
    if rows and not _begin_with_topics(rows, path):
        columns[:2] = ["measure", "qid"]
    return pd.DataFrame(rows, columns=columns)


def _read_csv(text: str, delimiter: str) -> pd.DataFrame:
    """Return the values of a table with a head."""
    frame = pd.read_csv(StringIO(text), sep=delimiter, dtype=str, keep_default_na=False)
    frame = frame.rename(columns={"runid": "name", **dict.fromkeys(_TOPICS, "qid")})
    if "measure" not in frame:
        frame = frame.melt([*{"name"} & {*frame}, "qid"], var_name="measure", value_name="value")
    return frame.assign(value=frame["value"].map(_read_number))


def _begin_with_topics(rows: list[tuple[str, str, float]], path: Any) -> bool:
    """Return whether rows begin with topics, not with measures; refuse rows that show neither."""
    sides = list(dict.fromkeys(row[0] for row in rows)), list(dict.fromkeys(row[1] for row in rows))
    totals = [not set(_ALL).isdisjoint(names) for names in sides]
    if totals[0] != totals[1]:
        return totals[0]
    known = "|".join((_OTHERS, *ir_measures.measures.registry))
    measure = re.compile(f"(?i)({known}){_PARAMETERS}")
    named = [{bool(measure.fullmatch(name.replace("-", "_"))) for name in side} for side in sides]
    if named not in ([{True}, {False}], [{False}, {True}]):
        raise ValueError(
            f"{path} does not show whether {sides[0][0]!r} or {sides[1][0]!r} is a measure; name "
            "measures as trec_eval or ir_measures does, or keep the lines for 'all'"
        )
    return named[1] == {True}


def _read_lines(text: str) -> Iterator[tuple[str, str, float]]:
    """Yield the lines of three fields; those of two are means over all topics."""
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split("\t") if line.count("\t") > 1 else line.split()
        if len(fields) not in (0, 2, 3):
            raise ValueError(f"line {number} has {len(fields)} fields instead of 3: {line[:60]!r}")
        if len(fields) == 3:
            first, second, value = map(str.strip, fields)
            try:
                yield first, second, _read_number(value)
            except ValueError as error:
                if not {first, second} & set(_ALL):  # such as the name of the run
                    raise ValueError(f"line {number}: {error}") from None


def _read_number(value: Any) -> float:
    """Return a finite number, written as in run files: not ``1_0``, nor in another script."""
    text = str(value)
    if not (SIGNS.fullmatch(text) and abs(float(text)) < inf):
        raise ValueError(f"{text!r} is not a finite number")
    return float(text)


def _read_json(text: str) -> Iterator[tuple[str, str, float]]:
    """Yield the values of an object of objects, or of an object in each line."""
    try:
        objects = [json.loads(text)]
    except ValueError:
        objects = [json.loads(line) for line in text.splitlines() if line.strip()]
    yield from _read_objects(objects)


def _read_objects(objects: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, float]]:
    """Yield the values of objects of objects, or of objects that hold one value each."""
    for found in objects:
        if "measure" in found:
            if "query_id" in found:
                yield str(found["query_id"]), str(found["measure"]), _read_number(found["value"])
        else:
            for first, inner in found.items():
                yield from ((str(first), str(name), _read_number(x)) for name, x in inner.items())
