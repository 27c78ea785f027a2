"""Convert arguments to a common form: measures, qrels, systems, paths."""

from __future__ import annotations

import difflib
import os
import re
import reprlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import ir_measures
import numpy as np
from ir_measures import Measure

from pt_cumgain.environment.extras import pd
from pt_cumgain.environment.warning import warn
from pt_cumgain.inputs import formats
from pt_cumgain.inputs.frames import as_frame, rename_columns, require_columns
from pt_cumgain.measures import MEASURES, as_cumulated_gain

if TYPE_CHECKING:
    from typing_extensions import TypeIs

#: Measures, as objects or as text; one or several.
Measures: TypeAlias = Iterable[Measure | str] | Measure | str
#: A run: a frame with PyTerrier's or ir-measures' columns, a dict of scores by topic and document,
#: the records of ir-measures, or the path of a file.
Run: TypeAlias = Union[
    "pd.DataFrame", Mapping[str, Mapping[str, float]], Iterable[Any], str, os.PathLike[str]
]  # pandas is imported when it is used
#: Qrels, in the same forms; those of ir_datasets are records.
Qrels: TypeAlias = Run
#: Pipelines or runs, as pt.Experiment takes them: in a list, or in a dict by name.
Systems: TypeAlias = Sequence[Any] | Mapping[str, Any]

#: After how many seconds a progress bar appears.
DELAY = 1
#: A value that has lost its quotes in a shell.
_UNQUOTED = r"=(?!(?:[\d.]+|True|False)[,)])([\w.-]+)(?=[,)])"


#: The advice of an error for a text that is a file.
_ORDER = "it is a file, so check the order of the arguments"


class UnknownMeasureError(ValueError):
    """A text that names no measure; the message suggests one."""


def as_list(values: Any) -> list[Any]:
    """Return several values, or a single one, as a list; a text is a single one."""
    values = values.tolist() if isinstance(values, np.ndarray) else values
    several = isinstance(values, Iterable) and not isinstance(values, (str, bytes))
    return list(values) if several else [values]


def list_measures(measures: Measures) -> list[Any]:
    """Return measures, as objects or text, as a list; refuse an empty one and anything else."""
    if hasattr(measures, "columns") or isinstance(measures, Mapping):
        kind = type(measures).__name__
        raise TypeError(
            f"a {kind} is not a measure; give measures or their text, such as 'CG@10', and check "
            "the order of the arguments"
        )
    listed = as_list(measures)
    if not listed:
        raise ValueError("no measure was given")
    if wrong := [measure for measure in listed if not isinstance(measure, (str, Measure))]:
        raise TypeError(
            f"{wrong[0]!r} is not a measure; give measures or their text, such as 'CG@10'"
        )
    return listed


def parse_measures(measures: Measures) -> list[Any]:
    """Return measures, given as objects or text, or a single one, as a list of measures."""
    return [m if isinstance(m, Measure) else _parse_measure(m) for m in list_measures(measures)]


def read_measures(measures: Measures, refuse: Callable[[Any], str]) -> list[Any]:
    """Return measures of this package, each once; see :func:`parse_measures`.

    ``refuse`` is called with each one, with None for a measure of the host, and returns the rest of
    the sentence that says why this one cannot be taken, or an empty text.
    """
    chosen: dict[Any, None] = {}
    for measure in parse_measures(measures):
        cumulated = as_cumulated_gain(measure)
        if reason := refuse(cumulated):
            raise ValueError(f"{measure} {reason}")
        chosen[cumulated] = None
    return list(chosen)


def _parse_measure(text: str) -> Measure:
    try:
        measure = ir_measures.parse_measure(text)
        if (cutoff := measure.params.get("cutoff", 1)) < 1:  # the host's providers end the process
            raise ValueError(f"cutoff={cutoff} must be at least 1")
        return measure
    except NameError:
        hint = _ORDER if os.path.exists(text) else _suggest_measure(text)
        raise UnknownMeasureError(f"unknown measure {text!r}; {hint}") from None
    except (MemoryError, RecursionError, ValueError) as error:  # of Python's parser, of a measure
        if isinstance(error, ValueError) and "problem parsing" not in str(error):
            raise
        if meant := _translate_measure(text):
            raise UnknownMeasureError(f"{text!r} is not a measure; write {meant}") from None
        if os.path.exists(text):
            raise UnknownMeasureError(f"{text!r} is not a measure; {_ORDER}") from None
        like = "CG(gains='0-1-10')@100"
        meant = re.sub(_UNQUOTED, r"='\1'", re.sub(r"\((\d+)\)$", r"@\1", text))
        with suppress(MemoryError, NameError, RecursionError, ValueError):
            like = str(ir_measures.parse_measure(meant))
        raise UnknownMeasureError(
            f'{reprlib.repr(text)} is not a measure; write it like "{like}" (in a shell, with the '
            "double quotes)"
        ) from None


