"""The glue to ir-measures: our provider, and its registration.

:func:`register` adds the measures and two providers where ir-measures looks for them. It changes
what is in this table, and nothing else. Every change is needed because of a fault of a host, which
a test of this name in ``tests/hosts/test_changes.py`` shows without this package: when a new
version of the host mends it, the test fails, and the change goes. What another plugin has put there
before is kept and called.

===================================  ============================================  ================
what changes                         the fault of the host                         the test
===================================  ============================================  ================
``nDCG.__new__``                     nDCG takes any parameter, then fails          ``parameters``
``nDCG.__new__``                     pytrec_eval ends the process at cutoff 0      ``cutoff_0``
``ir_measures.parse_trec_measure``   PyTerrier reads texts with it, and it knows   ``texts``
                                     the names of trec_eval only
``_evaluator`` of pytrec_eval        the error for labels that are not integers    ``labels``
                                     names none, or the process ends
the order of the providers           pytrec_eval confuses two nDCGs of one call    ``two_ndcgs``
``ir_measures.util._ast_to_value``   it needs names that Python 3.14 lacks         ``python_314``
``pyterrier.measures``               it copies the measures when it is loaded      ``late_measures``
===================================  ============================================  ================
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

from ir_measures import util
from ir_measures.measures import Measure, registry
from ir_measures.providers.base import Evaluator, Provider
from ir_measures.util import Metric, QrelsConverter

from pt_cumgain.environment.terminal import show
from pt_cumgain.environment.warning import warn
from pt_cumgain.measures import (
    MEASURES,
    CumulatedGain,
    HostNDCG,
    SessionMeasure,
    as_cumulated_gain,
    is_extended,
    is_hosts,
    natural_key,
    nDCG,
)

if TYPE_CHECKING:
    import pandas as pd

    from pt_cumgain.core import Floats
    from pt_cumgain.engine import JudgedRun
    from pt_cumgain.inputs.reading import Qrels, Run


#: The measures, the topics and the warnings of the last evaluators of foreign ids.
_BATCHES: list[Any] = [[], set(), {}]


class TopicValues(NamedTuple):
    """The values of a run: a row for each measure, a column for each topic."""

    measures: Iterable[Measure]
    topics: list[str]
    values: Floats

    def select(self, topics: Container[str]) -> TopicValues:
        """Return the values of some of the topics."""
        kept = [topic in topics for topic in self.topics]
        return TopicValues(self.measures, [*compress(self.topics, kept)], self.values[:, kept])

    def frame(self) -> pd.DataFrame:
        """Return the values as a frame ``qid, measure, value``, topic by topic."""
        import pandas as pd

        names = [str(measure) for measure in self.measures]
        rows = pd.MultiIndex.from_product([self.topics, names], names=["qid", "measure"])
        return pd.DataFrame({"value": self.values.T.ravel()}, index=rows).reset_index()

    def metrics(self) -> Iterator[Metric]:
        """Yield the values, topic by topic."""
        for topic, row in zip(self.topics, self.values.T.tolist()):
            for measure, value in zip(self.measures, row):
                yield Metric(topic, measure, value)

    def means(self) -> dict[Measure, float]:
        """Return the means, added topic by topic as ir-measures adds."""
        if not self.topics:
            return dict.fromkeys(self.measures, float("nan"))
        means = self.values.cumsum(axis=1)[:, -1] / len(self.topics)
        return dict(zip(self.measures, means.tolist()))


class CumgainEvaluator(Evaluator):
    """Evaluates runs by a set of measures, for one set of qrels.

    Values come topic by topic, as in the qrels, and the measures of a topic in natural order. A
    warning says how many topics of the qrels are missing from a run.
    """

    def __init__(self, measures: Iterable[Measure], qrels: Qrels) -> None:
        from pt_cumgain.engine import Engine  # imported only where data is read
        from pt_cumgain.inputs.reading import read_qrels

        table = read_qrels(qrels)
        if table.integer_topics and table is not qrels:
            # the host's other providers would return values under the integers
            raise TypeError("qrels query_id must be strings, not integers; convert it with str")
        ordered = sorted(set(measures), key=natural_key)
        converted = [as_cumulated_gain(measure) for measure in ordered]
        self.engine = Engine([m for m in converted if m is not None], table)
        super().__init__(ordered, self.engine.topics)

    def iter_calc(self, run: Run) -> Iterator[Metric]:
        """Yield the value of every measure for every topic of the qrels."""
        return self._evaluate(run).metrics()

    def calc_aggregate(self, run: Run) -> dict[Measure, float]:
        """Return the mean of every measure over the topics of the qrels."""
        return self._evaluate(run).means()

    def values(self, judged: JudgedRun) -> TopicValues:
        """Return the values of a run that the engine has judged."""
        return TopicValues(self.measures, self.engine.topics, judged.values())

    def _evaluate(self, run: Run) -> TopicValues:
        from pt_cumgain.inputs.reading import read_run
        from pt_cumgain.inputs.topics import warn_of_missing

        table = read_run(run)
        judged = self.engine.judge(table)
        topics = self.engine.topics
        # pt.Experiment(batch_size=...) makes an evaluator for the topics of each batch of a run;
        # all warn in the same words
        measures, before, unmet = _BATCHES
        is_same = [id(measure) for measure in measures] == [id(own) for own in self.measures]
        is_next = is_same and before.isdisjoint(topics)
        self.engine.unmet = unmet if is_next else {}
        judged.warn_of_ids()
        if self.engine.unmet:
            _BATCHES[:] = self.measures, {*topics, *(before if is_next else ())}, self.engine.unmet
        warn_of_missing(topics, {"": table.topics})
        return self.values(judged)


class CumgainProvider(Provider):
    """Computes the measures of this package, plain nDCG included."""

    NAME = "cumgain"
    #: Last: the branch ``entry-points`` of ir-measures asks providers in ascending order of this.
    PRIORITY = float("inf")
    SUPPORTED_MEASURES = list(MEASURES.values())

    def evaluator(self, measures: Iterable[Measure], qrels: Qrels) -> CumgainEvaluator:
        """Return an evaluator of these measures and qrels, for any number of runs."""
        measures = list(measures)
        for measure in measures:
            if not self.supports(measure):
                raise ValueError(
                    f"unsupported measure {measure}; the provider {self.NAME!r} computes "
                    f"{', '.join(MEASURES)}"
                )
        return CumgainEvaluator(measures, qrels)

    _evaluator = evaluator

    def run_inputs(self, measures: Iterable[Measure]) -> list[str]:
        """Return the columns that a run must have for these measures."""
        by_session = any(isinstance(measure, SessionMeasure) for measure in measures)
        return [*super().run_inputs(measures), *(["query_position"] if by_session else [])]

    def supports(self, measure: Measure) -> bool:
        """Return whether this provider computes a measure; raise if it lacks a parameter."""
        cumulated = as_cumulated_gain(measure)
        if cumulated is not None:
            cumulated.validate_params()
        return cumulated is not None


class FirstProvider(CumgainProvider):
    """Computes nDCG with a mapping of gains, ahead of ir-measures' own providers.

    pytrec_eval would confuse it with any other nDCG in the same call. Mappings that this package
    refuses are left to ir-measures.
    """

    NAME = "cumgain-first"
    PRIORITY = float("-inf")

    def supports(self, measure: Measure) -> bool:
        """Return whether a measure is nDCG with a mapping of gains."""
        if measure.NAME != "nDCG" or is_hosts(measure):
            return False
        try:
            return super().supports(measure)
        except (TypeError, ValueError):
            if isinstance(measure, CumulatedGain):
                raise
            return False


#: The provider; call it directly with ``provider.calc_aggregate(measures, qrels, run)``.
provider = CumgainProvider()


def pytrec_eval_evaluator(
    former: Callable[..., Evaluator], measures: Iterable[Measure], qrels: Any
) -> Evaluator:
    """Return ir-measures' evaluator by pytrec_eval, which may end the process at other labels.

    Raises
    ------
    TypeError
        If a label is not an int; the message suggests a measure.
    ValueError
        If the qrels are by turn, which pytrec_eval would merge.
    """
    qrels = list(qrels) if isinstance(qrels, Iterator) else qrels
    if isinstance(qrels, Mapping):
        from pt_cumgain.inputs.reading import refuse_others_than_dicts

        refuse_others_than_dicts(qrels, "qrels")
    first = qrels if hasattr(qrels, "columns") else next(iter(qrels), None)
    if "query_position" in getattr(first, "columns", getattr(first, "_fields", ())):
        from pt_cumgain.engine.rows import refuse_turns

        refuse_turns(True)
    qrels = QrelsConverter(qrels).as_dict_of_dict()
    wrong = [x for docs in qrels.values() for x in docs.values() if not isinstance(x, int)]
    if wrong:
        parts = [x for x in wrong if not (isinstance(x, float) and x.is_integer())]
        label = (parts or wrong)[0]
        raise TypeError(
            f"ir-measures needs labels of type int, but the qrels have {show(label)}; convert "
            "whole numbers, or write nDCG(gains='level'), which pt_cumgain computes from any labels"
        )
    return former(list(measures), qrels)


def new_ndcg(
    former: Callable[..., Measure], kind: type[Measure], *args: object, **params: object
) -> Measure:
    """Create ir-measures' nDCG, or with parameters of ours this package's, which is a subclass."""
    made = former(kind) if former is object.__new__ else former(kind, *args, **params)
    aborts = type(params.get("cutoff")) is int and not params["cutoff"]  # ours refuses cutoff 0
    others = params.keys() - HostNDCG.SUPPORTED_PARAMS.keys()  # ir-measures takes any
    # providers declare parameters by objects with validate() instead of values
    valued = any(not hasattr(params[name], "validate") for name in others)
    ours = type(made) is HostNDCG and (aborts or valued or is_extended(params))
    return object.__new__(type(nDCG)) if ours else made


def read_value(node: ast.AST | None) -> object:
    """Return the value of a parameter, as ir-measures does, but in a way that works in Python 3.14.

    ir-measures up to 0.4.3 uses names that no longer exist in ``ast``.
    """
    if isinstance(node, ast.Dict):
        return {read_value(key): read_value(val) for key, val in zip(node.keys, node.values)}
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int, float, type(None))):
        return node.value
    error = "values must be str, float, int, bool, etc."
    raise ValueError(util._AST_PARSE_ERROR.format(error))  # noqa: SLF001  # its words


def parse_trec_measure(former: Callable[[str], Iterable[Measure]], measure: str) -> list[Measure]:
    """Return the measures that a name of trec_eval means, or else the measure of a text.

    PyTerrier reads texts with this function of ir-measures, which knows trec_eval's names alone.

    Raises
    ------
    ValueError
        If the text is neither, or a parameter of the measure is wrong.
    """
    with suppress(ValueError):
        return list(former(measure))
    from pt_cumgain.inputs.measures import parse_measures

    try:
        (read,) = parse_measures(measure)
        read.validate_params()
    except ValueError as error:
        if len(measure) == 1:
            raise ValueError(f"{show(measure)} is not a measure; give measures in a list") from None
        name = "" if measure in str(error) else f"{measure}: "
        raise ValueError(f"{name}{error}") from None
    return [read]


def extend(host: object, name: str, ours: Callable[..., object]) -> None:
    """Put a function of ours, which calls the former one, in the place of a host's; only once."""
    former = getattr(host, name)
    if getattr(former, "func", former).__module__ != __name__:
        new = partial(ours, former)
        setattr(host, name, staticmethod(new) if isinstance(host, type) else new)


