"""A page in Chromium, watched: nothing may be fetched, and the console must stay without error."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """The system's Chromium; the test is skipped where there is none, or nothing to drive it."""
    drive = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if path is None:
        pytest.skip("there is no Chromium on the path")
    with drive.sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


def settled(page: Any) -> None:
    """Wait until what was changed is drawn, in sight or not, and stands in the address."""
    page.wait_for_function("page.isResting()")


def next_frame(page: Any) -> None:
    """Wait until what was changed is drawn in sight: the page draws once per frame."""
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")


@contextlib.contextmanager
def opened(
    browser: Any, path: Path, fragment: str = "", *, ready: bool = True, **context: Any
) -> Iterator[Any]:
    """The page of a file; in the end, what it asked for and what went wrong are looked at."""
    asked, wrong = [], []
    around = browser.new_context(**{"accept_downloads": True, **context})

    def refuse(route: Any) -> None:
        if route.request.url.startswith(("file:", "data:", "blob:")):
            route.continue_()
        else:
            asked.append(route.request.url)
            route.abort()

    around.route("**/*", refuse)
    page = around.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: said.type == "error" and wrong.append(said.text))
    page.goto(path.as_uri() + fragment)
    if ready:
        page.evaluate("page.ready")
        settled(page)
        locate = page.locator
        page.locator = lambda *args, **named: next_frame(page) or locate(*args, **named)
    yield page
    assert asked == []
    assert wrong == []
    around.close()


def change(page: Any, **settings: Any) -> None:
    """Change settings of a report, and wait until they are drawn."""
    page.evaluate("settings => { cumgain.state = settings; }", settings)
    settled(page)


def saved(page: Any, button: str) -> str:
    with page.expect_download() as waiting:
        page.locator(button).click()
    return Path(waiting.value.path()).read_text("utf-8")