def _translate_measure(text: str) -> str:
    """Return how trec_eval's name of measures is written here; empty if it is none."""
    if match := re.fullmatch(r"ndcg\w*\.(\d+=.*)", text):
        return f"nDCG(gains='{match[1].replace('=', ':')}')"
    if match := re.fullmatch(r"(.+)@(\d+(?:,\d+)+)", text):
        return " ".join(f"{match[1]}@{cutoff}" for cutoff in match[2].split(","))
    with suppress(ValueError):
        return " ".join(map(str, ir_measures.util.parse_trec_measure(text)))
    return ""


def _suggest_measure(text: str) -> str:
    """Suggest a measure for trec_eval's name of one, or for a misspelt name."""
    if not (meant := _translate_measure(text)):
        text = re.sub(r"[._]?(\d+)$", r"@\1", text) if "@" not in text else text
        name = re.split(r"[@(]", text, maxsplit=1)[0]
        names = {known.lower(): known for known in (*ir_measures.measures.registry, *MEASURES)}
        near = difflib.get_close_matches(name.lower(), names, 1)
        meant = names[near[0]] + text[len(name) :] if near else ""
    return f"did you mean {meant}?" if meant else f"this package adds {', '.join(MEASURES)}"


def is_path(value: Any) -> TypeIs[str | os.PathLike[str]]:
    """Return whether something is a path; refuse an empty one, which would be this folder."""
    if isinstance(value, str) and not value:
        raise ValueError("the path is empty; give the name of a file")
    return isinstance(value, (str, os.PathLike))


#: How many topics or values a warning lists, and how many runs.
LISTED, NAMED = 20, 5


def run_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a run: that of its file, without the suffixes of its format."""
    name = Path(path).name
    for suffix in formats.suffixes():
        name = name.removesuffix(suffix)
    return name or os.fspath(path)


def qrels_of(source: Qrels, topics: pd.DataFrame | None = None) -> Any:
    """Return qrels in a form of ir-measures; if given a path or an ir_datasets id, read them.

    If topics are given, as to ``pt.Experiment``, return only their judgments; warn of topics that
    have none.
    """
    read = is_path(source)
    qrels = formats.read_qrels(source) if read else rename_columns(source, "relevance")
    if topics is None:
        return qrels
    require_columns(topics, ["qid"], "topics")
    qrels = as_frame(qrels)
    require_columns(qrels, ["query_id", "doc_id", "relevance"], "qrels")
    kept = qrels[qrels["query_id"].isin(set(topics["qid"]))]
    if len(qrels) and not len(kept):
        raise ValueError("the topics and the qrels have no qid in common")
    judged = set(kept["query_id"])
    if missing := [str(qid) for qid in dict.fromkeys(topics["qid"]) if qid not in judged]:
        warn_of_unjudged(missing)
    return kept


def has_pyterriers_names(qrels: Qrels) -> bool:
    """Return whether a function that changes qrels returns them with PyTerrier's names."""
    return is_path(qrels) or (isinstance(qrels, pd.DataFrame) and "query_id" not in qrels)


def warn_of_unjudged(topics: Sequence[str]) -> None:
    """Warn that topics without judgments are left out."""
    words = "topic without judgments is" if len(topics) == 1 else "topics without judgments are"
    warn(f"{len(topics)} {words} left out: {list_first(topics)}")


def list_first(texts: Sequence[str], most: int = LISTED) -> str:
    """Return the first of several texts as a list, with an ellipsis if there are more."""
    return ", ".join(texts[:most]) + ", ..." * (len(texts) > most)


def name_systems(systems: Systems, names: Sequence[str] | None) -> dict[str, Any]:
    """Return systems, given as ``pt.Experiment`` takes them, by name.

    Raises
    ------
    TypeError, ValueError
        If ``systems`` is neither a list nor a dict or is empty, or the names do not match it.
    """
    if isinstance(systems, Mapping):
        if names is not None:
            raise ValueError("systems is a dict, so its keys are the names; leave names out")
        names, systems = list(systems), list(systems.values())
    elif not isinstance(systems, Sequence) or isinstance(systems, str):
        raise TypeError(
            f"systems must be a list or a dict of systems, not {type(systems).__name__}"
        )
    elif names is None:
        names = [_name_system(system, i) for i, system in enumerate(systems, 1)]
    if len(names) != len(systems):
        raise ValueError(f"{len(names)} names for {len(systems)} systems: {list(names)}")
    refuse_equal_names(names)
    named = dict(zip(map(str, names), systems))
    if not named:
        raise ValueError("no system was given")
    return named


