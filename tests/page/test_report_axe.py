"""axe, a checker of accessibility, finds nothing in the page, whatever the reader has set."""

from typing import Any

import pytest

from tests.support.browser import opened, settled

#: WCAG 2.2, levels A and AA, and what axe recommends beyond.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def axe():
    package = "axe_playwright_python.sync_playwright"
    return pytest.importorskip(package, reason="axe-playwright-python is not installed").Axe()


def check(page: Any, axe: Any, least: int = 30) -> None:
    """Nothing is wrong; axe runs in the page itself and has no part that it fetches."""
    options = {"runOnly": TAGS, "resultTypes": ["violations"]}
    response = axe.run(page, options=options).response
    assert len(response["passes"]) > least  # rules that apply; fewer would on an empty page
    lines = []
    for rule in response["violations"]:
        lines.append(f"{rule['id']}: {rule['help']}")
        for node in rule["nodes"]:
            lines.append(f"  {node['target']}: {' '.join(node['failureSummary'].split())}")
    assert not lines, "\n".join(lines)


def leave_the_map(page: Any) -> None:
    """A lower level gains more; on a phone the gains are among the settings that are folded."""
    if page.locator("#unfold").is_visible():
        page.locator("#unfold").click()
    page.locator("#gain-1").fill("5")
    page.locator("#gain-1").blur()


@pytest.mark.parametrize(("width", "scheme"), [(1366, "light"), (1366, "dark"), (390, "light")])
def test_axe_finds_nothing(width: int, scheme: str, visit, written, axe) -> None:
    page = visit(written, size=(width, 768), color_scheme=scheme)
    check(page, axe)
    for act in (
        lambda: page.locator("#topics-table [data-topic]").first.click(),
        lambda: leave_the_map(page),
        lambda: page.locator("#find").fill("table"),
    ):
        act()
        settled(page)
        page.evaluate("scrollTo(0, 0)")  # where nothing is half below the settings
        check(page, axe)


def test_without_javascript_the_page_says_that_it_needs_it(browser, written, axe) -> None:
    """axe, which finds nothing, itself needs it: once the page is read, it is allowed again."""
    with opened(browser, written, ready=False, java_script_enabled=False) as page:
        session = page.context.new_cdp_session(page)
        for disabled in (True, False):  # the session ends only what it has begun
            session.send("Emulation.setScriptExecutionDisabled", {"value": disabled})
        said, title, *foot = filter(None, page.locator("body").inner_text().split("\n"))
        assert said == "This page needs JavaScript; it loads nothing from the network."
        assert title == "Five systems"
        assert [line[:10] for line in foot] == ["42 topics "]
        check(page, axe, least=15)
