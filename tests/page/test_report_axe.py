"""axe, a checker of accessibility, finds nothing in the page, whatever the reader has set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyterrier as pt
import pytest

import pt_cumgain
from pt_cumgain import pydocs
from tests.support.browser import opened, settled

#: WCAG 2.2, levels A and AA, and what axe recommends beyond.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def axe():
    package = "axe_playwright_python.sync_playwright"
    return pytest.importorskip(package, reason="axe-playwright-python is not installed").Axe()


@pytest.fixture(scope="module")
def written(tmp_path_factory, qrels) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    topics = pt.get_dataset("irds:pydocs").get_topics("text")
    pt_cumgain.report(pydocs.runs(), topics, qrels, path=path)
    return path


def check(page: Any, axe: Any) -> None:
    """Nothing is wrong; axe runs in the page itself and has no part that it fetches."""
    options = {"runOnly": TAGS, "resultTypes": ["violations"]}
    response = axe.run(page, options=options).response
    assert len(response["passes"]) > 30  # rules that apply; fewer would on an empty page
    lines = []
    for rule in response["violations"]:
        lines.append(f"{rule['id']}: {rule['help']}")
        for node in rule["nodes"]:
            lines.append(f"  {node['target']}: {' '.join(node['failureSummary'].split())}")
    assert not lines, "\n".join(lines)


def leave_it(page: Any) -> None:
    """As opened."""


def open_a_topic(page: Any) -> None:
    page.locator("#topics-table [data-topic]").first.click()


def take_a_subset(page: Any) -> None:
    page.locator("#find").fill("table")
    page.locator("#take").click()


def leave_the_map(page: Any) -> None:
    """A lower level gains more; on a phone the gains are among the settings that are folded."""
    if page.locator("#unfold").is_visible():
        page.locator("#unfold").click()
    page.locator("#gain-1").fill("5")
    page.locator("#gain-1").blur()


@pytest.mark.parametrize("act", [leave_it, open_a_topic, take_a_subset, leave_the_map])
@pytest.mark.parametrize(("width", "scheme"), [(1366, "light"), (1366, "dark"), (390, "light")])
def test_axe_finds_nothing(width: int, scheme: str, act, browser, written, axe) -> None:
    size = {"width": width, "height": 768}
    with opened(browser, written, viewport=size, color_scheme=scheme) as page:
        act(page)
        settled(page)
        page.evaluate("scrollTo(0, 0)")  # where nothing is half below the settings
        check(page, axe)


def test_axe_finds_nothing_without_javascript(browser, written, axe) -> None:
    """axe itself needs it: once the page is read without it, it is allowed again."""
    with opened(browser, written, ready=False, java_script_enabled=False) as page:
        session = page.context.new_cdp_session(page)
        for disabled in (True, False):  # the session ends only what it has begun
            session.send("Emulation.setScriptExecutionDisabled", {"value": disabled})
        assert page.locator("noscript p").is_visible()
        check(page, axe)