def refuse_equal_names(names: Sequence[Any], what: str = "system") -> None:
    """Refuse names, of systems or others, that are missing or look the same in print."""
    if pd.Series(list(names), dtype=object).isna().any():
        raise ValueError(f"a {what} has no name: {list(names)}; give it one")
    if len({str(name) for name in names}) < len(names):
        raise ValueError(f"two {what}s have the same name, as text: {list(names)}; rename one")


def _name_system(system: Any, number: int) -> str:
    if is_path(system):
        return run_name(system)
    return str(system) if _is_transformer(system) else f"run {number}"


def _is_transformer(system: Any) -> bool:
    return not isinstance(system, pd.DataFrame) and callable(getattr(system, "transform", None))


def _read_run(name: str, system: Any, topics: pd.DataFrame | None, ranks: bool) -> Any:
    """Return a system's run in a form of ir-measures: its results for the topics, or as given."""
    if is_path(system):
        return formats.read_run(system, ranks=ranks)
    if _is_transformer(system):
        if topics is None:
            raise ValueError(f"the system {name!r} is a transformer, so topics are needed")
        results = system.transform(topics)
        if not isinstance(results, pd.DataFrame):
            raise TypeError(f"the system {name!r} did not return a DataFrame, but {results!r}")
        return rename_columns(results)
    return rename_columns(system)


def runs_of(
    systems: Mapping[str, Any],
    topics: pd.DataFrame | None,
    verbose: bool,
    what: str,
    *,
    ranks: bool = False,
) -> Iterator[tuple[str, Any]]:
    """Yield the name and the run of each system, with progress if asked for.

    With ``ranks``, those of files have the column ``rank``, if the file has ranks.
    """
    for name, system in follow(list(systems.items()), verbose, what, "system"):
        yield name, _read_run(name, system, topics, ranks)


def count_missing(topics: Sequence[str], run: Iterable[str], name: str = "") -> int:
    """Count the topics of the qrels for which a run has no documents; see :func:`warn_of_missing`.

    If the run has only other topics, warn immediately, and return 0. It may be empty:
    ``pt.Experiment`` passes such a run for topics of the qrels that are in no batch.
    """
    seen = set(run)
    missing = len(set(topics) - seen)
    if missing and missing == len(topics) and seen:
        there = f"{str(next(iter(run)))!r} in the run, {str(topics[0])!r} in the qrels"
        warn(f"{_phrase_run(name)} and the qrels have no topic in common: {there}")
        return 0
    return missing


def warn_of_missing(counts: Mapping[str, int], topics: int) -> None:
    """Warn once of all runs that have no documents for some of so many topics of the qrels.

    ``counts`` has the number of these topics for each run by its name, which may be empty.
    """
    missing = [(name, count) for name, count in counts.items() if count]
    if not missing:
        return
    (name, count), *others = missing
    runs, listed = f"{_phrase_run(name)} has no documents for {count}", ""
    if others:
        runs = f"{len(missing)} runs have no documents for some"
        listed = ": " + list_first([f"{name!r} ({count})" for name, count in missing], NAMED)
    warn(f"{runs} of the {topics} topics in the qrels{listed}; these topics count as 0")


def _phrase_run(name: str) -> str:
    return f"the run {name!r}" if name else "the run"


def progress(total: int, verbose: bool, what: str, unit: str) -> Any:
    """Return a progress bar, or a stand-in that shows nothing."""
    if verbose:  # PyTerrier, where it is loaded, lets its user choose the kind of bar
        host = sys.modules.get("pyterrier") or import_module("tqdm.auto")
        return host.tqdm(total=total, desc=what, unit=unit, delay=DELAY, leave=False)
    return nullcontext(SimpleNamespace(update=lambda _=1: None))


def follow(items: Sequence[Any], verbose: bool, what: str, unit: str) -> Iterator[Any]:
    """Yield items, with a progress bar if ``verbose``."""
    with progress(len(items), verbose, what, unit) as bar:
        for item in items:
            yield item
            bar.update()