def register() -> None:
    """Make the measures known to ir-measures, and to PyTerrier if it is loaded. Idempotent.

    ir-measures' nDCG remains, and takes the parameters of this package's too. Any other name that
    ir-measures has already keeps its meaning there, and a warning says so. While ir-measures is
    itself being imported, which a plugin loader of its own would cause, it has no pipeline yet.
    """
    import ir_measures

    pyterrier = sys.modules.get("pyterrier.measures")
    for name, measure in MEASURES.items():
        known = registry.setdefault(name, measure)
        if known.NAME != measure.NAME:
            warn(
                f"ir-measures has a measure {name} of its own, and {name!r} in a text means that "
                f"one; this package's is pt_cumgain.{name}"
            )
        elif pyterrier is not None:
            setattr(pyterrier, name, known)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            util._ast_to_value(ast.Constant(1))  # noqa: SLF001  # there is no other way in
        except AttributeError:
            util._ast_to_value = read_value  # noqa: SLF001
    extend(HostNDCG, "__new__", new_ndcg)
    if not hasattr(ir_measures, "DefaultPipeline"):  # it will make it of the providers it loads
        return
    extend(ir_measures, "parse_trec_measure", parse_trec_measure)
    providers = ir_measures.providers
    pytrec_eval = providers.registry.get("pytrec_eval")
    if pytrec_eval is not None:
        extend(pytrec_eval, "_evaluator", pytrec_eval_evaluator)
    providers.registry[provider.NAME] = provider
    pipeline = ir_measures.DefaultPipeline.providers
    others = [p for p in pipeline if p.NAME not in (FirstProvider.NAME, provider.NAME)]
    pipeline[:] = [FirstProvider(), *others, provider]
