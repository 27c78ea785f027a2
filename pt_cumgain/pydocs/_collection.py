"""The documents, topics and judgments, and the dataset as ir_datasets serves it."""

# no postponed annotations here: PyTerrier and ir_datasets read those of the named tuples
import inspect
import pkgutil
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import ir_datasets
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import DocstoreBackedDocs, TrecQrels, TsvQueries
from ir_datasets.indices import Docstore
from ir_datasets.util import LocalDownload
from ir_datasets.util.docs.lazy import LazyDocsIter

#: The folder of the collection's files.
DATA = Path(__file__).parent / "data"

#: Modules and classes whose public callables are documents, in the order of the documents.
SOURCES = (
    "numpy",
    "numpy.linalg",
    "numpy.fft",
    "numpy.random.Generator",
    "numpy.strings",
    "numpy.polynomial.Polynomial",
    "pandas",
    "pandas.DataFrame",
    "pandas.Series",  # only names that DataFrame does not have
    "pandas.Series.str",
    "pandas.Series.dt",
    "pandas.Series.cat",
    "pandas.DataFrame.plot",
    "pandas.api.typing.DataFrameGroupBy",
    "pandas.api.typing.Rolling",
    "pandas.api.typing.Resampler",
    "pandas.Timestamp",
    "pandas.Timedelta",
)

#: The meaning of the relevance levels: the scale of IPM 2005, section 2.1 (after Sormunen 2002).
LEVELS = {
    0: "Irrelevant: the document does not contain any information about the topic.",
    1: "Marginally relevant: the document only points to the topic.",
    2: "Fairly relevant: more information than the topic description, but not exhaustive.",
    3: "Highly relevant: the document discusses the themes of the topic exhaustively.",
}


class PydocsDoc(NamedTuple):
    """A docstring. ``doc_id`` is the qualified name, ``title`` the same in words."""

    doc_id: str
    title: str
    text: str

    def default_text(self) -> str:
        """Return title and text."""
        return f"{self.title} {self.text}"


class PydocsQuery(NamedTuple):
    """A topic: a short query, and a narrative that defines relevance."""

    query_id: str
    text: str
    narrative: str

    def default_text(self) -> str:
        """Return the short query."""
        return self.text


@cache
def documents() -> tuple[PydocsDoc, ...]:
    """Return the documents: public callables of :data:`SOURCES` with a docstring.

    Aliases (``numpy.abs`` is ``numpy.absolute``), docstrings of fewer than 100
    characters, and docstrings that repeat an earlier document are left out.

    Examples
    --------
    >>> len(documents()) > 800
    True
    >>> next(d for d in documents() if d.doc_id == "numpy.sort").title
    'numpy sort'
    """
    by_text: dict[str, PydocsDoc] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated names warn when accessed
        frame_names = set(dir(pkgutil.resolve_name("pandas.DataFrame")))
        for source in SOURCES:
            try:
                holder = pkgutil.resolve_name(source)
            except AttributeError:  # numpy.strings, which NumPy 1 lacks
                continue
            names = getattr(holder, "__all__", None)  # a module's; a class has none
            for name in sorted(names or dir(holder)):
                if name.startswith("_") or name == "row_stack":  # deprecated twin of vstack
                    continue
                if source == "pandas.Series" and name in frame_names:
                    continue
                thing = getattr(holder, name, None)
                own = getattr(thing, "__name__", name)
                text = inspect.getdoc(thing) if callable(thing) else None
                alias = own != name and getattr(holder, own, None) is thing
                origin = str(getattr(thing, "__module__", None) or source)  # tqdm extends pandas
                native = origin.startswith(source.partition(".")[0])
                if text and len(text) >= 100 and native and not alias and text not in by_text:
                    doc_id = f"{source}.{name}"
                    title = doc_id.replace(".", " ").replace("_", " ")
                    by_text[text] = PydocsDoc(doc_id, title, text)
    return tuple(by_text.values())


_TOPICS = LocalDownload(DATA / "topics.tsv")
_QUERIES = TsvQueries(_TOPICS, PydocsQuery, namespace="pydocs", lang="en")


@cache
def topics() -> tuple[PydocsQuery, ...]:
    """Return the topics."""
    return tuple(_QUERIES.queries_iter())


class _Store(Docstore):  # type: ignore[misc]  # ir_datasets is untyped
    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator[PydocsDoc]:
        wanted = set(doc_ids)
        return (doc for doc in documents() if doc.doc_id in wanted)


class PydocsDocs(DocstoreBackedDocs):  # type: ignore[misc]  # ir_datasets is untyped
    """The documents, as ir_datasets serves them."""

    def docs_iter(self) -> LazyDocsIter:
        return LazyDocsIter(documents, iter(documents()))

    def docs_count(self) -> int:
        return len(documents())


def build_index(folder: str) -> Any:
    """Index the documents with pyterrier-pisa.

    Parameters
    ----------
    folder
        An empty folder for the files of the index.

    Returns
    -------
    pyterrier_pisa.PisaIndex
        The index; ``index.bm25()`` is a retriever.

    Raises
    ------
    ImportError
        If pyterrier-pisa is not installed.
    """
    import pyterrier_pisa  # 0.4.9 computes other scores once SciPy's extensions are loaded

    index = pyterrier_pisa.PisaIndex(folder, text_field=["title", "text"])
    index.index({"docno": doc.doc_id, "title": doc.title, "text": doc.text} for doc in documents())
    return index


def register() -> None:
    """Make the collection known to ir_datasets."""
    if "pydocs" not in set(ir_datasets.registry):
        qrels = TrecQrels(LocalDownload(DATA / "qrels.txt"), LEVELS)
        docs = PydocsDocs(lambda: _Store(PydocsDoc), PydocsDoc, namespace="pydocs", lang="en")
        ir_datasets.registry.register("pydocs", Dataset(docs, _QUERIES, qrels))
