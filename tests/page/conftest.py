"""Pages that tests write and open in a browser."""

import datetime
import itertools
from contextlib import ExitStack
from pathlib import Path

import pyterrier as pt
import pytest

import pt_cumgain
from pt_cumgain import pydocs
from tests.support.browser import opened


@pytest.fixture(scope="session")
def written(tmp_path_factory, topics) -> Path:
    """The page of the five systems of `pydocs`."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    qrels = pt.get_dataset("irds:pydocs").get_qrels()
    options = {"title": "Five systems", "date": datetime.date(2026, 1, 2)}
    pt_cumgain.report(pydocs.runs(), topics, qrels, path=path, **options)
    return path


@pytest.fixture
def visit(browser):
    """Open the page of a file; what it fetches and what goes wrong fails the test in the end."""
    with ExitStack() as pages:

        def open_page(path, fragment="", size=(1280, 720), **context):
            viewport = dict(zip(("width", "height"), size))
            return pages.enter_context(
                opened(browser, path, fragment, viewport=viewport, **context)
            )

        yield open_page


@pytest.fixture
def show(visit, tmp_path):
    """Write a page about some runs, and open it."""
    numbers = itertools.count()

    def write_and_open(
        runs, qrels, measure="nDCG@10", *, topics=None, fragment="", size=(1280, 720), **options
    ):
        path = tmp_path / f"{next(numbers)}.html"
        pt_cumgain.report(runs, topics, qrels, measure, path=path, **options)
        return visit(path, fragment, size)

    return write_and_open


@pytest.fixture
def page(visit, written):
    """The page of the five systems, opened."""
    return visit(written)
